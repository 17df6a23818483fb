package hooks_test

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/outbound/outboundtest"
)

func TestNoForbiddenTargetBecomesAWebhook(t *testing.T) {
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	w := servertest.New(t, servertest.SQLite(t), servertest.Guarded(dns))
	hook := w.Subscribe(t, object{"url": "https://example.com/hook"})
	for _, target := range outboundtest.ForbiddenTargets(canary.Port()) {
		if target.NeedsResolver {
			continue // only its resolver gives it away, at the time it is sent to
		}
		t.Run(target.URL, func(t *testing.T) {
			for _, got := range []servertest.Response{
				w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: object{"url": target.URL}}),
				w.PatchWebhook(t, hook.ID, object{"url": target.URL}),
			} {
				if diff := cmp.Diff([]string{"invalid_webhook_url url"}, got.Codes()); diff != "" || got.Status != 422 {
					t.Errorf("%d (-want +got):\n%s", got.Status, diff)
				}
				if strings.Contains(got.Body, target.URL) {
					t.Errorf("the answer repeats the address: %s", got.Body)
				}
			}
		})
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}

func TestNoForbiddenTargetIsSentTo(t *testing.T) {
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{"url": "https://example.com/hook"})
		codes := map[string]int{}
		targets := outboundtest.ForbiddenTargets(canary.Port())
		for _, target := range targets {
			// What was accepted when other rules held, or was restored from somewhere.
			err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
				_, err := tx.ExecContext(ctx, `UPDATE webhooks SET url = $1`, strings.ToValidUTF8(strings.ReplaceAll(target.URL, "\x00", ""), ""))
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hook.ID + "/test"})
			if n := servertest.DeliverAll(t, w.Service); n != 1 {
				t.Errorf("%s: %d attempts", target.URL, n)
			}
			last := w.Deliveries(t, "?limit=1")[0]
			if last.Error == nil || last.Response != nil || last.Status != "failed" {
				t.Fatalf("%s: %+v", target.URL, last)
			}
			codes[last.Error.Code]++
		}
		if diff := cmp.Diff(map[string]int{"blocked_target": len(targets)}, codes); diff != "" {
			t.Errorf("codes (-want +got):\n%s", diff)
		}
	}, servertest.Guarded(dns), func(*v1.Config) { dns.Answer(netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1")) })
	t.Cleanup(func() {
		if n := canary.Visitors(t); n != 0 {
			t.Errorf("the canary had %d visitors", n)
		}
	})
}

func TestAReceiverWhoseNameMovesInsideGetsNothing(t *testing.T) {
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	inside := []netip.Addr{
		netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("0.0.0.0"), netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.1"),
	}
	w := servertest.New(t, servertest.SQLite(t), servertest.Guarded(dns))
	var hooks []string
	for i := range 8 { // as many as an account may send to at once
		hooks = append(hooks, w.Subscribe(t, object{"url": fmt.Sprintf("https://shop.collector-hooks.com:%s/%d", canary.Port(), i)}).ID)
	}
	const sends = 1000
	sent := 0
	for i := 0; i < sends; i += 32 {
		dns.Answer(inside[i%len(inside)], inside[(i/32)%len(inside)])
		for k := range min(32, sends-i) {
			if got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hooks[k%len(hooks)] + "/test"}); got.Status != http.StatusAccepted {
				t.Fatalf("test: %d %s", got.Status, got.Body)
			}
		}
		sent += servertest.DeliverAll(t, w.Service)
	}
	if n := w.Count(t, "deliveries", "status = 'failed' AND final AND error_code = 'blocked_target'"); n != sends || sent != sends {
		t.Errorf("%d of %d sends were blocked", n, sent)
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}
