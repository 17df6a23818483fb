package httplog_test

import (
	"testing"

	"sellerd/internal/base/httplog"
)

func TestOnlyMethodsOfHTTPAreShown(t *testing.T) {
	for method, want := range map[string]string{
		"GET": "GET", "CONNECT": "CONNECT", "TRACE": "TRACE", "get": "…", "": "…", "GETX": "…", "dk_live_abcdefghijkl_secret": "…",
	} {
		if got := httplog.Method(method); got != want {
			t.Errorf("%q is shown as %q, want %q", method, got, want)
		}
	}
}
