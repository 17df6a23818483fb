package v1

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-chi/chi/v5"
	"golang.org/x/text/language"
)

// handlerTimeout bounds the work on a request, from its last byte read to its answer. How long the caller may take to
// send it is the server's to say.
const handlerTimeout = 10 * time.Second

// Handler serves the operations under /v1. What is around a request on every stack (request id, log, panics) is the
// server's.
func (s *Service) Handler() http.Handler {
	routes := map[string]route{}
	for _, o := range Operations {
		if routes[o.Pattern] == nil {
			routes[o.Pattern] = route{}
		}
		routes[o.Pattern][o.Method] = o
	}
	r := chi.NewRouter()
	for pattern, methods := range routes {
		r.Handle(pattern, s.serveRoute(methods))
	}
	r.NotFound(func(w http.ResponseWriter, r *http.Request) {
		s.refuse(w, r, &Call{}, failf(RouteNotFound, "", "There is nothing at %s.", printable(r.URL.Path)))
	})
	r.MethodNotAllowed(func(w http.ResponseWriter, request *http.Request) {
		// The router asks nobody about methods that it has never heard of, so the path is looked up here.
		methods, ok := routes[r.Find(chi.NewRouteContext(), http.MethodGet, request.URL.Path)]
		if !ok {
			r.NotFoundHandler().ServeHTTP(w, request)
			return
		}
		s.serveRoute(methods)(w, request)
	})
	return r
}

// route is the operations of one path by method.
type route map[string]*Operation

func (rt route) allow() string {
	allow := []string{http.MethodOptions}
	for method := range rt {
		allow = append(allow, method)
		if method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	return strings.Join(allow, ", ")
}

func (s *Service) serveRoute(rt route) http.HandlerFunc {
	allow := rt.allow()
	return func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		o := rt[method]
		switch {
		case o != nil:
			s.serve(w, r, o)
		case method == http.MethodOptions:
			w.Header().Set("Allow", allow)
			s.write(w, r, http.StatusOK, appendEnvelope(nil, http.StatusOK, "data", []byte(`{"allow":`+strconv.Quote(allow)+`}`)))
		default:
			w.Header().Set("Allow", allow)
			s.refuse(w, r, &Call{}, failf(MethodNotAllowed, "", "This path accepts %s.", allow))
		}
	}
}

// serve is the way of every request: who asks, is there budget, what is asked, the operation, the envelope.
func (s *Service) serve(w http.ResponseWriter, r *http.Request, o *Operation) {
	ctx := r.Context()
	TraceFrom(ctx).Operation = o.Name

	c := &Call{Language: preferredLanguage(r.Header.Get("Accept-Language"))}
	w.Header()["Content-Language"] = headerLanguages[c.Language]
	c.Meta.Status = o.Status
	out, err := s.answer(ctx, w, r, o, c)
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		TraceFrom(ctx).Cause = err
		err = failLater(ServiceUnavailable, time.Second)
	}
	if o.Publishes && c.Owner != 0 && c.Meta.Store == nil {
		c.Meta.Store, _ = s.currentStoreLimits(ctx, c)
	}
	if err != nil {
		s.refuse(w, r, c, err)
		return
	}
	s.succeed(w, r, o, c, out)
}

func (s *Service) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, o *Operation, c *Call) (any, error) {
	caller, refused := s.authenticateRequest(ctx, r)
	if refused != nil && caller.Owner == 0 {
		return nil, refused
	}
	c.Caller = caller
	TraceFrom(ctx).Account = caller.AccountID
	if err := firstError(s.Admit(ctx, c), refused); err != nil {
		return nil, err
	}
	in := o.NewInput()
	if err := s.decode(r, w, o, c, in); err != nil {
		return nil, err
	}
	working, cancel := context.WithTimeout(ctx, handlerTimeout)
	defer cancel()
	return o.Run(working, s, c, in)
}

// authenticateRequest finds the caller. A key in the query or a second header is refused like a wrong key, because it
// ends up in logs and caches, or hides a mistake.
func (s *Service) authenticateRequest(ctx context.Context, r *http.Request) (Caller, error) {
	values := r.Header.Values("X-Api-Key")
	key := ""
	switch {
	case strings.Contains(r.URL.RawQuery, "=dk_live_"), strings.Contains(r.URL.RawQuery, "=dk_test_"), len(values) > 1:
		key = "refused"
	case len(values) == 1:
		key = values[0]
	}
	caller, err := s.Authenticate(ctx, key)
	var known Errors
	if errors.As(err, &known) && known.Status() == http.StatusUnauthorized {
		address, _, splitErr := net.SplitHostPort(r.RemoteAddr)
		if splitErr != nil {
			address = r.RemoteAddr
		}
		return Caller{}, firstError(s.ChargeAddress(ctx, address), err)
	}
	return caller, err
}

// decode fills the operation's input from path, query, headers and body. Problems that leave an input to talk about
// are gathered in the call; the error ends the request.
func (s *Service) decode(r *http.Request, w http.ResponseWriter, o *Operation, c *Call, in any) error {
	if err := bindPath(r, in); err != nil {
		return err
	}
	if values := r.Header.Values("If-Match"); len(values) > 0 {
		c.IfMatch = strings.Join(values, ",")
	}
	body, err := readBody(r, w, o)
	if err != nil {
		return err
	}
	if err := bindQuery(r.URL.RawQuery, in, &c.Problems); err != nil {
		return err
	}
	if err := bindBody(body, in, &c.Problems); err != nil {
		return err
	}
	// The key comes last, because a body must be known to be harmless before its canonical form is made.
	if keys := r.Header.Values("Idempotency-Key"); len(keys) > 0 && r.Method == http.MethodPost {
		if len(keys) > 1 {
			return failf(InvalidIdempotencyKey, "Idempotency-Key", "Send the header once.")
		}
		c.Idempotency, err = NewIdempotencyKey(keys[0], r.Method, routeOf(r.URL), body)
	}
	return err
}

// routeOf is the path with the query in its canonical form: to check an item (validate_only) is not the request that
// lists it.
func routeOf(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	return u.Path + "?" + u.Query().Encode()
}

// readBody reads a JSON body within the operation's limit. Operations whose input has no body ignore none: a body
// there is read and must be empty or JSON of no members, which bindBody sees to.
func readBody(r *http.Request, w http.ResponseWriter, o *Operation) ([]byte, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return nil, nil
	}
	if r.ContentLength > o.BodyLimit {
		return nil, failf(PayloadTooLarge, "", "The body is larger than %d bytes.", o.BodyLimit)
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, o.BodyLimit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, failf(PayloadTooLarge, "", "The body is larger than %d bytes.", o.BodyLimit)
	case err != nil:
		return nil, failf(MalformedJSON, "", "The body ended early.")
	case len(body) == 0:
		return nil, nil
	}
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	patches := r.Method == http.MethodPatch && media == "application/merge-patch+json"
	if err != nil || media != "application/json" && !patches || charset != "" && charset != "utf-8" {
		return nil, failf(UnsupportedMediaType, "Content-Type", "Send the body as application/json in UTF-8.")
	}
	if encoding := r.Header.Get("Content-Encoding"); encoding != "" && encoding != "identity" {
		return nil, failf(UnsupportedMediaType, "Content-Encoding", "Send the body uncompressed.")
	}
	return body, nil
}

var (
	// Languages are those of names and messages, in the contract's order.
	Languages       = categoryLanguages[:]
	languageMatcher = language.NewMatcher([]language.Tag{language.English, language.French, language.German, language.Italian, language.Spanish, language.Dutch})
)

func preferredLanguage(header string) string {
	if header == "" || len(header) > 1000 {
		return Languages[0]
	}
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return Languages[0]
	}
	_, i, confidence := languageMatcher.Match(wanted...)
	if confidence == language.No {
		return Languages[0]
	}
	return Languages[i]
}

// Values that many answers share. Nobody changes them in place: adding to a header copies it first.
var (
	headerJSON       = []string{"application/json"}
	headerNoSniff    = []string{"nosniff"}
	headerNoStore    = []string{"no-store"}
	headerRevalidate = []string{"private, no-cache"}
	headerVary       = []string{"X-Api-Key, Accept-Language"}
	headerLanguages  = func() map[string][]string {
		m := map[string][]string{}
		for _, language := range Languages {
			m[language] = []string{language}
		}
		return m
	}()
)

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// succeed writes an envelope with data, or 304 without a body when the caller has the same already.
func (s *Service) succeed(w http.ResponseWriter, r *http.Request, o *Operation, c *Call, out any) {
	buffer := buffers.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= 1<<20 {
			buffers.Put(buffer)
		}
	}()
	body := append((*buffer)[:0], `{"status_code":`...)
	body = append(strconv.AppendInt(body, int64(c.Meta.Status), 10), `,"data":`...)
	start := len(body)
	if c.Meta.replayedData != nil {
		body = append(body, c.Meta.replayedData...)
	} else {
		body = EncodeJSON(body, out)
	}
	data := body[start:]
	*buffer = append(body, '}', '\n')

	h := w.Header()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if c.Meta.ETag == "" && o.Tagged {
			sum := sha256.Sum256(data)
			c.Meta.ETag = `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		}
		h["Cache-Control"], h["Vary"] = headerRevalidate, headerVary
	} else {
		h["Cache-Control"] = headerNoStore
	}
	if c.Meta.ETag != "" {
		h.Set("ETag", c.Meta.ETag)
	}
	if c.Meta.Location != "" {
		h.Set("Location", c.Meta.Location)
	}
	if c.Meta.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	s.limitHeaders(h, &c.Meta)
	if h.Get("Cache-Control") != "no-store" && etagMatches(strings.Join(r.Header.Values("If-None-Match"), ","), c.Meta.ETag, true) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.write(w, r, c.Meta.Status, *buffer)
}

// Refuse answers a request with an error in the envelope; the server uses it for what happens outside operations.
func (s *Service) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.refuse(w, r, &Call{}, err)
}

// refuse writes an envelope with errors. What is not one of ours is logged by the server and shown as internal_error.
func (s *Service) refuse(w http.ResponseWriter, r *http.Request, c *Call, err error) {
	known := s.AsErrors(err)
	status := known.Status()
	if status >= 500 && !errors.As(err, new(Errors)) {
		TraceFrom(r.Context()).Cause = err
	}
	h := w.Header()
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "ApiKey")
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	if wait := known.RetryAfter(); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(ceilSeconds(wait)))
	}
	h["Cache-Control"] = headerNoStore
	s.limitHeaders(h, &c.Meta)
	s.write(w, r, status, AppendErrors(nil, status, known, s.BaseURL))
}

// AppendErrors renders an error envelope.
func AppendErrors(b []byte, status int, errs Errors, baseURL string) []byte {
	entries := errs.documented(baseURL)
	return appendEnvelope(b, status, "errors", EncodeJSON(nil, &entries))
}

func appendEnvelope(b []byte, status int, member string, value []byte) []byte {
	b = append(b, `{"status_code":`...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(append(b, `,"`...), member...)
	b = append(append(b, `":`...), value...)
	return append(b, '}', '\n')
}

func (s *Service) write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = headerJSON, headerNoSniff
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // the caller has gone when this fails
	}
}

// limitHeaders tells the budgets (contract, section 7). A limit of 0 is off: then only it, and what is used, is told.
func (s *Service) limitHeaders(h http.Header, m *Meta) {
	values := make([]string, 0, 10) // all of them in one piece of memory
	set := func(name string, value int64) {
		values = append(values, strconv.FormatInt(value, 10))
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	if rate := m.Rate; rate != nil {
		set("X-Ratelimit-Limit", int64(rate.Limit))
		if rate.Limit > 0 {
			after := int64(ceilSeconds(rate.ResetAfter))
			set("X-Ratelimit-Remaining", int64(rate.Remaining))
			set("X-Ratelimit-Reset", s.Clock.Now().Unix()+after)
			set("X-Ratelimit-Reset-After", after)
		}
	}
	if store := m.Store; store != nil {
		set("X-Storelimit-Limit", int64(store.OpenLimit))
		set("X-Storelimit-Used", int64(store.OpenUsed))
		if store.OpenLimit > 0 {
			set("X-Storelimit-Remaining", int64(max(0, store.OpenLimit-store.OpenUsed)))
		}
		set("X-Storelimit-Daily-Limit", int64(store.DailyLimit))
		if store.DailyLimit > 0 {
			set("X-Storelimit-Daily-Remaining", int64(max(0, store.DailyLimit-store.DailyUsed)))
			set("X-Storelimit-Daily-Reset", int64(store.DailyReset)/1e6)
		}
	}
}

func ceilSeconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }

// etagMatches compares an If-Match or If-None-Match list with an entity tag (RFC 9110, 13.1). Weak tags match only
// where a weak comparison is asked for.
func etagMatches(list, etag string, weak bool) bool {
	for entry := range strings.SplitSeq(list, ",") {
		entry = strings.TrimSpace(entry)
		if weak {
			entry = strings.TrimPrefix(entry, "W/")
		}
		if entry == "*" && etag != "" || entry == etag && etag != "" {
			return true
		}
	}
	return false
}

// precondition refuses a change of an object that is no longer what the caller read.
func (c *Call) precondition(etag string) error {
	if c.IfMatch == "" || etagMatches(c.IfMatch, etag, false) {
		return nil
	}
	return failf(PreconditionFailed, "If-Match", "The object changed since you read it.")
}
