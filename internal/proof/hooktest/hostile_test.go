package hooktest

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

const (
	slotLimit    = 20*time.Second + 500*time.Millisecond
	growthLimit  = 50 << 20
	hostileItems = 20               // of each account
	hostileTime  = 45 * time.Second // two rounds of the longest attempt
)

// hostility is a way to answer that should not hurt. The connection ends when it returns, or when the sender leaves.
type hostility struct {
	name   string
	code   string // of the error that is recorded
	answer func(conn net.Conn)
}

var hostilities = []hostility{
	{"hang", "timeout", func(conn net.Conn) { wait(conn) }},
	{"trickle of header", "timeout", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nX-Slow: ")
		trickle(conn)
	}},
	{"trickle of body", "timeout", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
		trickle(conn)
	}},
	{"10 GB", "response_too_large", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 10737418240\r\n\r\n")
		flood(conn, make([]byte, 64<<10))
	}},
	{"gzip bomb", "response_too_large", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n")
		flood(conn, bomb())
	}},
	{"endless headers", "response_too_large", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n")
		flood(conn, bytes.Repeat([]byte("X-More: and more and more and more\r\n"), 1000))
	}},
	{"redirects", "redirect", func(conn net.Conn) {
		_, _ = io.WriteString(conn, "HTTP/1.1 302 Found\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}},
	{"reset", "connect", func(conn net.Conn) {
		_ = conn.(*net.TCPConn).SetLinger(0)
	}},
}

// bomb is 64 MiB of zeros.
var bomb = sync.OnceValue(func() []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write(make([]byte, 64<<20))
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // memory
	}
	return packed.Bytes()
})

// wait returns when the sender leaves.
func wait(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }

// trickle sends a byte a second until the sender leaves.
func trickle(conn net.Conn) {
	for {
		if _, err := conn.Write([]byte{'x'}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// flood sends the same again and again until the sender leaves.
func flood(conn net.Conn, what []byte) {
	for {
		if _, err := conn.Write(what); err != nil {
			return
		}
	}
}

// tlsJunk answers a handshake with text. It is of its own kind, as its address begins with https.
var tlsJunk = hostility{"TLS junk", "tls", func(conn net.Conn) { _, _ = io.WriteString(conn, "220 mail.example.com ESMTP\r\n") }}

// TestHostileReceivers fills every slot with receivers that mean harm. Each attempt ends in time and under the right
// name, and the server's memory does not grow with what is thrown at it. It takes as long as timeouts do, so it runs
// only at length; the engine's own tests try the same with short timeouts.
func TestHostileReceivers(t *testing.T) {
	if !*long {
		return
	}
	each(t, func(t *testing.T, s *blackbox.Server, database string) {
		sellers := blackbox.NewSellers(t, s, 8)
		friendly := friendlyMemory(t, s, sellers)
		codes := map[string]string{} // by webhook
		for _, h := range append([]hostility{tlsJunk}, hostilities...) {
			url := listen(t, h)
			for _, seller := range sellers {
				hook := blackbox.Call[blackbox.Webhook](t, seller.Client, http.MethodPost, "/v1/webhooks", map[string]any{"url": url})
				codes[hook.ID] = h.code
			}
		}
		memory := s.WatchMemory(t)
		for _, seller := range sellers {
			seller.Publish(t, hostileItems)
		}
		time.Sleep(hostileTime)
		growth := memory() - friendly
		slowest, attempts := checkHostileLog(t, sellers, codes)
		blackbox.Record(t, blackbox.Figure{
			Number: "R7", What: fmt.Sprintf("%d hostile receivers of %d kinds at 8 accounts, %s attempts, %s",
				len(codes), len(hostilities)+1, blackbox.Thousands(int64(attempts)), database),
			Aim: "slot free ≤ 20.5 s, memory grows < 50 MB",
			Measured: fmt.Sprintf("the longest attempt %.2f s; at most %s of memory, %s with friendly receivers",
				slowest.Seconds(), blackbox.Mebibytes(friendly+growth), blackbox.Mebibytes(friendly)),
			Reached: slowest <= slotLimit && growth < growthLimit,
		})
	})
}

// friendlyMemory is what the same events need at most at as many receivers that answer at once. Those are gone then.
func friendlyMemory(t *testing.T, s *blackbox.Server, sellers []*blackbox.Seller) int64 {
	t.Helper()
	receiver := blackbox.NewReceiver(t, nil)
	memory := s.WatchMemory(t)
	for i, seller := range sellers {
		var hooks []blackbox.Webhook
		for n := range len(hostilities) + 1 {
			hooks = append(hooks, seller.Subscribe(t, receiver, fmt.Sprintf("%d-%d", i, n)))
		}
		seller.Publish(t, hostileItems)
		seller.AwaitDelivered(t, time.Minute)
		for _, hook := range hooks {
			blackbox.Call[struct{ ID string }](t, seller.Client, http.MethodDelete, "/v1/webhooks/"+hook.ID, nil)
		}
	}
	return memory()
}

// checkHostileLog finds the slowest attempt, and what ended otherwise than it should.
func checkHostileLog(t *testing.T, sellers []*blackbox.Seller, codes map[string]string) (slowest time.Duration, attempts int) {
	t.Helper()
	ended := map[string]bool{}
	for _, seller := range sellers {
		for _, d := range seller.Deliveries(t, "&status=failed,succeeded,interrupted") {
			if codes[d.WebhookID] == "" {
				continue // a friendly one
			}
			attempts++
			ended[d.WebhookID] = true
			if d.Error == nil || d.Error.Code != codes[d.WebhookID] {
				t.Errorf("an attempt at %s ended %s with %+v instead of %s", d.URL, d.Status, d.Error, codes[d.WebhookID])
			}
			slowest = max(slowest, time.Duration(*d.DurationMS)*time.Millisecond)
		}
		for _, d := range seller.Deliveries(t, "&status=sending") {
			slowest = max(slowest, time.Since(*d.StartedAt))
		}
	}
	if len(ended) != len(codes) {
		t.Errorf("only %d of %d endpoints were tried", len(ended), len(codes))
	}
	return slowest, attempts
}

// listen starts a hostile receiver and returns its address as a webhook has it.
func listen(t *testing.T, h hostility) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var connected connections
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connected.add(conn)
			serving.Go(func() {
				defer conn.Close()
				if h.name != tlsJunk.name && !readRequest(conn) {
					return
				}
				h.answer(conn)
			})
		}
	})
	t.Cleanup(func() {
		listener.Close()
		connected.closeAll()
		serving.Wait()
	})
	if h.name == tlsJunk.name {
		return "https://" + listener.Addr().String() + "/"
	}
	return "http://" + listener.Addr().String() + "/"
}

func readRequest(conn net.Conn) bool {
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, request.Body)
	return err == nil
}

// connections are closed at the end of a test, whatever is going on in them.
type connections struct {
	mu     sync.Mutex
	open   []net.Conn
	closed bool
}

func (c *connections) add(conn net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		conn.Close()
	}
	c.open = append(c.open, conn)
}

func (c *connections) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, conn := range slices.Backward(c.open) {
		conn.Close()
	}
}
