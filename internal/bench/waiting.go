package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// waitingReaders is how many readers wait for events at the same time, and waitSeconds how long each of them asks to wait: as long as
// it may, so that none is answered while the server is watched.
const (
	waitingReaders = 500
	waitSeconds    = 20
)

// waited is what the readers that wait cost a server.
type waited struct {
	memory        int64         // bytes of its own, with the readers less without them
	idle, waiting time.Duration // processor time of the server and of PostgreSQL in watchedFor, without and with the readers
	watchedFor    time.Duration
}

// measureWaiting prints what readers of the feed cost that wait for an event which does not come.
func (b *bench) measureWaiting(ctx context.Context, db database, out io.Writer) error {
	for _, made := range b.builds {
		w, err := b.watchReaders(ctx, db, side{shipped, made})
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s, %s: %d readers that wait for events take %.1f MiB of memory; in %s the program and PostgreSQL used %s of CPU with them and %s without\n",
			db.name(), made.name, waitingReaders, float64(w.memory)/(1<<20), w.watchedFor, w.waiting, w.idle)
	}
	return nil
}

// watchReaders watches a server without readers, and then with them.
func (b *bench) watchReaders(ctx context.Context, db database, s side) (w waited, err error) {
	data := db.reads()
	server, err := b.start(ctx, s, data)
	if err != nil {
		return w, err
	}
	defer server.stop()
	if _, err := server.await(ctx, data.getRequest(nil, 7)); err != nil {
		return w, err
	}
	w.watchedFor = min(5*b.duration, waitSeconds*time.Second/2)
	var before, after int64
	if w.idle, before, err = b.watch(ctx, db, server, w.watchedFor); err != nil {
		return w, err
	}
	conns := make([]net.Conn, 0, waitingReaders)
	defer func() {
		for _, conn := range conns {
			err = errors.Join(err, conn.Close())
		}
	}()
	request := data.endHead(fmt.Appendf(nil, "GET /v1/events?after=latest&wait=%d", waitSeconds))
	for range waitingReaders {
		conn, err := net.Dial("tcp", server.address)
		if err != nil {
			return w, err
		}
		conns = append(conns, conn)
		if _, err := conn.Write(request); err != nil {
			return w, err
		}
	}
	if err := pause(ctx, settle); err != nil { // until all of them wait
		return w, err
	}
	if w.waiting, after, err = b.watch(ctx, db, server, w.watchedFor); err != nil {
		return w, err
	}
	w.memory = after - before
	for _, conn := range conns {
		if err := stillWaits(conn); err != nil {
			return w, err
		}
	}
	return w, nil
}

// watch leaves a server alone, and returns what it has used in that time and the memory that it has at its end.
func (b *bench) watch(ctx context.Context, db database, server *child, d time.Duration) (cpu time.Duration, memory int64, err error) {
	before, err1 := spend(db, []*child{server})
	err2 := pause(ctx, d)
	after, err3 := spend(db, []*child{server})
	memory, err4 := server.anonymous()
	return after.cpu + after.database - before.cpu - before.database, memory, errors.Join(err1, err2, err3, err4)
}

// stillWaits fails if a reader was answered, be it with a refusal.
func stillWaits(conn net.Conn) error {
	if err := conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return err
	}
	var answer [4096]byte
	n, err := conn.Read(answer[:])
	var timeout net.Error
	if n == 0 && errors.As(err, &timeout) && timeout.Timeout() {
		return nil
	}
	return errors.Join(fmt.Errorf("a reader does not wait: %q", answer[:n]), err)
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
