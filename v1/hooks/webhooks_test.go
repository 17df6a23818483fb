package hooks_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

func TestTheLifeOfASubscription(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "https://example.com/hook", "description": "shop"}})
		hook := servertest.Into[servertest.Webhook](t, made)
		if hook.Secret == nil || !strings.HasPrefix(*hook.Secret, "whsec_") || len(*hook.Secret) != len("whsec_")+48 {
			t.Fatalf("secret: %s", made.Body)
		}
		description := "shop"
		want := servertest.Webhook{
			ID: hook.ID, URL: "https://example.com/hook", Events: []string{"*"}, Description: &description, Status: "active",
			Secret: hook.Secret, SecretHint: "whsec_…" + (*hook.Secret)[len(*hook.Secret)-4:],
			CreatedAt: hook.UpdatedAt, UpdatedAt: hook.UpdatedAt, // an owner's clock may be ahead by microseconds
		}
		if diff := cmp.Diff(want, hook); diff != "" || made.Status != 201 || !strings.HasPrefix(hook.CreatedAt, "2026-11-21T12:00:00") {
			t.Errorf("made with %d (-want +got):\n%s", made.Status, diff)
		}
		if got := made.Header.Get("Location"); got != "/v1/webhooks/"+hook.ID {
			t.Errorf("Location: %s", got)
		}

		want.Secret = nil
		if diff := cmp.Diff([]servertest.Webhook{want}, w.Webhooks(t)); diff != "" {
			t.Errorf("listed (-want +got):\n%s", diff)
		}

		w.Clock.Advance(time.Second)
		changed := w.PatchWebhook(t, hook.ID, object{
			"description": nil, "events": []string{"sale.cancelled", "item.sold"}, "status": "paused",
			"url": "https://example.com/other",
		})
		got := servertest.Into[servertest.Webhook](t, changed)
		want.Description, want.Events, want.Status, want.URL, want.UpdatedAt = nil, []string{"item.sold", "sale.cancelled"}, "paused",
			"https://example.com/other", got.UpdatedAt
		if diff := cmp.Diff(want, got); diff != "" || changed.Status != 200 || !strings.HasPrefix(got.UpdatedAt, "2026-11-21T12:00:01") {
			t.Errorf("changed with %d at %s (-want +got):\n%s", changed.Status, got.UpdatedAt, diff)
		}

		removed := w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID})
		if diff := cmp.Diff(fmt.Sprintf(`{"id":%q,"deleted":true}`, hook.ID), string(removed.Data)); diff != "" || removed.Status != 200 {
			t.Errorf("removed with %d (-want +got):\n%s", removed.Status, diff)
		}
		if left := w.Webhooks(t); len(left) != 0 {
			t.Errorf("left: %+v", left)
		}
		if got := w.PatchWebhook(t, hook.ID, object{"status": "active"}); got.Status != 404 || got.Codes()[0] != "webhook_not_found" {
			t.Errorf("changing what is removed: %d %v", got.Status, got.Codes())
		}
	})
}

// anyOrder compares lists as sets.
var anyOrder = cmpopts.SortSlices(strings.Compare)

func TestWhatIsWrongWithASubscriptionIsToldAtOnce(t *testing.T) {
	long, wide := "https://example.com/"+strings.Repeat("a", 2029), "https://example.com/"+strings.Repeat("é", 1200)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{"url": "https://example.com/hook"})
		for _, test := range []struct {
			name        string
			body        any
			made, patch []string // problems of POST and of PATCH
		}{
			{"an address is needed, once", object{"description": "shop"}, []string{"missing_field url"}, nil},
			{
				"null is as absent, but clears nothing that is needed",
				object{"url": nil, "events": nil, "status": nil, "rotate_secret": nil},
				[]string{"unknown_field rotate_secret", "missing_field url"},
				[]string{"missing_field url", "missing_field events", "missing_field status"},
			},
			{
				"everything together",
				object{"url": "ftp://example.com", "events": []string{"item.sold", "item.sould", "*.*"}, "description": "<b>x", "status": "disabled", "colour": 1},
				[]string{
					"unknown_field colour", "html_not_allowed description", "invalid_value status", "invalid_webhook_url url", "unknown_event events[1]",
					"unknown_event events[2]",
				},
				[]string{
					"unknown_field colour", "html_not_allowed description", "invalid_value status", "invalid_webhook_url url", "unknown_event events[1]",
					"unknown_event events[2]",
				},
			},
			{
				"wrong types",
				object{"url": 5, "events": "*", "description": []int{1}, "status": true},
				[]string{"invalid_type description", "invalid_type events", "invalid_type status", "invalid_type url"},
				[]string{"invalid_type description", "invalid_type events", "invalid_type status", "invalid_type url"},
			},
			{
				"wrong types in the list",
				object{"url": "https://example.com/2", "events": []any{"item.sold", 5, nil}},
				[]string{"invalid_type events[1]", "invalid_type events[2]"},
				[]string{"invalid_type events[1]", "invalid_type events[2]"},
			},
			{"no events", object{"url": "https://example.com/2", "events": []string{}}, []string{"too_short events"}, []string{"too_short events"}},
			{
				"too many events",
				object{"url": "https://example.com/2", "events": strings.Split(strings.Repeat("item.sold,", 50)+"item.sold", ",")},
				[]string{"too_long events"},
				[]string{"too_long events"},
			},
			{
				"too long a description",
				object{"url": "https://example.com/2", "description": strings.Repeat("d", 201)},
				[]string{"too_long description"},
				[]string{"too_long description"},
			},
			{"too long an address", object{"url": long}, []string{"invalid_webhook_url url"}, []string{"invalid_webhook_url url"}},
			{"an address of too many bytes", object{"url": wide}, []string{"invalid_webhook_url url"}, []string{"invalid_webhook_url url"}},
			{"a secret of one's own", object{"url": "https://example.com/2", "secret": "whsec_MDAwMA=="}, []string{"unknown_field secret"}, []string{"unknown_field secret"}},
			{"a list", `[]`, []string{"invalid_type"}, []string{"invalid_type"}},
			{"no JSON", `{`, []string{"malformed_json"}, []string{"malformed_json"}},
			{"nothing", object{}, []string{"missing_field url"}, []string{"empty_patch"}},
			{"a secret that stays", object{"rotate_secret": false}, []string{"unknown_field rotate_secret", "missing_field url"}, []string{"empty_patch"}},
			{"a secret of the wrong type", object{"rotate_secret": "yes"}, []string{"unknown_field rotate_secret", "missing_field url"}, []string{"invalid_type rotate_secret"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: test.body})
				if diff := cmp.Diff(test.made, made.Codes(), anyOrder); diff != "" {
					t.Errorf("POST %d (-want +got):\n%s", made.Status, diff)
				}
				if test.patch == nil {
					return
				}
				for _, id := range []string{hook.ID, "wh_1"} { // a wrong body is refused before a wrong id
					patched := w.PatchWebhook(t, id, test.body)
					if diff := cmp.Diff(test.patch, patched.Codes(), anyOrder); diff != "" {
						t.Errorf("PATCH %s %d (-want +got):\n%s", id, patched.Status, diff)
					}
				}
			})
		}
		if left := w.Webhooks(t); len(left) != 1 || left[0].UpdatedAt != hook.UpdatedAt {
			t.Errorf("something was done: %+v", left)
		}
	})
}

func TestTheLongestAddressFitsTheIndex(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var noise strings.Builder // which no database can make shorter
		for i := 0; noise.Len() < 2028; i++ {
			fmt.Fprintf(&noise, "%x", i*2654435761)
		}
		var all []string
		for _, e := range v1.EventTypes[1:] {
			all = append(all, e.Name)
		}
		w.Subscribe(t, object{"url": "https://example.com/" + noise.String()[:2028], "events": all})
	})
}

func TestEventsHaveANormalForm(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{"url": "https://example.com/hook"})
		for _, test := range []struct {
			name         string
			wanted, want []string
		}{
			{"names come in the order of the catalogue", []string{"payment.received", "item.sold", "item.published"}, []string{"item.published", "item.sold", "payment.received"}},
			{"what is named twice counts once", []string{"item.sold", "item.sold"}, []string{"item.sold"}},
			{"a family swallows its events", []string{"item.sold", "sale.cancelled", "item.*"}, []string{"item.*", "sale.cancelled"}},
			{"everything swallows the rest", []string{"item.sold", "item.*", "*"}, []string{"*"}},
			{"all families are not everything", []string{"sale.*", "payment.*", "item.*"}, []string{"item.*", "sale.*", "payment.*"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := servertest.Into[servertest.Webhook](t, w.PatchWebhook(t, hook.ID, object{"events": test.wanted}))
				if diff := cmp.Diff(test.want, got.Events); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestOnlyWantedEventsAreSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		want := map[string][]string{
			"*": {"item.published", "item.closed"}, "item.*": {"item.published", "item.closed"}, "item.closed": {"item.closed"}, "sale.*": nil, "payment.received": nil,
		}
		sinks := map[string]*servertest.Receiver{}
		for events := range want {
			sinks[events] = servertest.NewReceiver(t)
			w.Subscribe(t, object{"url": sinks[events].URL, "events": []string{events}})
		}
		item := w.List(t, servertest.FixedPrice())
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + item + "/close"})
		servertest.DeliverAll(t, w.Service)
		for events, s := range sinks {
			var got []string
			for _, a := range s.Take() {
				_, after, _ := strings.Cut(a.Body, `"type":"`)
				kind, _, _ := strings.Cut(after, `"`)
				got = append(got, kind)
			}
			if diff := cmp.Diff(want[events], got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", events, diff)
			}
		}
	})
}

func TestTheSameSubscriptionIsRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const at = "https://example.com/hook"
		first := w.Subscribe(t, object{"url": at, "events": []string{"item.sold", "sale.cancelled"}})
		other := w.Subscribe(t, object{"url": at, "events": []string{"item.sold"}})
		_, otherKey, _ := w.Seller(t, "bert")
		twin := object{"url": at, "events": []string{"sale.cancelled", "item.sold", "item.sold"}, "status": "paused"}
		for _, test := range []struct {
			name    string
			request servertest.Request
			want    int
		}{
			{"in another order", servertest.Request{Path: "/v1/webhooks", Body: twin}, 409},
			{"by a change of events", servertest.Request{Method: "PATCH", Path: "/v1/webhooks/" + other.ID, Body: object{"events": twin["events"]}}, 409},
			{"by a change to what it is already", servertest.Request{Method: "PATCH", Path: "/v1/webhooks/" + first.ID, Body: object{"events": twin["events"]}}, 200},
			{"in the other mode", servertest.Request{Path: "/v1/webhooks", Body: twin, Key: w.LiveKey}, 201},
			{"by another seller", servertest.Request{Path: "/v1/webhooks", Body: twin, Key: otherKey}, 201},
			{"at another address", servertest.Request{Path: "/v1/webhooks", Body: object{"url": at + "2", "events": twin["events"]}}, 201},
		} {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, test.request)
				if got.Status != test.want {
					t.Fatalf("%d %s", got.Status, got.Body)
				}
				if test.want == 409 {
					if diff := cmp.Diff([]any{"webhook_exists", map[string]any{"webhook_id": first.ID}}, []any{got.Errors[0].Code, got.Errors[0].Details}); diff != "" {
						t.Errorf("(-want +got):\n%s", diff)
					}
					if !strings.Contains(got.Errors[0].Message, "rotate_secret") {
						t.Errorf("who has lost the secret reads: %s", got.Errors[0].Message)
					}
				}
			})
		}
	})
}

func TestAnAccountHasAtMost20(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		outcomes := map[string]int{}
		for i := range 30 {
			wg.Go(func() {
				got := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": fmt.Sprintf("https://example.com/%d", i)}})
				mu.Lock()
				defer mu.Unlock()
				outcomes[strings.Join(append(got.Codes(), http.StatusText(got.Status)), " ")]++
			})
		}
		wg.Wait()
		if diff := cmp.Diff(map[string]int{"Created": 20, "webhook_limit_reached Conflict": 10}, outcomes); diff != "" {
			t.Errorf("30 at once (-want +got):\n%s", diff)
		}
		used := func() any {
			return servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account/limits"}))["webhooks"]
		}
		if diff := cmp.Diff(any(object{"limit": 20.0, "used": 20.0}), used()); diff != "" {
			t.Errorf("limits (-want +got):\n%s", diff)
		}
		list := w.Webhooks(t)
		if got := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": list[0].URL}}); got.Codes()[0] != "webhook_exists" {
			t.Errorf("the same again: %v", got.Codes())
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/webhooks", Key: w.LiveKey, Body: object{"url": "https://example.com/"}}); got.Status != 201 {
			t.Errorf("in the other mode: %d %s", got.Status, got.Body)
		}
		w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + list[0].ID})
		if diff := cmp.Diff(any(object{"limit": 20.0, "used": 19.0}), used()); diff != "" {
			t.Errorf("limits after one is removed (-want +got):\n%s", diff)
		}
		w.Subscribe(t, object{"url": "https://example.com/the-next"})
	})
}

func TestAChangeCanDependOnWhatWasRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "https://example.com/hook"}})
		path := made.Header.Get("Location")
		tag := made.Header.Get("ETag")
		send := func(method, tag string, body any) servertest.Response {
			return w.Do(t, servertest.Request{Method: method, Path: path, Body: body, Header: map[string]string{"If-Match": tag}})
		}
		changed := send("PATCH", tag, object{"description": "mine", "rotate_secret": true})
		if changed.Status != 200 || changed.Header.Get("ETag") == tag || changed.Header.Get("ETag") == "" {
			t.Errorf("with the tag of the answer that made it: %d, tag %s after %s", changed.Status, changed.Header.Get("ETag"), tag)
		}
		for _, method := range []string{"PATCH", "DELETE"} {
			var body any
			if method == "PATCH" {
				body = object{"description": "yours"}
			}
			if got := send(method, tag, body); got.Status != 412 || got.Codes()[0] != "precondition_failed If-Match" {
				t.Errorf("%s with an old tag: %d %v", method, got.Status, got.Codes())
			}
		}
		if got := send("PATCH", changed.Header.Get("ETag"), object{"description": "mine still"}); got.Status != 200 {
			t.Errorf("with the tag of a change: %d", got.Status)
		}
		if got := send("DELETE", "*", nil); got.Status != 200 {
			t.Errorf("with any tag: %d %s", got.Status, got.Body)
		}
	})
}

func TestASubscriptionOfSomebodyElseIsNone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		attempt := w.Deliveries(t, "")[0].ID
		_, otherKey, _ := w.Seller(t, "bert")
		for caller, key := range map[string]string{"the other mode": w.LiveKey, "another seller": otherKey} {
			for _, request := range []servertest.Request{
				{Method: "PATCH", Path: "/v1/webhooks/" + hook.ID, Body: object{"status": "paused"}},
				{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID},
				{Method: "POST", Path: "/v1/webhooks/" + hook.ID + "/test"},
				{Method: "POST", Path: "/v1/webhook-deliveries/" + attempt + "/redeliver"},
			} {
				request.Key = key
				got := w.Do(t, request)
				request.Path = strings.NewReplacer(hook.ID, "wh_1", attempt, "dlv_1").Replace(request.Path)
				missing := w.Do(t, request)
				if got.Status != 404 || got.Body != missing.Body {
					t.Errorf("%s of %s: %s, and of no webhook: %s", request.Path, caller, got.Body, missing.Body)
				}
			}
			for _, path := range []string{"/v1/webhooks", "/v1/webhook-deliveries", "/v1/webhook-deliveries?webhook_id=" + hook.ID} {
				if got := w.Do(t, servertest.Request{Path: path, Key: key}); string(got.Data) != `{"results":[],"next_cursor":null}` {
					t.Errorf("%s of %s: %s", path, caller, got.Body)
				}
			}
		}
	})
}

func TestADisabledSubscriptionIsRevived(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		s.AnswersStatus(http.StatusGone)
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		if now := w.Webhooks(t)[0]; now.Status != "disabled" || now.DisabledReason == nil || *now.DisabledReason != "gone" || now.FailingSince == nil ||
			len(s.Take()) != 1 {
			t.Fatalf("after 410: %+v", now)
		}
		s.AnswersStatus(http.StatusOK)
		revived := servertest.Into[servertest.Webhook](t, w.PatchWebhook(t, hook.ID, object{"status": "active"}))
		if revived.Status != "active" || revived.DisabledReason != nil || revived.FailingSince != nil {
			t.Errorf("revived: %+v", revived)
		}
		servertest.DeliverAll(t, w.Service)
		if got := s.Take(); len(got) != 2 {
			t.Errorf("%d events arrived instead of the one refused and the one held", len(got))
		}
	})
}
