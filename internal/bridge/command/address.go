package command

import (
	"fmt"
	"net"
	"strings"

	"sellerd/internal/base/address"
	"sellerd/internal/bridge"
)

// serviceAddress is the address of --to as the bridge uses it: https, or http on this machine, and nothing behind the host. A slash at
// its end is left out.
func serviceAddress(to string) (string, error) {
	u := address.Parse(to)
	switch {
	case u == nil:
		return "", fmt.Errorf("--to must be like https://api.example.com, not %q", bridge.Redact(address.Shown(to)))
	case u.User != nil:
		return "", fmt.Errorf("--to has a user or a password, and must be the address alone: %s://%s", u.Scheme, u.Host)
	case strings.ContainsAny(to, "?#"):
		return "", fmt.Errorf("--to has a ? or a #, and must be the address alone: %s://%s", u.Scheme, u.Host)
	case u.Path != "" && u.Path != "/":
		return "", fmt.Errorf("--to has a path, and must be the address alone: %s://%s", u.Scheme, u.Host)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return "", fmt.Errorf("--to must begin with https://, because everybody on the way to %s could read your keys", u.Hostname())
	}
	return u.Scheme + "://" + strings.ToLower(u.Host), nil
}

// isLoopback says whether a host is this machine and nothing else.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// addressOf is where programs reach a listener: on this machine, if it serves all addresses.
func addressOf(listener net.Listener, secure bool) string {
	scheme := "http"
	if secure {
		scheme = "https"
	}
	host, port, _ := net.SplitHostPort(listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
