package arazzotest

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// exchange is a request of /v1 with its answer.
type exchange struct {
	chapter string // which part of the walk sent it
	method  string
	url     *url.URL
	header  http.Header
	body    []byte

	status int
	answer []byte
}

// recorder stands between a walk and the program, and keeps the requests to /v1.
type recorder struct {
	*httptest.Server

	mu      sync.Mutex
	chapter string
	kept    []exchange
}

func newRecorder(t *testing.T, program string) *recorder {
	t.Helper()
	target, err := url.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	r := &recorder{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if !strings.HasPrefix(request.URL.Path, "/v1/") {
			proxy.ServeHTTP(w, request)
			return
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			t.Errorf("%s %s: %v", request.Method, request.URL, err)
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		e := exchange{method: request.Method, url: request.URL, header: request.Header.Clone(), body: body}
		answer := httptest.NewRecorder()
		proxy.ServeHTTP(answer, request)
		e.status, e.answer = answer.Code, answer.Body.Bytes()
		r.keep(e)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = w.Write(e.answer) // the walk notices when it is missing
	}))
	t.Cleanup(r.Close)
	return r
}

// keep adds an exchange. A GET that is repeated at once waits for something: only its last answer is kept.
func (r *recorder) keep(e exchange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e.chapter = r.chapter
	if last := len(r.kept) - 1; last >= 0 && e.method == http.MethodGet && r.kept[last].method == e.method &&
		r.kept[last].chapter == e.chapter && r.kept[last].url.String() == e.url.String() {
		r.kept = r.kept[:last]
	}
	r.kept = append(r.kept, e)
}

// begin names the chapter of the requests to come.
func (r *recorder) begin(chapter string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.chapter = chapter
}
