package servertest

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Wiretap is a receiver that keeps the first bytes of its connections, because net/http respells the names of headers as it reads them.
type Wiretap struct {
	*httptest.Server
	mu   sync.Mutex
	seen bytes.Buffer
}

// NewWiretap starts a receiver that answers 200 to everything.
func NewWiretap(t *testing.T) *Wiretap {
	t.Helper()
	w := &Wiretap{}
	w.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	w.Listener = tapped{w.Listener, w}
	w.Start()
	t.Cleanup(w.Close)
	return w
}

// HeaderNames are the names in the first request, in the order and the spelling in which they were sent.
func (w *Wiretap) HeaderNames() (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := bufio.NewScanner(bytes.NewReader(w.seen.Bytes()))
	for lines.Scan() && lines.Text() != "" {
		if name, _, isHeader := strings.Cut(lines.Text(), ": "); isHeader {
			names = append(names, name)
		}
	}
	return names
}

type tapped struct {
	net.Listener
	tap *Wiretap
}

func (l tapped) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return tappedConn{c, l.tap}, err
}

type tappedConn struct {
	net.Conn
	tap *Wiretap
}

func (c tappedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.tap.mu.Lock()
	defer c.tap.mu.Unlock()
	c.tap.seen.Write(b[:n])
	return n, err
}
