package v1_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// simulate plays the marketplace and returns what came of it. A nil body is no body.
func simulate[T any](t *testing.T, w *servertest.World, path string, body any) T {
	t.Helper()
	got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test" + path, Body: body})
	if got.Status != http.StatusOK {
		t.Fatalf("POST /v1/test%s: %d %s", path, got.Status, got.Body)
	}
	return servertest.Into[T](t, got)
}

type simulatedItem struct {
	Status       string `json:"status"`
	BidCount     int    `json:"bid_count"`
	CurrentPrice struct {
		Amount string `json:"amount"`
	} `json:"current_price"`
}

type simulatedSale struct {
	ID           string `json:"id"`
	BillID       string `json:"bill_id"`
	Status       string `json:"status"`
	Quantity     int    `json:"quantity"`
	Cancellation struct {
		Status string  `json:"status"`
		Reason *string `json:"reason"`
	} `json:"cancellation"`
	Buyer           simulatedBuyer     `json:"buyer"`
	ShippingAddress map[string]*string `json:"shipping_address"`
}

type simulatedBuyer struct {
	ID        string  `json:"id"`
	Nickname  string  `json:"nickname"`
	Email     *string `json:"email"`
	FirstName *string `json:"first_name"`
	LastName  *string `json:"last_name"`
	Language  string  `json:"language"`
	Country   string  `json:"country"`
	Phone     *string `json:"phone"`
}

type simulatedBill struct {
	Status       string            `json:"status"`
	ShippingCost map[string]string `json:"shipping_cost"`
	Payment      struct {
		Status string `json:"status"`
	} `json:"payment"`
}

func TestAWalkThroughTheSandboxNeedsNoBody(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(map[string]any{"quantity": 3}))
		first := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", nil)
		second := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", map[string]any{"quantity": 2})
		bill := simulate[simulatedBill](t, w, "/bills/"+first.BillID+"/invoice", nil)
		paid := simulate[simulatedBill](t, w, "/bills/"+first.BillID+"/pay", nil)
		cancelled := simulate[simulatedSale](t, w, "/sales/"+second.ID+"/cancel", nil)

		if first.BillID != second.BillID || first.Buyer.ID != second.Buyer.ID {
			t.Errorf("two purchases of one item are on the bills %s and %s of the buyers %s and %s", first.BillID, second.BillID, first.Buyer.ID, second.Buyer.ID)
		}
		got := []string{bill.Status, bill.ShippingCost["amount"], paid.Status, paid.Payment.Status, cancelled.Status, cancelled.Cancellation.Status}
		want := []string{"awaiting_payment", "5.00", "to_send", "received", "cancelled", "cancelled"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("walk (-want +got):\n%s", diff)
		}
	})
}

// TestATestItemDoesNotLinkToTheMarketplace, which does not show it. A live item does.
func TestATestItemDoesNotLinkToTheMarketplace(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, mode := range []struct{ name, key, want string }{
			{"test", w.Key, w.Config.BaseURL + "/item/"}, {"live", w.LiveKey, w.Config.SiteURL + "/item/"},
		} {
			submitted := w.Do(t, servertest.Request{Path: "/v1/items", Key: mode.key, Body: servertest.FixedPrice()})
			w.Publish(t)
			submission := servertest.Into[object](t, w.Do(t, servertest.Request{Path: submitted.Header.Get("Location"), Key: mode.key}))
			id := submission["item_id"].(string)
			item := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/items/" + id, Key: mode.key}))
			if diff := cmp.Diff([]any{mode.want + id, mode.want + id}, []any{submission["item_url"], item["url"]}); diff != "" {
				t.Errorf("in %s mode (-want +got):\n%s", mode.name, diff)
			}
		}
		item := w.List(t, servertest.FixedPrice())
		sale := simulate[object](t, w, "/items/"+item+"/purchase", nil)
		if diff := cmp.Diff(any(w.Config.BaseURL+"/item/"+item), sale["item"].(object)["url"]); diff != "" {
			t.Errorf("in a sale (-want +got):\n%s", diff)
		}
		page := httptest.NewRecorder()
		w.Server.Public.ServeHTTP(page, httptest.NewRequest(http.MethodGet, "/item/"+item, nil))
		if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), "Buyers do not see test items") {
			t.Errorf("its page: %d %s", page.Code, page.Body)
		}
	})
}

var ignoreID = cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "ID" }, cmp.Ignore())

func TestWhatTheSandboxRefuses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		fixed, auction := w.List(t, servertest.FixedPrice()), w.List(t, servertest.Auction())
		_, otherKey, _ := w.Seller(t, "bert")
		bought := simulate[simulatedSale](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", nil)
		type named = map[string]any
		tests := []struct {
			name, path string
			body       any
			status     int
			want       []string
		}{
			{"an item that is not there", "/items/1/bids", nil, 404, []string{"item_not_found"}},
			{"a purchase of an item that is not there", "/items/1/purchase", nil, 404, []string{"item_not_found"}},
			{"a purchase of a negative item", "/items/-1/purchase", nil, 404, []string{"item_not_found"}},
			{"a bid on a fixed price", "/items/" + fixed + "/bids", nil, 409, []string{"item_not_open"}},
			{"a purchase of an auction", "/items/" + auction + "/purchase", nil, 409, []string{"item_not_open"}},
			{"a bid that is too low", "/items/" + auction + "/bids", named{"amount": named{"amount": "0.01", "currency": "EUR"}}, 422, []string{"out_of_range amount"}},
			{"more than there are", "/items/" + fixed + "/purchase", named{"quantity": 2}, 422, []string{"out_of_range quantity"}},
			{
				"everything that is wrong at once", "/items/" + fixed + "/purchase",
				named{"quantity": 0, "buyer": named{"nickname": "x", "country": "XX"}, "colour": "red"},
				422,
				[]string{"unknown_field colour", "invalid_value buyer.country", "out_of_range quantity"},
			},
			{"a buyer without a name", "/items/" + fixed + "/purchase", named{"buyer": named{"country": "FR"}}, 422, []string{"missing_field buyer.nickname"}},
			{
				"a buyer with two names", "/items/" + fixed + "/purchase",
				named{"buyer": named{"id": bought.Buyer.ID, "nickname": "x"}},
				422,
				[]string{"conflicting_fields buyer.nickname"},
			},
			{"a payment before the invoice", "/bills/" + bought.BillID + "/pay", nil, 422, []string{"invalid_value status"}},
			{
				"shipping in another currency", "/bills/" + bought.BillID + "/invoice",
				named{"shipping_cost": named{"amount": "1.00", "currency": "USD"}},
				422,
				[]string{"currency_mismatch shipping_cost.currency"},
			},
			{"an unknown decision", "/sales/" + bought.ID + "/cancel", named{"decision": "maybe"}, 422, []string{"invalid_value decision"}},
			{"a refusal without a request", "/sales/" + bought.ID + "/cancel", named{"decision": "refuse"}, 422, []string{"invalid_value decision"}},
		}
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test" + test.path, Body: test.body})
				if diff := cmp.Diff(test.want, got.Codes()); diff != "" || got.Status != test.status {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
			})
		}
		t.Run("live keys", func(t *testing.T) {
			for _, path := range []string{"/items/1/bids", "/items/1/purchase", "/items/1/end", "/bills/1/invoice", "/bills/1/pay", "/sales/1/cancel"} {
				got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test" + path, Key: w.LiveKey})
				if diff := cmp.Diff([]string{"test_key_only"}, got.Codes()); diff != "" || got.Status != 403 {
					t.Errorf("%s: %d (-want +got):\n%s", path, got.Status, diff)
				}
			}
		})
		t.Run("another seller's item, bill, sale and buyer", func(t *testing.T) {
			got := map[string][]string{}
			for _, path := range []string{
				"/items/" + fixed + "/purchase", "/items/" + auction + "/bids", "/items/" + fixed + "/end", "/bills/" + bought.BillID + "/invoice",
				"/sales/" + bought.ID + "/cancel",
			} {
				got[path] = w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test" + path, Key: otherKey}).Codes()
			}
			theirs := w.Do(t, servertest.Request{Path: "/v1/items", Key: otherKey, Body: servertest.FixedPrice()})
			w.Publish(t)
			own := servertest.Into[submissionView](t, w.Do(t, servertest.Request{Path: theirs.Header.Get("Location"), Key: otherKey})).ItemID
			got["buyer"] = w.Do(t, servertest.Request{Path: "/v1/test/items/" + *own + "/purchase", Key: otherKey, Body: named{"buyer": named{"id": bought.Buyer.ID}}}).Codes()
			want := map[string][]string{
				"/items/" + fixed + "/purchase": {"item_not_found"}, "/items/" + auction + "/bids": {"item_not_found"}, "/items/" + fixed + "/end": {"item_not_found"},
				"/bills/" + bought.BillID + "/invoice": {"bill_not_found"}, "/sales/" + bought.ID + "/cancel": {"sale_not_found"},
				"buyer": {"invalid_value buyer.id"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answers (-want +got):\n%s", diff)
			}
		})
	})
}

func TestACancellationCanBeTalkedAbout(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sale := simulate[simulatedSale](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", nil)
		var got []string
		for _, step := range []map[string]any{{"decision": "request", "reason": "Bought twice"}, {"decision": "refuse"}, {"decision": "request"}, {}} {
			now := simulate[simulatedSale](t, w, "/sales/"+sale.ID+"/cancel", step)
			got = append(got, now.Cancellation.Status+" "+now.Status)
		}
		want := []string{"requested active", "refused active", "requested active", "cancelled cancelled"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("steps (-want +got):\n%s", diff)
		}
	})
}

func TestSimulatedBidsAtOnceAreAllPlaced(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.Auction())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/items/" + item + "/bids"}); got.Status != 200 {
					t.Errorf("%d %s", got.Status, got.Body)
				}
			})
		}
		wg.Wait()
		if got := servertest.Into[simulatedItem](t, w.Do(t, servertest.Request{Path: "/v1/items/" + item})); got.BidCount != 8 {
			t.Errorf("%d bids", got.BidCount)
		}
	})
}

func TestARepeatedSimulationIsDoneOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(map[string]any{"quantity": 2}))
		for _, replayed := range []string{"", "true"} {
			got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/items/" + item + "/purchase", Header: map[string]string{"Idempotency-Key": "k"}})
			if got.Status != 200 || got.Header.Get("Idempotent-Replayed") != replayed {
				t.Errorf("%d, replayed %q", got.Status, got.Header.Get("Idempotent-Replayed"))
			}
		}
		if n := w.Count(t, "sales", "item_id = "+item); n != 1 {
			t.Errorf("%d sales", n)
		}
	})
}

func TestTheSandboxIsDocumentedAsItIs(t *testing.T) {
	var text []byte
	for _, page := range []string{"../docs/seller/sandbox-buyers.md", "../docs/seller/sandbox-images.md"} {
		part, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, part...)
	}
	rows := func(cells string) []string {
		return regexp.MustCompile(`(?m)^\| `+cells+`.*\|$`).FindAllString(string(text), -1)
	}
	t.Run("buyers", func(t *testing.T) {
		var want []string
		for i, b := range v1.SandboxBuyers {
			want = append(want, fmt.Sprintf("| %d | `%s` | %s %s | %s | %s |", i, b.Nickname, b.FirstName, b.LastName, b.Country,
				strings.Join(strings.Fields(strings.Join([]string{b.Line1 + ",", b.PostalCode, b.City, b.State}, " ")), " ")))
		}
		if diff := cmp.Diff(want, rows(`\d+ \| `)); diff != "" {
			t.Errorf("table (-code +document):\n%s", diff)
		}
	})
	t.Run("images", func(t *testing.T) {
		var want []string
		for _, image := range v1.SandboxImages {
			want = append(want, image.URL)
		}
		var got []string
		for _, row := range rows("`https://outcome.test/") {
			got = append(got, strings.Split(row, "`")[1])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("table (-code +document):\n%s", diff)
		}
	})
}
