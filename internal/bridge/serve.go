package bridge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"sellerd/internal/base/httplog"
)

const (
	// drainTime is how long running calls may take to end when the bridge ends, and cutTime how long after they are cut off.
	drainTime = 10 * time.Second
	cutTime   = 2 * time.Second
	// bodyTime is how long a program may take to send a request.
	bodyTime = 60 * time.Second
	// answerTime is how long it may take to read the answer.
	answerTime = 30 * time.Second
)

// Serve serves on a listener until ctx ends, with https if there is a certificate. Then calls that run are answered, for at
// most ten seconds. Those that are left are cut off: they are answered that they took too long, and recorded. The end of ctx is not
// an error.
func (b *Bridge) Serve(ctx context.Context, listener net.Listener, certificate *tls.Certificate) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler:     withDocumentedNames(b),
		BaseContext: func(net.Listener) context.Context { return calls },
		// The body is read when the call has its place, and the times begin with the request.
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: slotPatience + bodyTime, WriteTimeout: slotPatience + bodyTime + callLimit + answerTime,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: httplog.New(b.config.Logger),
	}
	if certificate != nil {
		server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{*certificate}, MinVersion: tls.VersionTLS12}
		listener = tls.NewListener(listener, server.TLSConfig)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
	case <-ctx.Done():
	}
	err := shutdown(ctx, server, drainTime)
	if errors.Is(err, context.DeadlineExceeded) {
		b.config.Logger.Warn("some calls did not end in time, and were cut off")
		cut()
		if err = shutdown(ctx, server, cutTime); err != nil { // a program may still send its body, or not read its answer
			err = server.Close()
		}
		b.awaitCalls()
	}
	<-ended
	return err
}

// shutdown waits for the calls that run.
func shutdown(ctx context.Context, server *http.Server, most time.Duration) error {
	waiting, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	return server.Shutdown(waiting)
}

// awaitCalls waits until all calls are noted. Those whose connection is closed end at once.
func (b *Bridge) awaitCalls() {
	noted := make(chan struct{})
	go func() {
		b.running.Lock()
		defer b.running.Unlock()
		close(noted)
	}()
	select {
	case <-noted:
	case <-time.After(cutTime):
	}
}

// The names of headers are spelled as the documents and the service spell them. Old programs may look for them as texts.

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
