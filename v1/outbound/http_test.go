package outbound

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sellerd/v1/outbound/outboundtest"

	"github.com/google/go-cmp/cmp"
)

// This file is about the http addresses that programs of /rest give.

// plainTargets are the targets of a list at http instead of https.
func plainTargets(t *testing.T, list []outboundtest.Target, atLeast int) (targets []outboundtest.Target) {
	t.Helper()
	for _, target := range list {
		if rest, ok := strings.CutPrefix(target.URL, "https://"); ok {
			target.URL = "http://" + rest
			targets = append(targets, target)
		}
	}
	if len(targets) < atLeast {
		t.Fatalf("the list has %d targets, want at least %d", len(targets), atLeast)
	}
	return targets
}

func TestNoForbiddenTargetIsReachedByPlainHTTP(t *testing.T) {
	leaveNoGoroutines(t)
	canary, dns := outboundtest.NewCanary(t), outboundtest.NewFakeDNS(t)
	client := NewClient(Config{AllowHTTP: true, Resolver: dns.Resolver(), DialTimeout: 2 * time.Second})
	for _, target := range plainTargets(t, outboundtest.ForbiddenTargets(canary.Port()), 150) {
		dns.Answer(target.Addrs...)
		var refusal URLError
		err := CheckLegacyURL(target.URL, false)
		if byText := errors.As(err, &refusal); byText == target.NeedsResolver && refusal != URLForeignPort {
			t.Errorf("%s is refused by its text: %v (%v)", target.URL, byText, err)
		}
		request, err := http.NewRequest("GET", target.URL, nil)
		if err != nil {
			continue // cannot even be asked for
		}
		if _, err := client.Do(request); ErrorCode(err) != "blocked_target" {
			t.Errorf("%s: code %q, want blocked_target: %v", target.URL, ErrorCode(err), err)
		}
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}

func TestCheckLegacyURL(t *testing.T) {
	for _, target := range plainTargets(t, outboundtest.AllowedTargets(), 30) {
		if err := CheckLegacyURL(target.URL, false); err != nil && err != URLForeignPort && err != URLHTTPPort {
			t.Errorf("%s: %v", target.URL, err)
		}
		if err := CheckURL(target.URL, false); err != URLNotHTTPS {
			t.Errorf("%s: %v instead of %v on /v1", target.URL, err, URLNotHTTPS)
		}
	}
	for url, want := range map[string]error{
		"http://www.mysite.net/feedback_api.php?token=bob": nil,
		"https://www.example.com/":                         nil,
		"https://www.example.com:25/":                      URLHTTPSPort,
		"https://www.example.com:8443/":                    nil,
		"http://www.example.com:80/":                       nil,
		"http://www.example.com:1024/":                     nil,
		"http://www.example.com:8080/":                     nil,
		"http://www.example.com:443/":                      URLHTTPPort,
		"http://www.example.com:81/":                       URLHTTPPort,
		"http://www.example.com:1023/":                     URLHTTPPort,
		"http://www.example.com:25/":                       URLForeignPort,
		"http://www.example.com:6667/":                     URLForeignPort,
		"http://www.example.com:025/":                      URLForeignPort,
		"ftp://www.example.com/":                           URLNotHTTP,
		"www.example.com":                                  URLNotHTTP,
		"http://bob@www.example.com/":                      URLHasCredentials,
		"http://intranet/":                                 URLPrivateTarget,
		"http://[::ffff:10.0.0.1]/":                        URLPrivateTarget,
	} {
		if err := CheckLegacyURL(url, false); err != want {
			t.Errorf("%s: %v instead of %v", url, err, want)
		}
	}
}

// TestRedirectsStayAsStrict follows redirects as pictures' do, on an internet of two names.
func TestRedirectsStayAsStrict(t *testing.T) {
	leaveNoGoroutines(t)
	canary := outboundtest.NewCanary(t)
	to := ""
	redirect := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/picture" {
			return
		}
		http.Redirect(w, r, to, http.StatusFound)
	}
	plain, secure := serveHTTP(t, redirect), serveHTTPS(t, redirect)
	roots := x509.NewCertPool()
	roots.AddCert(secure.Certificate())
	client := NewClient(Config{
		AllowHTTP: true, MaxRedirects: 3, RootCAs: roots,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			known, ok := map[string]string{"example.com:80": plain.Listener.Addr().String(), "example.com:443": secure.Listener.Addr().String()}[address]
			if !ok {
				return nil, fmt.Errorf("nothing is at %s", address)
			}
			return new(net.Dialer).DialContext(ctx, network, known)
		},
	})
	t.Cleanup(client.CloseIdleConnections)
	for name, c := range map[string]struct{ from, to, want string }{
		"from http to http":             {"http://example.com/", "http://example.com/picture", ""},
		"from http to https":            {"http://example.com/", "https://example.com/picture", ""},
		"from https to http":            {"https://example.com/", "http://example.com/picture", "blocked_target"},
		"from http to inside":           {"http://example.com/", "http://127.0.0.1:" + canary.Port() + "/", "blocked_target"},
		"from http to another protocol": {"http://example.com/", "http://example.com:25/", "blocked_target"},
	} {
		to = c.to
		response, err := client.Get(c.from)
		if err == nil {
			response.Body.Close()
		}
		if diff := cmp.Diff(c.want, ErrorCode(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", name, diff, err)
		}
	}
	if n := canary.Visitors(t); n != 0 {
		t.Errorf("the canary had %d visitors", n)
	}
}
