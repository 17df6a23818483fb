package legacy_test

import (
	"context"
	"math"
	"net/url"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// This file has what the programs of the public examples share, the one in Go (examples_go_test.go) and the one in PHP
// (examples_php_test.go): what the marketplace and the buyers do, and what the record says of the notification of a sale.

// soldFields are the elements of Seller_Item_Close_Sold on record, in their order.
var soldFields = []string{
	"seller_nickname", "id_item", "item_title", "best_bid", "best_bid_currency", "qty", "personal_reference", "url_to_item", "bids_qty", "visits_counter",
	"buyer_id", "buyer_nickname", "buyer_email", "buyer_spoken_languages", "buyer_language", "buyer_firstname", "buyer_surname", "buyer_address", "buyer_zipcode",
	"buyer_city", "buyer_state", "buyer_country", "buyer_phone", "buyer_rating_nbr", "buyer_rating_percentage", "url_to_rating",
}

// checkSoldNotice compares the notification of the first sale with the record: the names of its elements, and their texts.
func checkSoldNotice(t *testing.T, names []string, text func(element string) string) {
	t.Helper()
	if diff := cmp.Diff(soldFields, names); diff != "" {
		t.Errorf("elements of Seller_Item_Close_Sold (-record +got):\n%s", diff)
	}
	want := map[string]string{"best_bid": "12.00", "best_bid_currency": "EUR", "qty": "1", "bids_qty": "1", "visits_counter": "7"}
	got := map[string]string{}
	for name := range want {
		got[name] = text(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the sale (-want +got):\n%s", diff)
	}
	page, err1 := url.QueryUnescape(text("url_to_item"))
	rating, err2 := url.QueryUnescape(text("url_to_rating"))
	if want := "https://www.example.com/item/" + text("id_item"); err1 != nil || err2 != nil || page != want || rating != want+"#rating" || text("url_to_item") == page {
		t.Errorf("the addresses are %s and %s", text("url_to_item"), text("url_to_rating"))
	}
}

// checkSettingNumber fails the test if the number of a setting does not fit the integers of old programs.
func checkSettingNumber(t *testing.T, number string) {
	t.Helper()
	if n, err := strconv.ParseInt(number, 10, 64); err != nil || n < 1 || n > math.MaxInt32 {
		t.Errorf("the setting's number is %q", number)
	}
}

// endSold sells both auctions for 12 euros. Seven visitors have seen the first one.
func endSold(t *testing.T, w *servertest.World, auction, other string) {
	t.Helper()
	visits := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + auction + "/visits", Body: map[string]any{"count": 7}})
	if visits.Status != 200 {
		t.Fatalf("visits: %d %s", visits.Status, visits.Body)
	}
	for _, item := range []string{auction, other} {
		w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/bids", Body: map[string]any{"amount": map[string]any{"amount": "12.00", "currency": "EUR"}}})
		w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/end", Method: "POST", Body: map[string]any{}})
	}
	deliverAll(t, w)
}

// cancelSale cancels the one sale of an item.
func cancelSale(t *testing.T, w *servertest.World, item string) {
	t.Helper()
	page := servertest.Into[struct {
		Results []struct {
			ID v1.ID `json:"id"`
		} `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/sales?item_id=" + item}))
	if answer := w.Do(t, servertest.Request{Path: "/v1/test/sales/" + page.Results[0].ID.String() + "/cancel", Body: map[string]any{}}); answer.Status != 200 {
		t.Fatalf("cancel: %d %s", answer.Status, answer.Body)
	}
}

// deliverAll sends the notifications that are due, until none is.
func deliverAll(t *testing.T, w *servertest.World) {
	t.Helper()
	for {
		n, err := w.Service.DeliverOnce(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}
