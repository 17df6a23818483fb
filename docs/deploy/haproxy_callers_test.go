package deploy

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/installed"
	"sellerd/internal/proof/pgtest"
)

// TestTheServersKnowWhoAsksTheBalancer runs two servers behind HAProxy, with the configuration that is committed but for
// addresses and the certificate, and calls from several addresses of this machine.
func TestTheServersKnowWhoAsksTheBalancer(t *testing.T) {
	haproxy := installed.Path(t, "THE LOAD BALANCER WAS NOT TRIED", "haproxy")
	t.Setenv("SELLERD_TRUSTED_PROXIES", "127.0.0.1") // HAProxy's address, as the servers see it
	database := pgtest.URL(t, nil)
	one, two := blackbox.NewServer(t, database), blackbox.NewServer(t, database)
	one.Start(t)
	two.Start(t)
	seller := blackbox.NewSeller(t, one, "anna")
	b := startHAProxy(t, haproxy, one, two)
	anna, carl := b.caller(t, "127.0.0.2"), b.caller(t, "127.0.0.3")
	secure := "https://" + b.tls

	t.Run("a key by TLS", func(t *testing.T) {
		got := ask(t, anna, secure+"/v1/account", seller.Key, nil)
		if got.status != http.StatusOK || got.header.Get("Strict-Transport-Security") != "max-age=31536000" {
			t.Errorf("%d %v\n%s", got.status, got.header, got.body)
		}
	})
	t.Run("a key without TLS", func(t *testing.T) {
		for _, header := range []http.Header{nil, {"X-Forwarded-Proto": {"https"}}, {"Forwarded": {"proto=https"}}} {
			for path, code := range map[string]string{"/v1/account": `"code":"invalid_header"`, "/rest/seller": "<errorCode>invalid_header<"} {
				for _, key := range []string{seller.Key, "wrong"} {
					got := ask(t, anna, "http://"+b.address+path, key, header)
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
		if got := ask(t, anna, secure+"/v1/account", seller.Key, nil); got.status != http.StatusOK {
			t.Errorf("anna with the right key: %d %s", got.status, got.body)
		}
	})
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
