package v1_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/delivery"
	"sellerd/internal/proof/servertest"
)

func TestTheOperatorFindsAccounts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, nickname := range []string{"berta_b", "bertaxb", "Éva"} {
			w.Seller(t, nickname)
		}
		berta := find(t, w, "?nickname=BERTA_B")
		if len(berta) != 1 {
			t.Fatalf("BERTA_B is %v", berta)
		}
		email := servertest.Into[object](t, w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + berta[0]}))["email"].(string)
		operate := func(status string) {
			patchAccount(t, w, "/operator/accounts/"+berta[0], object{"status": status})
		}
		operate("suspended")
		all := find(t, w, "")
		for query, want := range map[string][]string{
			"?email=" + strings.ToUpper(email):    berta,
			"?status=suspended":                   berta,
			"?status=active":                      {all[0], all[2], all[3]},
			"?nickname=berta_b&status=active":     {},
			"?nickname=berta":                     {},
			"?nickname=" + url.QueryEscape("Éva"): {all[3]},
			"?limit=1":                            all, // find reads all pages
			"?limit=4":                            all,
		} {
			if diff := cmp.Diff(want, find(t, w, query)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}
		for query, code := range map[string]string{"?status=gone": "invalid_parameter status", "?after=x": "invalid_cursor after", "?nick=anna": "unknown_parameter nick"} {
			if got := w.DoOperator(t, servertest.Request{Path: "/operator/accounts" + query}); got.Status != 422 || got.Codes()[0] != code {
				t.Errorf("%s: %d %s", query, got.Status, got.Body)
			}
		}
		operate("active")
	})
}

// find returns the ids of the accounts that a query lists on all of its pages.
func find(t *testing.T, w *servertest.World, query string) []string {
	t.Helper()
	ids := []string{}
	for path := "/operator/accounts" + query; path != ""; {
		page := servertest.Into[struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
			NextCursor *string `json:"next_cursor"`
		}](t, w.DoOperator(t, servertest.Request{Path: path}))
		for _, account := range page.Results {
			ids = append(ids, account.ID)
		}
		path = ""
		if page.NextCursor != nil {
			path = "/operator/accounts" + query + "&after=" + *page.NextCursor
		}
	}
	return ids
}

func TestTheOperatorSeesWhyWebhooksFail(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": receiver.URL})
		item := w.List(t, servertest.FixedPrice())
		w.DeliverOnce(t)
		receiver.AnswersStatus(http.StatusTeapot)
		sold := operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl()})
		w.DeliverOnce(t)
		got := servertest.Into[object](t, w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountID(w)}))
		test, live := got["test"].(object), got["live"].(object)
		hooks := test["webhooks"].([]any)
		if len(hooks) != 1 {
			t.Fatalf("the webhooks are %v", hooks)
		}
		seen := hooks[0].(object)
		failure := seen["last_failure"].(object)
		for _, place := range []struct {
			of      object
			instant string
		}{{seen, "failing_since"}, {seen, "last_success_at"}, {failure, "at"}, {failure, "next_attempt_at"}} {
			if place.of[place.instant] == nil {
				t.Errorf("%s is missing in %v", place.instant, seen)
			}
			delete(place.of, place.instant)
		}
		want := object{
			"id": hook.ID, "url": receiver.URL, "status": "active", "disabled_reason": nil, "waiting": 1.0,
			"last_failure": object{"event_type": "item.sold", "attempt": 1.0, "response_status": 418.0, "error": "http_status"},
			"last_error":   "http_status",
		}
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("the webhook (-want +got):\n%s", diff)
		}
		bill := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/bills/" + sold["bill_id"].(string)}))
		if diff := cmp.Diff(object{bill["status"].(string): 1.0}, test["bills"]); diff != "" {
			t.Errorf("the bills (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]any{1.0, 0.0}, []any{test["new_items_per_day"].(object)["used"], live["new_items_per_day"].(object)["used"]}); diff != "" {
			t.Errorf("new items of the day in test and live mode (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]any{[]any{}, object{}}, []any{live["webhooks"], live["bills"]}); diff != "" {
			t.Errorf("live mode (-want +got):\n%s", diff)
		}
	})
}

func TestTheOperatorSeesNoNextAttemptThatDoesNotCome(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": receiver.URL})
		receiver.AnswersStatus(http.StatusInternalServerError)
		w.List(t, servertest.FixedPrice())
		w.DeliverOnce(t)
		seen := func(when string, waiting float64, next bool) {
			t.Helper()
			account := servertest.Into[object](t, w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountID(w)}))
			got := account["test"].(object)["webhooks"].([]any)[0].(object)
			if at := got["last_failure"].(object)["next_attempt_at"]; got["waiting"] != waiting || (at != nil) != next {
				t.Errorf("%s, %v events wait, and the next attempt is at %v", when, got["waiting"], at)
			}
		}
		seen("after the failure", 1, true)
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		seen("while it is paused", 1, false)
		receiver.Answers(nil)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		w.DeliverOnce(t)
		seen("when it arrived before its time", 0, false)
		receiver.AnswersStatus(http.StatusInternalServerError)
		w.List(t, servertest.FixedPrice())
		w.DeliverOnce(t)
		w.Clock.Advance(10 * time.Second)
		seen("when it is late", 1, false)
		receiver.Answers(nil)
		w.DeliverOnce(t)
		seen("when it arrived", 0, false)
	})
}

// TestTheOperatorSeesWhyAWebhookFailsHard gives a webhook that has failed once a backlog of attempts that wait.
func TestTheOperatorSeesWhyAWebhookFailsHard(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		works, fails := servertest.NewReceiver(t), servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": works.URL})
		w.Subscribe(t, object{"url": fails.URL})
		fails.AnswersStatus(http.StatusTeapot)
		w.List(t, servertest.FixedPrice())
		w.DeliverOnce(t)
		err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			failed, err := tx.Delivery.Query().Where(delivery.Status("failed")).Only(ctx)
			if err != nil {
				return err
			}
			waiting := make([]*ent.DeliveryCreate, 150)
			for i := range waiting {
				at := failed.CreatedAt + int64(i) + 1
				waiting[i] = tx.Delivery.Create().SetID(failed.ID + int64(i) + 1000).SetOwner(failed.Owner).SetDispatchID(failed.DispatchID).SetWebhookID(failed.WebhookID).
					SetEventID(failed.EventID).SetEventType(failed.EventType).SetResourceID(failed.ResourceID).SetAttempt(1).SetTrigger("automatic").
					SetStatus("scheduled").SetURL(failed.URL).SetScheduledAt(at).SetCreatedAt(at)
			}
			return tx.Delivery.CreateBulk(waiting...).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		got := servertest.Into[object](t, w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountID(w)}))
		type hook struct {
			URL    string
			Error  any
			Failed bool
		}
		var seen []hook
		for _, one := range got["test"].(object)["webhooks"].([]any) {
			one := one.(object)
			seen = append(seen, hook{one["url"].(string), one["last_error"], one["last_failure"] != nil})
		}
		if diff := cmp.Diff([]hook{{fails.URL, "http_status", true}, {works.URL, nil, false}}, seen); diff != "" {
			t.Errorf("the webhooks, those that fail first (-want +got):\n%s", diff)
		}
	})
}

func TestTheOperatorReadsBeforeAChange(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		path := "/operator/accounts/" + accountID(w)
		read := w.DoOperator(t, servertest.Request{Path: path})
		change := servertest.Request{Method: http.MethodPatch, Path: path, Body: object{"status": "suspended"}, Header: map[string]string{"If-Match": read.Header.Get("ETag")}}
		if got := w.DoOperator(t, change); got.Status != 200 {
			t.Errorf("with the tag of the read: %d %s", got.Status, got.Body)
		}
		if got := w.DoOperator(t, change); got.Status != 412 {
			t.Errorf("again, after the change: %d %s", got.Status, got.Body)
		}
	})
}

func TestTheOperatorReadsKeys(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		listed := servertest.Into[struct {
			Results []object `json:"results"`
		}](t, w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + accountID(w) + "/keys"}))
		if len(listed.Results) != 2 {
			t.Fatalf("the keys are %+v", listed.Results)
		}
		for _, key := range listed.Results {
			answer := w.DoOperator(t, servertest.Request{Path: "/operator/keys/" + key["id"].(string)})
			if diff := cmp.Diff(key, servertest.Into[object](t, answer)); diff != "" {
				t.Errorf("the key (-listed +read):\n%s", diff)
			}
			if secret := strings.Split(w.Key, "_")[3]; strings.Contains(answer.Body, secret) {
				t.Error("the answer has the key's secret")
			}
		}
		for _, path := range []string{"/operator/accounts/99", "/operator/accounts/99/keys", "/operator/keys/abc"} {
			if got := w.DoOperator(t, servertest.Request{Path: path}); got.Status != 404 || got.Codes()[0] != "route_not_found" {
				t.Errorf("%s: %d %s", path, got.Status, got.Body)
			}
		}
	})
}
