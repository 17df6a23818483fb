// Package lease keeps what a worker has leased from waiting for the end of its lease while that worker is alive.
//
// A lease is a row's random token and an instant, until which no other worker takes the row. It is there for workers that
// die. A worker that lives, and whose database was away meanwhile, does three things:
//
//   - It offers an outcome again, every second at last, until the database has stored it or the lease ends (Retrier).
//   - It gives back what it cannot finish, because the program is about to end.
//   - It remembers the token of a transaction whose commit was not answered (Unanswered), and releases what was
//     committed under it.
//
// All three go by the token, so what another worker has taken over meanwhile stays as it is.
package lease

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// While the database cannot store outcomes they are offered to it again, at first after LeastWait.
const (
	LeastWait = 100 * time.Millisecond
	MostWait  = time.Second
)

// storeTime bounds a claim, and the first try to store what came of it. A try that ran out of time is followed by one that
// has twice as much, up to mostStoreTime, so that a slow database gets on, too. The end of the program does not cut a try
// off: a commit that is cut off may have happened.
const (
	storeTime     = 4 * time.Second
	mostStoreTime = 32 * time.Second
)

// lookEvery is how often the rows of an unanswered commit are looked for.
const lookEvery = time.Second

// Detached is a context for a step that goes on when ctx ends.
func Detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTime)
}

// NewToken makes a lease's token, which is never negative.
func NewToken(random io.Reader) (int64, error) {
	var b [8]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return 0, fmt.Errorf("random: %w", err)
	}
	return int64(binary.BigEndian.Uint64(b[:]) >> 1), nil
}

// Pause waits for a while, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// Retrier stores things in a database that may be away.
type Retrier struct {
	// Store says which errors are the database's. Mandatory.
	Store interface {
		// Unavailable recognises errors that will pass when the database is back.
		Unavailable(err error) bool
		// Busy recognises a lock that was not had in time.
		Busy(err error) bool
	}
	// Pause waits between two tries: Pause, outside of tests. Mandatory.
	Pause func(context.Context, time.Duration)
}

// Offer tries to store something until that succeeds or fails for good, ctx ends, or more says that there is no more use.
func (r *Retrier) Offer(ctx context.Context, store func(context.Context) error, more func() bool) error {
	limit := storeTime
	for wait := LeastWait; ; wait = min(2*wait, MostWait) {
		try, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		err := store(try)
		if try.Err() != nil {
			limit = min(2*limit, mostStoreTime)
		}
		cancel()
		if err == nil || ctx.Err() != nil || !r.WillPass(err) {
			return err
		}
		r.Pause(ctx, wait)
		if !more() {
			return err
		}
	}
}

// WillPass says whether the database is to blame for an error, so that the same may succeed later.
func (r *Retrier) WillPass(err error) bool {
	return r.Store.Unavailable(err) || r.Store.Busy(err) || errors.Is(err, context.DeadlineExceeded)
}

// Unanswered are the leases of one kind of which it is not known whether they were committed. A database that stood still
// may commit one long after its caller gave up, so they are looked for until they end. The zero value is ready; it is
// safe for concurrent use.
type Unanswered struct {
	mu     sync.Mutex
	leases []unanswered
	next   time.Duration // when they are looked for again, by the uptime
}

type unanswered struct {
	token int64
	ends  time.Duration // by the uptime
}

// Note remembers the token of a commit that was not answered, until the lease ends by the uptime.
func (u *Unanswered) Note(token int64, ends time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.leases = append(u.leases, unanswered{token: token, ends: ends})
	u.next = 0
}

// Due are the tokens to look for now. It names them once a second at most.
func (u *Unanswered) Due(now time.Duration) (tokens []int64) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.leases) == 0 || now < u.next {
		return nil
	}
	u.next = now + lookEvery
	live := u.leases[:0]
	for _, lease := range u.leases {
		if now < lease.ends {
			live = append(live, lease)
			tokens = append(tokens, lease.token)
		}
	}
	u.leases = live
	return tokens
}

// Hurry makes Due name the tokens at its next call.
func (u *Unanswered) Hurry() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.next = 0
}
