// Package address says which addresses of services can be reached, and how messages show them.
package address

import (
	"net/url"
	"strconv"
	"strings"
)

// Parse reads an http or https address with one host, and with no port or a possible one; nil if it is none. The parser of net/url takes
// more, which no caller can reach.
func Parse(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || strings.ContainsAny(u.Hostname(), ",;\"'<>&*=+$!()") {
		return nil
	}
	port := u.Port()
	if number, err := strconv.ParseUint(port, 10, 16); strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || number == 0) {
		return nil
	}
	return u
}

// Shown is an address for a message, without a user and a query, which may be secret.
func Shown(text string) string {
	if i := strings.LastIndex(text, "@"); i >= 0 {
		text = "…" + text[i:]
	}
	if i := strings.IndexAny(text, "?#"); i >= 0 {
		text = text[:i]
	}
	return text
}
