package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/internal/base/certificate"
	"sellerd/internal/base/httplog"
	"sellerd/v1"
)

// This file answers while the server starts. A start can take minutes, for example while another process migrates the database. Until
// then callers are told to come back, and /healthz and /readyz tell an orchestrator to wait. Most starts take a fraction of a second.
// So at first the connections of callers wait in the kernel, and the server itself answers them.

// StartingConfig configures the answers during a start.
type StartingConfig struct {
	Logger   *slog.Logger  // mandatory
	Clock    v1.Clock      // mandatory
	BaseURL  string        // mandatory, as in Config
	Patience time.Duration // how long callers wait for the server before they are told to come back; by default not at all

	TLS, OperatorTLS *tls.Config // as in Config; may be nil
}

// Starting are the servers that answer during a start.
type Starting struct {
	fronts []*front
	once   sync.Once
}

// front is the server of one listener.
type front struct {
	server   *http.Server
	listener *lent
	patience *time.Timer   // serves when it ends
	ended    chan struct{} // its Serve has returned
}

// AnswerWhileStarting answers on the server's two listeners until Stop, but sellers only after Patience. /healthz says that the process lives,
// and everything else is 503.
func AnswerWhileStarting(c StartingConfig, public, operator net.Listener) (*Starting, error) {
	handler, err := c.handler()
	if err != nil {
		return nil, err
	}
	s := &Starting{}
	for _, of := range []struct {
		stack    string
		listener net.Listener
		tls      *tls.Config
	}{{"v1", public, c.TLS}, {operatorStack, operator, c.OperatorTLS}} {
		f := &front{listener: &lent{Listener: of.listener}, ended: make(chan struct{}), server: certificate.Speaking(&http.Server{
			Handler: documentedNames(c.around(of.stack, handler)), ErrorLog: httplog.New(c.Logger),
			ReadHeaderTimeout: 5 * time.Second, ReadTimeout: v1.BodyTime, WriteTimeout: 15 * time.Second, MaxHeaderBytes: v1.HeadLimit,
		}, of.tls)}
		f.server.SetKeepAlivesEnabled(false) // the next request is for the server itself
		s.fronts = append(s.fronts, f)
		patience := map[string]time.Duration{"v1": c.Patience}[of.stack]
		f.patience = time.AfterFunc(patience, func() {
			defer close(f.ended)
			if err := f.server.Serve(certificate.Secured(f.listener, of.tls)); !errors.Is(err, http.ErrServerClosed) {
				c.Logger.Error("the start cannot be answered for", "error", err)
			}
		})
	}
	return s, nil
}

// lastAnswers is how long Stop waits for answers that have begun.
const lastAnswers = time.Second

// Stop ends the answers and gives the listeners back, open. Connections that come meanwhile wait for the server itself.
func (s *Starting) Stop() {
	s.once.Do(func() {
		for _, f := range s.fronts {
			if f.patience.Stop() {
				continue // nobody was answered
			}
			ctx, cancel := context.WithTimeout(context.Background(), lastAnswers)
			if f.server.Shutdown(ctx) != nil {
				_ = f.server.Close() // of callers who have not sent a request
			}
			cancel()
			<-f.ended
			f.listener.giveBack()
		}
	})
}

// handler answers every path.
func (c StartingConfig) handler() (http.Handler, error) {
	var all http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/healthz":
			plain(w, http.StatusOK, "ok\n")
			return
		case "/readyz":
			notReady(w, "starting\n")
			return
		}
		notYet, language := v1.NotYet(strings.Join(r.Header["Accept-Language"], ","))
		body := v1.AppendErrors(nil, notYet.Status(), notYet, c.BaseURL)
		h := w.Header()
		h.Set("Content-Type", "application/json")
		h.Set("Content-Language", language)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cache-Control", "no-store")
		h.Set("Retry-After", strconv.Itoa(notYet.RetryAfterSeconds()))
		w.WriteHeader(notYet.Status())
		_, _ = w.Write(body) // net/http leaves it out of the answer to a HEAD
	})
	closed, err := closedRest(all, c)
	if err != nil {
		return nil, fmt.Errorf("answer during the start: %w", err)
	}
	return closed, nil
}

// around gives each request an id and a line in the log, as those of the server itself have.
func (c StartingConfig) around(stack string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		closeAfterChunks(w, r)
		began, id := c.Clock.Now(), requestID(r)
		w.Header()["X-Request-Id"] = []string{id}
		recorder := &recorder{ResponseWriter: w, caller: r.Context(), body: sentBody{ReadCloser: r.Body}}
		next.ServeHTTP(recorder, r)
		now := c.Clock.Now()
		line := httplog.Request{At: now, Op: starting, Method: httplog.Method(r.Method), Status: recorder.outcome(), Took: now.Sub(began), Stack: stack, ID: id, Probe: isProbe(r.URL.Path)}
		line.Write(c.Logger)
		recorder.drain(r)
	})
}

// lent is a listener that a server may close without closing it for others.
type lent struct {
	net.Listener
	ended atomic.Bool
}

// past is a deadline that ends what waits.
var past = time.Unix(1, 0)

// Accept implements net.Listener.
func (l *lent) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil && l.ended.Load() {
		return nil, net.ErrClosed
	}
	return c, err
}

// Close implements net.Listener: it ends Accept.
func (l *lent) Close() error {
	l.ended.Store(true)
	return l.setDeadline(past)
}

// giveBack makes the listener accept again.
func (l *lent) giveBack() { _ = l.setDeadline(time.Time{}) }

func (l *lent) setDeadline(t time.Time) error {
	return l.Listener.(interface{ SetDeadline(time.Time) error }).SetDeadline(t)
}
