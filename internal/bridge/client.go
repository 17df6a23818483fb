package bridge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"sellerd/internal/base/turns"
	"sellerd/translate"
	"sellerd/v1"
)

// This file sends requests of /v1.

const (
	// attemptLimit bounds one request. The service answers within 10 seconds, and the network takes its time.
	attemptLimit = 15 * time.Second
	// longestAnswer bounds what is read of an answer, in bytes. A page of 200 items has less than one megabyte.
	longestAnswer = 32 << 20
)

// client sends requests to the /v1 of a service.
type client struct {
	base  string // the service's address, without a trailing slash
	agent string // the User-Agent header
	http  *http.Client
	clock v1.Clock
	pause func(context.Context, time.Duration) error
	turns *turns.Turns[string] // of the calls that wait for the budget of the same key
}

// request is a request of /v1.
type request struct {
	operation *v1.Operation
	path      map[string]string // values of the pattern's {parts}
	query     string
	body      []byte // JSON, nil for none
	key       string // of /v1
	keyID     string
	language  string // one of v1.Languages, empty for the service's default
	once      string // the Idempotency-Key, empty for none
	ifMatch   string // the ETag that the object must still have, empty for none
}

// address is the path of a request, without the query.
func (r *request) address() string { return translate.FillPath(r.operation.Pattern, r.path) }

// attempt sends a request once. It returns a trouble if /v1 gave no answer. The service may have carried out the request all the
// same.
func (c *client) attempt(ctx context.Context, j *journal, r *request) (*answer, error) {
	bounded, cancel := context.WithTimeout(ctx, attemptLimit)
	defer cancel()
	address := r.address()
	target := c.base + address
	if r.query != "" {
		target += "?" + r.query
	}
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	out, err := http.NewRequestWithContext(bounded, r.operation.Method, target, body)
	if err != nil {
		return nil, c.trouble(err)
	}
	c.setHeaders(out.Header, j, r)
	noted := j.asked(r.operation.Method, address)
	response, err := c.http.Do(out)
	if err != nil {
		j.requests[noted].unsent = notSent(err)
		return nil, c.notAnswered(ctx, err)
	}
	defer response.Body.Close()
	j.answered(noted, response.StatusCode)
	j.requests[noted].unread = true
	text, err := readAll(io.LimitReader(response.Body, longestAnswer+1), response.ContentLength)
	switch {
	case err != nil:
		return nil, c.notAnswered(ctx, err)
	case len(text) > longestAnswer:
		return nil, c.trouble(errors.New("its answer is too long"))
	}
	a, err := c.read(response, text)
	j.requests[noted].unread = err != nil
	return a, err
}

// readAll reads a body whose length is announced, or is -1.
func readAll(body io.Reader, announced int64) ([]byte, error) {
	var buffer bytes.Buffer
	if announced > 0 && announced <= longestAnswer {
		buffer.Grow(int(announced) + bytes.MinRead) // the end of the body is read, too
	}
	_, err := buffer.ReadFrom(body)
	return buffer.Bytes(), err
}

func (c *client) setHeaders(h http.Header, j *journal, r *request) {
	if r.key != "" {
		h.Set("X-Api-Key", r.key)
	}
	h.Set("User-Agent", c.agent)
	h.Set("Via", via)
	h.Set("X-Request-Id", j.id)
	if r.body != nil {
		h.Set("Content-Type", "application/json")
	}
	if r.language != "" {
		h.Set("Accept-Language", r.language)
	}
	if r.once != "" {
		h.Set("Idempotency-Key", r.once)
	}
	if r.ifMatch != "" {
		h.Set("If-Match", r.ifMatch)
	}
}

// newHTTP makes an HTTP client. It follows no redirect, because the key must not go to another host. It has few connections:
// the programs of one seller need no more, and those that hammer wait here.
func newHTTP(transport http.RoundTripper) *http.Client {
	if transport == nil {
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.MaxConnsPerHost, own.MaxIdleConnsPerHost = callsAtOnce, callsAtOnce
		own.IdleConnTimeout = 30 * time.Second // the service closes idle connections after a minute, and a POST must not meet that
		own.ResponseHeaderTimeout = attemptLimit
		own.MaxResponseHeaderBytes = 64 << 10
		transport = own
	}
	return &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
