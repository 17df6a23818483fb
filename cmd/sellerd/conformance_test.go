package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAReplayIsNotBegunWithoutAServiceAndKeys(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refusing.Close)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	const key = "dk_test_1234567890"
	for name, c := range map[string]struct {
		command conformanceRunCmd
		want    string
	}{
		"no address":           {conformanceRunCmd{BaseURL: "localhost", Key: key}, "--base-url must be http(s)://host"},
		"nobody there":         {conformanceRunCmd{BaseURL: gone.URL, Key: key}, "nobody answers at " + gone.URL},
		"a key that is no key": {conformanceRunCmd{BaseURL: refusing.URL, Key: key}, "answers 401 Unauthorized instead of 200"},
		"a live key to sell":   {conformanceRunCmd{BaseURL: refusing.URL, Key: "dk_live_1"}, "--key must begin with dk_test_"},
		"a test key to look":   {conformanceRunCmd{BaseURL: refusing.URL, Key: key, LiveKey: key}, "answers 401"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.command.Run(t.Context())
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), key) {
				t.Errorf("%v instead of %q", err, c.want)
			}
		})
	}
}

func TestWhatIsShownOfAnAnswer(t *testing.T) {
	c := conformanceRunCmd{Key: "dk_test_1234567890"}
	if got := c.shown("got \x1b[31mred\nwith dk_test_1234567890"); got != "got \uFFFD[31mred\nwith dk_test_…" {
		t.Errorf("%q", got)
	}
}
