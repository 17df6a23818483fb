package v1_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	"sellerd/v1/permission"
)

var manyChanges = flag.Bool("many-changes", false, "make 10,000 changes where mirrors and noise are tested, and not some hundred")

// changesToMake is how many changes a test of mirrors or of noise makes.
func changesToMake() int {
	if *manyChanges {
		return 10_000
	}
	return 400
}

// follow makes a key the successor of another by rotation.
func follow(t *testing.T, w *servertest.World, key, successor string) {
	t.Helper()
	plantest.Fill(t, w, fmt.Sprintf("UPDATE api_keys SET successor_id = '%s' WHERE id = '%s'", keyID(successor), keyID(key)),
		fmt.Sprintf("UPDATE api_keys SET predecessor_id = '%s' WHERE id = '%s'", keyID(key), keyID(successor)))
}

// narrowed is what a servertest.Webhook leaves out.
type narrowed struct {
	Skip    []string `json:"skip_key_ids"`
	Changed []string `json:"changed"`
}

func TestASubscriptionSaysWhatItLeavesOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		second := w.NewKey(t, w.Account, "test")
		keys := []string{keyID(w.Key), keyID(second)}
		slices.Sort(keys)
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook"}})
		path := made.Header.Get("Location")
		if diff := cmp.Diff(narrowed{}, servertest.Into[narrowed](t, made)); diff != "" || !strings.Contains(made.Body, `"skip_key_ids":null,"changed":null`) {
			t.Errorf("by default (-want +got):\n%s", diff)
		}
		for _, test := range []struct {
			patch object
			want  narrowed
		}{
			{object{"skip_key_ids": []string{keys[1], keys[0], keys[1]}, "changed": []string{"quantity_available", "price"}}, narrowed{keys, []string{"price", "quantity_available"}}},
			{object{"description": "stock"}, narrowed{keys, []string{"price", "quantity_available"}}},
			{object{"changed": nil}, narrowed{keys, nil}},
			{object{"skip_key_ids": []string{}, "changed": []string{"status"}}, narrowed{[]string{}, []string{"status"}}},
			{object{"skip_key_ids": nil}, narrowed{nil, []string{"status"}}},
		} {
			got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: test.patch})
			if diff := cmp.Diff(test.want, servertest.Into[narrowed](t, got)); diff != "" || got.Status != http.StatusOK {
				t.Errorf("%v: %d (-want +got):\n%s", test.patch, got.Status, diff)
			}
			if diff := cmp.Diff(test.want, servertest.Into[narrowed](t, w.Do(t, servertest.Request{Path: path}))); diff != "" {
				t.Errorf("%v, read (-want +got):\n%s", test.patch, diff)
			}
		}
	})
}

func TestWhatASubscriptionCannotLeaveOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, theirs, _ := w.Seller(t, "stranger")
		hook := w.Subscribe(t, object{"url": "http://127.0.0.1:9/hook"})
		own := keyID(w.Key)
		for _, test := range []struct {
			name string
			body object
			want []string
		}{
			{"keys", object{"skip_key_ids": []string{own, keyID(theirs), "000000000000", keyID(w.LiveKey), w.Key, "dk_test_" + own, "", "\x00"}}, []string{
				"unknown_key skip_key_ids[1]", "unknown_key skip_key_ids[2]", "unknown_key skip_key_ids[3]", "unknown_key skip_key_ids[4]",
				"unknown_key skip_key_ids[5]", "unknown_key skip_key_ids[6]", "invalid_value skip_key_ids[7]",
			}},
			{"too many keys", object{"skip_key_ids": strings.Split(strings.Repeat(own+" ", 10)+own, " ")}, []string{"too_long skip_key_ids"}},
			{"wrong types", object{"skip_key_ids": own, "changed": object{}}, []string{"invalid_type changed", "invalid_type skip_key_ids"}},
			{"members", object{"changed": []string{"price", "prize", "price.amount", "sale"}}, []string{
				"unknown_field changed[1]", "unknown_field changed[2]", "unknown_field changed[3]",
			}},
			{"no member", object{"changed": []string{}}, []string{"too_short changed"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				for _, got := range []servertest.Response{
					w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: merged(test.body, object{"url": "http://127.0.0.1:9/other"})}),
					w.PatchWebhook(t, hook.ID, test.body),
				} {
					if diff := cmp.Diff(test.want, got.Codes(), cmpopts.SortSlices(strings.Compare)); diff != "" {
						t.Errorf("%d (-want +got):\n%s", got.Status, diff)
					}
					if strings.Contains(got.Body, w.Key) {
						t.Errorf("a key is repeated: %s", got.Body)
					}
				}
			})
		}
		for query, want := range map[string][]string{
			"not_key_id=" + own:                                  {},
			"not_key_id=" + w.Key[:len("dk_test_")+12]:           {"invalid_parameter not_key_id"}, // what is shown of a key, of which the id is a part
			"not_key_id=" + own + "&not_key_id=" + keyID(theirs): {"invalid_parameter not_key_id"},
			"not_key_id=" + w.Key:                                {"invalid_api_key"},
			"not_key_id=%00":                                     {"invalid_parameter not_key_id"},
			"changed=price,quantity_available":                   {},
			"changed=price,prize":                                {"unknown_field changed[1]"},
		} {
			if diff := cmp.Diff(want, w.Do(t, servertest.Request{Path: "/v1/events?" + query}).Codes()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}

// merged is an object with the members of both.
func merged(a, b object) object {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

func TestAKeyChangesNothingOfWhatIsLeftOutUnlessItMayReadIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{
			"url": "http://127.0.0.1:9/hook", "events": []string{"item.*"}, "changed": []string{"price"}, "skip_key_ids": []string{keyID(w.Key)},
		})
		key := w.LesserKey(t, permission.WebhooksWrite|permission.ItemsRead)
		for _, test := range []struct {
			patch object
			want  []string
		}{
			{object{"changed": nil}, []string{"changed sales:read"}},
			{object{"skip_key_ids": nil}, []string{"skip_key_ids sales:read"}},
			{object{"changed": []string{"price"}, "skip_key_ids": []string{keyID(w.Key)}, "description": "as it was"}, nil},
		} {
			got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/webhooks/" + hook.ID, Body: test.patch, Key: key})
			if diff := cmp.Diff(test.want, denials(got)); diff != "" {
				t.Errorf("%v: %d (-want +got):\n%s", test.patch, got.Status, diff)
			}
		}
	})
}

// toldTo are the events of arrivals as "type resource", and their members in previous.
func toldTo(t *testing.T, arrived []servertest.Arrival) (list []string) {
	t.Helper()
	for _, a := range arrived {
		list = append(list, told(t, a.Body))
	}
	return list
}

func told(t *testing.T, body string) string {
	t.Helper()
	var e struct {
		shownEvent
		Data struct {
			Previous map[string]json.RawMessage `json:"previous"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	var names []string
	for name := range e.Data.Previous {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.TrimSpace(e.Type + " " + e.Resource.ID + " " + strings.Join(names, ","))
}

func TestAReceiverGetsTheChangesThatItAskedFor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(object{"quantity": 3}))
		change := func(key string, patch object) {
			t.Helper()
			if got := w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: patch, Key: key}); got.Status != http.StatusOK {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		second, third, fourth := w.NewKey(t, w.Account, "test"), w.NewKey(t, w.Account, "test"), w.NewKey(t, w.Account, "test")
		stock, notSecond, both := servertest.NewReceiver(t), servertest.NewReceiver(t), servertest.NewReceiver(t)
		hooks := []string{
			w.Subscribe(t, object{"url": stock.URL, "changed": []string{"quantity_available", "title"}}).ID,
			w.Subscribe(t, object{"url": notSecond.URL, "skip_key_ids": []string{keyID(second)}}).ID,
			w.Subscribe(t, object{"url": both.URL, "skip_key_ids": []string{keyID(w.Key)}, "changed": []string{"price"}}).ID,
		}
		change(w.Key, object{"price": object{"amount": "13.00", "currency": "EUR"}})
		change(second, object{"price": object{"amount": "14.00", "currency": "EUR"}})
		change(second, object{"quantity": 5})
		change(w.Key, object{"title": "Another"})
		change(w.Key, object{"title": "Another"}) // which changes nothing, and makes no event
		follow(t, w, second, third)
		follow(t, w, third, fourth)
		change(third, object{"personal_reference": "A-1"})
		change(fourth, object{"price": object{"amount": "15.00", "currency": "EUR"}})
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + item + "/close", Key: second})

		updated := "item.updated " + item
		price := updated + " current_price,price"
		want := [][]string{
			{updated + " quantity,quantity_available", updated + " title", "item.closed " + item},
			{price, updated + " title"},
			{price, price, "item.closed " + item},
		}
		everything := []string{
			price, price, updated + " quantity,quantity_available", updated + " title", updated + " personal_reference", price, "item.closed " + item,
		}
		servertest.DeliverAll(t, w.Service)
		for i, s := range []*servertest.Receiver{stock, notSecond, both} {
			if diff := cmp.Diff(want[i], toldTo(t, s.Take())); diff != "" {
				t.Errorf("webhook %d (-want +got):\n%s", i, diff)
			}
		}
		for _, older := range []bool{false, true} { // as an older program would have stored the events
			if older {
				plantest.Fill(t, w, "UPDATE events SET key_id = NULL, changed = NULL")
				want = [][]string{want[0], everything, {price, price, price, "item.closed " + item}}
			}
			for i, query := range []string{"changed=quantity_available,title", "not_key_id=" + keyID(second), "changed=price&not_key_id=" + keyID(w.Key)} {
				var got []string
				page := feedPage(t, w, query+"&type=item.updated,item.closed")
				for _, body := range page.Results {
					got = append(got, told(t, string(body)))
				}
				if diff := cmp.Diff(want[i], got); diff != "" {
					t.Errorf("%s, stored by an older program: %v (-want +got):\n%s", query, older, diff)
				}
			}
			plantest.Fill(t, w, "DELETE FROM deliveries", "DELETE FROM dispatches")
			for i, s := range []*servertest.Receiver{stock, notSecond, both} {
				w.Recover(t, hooks[i], object{"since": w.Clock.Now().Add(-24 * time.Hour).UTC().Format(time.RFC3339)})
				servertest.DeliverAll(t, w.Service)
				got := slices.DeleteFunc(toldTo(t, s.Take()), func(line string) bool { return strings.HasPrefix(line, "item.published") })
				if diff := cmp.Diff(want[i], got); diff != "" {
					t.Errorf("recovered for webhook %d, stored by an older program: %v (-want +got):\n%s", i, older, diff)
				}
			}
		}
	})
}

// updated_at changes with everything, and what is too large to say what changed may have changed everything.
func TestNoChangeIsMissed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		s, large := servertest.NewReceiver(t), servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": s.URL, "changed": []string{"updated_at"}})
		w.Subscribe(t, object{"url": large.URL, "changed": []string{"description"}})
		for _, description := range []string{strings.Repeat("é", 9_000), strings.Repeat("ü", 9_500)} {
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"description": description}})
		}
		servertest.DeliverAll(t, w.Service)
		if got := len(s.Take()); got != 2 {
			t.Errorf("%d events for updated_at", got)
		}
		if got := len(large.Take()); got != 2 {
			t.Errorf("%d events for the description", got)
		}
		for _, older := range []bool{false, true} {
			if older {
				plantest.Fill(t, w, "UPDATE events SET changed = NULL")
			}
			if got := len(feedPage(t, w, "type=item.updated&changed=description").Results); got != 2 {
				t.Errorf("the feed has %d, stored by an older program: %v", got, older)
			}
		}
	})
}

func TestACursorBelongsToWhatTheFeedLeavesOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		second := w.NewKey(t, w.Account, "test")
		own, other := keyID(w.Key), keyID(second)
		plain := feedPage(t, w, "")
		without := feedPage(t, w, "not_key_id="+own+","+other)
		narrow := feedPage(t, w, "changed=price,title")
		for query, want := range map[string][]string{
			"after=" + plain.NextCursor:                                            {},
			"after=" + plain.NextCursor + "&not_key_id=" + own:                     {"cursor_mismatch after"},
			"after=" + without.NextCursor + "&not_key_id=" + other + "," + own:     {},
			"after=" + without.NextCursor + "&not_key_id=" + own:                   {"cursor_mismatch after"},
			"after=" + without.NextCursor:                                          {"cursor_mismatch after"},
			"after=" + narrow.NextCursor + "&changed=title&changed=price":          {},
			"after=" + narrow.NextCursor + "&changed=price":                        {"cursor_mismatch after"},
			"after=" + narrow.NextCursor + "&changed=title,price&type=item.closed": {"cursor_mismatch after"},
		} {
			if diff := cmp.Diff(want, w.Do(t, servertest.Request{Path: "/v1/events?" + query}).Codes()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
	})
}

// A reader whose key is rotated while it waits is not told of what the successor does.
func TestAWaitingReaderLeavesOutASuccessor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		successor, other := w.NewKey(t, w.Account, "test"), w.NewKey(t, w.Account, "test")
		answered := waitFor(t, w, t.Context(), "wait=20&after=latest&not_key_id="+keyID(w.Key))
		follow(t, w, w.Key, successor)
		for _, key := range []string{w.Key, successor, other} {
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"title": "By " + keyID(key)}, Key: key})
		}
		got := <-answered
		if got.Code != http.StatusOK || strings.Count(got.Body.String(), `"item.updated"`) != 1 || !strings.Contains(got.Body.String(), "By "+keyID(other)) {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

func TestRepricingIsNoNewsForAReceiverOfStock(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		all := make([]any, 100)
		for i := range all {
			all[i] = servertest.FixedPrice(object{"personal_reference": fmt.Sprintf("N-%d", i)})
		}
		w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": all}})
		w.Publish(t)
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL, "changed": []string{"quantity_available"}})
		after := feedPage(t, w, "changed=quantity_available&after=latest").NextCursor
		changed := 0
		for round := range changesToMake() / len(all) {
			changes := make([]any, len(all))
			for i := range changes {
				changes[i] = object{"personal_reference": fmt.Sprintf("N-%d", i), "patch": object{"price": object{"amount": fmt.Sprintf("%d.50", round+1), "currency": "EUR"}}}
			}
			got := w.Do(t, servertest.Request{Path: "/v1/item-changes", Body: object{"changes": changes}})
			changed += servertest.Into[struct {
				Count int `json:"changed_count"`
			}](t, got).Count
			w.Clock.Advance(10 * time.Second)
		}
		if changed != changesToMake() {
			t.Fatalf("%d items were repriced", changed)
		}
		for more := true; more; {
			page := feedPage(t, w, "changed=quantity_available&after="+after)
			after, more = page.NextCursor, page.HasMore
			if len(page.Results) != 0 {
				t.Errorf("the feed has %d events", len(page.Results))
			}
		}
		if n := w.Count(t, "dispatches", "true"); n != 0 || servertest.DeliverAll(t, w.Service) != 0 || len(s.Take()) != 0 {
			t.Errorf("%d events wait for webhook %s", n, hook.ID)
		}
		w.Do(t, servertest.Request{Path: "/v1/item-changes", Body: object{"changes": []any{object{"personal_reference": "N-7", "patch": object{"quantity": 2}}}}})
		servertest.DeliverAll(t, w.Service)
		if got := s.Take(); len(got) != 1 {
			t.Errorf("%d events about stock", len(got))
		}
	})
}
