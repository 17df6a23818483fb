package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// receiver is what webhooks are sent to. It notes when the events of numbered changes arrive, and counts all of them.
type receiver struct {
	server   *http.Server
	url      string
	arrivals sync.Map // the number of a change → time.Time of its event's first arrival
	count    atomic.Int64
}

func newReceiver() (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{url: "http://" + listener.Addr().String()}
	r.server = &http.Server{Handler: r}
	go func() { _ = r.server.Serve(listener) }() // until close
	return r, nil
}

func (r *receiver) close() { _ = r.server.Close() }

// markOf begins the personal reference of a numbered change; its number follows.
const markOf = `"personal_reference":"event-`

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	arrived := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if _, rest, found := bytes.Cut(body, []byte(markOf)); found {
		digits, _, _ := bytes.Cut(rest, []byte(`"`))
		if n, err := strconv.Atoi(string(digits)); err == nil {
			r.arrivals.LoadOrStore(n, arrived)
		}
	}
	r.count.Add(1)
	w.WriteHeader(http.StatusOK)
}

// await returns when so many events have arrived.
func (r *receiver) await(ctx context.Context, all int64) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	for r.count.Load() < all {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d events arrived: %w", r.count.Load(), all, ctx.Err())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// subscribe makes a webhook of a seller at the receiver and returns its id.
func (r *receiver) subscribe(address, key, path, events, status string) (string, error) {
	body := fmt.Appendf(nil, `{"url":"%s/%s","events":["%s"],"status":"%s"}`, r.url, path, events, status)
	got, answer, err := ask(address, write(nil, "POST", "/v1/webhooks", key, body))
	if err != nil || got != http.StatusCreated {
		return "", errors.Join(fmt.Errorf("making a webhook was answered %d %.300s", got, answer), err)
	}
	_, rest, _ := bytes.Cut(answer, []byte(`"id":"`))
	id, _, _ := bytes.Cut(rest, []byte(`"`))
	return string(id), nil
}

// write appends a request with a body and without an Idempotency-Key.
func write(b []byte, method, path, key string, body []byte) []byte {
	media := "application/json"
	if method == http.MethodPatch {
		media = "application/merge-patch+json"
	}
	return append(fmt.Appendf(b, "%s %s HTTP/1.1\r\nHost: bench\r\nX-Api-Key: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
		method, path, key, media, len(body)), body...)
}
