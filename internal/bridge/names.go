package bridge

import "net/http"

// This file spells the names of headers as the documents and the service do. Old programs may look for them as texts.

// documented are the names that Go spells otherwise. Within the program all names are Go's, by which http.Header finds them.
var documented = []string{
	"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-RateLimit-Reset-After",
	"X-StoreLimit-Limit", "X-StoreLimit-Used", "X-StoreLimit-Remaining",
	"X-StoreLimit-Daily-Limit", "X-StoreLimit-Daily-Remaining", "X-StoreLimit-Daily-Reset",
	"WWW-Authenticate",
}

// spelling is the ResponseWriter that spells them.
type spelling struct{ http.ResponseWriter }

// withDocumentedNames spells the headers of a handler's answers, just before they are written. All of them write their status.
func withDocumentedNames(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { next.ServeHTTP(spelling{w}, r) })
}

// WriteHeader implements http.ResponseWriter.
func (w spelling) WriteHeader(status int) {
	h := w.Header()
	for _, name := range documented {
		if values := h.Values(name); len(values) > 0 {
			h.Del(name)
			h[name] = values
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap lets http.ResponseController reach the connection.
func (w spelling) Unwrap() http.ResponseWriter { return w.ResponseWriter }
