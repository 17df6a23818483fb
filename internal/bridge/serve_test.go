package bridge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
	"sellerd/v1"
)

// pipes is a listener within the program, so that a test's time can run fast.
type pipes struct {
	coming chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.coming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// dial connects to the listener.
func (p *pipes) dial() net.Conn {
	near, far := net.Pipe()
	p.coming <- far
	return near
}

// transport is a function as one.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// answered is an answer of the service.
func answered(status int, data string) *http.Response {
	body := fmt.Sprintf(`{"status_code":%d,"data":%s}`, status, data)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}
}

// serving is a bridge that serves pipes.
func serving(t *testing.T, ctx context.Context, record io.Writer, send transport) (listener *pipes, ended chan error) {
	t.Helper()
	b, err := bridge.New(bridge.Config{
		To: "http://sellerd.test", Secret: secret, Clock: v1.SystemClock{}, Logger: slog.New(slog.DiscardHandler), Record: record, Transport: send,
	})
	if err != nil {
		t.Fatal(err)
	}
	listener, ended = &pipes{make(chan net.Conn), make(chan struct{})}, make(chan error, 1)
	go func() { ended <- b.Serve(ctx, listener, nil) }()
	return listener, ended
}

// begin sends the head of a request.
func begin(t *testing.T, c net.Conn, method, target string, length int) {
	t.Helper()
	_, err := fmt.Fprintf(c, "%s %s HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: %s\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
		method, target, someKey, length)
	if err != nil {
		t.Error(err)
	}
}

// TestACallThatWaitedHasItsWholeTime sends a bulk while all places are taken. Then its program takes nearly a minute to send the body, and
// the service nearly a minute to take the batches.
func TestACallThatWaitedHasItsWholeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		listener, ended := serving(t, ctx, nil, func(r *http.Request) (*http.Response, error) {
			time.Sleep(14 * time.Second)
			if r.Method == http.MethodPost {
				return answered(202, `{"id":"bat_1","accepted_count":100,"rejected_count":0,"results":[]}`), nil
			}
			return answered(200, `{"id":"5001","nickname":"anna"}`), nil
		})
		for range bridge.CallsAtOnce {
			c := listener.dial()
			begin(t, c, "GET", "/rest/seller", 0)
			go func() { _, _ = io.Copy(io.Discard, c) }()
		}
		synctest.Wait()
		began := time.Now()
		form := url.Values{}
		for i := range 400 {
			form.Set(fmt.Sprintf("items[%d][title]", i), "Card")
			form.Set(fmt.Sprintf("items[%d][personal_reference]", i), fmt.Sprint("A-", i))
		}
		body := form.Encode()
		c := listener.dial()
		begin(t, c, "POST", "/rest/items", len(body))
		part := len(body) / 11
		for len(body) > 0 {
			n := min(part, len(body))
			if _, err := io.WriteString(c, body[:n]); err != nil {
				t.Fatalf("after %s: %v", time.Since(began), err)
			}
			body = body[n:]
			time.Sleep(5 * time.Second)
		}
		response, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("after %s: %v", time.Since(began), err)
		}
		text, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusOK || strings.Count(string(text), "taken into account") == 0 {
			t.Errorf("after %s: %d %v %.500s", time.Since(began), response.StatusCode, err, text)
		}
		if took := time.Since(began); took < 120*time.Second {
			t.Errorf("all of it took %s", took)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

// TestCallsThatAreCutOffAreRecorded ends the bridge while the service has a create, which it may carry out, and while a program sends its
// request.
func TestCallsThatAreCutOffAreRecorded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var record bytes.Buffer
		listener, ended := serving(t, ctx, &record, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			time.Sleep(time.Second) // the network takes its time
			return nil, r.Context().Err()
		})
		const form = "title=Card&id_category=1010101&personal_reference=A-1&fixed_price=1&currency=EUR"
		create, slow := listener.dial(), listener.dial()
		begin(t, create, "POST", "/rest/item", len(form))
		_, _ = io.WriteString(create, form)
		begin(t, slow, "POST", "/rest/item", len(form))
		_, _ = io.WriteString(slow, form[:10])
		synctest.Wait()
		cancel()
		response, err := http.ReadResponse(bufio.NewReader(create), nil)
		if err != nil {
			t.Fatalf("the create was not answered: %v", err)
		}
		text, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(text), "It is not known whether it was carried out. Send the same again within 24 hours") {
			t.Errorf("%d %s", response.StatusCode, text)
		}
		create.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		var got []string
		for decoder := json.NewDecoder(&record); decoder.More(); {
			var line bridge.Line
			if err := decoder.Decode(&line); err != nil {
				t.Fatal(err)
			}
			requests, err := json.Marshal(line.V1)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprintf("%s %d %s", line.Call, line.Status, requests))
		}
		if diff := cmp.Diff([]string{`item-create 503 [{"method":"POST","path":"/v1/items","status":0}]`, "item-create 400 []"}, got); diff != "" {
			t.Errorf("recorded (-want +got):\n%s", diff)
		}
		slow.Close()
	})
}
