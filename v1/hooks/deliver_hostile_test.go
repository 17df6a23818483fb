package hooks_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// impatient sends with timeouts that a test can wait for.
func impatient(c *v1.Config) {
	c.Webhooks = v1.NewOutboundClient(v1.OutboundConfig{
		AllowPrivate: true, Timeout: 400 * time.Millisecond, TLSTimeout: 200 * time.Millisecond, HeaderTimeout: 200 * time.Millisecond,
	})
}

// rawServer accepts connections and passes each to serve, if wanted after the head of a request.
func rawServer(t *testing.T, afterHead bool, serve func(net.Conn)) string {
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
			go func() {
				defer conn.Close()
				if afterHead {
					request, err := http.ReadRequest(bufio.NewReader(conn))
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, request.Body)
				}
				serve(conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// drip writes a text again and again until the other side has had enough.
func drip(conn net.Conn, text string, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for range tick.C {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

// flood writes a text as fast as the other side takes it.
func flood(conn net.Conn, text string) {
	for {
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

// leaked are words of Go's errors. They stand alone: the letters EOF also occur in random ids.
var leaked = regexp.MustCompile(`\b(dial tcp|connection refused|EOF|malformed|deadline|handshake)\b`)

func TestHostileReceiversCostAnAttemptAndNothingElse(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	var bomb bytes.Buffer
	packer := gzip.NewWriter(&bomb)
	if _, err := io.Copy(packer, io.LimitReader(zeros{}, 32<<20)); err != nil {
		t.Fatal(err)
	}
	packer.Close()
	url := func(scheme string, afterHead bool, serve func(net.Conn)) string {
		return scheme + "://" + rawServer(t, afterHead, serve)
	}
	say := func(text string) func(net.Conn) {
		return func(conn net.Conn) { _, _ = io.WriteString(conn, text) }
	}
	closed := "http://" + rawServer(t, false, func(net.Conn) {})
	redirects := servertest.NewReceiver(t)
	redirects.Answers(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path+"x", http.StatusFound) })
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	tests := []struct{ name, url, want string }{
		{"one that never answers", url("http", true, func(net.Conn) { <-hang }), "1 failed timeout"},
		{"one that never reads", url("http", false, func(net.Conn) { <-hang }), "1 failed timeout"},
		{"one that trickles its headers", url("http", true, func(c net.Conn) { _, _ = io.WriteString(c, ok); drip(c, "X", 20*time.Millisecond) }), "1 failed timeout"},
		{"one that trickles its body", url("http", true, func(c net.Conn) {
			_, _ = io.WriteString(c, ok+"Content-Length: 1000\r\n\r\n")
			drip(c, ".", 20*time.Millisecond)
		}), "1 failed timeout"},
		{"ten gigabytes", url("http", true, func(c net.Conn) {
			_, _ = io.WriteString(c, ok+"Content-Length: 10737418240\r\n\r\n")
			flood(c, strings.Repeat("a", 64<<10))
		}), "1 failed response_too_large"},
		{
			"headers without an end", url("http", true, func(c net.Conn) { _, _ = io.WriteString(c, ok); flood(c, "X-More: "+strings.Repeat("a", 1000)+"\r\n") }),
			"1 failed response_too_large",
		},
		{"a gzip bomb, which stays packed", url("http", true, func(c net.Conn) {
			fmt.Fprintf(c, ok+"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s", bomb.Len(), bomb.Bytes())
		}), "1 succeeded final"},
		{"a thousand redirects", redirects.URL, "1 failed redirect"},
		{"a redirect to nowhere", url("http", true, say("HTTP/1.1 302 Found\r\nLocation: ::%zz\r\nContent-Length: 0\r\n\r\n")), "1 failed redirect"},
		{"a reset connection", url("http", true, func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }), "1 failed connect"},
		{"a connection closed without an answer", url("http", true, func(net.Conn) {}), "1 failed connect"},
		{"a connection closed at once", closed, "1 failed connect"},
		{"half an answer", url("http", true, say(ok+"Content-Length: 100\r\n\r\nhalf")), "1 failed connect"},
		{"something that is not HTTP", url("http", true, say("220 mail.example ESMTP\r\n")), "1 failed connect"},
		{"something that is not TLS", url("https", false, say("220 mail.example ESMTP, and a line that is long enough\r\n")), "1 failed tls"},
		{"a handshake that never ends", url("https", false, func(net.Conn) { <-hang }), "1 failed timeout"},
		{"a port without a listener", "http://127.0.0.1:1", "1 failed connect"},
		{"a status out of this world", url("http", true, say("HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n")), "1 failed http_status"},
		{"bytes that are no text", url("http", true, say(ok+"Content-Length: 4\r\n\r\n\x00\xff\xfea")), "1 succeeded final"},
	}
	servertest.Alone(t, func(t *testing.T, w *servertest.World) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		hooks := map[string]string{}
		for i, test := range tests {
			key := w.Key
			if i%2 == 1 { // a mode has room for 20
				key = w.LiveKey
			}
			made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Key: key, Body: object{"url": test.url}})
			hook := servertest.Into[servertest.Webhook](t, made)
			hooks[test.name] = hook.ID
			w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + hook.ID + "/test", Key: key})
		}
		plantest.Fill(t, w, "UPDATE dispatches SET trigger = 'automatic'", "UPDATE deliveries SET trigger = 'automatic'")
		if n := servertest.DeliverAll(t, w.Service); n != len(tests) { // several claims
			t.Fatalf("%d of %d attempts", n, len(tests))
		}
		runtime.ReadMemStats(&after)
		if grown := (int64(after.HeapInuse) - int64(before.HeapInuse)) >> 20; grown > 50 {
			t.Errorf("the heap grew by %d MiB", grown)
		}
		got, want := map[string]string{}, map[string]string{}
		for i, test := range tests {
			key := w.Key
			if i%2 == 1 {
				key = w.LiveKey
			}
			answer := w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries?status=failed,succeeded&webhook_id=" + hooks[test.name], Key: key})
			log := servertest.Into[struct {
				Results []servertest.Delivery `json:"results"`
			}](t, answer).Results
			want[test.name], got[test.name] = test.want, fmt.Sprint(log[0])
			if leak := leaked.FindString(answer.Body); leak != "" {
				t.Errorf("%s: the log of deliveries says %q", test.name, leak)
			}
			if log[0].Response != nil && len(log[0].Response.Body) > 12<<10 { // 4 KiB, in which every byte may have become a sign of three
				t.Errorf("%s: %d bytes of the answer are kept", test.name, len(log[0].Response.Body))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("attempts (-want +got):\n%s", diff)
		}
	}, impatient)
}

// zeros is a reader without an end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}
