package command

import (
	"errors"
	"fmt"
	"net/url"
	"strings"
	"syscall"
	"time"

	"sellerd/internal/base/address"
)

// WrongUsage is an error in the value of a flag or an argument. Nothing was done.
type WrongUsage string

func (w WrongUsage) Error() string { return string(w) }

// Wrong makes a WrongUsage.
func Wrong(format string, args ...any) error { return WrongUsage(fmt.Sprintf(format, args...)) }

// CheckURL rejects a text that is not an http or https address with a host, and shows an example.
func CheckURL(flag, value, example string) error {
	if address.Parse(value) == nil {
		return Wrong("%s must be like %s, not %q", flag, example, address.Shown(value))
	}
	return nil
}

// CheckAddress rejects a text that cannot be the beginning of addresses: it may have a path, but no user, and no ? or #.
func CheckAddress(flag, value string) error {
	const example = "https://api.example.com"
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		return CheckURL(flag, value, example)
	case u.User != nil || strings.ContainsAny(value, "?#"):
		return Wrong("%s must be an address like %s, without a user, a ? or a #", flag, example)
	case address.Parse(value) == nil || !strings.HasSuffix(value, u.EscapedPath()):
		return Wrong("%s must be like %s, not %q: one host, a port up to 65535 if it needs one, and blanks percent-encoded", flag, example, value)
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

// WhyNoAnswer describes why a request that may take only so long had no answer.
func WhyNoAnswer(err error, patience time.Duration) string {
	var failed *url.Error
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens there"
	case errors.As(err, &failed) && failed.Timeout():
		return fmt.Sprintf("no answer within %s", patience)
	case errors.As(err, &failed):
		return failed.Err.Error()
	}
	return err.Error()
}
