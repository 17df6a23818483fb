package legacy_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
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

// TestANotificationIsShownAsItWasSent deletes a webhook whose notification was sent.
func TestANotificationIsShownAsItWasSent(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		type object struct {
			ID string `json:"id"`
		}
		w := servertest.New(t, database(t), servertest.NewWeb(t).Production)
		made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": "https://www.mysite.net/in", "format": "legacy_xml"}})
		hook := servertest.Into[object](t, made).ID
		sample := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hook + "/test"})
		path := "/v1/webhook-deliveries/" + servertest.Into[object](t, sample).ID
		deliverAll(t, w)
		type delivery struct {
			Status  string            `json:"status"`
			Headers map[string]string `json:"request_headers"`
			Body    string            `json:"request_body"`
		}
		want := servertest.Into[delivery](t, w.Do(t, servertest.Request{Path: path}))
		if want.Headers["content-type"] == "" || !strings.HasPrefix(want.Body, "delcampeNotification=") {
			t.Fatalf("sent: %+v", want)
		}
		if deleted := w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook}); deleted.Status != 200 {
			t.Fatalf("delete the webhook: %d %s", deleted.Status, deleted.Body)
		}
		if diff := cmp.Diff(want, servertest.Into[delivery](t, w.Do(t, servertest.Request{Path: path}))); diff != "" {
			t.Errorf("the delivery after its webhook is deleted (-before +after):\n%s", diff)
		}
	})
}
