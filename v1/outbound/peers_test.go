package outbound

import (
	"bufio"
	"crypto/x509"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"go.uber.org/goleak"
)

// This file has the peers that outbound requests meet in tests: servers, forbidden targets, and a resolver.

// leaveNoGoroutines fails the test if something it started is still running at its end.
func leaveNoGoroutines(t *testing.T) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

// fetchLoopback reads an answer of a loopback server to its end and returns the first error on the way.
func fetchLoopback(t *testing.T, cfg Config, url string) error {
	t.Helper()
	cfg.AllowPrivate = true
	client := NewClient(cfg)
	t.Cleanup(client.CloseIdleConnections)
	resp, err := client.Get(url)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

func serveHTTP(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func serveHTTPS(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes are what some tests are about
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

func rootsOf(server *httptest.Server) *x509.CertPool {
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	return roots
}

// serveTCP accepts one connection after the other, reads the first line of what comes and lets talk answer it.
func serveTCP(t *testing.T, talk func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			bufio.NewReader(conn).ReadByte()
			talk(conn)
			conn.Close()
		}
	}()
	return listener.Addr().String()
}
