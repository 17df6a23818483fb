package v1

import (
	"bufio"
	"context"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/net/dns/dnsmessage"
)

// This file has the peers that outbound requests meet in tests: servers, forbidden targets, and a resolver.

// leaveNoGoroutines fails the test if something it started is still running at its end.
func leaveNoGoroutines(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

// fetchLoopback reads an answer of a loopback server to its end and returns the first error on the way.
func fetchLoopback(t *testing.T, cfg OutboundConfig, url string) error {
	t.Helper()
	cfg.AllowPrivate = true
	client := NewOutboundClient(cfg)
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func serveHTTP(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func serveHTTPS(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are what some tests are about
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func rootsOf(server *httptest.Server) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return roots
}

// serveTCP accepts one connection after the other, reads the first line of what comes and lets talk answer it.
func serveTCP(t *testing.T, talk func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			bufio.NewReader(conn).ReadByte()
			talk(conn)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}

// outboundTarget is a line of a list of targets.
type outboundTarget struct {
	url           string
	addrs         []netip.Addr // what the resolver says
	needsResolver bool         // only the resolver knows that it is forbidden
}

func readOutboundTargets(t *testing.T, path, port string) []outboundTarget {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var targets []outboundTarget
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		url, answers, needsResolver := strings.Cut(line, " => ")
		if !needsResolver {
			answers = "127.0.0.1 ::1" // the worst answer, should it come to a lookup
		}
		tg := outboundTarget{url: strings.ReplaceAll(url, "{port}", port), needsResolver: needsResolver}
		for answer := range strings.FieldsSeq(answers) {
			tg.addrs = append(tg.addrs, netip.MustParseAddr(answer))
		}
		targets = append(targets, tg)
	}
	return targets
}

// canary counts the connections to a port of loopback addresses.
type canary struct {
	port      string
	listeners []net.Listener
	arrivals  chan string
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	return newCanaryAt(t, "0", "127.0.0.1", "::1")
}

// newCanaryAt listens on one port of several addresses. A machine without IPv6 has no ::1 to protect.
func newCanaryAt(t *testing.T, port string, hosts ...string) *canary {
	t.Helper()
	c := &canary{port: port, arrivals: make(chan string, 4096)}
	for _, host := range hosts {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, c.port))
		if err != nil && host == "::1" {
			t.Logf("no canary on ::1: %v", err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		_, c.port, _ = net.SplitHostPort(listener.Addr().String())
		c.listeners = append(c.listeners, listener)
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				c.arrivals <- conn.RemoteAddr().String()
				conn.Close()
			}
		}()
	}
	return c
}

// visitors counts who came until now. It visits each listener itself: connections are accepted in their order, so when
// its own has arrived, all earlier ones have.
func (c *canary) visitors(t *testing.T) int {
	t.Helper()
	n := 0
	for _, listener := range c.listeners {
		own, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		for <-c.arrivals != own.LocalAddr().String() {
			n++
		}
		own.Close()
	}
	return n
}

// fakeDNS is a name server on loopback, so that names resolve to what a test wants and nothing leaves the machine.
type fakeDNS struct {
	resolver *net.Resolver
	lookup   atomic.Pointer[func(name string) []netip.Addr]
}

func newFakeDNS(t *testing.T) *fakeDNS {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d := &fakeDNS{resolver: &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
		},
	}}
	d.answer()
	go d.serve(conn)
	return d
}

// answer makes every name resolve to addrs from now on; without any, no name exists.
func (d *fakeDNS) answer(addrs ...netip.Addr) {
	lookup := func(string) []netip.Addr { return addrs }
	d.lookup.Store(&lookup)
}

// zone makes only the given names exist, written with their final dot.
func (d *fakeDNS) zone(names map[string]netip.Addr) {
	lookup := func(name string) []netip.Addr {
		if addr, ok := names[name]; ok {
			return []netip.Addr{addr}
		}
		return nil
	}
	d.lookup.Store(&lookup)
}

func (d *fakeDNS) serve(conn net.PacketConn) {
	buf := make([]byte, 4096)
	for {
		n, peer, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		var query dnsmessage.Message
		if query.Unpack(buf[:n]) != nil || len(query.Questions) != 1 {
			continue
		}
		answer := d.reply(query)
		if packed, err := answer.Pack(); err == nil {
			conn.WriteTo(packed, peer)
		}
	}
}

func (d *fakeDNS) reply(query dnsmessage.Message) dnsmessage.Message {
	question := query.Questions[0]
	answer := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: query.ID, Response: true, Authoritative: true, RecursionAvailable: true},
		Questions: query.Questions,
	}
	addrs := (*d.lookup.Load())(question.Name.String())
	if len(addrs) == 0 {
		answer.RCode = dnsmessage.RCodeNameError
	}
	for _, addr := range addrs {
		header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
		switch {
		case question.Type == dnsmessage.TypeA && addr.Is4():
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}})
		case question.Type == dnsmessage.TypeAAAA && addr.Is6():
			answer.Answers = append(answer.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}})
		}
	}
	return answer
}
