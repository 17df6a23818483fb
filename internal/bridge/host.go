package bridge

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file refuses requests for other hosts. A page of any site can have its own name lead to this machine (DNS rebinding). To a browser
// the bridge is then a part of that site, so the page may call it and read its answers; but the browser still sends the name of the site.

// isHere says whether a request is for a name of this machine, or for one of the configured names. Programs that speak HTTP/1.0 send no
// name; browsers always do.
func (b *Bridge) isHere(r *http.Request) bool {
	if b.config.AnyHost || r.Host == "" {
		return true
	}
	name := hostName(r.Host)
	if name == "localhost" || slices.ContainsFunc(b.config.Hosts, func(known string) bool { return hostName(known) == name }) {
		return true
	}
	address, err := netip.ParseAddr(name)
	return err == nil && address.Unmap().IsLoopback()
}

// hostName is the name in a Host header: without the port, the brackets of IPv6 and the dot at the end, in small letters.
func hostName(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if inside, ok := strings.CutPrefix(host, "["); ok {
		host = strings.TrimSuffix(inside, "]")
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// misdirected answers a request for another host (RFC 9110, 15.5.20).
func (b *Bridge) misdirected(w http.ResponseWriter, _ *http.Request) {
	envelope := translate.Envelope{At: b.config.Clock.Now()}
	refused := v1.Errors{{
		Code: v1.InvalidHeader, Field: "Host",
		Message: "The bridge is called by localhost, an address such as 127.0.0.1, or a name that it was started with: --host NAME.",
	}}
	text := (*translate.Plan)(nil).AppendError(envelope.AppendHead(nil, http.StatusMisdirectedRequest, nil), refused)
	h := w.Header()
	h.Set("Content-Type", translate.ContentType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusMisdirectedRequest)
	_, _ = w.Write(envelope.AppendTail(text)) // it fails only if the connection is closed
}
