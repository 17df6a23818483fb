package v1_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/shippingmodel"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// numbering.ShippingModels are the ids of the seller's models by type.
func (m market) shippingModels() map[string]string {
	m.Helper()
	models := map[string]string{}
	rows := servertest.Into[struct {
		Results []struct {
			ID   string `json:"id"`
			Type string `json:"type"`
		} `json:"results"`
	}](m.T, m.ok(m.w.Do(m.T, servertest.Request{Path: "/v1/shipping-models", Key: m.key}))).Results
	for _, row := range rows {
		models[row.Type] = row.ID
	}
	return models
}

// shipped is a change of an item that says how it ships; 0 grams is no weight.
func shipped(model string, grams int) map[string]any {
	change := map[string]any{"shipping_model_id": model}
	if grams > 0 {
		change["weight_grams"] = grams
	}
	return change
}

// The rates of a new Belgian seller, of which the cheapest that fits counts: at home 0 to 50 g 1.56, to 100 g 3.12,
// to 350 g 4.68, to 2000 g 5.90, to 10 kg 7.90, to 30 kg 11.90; flat 2.50, in Europe 4.50. To the world 0 to 50 g 3.25.
func TestTheCostOfShippingIsComputed(t *testing.T) {
	type bought struct {
		model    string
		grams    int
		quantity int
	}
	tests := []struct {
		name    string
		country string
		items   []bought
		want    string
	}{
		{"by a flat rate", "BE", []bought{{"fixed", 0, 1}}, "2.50"},
		{"by a flat rate of another zone", "FR", []bought{{"fixed", 0, 1}}, "4.50"},
		{"by a flat rate once, however much it is", "BE", []bought{{"fixed", 0, 3}, {"fixed", 900, 2}}, "2.50"},
		{"for free", "US", []bought{{"free", 5000, 1}}, "0.00"},
		{"by weight, up to a bound", "BE", []bought{{"weight", 49, 1}}, "1.56"},
		{"by weight, from a bound", "BE", []bought{{"weight", 50, 1}}, "3.12"},
		{"by weight to the world", "JP", []bought{{"weight", 20, 1}}, "3.25"},
		{"by the weight of all pieces", "BE", []bought{{"weight", 20, 5}}, "4.68"},
		{"by the weight of all sales", "BE", []bought{{"weight", 49, 1}, {"weight", 50, 1}}, "3.12"},
		{"by the weight of all sales, at a bound", "BE", []bought{{"weight", 50, 1}, {"weight", 50, 1}}, "4.68"},
		{"by two models", "BE", []bought{{"weight", 49, 1}, {"fixed", 0, 1}}, "4.06"},
		{"by three models", "BE", []bought{{"weight", 9999, 1}, {"fixed", 0, 1}, {"free", 0, 1}}, "10.40"},
		{"by the default model, which charges by weight", "BE", []bought{{"", 49, 1}}, "1.56"},
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		models := m.shippingModels()
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				m := marketOf(t, w)
				buyer := map[string]any{"buyer": map[string]any{"nickname": "to " + test.country, "country": test.country}}
				var bill string
				for _, item := range test.items {
					how := shipped(models[item.model], item.grams)
					if item.model == "" {
						how = map[string]any{"weight_grams": item.grams}
					}
					id := w.List(t, servertest.FixedPrice(pieces(item.quantity), how))
					bill = m.sold(id, "", buyer, pieces(item.quantity)).BillID
				}
				before := m.bill(bill)
				if before.ShippingCost != nil || before.Total != before.Subtotal {
					t.Errorf("before it is invoiced: %+v", before)
				}
				after := servertest.Into[billView](t, m.ok(m.invoice(bill, nil)))
				want := before
				want.Status, want.ShippingCost, want.Total = "awaiting_payment", &moneyView{test.want, "EUR"}, after.Total
				if diff := cmp.Diff(want, after); diff != "" {
					t.Errorf("invoiced bill (-want +got):\n%s", diff)
				}
				if got, want := cents(t, after.Total), cents(t, after.Subtotal)+cents(t, *after.ShippingCost); got != want {
					t.Errorf("the total is %d, not %d", got, want)
				}
				if one := len(test.items) == 1 || test.items[0].model == test.items[1].model; one != (before.ShippingModelID != nil) {
					t.Errorf("the bill's shipping model is %v", before.ShippingModelID)
				}
			})
		}
	})
}

// cents is money in minor units.
func cents(t testing.TB, money moneyView) (n v1.Amount) {
	t.Helper()
	if money.Amount == "0.00" {
		return 0
	}
	if err := n.UnmarshalText([]byte(money.Amount)); err != nil {
		t.Fatalf("%s: %v", money.Amount, err)
	}
	return n
}

func TestWhereTheCostIsNotKnownItMustBeGiven(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		models := m.shippingModels()
		billOf := func(country string, item map[string]any) string {
			return m.sold(w.List(t, item), "", map[string]any{"buyer": map[string]any{"nickname": "to " + country, "country": country}}).BillID
		}
		abroad := billOf("JP", servertest.FixedPrice(shipped(models["fixed"], 0)))
		noWeight := billOf("BE", servertest.FixedPrice())
		heavy := billOf("FR", servertest.FixedPrice(shipped(models["weight"], 30_000)))
		dollars := billOf("BE", servertest.FixedPrice(shipped(models["fixed"], 0), map[string]any{"price": map[string]any{"amount": "7.00", "currency": "USD"}}))
		shipOnlyAtHome(t, w, models["fixed"])

		invoice := func(bill string, cost v1.Opt[v1.ShippingCost]) func() servertest.Response {
			return func() servertest.Response {
				return m.asOperator(v1.OperatorInvoice.Operation, &v1.InvoiceInput{ID: number(t, bill), Invoice: v1.Invoice{ShippingCost: cost}})
			}
		}
		computed := v1.Opt[v1.ShippingCost]{}
		m.check([]refusal{
			{"to a country that the model does not reach", invoice(abroad, computed), 422, "missing_field shipping_cost", nil},
			{"of an unknown weight", invoice(noWeight, computed), 422, "weight_required shipping_cost", nil},
			{"of a weight beyond all rates", invoice(heavy, computed), 422, "missing_field shipping_cost", nil},
			{"in a currency that is not the model's", invoice(dollars, computed), 422, "currency_mismatch shipping_cost", nil},
			{"of no bill", invoice("999", computed), 404, "bill_not_found", nil},
			{"given in another currency", func() servertest.Response {
				return m.invoice(dollars, map[string]any{"shipping_cost": euros("1.00")})
			}, 422, "currency_mismatch shipping_cost.currency", nil},
			{"given without an amount", func() servertest.Response {
				return m.invoice(abroad, map[string]any{"shipping_cost": map[string]any{"currency": "EUR"}})
			}, 422, "missing_field shipping_cost.amount", nil},
			{"given without a currency", func() servertest.Response {
				return m.invoice(abroad, map[string]any{"shipping_cost": map[string]any{"amount": "1.00"}})
			}, 422, "missing_field shipping_cost.currency", nil},
			{"given as less than nothing", func() servertest.Response {
				return m.invoice(abroad, map[string]any{"shipping_cost": euros("-1.00")})
			}, 422, "invalid_value shipping_cost.amount", nil},
		})
		for bill, cost := range map[string]map[string]any{
			abroad: euros("0.00"), noWeight: euros("12.34"), heavy: euros("0.01"), dollars: {"amount": "3.00", "currency": "USD"},
		} {
			got := servertest.Into[billView](t, m.ok(m.invoice(bill, map[string]any{"shipping_cost": cost})))
			if got.ShippingCost == nil || got.ShippingCost.Amount != cost["amount"] || cents(t, got.Total) != cents(t, got.Subtotal)+cents(t, *got.ShippingCost) {
				t.Errorf("for %v the bill says %v and a total of %s", cost, got.ShippingCost, got.Total.Amount)
			}
		}
	})
}

// shipOnlyAtHome takes all zones but the first from a shipping model, which only the marketplace's site can do.
func shipOnlyAtHome(t *testing.T, w *servertest.World, model string) {
	t.Helper()
	err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		row, err := tx.ShippingModel.Query().Where(shippingmodel.ID(int64(number(t, model)))).Only(ctx)
		if err != nil {
			return err
		}
		zones := servertest.Into[[]any](t, servertest.Response{Data: []byte(row.Zones)})
		return row.Update().SetZones(string(mustJSON(t, zones[:1]))).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAPayment(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(3)))
		bill := m.sold(item, "karl").BillID
		invoiced := servertest.Into[billView](t, m.ok(m.invoice(bill, map[string]any{"shipping_cost": euros("5.00")})))
		paid := servertest.Into[billView](t, m.ok(m.pay(bill, nil)))
		want, method := invoiced, "bank_transfer"
		want.Status, want.Payment = "to_send", paymentView{"received", &method, &moneyView{"50.00", "EUR"}}
		if diff := cmp.Diff(want, paid); diff != "" {
			t.Errorf("paid bill (-want +got):\n%s", diff)
		}
		all := events(t, w, bill)
		if diff := cmp.Diff([]string{"1 payment.received"}, eventTypes(all)); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(&paid, all[0].Data.Bill); diff != "" || all[0].Resource.Type != "bill" {
			t.Errorf("payment.received shows another %s (-want +got):\n%s", all[0].Resource.Type, diff)
		}

		other := m.sold(item, "lena").BillID
		m.ok(m.invoice(other, map[string]any{"shipping_cost": euros("0.00")}))
		got := servertest.Into[billView](t, m.ok(m.pay(other, map[string]any{"method": "card", "amount": euros("45.00")})))
		if *got.Payment.Method != "card" || got.Payment.Amount.Amount != "45.00" {
			t.Errorf("paid by %s, %s", *got.Payment.Method, got.Payment.Amount.Amount)
		}
	})
}

func TestInvoicesAndPaymentsThatAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(9), map[string]any{"weight_grams": 20}))
		open := m.sold(item, "open").BillID
		invoiced := m.sold(item, "invoiced").BillID
		m.ok(m.invoice(invoiced, nil))
		paid := m.sold(item, "paid").BillID
		m.ok(m.invoice(paid, nil))
		m.ok(m.pay(paid, nil))
		sent := m.sold(item, "sent").BillID
		m.ok(m.invoice(sent, nil))
		m.ok(m.pay(sent, nil))
		sentAt := servertest.Into[map[string]any](t, m.ok(m.post("/v1/bills/"+sent+"/mark-sent", nil)))["sent_at"]
		undone := m.sold(item, "undone")
		m.ok(m.decide(undone.ID, "accept"))

		invoice := func(bill string) func() servertest.Response {
			return func() servertest.Response { return m.invoice(bill, nil) }
		}
		pay := func(bill string, body any) func() servertest.Response {
			return func() servertest.Response { return m.pay(bill, body) }
		}
		m.check([]refusal{
			{"invoicing twice", invoice(invoiced), 422, "invalid_value status", map[string]any{"status": "awaiting_payment"}},
			{"invoicing a paid bill", invoice(paid), 422, "invalid_value status", map[string]any{"status": "to_send"}},
			{"invoicing a sent bill", invoice(sent), 409, "bill_already_sent", map[string]any{"sent_at": sentAt}},
			{"invoicing a cancelled bill", invoice(undone.BillID), 409, "bill_cancelled", nil},
			{"paying before the invoice", pay(open, nil), 422, "invalid_value status", map[string]any{"status": "to_invoice", "required": "awaiting_payment"}},
			{"paying too little", pay(invoiced, map[string]any{"amount": euros("46.55")}), 422, "invalid_value amount", map[string]any{"total": "46.56"}},
			{"paying too much", pay(invoiced, map[string]any{"amount": euros("46.57")}), 422, "invalid_value amount", map[string]any{"total": "46.56"}},
			{
				"paying in another currency", pay(invoiced, map[string]any{"amount": map[string]any{"amount": "46.56", "currency": "USD"}}), 422,
				"currency_mismatch amount.currency", nil,
			},
			{"paying twice", pay(paid, nil), 422, "invalid_value status", map[string]any{"status": "to_send"}},
			{"paying a sent bill", pay(sent, nil), 409, "bill_already_sent", nil},
			{"paying a cancelled bill", pay(undone.BillID, nil), 409, "bill_cancelled", nil},
			{"paying no bill", pay("999", nil), 404, "bill_not_found", nil},
		})
	})
}

func TestABillBeyondTheBoundOfAmountsCanBePaid(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		m := marketOf(t, w)
		item := w.List(t, servertest.FixedPrice(pieces(50_000), map[string]any{"price": euros("999999.99")}))
		sold := m.sold(item, "bob", map[string]any{"quantity": 50_000})
		m.ok(m.invoice(sold.BillID, map[string]any{"shipping_cost": euros("0.01")}))
		if got := m.pay(sold.BillID, map[string]any{"amount": euros("99999999999999.99")}); got.Status != 422 {
			t.Errorf("a wrong sum: %d %s", got.Status, got.Body)
		}
		paid := servertest.Into[billView](t, m.ok(m.pay(sold.BillID, map[string]any{"amount": euros("49999999500.01")})))
		if diff := cmp.Diff("49999999500.01", paid.Total.Amount); diff != "" || paid.Status != "to_send" {
			t.Errorf("%s (-want +got):\n%s", paid.Status, diff)
		}
	})
}
