package deploy

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
)

// TestTheServersKnowWhoAsksTheProxy calls from several addresses of this machine.
func TestTheServersKnowWhoAsksTheProxy(t *testing.T) {
	t.Setenv("SELLERD_TRUSTED_PROXIES", "127.0.0.1") // the proxy's address, as the servers see it
	eachProxy(t, func(t *testing.T, b balancer, _, _ *blackbox.Server, seller *blackbox.Seller) {
		knowCallers(t, b, seller.Key)
	})
}

func knowCallers(t *testing.T, b balancer, key string) {
	t.Helper()
	anna, carl := b.caller(t, "127.0.0.2"), b.caller(t, "127.0.0.3")
	secure := "https://" + b.tls

	t.Run("a key by TLS", func(t *testing.T) {
		got := ask(t, anna, secure+"/v1/account", key, nil)
		if got.status != http.StatusOK || got.header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%d %v\n%s", got.status, got.header, got.body)
		}
	})
	t.Run("a key without TLS", func(t *testing.T) {
		for _, header := range []http.Header{nil, {"X-Forwarded-Proto": {"https"}}, {"Forwarded": {"proto=https"}}} {
			for path, code := range map[string]string{"/v1/account": `"code":"invalid_header"`, "/rest/seller": "<errorCode>invalid_header<"} {
				for _, sent := range []string{key, "wrong"} {
					got := ask(t, anna, "http://"+b.address+path, sent, header)
					if got.status != http.StatusBadRequest || !strings.Contains(got.body, code) || got.header.Get("Strict-Transport-Security") != "" {
						t.Errorf("%v: %d %v\n%s", header, got.status, got.header, got.body)
					}
				}
			}
		}
	})
	t.Run("wrong keys count for their caller", func(t *testing.T) {
		var statuses []int
		for i := range 60 { // more than both servers' 20 together, each in the name of another
			got := ask(t, anna, secure+"/v1/account", "wrong", http.Header{
				"X-Forwarded-For": {fmt.Sprintf("192.0.2.%d", i)}, "Forwarded": {fmt.Sprintf("for=192.0.2.%d", i)},
			})
			statuses = append(statuses, got.status)
		}
		if diff := cmp.Diff([]int{401, 429}, slices.Compact(slices.Sorted(slices.Values(statuses)))); diff != "" {
			t.Errorf("anna's attempts (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int{429, 429, 429}, statuses[57:]); diff != "" {
			t.Errorf("the last of anna's (-want +got):\n%s", diff)
		}
		if got := ask(t, carl, secure+"/v1/account", "wrong", nil); got.status != http.StatusUnauthorized {
			t.Errorf("carl's first: %d %s", got.status, got.body)
		}
		if got := ask(t, anna, secure+"/v1/account", key, nil); got.status != http.StatusOK {
			t.Errorf("anna with the right key: %d %s", got.status, got.body)
		}
	})
}

// TestTheProxiesPassBodies sends a body near the limit of 2 MiB, and one above it, which the server itself is to refuse.
func TestTheProxiesPassBodies(t *testing.T) {
	eachProxy(t, func(t *testing.T, b balancer, one, _ *blackbox.Server, seller *blackbox.Seller) {
		for _, size := range []int{1_900_000, 3_000_000} {
			var statuses []string
			for _, url := range []string{one.URL(), "http://" + b.address} {
				body := strings.NewReader(`{"title":"` + strings.Repeat("a", size) + `"}`)
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/items", body)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("X-Api-Key", seller.Key)
				request.Header.Set("Content-Type", "application/json")
				got := answer(t, http.DefaultClient, request)
				code := regexp.MustCompile(`"code":"\w+"`).FindString(got.body)
				statuses = append(statuses, fmt.Sprint(got.status, code))
			}
			if statuses[0] != statuses[1] || !strings.Contains(statuses[0], "code") {
				t.Errorf("%d bytes: the server answers %s, by the proxy %s", size, statuses[0], statuses[1])
			}
		}
	})
}

// TestTheProxiesWriteNoKeys stops both servers. The proxy says so soon, and writes neither the caller's headers nor the query.
func TestTheProxiesWriteNoKeys(t *testing.T) {
	eachProxy(t, func(t *testing.T, b balancer, one, two *blackbox.Server, _ *blackbox.Seller) {
		one.Stop(t)
		two.Stop(t)
		for range 2 {
			got := ask(t, &http.Client{Timeout: 10 * time.Second}, "http://"+b.address+"/rest/seller?apiKey=IN-THE-QUERY", "IN-THE-HEADER", nil)
			if got.status != http.StatusServiceUnavailable && got.status != http.StatusBadGateway {
				t.Errorf("without a server: %d %s", got.status, got.body)
			}
			var said struct{ Errors []struct{ Code string } }
			err := json.Unmarshal([]byte(got.body), &said)
			if b.envelope && (err != nil || len(said.Errors) != 1 || said.Errors[0].Code != "service_unavailable" || got.header.Get("Retry-After") != "5") {
				t.Errorf("without a server: %d %v %s, want the service's envelope and when to try again", got.status, got.header, got.body)
			}
		}
		if log := b.log(); strings.Contains(log, "IN-THE-") {
			t.Errorf("the log has a key:\n%s", log)
		}
	})
}

// TestTheProxiesWaitForTheServer compares the time that each proxy gives a server with the time after which the server answers anyway.
func TestTheProxiesWaitForTheServer(t *testing.T) {
	for file, pattern := range map[string]string{
		"haproxy.cfg": `timeout server (\d+)s`, "Caddyfile": `response_header_timeout (\d+)s`, "nginx.conf": `proxy_read_timeout (\d+)s`,
	} {
		found := regexp.MustCompile(pattern).FindStringSubmatch(read(t, file))
		if found == nil || found[1] <= "30" || len(found[1]) != 2 {
			t.Errorf("%s: %q", file, found)
		}
	}
}

// caller is a client that calls from an address of this machine.
func (b balancer) caller(t *testing.T, address string) *http.Client {
	t.Helper()
	dialer := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	transport := &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: b.certificate.Trust()}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Timeout: limit, Transport: transport}
}

// seen is an answer as its caller sees it.
type seen struct {
	status int
	header http.Header
	body   string
}

// ask sends a key and further headers.
func ask(t *testing.T, client *http.Client, url, key string, header http.Header) seen {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("X-Api-Key", key)
	return answer(t, client, request)
}

func answer(t *testing.T, client *http.Client, request *http.Request) seen {
	t.Helper()
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return seen{response.StatusCode, response.Header, string(body)}
}
