package legacy

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"sellerd/translate"
	"sellerd/v1"
)

// This file is the way of a request, from its call to the XML.

// request is what a runner knows of a request.
type request struct {
	handler *Handler
	plan    *translate.Plan
	decoded *translate.Request
	call    Call
	path    map[string]string
	fields  translate.Fields
	refused v1.Errors // entries of a bulk that mean nothing, which do not keep the others from being run
}

// runner answers a call: with a result as the call's target declares it, or with rawBody.
type runner func(ctx context.Context, r *request) (any, error)

// rawBody is what stands inside body, as XML already.
type rawBody []byte

// run runs an operation for the caller. What the answer says besides is that of the operation that ran last.
func (r *request) run(ctx context.Context, o *v1.Operation, path map[string]string, query string, body []byte) (any, error) {
	c := &r.call
	c.Problems = v1.Problems{}
	c.Meta = v1.Meta{Rate: c.Meta.Rate, Store: c.Meta.Store}
	return r.handler.API.Run(ctx, o, c, path, query, body)
}

// direct runs the operation that a call means. A create comes without an idempotency key, so one is derived.
func direct(ctx context.Context, r *request) (any, error) {
	o := r.decoded.Operation
	if o == v1.SubmitItem.Operation {
		r.call.Idempotency = r.deriveKey(o, r.decoded.Body)
	}
	query := ""
	if len(r.decoded.Query) > 0 {
		query = r.decoded.Query.Encode()
	}
	return r.run(ctx, o, r.decoded.Path, query, r.decoded.Body)
}

// exchange is a request and its answer on their way.
type exchange struct {
	request
	legacy *legacyCall // nil where there is none
	w      http.ResponseWriter
	r      *http.Request
	at     time.Time
	buffer *[]byte
}

// begin finds the call of a request and announces the end of the interface in the answer.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) (*exchange, *route, *endpoint) {
	rt, path := h.find(r.URL)
	e := rt.endpoint(r.Method)
	x := &exchange{request: request{handler: h, call: Call{Call: v1.Call{Legacy: true}}, path: path}, w: w, r: r, at: h.Clock.Now()}
	if e != nil {
		x.setCall(e.usual)
	}
	x.setHeaders()
	return x, rt, e
}

// setCall notes which call a request turned out to be.
func (x *exchange) setCall(c *legacyCall) { x.legacy, x.plan = c, c.Plan }

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, rt, e := h.begin(w, r)
	defer x.label(v1.TraceFrom(r.Context()))
	switch {
	case x.retired():
		x.refuse(x.retirement())
	case rt == nil:
		x.refuse(refuse(v1.RouteNotFound))
	case e != nil:
		x.serve(e)
	case r.Method == http.MethodOptions:
		w.Header().Set("Allow", rt.allow)
		x.succeed(rawBody("<allow>" + rt.allow + "</allow>"))
	default:
		w.Header().Set("Allow", rt.allow)
		x.refuse(v1.Errors{{Code: v1.MethodNotAllowed, Message: "This path accepts " + rt.allow + "."}})
	}
}

// label names the request in log and metrics, where it is the legacy call and not one of the operations it ran.
func (x *exchange) label(trace *v1.Trace) {
	trace.Operation = ""
	if x.legacy != nil {
		trace.Operation = x.legacy.label
	}
}

func (x *exchange) serve(e *endpoint) {
	fields, err := readFields(x.w, x.r, e.bodyLimit)
	if err != nil {
		x.refuse(err)
		return
	}
	x.fields = fields
	if c := e.call(fields); c != x.legacy {
		x.setCall(c)
		x.setHeaders()
	}
	out, err := x.handler.API.Within(x.r.Context(), x.plan.Target.Operation(), &x.call, x.answer)
	if err != nil {
		x.refuse(err)
		return
	}
	x.succeed(out)
}

// answer is the way of every call whose fields are read: who asks, is there budget, what does it mean, the operation.
func (x *exchange) answer(ctx context.Context) (any, error) {
	if err := x.admit(ctx); err != nil {
		return nil, err
	}
	for name, text := range x.path {
		if !utf8.ValidString(text) || strings.IndexByte(text, 0) >= 0 {
			return nil, v1.Errors{{Code: v1.InvalidValue, Field: name, Message: "must be text in UTF-8, without the character U+0000"}}
		}
	}
	decoded, problems := x.plan.Decode(x.path, x.fields)
	x.decoded = decoded
	x.count()
	if slices.ContainsFunc(problems, func(e v1.Error) bool { return !e.Index.Set }) {
		return nil, problems
	}
	x.refused = problems
	x.call.Language = v1.Languages[0]
	if language := decoded.Header["Accept-Language"]; language != "" {
		x.call.Language = language
	}
	run := x.legacy.run
	if run == nil {
		run = direct
	}
	return run(ctx, &x.request)
}

// fieldName is what names of fields look like. Keys and tokens are longer.
var fieldName = regexp.MustCompile(`^[A-Za-z_]{1,32}(\[[A-Za-z0-9_]{0,32}\])*$`)

// count books the call, and the fields that meant less than their sender thought, for the seller's list of what is left
// to move.
func (x *exchange) count() {
	if x.call.Owner == 0 {
		return // nobody in particular: the call is open
	}
	var lossy []string
	for _, note := range x.decoded.Notes {
		switch note.Kind {
		case translate.NoteUnknown, translate.NoteDropped, translate.NoteNarrowed:
			if fieldName.MatchString(note.Field) { // and no key or token that went astray
				lossy = append(lossy, note.Field)
			}
		}
	}
	x.handler.API.CountCall(&x.call, x.plan.ID, lossy)
}

// Refuse answers a request with an error; the server uses it for what happens outside calls.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	x, _, _ := h.begin(w, r)
	x.call.Meta = h.API.KnownLimits(r.Context())
	x.refuse(err)
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxKept is the largest buffer that is used again.
const maxKept = 1 << 20

// succeed answers with a result. Old programs look for 200 alone, so that is what every success is.
func (x *exchange) succeed(out any) {
	b := x.open(http.StatusOK)
	if raw, ok := out.(rawBody); ok {
		b = append(b, raw...)
	} else {
		b = x.plan.AppendBody(b, out)
	}
	x.send(http.StatusOK, b)
}

// refuse answers with an error.
func (x *exchange) refuse(err error) {
	known := x.handler.API.Refusal(x.r.Context(), err)
	status := known.Status()
	h := x.w.Header()
	switch status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", "ApiKey")
	case http.StatusRequestEntityTooLarge:
		h.Set("Connection", "close")
	}
	if wait := known.RetryAfterSeconds(); wait > 0 {
		h.Set("Retry-After", strconv.Itoa(wait))
	}
	x.send(status, x.plan.AppendError(x.open(status), known))
}

// open begins the envelope, up to the inside of body.
func (x *exchange) open(status int) []byte {
	x.buffer = buffers.Get().(*[]byte)
	var notes []translate.Note
	if x.decoded != nil {
		notes = x.decoded.Notes
	}
	envelope := x.envelope()
	return envelope.AppendHead((*x.buffer)[:0], status, notes)
}

func (x *exchange) envelope() translate.Envelope {
	e := translate.Envelope{At: x.at}
	if x.legacy != nil {
		e.Type = x.legacy.ID
	}
	return e
}

// send ends the envelope and writes it.
func (x *exchange) send(status int, b []byte) {
	envelope := x.envelope()
	b = envelope.AppendTail(b)
	h := x.w.Header()
	h.Set("Content-Length", strconv.Itoa(len(b)))
	x.call.Meta.LimitHeaders(h, x.handler.Clock)
	x.w.WriteHeader(status)
	if x.r.Method != http.MethodHead {
		_, _ = x.w.Write(b) // the caller has gone when this fails
	}
	if *x.buffer = b; cap(b) <= maxKept {
		buffers.Put(x.buffer)
	}
}
