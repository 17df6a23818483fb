package bridge

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"sellerd/internal/base/httplog"
	"sellerd/internal/base/turns"
	"sellerd/legacy"
	"sellerd/v1"
	v1client "sellerd/v1/client"
)

// via is how the bridge names itself in answers and in requests (RFC 9110, "Via").
const via = "1.1 sellerd-bridge"

const (
	// callsAtOnce is how many calls run at the same time, and largeAtOnce how many of those with a body of more than largeBody
	// bytes or of unknown length: a call needs five times as much memory as its body. Further ones wait, for at most
	// slotPatience.
	callsAtOnce  = 32
	largeAtOnce  = 8
	largeBody    = 256 << 10
	slotPatience = 20 * time.Second
	// longestUnread bounds what is read of a body that was refused, in bytes. A program that is cut off while it sends may not
	// read why.
	longestUnread = 64 << 20
)

// Config is what a Bridge is made of. To, Secret, Clock and Logger are mandatory.
type Config struct {
	To      string // the address of the service, without a trailing slash
	Secret  []byte // of LoadSecret: it seals sessions
	Clock   v1.Clock
	Logger  *slog.Logger // gets a line a call
	Version string       // of the program, for the service's log

	// Hosts are the names under which programs call, besides localhost and the addresses of this machine alone: requests for others
	// are refused. AnyHost accepts every name, for an address that other machines reach.
	Hosts   []string
	AnyHost bool

	Keys   Keys      // for old keys; nil knows none
	Record io.Writer // gets a Line a call as JSON; nil records nothing

	Transport http.RoundTripper                          // sends the requests; nil is a transport with a few connections
	Pause     func(context.Context, time.Duration) error // waits; nil is Sleep of v1/client
}

// Bridge serves /rest. It is an http.Handler, and safe for concurrent use.
type Bridge struct {
	handler http.Handler
	stray   http.Handler // answers requests for other hosts
	client  *client
	config  Config
	record  recorder
	slots   chan struct{} // has one of each call that runs
	large   chan struct{} // has one of each that has a large body
	running sync.RWMutex  // is read by each call until it is noted
}

// New makes a bridge. It asks the service nothing. It fails for an incomplete Config.
func New(c Config) (*Bridge, error) {
	if c.To == "" || c.Clock == nil || c.Logger == nil {
		return nil, errors.New("bridge: an address, a clock and a logger are required")
	}
	if c.Pause == nil {
		c.Pause = v1client.Sleep
	}
	sealed, err := newSessions(c.Secret, c.To, c.Clock)
	if err != nil {
		return nil, err
	}
	b := &Bridge{
		config: c, slots: make(chan struct{}, callsAtOnce), large: make(chan struct{}, largeAtOnce), record: recorder{out: c.Record, logger: c.Logger},
		client: &client{
			base: c.To, agent: strings.TrimSuffix("sellerd-bridge/"+c.Version, "/"), http: newHTTP(c.Transport), clock: c.Clock, pause: c.Pause,
			turns: turns.New[string](1),
		},
	}
	b.handler, err = legacy.Mount(http.HandlerFunc(b.elsewhere), legacy.Config{
		API: &api{
			client: b.client, clock: c.Clock, keys: c.Keys, sessions: sealed, marks: newMemory(maxMarks),
		},
		Clock: c.Clock, BaseURL: c.To, Endless: true, Around: b.around,
	})
	b.stray = b.around("", func(w http.ResponseWriter, r *http.Request, _ error) { b.misdirected(w, r) }, http.HandlerFunc(b.misdirected))
	return b, err
}

// ServeHTTP answers a request.
func (b *Bridge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Via", via)
	if !b.isHere(r) {
		b.stray.ServeHTTP(w, r)
		return
	}
	if fromAPage(r) {
		http.Error(w, "This is for programs. Pages of other addresses may not call it.", http.StatusForbidden)
		return
	}
	b.handler.ServeHTTP(w, r)
}

// fromAPage says whether a page of another address makes a browser send the request. It could read no answer; but with keys that it made
// up, it would have the service slow down the seller's own programs.
func fromAPage(r *http.Request) bool {
	if site := r.Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return r.URL.Path != "/"
	}
	origin := r.Header.Get("Origin")
	_, host, _ := strings.Cut(origin, "://")
	return origin != "" && host != r.Host
}

// elsewhere answers what is not under /rest.
func (b *Bridge) elsewhere(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	if r.URL.Path != "/" {
		w.WriteHeader(http.StatusNotFound)
	}
	_, _ = fmt.Fprintf(w, "This is sellerd-bridge. Point your program to /rest at this address.\nHow it works: %s/docs/bridge\n", b.config.To)
}

// around does what every call needs: a place among those that run, an id, a line in the log and in the recording, recovery
// from panics.
func (b *Bridge) around(_ string, refuse func(http.ResponseWriter, *http.Request, error), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b.running.RLock()
		noted := sync.OnceFunc(b.running.RUnlock)
		defer noted()
		began := b.config.Clock.Now()
		j, trace, seen := &journal{id: "req_" + rand.Text()}, &v1.Trace{}, &statusWriter{ResponseWriter: w}
		w.Header().Set("X-Request-Id", j.id)
		body := r.Body
		r = r.WithContext(withJournal(v1.WithTrace(r.Context(), trace), j))
		defer func() {
			if cause := recover(); cause != nil {
				if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
					panic(cause)
				}
				if seen.status == 0 {
					refuse(seen, r, errors.New("panic"))
				}
				trace.Cause = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
			}
			b.note(r, j, trace, seen.status, began)
			noted()
			if r.Header.Get("Expect") == "" { // a program that expects a go-ahead sends no body without it
				_, _ = io.CopyN(io.Discard, body, longestUnread)
			}
		}()
		leave, ok := b.enter(r)
		if !ok {
			refuse(seen, r, unavailable(fmt.Sprintf("%d calls are running at the same time, or %d with a large body: send fewer.", callsAtOnce, largeAtOnce)))
			return
		}
		defer leave()
		next.ServeHTTP(seen, r)
	})
}

// enter waits for a place among the calls that run.
func (b *Bridge) enter(r *http.Request) (leave func(), ok bool) {
	waiting, cancel := context.WithTimeout(r.Context(), slotPatience)
	defer cancel()
	var places []chan struct{}
	leave = func() {
		for _, place := range places {
			<-place
		}
	}
	wanted := []chan struct{}{b.slots}
	if r.ContentLength > largeBody || r.ContentLength < 0 {
		wanted = []chan struct{}{b.large, b.slots} // in this order, so that those that wait keep no others out
	}
	for _, place := range wanted {
		select {
		case place <- struct{}{}:
			places = append(places, place)
		case <-waiting.Done():
			leave()
			return nil, false
		}
	}
	return leave, true
}

// note writes a call's line. Neither log nor recording holds keys, tokens, queries or bodies.
func (b *Bridge) note(r *http.Request, j *journal, trace *v1.Trace, status int, began time.Time) {
	took := float64(b.config.Clock.Now().Sub(began).Microseconds()) / 1000
	_, call, _ := strings.Cut(trace.Operation, ".")
	line := &Line{
		At: began.UTC(), Call: call, Method: httplog.Method(r.Method), Path: Redact(r.URL.Path), Status: status, Millis: took,
		V1: append([]Request{}, j.requests...), Lossy: append([]string{}, j.lossy...),
	}
	b.record.write(line)
	level, attrs := slog.LevelInfo, []slog.Attr{
		slog.String("call", call), slog.String("method", httplog.Method(r.Method)), slog.Int("status", status), slog.Float64("ms", took), slog.Int("requests", len(j.requests)),
		slog.String("request_id", j.id),
	}
	if trace.Cause != nil {
		level = slog.LevelError
		attrs = append(attrs, slog.String("error", Redact(trace.Cause.Error())))
	}
	b.config.Logger.LogAttrs(r.Context(), level, "call", attrs...)
}

// statusWriter keeps the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements http.ResponseWriter.
func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Ask asks whether the seller API answers at the address, without a key. Its error says what answers there instead.
func (b *Bridge) Ask(ctx context.Context) error {
	_, err := b.client.attempt(ctx, &journal{id: "req_" + rand.Text()}, &request{operation: hello})
	return err
}

// hello is a request that needs no key: which methods the account has.
var hello = &v1.Operation{Method: http.MethodOptions, Pattern: v1.GetAccount.Pattern}
