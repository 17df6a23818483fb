package v1_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// playEverything makes an event of every type, as the marketplace and the seller do.
func playEverything(t *testing.T, w *servertest.World) {
	t.Helper()
	act := func(method, path string, body any) {
		t.Helper()
		if got := w.Do(t, servertest.Request{Method: method, Path: path, Body: body}); got.Status != 200 {
			t.Fatalf("%s %s: %d %s", method, path, got.Status, got.Body)
		}
	}
	item := w.List(t, servertest.FixedPrice(object{"quantity": 3}))
	act("PATCH", "/v1/items/"+item, object{"title": "Another title"})
	operate(t, w, 200, "/operator/items/"+item+"/move", object{"category_id": "1010102"})
	sale := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", nil)
	simulate[simulatedBill](t, w, "/bills/"+sale.BillID+"/invoice", nil)
	simulate[simulatedBill](t, w, "/bills/"+sale.BillID+"/pay", nil)
	simulate[simulatedSale](t, w, "/sales/"+sale.ID+"/cancel", nil)
	act("POST", "/v1/items/"+item+"/close", nil)
	act("POST", "/v1/items/"+item+"/restart", nil)
	simulate[simulatedItem](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/end", nil)
	simulate[simulatedItem](t, w, "/items/"+w.List(t, servertest.Auction())+"/bids", nil)
	submit(t, w, "https://outcome.test/image_unreachable.jpg")
	w.Publish(t)
}

// members are the paths of an event's members, those of lists below their first entry. What is null in one of two events
// and an object in the other has no members to compare, so the paths go no deeper than null.
func members(prefix string, value any, paths map[string]any) map[string]any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			path := strings.TrimPrefix(prefix+"."+name, ".")
			paths[path] = inner
			if path != "data.previous" { // which depends on what changed
				members(path, inner, paths)
			}
		}
	case []any:
		if len(value) > 0 {
			members(prefix+"[]", value[0], paths)
		}
	}
	return paths
}

// expectSameMembers compares two events' members.
func expectSameMembers(t *testing.T, sample, event map[string]any) {
	t.Helper()
	for _, pair := range []struct {
		has, lacks string
		a, b       map[string]any
	}{{"the sample", "the event", sample, event}, {"the event", "the sample", event, sample}} {
		var extra []string
		for path := range pair.a {
			if _, has := pair.b[path]; !has && !emptyAbove(path, pair.b) {
				extra = append(extra, path)
			}
		}
		slices.Sort(extra)
		if extra != nil {
			t.Errorf("%s has and %s lacks %v", pair.has, pair.lacks, extra)
		}
	}
}

// emptyAbove says whether one of the objects or lists that hold a path is null or empty.
func emptyAbove(path string, paths map[string]any) bool {
	for {
		end := strings.LastIndexAny(path, ".[")
		if end < 0 {
			return false
		}
		path = path[:end]
		if value, has := paths[path]; has {
			list, isList := value.([]any)
			return value == nil || isList && len(list) == 0
		}
	}
}

func readEvent(t *testing.T, body string) map[string]any {
	t.Helper()
	var event map[string]any
	if err := json.Unmarshal([]byte(body), &event); err != nil {
		t.Fatalf("read event: %v", err)
	}
	return event
}

func TestASampleLooksLikeAnEvent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		playEverything(t, w)
		servertest.DeliverAll(t, w.Service)
		events := map[string]map[string]any{}
		for _, a := range s.Take() {
			event := readEvent(t, a.Body)
			if kind := event["type"].(string); events[kind] == nil {
				events[kind] = event
			}
		}
		for _, kind := range v1.EventTypes {
			t.Run(kind.Name, func(t *testing.T) {
				event := events[kind.Name]
				if event == nil {
					t.Fatal("there was no such event")
				}
				scheduled := w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", object{"event": kind.Name})
				servertest.DeliverAll(t, w.Service)
				arrived := s.Take()
				if len(arrived) != 1 || arrived[0].Body != *scheduled.RequestBody {
					t.Fatalf("%d arrived", len(arrived))
				}
				sample := readEvent(t, arrived[0].Body)
				expectSameMembers(t, members("", sample, map[string]any{}), members("", event, map[string]any{}))
				for _, name := range []string{"type", "api_version", "mode", "account_id"} {
					if sample[name] != event[name] {
						t.Errorf("%s is %v instead of %v", name, sample[name], event[name])
					}
				}
				resource, real := sample["resource"].(map[string]any), event["resource"].(map[string]any)
				if resource["type"] != real["type"] || resource["id"] != scheduled.ResourceID {
					t.Errorf("resource %v of %s, where an event has %v", resource, scheduled.ResourceID, real)
				}
				path := map[string]string{"item": "/v1/items/", "sale": "/v1/sales/", "bill": "/v1/bills/", "submission": "/v1/item-submissions/"}[resource["type"].(string)]
				if got := w.Do(t, servertest.Request{Path: path + resource["id"].(string)}); got.Status != 404 {
					t.Errorf("the sample's %v exists", resource)
				}
			})
		}
	})
}

func TestASampleIsSentAsEventsAre(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s, other := servertest.NewReceiver(t), servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL, "events": []string{"sale.*"}, "status": "paused"})
		w.Subscribe(t, object{"url": other.URL})
		verifier, err := standardwebhooks.NewWebhook(*hook.Secret)
		if err != nil {
			t.Fatal(err)
		}
		for _, body := range []any{nil, object{}, object{"event": nil}, object{"event": "item.sold"}} {
			scheduled := w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", body)
			want := "item.published"
			if body, ok := body.(object); ok && body["event"] != nil {
				want = "item.sold"
			}
			if scheduled.Trigger != "test" || scheduled.EventType != want || scheduled.Attempt != 1 || scheduled.Status != "scheduled" {
				t.Errorf("%v: %+v", body, scheduled)
			}
			servertest.DeliverAll(t, w.Service)
			arrived := s.Take()
			if len(arrived) != 1 {
				t.Fatalf("%v: %d arrived", body, len(arrived))
			}
			if err := verifier.VerifyIgnoringTimestamp([]byte(arrived[0].Body), arrived[0].Header); err != nil {
				t.Errorf("%v: %v", body, err)
			}
			if last := w.Deliveries(t, "?limit=1")[0]; last.ID != scheduled.ID || last.Status != "succeeded" || !last.Final {
				t.Errorf("%v in the log: %+v", body, last)
			}
		}
		if got := other.Take(); len(got) != 0 {
			t.Errorf("another webhook got %d samples", len(got))
		}
	})
}

func TestWhatIsNoSample(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{"url": "https://example.com/hook"})
		for _, test := range []struct {
			name, id string
			body     any
			status   int
			want     string
		}{
			{"an unknown event", hook.ID, object{"event": "item.sould"}, 422, "unknown_event event"},
			{"a family", hook.ID, object{"event": "item.*"}, 422, "unknown_event event"},
			{"everything", hook.ID, object{"event": "*"}, 422, "unknown_event event"},
			{"nothing", hook.ID, object{"event": ""}, 422, "unknown_event event"},
			{"a number", hook.ID, object{"event": 5}, 422, "invalid_type event"},
			{"a wrong member", hook.ID, object{"type": "item.sold"}, 422, "unknown_field type"},
			{"an unknown webhook", "wh_1", nil, 404, "webhook_not_found"},
			{"an unknown event of an unknown webhook", "wh_1", object{"event": "x"}, 422, "unknown_event event"},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + test.id + "/test", Body: test.body})
				if diff := cmp.Diff([]string{test.want}, got.Codes()); diff != "" || got.Status != test.status {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		if n := w.Count(t, "deliveries", "1 = 1"); n != 0 {
			t.Errorf("%d deliveries", n)
		}
	})
}
