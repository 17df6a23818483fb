package bridge

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// drainTime is how long running calls may take to end when the bridge ends.
const drainTime = 10 * time.Second

// Serve serves on a listener until ctx ends, with https if there is a certificate. Then calls that run are answered, for at
// most ten seconds. The end of ctx is not an error.
func (b *Bridge) Serve(ctx context.Context, listener net.Listener, certificate *tls.Certificate) error {
	calls, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	server := &http.Server{
		Handler:     b,
		BaseContext: func(net.Listener) context.Context { return calls },
		// A call may wait for its place, and then take callLimit.
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 60 * time.Second, WriteTimeout: slotPatience + callLimit + 30*time.Second, IdleTimeout: 2 * time.Minute,
		MaxHeaderBytes: 64 << 10,
		ErrorLog:       slog.NewLogLogger(b.config.Logger.Handler(), slog.LevelWarn),
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
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTime)
	defer cancel()
	err := server.Shutdown(draining)
	if errors.Is(err, context.DeadlineExceeded) {
		b.config.Logger.Warn("some calls did not end in time, and were cut off")
		cut()
		err = server.Close()
	}
	<-ended
	return err
}
