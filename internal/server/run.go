package server

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"sellerd/internal/base/certificate"
	"sellerd/internal/base/httplog"
	"sellerd/v1"
)

const (
	drainTime  = 15 * time.Second // for running requests, and at the same time for workers
	workerTime = 3 * time.Second  // more for workers, to store the results of their last steps
	flushTime  = time.Second      // for what is only counted in memory
)

// Run serves on the two listeners and runs the workers until ctx ends. Then /readyz answers 503, running requests are
// answered, and the workers finish their steps, all within 19 seconds. Requests that take longer are cut off, which is no error.
func (s *Server) Run(ctx context.Context, public, operator net.Listener) error {
	servers := []*http.Server{s.httpServer(s.Public, s.config.TLS), s.httpServer(s.Operator, s.config.OperatorTLS)}
	listeners := []net.Listener{s.listener(public, s.config.TLS, "v1"), s.listener(operator, s.config.OperatorTLS, operatorStack)}
	var workersLate <-chan time.Time
	working, stopWorkers := context.WithCancel(context.WithoutCancel(ctx))
	defer stopWorkers()
	workersDone := make(chan struct{})
	go func() {
		defer close(workersDone)
		s.config.Service.Workers(working)
	}()

	group, gctx := errgroup.WithContext(ctx)
	for i, listener := range listeners {
		group.Go(func() error {
			if err := servers[i].Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				return fmt.Errorf("serve on %s: %w", listener.Addr(), err)
			}
			return nil
		})
	}
	group.Go(func() error {
		<-gctx.Done()
		s.draining.Store(true)
		s.config.Service.EndWaits()
		stopWorkers()
		workersLate = time.After(drainTime + workerTime)
		return drain(context.WithoutCancel(ctx), servers, drainTime, s.config.Logger)
	})
	err := group.Wait()
	select {
	case <-workersDone:
	case <-workersLate:
		s.config.Logger.Warn("workers were still busy at the end; their claims run out")
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTime)
	defer cancel()
	if _, flushErr := s.config.Service.FlushLegacyUsageOnce(last); flushErr != nil {
		s.config.Logger.Error("the last legacy calls are missing in the usage", "error", flushErr)
	}
	return err
}

// drain lets the servers answer the requests that they have, for a time in all, and then cuts off the others. The last server answers until
// the others have ended.
func drain(ctx context.Context, servers []*http.Server, atMost time.Duration, logger *slog.Logger) (failed error) {
	ending, cancel := context.WithTimeout(ctx, atMost)
	defer cancel()
	cut := false
	for _, server := range servers {
		err := server.Shutdown(ending)
		if errors.Is(err, context.DeadlineExceeded) {
			cut, err = true, server.Close()
		}
		failed = errors.Join(failed, err)
	}
	if cut {
		logger.Warn("requests that had not ended were cut off", "after", atMost.String())
	}
	return failed
}

// listener is what a server accepts connections from: thrifty, decrypted by TLS where there is a configuration, and watched.
func (s *Server) listener(l net.Listener, config *tls.Config, stack string) net.Listener {
	return watchedListener{certificate.Secured(thriftyListener{l}, config), s.refuseUnread(stack)}
}

// httpServer limits the cost of a connection: slow headers, bodies and readers.
func (s *Server) httpServer(handler http.Handler, config *tls.Config) *http.Server {
	return answerUnread(certificate.Speaking(&http.Server{
		Handler:           documentedNames(handler),
		ErrorLog:          httplog.New(s.config.Logger),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: v1.BodyTime, WriteTimeout: 30 * time.Second, IdleTimeout: 60 * time.Second,
		MaxHeaderBytes: v1.HeadLimit - 8<<10, // net/http adds 4 KiB, and 4 KiB that it read while it waited for the request
	}, config))
}

// sendBuffer is how many bytes of an answer the kernel takes, at about twice their size in memory, before the caller reads. Left to
// itself the kernel takes up to 4 MiB. Then a caller who does not read costs that memory, and an answer of 2 MiB counts as sent, so
// that not the write timeout ends the connection but the longer one for idle connections.
const sendBuffer = 128 << 10

// thriftyListener is a listener whose connections keep little of an answer in the kernel.
type thriftyListener struct{ net.Listener }

// Accept implements net.Listener.
func (l thriftyListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if limited, ok := c.(interface{ SetWriteBuffer(bytes int) error }); ok {
		_ = limited.SetWriteBuffer(sendBuffer) // it fails only on a connection that is closed
	}
	return c, err
}
