package main

import (
	"fmt"
	"net/url"
)

// wrongUsage is an error in the value of a flag or an argument. Nothing was done.
type wrongUsage string

func (w wrongUsage) Error() string { return string(w) }

// wrong makes a wrongUsage.
func wrong(format string, args ...any) error { return wrongUsage(fmt.Sprintf(format, args...)) }

// checkURL rejects a text that is not an http or https address with a host, and shows an example.
func checkURL(flag, value, example string) error {
	u, err := url.Parse(value)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return wrong("%s must be like %s, not %q", flag, example, value)
	}
	return nil
}

// exampleBaseURL is what the address of a service looks like.
const exampleBaseURL = "https://api.example.com"
