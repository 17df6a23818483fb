package legacy_test

import (
	"math"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// This file drives the service as a program does that was written from the public examples of the old interface alone:
// its data, its http addresses and its way to renew a notification are theirs.

// exampleAuction is the data of the example of addItemAuction, with a date and a category of today.
func exampleAuction(reference string) url.Values {
	return url.Values{
		"id_country": {"0"}, "id_category": {servertest.Category}, "price_starting": {"1.00"}, "price_increment": {"0.01"}, "currency": {"EUR"},
		"title": {"My title"}, "personal_reference": {reference}, "price_reserve": {"5.00"}, "date_end": {"2026-12-01 10:00:00"}, "duration": {"10"},
		"description": {"My description"}, "renew": {"2"}, "option_lastminutebidding": {"1"}, "option_privatebidding": {"0"}, "option_subtitle": {"1"},
		"subtitle": {"My subtitle"}, "option_boldtitle": {"1"}, "option_highlight": {"0"}, "option_coloredborder": {"1"}, "option_toplisting": {"0"},
		"option_topcategory": {"0"}, "option_topmain": {"0"}, "option_keepoptionsonrenewal": {"1"}, "prefered_end_day": {"mon"}, "prefered_end_hour": {"15:00"},
		"images[]": {servertest.PublicImages + "stamp-01.png", servertest.PublicImages + "stamp-02.png"},
	}
}

// soldFields are the elements of Seller_Item_Close_Sold on record, in their order.
var soldFields = []string{
	"seller_nickname", "id_item", "item_title", "best_bid", "best_bid_currency", "qty", "personal_reference", "url_to_item", "bids_qty", "visits_counter",
	"buyer_id", "buyer_nickname", "buyer_email", "buyer_spoken_languages", "buyer_language", "buyer_firstname", "buyer_surname", "buyer_address", "buyer_zipcode",
	"buyer_city", "buyer_state", "buyer_country", "buyer_phone", "buyer_rating_nbr", "buyer_rating_percentage", "url_to_rating",
}

func TestAProgramOfThePublicExamples(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		web, inbox := servertest.NewWeb(t), &inbox{}
		web.Host(t, "www.mysite.net", inbox)
		w := servertest.New(t, database(t), web.Production)
		service := httptest.NewServer(w.Server.Public)
		t.Cleanup(service.Close)
		old := &oldClient{base: service.URL, key: w.Key, http: service.Client()}
		call := func(method, path string, fields url.Values) *element {
			t.Helper()
			answer, err := old.call(method, path, fields)
			return must(t, answer, err)
		}
		if got := call("GET", "/server/time", nil).text("body/time"); got == "" {
			t.Error("the first call that one tries has no answer")
		}
		if err := old.login(); err != nil {
			t.Fatal(err)
		}

		setting := url.Values{"notificationType": {"Curl_Default"}, "destination": {"http://www.mysite.net/feedback_api.php?token=bob"}}
		call("POST", "/notification/settings", setting)
		mine := call("GET", "/notification/settings", nil).find("body/notification_settings")
		number := mine.text("id_notification")
		if n, err := strconv.ParseInt(number, 10, 64); err != nil || n < 1 || n > math.MaxInt32 {
			t.Errorf("the setting's number is %q", number)
		}
		if diff := cmp.Diff([]string{"Curl", "Default", setting.Get("destination"), "1"}, texts(mine, "channel", "type", "destination", "active")); diff != "" {
			t.Errorf("setting: %s", diff)
		}
		call("PUT", "/notification/"+number, nil)
		if got := call("GET", "/notification/settings", nil).text("body/notification_settings/active"); got != "0" {
			t.Errorf("the setting is not off: %q", got)
		}
		call("POST", "/notification/settings", setting)
		if got := call("GET", "/notification/settings", nil).all("body/notification_settings"); len(got) != 1 || got[0].text("active") != "1" || got[0].text("id_notification") != number {
			t.Errorf("the setting that was set anew: %d", len(got))
		}

		// What is read of an item is what was sent of it.
		sent := exampleAuction("A-1")
		call("POST", "/item", sent)
		call("POST", "/item", exampleAuction("A-2"))
		w.Publish(t)
		inbox.deliver(t, w)
		auction, other := inbox.item("A-1"), inbox.item("A-2")
		if got := inbox.find(t, "Seller_Item_Add", auction).text("token"); got != "bob" {
			t.Errorf("the token of the destination is %q", got)
		}
		read := call("GET", "/item/"+auction, nil).find("body/item")
		for name := range sent {
			if name == "images[]" || name == "duration" { // which date_end made mean nothing
				continue
			}
			if diff := cmp.Diff(sent.Get(name), read.text(name)); diff != "" {
				t.Errorf("%s is read otherwise: %s", name, diff)
			}
		}
		if n := w.Count(t, "items", `images LIKE '%stamp-01.png%ready%stamp-02.png%ready%'`); n != 2 {
			t.Errorf("%d items have their images", n)
		}
		if n := len(call("GET", "/item/reference/A-1", url.Values{"closed": {"0"}}).all("body/item")); n != 1 {
			t.Errorf("%d items on sale have the reference", n)
		}

		// Both are sold, and the second sale is cancelled.
		seen(t, w, auction, 7)
		for _, item := range []string{auction, other} {
			w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/bids", Body: map[string]any{"amount": map[string]any{"amount": "12.00", "currency": "EUR"}}})
			w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/end", Method: "POST", Body: map[string]any{}})
		}
		inbox.deliver(t, w)
		checkSoldNotice(t, inbox.find(t, "Seller_Item_Close_Sold", auction))
		cancelSale(t, w, other)
		sold := call("GET", "/item/auction/sold", url.Values{"startingItem": {"0"}, "numberOfItems": {"100"}}).all("body/item")
		if len(sold) != 1 || sold[0].text("id_item") != auction {
			t.Errorf("%d items are listed as sold", len(sold))
		}
		if n := len(call("GET", "/item/"+other+"/buyer", nil).all("body/buyer")); n != 0 {
			t.Errorf("the cancelled sale has %d buyers", n)
		}
		if got := call("GET", "/item/"+auction+"/buyer", nil).find("body/buyer"); got.text("buyer_spoken_languages") == "" || got.text("buyer_address") == "" {
			t.Errorf("buyer: %+v", got)
		}
		call("POST", "/item/"+auction+"/feedback", url.Values{"ratingValue": {"100"}, "comment": {"My comment"}})
	})
}

// checkSoldNotice compares a notification with the record.
func checkSoldNotice(t *testing.T, notice *element) {
	t.Helper()
	var names []string
	for _, child := range notice.children {
		if child.name != "type" && child.name != "token" { // which the inbox added
			names = append(names, child.name)
		}
	}
	if diff := cmp.Diff(soldFields, names); diff != "" {
		t.Errorf("elements of Seller_Item_Close_Sold (-record +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"12.00", "EUR", "1", "1", "7"}, texts(notice, "best_bid", "best_bid_currency", "qty", "bids_qty", "visits_counter")); diff != "" {
		t.Errorf("the sale: %s", diff)
	}
	page, err1 := url.QueryUnescape(notice.text("url_to_item"))
	rating, err2 := url.QueryUnescape(notice.text("url_to_rating"))
	if want := "https://www.example.com/item/" + notice.text("id_item"); err1 != nil || err2 != nil || page != want || rating != want+"#rating" || notice.text("url_to_item") == page {
		t.Errorf("the addresses are %s and %s", notice.text("url_to_item"), notice.text("url_to_rating"))
	}
}

// seen makes an item's page have had visitors, of whom the marketplace tells.
func seen(t *testing.T, w *servertest.World, item string, visits int) {
	t.Helper()
	if told := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + item + "/visits", Body: map[string]any{"count": visits}}); told.Status != 200 {
		t.Fatalf("%d %s", told.Status, told.Body)
	}
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
