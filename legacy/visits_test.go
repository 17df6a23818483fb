package legacy_test

import (
	"testing"

	"sellerd/internal/servertest"
)

func TestASaleTellsHowOftenTheItemWasVisited(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		inbox := newInbox(t)
		hook := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": inbox.URL, "events": []string{"item.sold"}, "format": "legacy_xml"}})
		item := w.List(t, servertest.FixedPrice())
		told := w.DoOperator(t, servertest.Request{Path: "/operator/items/" + item + "/visits", Body: map[string]any{"count": 17}})
		bought := w.Do(t, servertest.Request{Path: "/v1/test/items/" + item + "/purchase", Body: map[string]any{"quantity": 1}})
		if hook.Status != 201 || told.Status != 200 || bought.Status != 200 {
			t.Fatalf("webhook %d, visits %d, purchase %d: %s", hook.Status, told.Status, bought.Status, told.Body)
		}
		inbox.deliver(t, w)
		if got := inbox.find(t, "Seller_Item_Close_Sold", item).text("visits_counter"); got != "17" {
			t.Errorf("visits_counter is %q", got)
		}
	})
}
