package servertest

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/demo"
	"sellerd/v1"
	"sellerd/v1/outbound/outboundtest"
)

// PublicImages is where a Web has the demo images (see demo.Images), as an old program would name them.
const PublicImages = "http://www.mypictures.com/"

// Web stands for the internet in a test with production settings: public names lead to the test's own servers. All checks
// of addresses are those of production; only the connection itself ends on this machine.
type Web struct {
	mu    sync.Mutex
	hosts map[string]string // name with its port → address to connect to
}

// NewWeb makes a web that has the demo images.
func NewWeb(tb testing.TB) *Web {
	web := &Web{hosts: map[string]string{}}
	web.Host(tb, strings.TrimSuffix(strings.TrimPrefix(PublicImages, "http://"), "/"), demo.Images())
	return web
}

// Host lets a handler answer at http://name.
func (web *Web) Host(tb testing.TB, name string, handler http.Handler) {
	server := httptest.NewServer(handler)
	tb.Cleanup(server.Close)
	web.mu.Lock()
	defer web.mu.Unlock()
	web.hosts[name+":80"] = server.Listener.Addr().String()
}

// Production is an Option: the service makes its own clients, as in production, rejects private targets, and finds public
// ones in the web.
func (web *Web) Production(c *v1.Config) {
	c.AllowPrivateTargets = false
	c.Dial = web.dial
}

func (web *Web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	web.mu.Lock()
	to, ok := web.hosts[address]
	web.mu.Unlock()
	if !ok {
		return nil, fmt.Errorf("nothing of the web is at %s", address)
	}
	return new(net.Dialer).DialContext(ctx, network, to)
}

// Guarded is an Option: webhooks have the client that serves the public, which asks a name server of the test's.
func Guarded(dns *outboundtest.FakeDNS) Option {
	return func(c *v1.Config) {
		c.AllowPrivateTargets = false
		c.Webhooks = v1.NewOutboundClient(v1.OutboundConfig{Resolver: dns.Resolver(), DialTimeout: 2 * time.Second})
	}
}
