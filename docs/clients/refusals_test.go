package clients

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// These tests are about requests that a client refuses to send, and about keys.

func TestACallerChoosesTheIdempotencyKey(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(t, answer{status: 503, body: busy}, answer{status: 202, body: created})
		c.do(t, s.URL, "call", "POST", "/v1/items", `{}`, "", "idempotency-key", "shelf-8")
		c.do(t, s.URL, "call", "POST", "/v1/items", `{}`, "shelf-9", "Idempotency-Key", "shelf-9")
		var got []string
		for _, r := range s.requests() {
			got = append(got, r.idempotencyKey)
		}
		if diff := cmp.Diff([]string{"shelf-8", "shelf-8", "shelf-9"}, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestItRefusesARequest(t *testing.T) {
	for name, test := range map[string]struct {
		arguments []string
		notGo     bool // there, an empty string asks for a random key
	}{
		"with an empty key":             {arguments: []string{"call", "POST", "/v1/items", `{}`, "empty"}, notGo: true},
		"with an empty key in a header": {arguments: []string{"call", "POST", "/v1/items", `{}`, "", "idempotency-key", ""}},
		"with a blank key in a header":  {arguments: []string{"call", "POST", "/v1/items", `{}`, "", "Idempotency-Key", " "}},
		"with two different keys":       {arguments: []string{"call", "POST", "/v1/items", `{}`, "shelf-7", "Idempotency-Key", "shelf-8"}},
		"with a path to another host":   {arguments: []string{"call", "GET", "@example.com/v1/account"}},
		"with a path that has no slash": {arguments: []string{"call", "GET", "v1/account"}},
		"with an empty path":            {arguments: []string{"call", "GET", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, c *client) {
				if test.notGo && c.program == "go" {
					return
				}
				s := serve(t, answer{status: 200, body: created})
				if got := c.do(t, s.URL, test.arguments...); !strings.HasPrefix(got, "refused ") {
					t.Errorf("it says %q", got)
				}
				if n := len(s.requests()); n != 0 {
					t.Errorf("there were %d requests", n)
				}
			})
		})
	}
}

func TestAKeyFromAFileIsTrimmed(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(t, answer{status: 200, body: created})
		c.with(t, s.URL, []string{"SELLERD_KEY=\t dk_test_2 \r\n"}, "call", "GET", "/v1/account")
		if r := s.requests(); len(r) != 1 || r[0].key != "dk_test_2" {
			t.Errorf("the requests are %+v", r)
		}
	})
}

func TestAMalformedKeyIsRefused(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		s := serve(t, answer{status: 200, body: created})
		for _, key := range []string{"dk_test_2 dk_test_3", "dk_test_2\ndk_test_3", "dk_test_2\r\nX-More: 1", "dk-test-2", "dk_test_é", " \n"} {
			got := c.with(t, s.URL, []string{"SELLERD_KEY=" + key}, "call", "GET", "/v1/account")
			if !strings.HasPrefix(got, "refused ") || strings.Contains(got, "test") {
				t.Errorf("of the key %q it says %q", key, got)
			}
		}
		if n := len(s.requests()); n != 0 {
			t.Errorf("there were %d requests", n)
		}
	})
}

// TestNoProxyReadsTheKey gives the clients an address that is not of the loopback, so that the proxy of the environment would be used.
func TestNoProxyReadsTheKey(t *testing.T) {
	each(t, func(t *testing.T, c *client) {
		proxy, s := serve(t, answer{status: 200, body: created}), serve(t, answer{status: 200, body: created})
		there := strings.Replace(s.URL, "127.0.0.1", "0.0.0.0", 1)
		c.with(t, there, []string{"ALLOW_PLAIN_HTTP=1", "http_proxy=" + proxy.URL, "HTTP_PROXY=" + proxy.URL}, "call", "GET", "/v1/account")
		if direct, seen := len(s.requests()), len(proxy.requests()); direct != 1 || seen != 0 {
			t.Errorf("there were %d direct requests and %d through the proxy", direct, seen)
		}
	})
}

// TestTheKeyStaysSecret gives the clients addresses to which a key must not travel.
func TestTheKeyStaysSecret(t *testing.T) {
	taken := []string{"https://api.example.com", "https://api.example.com:8443/shop/", "http://localhost:8080", "http://127.0.0.1:8080", "http://127.4.5.6", "http://[::1]:8080"}
	refused := []string{
		"http://api.example.com", "http://192.168.0.7:8080", "http://localhost.example.com", "http://127.0.0.1.example.com", "http://[2001:db8::1]",
		"http://127.0.0.1@example.com", "http://example.com#@127.0.0.1", "http://localhost?.example.com", "ftp://localhost", "localhost:8080", "http://",
	}
	want := "taken " + strings.Join(taken, "\ntaken ") + "\nrefused " + strings.Join(refused, "\nrefused ")
	each(t, func(t *testing.T, c *client) {
		if diff := cmp.Diff(want, c.do(t, "http://localhost", append([]string{"addresses"}, append(taken, refused...)...)...)); diff != "" {
			t.Error(diff)
		}
	})
}
