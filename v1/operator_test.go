package v1_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// operate sends a POST to the operator API that must succeed with a status.
func operate(t *testing.T, w *servertest.World, status int, path string, body any) object {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Method: http.MethodPost, Path: path, Body: body})
	if got.Status != status {
		t.Fatalf("POST %s: %d instead of %d: %s", path, got.Status, status, got.Body)
	}
	return servertest.Into[object](t, got)
}

// buyerCarl is a buyer with everything that is personal.
func buyerCarl() object {
	return object{
		"nickname": "carl", "email": "carl@example.org", "first_name": "Carl", "last_name": "Claes", "language": "nl", "country": "BE",
		"phone":   "+32 2 555 01 23",
		"address": object{"name": "Carl Claes", "line1": "Kerkstraat 7", "postal_code": "1000", "city": "Brussel", "country": "BE"},
	}
}

// buy has carl buy an item and returns the sale.
func buy(t *testing.T, w *servertest.World, item string) object {
	t.Helper()
	return operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl()})
}

func TestTheOperatorsDoor(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	path := "/operator/items/" + w.List(t, servertest.FixedPrice()) + "/end"
	for _, test := range []struct {
		name          string
		authorization string
		status        int
		codes         []string
	}{
		{"an empty header is refused", "", 401, []string{"invalid_api_key Authorization"}},
		{"a wrong token is refused", "Bearer " + strings.ToUpper(servertest.OperatorToken), 401, []string{"invalid_api_key Authorization"}},
		{"a token cut short is refused", "Bearer " + servertest.OperatorToken[:20], 401, []string{"invalid_api_key Authorization"}},
		{"an empty token is refused", "Bearer ", 401, []string{"invalid_api_key Authorization"}},
		{"another scheme is refused", "Basic " + servertest.OperatorToken, 401, []string{"invalid_api_key Authorization"}},
		{"a seller's key is no token", "Bearer " + w.LiveKey, 401, []string{"invalid_api_key Authorization"}},
		{"the token opens", "Bearer " + servertest.OperatorToken, 200, []string{}},
		{"the scheme's case does not matter", "bearer " + servertest.OperatorToken, 409, []string{"item_not_open"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.DoOperator(t, servertest.Request{Method: http.MethodPost, Path: path, Key: "none", Header: map[string]string{"Authorization": test.authorization}})
			if diff := cmp.Diff(test.codes, got.Codes()); diff != "" || got.Status != test.status {
				t.Errorf("%d instead of %d (-want +got):\n%s", got.Status, test.status, diff)
			}
			challenge := ""
			if test.status == 401 {
				challenge = "Bearer"
			}
			if got.Header.Get("WWW-Authenticate") != challenge || got.Header.Get("X-RateLimit-Limit") != "" {
				t.Errorf("headers: %v", got.Header)
			}
		})
	}
}

func TestTheTokenIsSentOnce(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	token := "Bearer " + servertest.OperatorToken
	for _, test := range []struct {
		name string
		sent []string
		want string
	}{
		{"a missing header has another code than a wrong one", nil, "missing_api_key"},
		{"two headers hide a mistake", []string{token, token}, "invalid_api_key"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/operator/accounts", strings.NewReader("{}"))
			r.Header["Authorization"] = test.sent
			answer := httptest.NewRecorder()
			w.Server.Operator.ServeHTTP(answer, r)
			if answer.Code != 401 || !strings.Contains(answer.Body.String(), test.want) {
				t.Errorf("%d %s", answer.Code, answer.Body)
			}
		})
	}
}

func TestAServerWithoutATokenIsClosedToEverybody(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	closed := w.Service.OperatorHandler(v1.OperatorDoor{})
	for _, authorization := range []string{"", "Bearer", "Bearer ", "Bearer x"} {
		r := httptest.NewRequest(http.MethodPost, "/operator/accounts", strings.NewReader("{}"))
		r.Header.Set("Authorization", authorization)
		answer := httptest.NewRecorder()
		closed.ServeHTTP(answer, r)
		if answer.Code != 401 {
			t.Errorf("%q: %d %s", authorization, answer.Code, answer.Body)
		}
	}
}

func TestTheTwoSidesHaveTheirOwnListeners(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item := w.List(t, servertest.FixedPrice())
	end, token := "/operator/items/"+item+"/end", "Bearer "+servertest.OperatorToken
	tests := []struct {
		name   string
		send   func(testing.TB, servertest.Request) servertest.Response
		sent   servertest.Request
		status int
		code   string
	}{
		{"the world finds no operator API", w.Do, servertest.Request{Method: "POST", Path: end, Key: "none"}, 404, "route_not_found"},
		{"not even with the token", w.Do, servertest.Request{Method: "POST", Path: end, Header: map[string]string{"Authorization": token}}, 404, "route_not_found"},
		{"the operator finds no /v1", w.DoOperator, servertest.Request{Path: "/v1/items/" + item, Header: map[string]string{"X-Api-Key": w.Key}}, 404, "route_not_found"},
		{"an unknown path is not found", w.DoOperator, servertest.Request{Path: "/operator/nothing"}, 404, "route_not_found"},
		{"a path outside is not found", w.DoOperator, servertest.Request{Path: "/nothing"}, 404, "route_not_found"},
		{"a doubled slash is not found", w.DoOperator, servertest.Request{Method: "POST", Path: "/" + end}, 404, "route_not_found"},
		{"a trailing slash is not found", w.DoOperator, servertest.Request{Method: "POST", Path: end + "/"}, 404, "route_not_found"},
		{"a wrong method is answered with the right one", w.DoOperator, servertest.Request{Path: end}, 405, "method_not_allowed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.send(t, test.sent)
			if diff := cmp.Diff([]string{test.code}, got.Codes()); diff != "" || got.Status != test.status {
				t.Errorf("%d instead of %d (-want +got):\n%s", got.Status, test.status, diff)
			}
		})
	}
}

func TestTheOperatorActsForTheOwnerOfTheObject(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for mode, key := range map[string]string{"test": w.Key, "live": w.LiveKey} {
			w.Key = key
			read := func(path string) object {
				t.Helper()
				return servertest.Into[object](t, w.Do(t, servertest.Request{Path: path}))
			}
			t.Run("a purchase becomes the seller's paid bill in "+mode+" mode", func(t *testing.T) {
				item := w.List(t, servertest.FixedPrice())
				sold := buy(t, w, item)
				bill := sold["bill_id"].(string)
				if diff := cmp.Diff(sold, read("/v1/sales/"+sold["id"].(string))); diff != "" {
					t.Errorf("the sale (-operator +seller):\n%s", diff)
				}
				operate(t, w, 200, "/operator/bills/"+bill+"/invoice", object{"shipping_cost": object{"amount": "4.50", "currency": "EUR"}})
				paid := operate(t, w, 200, "/operator/bills/"+bill+"/payment", object{"method": "card", "amount": object{"amount": "49.50", "currency": "EUR"}})
				if paid["status"] != "to_send" || read("/v1/bills/" + bill)["status"] != "to_send" || read("/v1/items/" + item)["mode"] != mode {
					t.Errorf("the bill: %v", paid)
				}
			})
			t.Run("an auction is bid on and won in "+mode+" mode", func(t *testing.T) {
				item := w.List(t, servertest.Auction())
				operate(t, w, 200, "/operator/items/"+item+"/bids", object{"buyer": buyerCarl(), "amount": object{"amount": "12.00", "currency": "EUR"}})
				ended := operate(t, w, 200, "/operator/items/"+item+"/end", nil)
				if ended["status"] != "sold" || ended["quantity_sold"] != 1.0 {
					t.Errorf("the item: %v", ended)
				}
			})
			t.Run("a sale is undone in "+mode+" mode", func(t *testing.T) {
				sold := buy(t, w, w.List(t, servertest.FixedPrice()))
				path := "/operator/sales/" + sold["id"].(string) + "/cancellation"
				operate(t, w, 200, path, object{"decision": "request", "reason": "changed his mind"})
				undone := operate(t, w, 200, path, object{"decision": "accept"})
				if undone["status"] != "cancelled" || read("/v1/items/" + sold["item_id"].(string))["status"] != "open" {
					t.Errorf("the sale: %v", undone)
				}
			})
			t.Run("an item is moved in "+mode+" mode", func(t *testing.T) {
				item := w.List(t, servertest.FixedPrice())
				operate(t, w, 200, "/operator/items/"+item+"/move", object{"category_id": "1010102"})
				if moved := read("/v1/items/" + item); moved["category_id"] != "1010102" {
					t.Errorf("the item: %v", moved)
				}
			})
		}
	})
}

func TestTheOperatorIsRefusedLikeAnybody(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	item, auction := "/operator/items/"+w.List(t, servertest.FixedPrice()), "/operator/items/"+w.List(t, servertest.Auction())
	sold := buy(t, w, w.List(t, servertest.FixedPrice()))
	bill, sale := "/operator/bills/"+sold["bill_id"].(string), "/operator/sales/"+sold["id"].(string)
	carl := object{"nickname": "carl"}
	for _, test := range []struct {
		name, path string
		body       any
		status     int
		codes      []string
	}{
		{"an item that is not there", "/operator/items/5/end", nil, 404, []string{"item_not_found"}},
		{"an item that cannot be", "/operator/items/five/end", nil, 404, []string{"item_not_found"}},
		{"a bill that is not there", "/operator/bills/5/invoice", nil, 404, []string{"bill_not_found"}},
		{"a sale that is not there", "/operator/sales/5/cancellation", object{"decision": "accept"}, 404, []string{"sale_not_found"}},
		{"a purchase without a body", item + "/purchases", nil, 400, []string{"malformed_json"}},
		{"a purchase without a buyer", item + "/purchases", object{}, 422, []string{"missing_field buyer.nickname"}},
		{
			"a purchase with everything wrong", item + "/purchases",
			object{"buyer": object{"nickname": "carl", "country": "XX", "email": "carl"}, "quantity": 0, "gift": true},
			422,
			[]string{"unknown_field gift", "invalid_value buyer.email", "invalid_value buyer.country", "out_of_range quantity"},
		},
		{"more than there is", item + "/purchases", object{"buyer": carl, "quantity": 2}, 422, []string{"out_of_range quantity"}},
		{"a bid without an amount", auction + "/bids", object{"buyer": carl}, 422, []string{"missing_field amount"}},
		{"a bid that is too low", auction + "/bids", object{"buyer": carl, "amount": object{"amount": "9.98", "currency": "EUR"}}, 422, []string{"out_of_range amount"}},
		{"a bid without a body", auction + "/bids", nil, 400, []string{"malformed_json"}},
		{"a bid on no auction", item + "/bids", object{"buyer": carl, "amount": object{"amount": "50.00", "currency": "EUR"}}, 409, []string{"item_not_open"}},
		{"a move to nowhere", item + "/move", object{"category_id": "7"}, 422, []string{"unknown_category category_id"}},
		{"a move without a category", item + "/move", object{}, 422, []string{"missing_field category_id"}},
		{
			"shipping in another currency", bill + "/invoice",
			object{"shipping_cost": object{"amount": "1.00", "currency": "USD"}},
			422,
			[]string{"currency_mismatch shipping_cost.currency"},
		},
		{"a payment of what is not invoiced", bill + "/payment", nil, 422, []string{"invalid_value status"}},
		{"no decision", sale + "/cancellation", object{}, 422, []string{"missing_field decision"}},
		{"an unknown decision", sale + "/cancellation", object{"decision": "maybe"}, 422, []string{"invalid_value decision"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := w.DoOperator(t, servertest.Request{Method: http.MethodPost, Path: test.path, Body: test.body})
			if diff := cmp.Diff(test.codes, got.Codes(), sortStrings); diff != "" || got.Status != test.status {
				t.Errorf("%d instead of %d (-want +got):\n%s\n%s", got.Status, test.status, diff, got.Body)
			}
		})
	}
}

func TestASuspendedSellersItemsAreStillSold(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		account := "/operator/accounts/" + accountID(w)
		patchAccount(t, w, account, object{"status": "suspended"})
		if got := w.Do(t, servertest.Request{Path: "/v1/account"}); got.Status != 403 {
			t.Errorf("the seller's next request: %d %s", got.Status, got.Body)
		}
		sold := buy(t, w, item)
		patchAccount(t, w, account, object{"status": "active"})
		if got := w.Do(t, servertest.Request{Path: "/v1/sales/" + sold["id"].(string)}); got.Status != 200 {
			t.Errorf("the seller's sale: %d %s", got.Status, got.Body)
		}
	})
}

func TestAnOperatorsRequestIsRepeatedByItsKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice(object{"quantity": 5}))
		purchase := servertest.Keyed("same", "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl()})
		if own := w.Do(t, servertest.Keyed("same", "/v1/items", servertest.FixedPrice())); own.Status != 202 {
			t.Fatalf("the seller's request with the same key: %d %s", own.Status, own.Body)
		}
		first, again := w.DoOperator(t, purchase), w.DoOperator(t, purchase)
		if first.Status != 200 || again.Body != first.Body || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("X-RateLimit-Limit") != "" {
			t.Errorf("again: %d %v %s\nfirst: %s", again.Status, again.Header, again.Body, first.Body)
		}
		other := w.DoOperator(t, servertest.Keyed("same", "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl(), "quantity": 2}))
		if diff := cmp.Diff([]string{"idempotency_key_reused Idempotency-Key"}, other.Codes()); diff != "" {
			t.Errorf("another purchase (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "sales", "1 = 1"); n != 1 {
			t.Errorf("there are %d sales", n)
		}
	})
}

func TestABillWithFreeShippingIsAnsweredAgain(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	bill := buy(t, w, w.List(t, servertest.FixedPrice()))["bill_id"].(string)
	invoice := servertest.Keyed("free", "/operator/bills/"+bill+"/invoice", object{"shipping_cost": object{"amount": "0.00", "currency": "EUR"}})
	first, again := w.DoOperator(t, invoice), w.DoOperator(t, invoice)
	if first.Status != 200 || again.Status != 200 || again.Body != first.Body {
		t.Errorf("again: %d %s\nfirst: %d %s", again.Status, again.Body, first.Status, first.Body)
	}
}
