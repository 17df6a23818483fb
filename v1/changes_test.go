package v1_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// changesAnswer is the answer to a call with changes as callers see it.
type changesAnswer struct {
	ChangedCount int `json:"changed_count"`
	RefusedCount int `json:"refused_count"`
	Results      []struct {
		Index             int                     `json:"index"`
		ItemID            *string                 `json:"item_id"`
		PersonalReference *string                 `json:"personal_reference"`
		StatusCode        int                     `json:"status_code"`
		ETag              *string                 `json:"etag"`
		Errors            []servertest.ErrorEntry `json:"errors"`
	} `json:"results"`
}

// outcomes are the results in short: "200", or the status with the codes and fields.
func (a changesAnswer) outcomes() []string {
	out := []string{}
	for i, result := range a.Results {
		text := outcomeAt(i, result.StatusCode, result.Errors)
		if result.Index != i {
			text += " inconsistent"
		}
		out = append(out, text)
	}
	return out
}

func changeItems(t testing.TB, w *servertest.World, entries ...any) servertest.Response {
	t.Helper()
	return w.Do(t, servertest.Request{Path: "/v1/item-changes", Body: object{"changes": entries}})
}

func TestBadChanges(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(object{"personal_reference": "A"}))
		before := comparable(t, w, id)
		many := make([]any, 101)
		for i := range many {
			many[i] = object{"item_id": id, "close": object{}}
		}
		for _, test := range []struct {
			name string
			body any
			want []string
		}{
			{"no entries", object{"changes": []any{}}, []string{"batch_empty changes"}},
			{"no list", object{}, []string{"batch_empty changes"}},
			{"101 entries", object{"changes": many}, []string{"batch_too_large changes"}},
			{"not an object", `[]`, []string{"invalid_type"}},
			{"a member of no meaning", object{"changes": []any{object{"item_id": id, "close": object{}}}, "dry_run": true}, []string{"unknown_field dry_run"}},
			{"nothing named and nothing said", object{"changes": []any{object{}}}, []string{"missing_field changes[0].item_id", "missing_field changes[0].patch"}},
			{"no item", object{"changes": []any{object{"close": object{}}}}, []string{"missing_field changes[0].item_id"}},
			{"null is absent", object{"changes": []any{object{"item_id": nil, "close": nil}}}, []string{"missing_field changes[0].item_id", "missing_field changes[0].patch"}},
			{"two names", object{"changes": []any{object{"item_id": id, "personal_reference": "A", "close": object{}}}}, []string{"conflicting_fields changes[0].personal_reference"}},
			{"two actions", object{"changes": []any{object{"item_id": id, "patch": object{"title": "x"}, "close": object{}}}}, []string{"conflicting_fields changes[0].close"}},
			{"three actions", object{"changes": []any{object{"item_id": id, "restart": object{}, "patch": object{"title": "x"}, "close": object{}}}}, []string{"conflicting_fields changes[0].close", "conflicting_fields changes[0].restart"}},
			{"an entry that is null", object{"changes": []any{nil}}, []string{"invalid_type changes[0]"}},
			{"a patch that is a text", object{"changes": []any{object{"item_id": id, "patch": "x"}}}, []string{"invalid_type changes[0].patch"}},
			{"an id that is none", object{"changes": []any{object{"item_id": "x", "close": object{}}}}, []string{"invalid_value changes[0].item_id"}},
			{"a tag that is none", object{"changes": []any{object{"item_id": id, "if_match": "x", "close": object{}}}}, []string{"invalid_value changes[0].if_match"}},
			{"an empty tag", object{"changes": []any{object{"item_id": id, "if_match": "", "close": object{}}}}, []string{"invalid_value changes[0].if_match"}},
			{"an empty reference", object{"changes": []any{object{"personal_reference": "", "close": object{}}}}, []string{"too_short changes[0].personal_reference"}},
			{"a long reference", object{"changes": []any{object{"personal_reference": strings.Repeat("x", 65), "close": object{}}}}, []string{"too_long changes[0].personal_reference"}},
			{"each entry has its errors", object{"changes": []any{object{"item_id": id, "close": object{"why": 1}}, object{"item_id": "9", "close": object{}}}}, []string{"unknown_field changes[0].close.why", "item_not_found"}},
			{"an unknown member of an entry", object{"changes": []any{object{"item_id": id, "close": object{}, "note": "x"}}}, []string{"unknown_field changes[0].note"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Path: "/v1/item-changes", Body: test.body})
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != 422 {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		if diff := cmp.Diff(before, comparable(t, w, id)); diff != "" {
			t.Errorf("something has changed:\n%s", diff)
		}
	})
}

// TestWhatCannotBeReadIsNotRepeated: a result repeats how its entry names the item. An id that is a number in JSON is no id.
func TestWhatCannotBeReadIsNotRepeated(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		answer := servertest.Into[changesAnswer](t, changeItems(t, w,
			object{"item_id": id, "close": object{}}, object{"item_id": 1002050, "close": object{}},
			object{"personal_reference": true, "close": object{}}, object{"item_id": "9", "close": object{}},
		))
		type named struct{ ItemID, PersonalReference *string }
		var got []named
		for _, result := range answer.Results {
			got = append(got, named{result.ItemID, result.PersonalReference})
		}
		if diff := cmp.Diff([]named{{&id, nil}, {}, {}, {new("9"), nil}}, got); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		batch := servertest.Into[batchAnswer](t, w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": []any{
			servertest.FixedPrice(), servertest.FixedPrice(object{"personal_reference": 5}), servertest.FixedPrice(object{"personal_reference": "A", "title": 5}),
		}}}))
		var references []*string
		for _, result := range batch.Results {
			references = append(references, result.PersonalReference)
		}
		if diff := cmp.Diff([]*string{nil, nil, new("A")}, references); diff != "" {
			t.Errorf("references (-want +got):\n%s", diff)
		}
	})
}

func TestChangesOfOneItemFollowOneAnother(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(object{"personal_reference": "A"}))
		tag := w.Do(t, servertest.Request{Path: "/v1/items/" + id}).Header.Get("ETag")
		price := func(amount string) object { return object{"price": object{"amount": amount}} }
		got := changeItems(t, w,
			object{"item_id": id, "if_match": tag, "patch": price("1.00")},
			object{"item_id": id, "if_match": tag, "patch": price("2.00")},
			object{"personal_reference": "A", "patch": object{"personal_reference": "B"}},
			object{"personal_reference": "A", "patch": price("3.00")},
			object{"personal_reference": "B", "close": object{}},
			object{"item_id": id, "patch": price("4.00")},
			object{"item_id": id, "restart": object{"price": object{"amount": "5.00", "currency": "EUR"}}},
		)
		answer := servertest.Into[changesAnswer](t, got)
		want := []string{
			"200", "412 precondition_failed changes[1].if_match", "200", "404 item_not_found", "200", "409 item_not_editable", "200",
		}
		if diff := cmp.Diff(want, answer.outcomes()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		tags := map[string]bool{tag: true}
		for _, result := range answer.Results {
			if result.ETag != nil {
				tags[*result.ETag] = true
			}
		}
		if len(tags) != 5 {
			t.Errorf("the tags are not different: %v", slices.Collect(maps.Keys(tags)))
		}
		item := readItem(t, w, id)
		if item.Status != "open" || item.Price.Amount != "5.00" {
			t.Errorf("the item is %s at %s", item.Status, item.Price.Amount)
		}
		found := events(t, w, id)
		if diff := cmp.Diff([]string{"1 item.published", "2 item.updated", "3 item.updated", "4 item.closed", "5 item.restarted"}, eventTypes(found)); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		last := found[len(found)-1]
		w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + id, Body: price("6.00")})
		if next := events(t, w, id)[5]; !next.CreatedAt.After(last.CreatedAt) {
			t.Errorf("the next change is at %s, after one of %s", next.CreatedAt, last.CreatedAt)
		}
		if next := w.Do(t, servertest.Request{Path: "/v1/items/" + id}).Header.Get("ETag"); tags[next] {
			t.Errorf("the next change has a tag of before: %s", next)
		}
		checkOpenCount(t, w)
	})
}

func TestAReferenceNamesOneItem(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		list := func(reference string) string {
			return w.List(t, servertest.FixedPrice(object{"personal_reference": reference}))
		}
		sold, first := list("A"), list("A")
		m.sold(sold, "buyer")
		second, third := list("B"), list("B")
		closed := list("C")
		m.ok(m.post("/v1/items/"+closed+"/close", nil))
		_, _, liveKey := w.Seller(t, "other")
		_ = liveKey
		title := func(text string) object { return object{"title": text} }
		got := servertest.Into[changesAnswer](t, changeItems(t, w,
			object{"personal_reference": "A", "patch": title("one")},
			object{"personal_reference": "B", "patch": title("two")},
			object{"item_id": third, "patch": object{"personal_reference": "D"}},
			object{"personal_reference": "B", "patch": title("three")},
			object{"personal_reference": "C", "restart": object{}},
			object{"item_id": first, "patch": object{"personal_reference": "C"}},
			object{"personal_reference": "C", "close": object{}},
			object{"personal_reference": "D", "close": object{}},
			object{"personal_reference": "Z", "close": object{}},
		))
		want := []string{"200", "409 reference_ambiguous", "200", "200", "200", "200", "409 reference_ambiguous", "200", "404 item_not_found"}
		if diff := cmp.Diff(want, got.outcomes()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for i, ids := range map[int][]any{1: {second, third}, 6: {first, closed}} {
			if diff := cmp.Diff(ids, got.Results[i].Errors[0].Details["item_ids"]); diff != "" {
				t.Errorf("ids of entry %d (-want +got):\n%s", i, diff)
			}
		}
		if *got.Results[0].ItemID != first || *got.Results[3].ItemID != second || got.Results[8].ItemID != nil || *got.Results[8].PersonalReference != "Z" {
			t.Errorf("results: %+v", got.Results)
		}
	}, func(c *v1.Config) { c.OpenItems = 100 })
}

func TestRestartsInACallSpendTheStoresLimits(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		var ids []string
		for range 4 {
			id := w.List(t, servertest.FixedPrice())
			m.ok(m.post("/v1/items/"+id+"/close", nil))
			ids = append(ids, id)
		}
		open := w.List(t, servertest.FixedPrice())
		restart := func(id string) object { return object{"item_id": id, "restart": object{}} }
		all := []any{
			restart(ids[0]), restart(ids[1]), restart(ids[2]), object{"item_id": open, "close": object{}}, restart(ids[2]), restart(ids[3]), restart("99"),
		}
		want := []string{"200", "200", "409 store_limit_reached", "200", "200", "409 store_limit_reached", "404 item_not_found"}
		rehearsed := w.Do(t, servertest.Request{Path: "/v1/item-changes?validate_only=true", Body: object{"changes": all}})
		if diff := cmp.Diff(want, servertest.Into[changesAnswer](t, rehearsed).outcomes()); diff != "" {
			t.Errorf("rehearsed (-want +got):\n%s", diff)
		}
		checkOpenCount(t, w)
		if status := readItem(t, w, ids[0]).Status; status != "closed" || rehearsed.Header.Get("X-StoreLimit-Used") != "1" {
			t.Errorf("after the rehearsal the item is %s, and %s are used", status, rehearsed.Header.Get("X-StoreLimit-Used"))
		}
		got := changeItems(t, w, all...)
		if diff := cmp.Diff(want, servertest.Into[changesAnswer](t, got).outcomes()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for name, want := range map[string]string{"X-StoreLimit-Used": "3", "X-StoreLimit-Remaining": "0", "X-StoreLimit-Daily-Remaining": "92"} {
			if value := got.Header.Get(name); value != want {
				t.Errorf("%s is %q, not %q", name, value, want)
			}
		}
		checkOpenCount(t, w)
		if refused := changeItems(t, w, restart(ids[3])); refused.Status != 422 || refused.Codes()[0] != "store_limit_reached" {
			t.Errorf("all refused: %d %v", refused.Status, refused.Codes())
		}
	}, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 3, 100 })
}

func TestACallWithChangesIsRepeatedOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		send := func(amount, query string) servertest.Response {
			return w.Do(t, servertest.Request{
				Path: "/v1/item-changes" + query, Header: map[string]string{"Idempotency-Key": "monday"},
				Body: object{"changes": []any{object{"item_id": id, "patch": object{"price": object{"amount": amount}}}, object{"item_id": "9", "close": object{}}}},
			})
		}
		first, again := send("1.00", ""), send("1.00", "")
		if first.Status != 200 || first.Body != again.Body || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("first %s, again %s", first.Body, again.Body)
		}
		if other := send("2.00", ""); other.Codes()[0] != "idempotency_key_reused Idempotency-Key" {
			t.Errorf("another body: %s", other.Body)
		}
		if other := send("1.00", "?validate_only=true"); other.Codes()[0] != "idempotency_key_reused Idempotency-Key" {
			t.Errorf("another query: %s", other.Body)
		}
		if diff := cmp.Diff([]string{"1 item.published", "2 item.updated"}, eventTypes(events(t, w, id))); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

func TestAHundredChangesAreOneRequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var entries []any
		for i := range 100 {
			w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"personal_reference": fmt.Sprint("R-", i)})})
			entries = append(entries, object{"personal_reference": fmt.Sprint("R-", i), "patch": object{"price": object{"amount": fmt.Sprintf("%d.50", i+1)}}})
		}
		w.Publish(t)
		before := w.Do(t, servertest.Request{Path: "/v1/account"}).Header.Get("X-RateLimit-Remaining")
		got := changeItems(t, w, entries...)
		if answer := servertest.Into[changesAnswer](t, got); answer.ChangedCount != 100 {
			t.Fatalf("%v", answer.outcomes())
		}
		var was, is int
		fmt.Sscan(before, &was)
		fmt.Sscan(got.Header.Get("X-RateLimit-Remaining"), &is)
		if was-is != 1 {
			t.Errorf("%d requests before, and %d after", was, is)
		}
		if n := w.Count(t, "items", "price = current_price AND sequence = 2"); n != 100 {
			t.Errorf("%d items have a new price", n)
		}
	}, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay, c.RateLimit = 1000, 1000, 10_000 })
}

func TestChangesOfAnotherSellersItems(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice(object{"personal_reference": "A"}))
		before := comparable(t, w, id)
		_, other, _ := w.Seller(t, "other")
		for _, key := range []string{other, w.LiveKey} {
			got := w.Do(t, servertest.Request{Path: "/v1/item-changes", Key: key, Body: object{"changes": []any{
				object{"item_id": id, "close": object{}}, object{"personal_reference": "A", "patch": object{"title": "x"}},
			}}})
			if diff := cmp.Diff([]string{"item_not_found", "item_not_found"}, got.Codes()); diff != "" || got.Status != 422 {
				t.Errorf("%d (-want +got):\n%s", got.Status, diff)
			}
		}
		if diff := cmp.Diff(before, comparable(t, w, id)); diff != "" {
			t.Errorf("something has changed:\n%s", diff)
		}
	})
}

// A worker that leases items changes their rows without the owner's row. On PostgreSQL the rows have another place then.
func TestACallWithChangesWaitsForAWorkerThatHasAnItem(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	id := w.List(t, servertest.FixedPrice())
	leased, gate, committed := make(chan error, 1), make(chan struct{}), make(chan error, 1)
	go func() {
		committed <- w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, "UPDATE items SET lease = 1 WHERE id = "+id)
			leased <- err
			<-gate
			return err
		})
	}()
	if err := <-leased; err != nil {
		t.Fatal(err)
	}
	answers := make(chan servertest.Response, 1)
	go func() {
		answers <- w.Do(t, servertest.Request{Path: "/v1/item-changes", Body: object{"changes": []any{
			object{"item_id": id, "patch": object{"price": object{"amount": "7.77", "currency": "EUR"}}},
		}}})
	}()
	waitForLock(t, w)
	close(gate)
	if err := <-committed; err != nil {
		t.Fatal(err)
	}
	if got := <-answers; got.Status != http.StatusOK {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	if n := w.Count(t, "items", "price = 777 AND lease = 1"); n != 1 {
		t.Errorf("%d items have the price and the lease", n)
	}
}
