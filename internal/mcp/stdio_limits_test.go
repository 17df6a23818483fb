package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// host talks to a server by lines over pipes, and keeps both open. It reads what comes while it sends.
type host struct {
	in   *io.PipeWriter
	out  chan string // lines
	done chan error
}

func newHost(t *testing.T, s *Server) *host {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	h := &host{in, make(chan string, 2*mostUnanswered), make(chan error, 1)}
	go func() {
		h.done <- s.Run(t.Context(), toServer, fromServer)
		_ = fromServer.Close()
	}()
	go func() {
		defer close(h.out)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			h.out <- lines.Text()
		}
	}()
	h.send(t, initialize)
	h.read(t)
	h.send(t, initialized)
	return h
}

func (h *host) send(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(h.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}

func (h *host) read(t *testing.T) message {
	t.Helper()
	line, open := <-h.out
	if !open {
		t.Fatalf("it ended with %v", <-h.done)
	}
	return decoded[message](t, line)
}

// TestARequestTooManyIsRejected sends more calls than may wait to a service that does not answer, and sends the rejected ones again once
// it does.
func TestARequestTooManyIsRejected(t *testing.T) {
	const tooMany = 3
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-released
		_, _ = w.Write([]byte(`{"status_code":200,"data":{}}`))
	}))
	defer service.Close()
	defer release()
	s, _ := newServer(t, Config{BaseURL: service.URL, Key: testKey, Patience: 20 * time.Second}, func() {})
	h := newHost(t, s)
	const call = `{"operation":"getAccount"}`
	for id := range mostUnanswered + tooMany {
		h.send(t, toolCall(id+1, "read", call))
	}
	var rejected []int
	for range tooMany {
		answer := h.read(t)
		id, _ := answer.ID.(float64)
		if answer.Error == nil || answer.Error.Code != codeTooMany {
			t.Fatalf("the answer is %+v", answer)
		}
		rejected = append(rejected, int(id))
	}
	if diff := cmp.Diff([]int{mostUnanswered + 1, mostUnanswered + 2, mostUnanswered + 3}, rejected); diff != "" {
		t.Errorf("the rejected calls (-want +got):\n%s", diff)
	}
	release()
	read := func(calls int) (ids []int) {
		for range calls {
			answer := h.read(t)
			id, _ := answer.ID.(float64)
			if answer.Error != nil || answer.Result.IsError {
				t.Fatalf("the answer is %+v", answer)
			}
			ids = append(ids, int(id))
		}
		slices.Sort(ids)
		return ids
	}
	answered := read(mostUnanswered)
	for _, id := range rejected {
		h.send(t, toolCall(id, "read", call))
	}
	answered = append(answered, read(tooMany)...)
	var want []int
	for id := range mostUnanswered + tooMany {
		want = append(want, id+1)
	}
	if diff := cmp.Diff(want, answered); diff != "" {
		t.Errorf("the answered calls (-want +got):\n%s", diff)
	}
	_ = h.in.Close()
	if err := <-h.done; err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// unread runs a server whose host sends a request and does not read the answer, with the time of a fake clock.
func unread(t *testing.T, test func(t *testing.T, s *Server, end context.CancelFunc, ended <-chan error)) {
	t.Helper()
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	synctest.Test(t, func(t *testing.T) {
		in, write := io.Pipe()
		read, out := io.Pipe()
		ctx, end := context.WithCancel(t.Context())
		defer end()
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx, in, out) }()
		if _, err := io.WriteString(write, initialize+"\n"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		test(t, s, end, ended)
		_, _ = write.Close(), read.Close() // for the goroutines that only the end of the program ends
	})
}

func TestAHostThatDoesNotReadEndsTheSession(t *testing.T) {
	unread(t, func(t *testing.T, s *Server, _ context.CancelFunc, ended <-chan error) {
		began := time.Now()
		if err := <-ended; !errors.Is(err, errUnread) {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(began); took != s.config.Patience {
			t.Errorf("it ended after %s, want %s", took, s.config.Patience)
		}
	})
}

func TestTheEndOfTheProgramDoesNotWaitForAHostThatDoesNotRead(t *testing.T) {
	unread(t, func(t *testing.T, _ *Server, end context.CancelFunc, ended <-chan error) {
		began := time.Now()
		end()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
		if took := time.Since(began); took != lastWrite {
			t.Errorf("it ended after %s, want %s", took, lastWrite)
		}
	})
}
