package bridge_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
)

// A page whose name leads to this machine is refused by that name. Nothing is asked of the service then.
func TestOnlyNamesOfThisMachineAreServed(t *testing.T) {
	asked := 0
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(service.Close)
	here := func(*bridge.Config) {}
	named := func(c *bridge.Config) { c.Hosts = []string{"Old.Example.com"} }
	anywhere := func(c *bridge.Config) { c.AnyHost = true }
	for _, test := range []struct {
		host    string
		option  func(*bridge.Config)
		refused bool
	}{
		{"localhost", here, false},
		{"localhost:8090", here, false},
		{"LOCALHOST.:8090", here, false},
		{"127.0.0.1:8090", here, false},
		{"127.8.9.10", here, false},
		{"[::1]:8090", here, false},
		{"[::1]", here, false},
		{"[::ffff:127.0.0.1]:8090", here, false},
		{"", here, false},
		{"evil.example", here, true},
		{"evil.example:8090", here, true},
		{"localhost.evil.example", here, true},
		{"127.0.0.1.evil.example:8090", here, true},
		{"evil-localhost", here, true},
		{"192.168.1.10:8090", here, true},
		{"0.0.0.0:8090", here, true},
		{"[::]:8090", here, true},
		{"[2001:db8::1]:8090", here, true},
		{"old.example.com:8090", here, true},
		{"old.example.com:8090", named, false},
		{"OLD.example.com.", named, false},
		{"localhost:8090", named, false},
		{"new.example.com", named, true},
		{"evil.example", anywhere, false},
	} {
		for _, path := range []string{"/rest/seller", "/"} {
			asked = 0
			var log bytes.Buffer
			b := before(t, service, &log, io.Discard, test.option)
			r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:8090"+path, nil)
			r.Host = test.host
			r.Header.Set("X-Api-Key", someKey)
			got := httptest.NewRecorder()
			b.ServeHTTP(got, r)
			if refused := got.Code == http.StatusMisdirectedRequest; refused != test.refused || refused && asked > 0 {
				t.Errorf("%s of %q: %d, and the service was asked %d times", path, test.host, got.Code, asked)
			}
			if !test.refused {
				continue
			}
			want := []string{"421", "invalid_header", "application/xml; charset=utf-8", "1.1 sellerd-bridge"}
			if diff := cmp.Diff(want, []string{
				between(got.Body.String(), "<headers><status>", "<"), between(got.Body.String(), "<errorCode>", "<"),
				got.Header().Get("Content-Type"), got.Header().Get("Via"),
			}); diff != "" || got.Header().Get("X-Request-Id") == "" {
				t.Errorf("%q (-want +got):\n%s%s", test.host, diff, got.Body)
			}
			if !strings.Contains(log.String(), `"status":421`) || strings.Contains(log.String(), "evil") {
				t.Errorf("log of %q: %s", test.host, log.String())
			}
		}
	}
}

func between(text, before, after string) string {
	_, text, _ = strings.Cut(text, before)
	text, _, _ = strings.Cut(text, after)
	return text
}
