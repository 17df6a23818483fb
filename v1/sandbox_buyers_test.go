package v1_test

import (
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/reference"
)

// This file tests who buys in the sandbox.

// madeUpFor is the made-up buyer whose turn it is at a number.
func madeUpFor(t *testing.T, number string, later int) reference.SandboxBuyer {
	t.Helper()
	n, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	return v1.SandboxBuyers[(n+later)%len(v1.SandboxBuyers)]
}

func TestEveryMadeUpBuyerCanBeSentAnInvoice(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for i, model := range []map[string]any{{}, {"weight_grams": 20}} {
			item := w.List(t, servertest.FixedPrice(map[string]any{"quantity": len(v1.SandboxBuyers)}, model))
			for _, buyer := range v1.SandboxBuyers {
				sale := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", map[string]any{"buyer": map[string]any{"nickname": buyer.Nickname}})
				bill := simulate[simulatedBill](t, w, "/bills/"+sale.BillID+"/invoice", map[string]any{})
				if made := bill.ShippingCost["amount"] == "5.00"; bill.Status != "awaiting_payment" || made != (i == 0) {
					t.Errorf("to %s: %s with shipping for %s", buyer.Country, bill.Status, bill.ShippingCost["amount"])
				}
			}
		}
	})
}

func TestWhoBuysIsPredictable(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		t.Run("items in a row have different buyers, by their numbers", func(t *testing.T) {
			for range 3 {
				item := w.List(t, servertest.FixedPrice())
				sale := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", nil)
				want := madeUpFor(t, item, 0)
				if diff := cmp.Diff(buyerView(want), sale.Buyer, ignoreID); diff != "" {
					t.Errorf("buyer (-want +got):\n%s", diff)
				}
				if diff := cmp.Diff(addressView(want), sale.ShippingAddress); diff != "" {
					t.Errorf("address (-want +got):\n%s", diff)
				}
			}
		})
		t.Run("bids in a row have different bidders", func(t *testing.T) {
			item := w.List(t, servertest.Auction(map[string]any{"bid_increment": map[string]any{"amount": "0.50", "currency": "EUR"}}))
			for range 3 {
				simulate[simulatedItem](t, w, "/items/"+item+"/bids", nil)
			}
			ended := simulate[simulatedItem](t, w, "/items/"+item+"/end", nil)
			if ended.Status != "sold" || ended.BidCount != 3 || ended.CurrentPrice.Amount != "10.99" {
				t.Errorf("ended as %+v", ended)
			}
			want := madeUpFor(t, item, 2).Nickname
			if n := w.Count(t, "sales JOIN buyers ON buyers.id = sales.buyer_id", "sales.item_id = "+item+" AND buyers.nickname = '"+want+"'"); n != 1 {
				t.Errorf("the highest bidder is not %s", want)
			}
		})
		t.Run("a bid may name its amount", func(t *testing.T) {
			item := w.List(t, servertest.Auction())
			got := simulate[simulatedItem](t, w, "/items/"+item+"/bids", map[string]any{"amount": map[string]any{"amount": "50.00", "currency": "EUR"}})
			if got.CurrentPrice.Amount != "50.00" {
				t.Errorf("the price is %s", got.CurrentPrice.Amount)
			}
		})
		t.Run("a buyer with a new nickname is made up around it", func(t *testing.T) {
			item := w.List(t, servertest.FixedPrice())
			sale := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", map[string]any{"buyer": map[string]any{"nickname": "Bob 99", "country": "IT", "first_name": "Bob"}})
			want := v1.SandboxBuyers[2]
			want.Nickname, want.Email, want.FirstName = "Bob 99", "bob99@example.com", "Bob"
			if diff := cmp.Diff(buyerView(want), sale.Buyer, ignoreID); diff != "" {
				t.Errorf("buyer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(addressView(want), sale.ShippingAddress); diff != "" {
				t.Errorf("address (-want +got):\n%s", diff)
			}
		})
		t.Run("a country without made-up buyers has no made-up address", func(t *testing.T) {
			item := w.List(t, servertest.FixedPrice())
			sale := simulate[simulatedSale](t, w, "/items/"+item+"/purchase", map[string]any{"buyer": map[string]any{"nickname": "ana", "country": "PT"}})
			if sale.Buyer.Country != "PT" || sale.ShippingAddress["line1"] != nil || sale.ShippingAddress["name"] == nil {
				t.Errorf("%+v", sale)
			}
		})
		t.Run("a buyer of before is named by id", func(t *testing.T) {
			first := simulate[simulatedSale](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", nil)
			second := simulate[simulatedSale](t, w, "/items/"+w.List(t, servertest.FixedPrice())+"/purchase", map[string]any{"buyer": map[string]any{"id": first.Buyer.ID}})
			if first.BillID != second.BillID {
				t.Errorf("bills %s and %s", first.BillID, second.BillID)
			}
		})
	})
}

func buyerView(b reference.SandboxBuyer) simulatedBuyer {
	return simulatedBuyer{
		Nickname: b.Nickname, Email: given(b.Email), FirstName: given(b.FirstName), LastName: given(b.LastName),
		Language: b.Language, Country: b.Country, Phone: given(b.Phone),
	}
}

func addressView(b reference.SandboxBuyer) map[string]*string {
	return map[string]*string{
		"name": given(b.FirstName + " " + b.LastName), "line1": given(b.Line1), "line2": nil, "postal_code": given(b.PostalCode),
		"city": given(b.City), "state": given(b.State), "country": given(b.Country), "phone": given(b.Phone),
	}
}

func given(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func TestEverySandboxHasBuyersOfItsOwn(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		_, otherKey, _ := w.Seller(t, "bert")
		item := map[string]string{}
		for _, key := range []string{w.Key, otherKey} {
			listed := w.Do(t, servertest.Request{Path: "/v1/items", Key: key, Body: servertest.FixedPrice()})
			w.Publish(t)
			item[key] = *servertest.Into[submissionView](t, w.Do(t, servertest.Request{Path: listed.Header.Get("Location"), Key: key})).ItemID
		}
		buyer := func(key string, who map[string]any) map[string]any {
			sold := w.Do(t, servertest.Request{Path: "/v1/test/items/" + item[key] + "/purchase", Key: key, Body: map[string]any{"buyer": who}})
			return servertest.Into[map[string]any](t, sold)["buyer"].(map[string]any)
		}
		mine := buyer(w.Key, map[string]any{"nickname": "bob", "country": "DE", "email": "bob@example.net"})
		theirs := buyer(otherKey, map[string]any{"nickname": "bob", "country": "FR"})
		got := []any{theirs["country"], theirs["email"], theirs["id"] == mine["id"]}
		if diff := cmp.Diff([]any{"FR", "bob@example.com", false}, got); diff != "" {
			t.Errorf("the other account's bob (-want +got):\n%s", diff)
		}
	})
}

func TestEmptyLinesOfAnAddressAreNone(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := w.List(t, servertest.FixedPrice(object{"quantity": 3}))
	empty := object{"name": "Ada Byron", "line1": "", "line2": "", "postal_code": "", "city": "Ghent", "state": "", "country": "BE", "phone": ""}
	want := object{"name": "Ada Byron", "line1": nil, "line2": nil, "postal_code": nil, "city": "Ghent", "state": nil, "country": "BE", "phone": nil}
	for name, body := range map[string]object{
		"of the purchase": {"shipping_address": empty},
		"of the buyer":    {"buyer": object{"nickname": "ada", "first_name": "", "last_name": "", "phone": "", "country": "BE", "address": empty}},
	} {
		t.Run(name, func(t *testing.T) {
			sale := simulate[object](t, w, "/items/"+item+"/purchase", body)
			if diff := cmp.Diff(want, sale["shipping_address"]); diff != "" {
				t.Errorf("address (-want +got):\n%s", diff)
			}
		})
	}
	for field, body := range map[string]object{
		"shipping_address.line2": {"shipping_address": object{"country": "BE", "line2": " "}},
		"shipping_address.name":  {"shipping_address": object{"country": "BE", "name": ""}},
		"buyer.nickname":         {"buyer": object{"nickname": "", "country": "BE"}},
	} {
		got := w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: body})
		if diff := cmp.Diff([]string{"too_short " + field}, got.Codes()); diff != "" {
			t.Errorf("%s: %d (-want +got):\n%s", field, got.Status, diff)
		}
	}
}
