package legacy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/go-chi/chi/v5"

	"sellerd/translate"
	"sellerd/v1"
)

// root is the interface's path, and stackName its name in log lines.
const (
	root      = "/rest"
	stackName = "rest"
)

// Config is the configuration of a Handler. The first three fields are mandatory.
type Config struct {
	API     API
	Clock   v1.Clock
	BaseURL string // the service's public address, without a trailing slash

	// Endless is for a program beside the service, which serves the interface after the sunset as before it: answers have
	// neither Deprecation nor Sunset, and the rehearsal of the end is not for it. The zero value ends at the sunset.
	Endless bool

	// Around wraps the handler in what the requests of all stacks need. refuse answers a request with an error in this stack's
	// envelope. Nil wraps nothing.
	Around func(stack string, refuse func(http.ResponseWriter, *http.Request, error), next http.Handler) http.Handler
}

// Handler answers everything under /rest.
type Handler struct {
	Config
	router *chi.Mux
	routes map[string]*route // by pattern
	links  []string          // the Link header of answers without a call
}

// route is the endpoints of a path.
type route struct {
	pattern string
	methods map[string]*endpoint
	allow   string
}

// endpoint is the calls of one method of a path, usually one.
type endpoint struct {
	usual     *legacyCall
	special   []*legacyCall // calls that take some of its requests, by their fields
	bodyLimit int64
}

// legacyCall is a plan with what can be prepared before any request.
type legacyCall struct {
	*translate.Plan
	run   runner // nil for a call that is one operation
	label string // in log and metrics
	links []string
}

// Mount puts the interface before another handler, which gets all other requests. It returns the errors of New.
func Mount(next http.Handler, c Config) (http.Handler, error) {
	h, err := New(c)
	if err != nil {
		return nil, err
	}
	rest := http.Handler(h)
	if c.Around != nil {
		rest = c.Around(stackName, h.Refuse, h)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if under(r.URL.Path) {
			rest.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}), nil
}

// under says whether a path, once it is cleaned, is /rest or below it. So a misspelt path (//rest/x) gets no answer in another
// stack's envelope.
func under(p string) bool {
	if !strings.Contains(p, root) {
		return false
	}
	p = path.Clean(p) // returns a clean path as it is, without a copy
	return p == root || strings.HasPrefix(p, root+"/")
}

// New makes a handler of the tables. It fails for an incomplete Config and for tables that contradict each other.
func New(c Config) (*Handler, error) {
	if c.API == nil || c.Clock == nil {
		return nil, errors.New("legacy: an API and a clock are required")
	}
	table, err := translate.New()
	if err != nil {
		return nil, fmt.Errorf("legacy: %w", err)
	}
	h := &Handler{Config: c, router: chi.NewRouter(), routes: map[string]*route{}, links: links(c, "")}
	runners := runners()
	for _, plan := range table.Plans {
		added, err := h.newCall(plan, runners[plan.ID])
		if err != nil {
			return nil, fmt.Errorf("legacy: call %s: %w", plan.ID, err)
		}
		delete(runners, plan.ID)
		h.add(added)
	}
	for id := range runners {
		return nil, fmt.Errorf("legacy: there is no call %s to run", id)
	}
	for pattern, rt := range h.routes {
		for method, e := range rt.methods {
			if e.usual == nil {
				return nil, fmt.Errorf("legacy: no call takes what is left at %s %s", method, pattern)
			}
		}
		rt.allow = v1.Allow(maps.Keys(rt.methods))
		h.router.Get(pattern, http.NotFound) // the router only finds patterns
	}
	return h, nil
}

func (h *Handler) newCall(plan *translate.Plan, run runner) (*legacyCall, error) {
	c := &legacyCall{Plan: plan, run: run, label: stackName + "." + plan.ID, links: links(h.Config, plan.ID)}
	if kind := plan.Target.Kind; run == nil && (kind == translate.Composed || kind == translate.Local) {
		return nil, fmt.Errorf("is %s and nothing runs it", kind)
	}
	return c, nil
}

func (h *Handler) add(c *legacyCall) {
	rt := h.routes[c.Pattern]
	if rt == nil {
		rt = &route{pattern: c.Pattern, methods: map[string]*endpoint{}}
		h.routes[c.Pattern] = rt
	}
	e := rt.methods[c.Method]
	if e == nil {
		e = &endpoint{bodyLimit: c.BodyLimit()}
		rt.methods[c.Method] = e
	}
	if c.Match == (translate.Match{}) {
		e.usual = c
	} else {
		e.special = append(e.special, c)
	}
}

var contexts = sync.Pool{New: func() any { return chi.NewRouteContext() }}

// find returns the route of a path, nil if there is none, and the values of the pattern's {parts} by name. A fixed text in a
// pattern comes before a {part}, for every method.
func (h *Handler) find(u *url.URL) (*route, map[string]string) {
	at := u.Path
	if u.RawPath != "" { // an escaped slash belongs to a reference, not to the path
		at = u.RawPath
	}
	matched := contexts.Get().(*chi.Context)
	defer contexts.Put(matched)
	matched.Reset()
	rt := h.routes[h.router.Find(matched, http.MethodGet, at)]
	if rt == nil || len(matched.URLParams.Keys) == 0 {
		return rt, nil
	}
	parts := make(map[string]string, len(matched.URLParams.Keys))
	for i, name := range matched.URLParams.Keys {
		text := matched.URLParams.Values[i]
		if u.RawPath != "" {
			text, _ = url.PathUnescape(text) // the URL was parsed, so its escapes are right
		}
		parts[name] = text
	}
	return rt, parts
}

// endpoint is the endpoint of a method, nil if there is none.
func (rt *route) endpoint(method string) *endpoint {
	if rt == nil {
		return nil
	}
	if method == http.MethodHead {
		method = http.MethodGet
	}
	return rt.methods[method]
}

// call is the call that takes a request with these fields.
func (e *endpoint) call(fields translate.Fields) *legacyCall {
	for _, c := range e.special {
		if c.Match.Takes(fields) {
			return c
		}
	}
	return e.usual
}

// Closed puts the interface before another handler, as Mount does, but refuses every request with an error: for a program that cannot
// serve yet. It asks no API.
func Closed(next http.Handler, c Config, err error) (http.Handler, error) {
	c.API = closed{}
	h, unfit := New(c)
	if unfit != nil {
		return nil, unfit
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !under(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		x, _, _ := h.begin(w, r)
		if x.retired() {
			x.refuse(x.retirement())
			return
		}
		x.refuse(err)
	}), nil
}

// closed is the API of a handler that only refuses.
type closed struct{ API }

// Refusal implements API.
func (closed) Refusal(_ context.Context, err error) (known v1.Errors) {
	errors.As(err, &known)
	return known
}
