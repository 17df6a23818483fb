package hooks_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/v1/outbound/outboundtest"
)

// TestAddressesHaveUsualPorts is about addresses in requests. What is called later is checked in package outbound.
func TestAddressesHaveUsualPorts(t *testing.T) {
	// The default of these tests allows the private addresses of their receivers, and with them every port.
	w := servertest.New(t, servertest.SQLite(t), servertest.Guarded(outboundtest.NewFakeDNS(t)))
	for name, c := range map[string]struct {
		port string
		want []string
	}{
		"the port of https":   {":443", []string{}},
		"its second port":     {":8443", []string{}},
		"the first free port": {":1024", []string{}},
		"the last of system":  {":1023", []string{"invalid_webhook_url url"}},
		"a shell":             {":22", []string{"invalid_webhook_url url"}},
		"mail":                {":25", []string{"invalid_webhook_url url"}},
	} {
		for mode, key := range map[string]string{"live": w.LiveKey, "test": w.Key} {
			t.Run(name+", "+mode, func(t *testing.T) {
				address := "https://hooks.collector-hooks.com" + c.port + "/" + mode
				made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Key: key, Body: object{"url": address}})
				if diff := cmp.Diff(c.want, made.Codes()); diff != "" {
					t.Errorf("a webhook: %d (-want +got):\n%s", made.Status, diff)
				}
				images := w.Do(t, servertest.Request{
					Path: "/v1/items?validate_only=true", Key: key, Body: servertest.FixedPrice(object{"images": []string{address}}),
				})
				if refused := images.Status == 422 && images.Codes()[0] == "invalid_image_url images[0].url"; refused != (len(c.want) > 0) {
					t.Errorf("an image: %d %v", images.Status, images.Codes())
				}
			})
		}
	}
}

// TestAWebhookKeepsItsPort stores an address that earlier releases accepted.
func TestAWebhookKeepsItsPort(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const old = "https://hooks.collector-hooks.com:444/in"
		made := w.Subscribe(t, object{"url": "https://hooks.collector-hooks.com/in"})
		err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
			return tx.Webhook.Update().SetURL(old).Exec(ctx)
		})
		if err != nil {
			t.Fatal(err)
		}
		patch := func(body object) servertest.Response {
			return w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/webhooks/" + made.ID, Body: body})
		}
		for name, c := range map[string]struct {
			got  servertest.Response
			want []string
		}{
			"another member changes":         {patch(object{"description": "Desk"}), []string{}},
			"the address is sent as it is":   {patch(object{"url": old, "status": "paused"}), []string{}},
			"another path at the same port":  {patch(object{"url": old + "/2"}), []string{"invalid_webhook_url url"}},
			"other events at the same place": {w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": old, "events": []string{"item.sold"}}}), []string{}},
			"another account":                {w.Do(t, servertest.Request{Path: "/v1/webhooks", Key: otherSeller(t, w), Body: object{"url": old}}), []string{"invalid_webhook_url url"}},
		} {
			if diff := cmp.Diff(c.want, c.got.Codes()); diff != "" {
				t.Errorf("%s: %d (-want +got):\n%s", name, c.got.Status, diff)
			}
		}
	}, servertest.Guarded(outboundtest.NewFakeDNS(t))) // the default of these tests allows the private addresses of their receivers, and with them every port
}

func otherSeller(t *testing.T, w *servertest.World) string {
	t.Helper()
	_, key, _ := w.Seller(t, "carla")
	return key
}
