package command

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
)

// checkTo rejects what cannot be the address of a service: https, or http on this machine, and nothing behind the host.
func checkTo(to string) error {
	u, err := url.Parse(to)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("--to must be like https://api.example.com, not %q", printable(to))
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("--to is the address alone: no user, no query")
	case strings.Trim(u.Path, "/") != "":
		return fmt.Errorf("--to is the address of the service without a path: %s://%s", u.Scheme, u.Host)
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		return fmt.Errorf("--to must begin with https://, because everybody on the way to %s could read your keys", u.Hostname())
	}
	return nil
}

// printable is an address for a message, without what may be a password or a key.
func printable(address string) string {
	if i := strings.LastIndex(address, "@"); i >= 0 {
		address = "…" + address[i:]
	}
	address, _, _ = strings.Cut(address, "?")
	return address
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
