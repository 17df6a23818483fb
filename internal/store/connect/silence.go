package connect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/internal/base/pause"
)

// A machine that hangs, or that the network has lost, closes no connection, so callers would wait. This file detects such a
// server. When a connection has waited for silentAfter, the server is probed over another connection. If it answers, the
// first connection goes on waiting, because statements may take long. If it does not answer, all connections to it are
// given up, and new ones fail at once until it answers again.
const (
	silentAfter = 2 * time.Second         // after which a server is probed
	probeLimit  = 1500 * time.Millisecond // for the answer to a probe
	probeEvery  = 500 * time.Millisecond  // while it is silent
	refreshed   = 500 * time.Millisecond  // how old a connection's deadline may be when it begins to wait
	CloseLimit  = time.Second             // for closing a connection in good order
	forgetAfter = 10 * time.Minute        // after which a silent server is no longer probed; the next connection probes it again
)

// GivenUpAfter is how long a connection to a silent server waits, as far as the machine is not busy.
const GivenUpAfter = silentAfter + refreshed + probeLimit

// ErrSilent is the error of connections to a server that does not answer.
var ErrSilent = errors.New("the server does not answer")

// Watch has the servers behind a pool, and the pool's connections.
type Watch struct {
	dialer net.Dialer
	log    *slog.Logger
	ctx    context.Context // ends with the pool
	end    context.CancelFunc

	mu      sync.Mutex
	servers map[string]*server // by address
	cut     func()             // called when connections are given up
}

// server is one of them.
type server struct {
	network, address string
	silent           bool
	asked            bool // it is being probed now
	conns            map[*watchedConn]struct{}
}

// NewWatch makes a watch without connections.
func NewWatch(log *slog.Logger) *Watch {
	w := &Watch{log: log, cut: func() {}, servers: map[string]*server{}}
	w.dialer = net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         giveUpUnacknowledged,
	}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// End ends the probes. It is called when all connections are closed.
func (w *Watch) End() { w.end() }

// WhenCut has a function called whenever connections are given up.
func (w *Watch) WhenCut(cut func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
}

// Dial connects to a server, unless it is silent.
func (w *Watch) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	s := w.servers[address]
	if s == nil {
		s = &server{network: network, address: address, conns: map[*watchedConn]struct{}{}}
		w.servers[address] = s
	}
	silent := s.silent
	w.mu.Unlock()
	if silent {
		return nil, fmt.Errorf("%s: %w", address, ErrSilent)
	}
	conn, err := w.dialer.DialContext(ctx, network, address)
	if err != nil {
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			w.suspect(s)
		}
		return nil, err
	}
	c := &watchedConn{Conn: conn, watch: w, server: s}
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.silent {
		return nil, errors.Join(fmt.Errorf("%s: %w", address, ErrSilent), conn.Close())
	}
	s.conns[c] = struct{}{}
	return c, nil
}

// Attend watches one connection while it is made, and prepares it.
//
// After that, the driver dials only to cancel a statement whose caller has stopped waiting. Poolers are not asked to
// cancel: PgBouncer 1.18 exits when such a request is given up, which happens when PostgreSQL does not answer.
func (w *Watch) Attend(c *pgconn.Config, prepare func(context.Context, *pgconn.PgConn) (pooled bool, err error)) {
	var made, pooled atomic.Bool
	c.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		switch {
		case !made.Load():
			return w.Dial(ctx, network, address)
		case pooled.Load():
			return nil, errNoCancelling
		default:
			return w.dialBriefly(ctx, network, address)
		}
	}
	c.AfterConnect = func(ctx context.Context, conn *pgconn.PgConn) error {
		made.Store(true)
		pooled.Store(true) // as long as it is not known
		through, err := prepare(ctx, conn)
		pooled.Store(through)
		return err
	}
}

// errNoCancelling tells only the driver that a statement is not cancelled.
var errNoCancelling = errors.New("a pooler is not asked to cancel statements")

// dialBriefly connects to a server to cancel a statement. This must be short, because the statement's connection is not
// returned to the pool meanwhile.
func (w *Watch) dialBriefly(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, CloseLimit)
	defer cancel()
	conn, err := w.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn.(*watchedConn).leave(time.Now().Add(CloseLimit))
	return conn, nil
}

// suspect starts a probe of a server, unless one is running.
func (w *Watch) suspect(s *server) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s.asked || s.silent || w.ctx.Err() != nil {
		return
	}
	s.asked = true
	go func() {
		err := w.probe(s)
		w.mu.Lock()
		s.asked = false
		w.mu.Unlock()
		if err != nil && w.ctx.Err() == nil {
			w.giveUp(s, err)
		}
	}()
}

// probe asks a server whether it supports TLS, which every server answers with one byte before authentication.
func (w *Watch) probe(s *server) error {
	ctx, cancel := context.WithTimeout(w.ctx, probeLimit)
	defer cancel()
	conn, err := w.dialer.DialContext(ctx, s.network, s.address)
	if err != nil {
		if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
			return err
		}
		return nil // there is no server, which connections notice by themselves
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Now()) })
	defer stop()
	if _, err := conn.Write([]byte{0, 0, 0, 8, 4, 210, 22, 47}); err != nil {
		return nil
	}
	var letter [1]byte
	if _, err := conn.Read(letter[:]); errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return nil
}

// giveUp closes all connections to a server, and probes it until it answers.
func (w *Watch) giveUp(s *server, err error) {
	w.mu.Lock()
	s.silent = true
	conns, cut := s.conns, w.cut
	s.conns = map[*watchedConn]struct{}{}
	w.mu.Unlock()
	w.log.Warn("the database does not answer: its connections are given up", "server", s.address, "connections", len(conns), "error", err)
	for c := range conns {
		c.givenUp.Store(true)
		_ = c.Conn.Close() // data for the server are lost anyway
	}
	cut()
	go w.awaitAnswer(s)
}

func (w *Watch) awaitAnswer(s *server) {
	for began := time.Now(); pause.For(w.ctx, probeEvery) == nil; {
		err := w.probe(s)
		if err != nil && time.Since(began) < forgetAfter {
			continue
		}
		w.mu.Lock()
		s.silent = false
		if err != nil && len(s.conns) == 0 {
			delete(w.servers, s.address)
		}
		w.mu.Unlock()
		if err == nil {
			w.log.Info("the database answers again", "server", s.address)
		}
		return
	}
}

// watchedConn is a connection that detects a silent server. A wait costs one reading of the clock, and a deadline twice a
// second.
type watchedConn struct {
	net.Conn
	watch  *Watch
	server *server

	set     atomic.Int64 // when its own deadline was set, in nanoseconds of Unix time; 0 if it was not set
	givenUp atomic.Bool
	closing sync.Once

	mu     sync.Mutex
	theirs bool      // the deadline comes from the driver, which wants to stop waiting
	last   time.Time // after which the connection waits no longer; zero if there is no limit
}

// Read implements net.Conn.
func (c *watchedConn) Read(p []byte) (int, error) {
	for {
		c.refresh()
		n, err := c.Conn.Read(p)
		if n > 0 || !c.mayGoOn(err) {
			return n, c.named(err)
		}
	}
}

// Write implements net.Conn.
func (c *watchedConn) Write(p []byte) (int, error) {
	written := 0
	for {
		c.refresh()
		n, err := c.Conn.Write(p[written:])
		if written += n; !c.mayGoOn(err) {
			return written, c.named(err)
		}
	}
}

// refresh sets a deadline after which the server is probed, unless there is a recent one.
func (c *watchedConn) refresh() {
	now := time.Now()
	if now.UnixNano()-c.set.Load() < int64(refreshed) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.theirs {
		_ = c.Conn.SetDeadline(now.Add(silentAfter + refreshed)) // else the connection is closed, as the next read finds
		c.set.Store(now.UnixNano())
	}
}

// mayGoOn says whether an error only means that the server took longer than usual, and starts a probe.
func (c *watchedConn) mayGoOn(err error) bool {
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return false
	}
	c.mu.Lock()
	theirs := c.theirs
	c.mu.Unlock()
	if theirs || c.givenUp.Load() {
		return false
	}
	c.watch.suspect(c.server)
	c.set.Store(0)
	return true
}

// named is the error of a connection that was given up.
func (c *watchedConn) named(err error) error {
	if err != nil && c.givenUp.Load() {
		return fmt.Errorf("%s: %w", c.server.address, ErrSilent)
	}
	return err
}

// SetDeadline implements net.Conn. The driver sets one in the past to stop waiting at once, and one in the future only to
// take leave of the server, which may not take longer than CloseLimit.
func (c *watchedConn) SetDeadline(t time.Time) error {
	if latest := time.Now().Add(CloseLimit); t.After(latest) {
		t = latest
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.last.IsZero() && (t.IsZero() || t.After(c.last)) {
		t = c.last
	}
	c.theirs = !t.IsZero()
	c.set.Store(0)
	return c.Conn.SetDeadline(t)
}

// leave sets a time after which the connection waits no longer.
func (c *watchedConn) leave(last time.Time) {
	c.mu.Lock()
	c.last = last
	c.mu.Unlock()
	_ = c.SetDeadline(last) // else the connection is closed, as the next read finds
}

// Close implements net.Conn.
func (c *watchedConn) Close() error {
	c.closing.Do(func() {
		c.watch.mu.Lock()
		delete(c.server.conns, c)
		c.watch.mu.Unlock()
	})
	return c.Conn.Close()
}
