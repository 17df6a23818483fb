package legacy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
)

// TestSettingsShowOnlyTypesOfNotifications subscribes with /v1 to what old programs have no type for.
func TestSettingsShowOnlyTypesOfNotifications(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		for url, events := range map[string][]string{
			"https://www.example.com/a": {"item.published", "payment.*", "sale.cancelled"},
			"https://www.example.com/b": {"payment.*"},
			"https://www.example.com/c": {"item.published", "item.*"},
			"https://www.example.com/d": {"*"},
		} {
			made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": url, "format": "legacy_xml", "events": events}})
			if made.Status != 201 {
				t.Fatalf("subscribe to %v: %d %s", events, made.Status, made.Body)
			}
		}
		got := map[string][]string{}
		list := w.Rest(t, "GET", "/rest/notification/settings", "", "X-Api-Key", w.Key)
		types := list.Texts("body/notification_settings/type")
		for i, destination := range list.Texts("body/notification_settings/destination") {
			got[destination] = append(got[destination], types[i])
		}
		want := map[string][]string{
			"https://www.example.com/a": {"Seller_Item_Add"},
			"https://www.example.com/c": {
				"Seller_Item_Add", "Seller_Item_Add_Error_Image", "Seller_Item_Update", "Seller_Item_FirstBid", "Seller_Item_Close_Sold", "Seller_Item_Close_Unsold",
				"Seller_Item_Close_Manually", "Seller_Item_Move",
			},
			"https://www.example.com/d": {"Default"},
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("types (-want +got):\n%s", diff)
		}
	})
}
