package hooks_test

import (
	"net"
	"net/netip"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/outbound"
	"sellerd/v1/outbound/outboundtest"
)

// TestTheClientsOfAServiceAreGuarded asks the clients that a service makes itself, as in production, for a name that leads
// to this machine. It is not parallel, as it replaces the resolver of the whole process.
func TestTheClientsOfAServiceAreGuarded(t *testing.T) {
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.AllowPrivateTargets = false })
	systems := net.DefaultResolver
	net.DefaultResolver = dns.Resolver()
	t.Cleanup(func() { net.DefaultResolver = systems })
	dns.Answer(netip.MustParseAddr("127.0.0.1"))

	address := "http://shop.collector-hooks.com:" + canary.Port() + "/in"
	answer, err := w.Service.Config.Webhooks.Get(address)
	if err == nil {
		answer.Body.Close()
	}
	if code := outbound.ErrorCode(err); code != "blocked_target" {
		t.Errorf("a webhook: %q, %v", code, err)
	}
	for _, image := range w.Service.Images().FetchAll(t.Context(), []string{address}) {
		if image.ErrorCode != "image_unreachable" {
			t.Errorf("an image: %q", image.ErrorCode)
		}
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}
