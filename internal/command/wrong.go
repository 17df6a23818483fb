package command

import (
	"fmt"
	"net/url"
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

// ExampleBaseURL is what the address of a service looks like.
const ExampleBaseURL = "https://api.example.com"
