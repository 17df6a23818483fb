package v1_test

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/trade"
)

// market is the marketplace's side of one seller's test data: what buyers do, by the simulation endpoints.
type market struct {
	*testing.T
	w   *servertest.World
	key string // the seller's test key
}

func marketOf(t *testing.T, w *servertest.World) market { return market{t, w, w.Key} }

func (m market) post(path string, body any) servertest.Response {
	m.Helper()
	return m.w.Do(m.T, servertest.Request{Method: "POST", Path: path, Body: body, Key: m.key})
}

func (m market) bid(item, buyer, amount string) servertest.Response {
	m.Helper()
	return m.post("/v1/test/items/"+item+"/bids", map[string]any{"buyer": someBuyer(buyer), "amount": euros(amount)})
}

// buy purchases one piece for a buyer in Belgium, or what the changes say.
func (m market) buy(item, buyer string, changes ...map[string]any) servertest.Response {
	m.Helper()
	body := map[string]any{"buyer": someBuyer(buyer)}
	for _, change := range changes {
		for name, value := range change {
			body[name] = value
		}
	}
	return m.post("/v1/test/items/"+item+"/purchase", body)
}

func (m market) end(item string) servertest.Response {
	m.Helper()
	return m.post("/v1/test/items/"+item+"/end", nil)
}

func (m market) invoice(bill string, body any) servertest.Response {
	m.Helper()
	return m.post("/v1/test/bills/"+bill+"/invoice", body)
}

func (m market) pay(bill string, body any) servertest.Response {
	m.Helper()
	return m.post("/v1/test/bills/"+bill+"/pay", body)
}

func (m market) decide(sale, decision string) servertest.Response {
	m.Helper()
	return m.post("/v1/test/sales/"+sale+"/cancel", map[string]any{"decision": decision})
}

// sold is a purchase that must succeed.
func (m market) sold(item, buyer string, changes ...map[string]any) saleView {
	m.Helper()
	return servertest.Into[saleView](m.T, m.ok(m.buy(item, buyer, changes...)))
}

// bill reads a bill.
func (m market) bill(id string) billView {
	m.Helper()
	return servertest.Into[billView](m.T, m.ok(m.w.Do(m.T, servertest.Request{Path: "/v1/bills/" + id, Key: m.key})))
}

// sale reads a sale.
func (m market) sale(id string) saleView {
	m.Helper()
	return servertest.Into[saleView](m.T, m.ok(m.w.Do(m.T, servertest.Request{Path: "/v1/sales/" + id, Key: m.key})))
}

// ok fails the test unless something succeeded.
func (m market) ok(r servertest.Response) servertest.Response {
	m.Helper()
	if r.Status >= 300 {
		m.Fatalf("refused: %d %s", r.Status, r.Body)
	}
	return r
}

// asOperator runs one of the operator's operations on the seller's test data, for what simulation does not offer or
// makes easier than it is.
func (m market) asOperator(operation *v1.Operation, in any) servertest.Response {
	m.Helper()
	c := &v1.Call{Caller: v1.Caller{AccountID: m.w.Account, Owner: v1.OwnerOf(m.w.Account, true), Test: true, TimeZone: "Europe/Brussels"}, Operator: true}
	out, err := operation.Run(context.Background(), m.w.Service, c, in)
	if err == nil {
		return servertest.Response{Status: operation.Status, Data: v1.EncodeJSON(nil, out)}
	}
	errs := m.w.Service.Refusal(context.Background(), err)
	answer := servertest.Response{Status: errs.Status(), Body: err.Error()}
	for _, entry := range errs {
		answer.Errors = append(answer.Errors, servertest.ErrorEntry{Code: string(entry.Code), Field: entry.Field, Details: entry.Details})
	}
	return answer
}

// moves puts an item into a category.
func (m market) moves(item, category string) servertest.Response {
	m.Helper()
	return m.asOperator(trade.OperatorMove.Operation, &trade.ItemMoveInput{ID: number(m, item), Move: trade.CategoryMove{CategoryID: v1.Some(number(m, category))}})
}

func number(t testing.TB, id string) v1.ID {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v1.ID(n)
}

// someBuyer is a buyer in Belgium, who is new the first time.
func someBuyer(nickname string) map[string]any {
	return map[string]any{"nickname": nickname, "country": "BE"}
}

func euros(amount string) map[string]any {
	return map[string]any{"amount": amount, "currency": "EUR"}
}

// saleView is a sale as far as the tests of the marketplace look at it.
type saleView struct {
	ID           string           `json:"id"`
	ItemID       string           `json:"item_id"`
	Quantity     int              `json:"quantity"`
	UnitPrice    moneyView        `json:"unit_price"`
	TotalPrice   moneyView        `json:"total_price"`
	Status       string           `json:"status"`
	Cancellation cancellationView `json:"cancellation"`
	BillID       string           `json:"bill_id"`
	Buyer        struct {
		ID       string `json:"id"`
		Nickname string `json:"nickname"`
	} `json:"buyer"`
	ShippingAddress map[string]any `json:"shipping_address"`
	SoldAt          time.Time      `json:"sold_at"`
}

type cancellationView struct {
	Status      string     `json:"status"`
	Reason      *string    `json:"reason"`
	RequestedAt *time.Time `json:"requested_at"`
	DecidedAt   *time.Time `json:"decided_at"`
}

// billView is a bill as far as the tests of the marketplace look at it.
type billView struct {
	ID              string         `json:"id"`
	Number          string         `json:"number"`
	Status          string         `json:"status"`
	Sales           []billedView   `json:"sales"`
	Subtotal        moneyView      `json:"subtotal"`
	ShippingCost    *moneyView     `json:"shipping_cost"`
	Total           moneyView      `json:"total"`
	ShippingModelID *string        `json:"shipping_model_id"`
	Payment         paymentView    `json:"payment"`
	ShippingAddress map[string]any `json:"shipping_address"`
	CancelledAt     *time.Time     `json:"cancelled_at"`
}

type billedView struct {
	ID         string    `json:"id"`
	Quantity   int       `json:"quantity"`
	TotalPrice moneyView `json:"total_price"`
}

type paymentView struct {
	Status string     `json:"status"`
	Method *string    `json:"method"`
	Amount *moneyView `json:"amount"`
}

// refusal is something the marketplace must not do.
type refusal struct {
	name    string
	act     func() servertest.Response
	status  int
	want    string         // "code field"
	details map[string]any // those that matter
}

// check sees each refused for the right reason, with nothing half done: every row is as it was.
func (m market) check(refusals []refusal) {
	m.Helper()
	for _, test := range refusals {
		m.Run(test.name, func(t *testing.T) {
			before := allRows(t, m.w)
			got := test.act()
			if diff := cmp.Diff([]string{test.want}, got.Codes()); diff != "" || got.Status != test.status {
				t.Fatalf("answer %d, not %d (-want +got):\n%s\n%s", got.Status, test.status, diff, got.Body)
			}
			for name, want := range test.details {
				if diff := cmp.Diff(want, got.Errors[0].Details[name]); diff != "" {
					t.Errorf("details.%s (-want +got):\n%s", name, diff)
				}
			}
			if diff := cmp.Diff(before, allRows(t, m.w)); diff != "" {
				t.Errorf("a refusal left traces (-before +after):\n%s", diff)
			}
		})
	}
}

// allRows prints all that the marketplace's side can change.
func allRows(t testing.TB, w *servertest.World) (rows []string) {
	t.Helper()
	ctx, db := context.Background(), w.Store.Reader()
	items, err := db.Item.Query().All(ctx)
	sales, salesErr := db.Sale.Query().All(ctx)
	bills, billsErr := db.Bill.Query().All(ctx)
	buyers, buyersErr := db.Buyer.Query().All(ctx)
	owners, ownersErr := db.Owner.Query().All(ctx)
	if err := errors.Join(err, salesErr, billsErr, buyersErr, ownersErr); err != nil {
		t.Fatal(err)
	}
	rows = []string{fmt.Sprintf("%d bids, %d events", w.Count(t, "bids", "1 = 1"), w.Count(t, "events", "1 = 1"))}
	for _, list := range [][]fmt.Stringer{stringers(items), stringers(sales), stringers(bills), stringers(buyers), stringers(owners)} {
		for _, row := range list {
			rows = append(rows, row.String())
		}
	}
	return rows
}

func stringers[T fmt.Stringer](rows []T) (out []fmt.Stringer) {
	for _, row := range rows {
		out = append(out, row)
	}
	return out
}

func TestTheMarketplaceMovesAnItemToAnotherCategory(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		id := w.List(t, servertest.FixedPrice())
		moved := servertest.Into[itemView](t, m.ok(m.moves(id, "1010102")))
		m.ok(m.moves(id, "1010102")) // where it is already: nothing changes
		all := events(t, w, id)
		if diff := cmp.Diff([]string{"1 item.published", "2 item.moved"}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]any{"category_id": servertest.Category}, all[1].Data.Previous); diff != "" {
			t.Errorf("previous (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&moved, all[1].Data.Item); diff != "" || moved.CategoryID != "1010102" {
			t.Errorf("moved to %s, but item.moved shows another item (-want +got):\n%s", moved.CategoryID, diff)
		}
		m.check([]refusal{
			{"to a category that only groups others", func() servertest.Response { return m.moves(id, "-1") }, 422, "category_not_selectable category_id", nil},
			{"to no category", func() servertest.Response { return m.moves(id, "99999999") }, 422, "unknown_category category_id", nil},
			{"of no item", func() servertest.Response { return m.moves("999", servertest.Category) }, 404, "item_not_found", nil},
		})
	})
}
