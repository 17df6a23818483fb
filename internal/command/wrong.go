package command

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// WrongUsage is an error in the value of a flag or an argument. Nothing was done.
type WrongUsage string

func (w WrongUsage) Error() string { return string(w) }

// Wrong makes a WrongUsage.
func Wrong(format string, args ...any) error { return WrongUsage(fmt.Sprintf(format, args...)) }

// CheckURL rejects a text that is not an http or https address with a host, and shows an example.
func CheckURL(flag, value, example string) error {
	if u := parsed(value); u == nil || !callable(u) {
		return Wrong("%s must be like %s, not %q", flag, example, value)
	}
	return nil
}

// parsed is an http or https address with a host; nil if it is none.
func parsed(value string) *url.URL {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil
	}
	return u
}

// CheckAddress rejects a text that cannot be the beginning of addresses: it may have a path, but no user, and no ? or #. The message does
// not repeat them, since they may be secret.
func CheckAddress(flag, value string) error {
	switch u := parsed(value); {
	case u == nil:
		return Wrong("%s must be like https://api.example.com, not %q", flag, value)
	case u.User != nil || strings.ContainsAny(value, "?#"):
		return Wrong("%s must be an address like https://api.example.com, without a user, a ? or a #", flag)
	case !callable(u) || !strings.HasSuffix(value, u.EscapedPath()):
		return Wrong("%s must be like https://api.example.com, not %q: one host, a port up to 65535 if it needs one, and blanks percent-encoded", flag, value)
	}
	return nil
}

// CheckBaseURL rejects a text that is not the address of a service. Addresses of the service's interfaces are below it, so it does not end
// as they do: every link and request would be to a path that is not there, such as /v1/v1/items.
func CheckBaseURL(flag, value string) error {
	if err := CheckAddress(flag, value); err != nil {
		return err
	}
	for _, path := range []string{"/v1", "/rest"} {
		if above, ends := strings.CutSuffix(strings.TrimRight(value, "/"), path); ends {
			return Wrong("%s ends in %s, which the service adds itself: give %s", flag, path, above)
		}
	}
	return nil
}

// callable says whether an address has one host, and no port or a possible one. The parser takes what no caller can reach.
func callable(u *url.URL) bool {
	port := u.Port()
	number, err := strconv.ParseUint(port, 10, 16)
	if port == "" && strings.HasSuffix(u.Host, ":") || port != "" && (err != nil || number == 0) {
		return false
	}
	return u.Hostname() != "" && !strings.ContainsAny(u.Hostname(), ",;\"'<>&*=+$!()")
}
