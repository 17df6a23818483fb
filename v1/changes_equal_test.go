package v1_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// This file compares changes in one call with the same changes alone.

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
