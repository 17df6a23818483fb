package server_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// behind makes a server of a world that trusts proxies, and whose log can be read.
func behind(t *testing.T, trusted string) (*servertest.World, *server.Server, *bytes.Buffer) {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t))
	proxies, err := server.ParseProxies(trusted)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	s, err := server.New(server.Config{
		Service: w.Service, Logger: httplog.NewLogger(&log, slog.LevelInfo), BaseURL: "http://sellerd.test",
		OperatorToken: servertest.OperatorToken, OperatorHeader: "X-Forwarded-Email", TrustedProxies: proxies,
	})
	if err != nil {
		t.Fatal(err)
	}
	return w, s, &log
}

// from asks for a path as a peer, with headers: a name and a value each, names may repeat.
func from(handler http.Handler, peer, method, target, form string, header ...string) *httptest.ResponseRecorder {
	var r *http.Request
	if form == "" {
		r = httptest.NewRequest(method, target, nil)
	} else {
		r = httptest.NewRequest(method, target, strings.NewReader(form))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	r.RemoteAddr = peer
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w
}

// proxy is the peer of most requests here, and trusted what is trusted.
const (
	proxy   = "10.0.0.1:4711"
	trusted = "10.0.0.0/24, 2001:db8:ffff::1"
)

// use spends the attempts of an address that connects by itself.
func use(t *testing.T, s *server.Server, address string) {
	t.Helper()
	for range 20 {
		if got := from(s.Public, address, "GET", "/v1/account", "", "X-Api-Key", "wrong"); got.Code != http.StatusUnauthorized {
			t.Fatalf("an attempt of %s: %d %s", address, got.Code, got.Body)
		}
	}
}

func TestWrongKeysAreCountedByTheCallerBehindTheProxies(t *testing.T) {
	w, s, log := behind(t, trusted)
	const xff, rfc = "X-Forwarded-For", "Forwarded"
	for _, test := range []struct {
		name   string
		peer   string
		header []string
		counts string // the address, as if it had connected itself
	}{
		{"no header: the proxy", proxy, nil, proxy},
		{"an empty header: the proxy", proxy, []string{xff, ""}, proxy},
		{"one address", proxy, []string{xff, "192.0.2.1"}, "192.0.2.1:1"},
		{"the last of several, for the others are hearsay", proxy, []string{xff, "198.51.100.9, 192.0.2.1"}, "192.0.2.1:1"},
		{"the last that is not trusted", proxy, []string{xff, "198.51.100.9, 192.0.2.1,10.0.0.7 , 10.0.0.8"}, "192.0.2.1:1"},
		{"several lines are one list", proxy, []string{xff, "198.51.100.9", xff, "192.0.2.1", xff, "10.0.0.7"}, "192.0.2.1:1"},
		{"all are trusted: the farthest", proxy, []string{xff, "10.0.0.9, 10.0.0.7"}, "10.0.0.9:1"},
		{"a peer that is not trusted", "203.0.113.5:99", []string{xff, "192.0.2.1", rfc, "for=192.0.2.1"}, "203.0.113.5:1"},
		{"loopback is not trusted unasked", "127.0.0.1:99", []string{xff, "192.0.2.1"}, "127.0.0.1:1"},
		{"nor is it in IPv6", "[::1]:99", []string{xff, "192.0.2.1"}, "[::1]:1"},
		{"a trusted address in IPv6", "[2001:db8:ffff::1]:99", []string{xff, "192.0.2.1"}, "192.0.2.1:1"},
		{"beside a trusted address in IPv6", "[2001:db8:ffff::2]:99", []string{xff, "192.0.2.1"}, "[2001:db8:ffff::2]:1"},
		{"an IPv4 peer as IPv6 writes it", "[::ffff:10.0.0.1]:99", []string{xff, "192.0.2.1"}, "192.0.2.1:1"},
		{"an IPv4 caller as IPv6 writes it", proxy, []string{xff, "::ffff:192.0.2.1"}, "192.0.2.1:1"},
		{"a port", proxy, []string{xff, "192.0.2.1:50123"}, "192.0.2.1:1"},
		{"IPv6", proxy, []string{xff, "2001:db8::1"}, "[2001:db8::1]:1"},
		{"IPv6 in brackets", proxy, []string{xff, "[2001:db8::1]"}, "[2001:db8::1]:1"},
		{"IPv6 in brackets with a port", proxy, []string{xff, "[2001:db8::1]:443"}, "[2001:db8::1]:1"},
		{"IPv6 in quotes", proxy, []string{xff, `"[2001:db8::1]:443"`}, "[2001:db8::1]:1"},
		{"IPv6 with a zone", proxy, []string{xff, "fe80::1%eth0"}, "[fe80::1]:1"},
		{"IPv6 by its network of 64 bits", proxy, []string{xff, "2001:db8:0:1:aaaa::1"}, "[2001:db8:0:1:bbbb::2]:1"},
		{"no address: the proxy that says so", proxy, []string{xff, "192.0.2.1, nonsense"}, proxy},
		{"no address: the last proxy known", proxy, []string{xff, "192.0.2.1, nonsense, 10.0.0.7"}, "10.0.0.7:1"},
		{"an empty entry", proxy, []string{xff, "192.0.2.1,"}, proxy},
		{"unknown", proxy, []string{xff, "unknown"}, proxy},
		{"a port that is none", proxy, []string{xff, "192.0.2.1:http"}, proxy},
		{"brackets that do not close", proxy, []string{xff, "[2001:db8::1"}, proxy},
		{"something behind the brackets", proxy, []string{xff, "[2001:db8::1]x"}, proxy},
		{"more hops than any chain has", proxy, []string{xff, "192.0.2.1" + strings.Repeat(",10.0.0.7", 100)}, "10.0.0.7:1"},
		{"a long text", proxy, []string{xff, strings.Repeat("1", 10_000)}, proxy},

		{"RFC 7239", proxy, []string{rfc, "for=192.0.2.1"}, "192.0.2.1:1"},
		{"RFC 7239, the last that is not trusted", proxy, []string{rfc, "for=198.51.100.9, for=192.0.2.1;proto=https, for=10.0.0.7"}, "192.0.2.1:1"},
		{"RFC 7239, several lines", proxy, []string{rfc, "for=198.51.100.9", rfc, "For=192.0.2.1", rfc, "for=10.0.0.7"}, "192.0.2.1:1"},
		{"RFC 7239, spaces and empty elements", proxy, []string{rfc, " , by=10.0.0.1 ; FOR=192.0.2.1 ,, "}, "192.0.2.1:1"},
		{"RFC 7239, IPv6", proxy, []string{rfc, `for="[2001:db8::1]"`}, "[2001:db8::1]:1"},
		{"RFC 7239, IPv6 with a port", proxy, []string{rfc, `for="[2001:db8::1]:_p1"`}, "[2001:db8::1]:1"},
		{"RFC 7239, escapes", proxy, []string{rfc, `for="192.0\.2\.1"`}, "192.0.2.1:1"},
		{"RFC 7239, commas and semicolons in quotes", proxy, []string{rfc, `by="_a,b;for=198.51.100.9";for=192.0.2.1`}, "192.0.2.1:1"},
		{"RFC 7239, a hidden caller", proxy, []string{rfc, "for=198.51.100.9, for=_hidden"}, proxy},
		{"RFC 7239, an unknown caller", proxy, []string{rfc, "for=198.51.100.9, for=unknown, for=10.0.0.7"}, "10.0.0.7:1"},
		{"RFC 7239, an element without for", proxy, []string{rfc, "for=198.51.100.9, proto=https"}, proxy},
		{"RFC 7239, for twice", proxy, []string{rfc, "for=198.51.100.9;for=192.0.2.1"}, proxy},
		{"RFC 7239, no pair", proxy, []string{rfc, "192.0.2.1"}, proxy},
		{"RFC 7239, quotes that do not close hide nothing", proxy, []string{rfc, `for=198.51.100.9;by=", for=192.0.2.1`}, proxy},
		{"RFC 7239, nor do quotes that meet later ones", proxy, []string{rfc, `for=198.51.100.9;by=", for="[2001:db8::1]"`}, proxy},
		{"RFC 7239, a line behind a broken one", proxy, []string{rfc, `for="`, rfc, "for=192.0.2.1"}, "192.0.2.1:1"},

		{"both headers that agree", proxy, []string{xff, "192.0.2.1", rfc, `for="192.0.2.1:80"`}, "192.0.2.1:1"},
		{"both headers that do not: neither", proxy, []string{xff, "192.0.2.1", rfc, "for=198.51.100.9"}, proxy},
	} {
		t.Run(test.name, func(t *testing.T) {
			w.Clock.Advance(time.Minute)
			attempt := func() int {
				return from(s.Public, test.peer, "GET", "/v1/account", "", append([]string{"X-Api-Key", "wrong"}, test.header...)...).Code
			}
			if got := attempt(); got != http.StatusUnauthorized {
				t.Errorf("the first attempt: %d", got)
			}
			w.Clock.Advance(time.Minute)
			use(t, s, test.counts)
			if got := attempt(); got != http.StatusTooManyRequests {
				t.Errorf("when %s has no attempt left: %d", test.counts, got)
			}
		})
	}
	for _, address := range []string{"192.0.2", "198.51", "203.0", "10.0.0", "2001:db8", "nonsense"} {
		if strings.Contains(log.String(), address) {
			t.Errorf("the log has %s", address)
		}
	}
}

func TestOneCallerBehindAProxyDoesNotSlowDownAnother(t *testing.T) {
	for _, test := range []struct {
		name     string
		attempt  func(s *server.Server, client string) *httptest.ResponseRecorder
		contains string
	}{
		{"/v1", func(s *server.Server, client string) *httptest.ResponseRecorder {
			return from(s.Public, proxy, "GET", "/v1/account", "", "X-Api-Key", "wrong", "X-Forwarded-For", client)
		}, `"message":"Too many wrong keys from this address. `},
		{"/rest", func(s *server.Server, client string) *httptest.ResponseRecorder {
			return from(s.Public, proxy, "GET", "/rest/seller?token=wrong", "", "X-Forwarded-For", client)
		}, "<errorCode>rate_limited</errorCode>"},
		{"/rest, in words", func(s *server.Server, client string) *httptest.ResponseRecorder {
			return from(s.Public, proxy, "GET", "/rest/seller?token=wrong", "", "X-Forwarded-For", client)
		}, "Too many wrong keys from this address. "},
		{"/operator", func(s *server.Server, client string) *httptest.ResponseRecorder {
			return from(s.Operator, proxy, "POST", "/operator/accounts", "", "Authorization", "Bearer wrong", "X-Forwarded-For", client)
		}, `"message":"Too many wrong keys from this address. `},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, s, _ := behind(t, trusted)
			for i := range 20 {
				if got := test.attempt(s, "192.0.2.1"); got.Code != http.StatusUnauthorized {
					t.Fatalf("attempt %d: %d %s", i+1, got.Code, got.Body)
				}
			}
			over := test.attempt(s, "192.0.2.1")
			if over.Code != http.StatusTooManyRequests || over.Header().Get("Retry-After") != "3" || !strings.Contains(over.Body.String(), test.contains) {
				t.Errorf("attempt 21: %d, Retry-After %q\n%s", over.Code, over.Header().Get("Retry-After"), over.Body)
			}
			if got := test.attempt(s, "192.0.2.2"); got.Code != http.StatusUnauthorized {
				t.Errorf("the neighbour: %d %s", got.Code, got.Body)
			}
		})
	}
}

func TestKeysSentInClearAreRefusedUnseen(t *testing.T) {
	w, s, _ := behind(t, trusted)
	token := w.Session(t, w.Key)
	type sent struct {
		name, method, path, form string
		header                   []string
	}
	requests := []sent{
		{"a key", "GET", "/v1/account", "", []string{"X-Api-Key", w.Key}},
		{"a wrong key", "GET", "/v1/account", "", []string{"X-Api-Key", "wrong"}},
		{"a key in the query", "GET", "/v1/account?key=" + w.Key, "", nil},
		{"a key where none is looked for", "GET", "/v1/account", "", []string{"Authorization", "Bearer " + w.Key}},
		{"an old program's token", "GET", "/rest/seller?token=" + token, "", nil},
		{"an old program's wrong token", "GET", "/rest/seller?token=wrong", "", nil},
		{"an old program's token in a form", "DELETE", "/rest/notification/36", "token=" + token, nil},
		{"a login", "POST", "/rest/seller?apikey=" + w.Key, "", nil},
		{"a login with a form", "POST", "/rest/seller", "apikey=" + w.Key, nil},
		{"a login with a wrong key", "POST", "/rest/seller", "apikey=wrong", nil},
		{"an old program's key in the header", "GET", "/rest/seller", "", []string{"X-Api-Key", w.Key}},
		{"the operator's token", "PATCH", "/operator/accounts/1", "", []string{"Authorization", "Bearer " + servertest.OperatorToken}},
		{"a wrong token of the operator", "PATCH", "/operator/accounts/1", "", []string{"Authorization", "Bearer wrong"}},
	}
	ask := func(r sent, header ...string) *httptest.ResponseRecorder {
		handler := s.Public
		if strings.HasPrefix(r.path, "/operator/") {
			handler = s.Operator
		}
		return from(handler, proxy, r.method, r.path, r.form, append(append([]string{}, r.header...), header...)...)
	}
	for _, clear := range []struct {
		name, field string
		header      []string
	}{
		{"X-Forwarded-Proto", "X-Forwarded-Proto", []string{"X-Forwarded-Proto", "HTTP"}},
		{"one hop of several", "X-Forwarded-Proto", []string{"X-Forwarded-Proto", "http, https"}},
		{"a hop in a line of its own", "X-Forwarded-Proto", []string{"X-Forwarded-Proto", "https", "X-Forwarded-Proto", "http"}},
		{"RFC 7239", "Forwarded", []string{"Forwarded", `for=10.0.0.9;proto="https", for=192.0.2.1;proto="http", for=10.0.0.7;proto=https`}},
		{"both, of which one says so", "Forwarded", []string{"X-Forwarded-Proto", "https", "Forwarded", "for=192.0.2.1;proto=http"}},
	} {
		for _, r := range requests {
			t.Run(clear.name+"/"+r.name, func(t *testing.T) {
				for range 25 { // of which none is counted
					got := ask(r, clear.header...)
					what := fmt.Sprintf(`"code":"invalid_header","message":%q,"field":%q`, inClear, clear.field)
					if strings.HasPrefix(r.path, "/rest") {
						what = "<errorCode>invalid_header</errorCode>"
					}
					if got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), what) || got.Header().Get("X-Ratelimit-Limit") != "" {
						t.Fatalf("%d %s", got.Code, got.Body)
					}
				}
			})
		}
	}
	t.Run("not by https", func(t *testing.T) {
		for _, header := range [][]string{
			{"X-Forwarded-Proto", "https"},
			{"Forwarded", "for=192.0.2.1;proto=https"},
			{"X-Forwarded-Proto", "https, https"},
			{"X-Forwarded-Proto", ""},
			{},
		} {
			if got := ask(requests[0], header...); got.Code != http.StatusOK {
				t.Errorf("%q: %d %s", header, got.Code, got.Body)
			}
		}
	})
	t.Run("not on the word of a peer that is not trusted", func(t *testing.T) {
		if got := from(s.Public, "203.0.113.5:99", "GET", "/v1/account", "", "X-Api-Key", w.Key, "X-Forwarded-Proto", "http"); got.Code != http.StatusOK {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
	t.Run("what needs no key is answered", func(t *testing.T) {
		type answer struct {
			path   string
			status int
		}
		want := []answer{{"/healthz", 200}, {"/readyz", 200}, {"/", 200}, {"/errors", 200}, {"/v1/account", 401}, {"/nothing", 404}, {"/rest/seller", 401}}
		var got []answer
		for _, a := range want {
			got = append(got, answer{a.path, from(s.Public, proxy, "GET", a.path, "", "X-Forwarded-Proto", "http").Code})
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(answer{})); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// inClear is the answer to a caller whose key came over http.
const inClear = "The request came over http, so its key could be read on the way: send it by https, and replace the key with a new one."

func TestHTTPSIsForGoodWhereItWasUsed(t *testing.T) {
	const year = "max-age=31536000"
	for _, test := range []struct {
		name, trusted string
		peer          string
		header        []string
		want          string
	}{
		{"https to a trusted proxy", trusted, proxy, []string{"X-Forwarded-Proto", "https"}, year},
		{"https to a trusted proxy, by RFC 7239", trusted, proxy, []string{"Forwarded", "for=192.0.2.1;proto=https"}, year},
		{"http to a trusted proxy", trusted, proxy, []string{"X-Forwarded-Proto", "http"}, ""},
		{"http or https", trusted, proxy, []string{"X-Forwarded-Proto", "https", "Forwarded", "for=192.0.2.1;proto=http"}, ""},
		{"nothing said", trusted, proxy, nil, ""},
		{"a peer that is not trusted", trusted, "203.0.113.5:99", []string{"X-Forwarded-Proto", "https"}, ""},
		{"no trusted proxies", "", proxy, []string{"X-Forwarded-Proto", "https"}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, s, _ := behind(t, test.trusted)
			for _, handler := range []http.Handler{s.Public, s.Operator} {
				for _, path := range []string{"/healthz", "/v1/account", "/rest/seller", "/nothing"} {
					got := from(handler, test.peer, "GET", path, "", test.header...).Header().Get("Strict-Transport-Security")
					if diff := cmp.Diff(test.want, got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", path, diff)
					}
				}
			}
		})
	}
}

func TestProxiesAreAddressesAndNetworks(t *testing.T) {
	for _, test := range []struct{ text, want, mistake string }{
		{"", "[]", ""},
		{" 10.0.0.5 , 10.1.0.0/16,::1,2001:db8::/32 ", "[10.0.0.5/32 10.1.0.0/16 ::1/128 2001:db8::/32]", ""},
		{"::ffff:10.0.0.5,::ffff:10.1.0.0/112", "[10.0.0.5/32 10.1.0.0/16]", ""},
		{"proxy.example.com", "[]", `"proxy.example.com" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`},
		{"10.0.0.5:80", "[]", `"10.0.0.5:80" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`},
		{"10.0.0.0/33", "[]", `"10.0.0.0/33" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`},
		{"10.0.0.5,", "[]", `"" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`},
		{"fe80::1%eth0", "[]", `"fe80::1%eth0" is neither an address nor a network such as 10.0.0.5 or 10.0.0.0/24`},
		{"10.0.0.5/24", "[]", `"10.0.0.5/24" is an address within a network: write 10.0.0.5 or 10.0.0.0/24`},
		{"0.0.0.0/0", "[]", `"0.0.0.0/0" would trust every caller, and so let each of them claim any address`},
		{"::/0", "[]", `"::/0" would trust every caller, and so let each of them claim any address`},
	} {
		t.Run(test.text, func(t *testing.T) {
			got, err := server.ParseProxies(test.text)
			mistake := ""
			if err != nil {
				mistake = err.Error()
			}
			if diff := cmp.Diff([]string{test.want, test.mistake}, []string{fmt.Sprint(got), mistake}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
