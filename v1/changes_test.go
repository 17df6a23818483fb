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
	"sellerd/internal/servertest"
	"sellerd/v1"
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
		text := fmt.Sprint(result.StatusCode)
		for _, e := range result.Errors {
			text += " " + strings.TrimSpace(e.Code+" "+e.Field)
			if e.Index == nil || *e.Index != i {
				text += " at the wrong index"
			}
		}
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

// changeCase is a change of an item in a state.
type changeCase struct {
	name, state, action string
	body                object
	ifMatch             string // "right" is the item's ETag
}

var changeCases = []changeCase{
	{"a price", "open", "patch", object{"price": object{"amount": "50.00"}}, ""},
	{"a price with the right tag", "open", "patch", object{"price": object{"amount": "50.00"}}, "right"},
	{"a price with a wrong tag", "open", "patch", object{"price": object{"amount": "50.00"}}, `"stale"`},
	{"any tag", "open", "patch", object{"quantity": 7}, "*"},
	{"a quantity", "open", "patch", object{"quantity": 9}, ""},
	{"texts", "open", "patch", object{"title": "A new name", "description": "<b>new</b><script>x</script>", "personal_reference": "N-1"}, ""},
	{"null clears", "open", "patch", object{"personal_reference": nil, "description": nil, "weight_grams": nil}, ""},
	{"images and options", "open", "patch", object{"images": []any{"https://images.example.com/a.jpg"}, "options": object{"highlight": true}}, ""},
	{"a schedule", "open", "patch", object{"duration_days": 7, "renewals": 5}, ""},
	{"a category", "open", "patch", object{"category_id": servertest.Category, "site": "fr"}, ""},
	{"nothing", "open", "patch", object{}, ""},
	{"what cannot change", "open", "patch", object{"sale_type": "auction", "title": "x"}, ""},
	{"what is not known", "open", "patch", object{"titel": "x"}, ""},
	{"much that is wrong", "open", "patch", object{"title": "", "category_id": "1", "quantity": 0, "options": object{"bold": true}}, ""},
	{"a subtitle without its option", "open", "patch", object{"subtitle": "x"}, ""},
	{"another currency", "auction", "patch", object{"starting_price": object{"amount": "1.00", "currency": "USD"}, "reserve_price": object{"amount": "2.00", "currency": "EUR"}}, ""},
	{"a price of an auction", "auction", "patch", object{"price": object{"amount": "50.00", "currency": "EUR"}}, ""},
	{"a start of an auction", "auction", "patch", object{"starting_price": object{"amount": "5.00"}}, ""},
	{"an end in the past", "open", "patch", object{"ends_at": "2020-01-01T00:00:00Z"}, ""},
	{"a shipping model of nobody's", "open", "patch", object{"shipping_model_id": "99999"}, ""},
	{"a long description", "open", "patch", object{"description": strings.Repeat("x", 10_001)}, ""},
	{"a title with bids", "bids", "patch", object{"title": "x"}, ""},
	{"a reference with bids", "bids", "patch", object{"personal_reference": "B-1"}, ""},
	{"a price when partly sold", "partly sold", "patch", object{"price": object{"amount": "1.00"}}, ""},
	{"less than sold", "partly sold", "patch", object{"quantity": 1}, ""},
	{"just what is sold", "partly sold", "patch", object{"quantity": 2}, ""},
	{"a scheduled item", "scheduled", "patch", object{"price": object{"amount": "3.00"}, "title": "Later"}, ""},
	{"a closed item", "closed", "patch", object{"title": "x"}, ""},
	{"a closed item and a wrong field", "closed", "patch", object{"titel": "x"}, ""},
	{"closing", "open", "close", object{}, ""},
	{"closing with a reason", "open", "close", object{"reason": "lost_or_broken", "note": "Fell"}, "right"},
	{"closing with a wrong tag", "open", "close", object{}, `"stale"`},
	{"closing for no reason", "open", "close", object{"reason": "bored", "note": "<b>x</b>", "why": 1}, ""},
	{"closing with bids", "bids", "close", object{}, ""},
	{"closing twice", "closed", "close", object{}, ""},
	{"closing before the start", "scheduled", "close", object{}, ""},
	{"restarting", "closed", "restart", object{}, ""},
	{"restarting with a wrong tag", "closed", "restart", object{}, `"stale"`},
	{"restarting with a price", "closed", "restart", object{"price": object{"amount": "40.00", "currency": "EUR"}, "duration_days": 10, "renewals": 3}, "right"},
	{"restarting at a start", "closed", "restart", object{"starting_price": object{"amount": "40.00", "currency": "EUR"}}, ""},
	{"restarting for a time", "closed", "restart", object{"duration_days": 8}, ""},
	{"restarting an open item", "open", "restart", object{}, ""},
	{"restarting a sold item", "sold", "restart", object{}, ""},
	{"an item that is not there", "missing", "patch", object{"title": "x"}, ""},
	{"closing what is not there", "missing", "close", object{}, ""},
}

// itemIn makes an item in a state.
func itemIn(t *testing.T, w *servertest.World, state, reference string) string {
	m := marketOf(t, w)
	full := object{"personal_reference": reference, "weight_grams": 20, "description": "<p>old</p>"}
	switch state {
	case "missing":
		return "999999"
	case "auction", "bids":
		id := w.List(t, servertest.Auction(full))
		if state == "bids" {
			m.ok(m.bid(id, "bidder", "9.99"))
		}
		return id
	case "scheduled":
		return w.List(t, servertest.FixedPrice(full, object{"starts_at": "2026-12-01T12:00:00Z"}))
	}
	id := w.List(t, servertest.FixedPrice(full, pieces(5)))
	switch state {
	case "partly sold":
		m.sold(id, "buyer", pieces(2))
	case "sold":
		m.sold(id, "buyer", pieces(5))
	case "closed":
		m.ok(m.post("/v1/items/"+id+"/close", nil))
	}
	return id
}

// entry is the case as an entry of a call, and request as a request of its own.
func (c changeCase) entry(id, tag string) object {
	entry := object{"item_id": id, c.action: c.body}
	if c.ifMatch != "" {
		entry["if_match"] = strings.Replace(c.ifMatch, "right", tag, 1)
	}
	return entry
}

func (c changeCase) request(id, tag string) servertest.Request {
	r := servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/" + c.action, Body: c.body, Header: map[string]string{}}
	if c.action == "patch" {
		r.Method, r.Path = "PATCH", "/v1/items/"+id
	}
	if c.ifMatch != "" {
		r.Header["If-Match"] = strings.Replace(c.ifMatch, "right", tag, 1)
	}
	return r
}

// comparable is an item, its row, its words and its events without what differs between two items and two instants.
func comparable(t *testing.T, w *servertest.World, id string) map[string]any {
	t.Helper()
	read := w.Do(t, servertest.Request{Path: "/v1/items/" + id})
	if read.Status != 200 {
		return nil
	}
	all := map[string]any{"item": plain(servertest.Into[map[string]any](t, read))}
	var rows, words []any
	w.EachRow(t, `SELECT search, due_at, images_due_at, run_started_at, sequence, status FROM items WHERE id = `+id, func(values []any) { rows = append(rows, fmt.Sprint(values...)) })
	w.EachRow(t, `SELECT word FROM item_words WHERE item_id = `+id+` ORDER BY word`, func(values []any) { words = append(words, fmt.Sprint(values...)) })
	all["row"], all["words"] = rows, words
	var happened []any
	found, err := w.Store.Reader().Event.Query().All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range found {
		event := servertest.Into[map[string]any](t, servertest.Response{Data: []byte(row.Body)})
		resource := event["resource"].(map[string]any)
		if resource["id"] != id {
			continue
		}
		data := event["data"].(map[string]any)
		delete(data, "sale")
		for name, part := range data {
			if part, ok := part.(map[string]any); ok {
				data[name] = plain(part)
			}
		}
		happened = append(happened, []any{event["type"], resource["sequence"], event["mode"], data})
	}
	all["events"] = happened
	return all
}

func plain(item map[string]any) map[string]any {
	for _, name := range []string{"id", "url", "submission_id", "created_at", "updated_at", "published_at", "closed_at", "first_bid_at"} {
		delete(item, name)
	}
	return item
}

// TestEachChangeGetsWhatItAloneWouldHaveGot does the same to pairs of equal items: to one by itself, to the other in one call with all
// others.
func TestEachChangeGetsWhatItAloneWouldHaveGot(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var alone, together []string
		var entries []any
		for i, c := range changeCases {
			reference := fmt.Sprintf("R-%d", i)
			alone = append(alone, itemIn(t, w, c.state, reference))
			together = append(together, itemIn(t, w, c.state, reference))
		}
		tag := func(id string) string { return w.Do(t, servertest.Request{Path: "/v1/items/" + id}).Header.Get("ETag") }
		for i, c := range changeCases {
			entries = append(entries, c.entry(together[i], tag(together[i])))
		}
		done := changeItems(t, w, entries...)
		answer := servertest.Into[changesAnswer](t, done)
		changed := 0
		for i, c := range changeCases {
			t.Run(c.name, func(t *testing.T) {
				single := w.Do(t, c.request(alone[i], tag(alone[i])))
				want := fmt.Sprint(single.Status)
				for _, e := range single.Errors {
					want += " " + e.Code
					switch e.Field {
					case "":
					case "If-Match":
						want += fmt.Sprintf(" changes[%d].if_match", i)
					default:
						want += fmt.Sprintf(" changes[%d].%s.%s", i, c.action, e.Field)
					}
				}
				if diff := cmp.Diff(want, answer.outcomes()[i]); diff != "" {
					t.Errorf("answer (-alone +together):\n%s", diff)
				}
				details := func(errs []servertest.ErrorEntry) (all []any) {
					for _, e := range errs {
						all = append(all, e.Message, e.Details, e.DocsURL)
					}
					return all
				}
				result := answer.Results[i]
				if diff := cmp.Diff(details(single.Errors), details(result.Errors)); diff != "" {
					t.Errorf("errors (-alone +together):\n%s", diff)
				}
				if single.Status == 200 {
					changed++
				}
				if c.state == "missing" {
					if result.ItemID == nil || *result.ItemID != together[i] || result.PersonalReference != nil {
						t.Errorf("the result names %v %v", result.ItemID, result.PersonalReference)
					}
					return
				}
				if diff := cmp.Diff(comparable(t, w, alone[i]), comparable(t, w, together[i])); diff != "" {
					t.Errorf("item (-alone +together):\n%s", diff)
				}
				if now := tag(together[i]); single.Status == 200 && (result.ETag == nil || *result.ETag != now) || single.Status != 200 && result.ETag != nil {
					t.Errorf("the tag in the answer is %v, that of the item is %s", result.ETag, now)
				}
			})
		}
		if answer.ChangedCount != changed || answer.RefusedCount != len(changeCases)-changed || done.Status != 200 {
			t.Errorf("%d: %d changed and %d refused, not %d", done.Status, answer.ChangedCount, answer.RefusedCount, changed)
		}
		checkOpenCount(t, w)
	}, func(c *v1.Config) { c.OpenItems, c.NewItemsPerDay = 1000, 1000 })
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
