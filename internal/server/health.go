package server

import (
	"context"
	"net/http"
	"time"
)

// isProbe says whether a path is one that supervisors ask every few seconds. Lines about it would hide the others in the log.
func isProbe(path string) bool { return path == "/healthz" || path == "/readyz" }

// alive answers 200 as long as the process lives.
func (s *Server) alive(w http.ResponseWriter, _ *http.Request) { plain(w, http.StatusOK, "ok\n") }

// readyTimeout bounds how long /readyz waits for the database: docs/operator/operating-outages.md promises an answer within two seconds.
const readyTimeout = 1500 * time.Millisecond

// ready answers 200 as long as the server can serve: the database answers and has its tables, and the server is not stopping.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	switch {
	case s.draining.Load():
		notReady(w, "draining\n")
	case s.config.Service.Ready(ctx) != nil:
		notReady(w, "the database does not answer, or has no tables\n")
	default:
		plain(w, http.StatusOK, "ready\n")
	}
}

// notReady answers /readyz while the server cannot serve.
func notReady(w http.ResponseWriter, why string) {
	w.Header().Set("Retry-After", "1")
	plain(w, http.StatusServiceUnavailable, why)
}

func plain(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text))
}
