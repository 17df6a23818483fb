package server

import (
	"net/http"
	"net/textproto"
	"sync"

	v1openapi "sellerd/v1/openapi"
)

// This file writes the names of headers as the documents spell them. Case has no meaning in HTTP/1.1, but people search
// logs and the output of curl for the names that they have read. Inside the program all names are Go's (Etag,
// X-Ratelimit-Limit), by which http.Header finds them; they change only here, when nothing reads them any more.

// wireName is a header whose name is not spelled as Go would.
type wireName struct{ canonical, documented string }

var wireNames = func() (names []wireName) {
	for _, header := range v1openapi.Headers("*") {
		if canonical := textproto.CanonicalMIMEHeaderKey(header.Name); canonical != header.Name {
			names = append(names, wireName{canonical, header.Name})
		}
	}
	return names
}()

// spelling is the ResponseWriter that respells the names of headers.
type spelling struct {
	http.ResponseWriter
	spelled bool
	taken   [][]string // room for the values of wireNames
}

var spellings = sync.Pool{New: func() any { return &spelling{taken: make([][]string, len(wireNames))} }}

// documentedNames spells the headers of all answers of a handler, just before they are written.
func documentedNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := spellings.Get().(*spelling)
		answer.ResponseWriter, answer.spelled = w, false
		next.ServeHTTP(answer, r)
		answer.spell() // of an empty answer, whose header was not written yet
		answer.ResponseWriter = nil
		spellings.Put(answer) // after a panic it is not used again
	})
}

func (w *spelling) spell() {
	if w.spelled {
		return
	}
	w.spelled = true
	h := w.Header()
	for i, name := range wireNames {
		if values, ok := h[name.canonical]; ok {
			delete(h, name.canonical)
			w.taken[i] = values
		}
	}
	for i, name := range wireNames { // after all others are gone, so that the map does not grow
		if w.taken[i] != nil {
			h[name.documented], w.taken[i] = w.taken[i], nil
		}
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *spelling) WriteHeader(status int) {
	if status >= http.StatusOK || status == http.StatusSwitchingProtocols { // not of interim answers, which others follow
		w.spell()
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *spelling) Write(b []byte) (int, error) {
	w.spell()
	return w.ResponseWriter.Write(b)
}

// FlushError is what http.ResponseController flushes by.
func (w *spelling) FlushError() error {
	w.spell()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (w *spelling) Unwrap() http.ResponseWriter { return w.ResponseWriter }
