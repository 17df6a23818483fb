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
)

// load is the result of a number of connections loading a server for a fixed time.
type load struct {
	requests int
	took     time.Duration
	p99      time.Duration
}

// maker appends the n-th request of a connection, ready to be sent.
type maker func(b []byte, random *rand.Rand, client, n int) []byte

// press sends with all connections at once, shared among the addresses. Each sends its next request when the last one is
// answered. It fails on the first answer with another status than the wanted one. The client uses only bytes and a buffer,
// because it shares the machine with the server.
func press(ctx context.Context, addresses []string, clients int, duration time.Duration, status int, make maker) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, duration)
	defer cancel()
	return pressWhile(ctx, addresses, clients, status, make, func() bool { return true })
}

// sendTime bounds send.
const sendTime = 5 * time.Minute

// send is press for a number of requests.
func send(ctx context.Context, address string, clients, requests, status int, make maker) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	var sent atomic.Int64
	return pressWhile(ctx, []string{address}, clients, status, make, func() bool { return sent.Add(1) <= int64(requests) })
}

// pressWhile presses until the context ends, or a connection that asks for more work gets none.
func pressWhile(ctx context.Context, addresses []string, clients, status int, make maker, more func() bool) (load, error) {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		times  []time.Duration
		failed error
	)
	began := time.Now()
	for i := range clients {
		wg.Go(func() {
			took, err := pressOne(ctx, addresses[i%len(addresses)], i, status, make, more)
			mu.Lock()
			defer mu.Unlock()
			times = append(times, took...)
			failed = errors.Join(failed, err)
		})
	}
	wg.Wait()
	out := load{requests: len(times), took: time.Since(began)}
	if failed != nil {
		return out, failed
	}
	if len(times) == 0 {
		return out, errors.New("no request was answered")
	}
	slices.Sort(times)
	out.p99 = times[len(times)*99/100]
	return out, nil
}

// patience is how long after a round's end its last answers may come.
const patience = 15 * time.Second

func pressOne(ctx context.Context, address string, client, status int, make maker, more func() bool) ([]time.Duration, error) {
	conn, err := net.DialTimeout("tcp", address, patience) // a short round on a busy machine may end before
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
		times   []time.Duration
		request []byte
		reader  = bufio.NewReaderSize(conn, 64<<10)
		random  = rand.New(rand.NewPCG(uint64(client), 1))
	)
	for n := 0; (n == 0 || ctx.Err() == nil) && more(); n++ {
		request = make(request[:0], random, client, n)
		began := time.Now()
		if _, err := conn.Write(request); err != nil {
			return times, err
		}
		got, _, err := readAnswer(reader, false)
		if err != nil {
			return times, err
		}
		if got != status {
			return times, fmt.Errorf("expected status %d, got %d to %q", status, got, firstLine(request))
		}
		times = append(times, time.Since(began))
	}
	return times, nil
}

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\r\n"))
	return line
}

// readAnswer reads one answer with a Content-Length, and returns its body if wanted.
func readAnswer(r *bufio.Reader, wanted bool) (status int, body []byte, err error) {
	line, err := r.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 {
		return 0, nil, fmt.Errorf("not an answer: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, err
	}
	length := -1
	for {
		if line, err = r.ReadSlice('\n'); err != nil {
			return 0, nil, err
		}
		if len(line) <= 2 {
			break
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, nil, err
			}
		}
	}
	if length < 0 {
		return 0, nil, errors.New("the answer does not tell its length")
	}
	if !wanted {
		_, err = r.Discard(length)
		return status, nil, err
	}
	body = make([]byte, length)
	_, err = io.ReadFull(r, body)
	return status, body, err
}
