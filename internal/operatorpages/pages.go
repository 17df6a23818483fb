// Package operatorpages shows operators in a browser how the service stands: accounts, what waits for workers, who still uses the old
// interface, who changed what, and a summary of the metrics. Their forms run the operations of the operator API. They have no scripts and no
// cookies.
//
// The handler does not authenticate callers: it belongs behind v1.Service.OperatorOnly.
package operatorpages

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"sellerd/v1"
)

// Where the pages are. Everything else below v1.OperatorPath is the operator API.
const (
	Home     = v1.OperatorPath // the first page, and no path below it
	Below    = v1.OperatorPath + "pages/"
	accounts = Below + "accounts"
	legacy   = Below + "legacy-usage"
	audit    = Below + "audit"
)

// Config is what the pages show. All of it is mandatory but Commit.
type Config struct {
	Service *v1.Service
	Version string
	Commit  string // that the program was built from; empty if it is not known

	// Traffic has the metrics of requests: sellerd_requests_total and sellerd_request_seconds.
	Traffic prometheus.Gatherer
	// LegacyAccounts counts the accounts that use the old interface, or did, by state.
	LegacyAccounts func(context.Context) (map[string]int, error)
}

// Patterns are the routes of the pages, in the syntax of http.ServeMux without a method.
var Patterns = []string{Home + "{$}", accounts, accounts + "/{id}", legacy, audit, Below + "{unknown...}"}

// Pages serves the pages.
type Pages struct {
	config  Config
	mux     *http.ServeMux
	handler http.Handler // mux, for requests of these pages alone
}

// New makes the pages.
func New(c Config) *Pages {
	p := &Pages{config: c, mux: http.NewServeMux()}
	for i, show := range []shower{p.home, p.accounts, p.account, p.legacy, p.audit, unknown} {
		p.mux.Handle("GET "+Patterns[i], p.page(show))
	}
	for _, a := range actions {
		p.mux.Handle("POST "+a.pattern, p.act(a))
	}
	p.handler = fromHere(p.mux)
	return p
}

// ServeHTTP serves a page. The request's context bounds what the page reads.
func (p *Pages) ServeHTTP(w http.ResponseWriter, r *http.Request) { p.handler.ServeHTTP(w, r) }

// shower reads what a page shows. An error of the service becomes a page that says what is wrong.
type shower func(r *http.Request) (*page, error)

// page is what a template shows.
type page struct {
	Title string
	Name  string // of the template
	Data  any

	Status int    // 200
	Wait   int    // seconds after which to come back, 0 for none
	Path   string // of the request, for the menu
	Menu   []menuLink
	By     string // who looks at it, with the role
}

type menuLink struct{ Path, Title string }

var menu = []menuLink{{Home, "Overview"}, {accounts, "Accounts"}, {legacy, "Old interface"}, {audit, "Audit log"}}

// current is the value of aria-current of the menu's link to a page, on the page at path: "page" if it is the same page, "true" if path
// is below it, and otherwise empty.
func current(link, path string) string {
	switch {
	case link == path:
		return "page"
	case link != Home && strings.HasPrefix(path, link+"/"):
		return "true"
	}
	return ""
}

// contentSecurityPolicy lets a page load the service's stylesheet and icon and send its own form, and nothing else.
const contentSecurityPolicy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// page serves one page.
func (p *Pages) page(show shower) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		shown, err := show(r)
		if err != nil {
			shown = p.failure(r, err)
		}
		p.show(w, r, shown)
	}
}

// show writes a page. Its referrer policy lets browsers name the page where a form is from.
func (p *Pages) show(w http.ResponseWriter, r *http.Request, shown *page) {
	shown.Path, shown.Menu = r.URL.Path, menu
	if by := v1.TraceFrom(r.Context()).Operator; by.Name != "" {
		shown.By = by.Name + ", " + by.Role.String()
	}
	var text bytes.Buffer
	if err := templates().ExecuteTemplate(&text, "page", shown); err != nil {
		p.config.Service.Refuse(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	if shown.Wait > 0 {
		h.Set("Retry-After", strconv.Itoa(shown.Wait))
	}
	if shown.Status != 0 {
		w.WriteHeader(shown.Status)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(text.Bytes()) // if this fails, the caller has disconnected
	}
}

// failure is a page that says why another cannot be shown. What is logged, and what is shown of it, is as in the API.
func (p *Pages) failure(r *http.Request, err error) *page {
	if errors.Is(err, v1.ErrNoAccount) {
		return &page{Title: "There is no such account", Name: "failure", Status: http.StatusNotFound}
	}
	known := p.config.Service.Refusal(context.WithoutCancel(r.Context()), err)
	return &page{Title: http.StatusText(known.Status()), Name: "failure", Status: known.Status(), Wait: known.RetryAfterSeconds(), Data: known}
}

func unknown(*http.Request) (*page, error) {
	return &page{Title: "There is no such page", Name: "failure", Status: http.StatusNotFound}, nil
}
