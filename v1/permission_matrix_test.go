package v1_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/hooks"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/trade"
)

// anyID stands for the ids in the path of an operation.
var anyID = regexp.MustCompile(`\{[a-z_]+\}`)

// requestFor is a request that an operation follows, on objects made for it. It needs nothing but the operation's permission
// and those returned beside it.
func requestFor(t *testing.T, w *servertest.World, o *v1.Operation) (request servertest.Request, also permission.Set) {
	t.Helper()
	located := func(path string, body any) string {
		t.Helper()
		got := w.Do(t, servertest.Request{Path: path, Body: body})
		if got.Status >= 300 {
			t.Fatalf("POST %s: %d %s", path, got.Status, got.Body)
		}
		return got.Header.Get("Location")
	}
	last := func(path string) string { return path[strings.LastIndexByte(path, '/')+1:] }
	item := func() string { return w.List(t, servertest.FixedPrice()) }
	sale := func() simulatedSale { return simulate[simulatedSale](t, w, "/items/"+item()+"/purchase", nil) }
	bill := func(steps ...string) string {
		id := sale().BillID
		for _, step := range steps {
			simulate[object](t, w, "/bills/"+id+"/"+step, nil)
		}
		return id
	}
	tracking := object{"delivery_service_id": "106", "number": "none"}
	webhook := func() string {
		return last(located("/v1/webhooks", object{"url": "http://127.0.0.1:9/" + o.Name, "status": "paused"}))
	}

	var ids []string
	switch o {
	case v1.SubmitItem.Operation:
		request.Body = servertest.FixedPrice()
	case v1.GetSubmission.Operation:
		ids = []string{last(located("/v1/items", servertest.FixedPrice()))}
	case v1.SubmitBatch.Operation:
		request.Body = object{"items": []any{servertest.FixedPrice()}}
	case v1.GetBatch.Operation:
		ids = []string{last(located("/v1/item-batches", object{"items": []any{servertest.FixedPrice()}}))}
	case v1.GetItem.Operation, v1.CloseItem.Operation, trade.SimulatePurchase.Operation, v1.SimulateEnd.Operation:
		ids = []string{item()}
	case v1.UpdateItem.Operation:
		ids, request.Body = []string{item()}, object{"title": "Changed"}
	case v1.RestartItem.Operation:
		id := item()
		w.Do(t, servertest.Request{Method: "POST", Path: "/v1/items/" + id + "/close"})
		ids = []string{id}
	case trade.GetSale.Operation, trade.SimulateCancellation.Operation:
		ids = []string{sale().ID}
	case v1.RateBuyer.Operation:
		ids, request.Body = []string{sale().ID}, object{"score": 100}
	case trade.GetRating.Operation, trade.ReviseRating.Operation:
		id := sale().ID
		located("/v1/sales/"+id+"/rating", object{"score": 100})
		ids = []string{id}
		if o == trade.ReviseRating.Operation {
			request.Body = object{"score": 75}
		}
	case trade.GetBill.Operation, trade.BrowseTrackings.Operation, trade.SimulateInvoice.Operation:
		ids = []string{bill()}
	case trade.AddTracking.Operation:
		ids, request.Body = []string{bill()}, tracking
	case trade.GetTracking.Operation, trade.UpdateTracking.Operation, trade.RemoveTracking.Operation:
		id := bill()
		ids = []string{id, last(located("/v1/bills/"+id+"/trackings", tracking))}
		if o == trade.UpdateTracking.Operation {
			request.Body = object{"note": "changed"}
		}
	case v1.MarkBillSent.Operation:
		ids = []string{bill("invoice", "pay")}
	case trade.SimulatePayment.Operation:
		ids = []string{bill("invoice")}
	case v1.CreateWebhook.Operation: // whose events the key has to be able to read
		request.Body, also = object{"url": "http://127.0.0.1:9/events", "events": []string{"item.closed"}, "status": "paused"}, permission.ItemsRead
	case v1.UpdateWebhook.Operation:
		ids, request.Body = []string{webhook()}, object{"description": "changed"}
	case v1.DeleteWebhook.Operation, v1.TestWebhook.Operation, hooks.GetWebhook.Operation:
		ids = []string{webhook()}
	case v1.CreateLegacyDrill.Operation:
		request.Body = anyDrill(w)
	case v1.GetLegacyDrill.Operation, v1.DeleteLegacyDrill.Operation:
		ids = []string{schedule(t, w, anyDrill(w))}
	case hooks.RecoverEvents.Operation: // of a webhook whose events the key has to be able to read
		ids, request.Body, also = []string{webhook()}, object{"since": servertest.Start}, permission.Reads|permission.BuyersRead
	case items.ChangeItems.Operation:
		request.Body = object{"changes": []any{object{"item_id": item(), "patch": object{"title": "Changed"}}}}
	case hooks.BrowseEvents.Operation: // whose events the key has to be able to read
		request.Path, also = "/v1/events?type=item.published", permission.ItemsRead
	case hooks.GetEvent.Operation: // the same
		item()
		ids = []string{servertest.Into[struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/events?type=item.published"})).Results[0].ID}
		also = permission.ItemsRead
	case hooks.GetDelivery.Operation, hooks.Redeliver.Operation: // of a sample, which every key may read
		sent := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + webhook() + "/test"})
		ids = []string{servertest.Into[struct {
			ID string `json:"id"`
		}](t, sent).ID}
	case trade.SimulateBid.Operation:
		ids, request.Body = []string{w.List(t, servertest.Auction())}, object{"amount": object{"amount": "12.00", "currency": "EUR"}}
	default:
		if strings.Contains(o.Pattern, "{") {
			t.Fatalf("the test has no request for %s", o.Name)
		}
	}
	request.Method = o.Method
	if request.Path != "" {
		return request, also
	}
	request.Path = anyID.ReplaceAllStringFunc(o.Pattern, func(string) string {
		id := ids[0]
		ids = ids[1:]
		return id
	})
	return request, also
}

// without is every permission but one, and but that to write what it reads.
func without(one permission.Set) permission.Set {
	return permission.All &^ one &^ (one & permission.Reads << 1)
}

func TestEveryOperationRefusesAKeyWithoutItsPermission(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, permission.Reads)
		for _, o := range v1.Operations {
			t.Run(o.Name, func(t *testing.T) {
				w.Permit(t, key, without(o.Needs))
				refused := servertest.Request{Method: o.Method, Path: anyID.ReplaceAllString(o.Pattern, "1"), Key: key}
				if o.Method != http.MethodGet {
					refused.Body = "{" // it is not read
				}
				got := w.Do(t, refused)
				if o.Needs == 0 {
					if got.Status != o.Status {
						t.Errorf("without any permission: %d %s", got.Status, got.Body)
					}
					return
				}
				if diff := cmp.Diff([]string{"permission_denied"}, got.Codes()); diff != "" || got.Status != http.StatusForbidden {
					t.Fatalf("without %s: %d (-want +got):\n%s", o.Needs, got.Status, diff)
				}
				if diff := cmp.Diff(map[string]any{"permission": o.Needs.String()}, got.Errors[0].Details); diff != "" {
					t.Errorf("details (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func TestEveryOperationFollowsAKeyWithNothingButItsPermission(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.LesserKey(t, permission.Reads)
		for _, o := range v1.Operations {
			t.Run(o.Name, func(t *testing.T) {
				request, also := requestFor(t, w, o)
				request.Key = key
				if o.OnKey { // and ends it
					request.Key = w.LesserKey(t, permission.Reads)
				}
				w.Permit(t, request.Key, o.Needs|also)
				if got := w.Do(t, request); got.Status != o.Status {
					t.Errorf("with %s: %d %s", o.Needs|also, got.Status, got.Body)
				}
			})
		}
	})
}

// tablesButCounters are all tables without those that count requests.
func tablesButCounters() []string {
	return slices.DeleteFunc(servertest.Tables(), func(name string) bool { return name == "rate_windows" })
}

func TestAKeyThatOnlyReadsChangesNoRow(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		requests := map[string]servertest.Request{}
		for _, o := range v1.Operations {
			requests[o.Name], _ = requestFor(t, w, o)
		}
		tables := tablesButCounters()
		for _, name := range []string{"items", "sales", "bills", "webhooks", "events", "api_keys"} {
			if !slices.Contains(tables, name) {
				t.Fatalf("%s is not among the tables %q", name, tables)
			}
		}
		key := w.LesserKey(t, permission.Reads)
		before := w.Dump(t, tables, "api_keys.last_used_at")
		for _, o := range v1.Operations {
			request := requests[o.Name]
			request.Key = key
			request.Header = map[string]string{"Idempotency-Key": "read-only-" + o.Name}
			if o.Method == http.MethodGet {
				request.Header = nil
			}
			want := http.StatusForbidden
			if o.Method == http.MethodGet {
				want = o.Status
			}
			if got := w.Do(t, request); got.Status != want {
				t.Errorf("%s: %d %s", o.Name, got.Status, got.Body)
			}
		}
		if _, err := w.Service.TouchKeysOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, w.Dump(t, tables, "api_keys.last_used_at")); diff != "" {
			t.Errorf("the database (-before +after):\n%s", diff)
		}
	}, func(c *v1.Config) { c.RateLimit = 100_000 })
}
