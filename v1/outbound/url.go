package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// This file checks sellers' URLs by their text alone, to report mistakes early. The protection itself is the guard of the
// client in outbound.go.

// URLError says what is wrong with a URL, without quoting any of it. Error gives a sentence for the caller that goes on
// from the field's name: "url must be …".
type URLError string

// The reasons for which CheckURL rejects a URL.
const (
	URLTooLong        URLError = "must have at most 2048 characters"
	URLMalformed      URLError = "must be a well-formed absolute URL"
	URLNotHTTPS       URLError = "must be an https URL"
	URLHasCredentials URLError = "must not contain a user name or a password"
	URLPrivateTarget  URLError = "must lead to a public host"
	URLNotHTTP        URLError = "must be an http or https URL"
	URLForeignPort    URLError = "must not use the port of another protocol"
	URLHTTPSPort      URLError = "must use port 443, or a port from 1024 on such as 8443"
	URLHTTPPort       URLError = "must use port 80, or a port from 1024 on such as 8080"
)

func (e URLError) Error() string { return string(e) }

// MaxURLLength is counted in characters, as the API documents it.
const MaxURLLength = 2048

// CheckURL checks by the text alone, without any lookup, whether a URL can be fetched: https, a public host, port 443 or one from 1024 on,
// no credentials, at most 2,048 characters. The ports below are those of other protocols, and a caller could find out which of them are
// open. A fragment is allowed, since it is never sent. AllowPrivate also allows http, private hosts and any port. The error is an URLError.
// A URL that passes may still turn out to lead to a private address; the client stops that when it connects.
func CheckURL(raw string, allowPrivate bool) error {
	return checkOutboundText(raw, outboundRules{private: allowPrivate, ports: true})
}

// CheckLegacyURL is CheckURL for the programs of /rest. Their public examples are all http, so http is allowed as well, to
// public hosts, port 80 and ports from 1024 on that are not those of other protocols. The outbound clients of a service use the same
// rules, but for the ports: an address that was accepted earlier is called, whatever its port.
func CheckLegacyURL(raw string, allowPrivate bool) error {
	return checkOutboundText(raw, outboundRules{plain: true, private: allowPrivate, ports: true})
}

// outboundRules say what is allowed besides https to public hosts.
type outboundRules struct {
	plain   bool // http to public hosts
	private bool // http, and private hosts, at any port
	ports   bool // not allowed: ports below 1024 but that of the protocol
}

func checkOutboundText(raw string, rules outboundRules) error {
	if utf8.RuneCountInString(raw) > MaxURLLength {
		return URLTooLong
	}
	if strings.ContainsAny(raw, " \\") || !utf8.ValidString(raw) {
		return URLMalformed // other programs read a backslash as a slash, so they would see another host
	}
	u, err := url.Parse(raw)
	if err != nil {
		return URLMalformed
	}
	return checkOutboundURL(u, rules)
}

func checkOutboundURL(u *url.URL, rules outboundRules) error {
	switch {
	case u.Scheme == "https", u.Scheme == "http" && rules.private:
	case rules.plain && u.Scheme != "http":
		return URLNotHTTP
	case !rules.plain:
		return URLNotHTTPS
	case foreignPorts[strings.TrimLeft(u.Port(), "0")]:
		return URLForeignPort
	}
	if u.User != nil {
		return URLHasCredentials
	}
	switch port, ok := portOf(u); {
	case !ok:
		return URLMalformed
	case !rules.ports || rules.private || port >= firstFreePort:
	case u.Scheme == "https" && port != 443:
		return URLHTTPSPort
	case u.Scheme == "http" && port != 80:
		return URLHTTPPort
	}
	return checkOutboundHost(u.Hostname(), rules.private)
}

// foreignPorts are the ports to which browsers make no request, because a program of another protocol there would read the
// request as commands (Fetch Standard, section 2.9, "bad port"). This matters for http alone: such a program does not
// understand TLS.
var foreignPorts = func() map[string]bool {
	ports := map[string]bool{}
	for port := range strings.FieldsSeq("1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123" +
		" 135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 1720 1723 2049 3659" +
		" 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080") {
		ports[port] = true
	}
	return ports
}()

// firstFreePort is the first port that is not reserved for a protocol of the system (RFC 6335, section 6).
const firstFreePort = 1024

// portOf is the port of a URL, or that of its scheme. It reports false if the URL has one that does not exist.
func portOf(u *url.URL) (port uint64, ok bool) {
	switch text := u.Port(); {
	case text != "":
		n, err := strconv.ParseUint(text, 10, 16)
		return n, err == nil && n > 0
	case u.Scheme == "http":
		return 80, true
	default:
		return 443, true
	}
}

// privateSuffixes are top-level names that exist only inside private networks.
var privateSuffixes = []string{
	".localhost", ".local", ".localdomain", ".internal", ".intranet", ".private", ".lan", ".home", ".corp", ".home.arpa",
}

// checkOutboundHost rejects names and addresses that cannot be public. It does not decode octal, hexadecimal or shortened
// IPv4 addresses, because no public name ends in a label that begins with a digit: all of them are rejected.
func checkOutboundHost(host string, allowPrivate bool) error {
	name, err := asciiHost(host)
	if err != nil || name == "" {
		return URLMalformed
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		return checkOutboundAddr(addr, allowPrivate)
	}
	name = strings.TrimSuffix(name, ".")
	if !wellFormedName(name) {
		return URLMalformed
	}
	if allowPrivate {
		return nil
	}
	dot := strings.LastIndexByte(name, '.')
	if dot < 0 || name[dot+1] <= '9' {
		return URLPrivateTarget
	}
	for _, suffix := range privateSuffixes {
		if strings.HasSuffix(name, suffix) {
			return URLPrivateTarget
		}
	}
	return nil
}

func checkOutboundAddr(addr netip.Addr, allowPrivate bool) error {
	if allowPrivate {
		return nil
	}
	if addr.Zone() != "" || outboundGuard.SafeAddr(addr) != nil {
		return URLPrivateTarget
	}
	return nil
}

// asciiHost is a host in the form of its lookup: in lower case, full-width and circled letters, digits and dots flattened,
// other scripts in punycode. It does what net/http does before it dials.
func asciiHost(host string) (string, error) {
	for i := range len(host) {
		if host[i] >= utf8.RuneSelf {
			return idna.Lookup.ToASCII(host)
		}
	}
	return strings.ToLower(host), nil
}

// wellFormedName checks a name against the limits of DNS: letters, digits and hyphens, and also underscores, which are in
// use.
func wellFormedName(name string) bool {
	if len(name) > 253 {
		return false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		if strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	return true
}

// asciiQuery is a query as it may stand in a request (RFC 3986, section 3.4): what is not printable ASCII is written in
// percent-encoding, as the library does it for a path. What is so already stays.
func asciiQuery(query string) string {
	var out []byte
	for i := range len(query) {
		switch c := query[i]; {
		case c <= ' ' || c > '~':
			if out == nil {
				out = append(make([]byte, 0, 3*len(query)), query[:i]...)
			}
			out = fmt.Appendf(out, "%%%02X", c)
		case out != nil:
			out = append(out, c)
		}
	}
	if out == nil {
		return query
	}
	return string(out)
}
