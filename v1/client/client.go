// Package client is a client of the seller API, to be copied to other modules. It imports the standard library only, and nothing of this
// module.
//
//	seller, err := client.New(client.Config{}) // the API key comes from SELLERD_KEY
//	...
//	var account struct{ Nickname string }
//	err = seller.Get(ctx, "/v1/account", nil, &account)
//
// Paths, parameters and bodies are those of the reference, http://localhost:8080/docs. The page http://localhost:8080/docs/clients shows
// more.
//
//   - client.go sends a request until there is a final answer.
//   - lists.go walks through lists and the feed of events, and waits for submissions.
//   - webhook.go verifies the requests of webhooks. It works alone, too.
package client

import (
	"bytes"
	"cmp"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	defaultTimeout  = 30 * time.Second
	defaultDeadline = time.Minute
	firstPause      = 500 * time.Millisecond // between attempts, if the service does not say
	longestPause    = 30 * time.Second
	idleConnection  = 90 * time.Second // as http.DefaultTransport
	largestAnswer   = 64 << 20         // bytes
)

// Codes of errors that have no code of the service.
const (
	CodeNoAnswer         = "no_answer"         // the service could not be reached in time
	CodeUnexpectedAnswer = "unexpected_answer" // something else answered
	CodeNotFinished      = "not_finished"      // a submission is still pending
)

const keyCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// Config says who asks which service. Its zero value takes everything from the environment.
type Config struct {
	Key      string        // the API key, by default SELLERD_KEY; blanks and line breaks around it are removed
	BaseURL  string        // where the service is, by default SELLERD_BASE_URL, and then this machine
	Timeout  time.Duration // for one attempt, by default 30 seconds
	Deadline time.Duration // for a request with all its repetitions, by default a minute

	// AllowPlainHTTP sends the key over http to other machines too, in a network that is trusted. Such requests use no proxy.
	AllowPlainHTTP bool

	Now     func() time.Time                           // by default the machine's clock
	Sleep   func(context.Context, time.Duration) error // by default real
	OnRetry func(wait time.Duration, why *Error)       // is told about each repetition
}

// Client sends requests with one API key. It may be used by several goroutines.
type Client struct {
	config Config
	http   *http.Client
}

// New returns a client. It rejects a malformed key, and an address to which the key would travel in the clear.
func New(config Config) (*Client, error) {
	config.Key = strings.TrimSpace(cmp.Or(config.Key, os.Getenv("SELLERD_KEY")))
	if config.Key == "" {
		return nil, errors.New("there is no API key: pass one, or set SELLERD_KEY")
	}
	if strings.ContainsFunc(config.Key, func(r rune) bool { return !strings.ContainsRune(keyCharacters, r) }) {
		return nil, errors.New("the API key is malformed: it has only letters, digits and _")
	}
	config.BaseURL = strings.TrimRight(cmp.Or(config.BaseURL, os.Getenv("SELLERD_BASE_URL"), "http://localhost:8080"), "/")
	u, err := url.Parse(config.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil ||
		strings.ContainsAny(config.BaseURL, "?#") {
		return nil, fmt.Errorf("%s is not the address of a service, such as https://api.example.com", config.BaseURL)
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "http" && !config.AllowPlainHTTP && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("%s would show the API key to the network: use https", config.BaseURL)
	}
	config.Timeout = cmp.Or(config.Timeout, defaultTimeout)
	config.Deadline = cmp.Or(config.Deadline, defaultDeadline)
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Sleep == nil {
		config.Sleep = Sleep
	}
	// Redirects are not followed: the key must not go to another host.
	sender := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if u.Scheme == "http" {
		sender.Transport = &http.Transport{IdleConnTimeout: idleConnection} // without a proxy, which would read the key
	}
	return &Client{config, sender}, nil
}

// WithDeadline returns a client with another deadline, which shares the connections of this one.
func (c *Client) WithDeadline(d time.Duration) *Client {
	other := *c
	other.config.Deadline = d
	return &other
}

// Entry is one entry of an answer's errors.
type Entry struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Field   string         `json:"field,omitempty"`
	Index   *int           `json:"index,omitempty"`
	Details map[string]any `json:"details,omitempty"`
	DocsURL string         `json:"docs_url,omitempty"`
}

// inWords is the entry with the place that it is about.
func (e *Entry) inWords() string {
	var place []string
	if e.Index != nil {
		place = append(place, "index "+strconv.Itoa(*e.Index))
	}
	if e.Field != "" {
		place = append(place, "field "+e.Field)
	}
	text := e.Code + ": " + e.Message
	if place != nil {
		text += " (" + strings.Join(place, ", ") + ")"
	}
	return text
}

// Error is a request that did not succeed.
type Error struct {
	Status    int     // of the answer, 0 without one
	Code      string  // the first code of Errors, for programs
	Errors    []Entry // at least one
	RequestID string  // finds the request in the service's log
	Header    http.Header
	MayBeDone bool  // an attempt ended without a clear answer
	Cause     error // why there was no answer, nil with one
}

func (e *Error) Error() string {
	var words []string
	for _, entry := range e.Errors {
		words = append(words, entry.inWords())
	}
	text := strings.Join(words, "; ")
	if e.RequestID != "" {
		text += " (request " + e.RequestID + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Answer is an answer of the service that is a success, or 304.
type Answer struct {
	Status int
	Data   json.RawMessage // nil with 304
	Header http.Header
}

// ETag identifies the version of the object that was read or changed.
func (a *Answer) ETag() string { return a.Header.Get("ETag") }

// RequestID finds the request in the service's log.
func (a *Answer) RequestID() string { return a.Header.Get("X-Request-Id") }

// Replayed says that the service had done the request before, under the same Idempotency-Key.
func (a *Answer) Replayed() bool { return a.Header.Get("Idempotent-Replayed") == "true" }

// Request is what Do sends.
type Request struct {
	Method string
	Path   string // begins with /, and may have a query
	Query  url.Values
	Header http.Header // more headers, such as If-Match
	Body   any         // encoded as JSON, unless it is a []byte; nil for none

	// IdempotencyKey is for a POST. Header may have it instead. "" asks for a random key, which the repetitions of one call of Do share. A
	// program that reads its keys from somewhere has to check that they are not empty.
	IdempotencyKey string
}

// Get reads an object or one page of a list into out.
func (c *Client) Get(ctx context.Context, path string, query url.Values, out any) error {
	return c.into(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, out)
}

// Post creates something or acts. in and out may be nil.
func (c *Client) Post(ctx context.Context, path string, in, out any) error {
	return c.into(ctx, Request{Method: http.MethodPost, Path: path, Body: in}, out)
}

// Patch changes the members that in has; null clears one. out may be nil.
func (c *Client) Patch(ctx context.Context, path string, in, out any) error {
	return c.into(ctx, Request{Method: http.MethodPatch, Path: path, Body: in}, out)
}

// Delete removes an object.
func (c *Client) Delete(ctx context.Context, path string) error {
	return c.into(ctx, Request{Method: http.MethodDelete, Path: path}, nil)
}

// RotateKey replaces the client's key, and returns the new one: store it, and make a client with it. Both are valid for the overlap, which
// has whole seconds, at most a week.
func (c *Client) RotateKey(ctx context.Context, overlap time.Duration) (string, error) {
	in := map[string]int{"overlap_seconds": int(overlap / time.Second)}
	for { // if an answer was lost, a repetition does not show the key: one that nobody has used is replaced
		var made struct{ Key *string }
		if err := c.Post(ctx, "/v1/account/keys/current/rotate", in, &made); err != nil {
			return "", err
		}
		if made.Key != nil {
			return *made.Key, nil
		}
	}
}

func (c *Client) into(ctx context.Context, r Request, out any) error {
	answer, err := c.Do(ctx, r)
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(answer.Data, out)
}

// Do sends a request until there is a final answer, and returns it with its headers. Every error of the service is an *Error.
//
// The request is repeated when no answer arrives, on 429, on 500 and above except 501 and 505, and while the same Idempotency-Key is in
// progress, after as many seconds as Retry-After says and a random part of one. A PATCH that rotates a secret is only repeated on 429.
func (c *Client) Do(ctx context.Context, r Request) (*Answer, error) {
	if !strings.HasPrefix(r.Path, "/") {
		return nil, fmt.Errorf("the path %q does not begin with /", r.Path) // @example.com/ would send the key to another host
	}
	body, isText := r.Body.([]byte)
	if r.Body != nil && !isText {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return nil, err
		}
	}
	target, joint := c.config.BaseURL+r.Path, "?"
	if strings.Contains(r.Path, "?") {
		joint = "&"
	}
	if len(r.Query) > 0 {
		target += joint + r.Query.Encode()
	}
	if r.Method == http.MethodPost {
		var err error
		if r.IdempotencyKey, err = idempotencyKey(r); err != nil {
			return nil, err
		}
	}
	repeatable := r.Method != http.MethodPatch || !bytes.Contains(body, []byte(`"rotate_secret"`))
	start, pause, unclear := c.config.Now(), firstPause, false
	for {
		answer, failure := c.attempt(ctx, r, target, body, c.config.Deadline-c.config.Now().Sub(start))
		if failure == nil {
			return answer, nil
		}
		unclear = unclear || failure.Status == 0 || failure.Status >= 500
		failure.MayBeDone = unclear
		if ctx.Err() != nil {
			failure.Cause = context.Cause(ctx)
			return nil, failure
		}
		passing := failure.Status == 0 || failure.Status >= 500 && failure.Status != 501 && failure.Status != 505 ||
			failure.Code == "idempotency_key_in_progress"
		wait, asked := retryAfter(failure.Header.Get("Retry-After"), c.config.Now())
		if asked {
			wait += rand.N(time.Second)
		} else {
			wait = time.Duration(float64(pause) * (0.5 + rand.Float64()))
			pause = min(2*pause, longestPause)
		}
		if failure.Status != http.StatusTooManyRequests && !(passing && repeatable) || c.config.Now().Add(wait).Sub(start) > c.config.Deadline {
			return nil, failure
		}
		if c.config.OnRetry != nil {
			c.config.OnRetry(wait, failure)
		}
		if err := c.config.Sleep(ctx, wait); err != nil {
			failure.Cause = err
			return nil, failure
		}
	}
}

// idempotencyKey is the key that the caller gave in one of two places, or else a random one.
func idempotencyKey(r Request) (string, error) {
	var keys []string
	if r.IdempotencyKey != "" {
		keys = append(keys, r.IdempotencyKey)
	}
	for name, values := range r.Header {
		if http.CanonicalHeaderKey(name) == "Idempotency-Key" {
			keys = append(keys, values...)
		}
	}
	keys = slices.Compact(keys)
	switch {
	case len(keys) == 0:
		return crand.Text(), nil
	case len(keys) > 1 || strings.TrimSpace(keys[0]) == "":
		return "", errors.New("the Idempotency-Key is empty, or there are two different ones")
	}
	return keys[0], nil
}

// attempt sends a request once.
func (c *Client) attempt(ctx context.Context, r Request, target string, body []byte, left time.Duration) (*Answer, *Error) {
	ctx, cancel := context.WithTimeout(ctx, min(c.config.Timeout, max(left, time.Second)))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, r.Method, target, bytes.NewReader(body))
	if err != nil {
		return nil, c.lost(err)
	}
	for name, values := range r.Header {
		request.Header[http.CanonicalHeaderKey(name)] = values
	}
	request.Header.Set("X-Api-Key", c.config.Key)
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.Method == http.MethodPost {
		request.Header.Set("Idempotency-Key", r.IdempotencyKey)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.lost(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, largestAnswer))
	if err != nil {
		return nil, c.lost(fmt.Errorf("the answer ended early: %w", err))
	}
	answer := &Answer{Status: response.StatusCode, Header: response.Header}
	var envelope struct {
		Data   json.RawMessage `json:"data"`
		Errors []Entry         `json:"errors"`
	}
	broken := json.Unmarshal(text, &envelope) != nil
	answer.Data = envelope.Data
	switch {
	case answer.Status == http.StatusNotModified, answer.Status/100 == 2 && !broken && envelope.Data != nil:
		return answer, nil
	case broken || len(envelope.Errors) == 0:
		message := fmt.Sprintf("%s answered %d, and not as the seller API does.", c.config.BaseURL, answer.Status)
		return nil, c.failed(answer, Entry{Code: CodeUnexpectedAnswer, Message: message})
	}
	return nil, c.failed(answer, envelope.Errors...)
}

func (c *Client) lost(err error) *Error {
	return &Error{
		Code: CodeNoAnswer, Cause: err,
		Errors: []Entry{{Code: CodeNoAnswer, Message: "No answer from " + c.config.BaseURL + ": " + err.Error()}},
	}
}

func (c *Client) failed(answer *Answer, errs ...Entry) *Error {
	return &Error{Status: answer.Status, Code: errs[0].Code, Errors: errs, RequestID: answer.RequestID(), Header: answer.Header}
}

// retryAfter is how long the service asks to wait: seconds, or a date.
func retryAfter(text string, now time.Time) (time.Duration, bool) {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second, true
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now)), true
	}
	return 0, false
}

// Sleep waits, unless the context ends first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
