package legacy_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// TestAnOldProgramDoesASellersWholeDay drives the running service as a program of the old days would: from login to
// feedback, with notifications in between. Buyers, publication and time are the test's.
func TestAnOldProgramDoesASellersWholeDay(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		web, inbox := servertest.NewWeb(t), &inbox{}
		web.Host(t, "www.mysite.net", inbox)
		w := servertest.New(t, database(t), web.Production)
		service := httptest.NewServer(w.Server.Public)
		t.Cleanup(service.Close)
		old := &oldClient{base: service.URL, key: w.Key, http: service.Client()}
		if err := old.login(); err != nil {
			t.Fatal(err)
		}
		ack := func(method, path string, fields url.Values) {
			t.Helper()
			answer, err := old.call(method, path, fields)
			if got := must(t, answer, err).text("body/status") + " " + answer.text("body/data"); got != "true Your request was taken into account!" {
				t.Fatalf("acknowledgement of %s %s: %q", method, path, got)
			}
		}

		// In the morning it looks around.
		seller, err := old.call("GET", "/seller", nil)
		if got := must(t, seller, err).text("body/seller/nickname"); got != "anna" {
			t.Errorf("nickname: %q", got)
		}
		categories, err := old.call("GET", "/category", url.Values{"language": {"F"}, "showOnlyLeaves": {"1"}})
		if got := must(t, categories, err).all("body/category"); len(got) < 50 || got[0].text("selectable") != "1" ||
			!strings.Contains(got[0].text("parent_path_verbose"), " > ") {
			t.Errorf("%d categories", len(got))
		}
		models, err := old.call("GET", "/shippingModels", nil)
		if got := must(t, models, err).all("body/shippingModel"); len(got) == 0 {
			t.Error("no shipping models")
		}
		ack("POST", "/notification/settings", url.Values{"notificationType": {"Curl_Default"}, "destination": {"http://www.mysite.net/feedback_api.php?token=mine"}})

		// It lists an auction, a lot at a fixed price, and three more in one bulk.
		ack("POST", "/item", url.Values{
			"title": {"Lettre 1849 & timbre"}, "id_category": {servertest.Category}, "personal_reference": {"A-1"}, "price_starting": {"9.5"}, "currency": {"EUR"},
			"duration": {"7"}, "images[]": {servertest.PublicImages + "stamp-01.png"}, "option_boldtitle": {"1"}, "subtitle": {""},
		})
		ack("POST", "/item", url.Values{
			"title": {"Ten postcards"}, "id_category": {servertest.Category}, "personal_reference": {"F-1"}, "fixed_price": {"2.50"}, "currency": {"EUR"}, "qty": {"10"},
		})
		bulk := url.Values{}
		for i := range 3 {
			entry := fmt.Sprintf("items[%d]", i)
			bulk.Set(entry+"[title]", fmt.Sprint("Coin ", i))
			bulk.Set(entry+"[id_category]", servertest.Category)
			bulk.Set(entry+"[personal_reference]", fmt.Sprint("B-", i))
			bulk.Set(entry+"[fixed_price]", []string{"1.00", "1,50", "3.00"}[i])
		}
		answer, err := old.call("POST", "/items", bulk)
		var outcomes []string
		for _, entry := range must(t, answer, err).all("body/item") {
			outcomes = append(outcomes, entry.text("personal_reference")+" "+entry.text("status"))
		}
		if diff := cmp.Diff([]string{"B-0 true", "B-1 false", "B-2 true"}, outcomes); diff != "" {
			t.Errorf("bulk: %s", diff)
		}
		w.Publish(t)
		deliverAll(t, w)
		if diff := cmp.Diff(map[string]int{"Seller_Item_Add": 4}, inbox.types()); diff != "" {
			t.Errorf("notifications: %s", diff)
		}
		auction, lot := inbox.item("A-1"), inbox.item("F-1")

		// It reads, corrects and takes one back.
		item, err := old.call("GET", "/item/"+auction, nil)
		if diff := cmp.Diff([]string{"Lettre 1849 & timbre", "9.50", "EUR", "1", "0", ""}, texts(must(t, item, err).find("body/item"),
			"title", "price_starting", "currency", "option_boldtitle", "bids", "subtitle")); diff != "" {
			t.Errorf("item: %s", diff)
		}
		ack("PUT", "/item/"+auction, url.Values{"title": {"Lettre de 1849"}, "price_starting": {"8"}})
		ack("DELETE", "/item/"+inbox.item("B-2"), url.Values{"reason": {"LostOrBrokenItem"}})
		ack("POST", "/item/"+inbox.item("B-2")+"/restart", nil)

		// Buyers come.
		w.Do(t, servertest.Request{Path: "/v1/test/items/" + auction + "/bids", Body: map[string]any{"amount": map[string]any{"amount": "12.00", "currency": "EUR"}}})
		refusedClose, err := old.call("DELETE", "/item/"+auction, nil)
		if got := refusedClose.text("body/errorMsg"); err == nil || got != "There is already a bid on this item!" {
			t.Errorf("closing an auction with a bid: %q", got)
		}
		w.Do(t, servertest.Request{Path: "/v1/test/items/" + auction + "/end", Method: "POST", Body: map[string]any{}})
		w.Do(t, servertest.Request{Path: "/v1/test/items/" + lot + "/purchase", Body: map[string]any{"quantity": 3}})
		deliverAll(t, w)
		sold := inbox.find(t, "Seller_Item_Close_Sold", auction)
		if diff := cmp.Diff([]string{"anna", "12.00", "EUR", "1", "A-1", "mine"}, append(texts(sold, "seller_nickname", "best_bid", "best_bid_currency", "qty",
			"personal_reference"), sold.text("token"))); diff != "" {
			t.Errorf("notification of the sale: %s", diff)
		}

		// In the evening it settles up.
		list, err := old.call("GET", "/item/auction/sold", url.Values{"startingItem": {"0"}, "numberOfItems": {"1000"}})
		if diff := cmp.Diff([]string{auction, "12.00", "1"}, texts(must(t, list, err).find("body/item"), "id_item", "price_present", "qty")); diff != "" {
			t.Errorf("sold auctions: %s", diff)
		}
		open, err := old.call("GET", "/item/fixedprice/opened", url.Values{"order": {"DESC"}})
		var references []string
		for _, item := range must(t, open, err).all("body/item") {
			references = append(references, item.text("personal_reference")+" "+item.text("qty"))
		}
		if diff := cmp.Diff([]string{"B-2 1", "B-0 1", "F-1 7"}, references); diff != "" {
			t.Errorf("open items: %s", diff)
		}
		buyer, err := old.call("GET", "/item/"+auction+"/buyer", nil)
		if got := must(t, buyer, err).find("body/buyer"); got.text("buyer_nickname") == "" || got.text("buyer_zipcode") == "" {
			t.Errorf("buyer: %+v", got)
		}
		ack("POST", "/item/"+auction+"/feedback", url.Values{"feedback": {"100"}, "comment": {"Perfect"}})
		again, err := old.call("POST", "/item/"+auction+"/feedback", url.Values{"feedback": {"100"}})
		if got := again.text("body/errorCode"); err == nil || got != "rating_exists" {
			t.Errorf("second feedback: %q", got)
		}
	})
}

// texts are the texts of some elements inside e.
func texts(e *element, names ...string) (out []string) {
	for _, name := range names {
		out = append(out, e.text(name))
	}
	return out
}

// inbox is where the old program gets its notifications.
type inbox struct {
	mu  sync.Mutex
	got []*element
}

// ServeHTTP takes a notification.
func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	fields, err := url.ParseQuery(string(body))
	root, xmlErr := readXML(strings.NewReader(fields.Get("delcampeNotification")))
	if err != nil || xmlErr != nil {
		http.Error(w, "not a notification", http.StatusBadRequest)
		return
	}
	data := root.find("Notification_Data")
	data.children = append(data.children, &element{name: "type", chars: root.text("Notification_Type")}, &element{name: "token", chars: root.text("Notification_Token")})
	in.mu.Lock()
	defer in.mu.Unlock()
	in.got = append(in.got, data)
}

// types counts what came by type.
func (in *inbox) types() map[string]int {
	in.mu.Lock()
	defer in.mu.Unlock()
	counts := map[string]int{}
	for _, data := range in.got {
		counts[data.text("type")]++
	}
	return counts
}

// item is the number of the item with a reference.
func (in *inbox) item(reference string) string {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, data := range in.got {
		if data.text("personal_reference") == reference {
			return data.text("id_item")
		}
	}
	return "unknown"
}

// find is the notification of a type about an item.
func (in *inbox) find(t *testing.T, kind, item string) *element {
	t.Helper()
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, data := range in.got {
		if data.text("type") == kind && data.text("id_item") == item {
			return data
		}
	}
	t.Fatalf("no notification %s of item %s", kind, item)
	return nil
}
