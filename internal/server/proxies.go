package server

import (
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"sellerd/v1"
)

// This file finds the caller's address behind proxies, by X-Forwarded-For and X-Forwarded-Proto, and by Forwarded (RFC
// 7239). Only entries of trusted proxies count, from the last hop back to the first that is not trusted; earlier entries
// are ignored, because the caller may have written them.

// Proxies are the networks of the proxies that are trusted.
type Proxies []netip.Prefix

// ParseProxies reads addresses and networks with commas between them: 10.0.0.5, 10.0.0.0/24, 2001:db8::/48. An empty text
// means no trusted proxy. The error quotes an entry that is neither. Networks of all addresses are rejected.
func ParseProxies(text string) (Proxies, error) {
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	var proxies Proxies
	for entry := range strings.SplitSeq(text, ",") {
		entry = strings.TrimSpace(entry)
		network, err := parseNetwork(entry)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24", entry)
		case network.Bits() == 0:
			return nil, fmt.Errorf("%q would trust every caller, and so let each of them claim any address", entry)
		case network != network.Masked(): // which may trust far more than was meant
			return nil, fmt.Errorf("%q is an address within a network: write %s or %s", entry, network.Addr(), network.Masked())
		}
		proxies = append(proxies, network)
	}
	return proxies, nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	network, err := netip.ParsePrefix(text)
	if err != nil {
		address, err := netip.ParseAddr(text)
		if err != nil || address.Zone() != "" {
			return netip.Prefix{}, fmt.Errorf("parse %q: no address", text)
		}
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	if mapped := network.Addr(); mapped.Is4In6() && network.Bits() >= 96 { // the bits before IPv4's own
		network = netip.PrefixFrom(mapped.Unmap(), network.Bits()-96)
	}
	return network, nil
}

func (p Proxies) trust(address netip.Addr) bool {
	for _, network := range p {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// introduce gives a request the caller's address as RemoteAddr, and sets Trace.Proxied, and Trace.InClear if the request
// came by http.
func (p Proxies) introduce(w http.ResponseWriter, r *http.Request, trace *v1.Trace) {
	from, ok := p.origin(r)
	if !ok {
		return
	}
	trace.Proxied = true
	if from.secure {
		w.Header()["Strict-Transport-Security"] = headerSecureTransport
	}
	trace.InClear = from.clear
	r.RemoteAddr = netip.AddrPortFrom(from.address, 0).String()
}

// headerSecureTransport asks callers that came by https to use only https for a year (RFC 6797).
var headerSecureTransport = []string{"max-age=31536000"}

// These are the headers, and their names for http and https.
const (
	forwardedFor   = "X-Forwarded-For"
	forwardedProto = "X-Forwarded-Proto"
	forwarded      = "Forwarded"

	clearText = "http"
	encrypted = "https"
)

// origin is the caller's address and scheme, by the headers of trusted proxies.
type origin struct {
	address netip.Addr
	secure  bool   // it came by https
	clear   string // the header that says http, empty otherwise
}

// origin finds a request's caller. It is not ok if no trusted proxy names one.
func (p Proxies) origin(r *http.Request) (from origin, ok bool) {
	if len(p) == 0 {
		return origin{}, false
	}
	connection, err := netip.ParseAddrPort(r.RemoteAddr)
	peer := bare(connection.Addr())
	if err != nil || !p.trust(peer) {
		return origin{}, false
	}
	plainHops, standardHops := hopsOf(r.Header[forwardedFor]), elementsOf(r.Header[forwarded])
	from.address, _ = p.walk(peer, plainHops)
	standard, proto := p.walk(peer, standardHops)
	switch {
	case len(standardHops) == 0:
	case len(plainHops) == 0:
		from.address = standard
	case standard != from.address: // a proxy sets one of the two headers, and which one is unknown
		from.address = peer
	}
	from.secure = strings.EqualFold(proto, encrypted)
	if strings.EqualFold(proto, clearText) {
		from.clear = forwarded
	}
	for _, line := range r.Header[forwardedProto] {
		for hop := range strings.SplitSeq(line, ",") {
			switch hop = strings.Trim(hop, " \t"); {
			case strings.EqualFold(hop, clearText): // one hop in clear is enough
				from.clear = forwardedProto
			case strings.EqualFold(hop, encrypted):
				from.secure = true
			}
		}
	}
	from.secure = from.secure && from.clear == ""
	return from, true
}

// hop is a proxy's entry about the connection that it got.
type hop struct{ node, proto string }

// maxHops is how many hops are read. Real chains have two or three proxies; longer ones are forged.
const maxHops = 16

// keepLast adds a hop and keeps the last maxHops.
func keepLast(hops []hop, last hop) []hop {
	hops = append(hops, last)
	return hops[max(0, len(hops)-maxHops):]
}

// walk goes back from the last hop to the first address that is not trusted, and returns the farthest that is known: that
// of a trusted proxy where it says none. proto is what the hop says at which the walk ends.
func (p Proxies) walk(peer netip.Addr, hops []hop) (known netip.Addr, proto string) {
	known = peer
	for _, h := range slices.Backward(hops) {
		proto = h.proto
		address, ok := parseNode(h.node)
		if !ok {
			break
		}
		if known = address; !p.trust(address) {
			break
		}
	}
	return known, proto
}

// hopsOf are the hops of X-Forwarded-For. An entry is an address, perhaps in quotes.
func hopsOf(lines []string) (hops []hop) {
	for _, line := range lines {
		for entry := range strings.SplitSeq(line, ",") {
			entry = strings.Trim(entry, " \t")
			if n := len(entry); n >= 2 && entry[0] == '"' && entry[n-1] == '"' {
				entry = entry[1 : n-1]
			}
			hops = keepLast(hops, hop{node: entry})
		}
	}
	return hops
}

// parseNode reads the address of a node (RFC 7239, section 6), leaving out its port: 192.0.2.1, 192.0.2.1:80, [2001:db8::1]
// or [2001:db8::1]:80, and 2001:db8::1 as X-Forwarded-For has it. Identifiers (unknown, _hidden) are not addresses.
func parseNode(text string) (netip.Addr, bool) {
	if rest, bracketed := strings.CutPrefix(text, "["); bracketed {
		inside, port, closed := strings.Cut(rest, "]")
		address, err := netip.ParseAddr(inside)
		if !closed || err != nil || !address.Is6() || port != "" && !(port[0] == ':' && isPort(port[1:])) {
			return netip.Addr{}, false
		}
		return bare(address), true
	}
	if host, port, found := strings.Cut(text, ":"); found && isPort(port) {
		text = host
	}
	address, err := netip.ParseAddr(text)
	return bare(address), err == nil
}

// isPort says whether a text is a port, or stands for one that is hidden.
func isPort(text string) bool {
	if strings.HasPrefix(text, "_") {
		return len(text) > 1 && strings.IndexFunc(text, oddInID) < 0
	}
	return text != "" && len(text) <= 5 && strings.Trim(text, "0123456789") == ""
}

// bare is an address without its zone, and in IPv4 if it is one.
func bare(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }
