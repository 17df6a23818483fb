package server

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"sellerd/internal/base/httplog"
	"sellerd/v1"
)

// refusal writes an error in the form of a stack: /v1 or /rest.
type refusal = func(http.ResponseWriter, *http.Request, error)

// around does what every request of every stack needs: the request id, the caller's address, recovery from panics, one log
// line, metrics.
func (s *Server) around(stack string, refuse refusal, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := s.config.Service.Clock().Now()
		recorder := &recorder{ResponseWriter: w, id: [1]string{requestID(r)}, body: sentBody{ReadCloser: r.Body}}
		trace := &recorder.trace
		trace.RequestID = recorder.id[0]
		w.Header()["X-Request-Id"] = recorder.id[:]
		closeAfterChunks(w, r)
		present, leave := recorder.body.presence(r)
		defer leave()
		recorder.caller = present
		span := s.startSpan(&present, r)
		r = r.WithContext(v1.WithTrace(present, trace))
		r.Body = &recorder.body
		defer func() {
			if cause := recover(); cause != nil {
				recovered(recorder, r, refuse, trace, cause)
			}
			s.account(r, stack, trace, recorder.outcome(), recorder.id[0], began)
			endSpan(span, r, stack, trace, recorder.outcome())
			switch {
			case stack == operatorStack && strings.HasPrefix(r.URL.Path, operatorPath):
				s.audit(r, "operator", trace, recorder.outcome(), recorder.id[0])
			case trace.Audited:
				s.audit(r, "key", trace, recorder.outcome(), recorder.id[0], slog.String("key", trace.Key))
			}
			recorder.drain(r)
		}()
		s.config.TrustedProxies.introduce(w, r, trace)
		coding := acceptedCoding(r.Header["Accept-Encoding"])
		if coding == nil || stack == operatorStack {
			next.ServeHTTP(recorder, r)
			return
		}
		answer := &packing{recorder: recorder, request: r, coding: coding, kept: &s.kept}
		next.ServeHTTP(answer, r)
		answer.finish()
	})
}

// recovered answers internal_error after a panic, unless the answer has begun.
func recovered(w *recorder, r *http.Request, refuse refusal, trace *v1.Trace, cause any) {
	if err, ok := cause.(error); ok && errors.Is(err, http.ErrAbortHandler) {
		panic(cause)
	}
	if w.status == 0 {
		w.Header().Del("ETag") // of an answer that was held back
		refuse(w, r, errors.New("panic"))
	}
	trace.Cause = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
}

// account writes the request's log line and counts it. Neither holds queries, addresses or bodies, and of a key only the public id.
func (s *Server) account(r *http.Request, stack string, trace *v1.Trace, status int, id string, began time.Time) {
	now, operation := s.config.Service.Clock().Now(), operationOf(trace)
	took := now.Sub(began)
	s.metrics.observe(seriesKey{operation, status, trace.Resetting && status == http.StatusServiceUnavailable}, took)
	line := httplog.Request{
		At: now, Account: trace.Account, Key: trace.Key, Op: operation, Method: httplog.Method(r.Method), Status: status, Took: took, Stack: stack,
		ID: id, Cause: trace.Cause, Probe: isProbe(r.URL.Path),
	}
	line.Write(s.config.Logger)
}

// audit logs an operator's call, or one by which a key replaces or revokes itself, rejected ones too: the operation, the object and its
// account. Like the request's line it holds nothing of the request but the ids of the object and the key.
func (s *Server) audit(r *http.Request, message string, trace *v1.Trace, status int, id string, more ...slog.Attr) {
	s.config.Logger.LogAttrs(r.Context(), slog.LevelInfo, message, append(more, slog.String("op", operationOf(trace)),
		slog.Int64("account", trace.Account), slog.String("object", trace.Object), slog.Int("status", status), slog.String("request_id", id))...)
}

// These stand in log and metrics for the name of a route where there is none: the path is unknown, no handler saw the request, or the
// server was still starting.
const (
	unknownPath = "unknown"
	unread      = "unread"
	starting    = "starting"
)

func operationOf(trace *v1.Trace) string { return cmp.Or(trace.Operation, unknownPath) }

// routes is a mux that names requests in log and metrics by the pattern of their route, so that there are as many names as routes. What is
// mounted beside the method, which only answers what the routes do not, names its requests itself.
type routes struct{ *http.ServeMux }

// Handle mounts a handler, and calls its requests by the pattern's path.
func (m routes) Handle(pattern string, next http.Handler) {
	name := nameOf(pattern)
	m.ServeMux.Handle(pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		trace := v1.TraceFrom(r.Context())
		defer func() { trace.Operation = name }() // at the end, because a page may run operations
		next.ServeHTTP(w, r)
	}))
}

// nameOf is the path of a pattern: "GET /errors/{code}" is called /errors/{code}.
func nameOf(pattern string) string {
	return strings.TrimSuffix(pattern[strings.Index(pattern, "/"):], "{$}")
}

// HandleFunc is Handle for a function.
func (m routes) HandleFunc(pattern string, next http.HandlerFunc) { m.Handle(pattern, next) }

// rest is the pattern of all paths that have no route.
const rest = "/"

// HandleRest mounts a handler for all paths without a route. A path that has one for another method is answered by methods, which
// gets the header Allow.
func (m routes) HandleRest(methods func(w http.ResponseWriter, r *http.Request, allow string), next http.Handler) {
	m.ServeMux.HandleFunc(rest, func(w http.ResponseWriter, r *http.Request) {
		if allow := m.allow(r); allow != "" {
			methods(w, r, allow)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// allow is the header Allow of the request's path, empty if the path has no route. It names the request.
func (m routes) allow(r *http.Request) string {
	var found []string
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		_, pattern := m.Handler(&http.Request{Method: method, URL: r.URL, Host: r.Host})
		if pattern == rest || pattern == "" {
			continue
		}
		found = append(found, method)
		v1.TraceFrom(r.Context()).Operation = nameOf(pattern)
	}
	if found == nil {
		return ""
	}
	return v1.Allow(slices.Values(found))
}

// statusGone is the status in log and metrics of a request whose caller closed the connection before the answer. Other
// servers use the same number.
const statusGone = 499

// recorder has what is known of a request: its trace, the status of its answer, and whether the caller was still connected.
type recorder struct {
	http.ResponseWriter
	id     [1]string // of the request, as the value of its header
	trace  v1.Trace
	caller context.Context // ends when the caller disconnects
	status int
	gone   bool
	body   sentBody
}

// WriteHeader implements http.ResponseWriter.
func (w *recorder) WriteHeader(status int) {
	w.begin(status)
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *recorder) Write(b []byte) (int, error) {
	w.begin(http.StatusOK)
	n, err := w.ResponseWriter.Write(b)
	if err != nil && !errors.Is(err, http.ErrBodyNotAllowed) {
		w.gone = true
	}
	return n, err
}

func (w *recorder) begin(status int) {
	if w.status == 0 {
		w.status, w.gone = status, w.caller.Err() != nil
	}
}

// outcome is the status of the answer, or statusGone if the caller had disconnected.
func (w *recorder) outcome() int {
	if w.gone {
		return statusGone
	}
	return w.status
}

// Limits of what is read of a body after the answer: in bytes, and in time without a byte if the caller had asked whether to send it, since
// a caller that waited for the answer sends nothing. Such a body has v1.BodyTime in all. Otherwise net/http bounds the time, from the beginning
// of the request.
const (
	mostUnread  = 64 << 20
	unaskedTime = 2 * time.Second
)

// sentBody is a body that knows whether it was read to its end, and whether it was late.
type sentBody struct {
	io.ReadCloser
	ended bool

	reading sync.Mutex
	late    bool
}

// Read implements io.Reader.
func (b *sentBody) Read(p []byte) (int, error) {
	b.reading.Lock()
	defer b.reading.Unlock()
	b.ended = true // also if the reading panics
	n, err := b.ReadCloser.Read(p)
	b.ended = err != nil
	b.late = b.late || errors.Is(err, os.ErrDeadlineExceeded)
	return n, err
}

// presence is a context that ends when the caller disconnects. The context of net/http ends also when a body is late, although such a
// caller waits for the answer.
func (b *sentBody) presence(r *http.Request) (context.Context, context.CancelFunc) {
	if r.ContentLength == 0 || r.Context().Err() != nil {
		return r.Context(), func() {}
	}
	present, leave := context.WithCancel(context.WithoutCancel(r.Context()))
	stop := context.AfterFunc(r.Context(), func() {
		b.reading.Lock() // net/http ends its context before the reader has the error
		defer b.reading.Unlock()
		if !b.late {
			leave()
		}
	})
	return present, func() { stop(); leave() }
}

// drain sends the answer to a request whose body is not read to its end, such as one that is too large, and reads on. Many programs send
// the whole body before they read: if the connection were closed meanwhile, they would see a broken pipe and not the answer.
func (w *recorder) drain(r *http.Request) {
	if r.ContentLength == 0 || w.body.ended {
		return
	}
	connection := http.NewResponseController(w)
	_ = connection.Flush() // not to be had in tests without a connection, and then nothing is read either
	if r.Header.Get("Expect") == "" {
		_, _ = io.CopyN(io.Discard, &w.body, mostUnread)
		return
	}
	whole, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), v1.BodyTime)
	defer cancel()
	piece := make([]byte, 32<<10)
	for unread := mostUnread; unread > 0; {
		next, cancel := context.WithTimeout(whole, unaskedTime)
		deadline, _ := next.Deadline()
		cancel()
		_ = connection.SetReadDeadline(deadline)
		n, err := w.body.Read(piece)
		if err != nil {
			return
		}
		unread -= n
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// requestID keeps a caller's id of 8 to 128 letters, digits and -_. and makes one otherwise. An id that holds an API key is not kept: the
// log would have it. A key of /rest is 64 letters and digits and nothing else marks it, so any such word is taken for one.
func requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); len(id) >= 8 && len(id) <= 128 && strings.IndexFunc(id, oddInID) < 0 && !keyIn.MatchString(id) {
		return id
	}
	return newRequestID()
}

var keyIn = regexp.MustCompile(`dk_(live|test)_|(^|[-_.])[0-9A-Za-z]{64}([-_.]|$)`)

func newRequestID() string { return "req_" + rand.Text() }

func oddInID(r rune) bool {
	letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	return !letter && (r < '0' || r > '9') && r != '-' && r != '_' && r != '.'
}

// cleanPath says whether a path is what it would be after cleaning.
func cleanPath(p string) bool {
	return strings.HasPrefix(p, "/") && path.Clean(p) == cmp.Or(strings.TrimSuffix(p, "/"), "/")
}

func statusClass(status int) string { return strconv.Itoa(status/100) + "xx" }
