package legacy_test

import (
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// This file drives the service as a program in Go does that was written from the public examples of the old interface
// alone: its data, its http addresses and its way to renew a notification are theirs.

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
		checkSettingNumber(t, number)
		if diff := cmp.Diff([]string{"Curl", "Default", setting.Get("destination"), "1"}, texts(mine, "channel", "type", "destination", "active")); diff != "" {
			t.Errorf("setting: %s", diff)
		}
		call("PUT", "/notification/"+number, nil)
		if got := call("GET", "/notification/settings", nil).text("body/notification_settings/active"); got != "0" {
			t.Errorf("the setting is not off: %q", got)
		}
		call("POST", "/notification/settings", setting)
		if got := call("GET", "/notification/settings", nil).all("body/notification_settings"); len(got) != 1 || got[0].text("active") != "1" ||
			got[0].text("id_notification") != number {
			t.Errorf("the setting that was set anew: %d", len(got))
		}

		// What is read of an item is what was sent of it.
		sent := exampleAuction("A-1")
		call("POST", "/item", sent)
		call("POST", "/item", exampleAuction("A-2"))
		w.Publish(t)
		deliverAll(t, w)
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
		endSold(t, w, auction, other)
		notice := inbox.find(t, "Seller_Item_Close_Sold", auction)
		var names []string
		for _, child := range notice.children {
			if child.name != "type" && child.name != "token" { // which the inbox added
				names = append(names, child.name)
			}
		}
		checkSoldNotice(t, names, notice.text)
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
