package v1_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/privacy"
)

// carlsTraces are texts of which none may be left.
var carlsTraces = []string{"carl", "Carl", "Claes", "Kerkstraat", "Brussel", "+32"}

// expectNoTrace looks for carl in every table that could name him.
func expectNoTrace(t *testing.T, w *servertest.World) {
	t.Helper()
	for _, trace := range carlsTraces {
		like := " LIKE '%" + trace + "%'"
		for table, condition := range map[string]string{
			"buyers": "nickname" + like + " OR email" + like + " OR first_name" + like + " OR last_name" + like + " OR phone" + like + " OR address" + like,
			"sales":  "shipping_address" + like, "bills": "shipping_address" + like, "events": "body" + like, "idempotency_keys": "body" + like,
		} {
			if n := w.Count(t, table, condition); n != 0 {
				t.Errorf("%d rows of %s still have %q", n, table, trace)
			}
		}
	}
}

// carlsPurchases makes a paid and sent purchase of carl's from anna, a cancelled one, and a sent one from bruno, each answer
// stored under a key. It returns the paths of the three sales and the keys of their sellers.
func carlsPurchases(t *testing.T, w *servertest.World) (sales [][2]string) {
	t.Helper()
	_, _, brunosKey := w.Seller(t, "bruno")
	annasKey := w.Key
	defer func() { w.Key = annasKey }()
	for i, fate := range []string{"sent", "cancelled", "sent"} {
		if w.Key = annasKey; i == 2 {
			w.Key = brunosKey
		}
		item := w.List(t, servertest.FixedPrice())
		got := w.DoOperator(t, servertest.Keyed("sale-"+item, "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl()}))
		sold := servertest.Into[object](t, got)
		sales = append(sales, [2]string{"/v1/sales/" + sold["id"].(string), w.Key})
		if fate == "cancelled" {
			operate(t, w, 200, "/operator/sales/"+sold["id"].(string)+"/cancellation", object{"decision": "accept"})
			continue
		}
		bill := sold["bill_id"].(string)
		operate(t, w, 200, "/operator/bills/"+bill+"/invoice", object{"shipping_cost": object{"amount": "0.00", "currency": "EUR"}})
		operate(t, w, 200, "/operator/bills/"+bill+"/payment", nil)
		if sent := w.Do(t, servertest.Keyed("sent-"+bill, "/v1/bills/"+bill+"/mark-sent", nil)); sent.Status != 200 {
			t.Fatalf("mark sent: %d %s", sent.Status, sent.Body)
		}
	}
	return sales
}

// eventBodies are the bodies of the outbox by id.
func eventBodies(t *testing.T, w *servertest.World) map[int64]string {
	t.Helper()
	rows, err := w.Store.Reader().Event.Query().Order(ent.Asc(event.FieldID)).All(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[int64]string{}
	for _, row := range rows {
		bodies[row.ID] = row.Body
	}
	return bodies
}

// forgottenCarl is carl in an answer or event after an instant.
func forgottenCarl(at string) string {
	return `{"id":"70001","nickname":"forgotten-70001","email":null,"first_name":null,"last_name":null,"language":"nl","country":"BE","phone":null,"rating":{"count":0,"percentage":null},"forgotten_at":"` + at + `"}`
}

const countryAlone = `{"name":null,"line1":null,"line2":null,"postal_code":null,"city":null,"state":null,"country":"BE","phone":null}`

func TestAForgottenBuyerLeavesNoTrace(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey // where sellers share buyers
		carls := carlsPurchases(t, w)
		item := w.List(t, servertest.FixedPrice())
		dora := operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": object{"nickname": "dora", "country": "FR"}})
		read := func(sale [2]string) object {
			t.Helper()
			return servertest.Into[object](t, w.Do(t, servertest.Request{Path: sale[0], Key: sale[1]}))
		}
		w.Clock.Advance(time.Hour)
		var wantSales []object
		for _, sale := range carls {
			want := read(sale)
			for _, member := range []string{"nickname", "email", "first_name", "last_name", "phone"} {
				want["buyer"].(object)[member] = nil
			}
			want["buyer"].(object)["nickname"] = "forgotten-70001"
			want["buyer"].(object)["forgotten_at"] = v1.TimeOf(w.Clock.Now()).String()
			for member := range want["shipping_address"].(object) {
				want["shipping_address"].(object)[member] = nil
			}
			want["shipping_address"].(object)["country"] = "BE"
			wantSales = append(wantSales, want)
		}
		before := eventBodies(t, w)

		got, err := w.Service.ForgetBuyer(context.Background(), 70001)
		if err != nil {
			t.Fatal(err)
		}
		want := &privacy.ForgottenBuyer{
			ID: 70001, Nickname: "forgotten-70001", ForgottenAt: v1.TimeOf(w.Clock.Now()),
			Bills: 3, Sales: 3, Events: 6, Answers: 5, // three sold, two paid, one cancelled; three purchases and two sent
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what was done (-want +got):\n%s", diff)
		}
		expectNoTrace(t, w)
		for i, sale := range carls {
			is := read(sale)
			if diff := cmp.Diff(wantSales[i], is, cmpopts.IgnoreMapEntries(func(k string, _ any) bool { return k == "updated_at" })); diff != "" {
				t.Errorf("sale %d (-want +got):\n%s", i, diff)
			}
			if is["updated_at"].(string) < "2026-11-21T13:00:00Z" {
				t.Errorf("pollers do not see the change of sale %d: %v", i, is["updated_at"])
			}
		}
		for _, path := range []string{"/v1/sales", "/v1/bills"} {
			for from, found := range map[v1.Time]int{want.ForgottenAt: 2, want.ForgottenAt + 1: 0} {
				listed := servertest.Into[struct {
					Results []struct {
						Buyer struct {
							ID          string `json:"id"`
							ForgottenAt string `json:"forgotten_at"`
						} `json:"buyer"`
					} `json:"results"`
				}](t, w.Do(t, servertest.Request{Path: path + "?forgotten_from=" + from.String(), Key: w.LiveKey})).Results
				if len(listed) != found {
					t.Errorf("%s from %s: %v", path, from, listed)
				}
				for _, one := range listed {
					if one.Buyer.ID != "70001" || one.Buyer.ForgottenAt != want.ForgottenAt.String() {
						t.Errorf("%s: %+v", path, one)
					}
				}
			}
		}
		if diff := cmp.Diff(dora, read([2]string{"/v1/sales/" + dora["id"].(string), w.Key})); diff != "" {
			t.Errorf("another buyer's sale (-before +after):\n%s", diff)
		}
		for id, body := range eventBodies(t, w) {
			if want := forgotten(before[id], want.ForgottenAt.String()); body != want {
				t.Errorf("event %d:\nwant %s\n got %s", id, want, body)
			}
		}

		t.Run("one more run finds nothing to do", func(t *testing.T) {
			w.Clock.Advance(time.Hour)
			again, err := w.Service.ForgetBuyer(context.Background(), 70001)
			if diff := cmp.Diff(&privacy.ForgottenBuyer{ID: 70001, Nickname: want.Nickname, ForgottenAt: want.ForgottenAt}, again); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})

		t.Run("a forgotten buyer cannot buy", func(t *testing.T) {
			refused := w.DoOperator(t, servertest.Request{
				Path: "/operator/items/" + w.List(t, servertest.FixedPrice()) + "/purchases",
				Body: object{"buyer": object{"id": "70001"}},
			})
			if diff := cmp.Diff([]string{"invalid_value buyer.id"}, refused.Codes()); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
			if next := buy(t, w, w.List(t, servertest.FixedPrice()))["buyer"].(object); next["id"] == "70001" {
				t.Errorf("the next carl is %v", next)
			}
		})
	})
}

// forgotten is an event as it must be without carl: only its buyer and address are others.
func forgotten(body, at string) string {
	for name, replacement := range map[string]string{`"buyer":{"id":"70001",`: forgottenCarl(at), `"shipping_address":{"name":"Carl Claes",`: countryAlone} {
		start := strings.Index(body, name)
		if start < 0 {
			continue
		}
		value := start + strings.Index(name, "{")
		end := value + strings.Index(body[value:], "}") + 1
		if strings.Contains(name, "buyer") { // whose rating is an object inside
			end += strings.Index(body[end:], "}") + 1
		}
		body = body[:value] + replacement + body[end:]
	}
	return body
}

func TestAForgottenBuyerLeavesNoTraceInWhatReceiversAnswered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.Answers(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "saved the order of Carl Claes")
		})
		w.Subscribe(t, object{"url": r.URL})
		carlsPurchases(t, w)
		item := w.List(t, servertest.FixedPrice())
		operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": object{"nickname": "dora", "country": "FR"}})
		servertest.DeliverAll(t, w.Service)
		answered := w.Count(t, "deliveries", "response_body <> ''")
		const ofSales = "event_type IN ('item.sold', 'sale.cancelled', 'payment.received')"
		about := w.Count(t, "deliveries", ofSales) - 1 // that of dora's purchase
		fill(t, w,                                     // one event was rewritten by a run that was interrupted then, another is no longer kept
			"UPDATE events SET body = replace(body, 'Carl', 'X') WHERE id = (SELECT min(id) FROM events WHERE type = 'item.sold')",
			"DELETE FROM events WHERE type = 'payment.received'")

		got, err := w.Service.ForgetBuyer(t.Context(), 70001)
		if err != nil {
			t.Fatal(err)
		}
		if left := w.Count(t, "deliveries", "response_body <> ''"); got.Responses != about || left != answered-about || about < 3 {
			t.Errorf("%d responses were emptied of %d, %d are left; want %d emptied", got.Responses, answered, left, about)
		}
		if n := w.Count(t, "deliveries", "response_body <> '' AND "+ofSales); n != 1 {
			t.Errorf("%d responses about sales are left, want that of dora's", n)
		}
	})
}

func TestABuyerIsKnownAsLongAsASellerNeedsIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		sold := buy(t, w, w.List(t, servertest.FixedPrice()))
		auction := w.List(t, servertest.Auction())
		operate(t, w, 200, "/operator/items/"+auction+"/bids", object{"buyer": buyerCarl(), "amount": object{"amount": "10.00", "currency": "EUR"}})
		expectNeeded := func(number string) {
			t.Helper()
			_, err := w.Service.ForgetBuyer(context.Background(), 70001)
			if !errors.Is(err, v1.ErrBuyerNeeded) || !strings.Contains(err.Error(), number) {
				t.Errorf("want a refusal that names %s, got %v", number, err)
			}
			if n := w.Count(t, "buyers", "nickname = 'carl' AND forgotten_at IS NULL AND email IS NOT NULL"); n != 1 {
				t.Error("the buyer was changed")
			}
		}
		expectNeeded(auction)
		operate(t, w, 200, "/operator/items/"+auction+"/end", nil)
		bill := sold["bill_id"].(string)
		expectNeeded(bill)
		if _, err := w.Service.ForgetBuyer(context.Background(), 99); !errors.Is(err, v1.ErrNoBuyer) {
			t.Errorf("a buyer who does not exist: %v", err)
		}
	})
}

func TestAnInterruptedForgettingIsCompleted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey // where sellers share buyers
		carlsPurchases(t, w)
		w.Clock.Advance(time.Minute)
		if _, err := w.Service.EraseBuyer(context.Background(), 70001); err != nil {
			t.Fatal(err)
		}
		fill(t, w, // and a program before 1.6.0 went on with one seller
			fmt.Sprintf("UPDATE bills SET shipping_address = '%[1]s', updated_at = %[2]d WHERE owner = %[3]d", countryAlone, w.Clock.Now().UnixMicro(), v1.OwnerOf(w.Account, false)),
			fmt.Sprintf("UPDATE sales SET shipping_address = '%[1]s', updated_at = %[2]d WHERE owner = %[3]d", countryAlone, w.Clock.Now().UnixMicro(), v1.OwnerOf(w.Account, false)))
		stopped := w.Clock.Now()
		w.Clock.Advance(time.Hour)
		got, err := w.Service.ForgetBuyer(context.Background(), 70001)
		want := &privacy.ForgottenBuyer{ID: 70001, Nickname: "forgotten-70001", ForgottenAt: v1.TimeOf(stopped), Bills: 3, Sales: 3, Events: 6, Answers: 5}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		expectNoTrace(t, w)
		for _, table := range []string{"sales", "bills"} {
			if n := w.Count(t, table, fmt.Sprintf("forgotten_at = %d AND updated_at >= %d", stopped.UnixMicro(), w.Clock.Now().UnixMicro())); n != 3 {
				t.Errorf("%d %s are marked", n, table)
			}
		}
	})
}

func TestNobodyCanTakeTheNameOfAForgottenBuyer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		item := w.List(t, servertest.FixedPrice())
		got := w.DoOperator(t, servertest.Request{
			Path: "/operator/items/" + item + "/purchases",
			Body: object{"buyer": object{"nickname": "forgotten-70001", "country": "BE"}},
		})
		if diff := cmp.Diff([]string{"invalid_value buyer.nickname"}, got.Codes()); diff != "" {
			t.Errorf("codes (-want +got):\n%s", diff)
		}
	})
}

// lateBid is a store in which a buyer bids just before the first transaction.
type lateBid struct {
	v1.Store
	bid func()
}

func (s *lateBid) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	if bid := s.bid; bid != nil {
		s.bid = nil
		bid()
	}
	return s.Store.Write(ctx, fn)
}

func TestABidThatComesWhileABuyerIsForgottenKeepsTheBuyer(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		carlsPurchases(t, w)
		auction := w.List(t, servertest.Auction())
		config := w.Config
		config.Store = &lateBid{Store: w.Config.Store, bid: func() {
			operate(t, w, 200, "/operator/items/"+auction+"/bids", object{"buyer": object{"nickname": "carl"}, "amount": object{"amount": "10.00", "currency": "EUR"}})
		}}
		late, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := late.ForgetBuyer(context.Background(), 70001); !errors.Is(err, v1.ErrBuyerNeeded) || !strings.Contains(err.Error(), auction) {
			t.Errorf("want a refusal that names %s, got %v", auction, err)
		}
		if n := w.Count(t, "buyers", "nickname = 'carl' AND forgotten_at IS NULL AND email IS NOT NULL"); n != 1 {
			t.Error("the buyer was changed")
		}
	})
}

func TestAForgottenBuyerIsInNoAnswerThatRepeatsAnEvent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		hook := w.Subscribe(t, object{"url": "https://example.com/hook", "status": "paused"})
		sold := operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl()})
		held := w.Deliveries(t, "?webhook_id="+hook.ID)
		if len(held) != 1 || !strings.Contains(*held[0].RequestBody, "Kerkstraat") {
			t.Fatalf("held: %+v", held)
		}
		again := w.Do(t, servertest.Keyed("k", "/v1/webhook-deliveries/"+held[0].ID+"/redeliver", nil))
		if again.Status != http.StatusAccepted {
			t.Fatalf("redeliver: %d %s", again.Status, again.Body)
		}
		operate(t, w, 200, "/operator/sales/"+sold["id"].(string)+"/cancellation", object{"decision": "accept"})
		buyer, err := strconv.ParseInt(sold["buyer"].(map[string]any)["id"].(string), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Service.ForgetBuyer(context.Background(), v1.ID(buyer)); err != nil {
			t.Fatal(err)
		}
		expectNoTrace(t, w)
	})
}
