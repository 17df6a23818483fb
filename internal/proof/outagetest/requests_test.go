package outagetest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// What is promised while the database does not answer, and afterwards.
const (
	answerLimit = 12 * time.Second // every request is answered by then
	readyLimit  = 2 * time.Second  // and /readyz
	backLimit   = 5 * time.Second  // after the database is back, everything works
)

// patience is how long a client of these tests waits: much longer than any answer may take.
const patience = 40 * time.Second

// client neither keeps connections nor repeats requests, so that each request is one.
var client = &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}

// request is one request and what came of it.
type request struct {
	name, method, url string
	header            map[string]string
	body, contentType string

	err    error
	took   time.Duration
	status int
	answer string
	got    http.Header
}

func (r *request) send() {
	began := time.Now()
	defer func() { r.took = time.Since(began) }()
	q, err := http.NewRequest(r.method, r.url, bytes.NewReader([]byte(r.body)))
	if err != nil {
		r.err = err
		return
	}
	for name, value := range r.header {
		q.Header.Set(name, value)
	}
	if r.body != "" {
		q.Header.Set("Content-Type", r.contentType)
	}
	response, err := client.Do(q)
	if err != nil {
		r.err = err
		return
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	r.status, r.answer, r.got, r.err = response.StatusCode, string(text), response.Header, err
}

// sendAll sends requests at the same time.
func sendAll(requests []*request) {
	var all sync.WaitGroup
	for _, r := range requests {
		all.Go(r.send)
	}
	all.Wait()
}

// requestsOf are one request of each kind to a server: reads and writes of both stacks, and the operator's.
func requestsOf(s *blackbox.Server, key, item string, n int) []*request {
	const form, asJSON = "application/x-www-form-urlencoded", "application/json"
	header := map[string]string{"X-Api-Key": key}
	once := map[string]string{"X-Api-Key": key, "Idempotency-Key": fmt.Sprintf("frozen-%d", n)}
	operator := map[string]string{"Authorization": "Bearer " + blackbox.OperatorToken}
	return []*request{
		{name: "read an item", method: http.MethodGet, url: s.URL() + "/v1/items/" + item, header: header},
		{name: "browse items", method: http.MethodGet, url: s.URL() + "/v1/items?limit=50", header: header},
		{name: "list an item", method: http.MethodPost, url: s.URL() + "/v1/items", header: once, body: itemBody(fmt.Sprintf("frozen-%d", n)), contentType: asJSON},
		{
			name: "change an item", method: http.MethodPatch, url: s.URL() + "/v1/items/" + item, header: header, body: `{"title":"Ceres, 20c black on yellow"}`,
			contentType: asJSON,
		},
		{name: "read an item on /rest", method: http.MethodGet, url: s.URL() + "/rest/item/" + item, header: header},
		{name: "change an item on /rest", method: http.MethodPut, url: s.URL() + "/rest/item/" + item, header: header, body: "title=Ceres", contentType: form},
		{
			name: "make an account", method: http.MethodPost, url: s.OperatorURL() + "/operator/accounts", header: operator,
			body: fmt.Sprintf(`{"nickname":"frozen-%d","email":"frozen-%d@example.com"}`, n, n), contentType: asJSON,
		},
		{name: "buy an item", method: http.MethodPost, url: s.URL() + "/v1/test/items/" + item + "/purchase", header: header, body: `{"quantity":1}`, contentType: asJSON},
	}
}

func itemBody(reference string) string {
	return `{"title":"Ceres, 20c black","personal_reference":"` + reference +
		`","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"9.50","currency":"EUR"}}`
}

// checkRefused checks that each request was answered in time, with nothing but what an outage is answered with.
func checkRefused(t *testing.T, requests []*request) {
	t.Helper()
	for _, r := range requests {
		switch {
		case r.err != nil:
			t.Errorf("%s: no answer in %s: %v", r.name, r.took, r.err)
		case r.took > answerLimit:
			t.Errorf("%s: answered %d after %s", r.name, r.status, r.took)
		case r.status != http.StatusServiceUnavailable || r.got.Get("Retry-After") == "" || !strings.Contains(r.answer, "service_unavailable"):
			t.Errorf("%s: answered %d with Retry-After %q: %s", r.name, r.status, r.got.Get("Retry-After"), r.answer)
		}
	}
}

// awaitServing returns how long it takes until a server answers a read and a write.
func awaitServing(t *testing.T, s *blackbox.Server, key, item string) time.Duration {
	t.Helper()
	began := time.Now()
	for {
		requests := requestsOf(s, key, item, 0)[:4]
		sendAll(requests)
		served := true
		for _, r := range requests {
			served = served && r.err == nil && r.status/100 == 2
		}
		took := time.Since(began)
		if served {
			return took
		}
		if took > patience {
			t.Fatalf("not served again after %s: %+v", took, requests[0])
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// checkReady asks /readyz and checks what it answers and how fast.
func checkReady(t *testing.T, s *blackbox.Server, want int) {
	t.Helper()
	for _, address := range []string{s.URL(), s.OperatorURL()} {
		r := &request{name: "readyz", method: http.MethodGet, url: address + "/readyz"}
		r.send()
		if r.err != nil || r.status != want || r.took > readyLimit+200*time.Millisecond {
			t.Errorf("/readyz answered %d (%v) after %s, want %d within %s", r.status, r.err, r.took, want, readyLimit)
		}
	}
}
