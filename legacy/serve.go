package legacy

import (
	"context"
	"errors"
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

// This file serves a request, from its call to the XML.

// request is the part of a request that runners see.
type request struct {
	handler *Handler
	plan    *translate.Plan
	decoded *translate.Request
	call    Call
	path    map[string]string
	fields  translate.Fields
	refused v1.Errors // errors of single entries of a bulk; the other entries are run
}

// runner answers a call: with a result as the call's target declares it, or with rawBody.
type runner func(ctx context.Context, r *request) (any, error)

// rawBody is the content of the body element, as XML.
type rawBody []byte

// run runs an operation for the caller. The Meta of the answer is that of the operation that ran last.
func (r *request) run(ctx context.Context, o *v1.Operation, path map[string]string, query string, body []byte) (any, error) {
	c := &r.call
	c.Problems = v1.Problems{}
	c.Meta = v1.Meta{Rate: c.Meta.Rate, Store: c.Meta.Store}
	return r.handler.API.Run(ctx, o, c, path, query, body)
}

// direct runs the only operation of a call. A create comes without an idempotency key, so it gets a derived one.
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

// exchange is a request together with its answer.
type exchange struct {
	request
	legacy *legacyCall // nil if the request matches no call
	w      http.ResponseWriter
	r      *http.Request
	at     time.Time
	read   bool  // fields holds the request's fields, or unread says why not
	unread error // why they cannot be read
	buffer *[]byte
}

// begin finds the call of a request and sets the headers of the answer.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request) (*exchange, *route, *endpoint) {
	rt, path := h.find(v1.NormalURL(r.URL))
	e := rt.endpoint(r.Method)
	x := &exchange{request: request{handler: h, call: Call{Call: v1.Call{Request: v1.Request{Via: v1.ViaRest, HTTPAddresses: true, WholeLists: true}}}, path: path}, w: w, r: r, at: h.Clock.Now()}
	if e != nil {
		x.setCall(e.usual)
	}
	x.setHeaders()
	return x, rt, e
}

// setCall sets the call of a request.
func (x *exchange) setCall(c *legacyCall) {
	x.legacy, x.plan, x.call.Needs = c, c.Plan, c.Target.Needs()
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, rt, e := h.begin(w, r)
	defer x.label(v1.TraceFrom(r.Context()), rt)
	switch {
	case x.retired():
		x.countRetired(e)
		x.refuse(x.retirement())
	case x.inDrill(e):
		w.Header()[translate.DrillHeader] = headerScheduled
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

// label names the request in log and metrics, by the legacy call and not by one of the operations that it ran. A request that is no
// call is named by its route, if it has one.
func (x *exchange) label(trace *v1.Trace, rt *route) {
	switch {
	case x.legacy != nil:
		trace.Operation = x.legacy.label
	case rt != nil:
		trace.Operation = rt.pattern
	default:
		trace.Operation = ""
	}
}

// readFields reads the fields of the request, once.
func (x *exchange) readFields(bodyLimit int64) {
	if !x.read {
		x.read = true
		x.fields, x.unread = readFields(x.w, x.r, bodyLimit)
	}
}

func (x *exchange) serve(e *endpoint) {
	if x.readFields(e.bodyLimit); x.unread != nil {
		x.refuse(x.unread)
		return
	}
	if c := e.call(x.fields); c != x.legacy {
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

// answer does the work on a call whose fields are read: authentication and budget, decoding, counting, the operation. The
// API may run it twice.
func (x *exchange) answer(ctx context.Context) (any, error) {
	x.decoded, x.refused, x.call.Notes = nil, nil, nil
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
	x.count(ctx)
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

// fieldName is the form of field names. Keys and tokens are longer.
var fieldName = regexp.MustCompile(`^[A-Za-z_]{1,32}(\[[A-Za-z0-9_]{0,32}\])*$`)

// count counts the call, and the fields that /v1 ignores or narrows, for the seller's list of what is left to move.
func (x *exchange) count(ctx context.Context) {
	if x.call.KeyID == "" {
		return // an open call, without a caller
	}
	var lossy []string
	for _, note := range x.decoded.Notes {
		switch note.Kind {
		case translate.NoteUnknown, translate.NoteDropped, translate.NoteNarrowed:
			if fieldName.MatchString(note.Field) { // so that a key or token in the wrong place is not stored
				lossy = append(lossy, note.Field)
			}
		}
	}
	x.handler.API.CountCall(ctx, &x.call, x.plan.ID, lossy)
}

// Refuse answers a request with an error. The server uses it for errors outside of calls, such as a panic.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, err error) {
	x, _, _ := h.begin(w, r)
	x.call.Meta = h.API.KnownLimits(r.Context())
	x.refuse(err)
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// maxKept is the capacity in bytes of the largest buffer that is used again.
const maxKept = 1 << 20

// succeed answers with a result. Old programs accept no status but 200, so every success has it.
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
	if late, ok := errors.AsType[*NotAdmitted](err); ok {
		x.decoded, x.call.Notes, err = nil, nil, late.Errors
	}
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

// open begins the envelope, up to the content of the body element.
func (x *exchange) open(status int) []byte {
	x.buffer = buffers.Get().(*[]byte)
	var notes []translate.Note
	if x.decoded != nil {
		notes = x.decoded.Notes
	}
	if own := x.call.Notes; len(own) > 0 {
		notes = slices.Concat(notes, own)
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
		_, _ = x.w.Write(b) // it fails only if the connection is closed
	}
	if *x.buffer = b; cap(b) <= maxKept {
		buffers.Put(x.buffer)
	}
}
