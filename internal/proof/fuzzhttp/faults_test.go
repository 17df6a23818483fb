package fuzzhttp_test

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// This file shows that each check finds a fault. The fault stands between the fuzzer and both services, or one of them.

// fault changes an answer on its way to the fuzzer.
type fault func(p *planted, r *http.Request, answer *httptest.ResponseRecorder)

// planted is a service with a fault before it.
type planted struct {
	service http.Handler
	fault   fault
	lastKey string                                // of the last request that was followed
	deleted map[string]*httptest.ResponseRecorder // what objects were, by their paths
}

func newPlanted(service http.Handler, f fault) *planted {
	return &planted{service: service, fault: f, deleted: map[string]*httptest.ResponseRecorder{}}
}

func (p *planted) ask(r *http.Request) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	p.service.ServeHTTP(answer, r)
	return answer
}

func (p *planted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var before *httptest.ResponseRecorder
	if r.Method == http.MethodDelete {
		before = p.ask(valid(get(r), ""))
	}
	answer := p.ask(r)
	if key := r.Header.Get("X-Api-Key"); answer.Code < 300 && key != "" {
		p.lastKey = key
		if before != nil {
			p.deleted[r.URL.Path] = before
		}
	}
	p.fault(p, r, answer)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func get(r *http.Request) *http.Request {
	out := r.Clone(r.Context())
	out.Method = http.MethodGet
	return out
}

// faults are by the check that has to find them.
var faults = []struct {
	name, check string
	only        int // the service that has the fault, -1 for both
	plant       fault
}{
	{"an answer with 500", "not_a_server_error", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if r.Method == http.MethodPatch {
			a.Code = 500
		}
	}},
	{"a call of /rest with 500", "not_a_server_error", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/rest/item/auction") {
			a.Code = 500
		}
	}},
	{"a status that is not described", "status_code_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusCreated {
			a.Code = http.StatusNonAuthoritativeInfo
		}
	}},
	{"text in place of JSON", "content_type_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusNotFound {
			a.Header().Set("Content-Type", "text/plain")
		}
	}},
	{"text in place of XML", "content_type_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if strings.HasPrefix(r.URL.Path, "/rest/") && a.Code == http.StatusOK {
			a.Header().Set("Content-Type", "text/html")
		}
	}},
	{"no X-Request-Id", "response_headers_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusAccepted {
			a.Header().Del("X-Request-Id")
		}
	}},
	{"a header that is not described", "response_headers_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusUnprocessableEntity {
			a.Header().Set("X-Debug", "1")
		}
	}},
	{"a member that is not described", "response_schema_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusOK {
			replace(a, `"data":{`, `"data":{"debug":1,`)
		}
	}},
	{"an element that is not described", "response_schema_conformance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		replace(a, "</body>", "<debug>1</debug></body>")
	}},
	{"an invalid body that is accepted", "negative_data_rejection", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/webhooks" && a.Code == http.StatusUnprocessableEntity {
			*a = *p.ask(valid(r, `{"url":"https://hooks.example.com/any","events":["*"]}`))
		}
	}},
	{"an unknown parameter that is ignored", "negative_data_rejection", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if strings.Contains(r.URL.RawQuery, "unknown=") {
			other := r.Clone(r.Context())
			other.URL.RawQuery = ""
			*a = *p.ask(other)
		}
	}},
	{"a valid body that is rejected", "positive_data_acceptance", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if r.Method == http.MethodPost && r.URL.Path == "/v1/items" && a.Code == http.StatusAccepted {
			*a = *p.ask(valid(r, `{"unknown":1}`))
		}
	}},
	{"an answer without a key", "missing_required_header", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if strings.HasPrefix(r.URL.Path, "/v1/") && a.Code == http.StatusUnauthorized && r.Header.Get("X-Api-Key") == "" {
			*a = *p.ask(valid(r, "", "X-Api-Key", p.lastKey))
		}
	}},
	{"a wrong key that is accepted", "ignored_auth", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusUnauthorized && r.Header.Get("X-Api-Key") != "" {
			*a = *p.ask(valid(r, "", "X-Api-Key", p.lastKey))
		}
	}},
	{"a method that is rejected without Allow", "unsupported_method", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusMethodNotAllowed {
			a.Header().Del("Allow")
		}
	}},
	{"a deleted object that is answered", "use_after_free", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if was := p.deleted[r.URL.Path]; was != nil && r.Method == http.MethodGet {
			*a = *was
		}
	}},
	{"a Location that leads nowhere", "ensure_resource_availability", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if location := a.Header().Get("Location"); location != "" {
			a.Header().Set("Location", location+"0")
		}
	}},
	{"the object of another seller", "negative_data_rejection", -1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if r.Method == http.MethodGet && strings.HasPrefix(r.URL.Path, "/v1/") && a.Code == http.StatusNotFound {
			if other := p.ask(valid(r, "", "X-Api-Key", p.lastKey)); other.Code == http.StatusOK { // the key may have ended, the object as well
				*a = *other
			}
		}
	}},
	{"an If-None-Match that PostgreSQL ignores", "same_on_both_databases", 1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		if a.Code == http.StatusNotModified {
			other := valid(r, "")
			other.Header.Del("If-None-Match")
			*a = *p.ask(other)
		}
	}},
	{"a code that differs on SQLite", "same_on_both_databases", 0, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		replace(a, `"invalid_value"`, `"missing_field"`)
	}},
	{"a value that differs on PostgreSQL", "same_on_both_databases", 1, func(p *planted, r *http.Request, a *httptest.ResponseRecorder) {
		replace(a, `"currency":"EUR"`, `"currency":"USD"`)
	}},
}

func replace(a *httptest.ResponseRecorder, old, text string) {
	a.Body = bytes.NewBufferString(strings.Replace(a.Body.String(), old, text, 1))
}

// valid is a request with another body, or header.
func valid(r *http.Request, body string, header ...string) *http.Request {
	out := httptest.NewRequest(r.Method, r.URL.RequestURI(), strings.NewReader(body))
	out.Header, out.RemoteAddr = r.Header.Clone(), r.RemoteAddr
	out.Header.Del("Idempotency-Key")
	for i := 0; i+1 < len(header); i += 2 {
		out.Header.Set(header[i], header[i+1])
	}
	return out
}

// findsWithin is how many requests a fault may take to be found.
const findsWithin = 3000

func TestEachCheckFindsAFault(t *testing.T) {
	f := newFuzzer(t, 0)
	services := f.handlers
	seed := uint64(0)
	for _, row := range faults {
		for i := range services {
			f.handlers[i] = services[i]
			if row.only < 0 || row.only == i {
				f.handlers[i] = newPlanted(services[i], row.plant)
			}
		}
		f.requests = 0
		for {
			if seed++; f.requests > findsWithin {
				t.Errorf("%s is not found by %d requests", row.name, f.requests)
				break
			}
			list := steps(seed, stepsOfASequence)
			failed, log := f.run(t, list)
			if failed == nil {
				continue
			}
			if failed.check != row.check {
				t.Errorf("%s is found as %s %s, not as %s:\n%s", row.name, failed.check, failed.operation, row.check, failed.report(seed, log))
				break
			}
			found := f.requests
			failed, log = f.shrink(t, list, failed, log)
			t.Logf("%s: %s fails for %s after %d requests; %d steps remain", row.name, failed.check, failed.operation, found, len(log))
			break
		}
	}
}
