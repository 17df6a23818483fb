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
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return Wrong("%s must be like %s, not %q", flag, example, value)
	}
	return nil
}

// CheckBaseURL rejects a text that cannot be the beginning of addresses: it may have a path, but no user, and no ? or #. The message does
// not repeat them, since they may be secret. The path of an interface at its end would stand twice in every address.
func CheckBaseURL(flag, value string) error {
	if err := CheckURL(flag, value, "https://api.example.com"); err != nil {
		return err
	}
	u, err := url.Parse(value)
	if err != nil || u.User != nil || strings.ContainsAny(value, "?#") {
		return Wrong("%s must be an address like https://api.example.com, without a user, a ? or a #", flag)
	}
	if !callable(u) || !strings.HasSuffix(value, u.EscapedPath()) {
		return Wrong("%s must be like https://api.example.com, not %q: one host, a port up to 65535 if it needs one, and blanks percent-encoded", flag, value)
	}
	value = strings.TrimRight(value, "/")
	for _, path := range []string{"/v1", "/rest"} {
		if root, found := strings.CutSuffix(value, path); found {
			return Wrong("%s must be the address without %s at its end: %s", flag, path, root)
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
