package core

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"sellerd/internal/base/crash"
	"sellerd/internal/base/each"
	"sellerd/v1/etag"
	"sellerd/v1/ratelimit"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file writes answers: the envelope and the headers.

// These values are shared by many answers. They are never changed in place: adding to a header copies it first.
var (
	headerJSON       = []string{"application/json"}
	headerNoSniff    = []string{"nosniff"}
	headerNoStore    = []string{"no-store"}
	headerRevalidate = []string{"private, no-cache"}
	headerIdentity   = []string{"identity"} // what bodies are accepted in (RFC 9110, 12.5.3)
	headerVary       = []string{"X-Api-Key, Accept-Language, Accept-Encoding"}
	// headerDescription leads callers who ask for what is not there to the description of what is (RFC 8631).
	headerDescription = []string{`</openapi.json>; rel="service-desc"`}
	headerLanguages   = each.Keyed(Languages, func(language string) (string, []string) { return language, []string{language} })
)

// Buffers are spare buffers (*[]byte) for JSON. Who takes one puts it back, unless it has grown beyond 1 MiB.
var Buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// succeed writes an envelope with data, or 304 without a body if the caller has the same already.
func (s *Core) succeed(w http.ResponseWriter, r *http.Request, o *Operation, c *Call, out any) {
	crash.At(crash.BeforeAnswer)
	buffer := Buffers.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= 1<<20 {
			Buffers.Put(buffer)
		}
	}()
	language := c.say(out)
	body := beginEnvelope((*buffer)[:0], c.Meta.Status, "data")
	start := len(body)
	if c.Meta.replayedData != nil {
		body = append(body, c.Meta.replayedData...)
	} else {
		body = wire.EncodeJSON(body, out)
	}
	data := body[start:]
	*buffer = append(body, envelopeEnd...)

	h := w.Header()
	h["Content-Language"] = headerLanguages[language]
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if c.Meta.ETag == "" && o.Tagged {
			c.Meta.ETag = etag.Of(data)
		}
		h["Cache-Control"], h["Vary"] = headerRevalidate, headerVary
	} else {
		h["Cache-Control"] = headerNoStore
	}
	if c.Meta.ETag != "" {
		h["Etag"] = []string{c.Meta.ETag}
	}
	if c.Meta.Location != "" {
		h.Set("Location", c.Meta.Location)
	}
	if c.Meta.Replayed {
		h.Set("Idempotent-Replayed", "true")
	}
	c.Meta.LimitHeaders(h, s.Config.Clock)
	c.Meta.quotaHeaders(h)
	if h.Get("Cache-Control") != "no-store" && etag.Matches(strings.Join(r.Header.Values("If-None-Match"), ","), c.Meta.ETag, true) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.write(w, r, c.Meta.Status, *buffer)
}

// HasMessages is an answer with messages of errors in its data. SayIn puts them into a language, all or none, and reports whether there
// are messages in that language now.
type HasMessages interface{ SayIn(language string) bool }

// say puts the messages of an answer into the caller's language, and returns the language of the answer's texts: English, if there are
// none. A replay is the stored answer, whose messages are in English.
func (c *Call) say(out any) string {
	if c.Meta.Language != "" || c.Language == "" || c.Language == refusal.English {
		return cmp.Or(c.Meta.Language, refusal.English)
	}
	if has, ok := out.(HasMessages); ok && has.SayIn(c.Language) {
		c.Meta.replayedData = nil
		return c.Language
	}
	return refusal.English
}

// Refusal turns any error into one with codes, for every stack: Errors stay as they are, a lost database or too little time
// becomes service_unavailable, and every other error becomes internal_error. The cause of the last two goes to the
// request's trace, where the server logs it, and is never shown. ctx is the request's own: if it has ended, the caller has
// disconnected, and work that was stopped because of that is not logged as a failure.
func (s *Core) Refusal(ctx context.Context, err error) refusal.Errors {
	trace := TraceFrom(ctx)
	trace.Resetting = errors.Is(err, ErrBeingReset)
	if known, ok := errors.AsType[refusal.Errors](err); ok {
		return known
	}
	cut := errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || s.Store.Unavailable(err) || s.Store.Busy(err)
	if !cut || ctx.Err() == nil {
		trace.Cause = err
	}
	if cut {
		return refusal.Later(refusal.ServiceUnavailable, time.Second)
	}
	return refusal.New(refusal.InternalError)
}

// NotYet is the answer of a service that is starting, in the language that suits an Accept-Language best, and that language.
func NotYet(accept string) (said refusal.Errors, language string) {
	later := refusal.Later(refusal.ServiceUnavailable, time.Second)
	later[0].Message = "The service is starting."
	return later.In(reference.PreferredLanguage(accept))
}

// Refuse answers a request with an error in the envelope. The server uses it for errors outside operations.
func (s *Core) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	s.refuse(w, r, &Call{Meta: s.KnownLimits(r.Context())}, err)
}

// refuse writes an envelope with errors.
func (s *Core) refuse(w http.ResponseWriter, r *http.Request, c *Call, err error) {
	known := s.Refusal(r.Context(), err)
	status := known.Status()
	h := w.Header()
	switch status {
	case http.StatusUnauthorized:
		h["Www-Authenticate"] = c.challenges()
	case http.StatusNotFound:
		if !c.Operator {
			h["Link"] = headerDescription
		}
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	if wait := known.RetryAfterSeconds(); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(wait))
	}
	h["Cache-Control"] = headerNoStore
	c.Meta.LimitHeaders(h, s.Config.Clock)
	c.Meta.quotaHeaders(h)
	said, language := known.In(preferredLanguage(r))
	h["Content-Language"] = headerLanguages[language]
	body := AppendErrors(nil, status, said, s.Config.BaseURL)
	if c.Meta.beside != nil {
		body = append(bytes.TrimSuffix(body, []byte(envelopeEnd)), `,"data":`...)
		body = append(wire.EncodeJSON(body, c.Meta.beside), envelopeEnd...)
	}
	s.write(w, r, status, body)
}

// preferredLanguage is the one of Languages that suits a request best.
func preferredLanguage(r *http.Request) string {
	return reference.PreferredLanguage(strings.Join(r.Header["Accept-Language"], ","))
}

// challenges are the ways to authenticate, for callers who did not.
func (c *Call) challenges() []string {
	switch {
	case c.browser:
		return []string{"Bearer", `Basic realm="the operator's token is the password", charset="UTF-8"`}
	case c.Operator:
		return []string{"Bearer"}
	}
	return []string{"ApiKey"}
}

// AppendErrors renders an error envelope.
func AppendErrors(b []byte, status int, errs refusal.Errors, baseURL string) []byte {
	entries := errs.Documented(baseURL)
	return append(wire.EncodeJSON(beginEnvelope(b, status, "errors"), &entries), envelopeEnd...)
}

// AppendData renders an envelope with what data points to.
func AppendData(b []byte, status int, data any) []byte {
	return append(wire.EncodeJSON(beginEnvelope(b, status, "data"), data), envelopeEnd...)
}

// beginEnvelope appends an envelope up to the value of its second member.
func beginEnvelope(b []byte, status int, member string) []byte {
	b = strconv.AppendInt(append(b, `{"status_code":`...), int64(status), 10)
	return append(append(append(b, `,"`...), member...), `":`...)
}

const envelopeEnd = "}\n"

func (s *Core) write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	h["Content-Type"], h["X-Content-Type-Options"] = headerJSON, headerNoSniff
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // if this fails, the caller has disconnected
	}
}

// LimitHeaders sets the headers of the rate limit and of the store's limits (docs/seller/limits.md). A limit of 0 is off: then
// the headers have only the limit and what is used. The clock gives the instant from which the reset is counted.
func (m *Meta) LimitHeaders(h http.Header, clock Clock) {
	values := make([]string, 0, 10) // one allocation for all values
	set := func(name string, value int64) {
		values = append(values, strconv.FormatInt(value, 10))
		h[name] = values[len(values)-1 : len(values) : len(values)]
	}
	if rate := m.Rate; rate != nil {
		set("X-Ratelimit-Limit", int64(rate.Limit))
		if rate.Limit > 0 {
			after := int64(refusal.CeilSeconds(rate.ResetAfter))
			set("X-Ratelimit-Remaining", int64(rate.Remaining))
			set("X-Ratelimit-Reset", clock.Now().Unix()+after)
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

// quotaPolicy is the name of the rate limit in the headers of quotaHeaders.
const quotaPolicy = "requests"

// quotaHeaders sets the headers of the rate limit in the form of draft-ietf-httpapi-ratelimit-headers, which programs can
// read without knowing this service: RateLimit-Policy has the quota (q) and its window in seconds (w), RateLimit what is
// left (r) and the seconds until one more request is (t). A limit of 0 has neither. Only /v1 sends them: /rest stays as it
// is.
func (m *Meta) quotaHeaders(h http.Header) {
	rate := m.Rate
	if rate == nil || rate.Limit == 0 {
		return
	}
	b := make([]byte, 0, 80)
	b = strconv.AppendInt(append(b, `"`+quotaPolicy+`";q=`...), int64(rate.Limit), 10)
	b = strconv.AppendInt(append(b, ";w="...), int64(ratelimit.Window/time.Second), 10)
	end := len(b)
	b = strconv.AppendInt(append(b, `"`+quotaPolicy+`";r=`...), int64(rate.Remaining), 10)
	b = strconv.AppendInt(append(b, ";t="...), int64(refusal.CeilSeconds(rate.NextAfter())), 10)
	text := string(b) // one allocation for both texts, and one for their lists
	values := []string{text[:end], text[end:]}
	h["Ratelimit-Policy"], h["Ratelimit"] = values[:1:1], values[1:]
}
