package v1_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/outbound/outboundtest"
)

// This file is about the addresses that programs of /rest give, in production.

func TestNoForbiddenTargetComesInByRest(t *testing.T) {
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	w := servertest.New(t, servertest.SQLite(t), servertest.Guarded(dns))
	for _, target := range outboundtest.ForbiddenTargets(canary.Port()) {
		address := strings.Replace(target.URL, "https://", "http://", 1)
		if target.NeedsResolver || address == target.URL || strings.ToValidUTF8(address, "") != address {
			continue // only its resolver gives it away, at the time it is sent to; or the form itself is refused
		}
		setting := w.Rest(t, "POST", "/rest/notification/settings", url.Values{"notificationType": {"Curl_Default"}, "destination": {address}}.Encode(), "X-Api-Key", w.Key)
		if setting.Status != http.StatusUnprocessableEntity || setting.Text("body/errorCode") != "invalid_webhook_url" {
			t.Errorf("a destination at %s: %d %s", address, setting.Status, setting.Body)
		}
		item := w.Rest(t, "POST", "/rest/item", url.Values{
			"title": {"Card"}, "id_category": {servertest.Category}, "personal_reference": {"A"}, "fixed_price": {"1"}, "images[]": {address},
		}.Encode(), "X-Api-Key", w.Key)
		if item.Status != http.StatusUnprocessableEntity || item.Text("body/errorCode") != "invalid_image_url" {
			t.Errorf("an image at %s: %d %s", address, item.Status, item.Body)
		}
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}

func TestADestinationWhoseNameMovesInsideGetsNothing(t *testing.T) {
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	inside := []netip.Addr{
		netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("0.0.0.0"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.1"),
	}
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		made := w.Rest(t, "POST", "/rest/notification/settings", "notificationType=Curl_Default&destination=http://shop.collector-hooks.com:"+canary.Port()+"/in",
			"X-Api-Key", w.Key)
		if made.Status != http.StatusOK {
			t.Fatalf("make the setting: %d %s", made.Status, made.Body)
		}
		const sends = 50
		for i := range sends {
			// Both kinds of addresses are always there: the other database's test may change the answer between the two questions of
			// a look-up, and a name without any address would be another error.
			dns.Answer(inside[i%len(inside)], inside[(i/len(inside))%len(inside)], inside[0], inside[1])
			if got := w.Rest(t, "POST", "/rest/notification/test", "notificationType=Curl_Default", "X-Api-Key", w.Key); got.Status != http.StatusOK {
				t.Fatalf("test: %d %s", got.Status, got.Body)
			}
			servertest.DeliverAll(t, w.Service)
		}
		if n := w.Count(t, "deliveries", "status = 'failed' AND error_code = 'blocked_target'"); n != sends {
			t.Errorf("%d of %d sends were blocked", n, sends)
		}
	}, func(c *v1.Config) {
		c.AllowPrivateTargets = false
		c.Webhooks = v1.NewOutboundClient(v1.OutboundConfig{AllowHTTP: true, Resolver: dns.Resolver()})
	})
	t.Cleanup(func() {
		if n := canary.Visitors(t); n != 0 {
			t.Errorf("the canary had %d visitors", n)
		}
	})
}

// TestV1KeepsWhatRestTook changes what has an http address through /v1, which takes no new one.
func TestV1KeepsWhatRestTook(t *testing.T) {
	web := servertest.NewWeb(t)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		picture := servertest.PublicImages + "stamp-01.png"
		w.Rest(t, "POST", "/rest/item", "title=Card&id_category="+servertest.Category+"&personal_reference=A&fixed_price=1&images[]="+picture, "X-Api-Key", w.Key)
		w.Publish(t)
		item := w.Rest(t, "GET", "/rest/item/reference/A", "", "X-Api-Key", w.Key).Text("body/item/id_item")
		w.Rest(t, "POST", "/rest/notification/settings", "notificationType=Curl_Default&destination=http://www.mysite.net/in", "X-Api-Key", w.Key)
		hook := w.Webhooks(t)[0]

		for _, c := range []struct {
			path string
			body object
			want string
		}{
			{"/v1/items/" + item, object{"title": "Another card"}, "200"},
			{"/v1/items/" + item, object{"images": []string{picture}, "title": "The same card"}, "200"},
			{"/v1/items/" + item, object{"images": []string{picture, servertest.PublicImages + "stamp-02.png"}}, "422 invalid_image_url images[1].url"},
			{"/v1/webhooks/" + hook.ID, object{"description": "an old one"}, "200"},
			{"/v1/webhooks/" + hook.ID, object{"url": "http://www.mysite.net/in", "status": "paused"}, "200"},
			{"/v1/webhooks/" + hook.ID, object{"url": "http://www.mysite.net/other"}, "422 invalid_webhook_url url"},
		} {
			answer := w.Do(t, servertest.Request{Method: "PATCH", Path: c.path, Body: c.body})
			if got := strings.TrimSpace(fmt.Sprint(answer.Status, " ", strings.Join(answer.Codes(), ", "))); got != c.want {
				t.Errorf("PATCH %s %v: %s instead of %s", c.path, c.body, got, c.want)
			}
		}
		for _, answer := range []servertest.Response{
			w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": "http://www.mysite.net/new", "format": "legacy_xml"}}),
			w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(object{"images": []string{picture}})}),
		} {
			if answer.Status != http.StatusUnprocessableEntity {
				t.Errorf("/v1 takes http: %d %s", answer.Status, answer.Body)
			}
		}
		if n := w.Count(t, "items", "images LIKE '%\"ready\"%'"); n != 1 {
			t.Errorf("%d items have their picture", n)
		}
	}, web.Production)
}
