package legacy_test

import (
	"net/url"
	"testing"

	"sellerd/internal/servertest"
)

func TestASaleTellsHowOftenTheItemWasVisited(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		web, inbox := servertest.NewWeb(t), &inbox{}
		web.Host(t, "www.mysite.net", inbox)
		w := servertest.New(t, database(t), web.Production)
		setting := url.Values{"notificationType": {"Curl_Seller_Item_Close_Sold"}, "destination": {"http://www.mysite.net/feedback_api.php"}}
		if got := w.Rest(t, "POST", "/rest/notification/settings", setting.Encode(), "X-Api-Key", w.Key).Text("body/status"); got != "true" {
			t.Fatalf("the setting: %q", got)
		}
		listing := servertest.FixedPrice()
		delete(listing, "images") // pictures of /v1 are at https addresses, which this web does not have
		item := w.List(t, listing)
		told := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + item + "/visits", Body: map[string]any{"count": 17}})
		bought := w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: map[string]any{"quantity": 1}})
		if told.Status != 200 || bought.Status != 200 {
			t.Fatalf("visits %d, purchase %d: %s", told.Status, bought.Status, told.Body)
		}
		inbox.deliver(t, w)
		if got := inbox.find(t, "Seller_Item_Close_Sold", item).text("visits_counter"); got != "17" {
			t.Errorf("visits_counter is %q", got)
		}
	})
}
