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
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || !isPort(u.Port()) {
		return Wrong("%s must be like %s, not %q", flag, example, value)
	}
	return nil
}

// isPort says whether the digits of an address are those of a port, or none.
func isPort(digits string) bool {
	_, err := strconv.ParseUint(digits, 10, 16)
	return digits == "" || err == nil
}

// CheckBaseURL rejects a text that cannot be the beginning of addresses: it may have a path, but no user, and no ? or #. The message does
// not repeat them, since they may be secret. The path of an interface at its end would stand twice in every address.
func CheckBaseURL(flag, value string) error {
	if err := CheckURL(flag, value, "https://api.example.com"); err != nil {
		return err
	}
	if u, err := url.Parse(value); err != nil || u.User != nil || strings.ContainsAny(value, "?#") {
		return Wrong("%s must be an address like https://api.example.com, without a user, a ? or a #", flag)
	}
	value = strings.TrimRight(value, "/")
	for _, path := range []string{"/v1", "/rest"} {
		if root, found := strings.CutSuffix(value, path); found {
			return Wrong("%s must be the address without %s at its end: %s", flag, path, root)
		}
	}
	return nil
}
