package core

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	"sellerd/v1/feed"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"

	"github.com/go-chi/chi/v5"
)

// This file serves requests: it finds the operation by path and method, authenticates the caller, reads the input
// (http_request.go), runs the operation and writes the answer (http_answer.go). Sellers and the operator share this path.

// AnswerLimit bounds the work on a request, on every stack: after this time the caller gets an answer, even if the work is
// not done. The time in which the caller sends the body is not counted; the server bounds it.
const AnswerLimit = 10 * time.Second

// WaitLimit is AnswerLimit for operations that wait: their longest wait, and some time to read before and after it. It is
// shorter than the time in which the server has to have written an answer.
const WaitLimit = feed.LongestWait + 8*time.Second

// Serve serves operations of sellers to callers with a key in X-Api-Key. The server adds what all stacks share: request id, log,
// recovery from panics.
func (s *Core) Serve(operations []*Operation) http.Handler {
	return s.serveTable(operations, s.admitSeller, false)
}

// authenticator authenticates a request and completes the call with its caller, or returns an error.
type authenticator func(ctx context.Context, r *http.Request, c *Call) error

// route is one path with its operations by method.
type route struct {
	pattern string
	methods map[string]*Operation
	allow   string // the header Allow
}

// matches are spare results of a router.
var matches = sync.Pool{New: func() any { return chi.NewRouteContext() }}

// serveTable serves the operations of a table: those of sellers, or the operator's. The router only finds the pattern of a path, whatever
// the method: what it would do for a handler of its own costs as much as the rest of the way to the operation.
func (s *Core) serveTable(operations []*Operation, admit authenticator, operator bool) http.Handler {
	router, routes := chi.NewRouter(), map[string]*route{}
	for _, o := range operations {
		rt := routes[o.Pattern]
		if rt == nil {
			rt = &route{pattern: o.Pattern, methods: map[string]*Operation{}}
			routes[o.Pattern] = rt
			router.Get(o.Pattern, http.NotFound)
		}
		rt.methods[o.Method] = o
		rt.allow = Allow(maps.Keys(rt.methods))
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := NormalURL(r.URL)
		path := cmp.Or(at.RawPath, at.Path) // an escaped slash does not part the path
		found := matches.Get().(*chi.Context)
		defer matches.Put(found)
		found.Reset()
		rt := routes[router.Find(found, http.MethodGet, path)]
		if rt == nil {
			s.refuse(w, r, &Call{Operator: operator}, refusal.Newf(refusal.RouteNotFound, "", "%s", s.nothingAt(at.Path, operations)))
			return
		}
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if o := rt.methods[method]; o != nil {
			s.serve(w, r, o, admit, &found.URLParams)
			return
		}
		TraceFrom(r.Context()).Operation = rt.pattern
		s.answerMethods(w, r, rt.allow, insteadOf(method, rt.pattern, operations))
	})
}

// Allow is the Allow header of a path that has operations of these methods: HEAD comes with GET, OPTIONS with any.
func Allow(methods iter.Seq[string]) string {
	allow := []string{http.MethodOptions}
	for method := range methods {
		allow = append(allow, method)
		if method == http.MethodGet {
			allow = append(allow, http.MethodHead)
		}
	}
	slices.Sort(allow)
	return strings.Join(allow, ", ")
}

// AnswerMethods answers OPTIONS, and rejects every other request to a path because of its method. allow is the path's header Allow.
func (s *Core) AnswerMethods(w http.ResponseWriter, r *http.Request, allow string) {
	s.answerMethods(w, r, allow, "")
}

// allowed is the answer to OPTIONS.
type allowed struct {
	Allow string `json:"allow"`
}

func (s *Core) answerMethods(w http.ResponseWriter, r *http.Request, allow, hint string) {
	w.Header().Set("Allow", allow)
	if r.Method == http.MethodOptions {
		w.Header()["Content-Language"] = headerLanguages[refusal.English]
		s.write(w, r, http.StatusOK, AppendData(nil, http.StatusOK, &allowed{allow}))
		return
	}
	s.refuse(w, r, &Call{}, refusal.Newf(refusal.MethodNotAllowed, "", "This path accepts %s.%s", allow, hint))
}

// serve handles every request: authentication, rate limit, input, operation, envelope. path are the values in the path.
func (s *Core) serve(w http.ResponseWriter, r *http.Request, o *Operation, admit authenticator, path *chi.RouteParams) {
	TraceFrom(r.Context()).Operation = o.Name
	c := &Call{
		Request: Request{Language: preferredLanguage(r), Needs: o.Needs, role: o.Role, path: path},
		Meta:    Meta{Status: o.Status},
	}
	out, err := s.Within(r.Context(), o, c, func(ctx context.Context) (any, error) { return s.answer(ctx, w, r, o, c, admit) })
	for i := range s.rooms {
		if answered := s.rooms[i].Answered; answered != nil {
			answered(o, c)
		}
	}
	if err != nil {
		s.refuse(w, r, c, err)
		return
	}
	s.succeed(w, r, o, c, out)
}

// Within does the work on a request, on every stack. The work's context ends after AnswerLimit. The call's limits are known
// afterwards even if the work fails, and an operation that publishes gets the store's limits at the end. The operation is
// nil for a call that runs none or several. The work on an operation that claims may be done twice (admission.go).
func (s *Core) Within(ctx context.Context, o *Operation, c *Call, work func(context.Context) (any, error)) (any, error) {
	limit := AnswerLimit
	if o != nil && o.waits {
		limit = WaitLimit
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	TraceFrom(ctx).answers(o, c)
	if o == nil {
		return work(bounded)
	}
	var out any
	var err error
	if o.claims {
		out, err = s.withClaim(bounded, ctx, c, work)
	} else {
		out, err = work(bounded)
	}
	if c.body.slow() && bounded.Err() != nil { // the body has used up the time of the work
		bounded, cancel = context.WithTimeout(ctx, knownLimitsTime)
		defer cancel()
	}
	s.addStoreLimits(bounded, o, c)
	return out, err
}

// answer does the work on a request: it admits the caller, reads the input and runs the operation.
func (s *Core) answer(ctx context.Context, w http.ResponseWriter, r *http.Request, o *Operation, c *Call,
	admit authenticator,
) (any, error) {
	TraceFrom(ctx).Audited = o.OnKey
	admitting := ctx
	if o.waits { // which gives it more time, but not for this
		var cancel context.CancelFunc
		admitting, cancel = context.WithTimeout(ctx, AnswerLimit)
		defer cancel()
	}
	if err := admit(admitting, r, c); err != nil {
		return nil, err
	}
	if o.OnKey && s.Config.NoKeyRotation {
		return nil, errKeysStay
	}
	if deadline, set := ctx.Deadline(); o.waits && set {
		// The deadline for the request's body would also end a wait, because the server reads on to notice that the caller leaves.
		_ = http.NewResponseController(w).SetReadDeadline(deadline.Add(time.Second)) // not to be had in tests without a connection
	}
	in := o.NewInput()
	ctx, cancel, err := s.receive(ctx, r.Context(), c, func() error { return s.decode(r, w, o, c, in) })
	if err != nil {
		return nil, err
	}
	defer cancel()
	return o.Run(ctx, s, c, in)
}

// errKeysStay is the refusal of operations that change the key that asks, where the operator has switched them off.
var errKeysStay = func() refusal.Errors {
	entry := refusal.Entry(refusal.PermissionDenied, "", "Keys cannot replace or revoke themselves here. Ask the marketplace's operator to do it.")
	entry.Details = map[string]any{"permission": permission.AccountWrite.String()}
	return refusal.Errors{entry}
}()

// admitSeller authenticates a request to /v1: it checks the key and the account's rate limit.
func (s *Core) admitSeller(ctx context.Context, r *http.Request, c *Call) error {
	if err := refuseInClear(r); err != nil {
		return err
	}
	return s.Enter(ctx, r.RemoteAddr, c, func(ctx context.Context) (Caller, error) { return s.authenticateRequest(ctx, r, c) })
}

// Enter admits a seller's request, on every stack: authenticate finds the caller, and the request is charged to the caller's
// budget. A failed attempt to authenticate is counted against the address (with a port) that it came from. A caller that is
// known but rejected, such as a suspended account or a key that lacks a permission, is charged, too.
func (s *Core) Enter(ctx context.Context, address string, c *Call, authenticate func(context.Context) (Caller, error)) error {
	caller, refused := authenticate(ctx)
	if refused != nil && caller.Owner == 0 {
		if known, ok := errors.AsType[refusal.Errors](refused); ok && known.Status() == http.StatusUnauthorized {
			return s.refuseCredentials(ctx, address, refused)
		}
		return refused
	}
	c.Caller = caller
	TraceFrom(ctx).Account = caller.AccountID
	return cmp.Or(s.charge(ctx, c), refused, c.Permit(c.Needs, ""))
}

// authenticateRequest finds the caller. A key in the query is rejected like a wrong key, because it ends up in logs and
// caches. So is a second header, which is a mistake.
func (s *Core) authenticateRequest(ctx context.Context, r *http.Request, c *Call) (Caller, error) {
	values := r.Header.Values("X-Api-Key")
	switch {
	case keyInQuery(r):
		return Caller{}, errKeyInURL
	case len(values) > 1:
		return Caller{}, ErrInvalidKey
	case len(values) == 0 || values[0] == "":
		return Caller{}, missingKey(r)
	}
	return s.AuthenticateCall(ctx, c, values[0])
}

// ServeOutside answers a POST that is not an operation in the way of an operation: it reads the body strictly into in, a
// pointer to an operation's input, and writes the result of run in the envelope. limit is the largest body in bytes. There
// is no key, no rate limit, and nothing is stored. What run returns beside an error is the data of the refusal.
func (s *Core) ServeOutside(w http.ResponseWriter, r *http.Request, limit int64, in any, run func() (any, error)) {
	o := &Operation{Method: http.MethodPost, BodyLimit: limit, In: reflect.TypeOf(in).Elem()}
	c := &Call{}
	c.Meta.Status = http.StatusOK
	err := s.decode(r, w, o, c, in)
	if err == nil {
		err = c.Problems.Err()
	}
	var out any
	if err == nil {
		out, err = run()
	}
	if err != nil {
		c.Meta.beside = out
		s.refuse(w, r, c, err)
		return
	}
	s.succeed(w, r, o, c, out)
}
