package clients

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// answer is what a script gives to one request.
type answer struct {
	status int
	header http.Header
	body   string

	lost   bool // the connection breaks before the answer
	cut    bool // the connection breaks within the answer
	silent bool // no answer ever comes
	packed bool // the answer is compressed
}

// request is what a client sent.
type request struct {
	method, target, key, idempotencyKey, contentType, ifNoneMatch string
	body                                                          []byte
	at                                                            time.Time
}

// compactBody is the body without the space that some languages write between its tokens.
func (r *request) compactBody() string {
	var out bytes.Buffer
	if json.Compact(&out, r.body) != nil {
		return string(r.body)
	}
	return out.String()
}

// script is a server that gives its answers in turn, and the last one again and again.
type script struct {
	*httptest.Server

	mu   sync.Mutex
	seen []request
}

func serve(t *testing.T, answers ...answer) *script {
	t.Helper()
	s := &script{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		s.mu.Lock()
		a := answers[min(len(s.seen), len(answers)-1)]
		s.seen = append(s.seen, request{
			method: r.Method, target: r.URL.RequestURI(), key: r.Header.Get("X-Api-Key"), idempotencyKey: strings.Join(r.Header.Values("Idempotency-Key"), ", "),
			contentType: r.Header.Get("Content-Type"), ifNoneMatch: r.Header.Get("If-None-Match"), body: body, at: time.Now(),
		})
		s.mu.Unlock()
		switch {
		case a.silent:
			<-r.Context().Done()
			return
		case a.lost:
			panic(http.ErrAbortHandler)
		}
		w.Header().Set("X-Request-Id", "req-1")
		for name, values := range a.header {
			w.Header()[name] = values
		}
		if a.cut {
			w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
			w.WriteHeader(a.status)
			_, _ = w.Write([]byte(a.body[:len(a.body)/2]))
			if err := http.NewResponseController(w).Flush(); err != nil {
				t.Error(err)
			}
			panic(http.ErrAbortHandler)
		}
		if a.packed {
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				t.Errorf("it accepts %q", r.Header.Get("Accept-Encoding"))
			}
			w.Header().Set("Content-Encoding", "gzip")
			w.WriteHeader(a.status)
			packer := gzip.NewWriter(w)
			defer packer.Close()
			_, _ = packer.Write([]byte(a.body))
			return
		}
		w.WriteHeader(a.status)
		_, _ = w.Write([]byte(a.body))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *script) requests() []request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// targets are the addresses that were asked for, with the parameters in the order of their names.
func (s *script) targets(t *testing.T) (targets []string) {
	t.Helper()
	for _, r := range s.requests() {
		u, err := url.Parse(r.target)
		if err != nil {
			t.Fatal(err)
		}
		if u.RawQuery != "" {
			u.RawQuery = u.Query().Encode()
		}
		targets = append(targets, u.String())
	}
	return targets
}
