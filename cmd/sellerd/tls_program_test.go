package main_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/certtest"
)

func TestAServerWithACertificate(t *testing.T) {
	files := certtest.Make(t, time.Now().Add(24*time.Hour))
	server := serve(t, t.TempDir(), "--tls-cert", files.Cert, "--tls-key", files.Key, "--security-contact=mailto:s@example.com")
	address := strings.TrimPrefix(server.url, "http://")
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: files.Trust()}}
	defer client.CloseIdleConnections()
	answer, err := client.Get("https://" + address + "/.well-known/security.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := strings.Cut(address, ":")
	if want := "Canonical: https://localhost:" + port + "/"; !strings.Contains(string(text), want) {
		t.Errorf("links begin with another address than %s:\n%s", want, text)
	}
	if got := must(t, t.TempDir(), "health", "--addr", address, "--tls-cert", files.Cert); got != "ready" {
		t.Errorf("sellerd health: %s", got)
	}
	metrics, err := http.Get(server.operator + "/metrics") // which speaks no TLS without --operator-tls
	if err != nil {
		t.Fatal(err)
	}
	defer metrics.Body.Close()
	if text, err = io.ReadAll(metrics.Body); err != nil || !strings.Contains(string(text), "\nsellerd_tls_expiry_timestamp_seconds 1.") {
		t.Errorf("%v, the metrics have no end of the certificate", err)
	}
	server.end(t)
}

func TestACertificateThatCannotBeUsedStopsTheStart(t *testing.T) {
	files := certtest.Make(t, time.Now().Add(24*time.Hour))
	for _, test := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"no key", []string{"--tls-cert", files.Cert}, "sellerd: --tls-cert and --tls-key belong together: give both or none\n"},
		{"no certificate for the operator", []string{"--operator-tls"}, "sellerd: --operator-tls needs a certificate: --tls-cert and --tls-key\n"},
		{"no file", []string{"--tls-cert", "none.pem", "--tls-key", files.Key}, "sellerd: --tls-cert, --tls-key: none.pem cannot be read: no such file or directory\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			status, said := mistake(t, t.TempDir(), append([]string{"serve"}, test.flags...)...)
			if diff := cmp.Diff(test.want, said); diff != "" || status != 2 {
				t.Errorf("status %d (-want +got):\n%s", status, diff)
			}
		})
	}
}
