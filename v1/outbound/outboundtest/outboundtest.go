// Package outboundtest has what tests need to show that no forbidden target is reached: the lists of targets, a canary that
// counts connections to loopback addresses, and a name server whose answers a test decides.
package outboundtest

import (
	"context"
	_ "embed" // the lists of targets
	"net"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Target is a line of a list of targets.
type Target struct {
	URL           string
	Addrs         []netip.Addr // what the resolver answers
	NeedsResolver bool         // the text of the URL looks harmless; only the resolver's answer shows that it is forbidden
}

var (
	//go:embed testdata/allowed_targets.txt
	allowed string
	//go:embed testdata/forbidden_targets.txt
	forbidden string
)

// AllowedTargets are URLs that may be called.
func AllowedTargets() []Target { return readTargets(allowed, "") }

// ForbiddenTargets are URLs that must never be reached, with a Canary's port.
func ForbiddenTargets(port string) []Target { return readTargets(forbidden, port) }

func readTargets(text, port string) []Target {
	var targets []Target
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		url, answers, needsResolver := strings.Cut(line, " => ")
		if !needsResolver {
			answers = "127.0.0.1 ::1" // the worst answer, should it come to a lookup
		}
		tg := Target{URL: strings.ReplaceAll(url, "{port}", port), NeedsResolver: needsResolver}
		for answer := range strings.FieldsSeq(answers) {
			tg.Addrs = append(tg.Addrs, netip.MustParseAddr(answer))
		}
		targets = append(targets, tg)
	}
	return targets
}

// Canary counts the connections to a port of loopback addresses.
type Canary struct {
	port      string
	listeners []net.Listener
	arrivals  chan string
}

// NewCanary listens on a port of the loopback addresses.
func NewCanary(t *testing.T) *Canary {
	t.Helper()
	return NewCanaryAt(t, "0", "127.0.0.1", "::1")
}

// NewCanaryAt listens on one port of several addresses. A machine without IPv6 has no ::1 to protect.
func NewCanaryAt(t *testing.T, port string, hosts ...string) *Canary {
	t.Helper()
	c := &Canary{port: port, arrivals: make(chan string, 4096)}
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

// Port is where it listens.
func (c *Canary) Port() string { return c.port }

// Visitors counts the connections until now. It visits each listener itself: connections are accepted in their order, so when
// its own has arrived, all earlier ones have.
func (c *Canary) Visitors(t *testing.T) int {
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

// FakeDNS is a name server on loopback, so that names resolve to what a test wants and nothing leaves the machine.
type FakeDNS struct {
	resolver *net.Resolver
	lookup   atomic.Pointer[func(name string) []netip.Addr]
}

// NewFakeDNS starts a name server that knows no name yet.
func NewFakeDNS(t *testing.T) *FakeDNS {
	t.Helper()
	return NewFakeDNSAt(t, "127.0.0.1:0")
}

// NewFakeDNSAt is NewFakeDNS at an address of the caller's choice.
func NewFakeDNSAt(t *testing.T, address string) *FakeDNS {
	t.Helper()
	conn, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	d := &FakeDNS{resolver: &net.Resolver{
		PreferGo: true,
		Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
		},
	}}
	d.Answer()
	go d.serve(conn)
	return d
}

// Resolver asks the name server.
func (d *FakeDNS) Resolver() *net.Resolver { return d.resolver }

// Answer makes every name resolve to addrs from now on; without any, no name exists.
func (d *FakeDNS) Answer(addrs ...netip.Addr) {
	lookup := func(string) []netip.Addr { return addrs }
	d.lookup.Store(&lookup)
}

// Zone makes only the given names exist, written with their final dot.
func (d *FakeDNS) Zone(names map[string]netip.Addr) {
	lookup := func(name string) []netip.Addr {
		if addr, ok := names[name]; ok {
			return []netip.Addr{addr}
		}
		return nil
	}
	d.lookup.Store(&lookup)
}

// Divert makes every name resolve to addrs but one, written with its final dot, which has an address of its own.
func (d *FakeDNS) Divert(except string, its netip.Addr, addrs ...netip.Addr) {
	lookup := func(name string) []netip.Addr {
		if name == except {
			return []netip.Addr{its}
		}
		return addrs
	}
	d.lookup.Store(&lookup)
}

func (d *FakeDNS) serve(conn net.PacketConn) {
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

func (d *FakeDNS) reply(query dnsmessage.Message) dnsmessage.Message {
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
