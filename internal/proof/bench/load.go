package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/internal/base/pause"
)

// load is what a number of connections send at the same time.
type load struct {
	address string
	clients int
	status  int // of each answer
	make    maker
	// next is the number of the next request and the instant at which it is due, or io.EOF. Without it each connection counts its own, and
	// sends one as soon as the last is answered, until the context ends.
	next func(ctx context.Context) (n int, due time.Time, err error)
}

// maker appends the n-th request of a connection, ready to be sent.
type maker func(b []byte, random *rand.Rand, client, n int) []byte

// loaded is what came of a load.
type loaded struct {
	requests int
	took     time.Duration
	times    []time.Duration // of the answers, from the instant at which each request was due, sorted
}

// atMost gives out numbers up to a sum.
func atMost(requests int) func(context.Context) (int, time.Time, error) {
	var given atomic.Int64
	return func(context.Context) (int, time.Time, error) {
		if n := int(given.Add(1)); n <= requests {
			return n, time.Now(), nil
		}
		return 0, time.Time{}, io.EOF
	}
}

// paced gives out numbers at a fixed rate. A connection waits until its request is due. If all connections wait for answers then, the
// request is late, and its time shows it: a server that falls behind is not spared.
func paced(rate float64) func(context.Context) (int, time.Time, error) {
	began := time.Now()
	var given atomic.Int64
	return func(ctx context.Context) (int, time.Time, error) {
		n := int(given.Add(1)) - 1
		due := began.Add(time.Duration(float64(n) / rate * float64(time.Second)))
		if pause.For(ctx, time.Until(due)) != nil {
			return 0, due, io.EOF
		}
		return n, due, nil
	}
}

// press sends a load until the context ends, or there is no next request. It fails on the first answer with another status than the
// wanted one. The client uses only bytes and a buffer, because it shares the machine with the server.
func press(ctx context.Context, l load) (out loaded, err error) {
	var (
		wg sync.WaitGroup
		mu sync.Mutex
	)
	began := time.Now()
	for i := range l.clients {
		wg.Go(func() {
			times, failed := l.pressOne(ctx, i)
			mu.Lock()
			defer mu.Unlock()
			out.times, err = append(out.times, times...), errors.Join(err, failed)
		})
	}
	wg.Wait()
	out.requests, out.took = len(out.times), time.Since(began)
	slices.Sort(out.times)
	if err == nil && out.requests == 0 {
		err = errors.New("no request was answered")
	}
	return out, err
}

// pressFor presses for a time.
func pressFor(ctx context.Context, duration time.Duration, l load) (loaded, error) {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	return press(ctx, l)
}

// patience is how long after a round's end its last answers may come.
const patience = 15 * time.Second

func (l load) pressOne(ctx context.Context, client int) (times []time.Duration, err error) {
	conn, err := net.DialTimeout("tcp", l.address, patience) // a short round on a busy machine may end before
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if end, ok := ctx.Deadline(); ok { // a server that hangs fails the run instead of blocking it
		if err := conn.SetDeadline(end.Add(patience)); err != nil {
			return nil, err
		}
	}
	var (
		request []byte
		reader  = bufio.NewReaderSize(conn, 64<<10)
		random  = rand.New(rand.NewPCG(uint64(client), 1))
	)
	for sent := 0; l.next == nil && sent == 0 || ctx.Err() == nil; sent++ {
		n, due := sent, time.Time{}
		if l.next != nil {
			if n, due, err = l.next(ctx); errors.Is(err, io.EOF) {
				return times, nil
			} else if err != nil {
				return times, err
			}
		}
		if request = l.make(request[:0], random, client, n); due.IsZero() {
			due = time.Now()
		}
		if _, err := conn.Write(request); err != nil {
			return times, err
		}
		status, body, err := readAnswer(reader, l.status)
		if err != nil {
			return times, err
		}
		if status != l.status {
			return times, fmt.Errorf("expected status %d, got %d to %.60q: %.300s", l.status, status, request, body)
		}
		times = append(times, time.Since(due))
	}
	return times, nil
}

// ask sends one request on a connection of its own.
func ask(address string, request []byte, status int) (body []byte, err error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.Write(request); err != nil {
		return nil, err
	}
	got, body, err := readAnswer(bufio.NewReader(conn), 0)
	if err == nil && got != status {
		err = fmt.Errorf("%.60q was answered %d: %.300s", request, got, body)
	}
	return body, err
}

// readAnswer reads one answer with a Content-Length. It returns the body, except for the status unread, whose body it skips.
func readAnswer(r *bufio.Reader, unread int) (status int, body []byte, err error) {
	length := -1
	for first := true; ; first = false {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, nil, err
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
		} else if first && len(line) > 12 {
			status, err = strconv.Atoi(string(line[9:12]))
		}
		if err != nil {
			return 0, nil, err
		}
		if len(line) <= 2 {
			break
		}
	}
	if status == 0 || length < 0 {
		return 0, nil, errors.New("the answer does not tell its status or its length")
	}
	if status == unread {
		_, err = r.Discard(length)
		return status, nil, err
	}
	body = make([]byte, length)
	_, err = io.ReadFull(r, body)
	return status, body, err
}

// quantile is the value below which a share of sorted times lies.
func quantile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return times[min(len(times)-1, int(float64(len(times))*share))]
}

// until asks again and again until something is as wanted.
func until(ctx context.Context, what string, wanted func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for {
		if done, err := wanted(); err != nil || done {
			return err
		}
		if err := pause.For(ctx, 10*time.Millisecond); err != nil {
			return fmt.Errorf("wait until %s: %w", what, err)
		}
	}
}
