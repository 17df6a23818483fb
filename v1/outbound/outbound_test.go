package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/v1/outbound/outboundtest"

	"code.dny.dev/ssrf"
	"github.com/google/go-cmp/cmp"
)

func TestNoForbiddenTargetIsReached(t *testing.T) {
	leaveNoGoroutines(t)
	canary := outboundtest.NewCanary(t)
	dns := outboundtest.NewFakeDNS(t)
	client := NewClient(Config{Resolver: dns.Resolver(), DialTimeout: 2 * time.Second})
	unchecked := client.Transport.(*outboundTransport).Transport // the guard alone, without the check of the text

	targets := outboundtest.ForbiddenTargets(canary.Port())
	if len(targets) < 150 {
		t.Fatalf("the list has %d targets, want at least 150", len(targets))
	}
	for _, target := range targets {
		t.Run(target.URL, func(t *testing.T) {
			dns.Answer(target.Addrs...)
			var refusal URLError
			err := CheckURL(target.URL, false)
			if byText := errors.As(err, &refusal); byText == target.NeedsResolver {
				t.Errorf("refused by its text: %v (%v)", byText, err)
			}
			req, err := http.NewRequest("GET", target.URL, nil)
			if err != nil {
				return // cannot even be asked for
			}
			if _, err := client.Do(req); ErrorCode(err) != "blocked_target" {
				t.Errorf("client: code %q, want blocked_target: %v", ErrorCode(err), err)
			}
			if resp, err := unchecked.RoundTrip(req); err == nil {
				resp.Body.Close()
				t.Errorf("guard: the target answered with status %d", resp.StatusCode)
			}
		})
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}

func TestTheCanaryIsReachedWithoutTheGuard(t *testing.T) {
	leaveNoGoroutines(t)
	canary := outboundtest.NewCanary(t)
	dns := outboundtest.NewFakeDNS(t)
	dns.Answer(netip.MustParseAddr("127.0.0.1"))
	client := NewClient(Config{AllowPrivate: true, Resolver: dns.Resolver()})

	for _, host := range []string{"127.0.0.1", "shop.collector-hooks.com"} {
		if _, err := client.Get("https://" + host + ":" + canary.Port() + "/"); err == nil {
			t.Errorf("%s: the canary speaks no TLS, yet the call succeeded", host)
		}
	}
	if n := canary.Visitors(t); n != 2 {
		t.Errorf("the canary had %d visitors, want 2", n)
	}
}

func TestANameThatChangesItsAddressIsNeverFollowedInside(t *testing.T) {
	leaveNoGoroutines(t)
	canary := outboundtest.NewCanary(t)
	dns := outboundtest.NewFakeDNS(t)
	client := NewClient(Config{Resolver: dns.Resolver()})
	inside := []netip.Addr{
		netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::1"), netip.MustParseAddr("0.0.0.0"),
		netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.1"), netip.MustParseAddr("fd00::1"),
	}
	codes := map[string]int{}
	for i := range 1000 {
		dns.Answer(inside[i%len(inside)], inside[(i/len(inside))%len(inside)])
		_, err := client.Post("https://shop.collector-hooks.com:"+canary.Port()+"/", "application/json", strings.NewReader("{}"))
		codes[ErrorCode(err)]++
	}
	if diff := cmp.Diff(map[string]int{"blocked_target": 1000}, codes); diff != "" {
		t.Errorf("codes of 1000 sends (-want +got):\n%s", diff)
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}

func TestCheckOutboundURL(t *testing.T) {
	t.Run("lets every public URL through", func(t *testing.T) {
		targets := outboundtest.AllowedTargets()
		if len(targets) < 30 {
			t.Fatalf("the list has %d targets, want at least 30", len(targets))
		}
		for _, target := range targets {
			if err := CheckURL(target.URL, false); err != nil {
				t.Errorf("%s: %v", target.URL, err)
			}
		}
	})

	long := "https://example.com/" + strings.Repeat("é", 2048-len("https://example.com/"))
	tests := []struct {
		name         string
		url          string
		allowPrivate bool
		want         error
	}{
		{"2048 characters are fine", long, false, nil},
		{"2049 characters are too many", long + "x", false, URLTooLong},
		{"a URL without a scheme is not https", "example.com", false, URLNotHTTPS},
		{"a URL without a host is malformed", "https:///image.jpg", false, URLMalformed},
		{"bytes that are not UTF-8 are malformed", "https://example.com/\xff", false, URLMalformed},
		{"a control character is malformed", "https://example.com/\n", false, URLMalformed},
		{"port 0 is malformed", "https://example.com:0/", false, URLMalformed},
		{"port 443 by name is fine", "https://example.com:443/", false, nil},
		{"port 443 with zeros is fine", "https://example.com:00443/", false, nil},
		{"port 8443 is fine", "https://example.com:8443/", false, nil},
		{"port 1024 is fine", "https://example.com:1024/", false, nil},
		{"port 65535 is fine", "https://example.com:65535/", false, nil},
		{"port 65536 is malformed", "https://example.com:65536/", false, URLMalformed},
		{"port 1023 is refused", "https://example.com:1023/", false, URLHTTPSPort},
		{"the port of http is refused", "https://example.com:80/", false, URLHTTPSPort},
		{"the port of a shell is refused", "https://example.com:22/", false, URLHTTPSPort},
		{"the port of mail is refused, with zeros", "https://[2606:4700::1]:0025/", false, URLHTTPSPort},
		{"a developer may use any port", "http://localhost:22/", true, nil},
		{"a user name is refused", "https://bob@example.com/", false, URLHasCredentials},
		{"http is refused", "http://example.com/", false, URLNotHTTPS},
		{"a private address is refused", "https://10.0.0.1/", false, URLPrivateTarget},
		{"a private name is refused", "https://nas.lan/", false, URLPrivateTarget},
		{"a developer may use http", "http://example.com/", true, nil},
		{"a developer may use localhost", "http://localhost:8080/hook", true, nil},
		{"a developer may use a private address", "http://[::1]:8080/hook", true, nil},
		{"a developer may use a container's name", "http://receiver:8080/hook", true, nil},
		{"a developer may not use ftp", "ftp://localhost/", true, URLNotHTTPS},
		{"a developer may not use credentials", "http://bob@localhost/", true, URLHasCredentials},
		{"a developer may not leave out the host", "http://:8080/", true, URLMalformed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := CheckURL(tt.url, tt.allowPrivate); err != tt.want {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

func TestOutboundErrorCode(t *testing.T) {
	neverAnswer := func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	tests := []struct {
		name string
		want string
		call func(t *testing.T) error
	}{
		{"no error has no code", "", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, serveHTTP(t, func(http.ResponseWriter, *http.Request) {}).URL)
		}},
		{"a name that does not exist", "dns", func(t *testing.T) error {
			return fetchLoopback(t, Config{Resolver: outboundtest.NewFakeDNS(t).Resolver()}, "http://gone.example.com/")
		}},
		{"a name that resolvers answer themselves, as one without an address (RFC 7686)", "dns", func(t *testing.T) error {
			return fetchLoopback(t, Config{Resolver: outboundtest.NewFakeDNS(t).Resolver()}, "http://p53lf57qovyuvwsc6xnrppyply3vtqm7l6pcobkmyqsiofyeznfu5uqd.onion/")
		}},
		{"the same from the system's resolver", "dns", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, "http://shop.onion./")
		}},
		{"a name that no resolver ever knows (RFC 6761)", "dns", func(t *testing.T) error {
			return fetchLoopback(t, Config{Resolver: outboundtest.NewFakeDNS(t).Resolver()}, "http://shop.invalid/")
		}},
		{"a name for tests", "dns", func(t *testing.T) error {
			return fetchLoopback(t, Config{Resolver: outboundtest.NewFakeDNS(t).Resolver()}, "http://shop.test/")
		}},
		{"a name without addresses", "dns", func(t *testing.T) error {
			dns := outboundtest.NewFakeDNS(t)
			dns.Answer(netip.Addr{}) // an answer of neither kind: the name exists, and has no address
			return fetchLoopback(t, Config{Resolver: dns.Resolver()}, "http://mail.example.com/")
		}},
		{"a resolver that does not answer", "dns", func(t *testing.T) error {
			silent := &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			return fetchLoopback(t, Config{Resolver: silent, DialTimeout: 50 * time.Millisecond}, "http://example.com/")
		}},
		{"a port without a listener", "connect", func(t *testing.T) error {
			server := serveHTTP(t, neverAnswer)
			server.Close()
			return fetchLoopback(t, Config{}, server.URL)
		}},
		{"a peer that hangs up", "connect", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, "http://"+serveTCP(t, func(net.Conn) {}))
		}},
		{"a peer that does not speak HTTP", "connect", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, "http://"+serveTCP(t, func(c net.Conn) { io.WriteString(c, "220 mail ready\r\n") }))
		}},
		{"a peer that does not speak TLS", "tls", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, "https://"+serveTCP(t, func(c net.Conn) { io.WriteString(c, "220 mail ready\r\n") }))
		}},
		{"a peer that hangs up within the handshake", "tls", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, "https://"+serveTCP(t, func(net.Conn) {}))
		}},
		{"a certificate without a trusted issuer", "tls", func(t *testing.T) error {
			return fetchLoopback(t, Config{RootCAs: x509.NewCertPool()}, serveHTTPS(t, neverAnswer).URL)
		}},
		{"a handshake that stalls", "timeout", func(t *testing.T) error {
			stall := func(c net.Conn) { io.Copy(io.Discard, c) }
			return fetchLoopback(t, Config{TLSTimeout: 50 * time.Millisecond}, "https://"+serveTCP(t, stall))
		}},
		{"headers that never come", "timeout", func(t *testing.T) error {
			return fetchLoopback(t, Config{HeaderTimeout: 50 * time.Millisecond}, serveHTTP(t, neverAnswer).URL)
		}},
		{"headers that never come over HTTP/2", "timeout", func(t *testing.T) error {
			server := serveHTTPS(t, neverAnswer)
			return fetchLoopback(t, Config{HeaderTimeout: 50 * time.Millisecond, RootCAs: rootsOf(server)}, server.URL)
		}},
		{"a body that never ends", "timeout", func(t *testing.T) error {
			server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
				w.(http.Flusher).Flush()
				<-r.Context().Done()
			})
			return fetchLoopback(t, Config{Timeout: 100 * time.Millisecond}, server.URL)
		}},
		{"a private address", "blocked_target", func(t *testing.T) error {
			_, err := NewClient(Config{}).Get("https://127.0.0.1/")
			return err
		}},
		{"plain http", "blocked_target", func(t *testing.T) error {
			_, err := NewClient(Config{}).Get("http://example.com/")
			return err
		}},
		{"a redirect too many", "redirect", func(t *testing.T) error {
			server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/again", http.StatusFound) })
			return fetchLoopback(t, Config{MaxRedirects: 3}, server.URL)
		}},
		{"a redirect to something unreadable", "redirect", func(t *testing.T) error {
			server := serveHTTP(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "https://[::1")
				w.WriteHeader(http.StatusFound)
			})
			return fetchLoopback(t, Config{}, server.URL)
		}},
		{"headers without end", "response_too_large", func(t *testing.T) error {
			return fetchLoopback(t, Config{}, "http://"+serveTCP(t, func(c net.Conn) {
				io.WriteString(c, "HTTP/1.1 200 OK\r\n")
				for i := 0; ; i++ {
					if _, err := fmt.Fprintf(c, "X-Filler-%d: %s\r\n", i, strings.Repeat("x", 1000)); err != nil {
						return
					}
				}
			}))
		}},
		{"headers just beyond the limit over HTTP/2", "response_too_large", func(t *testing.T) error {
			server := serveHTTPS(t, func(w http.ResponseWriter, _ *http.Request) {
				for i := range 68 {
					w.Header().Set("X-Filler-"+strconv.Itoa(i), strings.Repeat("x", 1000))
				}
			})
			return fetchLoopback(t, Config{RootCAs: rootsOf(server)}, server.URL)
		}},
		{"a caller who gave up", "interrupted", func(t *testing.T) error {
			ctx, cancel := context.WithCancel(t.Context())
			server := serveHTTP(t, func(_ http.ResponseWriter, r *http.Request) { cancel(); <-r.Context().Done() })
			req, err := http.NewRequestWithContext(ctx, "GET", server.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			_, err = NewClient(Config{AllowPrivate: true}).Do(req)
			return err
		}},
		{"a reader that met its own limit", "response_too_large", func(*testing.T) error {
			return fmt.Errorf("read the answer: %w", ErrResponseTooLarge)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			leaveNoGoroutines(t)
			err := tt.call(t)
			if got := ErrorCode(err); got != tt.want {
				t.Errorf("code %q, want %q: %v", got, tt.want, err)
			}
		})
	}
}

func TestRedirectsAreHeldToTheSameRules(t *testing.T) {
	leaveNoGoroutines(t)
	var location atomic.Value
	var last atomic.Pointer[http.Request]
	server := serveHTTPS(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/moved" {
			http.SetCookie(w, &http.Cookie{Name: "visitor", Value: "1"})
			w.Header().Set("Location", location.Load().(string))
			w.WriteHeader(http.StatusFound)
			return
		}
		last.Store(r)
	})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	inside := outboundtest.NewCanaryAt(t, port, "127.0.0.2")
	dns := outboundtest.NewFakeDNS(t)
	dns.Zone(map[string]netip.Addr{
		"www.example.com.": netip.MustParseAddr("127.0.0.1"),
		"bad.example.com.": netip.MustParseAddr("127.0.0.2"),
	})
	// For this client 127.0.0.1 is a public address and 127.0.0.2 is as private as ever.
	guard := ssrf.New(ssrf.WithAnyPort(), ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.1/32")))
	cfg := Config{Resolver: dns.Resolver(), RootCAs: rootsOf(server), MaxRedirects: 3, UserAgent: "sellerd/1"}
	client := newClient(cfg, guard.Safe)
	t.Cleanup(client.CloseIdleConnections)

	tests := []struct {
		name     string
		location string
		want     string
	}{
		{"to a path on the same host: followed", "/image", ""},
		{"to a public host: followed", "https://www.example.com:" + port + "/image", ""},
		{"to a name inside: refused when connecting", "https://bad.example.com:" + port + "/", "blocked_target"},
		{"to an address inside: refused by its text", "https://127.0.0.2:" + port + "/", "blocked_target"},
		{"to the same address in decimal: refused by its text", "https://2130706434:" + port + "/", "blocked_target"},
		{"to the port of another protocol: refused", "https://www.example.com:25/image", "blocked_target"},
		{"down to http: refused", "http://www.example.com:" + port + "/", "blocked_target"},
		{"to another scheme: refused", "file:///etc/passwd", "blocked_target"},
		{"with credentials: refused", "https://bob@www.example.com:" + port + "/", "blocked_target"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			location.Store(tt.location)
			resp, err := client.Get("https://www.example.com:" + port + "/moved")
			if err == nil {
				resp.Body.Close()
			}
			if got := ErrorCode(err); got != tt.want {
				t.Errorf("code %q, want %q: %v", got, tt.want, err)
			}
		})
	}
	if n := inside.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}

	t.Run("and what the next host hears is the user agent only", func(t *testing.T) {
		if diff := cmp.Diff(http.Header{"User-Agent": {"sellerd/1"}}, last.Load().Header); diff != "" {
			t.Errorf("headers (-want +got):\n%s", diff)
		}
		if last.Load().ProtoMajor != 2 {
			t.Errorf("spoke %s, want HTTP/2", last.Load().Proto)
		}
	})
	t.Run("and a client that follows none returns the redirect", func(t *testing.T) {
		cfg.MaxRedirects = 0
		client := newClient(cfg, guard.Safe)
		defer client.CloseIdleConnections()
		location.Store("https://bad.example.com/")
		resp, err := client.Get("https://www.example.com:" + port + "/moved")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusFound {
			t.Errorf("status %d, want 302", resp.StatusCode)
		}
	})
}

func TestProxiesOfTheEnvironmentAreIgnored(t *testing.T) {
	leaveNoGoroutines(t)
	proxy := outboundtest.NewCanary(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, "http://127.0.0.1:"+proxy.Port())
	}
	dns := outboundtest.NewFakeDNS(t)
	dns.Answer(netip.MustParseAddr("127.0.0.1"))
	server := serveHTTP(t, func(http.ResponseWriter, *http.Request) {})
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	if err := fetchLoopback(t, Config{Resolver: dns.Resolver()}, "http://shop.example.com:"+port); err != nil {
		t.Error(err)
	}
	if n := proxy.Visitors(t); n != 0 {
		t.Errorf("the proxy had %d visitors", n)
	}
}

// TestAQueryIsSentInASCII looks at the request line itself, of a first request and of a redirect.
func TestAQueryIsSentInASCII(t *testing.T) {
	lines := make(chan string, 2)
	server := serveHTTP(t, func(w http.ResponseWriter, r *http.Request) {
		lines <- r.RequestURI
		if r.URL.Path == "/moved" {
			w.Header().Set("Location", "/?n=Größe 9")
			w.WriteHeader(http.StatusFound)
		}
	})
	client := NewClient(Config{AllowPrivate: true, MaxRedirects: 3}) // the receiver is on this machine
	t.Cleanup(client.CloseIdleConnections)
	for sent, want := range map[string][]string{
		"/h?x=é":                      {"/h?x=%C3%A9"},
		"/hé?x=%C3%A9&y=ü%20+😀":       {"/h%C3%A9?x=%C3%A9&y=%C3%BC%20+%F0%9F%98%80"},
		"/h?x=a;b&c=/?:@!$'()*,\"|%z": {"/h?x=a;b&c=/?:@!$'()*,\"|%z"},
		"/h?":                         {"/h?"},
		"/h":                          {"/h"},
		"/moved?é":                    {"/moved?%C3%A9", "/?n=Gr%C3%B6%C3%9Fe%209"},
	} {
		response, err := client.Get(server.URL + sent)
		if err != nil {
			t.Errorf("%s: %v", sent, err)
			continue
		}
		response.Body.Close()
		got := []string{<-lines}
		for len(lines) > 0 {
			got = append(got, <-lines)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", sent, diff)
		}
	}
}
