package v1_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/permission"
)

// denials are the fields and the permissions of a refusal, "field permission", or the codes of another answer.
func denials(got servertest.Response) (list []string) {
	for _, e := range got.Errors {
		if e.Code != "permission_denied" {
			return got.Codes()
		}
		list = append(list, strings.TrimSpace(e.Field+" "+e.Details["permission"].(string)))
	}
	return list
}

func TestAKeySubscribesOnlyToWhatItMayRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, permission.WebhooksWrite)
		for _, test := range []struct {
			name   string
			may    permission.Set
			events any
			want   []string
		}{
			{"no events, which are all", 0, nil, []string{"events items:read", "events sales:read", "events bills:read"}},
			{"all events", permission.ItemsRead | permission.BillsRead, []string{"*"}, []string{"events[0] sales:read"}},
			{"a sold item, which carries the sale", permission.ItemsWrite, []string{"item.closed", "item.sold"}, []string{"events[1] sales:read"}},
			{"the family of items", permission.ItemsRead, []string{"item.*"}, []string{"events[0] sales:read"}},
			{"a rejected submission", permission.SalesRead, []string{"item.rejected"}, []string{"events[0] items:read"}},
			{"the family of sales", permission.ItemsRead, []string{"sale.*"}, []string{"events[0] sales:read"}},
			{"a payment", permission.SalesRead | permission.ItemsRead, []string{"payment.received", "item.sold"}, []string{"events[0] bills:read", "events[1] buyers:read"}},
			{"an unknown event is said first", 0, []string{"item.sold", "item.lost"}, []string{"unknown_event events[1]"}},
			{"items", permission.ItemsRead, []string{"item.closed", "item.rejected"}, nil},
			{"a sale without its buyer", permission.SalesRead, []string{"sale.cancelled"}, []string{"events[0] buyers:read"}},
			{"a sold item and a payment without their buyers", permission.Reads, []string{"item.closed", "payment.*", "item.sold"}, []string{"events[1] buyers:read", "events[2] buyers:read"}},
			{"everything but buyers", permission.Reads, []string{"*"}, []string{"events[0] buyers:read"}},
			{"everything but buyers, by default", permission.Reads, nil, []string{"events buyers:read"}},
			{"buyers without what they bought", permission.ItemsRead | permission.BuyersRead, []string{"item.*"}, []string{"events[0] sales:read"}},
			{"sales and items", permission.ItemsRead | permission.SalesRead | permission.BuyersRead, []string{"item.*", "sale.*"}, nil},
			{"everything", permission.Reads | permission.BuyersRead, []string{"*"}, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				w.Permit(t, key, permission.WebhooksWrite|test.may)
				body := object{"url": "http://127.0.0.1:9/hook"}
				if test.events != nil {
					body["events"] = test.events
				}
				before := w.Count(t, "webhooks", "true")
				got := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: body, Key: key})
				if diff := cmp.Diff(test.want, denials(got)); diff != "" {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
				if made := w.Count(t, "webhooks", "true") - before; (made == 1) != (test.want == nil) {
					t.Errorf("%d webhooks are made", made)
				}
			})
		}
	})
}

func TestARefusalSaysInWordsWhatElseIsMissing(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	key := w.LesserKey(t, permission.WebhooksWrite)
	for _, test := range []struct {
		may    permission.Set
		events []string
		want   string
	}{
		{0, []string{"*"}, "The key lacks the permissions bills:read and buyers:read."},
		{permission.ItemsRead, []string{"item.*"}, "The key lacks the permissions sales:read and buyers:read."},
		{permission.ItemsRead | permission.BuyersRead, []string{"item.*"}, "The key lacks the permission sales:read."},
		{permission.Reads, []string{"*"}, "The key lacks the permission buyers:read."},
		{permission.SalesRead, []string{"item.closed"}, "The key lacks the permission items:read."},
	} {
		w.Permit(t, key, permission.WebhooksWrite|test.may)
		got := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook", "events": test.events}, Key: key})
		if !strings.Contains(string(got.Body), test.want) {
			t.Errorf("%s: the answer does not say %q: %s", test.events, test.want, got.Body)
		}
	}
}

func TestEveryEventNeedsThePermissionsForWhatItCarries(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	key := w.LesserKey(t, permission.WebhooksWrite)
	of := map[string]permission.Set{
		"item": permission.ItemsRead, "submission": permission.ItemsRead, "previous": permission.ItemsRead, "sale": permission.SalesRead, "bill": permission.BillsRead,
	}
	for _, event := range v1.EventTypes {
		var want []string
		needed := permission.Set(0)
		for member := range strings.FieldsSeq(event.Data) {
			if of[member] == 0 {
				t.Fatalf("%s carries a %s: which permission does that need?", event.Name, member)
			}
			needed |= of[member]
		}
		for _, name := range needed.Names() {
			want = append(want, "events[0] "+name)
		}
		subscribed := func() []string {
			return denials(w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook", "events": []string{event.Name}}, Key: key}))
		}
		w.Permit(t, key, permission.WebhooksWrite)
		if diff := cmp.Diff(want, subscribed()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", event.Name, diff)
		}
		w.Permit(t, key, permission.WebhooksWrite|permission.Reads)
		want = nil
		if needed&(permission.SalesRead|permission.BillsRead) != 0 { // which show buyers
			want = []string{"events[0] buyers:read"}
		}
		if diff := cmp.Diff(want, subscribed()); diff != "" {
			t.Errorf("%s, by a key without buyers (-want +got):\n%s", event.Name, diff)
		}
	}
}

func TestAKeyChangesNoWebhookToBeSentWhatItMayNotRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook", "events": []string{"item.closed", "sale.*"}}})
		path := made.Header.Get("Location")
		key := w.LesserKey(t, permission.WebhooksWrite|permission.ItemsRead|permission.BuyersRead)
		patch := func(body object) servertest.Response {
			return w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: body, Key: key})
		}
		for _, test := range []struct {
			name  string
			patch object
			want  []string
		}{
			{"its address", object{"url": "http://127.0.0.1:9/elsewhere"}, []string{"url sales:read"}},
			{"its events to more", object{"events": []string{"payment.received", "item.closed", "sale.*"}}, []string{"events[0] bills:read", "events[2] sales:read"}},
			{"its address and events, to all", object{"url": "http://127.0.0.1:9/elsewhere", "events": []string{"*"}}, []string{"events[0] sales:read", "events[0] bills:read"}},
			{"its status to paused", object{"status": "paused"}, nil},
			{"its status back to active", object{"status": "active"}, []string{"status sales:read"}},
			{"its description", object{"description": "orders"}, nil},
			{"nothing, by what it was", object{"url": "http://127.0.0.1:9/hook", "events": []string{"sale.*", "item.closed"}, "description": "all"}, nil},
			{"its events to what the key may read", object{"events": []string{"item.closed", "item.unsold"}}, nil},
			{"its status to active, with those", object{"status": "active"}, nil},
			{"its address, with those", object{"url": "http://127.0.0.1:9/elsewhere"}, nil},
		} {
			t.Run(test.name, func(t *testing.T) {
				before := w.Dump(t, []string{"webhooks"})
				got := patch(test.patch)
				if diff := cmp.Diff(test.want, denials(got)); diff != "" || (got.Status == http.StatusOK) != (test.want == nil) {
					t.Errorf("%d %s (-want +got):\n%s", got.Status, got.Body, diff)
				}
				if test.want != nil {
					if diff := cmp.Diff(before, w.Dump(t, []string{"webhooks"})); diff != "" {
						t.Errorf("the webhook (-before +after):\n%s", diff)
					}
				}
			})
		}
	})
}

// TestAKeyWithoutBuyersOnlyDescribesAndPausesAWebhookThatSendsThem has a key that lacks nothing else.
func TestAKeyWithoutBuyersOnlyDescribesAndPausesAWebhookThatSendsThem(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook", "events": []string{"item.*"}}})
		path := made.Header.Get("Location")
		simulate[object](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", nil) // item.sold waits
		key := w.LesserKey(t, permission.All&^permission.BuyersRead)
		asked := func(method, path string, body object) servertest.Response {
			return w.Do(t, servertest.Request{Method: method, Path: path, Body: body, Key: key})
		}
		for _, test := range []struct {
			name  string
			patch object
			want  []string
		}{
			{"its address", object{"url": "http://127.0.0.1:9/elsewhere"}, []string{"url buyers:read"}},
			{"its events to others with buyers", object{"events": []string{"item.sold"}}, []string{"events buyers:read"}},
			{"its events to such without", object{"events": []string{"item.closed"}}, []string{"events buyers:read"}},
			{"its secret", object{"rotate_secret": true}, []string{"rotate_secret buyers:read"}},
			{"its description", object{"description": "orders"}, nil},
			{"its status to paused", object{"status": "paused"}, nil},
			{"its status back to active", object{"status": "active"}, []string{"status buyers:read"}},
			{"nothing, by what it was", object{"url": "http://127.0.0.1:9/hook", "events": []string{"item.*"}, "rotate_secret": false, "description": "all"}, nil},
			{"one thing that it may and one that it may not", object{"description": "mine", "url": "http://127.0.0.1:9/elsewhere"}, []string{"url buyers:read"}},
		} {
			t.Run(test.name, func(t *testing.T) {
				before := w.Dump(t, []string{"webhooks"})
				got := asked("PATCH", path, test.patch)
				if diff := cmp.Diff(test.want, denials(got)); diff != "" || (got.Status == http.StatusOK) != (test.want == nil) {
					t.Errorf("%d %s (-want +got):\n%s", got.Status, got.Body, diff)
				}
				if test.want != nil {
					if diff := cmp.Diff(before, w.Dump(t, []string{"webhooks"})); diff != "" {
						t.Errorf("the webhook (-before +after):\n%s", diff)
					}
				}
			})
		}
		if diff := cmp.Diff([]string{"buyers:read"}, denials(asked("POST", path+"/recover", object{"since": servertest.Start}))); diff != "" {
			t.Errorf("recover (-want +got):\n%s", diff)
		}
		if got := asked("POST", path+"/test", nil); got.Status != http.StatusAccepted {
			t.Errorf("a sample: %d %s", got.Status, got.Body)
		}

		seller := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: object{"events": []string{"item.closed"}}})
		if seller.Status != http.StatusOK {
			t.Fatalf("the seller: %d %s", seller.Status, seller.Body)
		}
		for field, body := range map[string]object{"url": {"url": "http://127.0.0.1:9/elsewhere"}, "status": {"status": "active"}} {
			if diff := cmp.Diff([]string{field + " buyers:read"}, denials(asked("PATCH", path, body))); diff != "" {
				t.Errorf("its %s while item.sold waits (-want +got):\n%s", field, diff)
			}
		}
		if diff := cmp.Diff([]string{"events[0] buyers:read"}, denials(asked("PATCH", path, object{"events": []string{"item.sold"}}))); diff != "" {
			t.Errorf("its events to such with buyers (-want +got):\n%s", diff)
		}
		if got := asked("DELETE", path, nil); got.Status != http.StatusOK {
			t.Errorf("delete: %d %s", got.Status, got.Body)
		}
	})
}

// A key without buyers:read could give a webhook its own address while the webhook is sent no buyers, and wait until its owner wants them again.
func TestAKeyWithoutBuyersTakesNoWebhookOver(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook"}})
		path := made.Header.Get("Location")
		key := w.LesserKey(t, permission.WebhooksWrite|permission.ItemsRead)
		for field, body := range map[string]object{
			"events": {"events": []string{"item.published"}}, "url": {"url": "http://127.0.0.1:9/thief"}, "rotate_secret": {"rotate_secret": true},
		} {
			got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: body, Key: key})
			if diff := cmp.Diff([]string{field + " sales:read", field + " bills:read"}, denials(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", field, diff)
			}
		}
		if got := w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: object{"description": "orders", "status": "paused"}, Key: key}); got.Status != http.StatusOK {
			t.Errorf("description and pause: %d %s", got.Status, got.Body)
		}
	})
}

// What waits for a webhook is sent to the address that it has then, and what waits may be of events to which it does not
// subscribe any more.
func TestAKeyDoesNotRedirectEventsThatWait(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://127.0.0.1:9/hook", "events": []string{"*"}, "status": "paused"}})
		path := made.Header.Get("Location")
		simulate[object](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", nil) // item.sold waits
		key := w.LesserKey(t, permission.WebhooksWrite|permission.ItemsRead|permission.BuyersRead)
		patch := func(key string, body object) []string {
			return denials(w.Do(t, servertest.Request{Method: "PATCH", Path: path, Body: body, Key: key}))
		}
		all := object{"events": []string{"item.updated"}, "url": "http://127.0.0.1:9/elsewhere", "status": "active"}
		if diff := cmp.Diff([]string{"url items:read", "url sales:read", "url bills:read"}, patch(w.LesserKey(t, permission.WebhooksWrite|permission.AccountRead), object{"url": "http://127.0.0.1:9/elsewhere"})); diff != "" {
			t.Errorf("a key that may read nothing (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"url sales:read", "url bills:read"}, patch(key, all)); diff != "" {
			t.Errorf("all at once (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string(nil), patch(key, object{"events": []string{"item.updated"}})); diff != "" {
			t.Fatalf("fewer events (-want +got):\n%s", diff)
		}
		for field, body := range map[string]object{"url": {"url": "http://127.0.0.1:9/elsewhere"}, "status": {"status": "active"}} {
			if diff := cmp.Diff([]string{field + " sales:read"}, patch(key, body)); diff != "" {
				t.Errorf("then its %s (-want +got):\n%s", field, diff)
			}
		}
		if diff := cmp.Diff([]string(nil), patch("", object{"status": "active"})); diff != "" {
			t.Errorf("the seller (-want +got):\n%s", diff)
		}
	})
}

// delivered is the part of a delivery that tests of permissions read.
type delivered struct {
	ID          string  `json:"id"`
	EventType   string  `json:"event_type"`
	RequestBody *string `json:"request_body"`

	RequestHeaders map[string]string `json:"request_headers"`
}

func TestTheLogOfDeliveriesHidesWhatAKeyMayNotRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
		t.Cleanup(receiver.Close)
		hook := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": receiver.URL}})
		simulate[simulatedSale](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", nil)
		for {
			n, err := w.Service.DeliverOnce(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		sample := w.Do(t, servertest.Request{Method: "POST", Path: hook.Header.Get("Location") + "/test", Body: object{"event": "item.sold"}})
		if sample.Status != http.StatusAccepted {
			t.Fatalf("test: %d %s", sample.Status, sample.Body)
		}
		key := w.LesserKey(t, permission.WebhooksWrite|permission.ItemsRead)
		list := servertest.Into[struct {
			Results []delivered `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries", Key: key})).Results
		shown, ids := map[string]bool{}, map[string]string{}
		for _, d := range list {
			name := d.EventType
			if d.ID == servertest.Into[delivered](t, sample).ID {
				name = "sample of " + name
			}
			shown[name], ids[name] = d.RequestBody != nil, d.ID
			// With the secret, the signature would tell which guess at a hidden body is right.
			if signature := d.RequestHeaders["webhook-signature"]; d.RequestBody == nil && signature != "v1,hidden" {
				t.Errorf("the signature of %s is %q", name, signature)
			}
		}
		if diff := cmp.Diff(map[string]bool{"item.published": true, "item.sold": false, "sample of item.sold": true}, shown); diff != "" {
			t.Errorf("whose bodies are shown (-want +got):\n%s", diff)
		}

		again := func(key, name string) servertest.Response {
			return w.Do(t, servertest.Request{
				Method: "POST", Path: "/v1/webhook-deliveries/" + ids[name] + "/redeliver", Key: key, Header: map[string]string{"Idempotency-Key": "again-" + ids[name]},
			})
		}
		before := w.Count(t, "deliveries", "true")
		if diff := cmp.Diff([]string{"sales:read"}, denials(again(key, "item.sold"))); diff != "" {
			t.Errorf("redeliver (-want +got):\n%s", diff)
		}
		if got := w.Count(t, "deliveries", "true") - before; got != 0 {
			t.Errorf("%d deliveries are made", got)
		}
		for _, name := range []string{"item.published", "sample of item.sold"} {
			if got := again(key, name); got.Status != http.StatusAccepted {
				t.Errorf("redeliver %s: %d %s", name, got.Status, got.Body)
			}
		}

		t.Run("also in the stored answer to another key", func(t *testing.T) {
			if got := again(w.Key, "item.sold"); got.Status != http.StatusAccepted || got.Header.Get("Idempotent-Replayed") != "" {
				t.Fatalf("redeliver: %d %s", got.Status, got.Body)
			}
			if got := again(w.Key, "item.sold"); got.Status != http.StatusAccepted || got.Header.Get("Idempotent-Replayed") != "true" {
				t.Fatalf("redeliver again: %d %s", got.Status, got.Body)
			}
			if diff := cmp.Diff([]string{"sales:read"}, denials(again(key, "item.sold"))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
}

func TestTheStoredSecretOfAWebhookNeedsThePermissionsOfItsEvents(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		create := func(key string) servertest.Response {
			return w.Do(t, servertest.Request{
				Path: "/v1/webhooks", Key: key, Header: map[string]string{"Idempotency-Key": "subscribe"}, Body: object{"url": "http://127.0.0.1:9/hook", "events": []string{"sale.*"}},
			})
		}
		if got := create(w.Key); got.Status != http.StatusCreated {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		key := w.LesserKey(t, permission.WebhooksWrite)
		if got := create(key); got.Status != http.StatusForbidden || strings.Contains(got.Body, "whsec_") {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		w.Permit(t, key, permission.WebhooksWrite|permission.SalesRead)
		if got := create(key); got.Status != http.StatusForbidden || strings.Contains(got.Body, "whsec_") {
			t.Errorf("without buyers: %d %s", got.Status, got.Body)
		}
		w.Permit(t, key, permission.WebhooksWrite|permission.SalesRead|permission.BuyersRead)
		if got := create(key); got.Status != http.StatusCreated || got.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d %s", got.Status, got.Body)
		}
	})
}
