package server_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/certificate"
	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/certtest"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// secured serves a world by TLS, for callers and for the operator, and returns the addresses.
func secured(t *testing.T) (files certtest.Pair, pair *certificate.Pair, w *servertest.World, public, operator string) {
	t.Helper()
	files = certtest.Make(t, time.Now().Add(time.Hour))
	pair, err := certificate.Load(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	w = servertest.New(t, servertest.SQLite(t))
	s, err := server.New(server.Config{
		Service: w.Service, Logger: slog.New(slog.DiscardHandler), BaseURL: "https://sellerd.test", TLS: pair.Config(), OperatorTLS: pair.Config(),
	})
	if err != nil {
		t.Fatal(err)
	}
	public, operator = running(t, s)
	return files, pair, w, public, operator
}

func TestAServerSpeaksTLS(t *testing.T) {
	files, _, w, public, operator := secured(t)
	for _, test := range []struct {
		name, url string
		http2     bool
		proto     string
	}{
		{"HTTP/2", public + "/v1/account", true, "HTTP/2.0"},
		{"HTTP/1.1", public + "/v1/account", false, "HTTP/1.1"},
		{"for the operator", operator + "/metrics", true, "HTTP/2.0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: files.Trust(), ForceAttemptHTTP2: test.http2}}
			defer client.CloseIdleConnections()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+test.url, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("X-Api-Key", w.Key)
			answer, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			got := []string{answer.Status, answer.Proto, answer.Header.Get("Strict-Transport-Security")}
			if diff := cmp.Diff([]string{"200 OK", test.proto, "max-age=31536000"}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// By TLS as without it, a request that net/http rejects is answered in the envelope.
func TestRequestsThatCannotBeReadAreAnsweredByTLS(t *testing.T) {
	files, _, _, public, _ := secured(t)
	connection, err := tls.Dial("tcp", public, files.Trust())
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if _, err := io.WriteString(connection, "GET /v1/account HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(connection), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), `"code":"invalid_header"`) {
		t.Errorf("%d %s %v", answer.StatusCode, body, err)
	}
}

func TestWhoSpeaksPlainHTTPToATLSPortIsToldSo(t *testing.T) {
	_, _, _, public, _ := secured(t)
	answer, err := http.Get("http://" + public + "/v1/account")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("400 Bad Request: This port speaks https.\n", answer.Status+": "+string(body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestOldTLSIsRefused(t *testing.T) {
	files, _, _, public, _ := secured(t)
	for version, want := range map[uint16]bool{tls.VersionTLS11: false, tls.VersionTLS12: true, tls.VersionTLS13: true} {
		config := files.Trust()
		config.MinVersion, config.MaxVersion = version, version
		connection, err := tls.Dial("tcp", public, config)
		if (err == nil) != want {
			t.Errorf("%s: %v", tls.VersionName(version), err)
		}
		if err == nil {
			connection.Close()
		}
	}
}

// A connection that is open goes on with the certificate that it began with; new ones get the new certificate.
func TestANewCertificateEndsNoConnection(t *testing.T) {
	files, pair, w, public, _ := secured(t)
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: files.Trust(), ForceAttemptHTTP2: true}}
	defer old.CloseIdleConnections()
	ask := func(client *http.Client) (serial string) {
		t.Helper()
		answer, err := client.Get("https://" + public + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if _, err := io.ReadAll(answer.Body); err != nil || answer.StatusCode != http.StatusOK {
			t.Fatal(answer.Status, err)
		}
		return answer.TLS.PeerCertificates[0].NotAfter.String()
	}
	first := ask(old)
	files.Renew(t, time.Now().Add(2*time.Hour))
	pair.Look(w.Clock.Now(), slog.New(slog.DiscardHandler))
	renewed := &http.Client{Transport: &http.Transport{TLSClientConfig: files.Trust()}}
	defer renewed.CloseIdleConnections()
	if diff := cmp.Diff([]string{first, files.Leaf.NotAfter.String()}, []string{ask(old), ask(renewed)}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAStartIsAnsweredByTLS(t *testing.T) {
	files := certtest.Make(t, time.Now().Add(time.Hour))
	pair, err := certificate.Load(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	w, _, log := served(t)
	public, operator := listen(t), listen(t)
	starting, err := server.AnswerWhileStarting(server.StartingConfig{
		Logger: httplog.NewLogger(log, slog.LevelInfo, httplog.JSON), Clock: w.Clock, BaseURL: "https://sellerd.test", TLS: pair.Config(),
	}, public, operator)
	if err != nil {
		t.Fatal(err)
	}
	defer starting.Stop()
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: files.Trust(), ForceAttemptHTTP2: true}}
	defer client.CloseIdleConnections()
	var got []string
	for _, url := range []string{"https://" + public.Addr().String(), "http://" + operator.Addr().String()} {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url+"/readyz", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		got = append(got, answer.Status)
	}
	if diff := cmp.Diff([]string{"503 Service Unavailable", "503 Service Unavailable"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
