package v1

import (
	"context"
	"errors"
	"sync"
	"time"

	"sellerd/ent"
)

// This file keeps what is claimed from waiting for the end of its lease while its worker is alive. A lease is for
// workers that died. One that lives, and whose database was away meanwhile, does three things:
//
//   - It offers an outcome again, every second at last, until it is stored or the lease ends.
//   - It gives back what it cannot finish, because the program is to end.
//   - It remembers the token of a claim whose commit was not answered, and releases what was committed under it.
//
// All three go by the lease's token, so what another worker has taken over meanwhile stays as it is.

// While the database cannot store outcomes they are offered to it again, at first after leastStoreWait.
const (
	leastStoreWait = 100 * time.Millisecond
	mostStoreWait  = time.Second
)

// storeTime bounds a claim, and the first try to store what came of it. A try that ran out of time is followed by one that
// has twice as much, up to mostStoreTime, so that a slow database gets on, too. The end of the program does not cut a try
// off: a commit that is cut off may have happened.
const (
	storeTime     = 4 * time.Second
	mostStoreTime = 32 * time.Second
)

// detached is a context for a step that goes on when ctx ends.
func detached(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), storeTime)
}

// offer tries to store something until that succeeds or fails for good, ctx ends, or more says that there is no more use.
func (s *Service) offer(ctx context.Context, store func(context.Context) error, more func() bool) error {
	limit := storeTime
	for wait := leastStoreWait; ; wait = min(2*wait, mostStoreWait) {
		try, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		err := store(try)
		if try.Err() != nil {
			limit = min(2*limit, mostStoreTime)
		}
		cancel()
		if err == nil || ctx.Err() != nil || !s.willPass(err) {
			return err
		}
		s.pause(ctx, wait)
		if !more() {
			return err
		}
	}
}

// willPass says whether the database is to blame for an error, so that the same may succeed later.
func (s *Service) willPass(err error) bool {
	return s.store.Unavailable(err) || s.store.Busy(err) || errors.Is(err, context.DeadlineExceeded)
}

// whileLeased tries to store something until that succeeds, fails for good, the lease ends (by the uptime), or ctx does.
func (s *Service) whileLeased(ctx context.Context, ends time.Duration, store func(context.Context) error) error {
	return s.offer(ctx, store, func() bool { return s.Uptime() < ends })
}

// lostClaims are the claims of one kind of which it is not known whether they were committed. A database that stood still
// may commit one long after its caller gave up, so they are looked for until their leases end.
type lostClaims struct {
	mu     sync.Mutex
	claims []lostClaim
	next   time.Duration // when they are looked for again, by the uptime
}

type lostClaim struct {
	token int64
	ends  time.Duration // by the uptime
}

// note remembers a claim whose commit was not answered.
func (l *lostClaims) note(token int64, ends time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.claims = append(l.claims, lostClaim{token, ends})
	l.next = 0
}

// due are the tokens to look for now. It says so at most once in pollEvery.
func (l *lostClaims) due(now time.Duration) (tokens []int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.claims) == 0 || now < l.next {
		return nil
	}
	l.next = now + pollEvery
	live := l.claims[:0]
	for _, claim := range l.claims {
		if now < claim.ends {
			live = append(live, claim)
			tokens = append(tokens, claim.token)
		}
	}
	l.claims = live
	return tokens
}

// The statements that release what was claimed under tokens, which are added to them. The first condition is that of the
// index they go by.
const (
	releaseSubmissions = `UPDATE submissions SET status = 'pending', lease = 0, due_at = $1, attempts = attempts - 1
 WHERE status IN ('pending','processing') AND due_at > $1 AND status = 'processing' AND lease IN (`
	releaseImages = `UPDATE items SET images_due_at = $1, lease = 0 WHERE images_due_at IS NOT NULL AND images_due_at > $1 AND lease IN (`
)

// releaseLost makes due what was committed of lost claims.
func (s *Service) releaseLost(ctx context.Context, lost *lostClaims, release string) error {
	tokens := lost.due(s.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.ExecContext(ctx, release+numberList(tokens)+")", int64(s.now()))
		return err
	})
}

// releaseAllLost is what workers do last. What it cannot reach waits for the end of its lease.
func (s *Service) releaseAllLost(ctx context.Context) error {
	ctx, cancel := detached(ctx)
	defer cancel()
	for _, lost := range []*lostClaims{&s.lostSubmissions, &s.lostImages, &s.lostDeliveries} {
		lost.mu.Lock()
		lost.next = 0
		lost.mu.Unlock()
	}
	return errors.Join(
		s.releaseLost(ctx, &s.lostSubmissions, releaseSubmissions),
		s.releaseLost(ctx, &s.lostImages, releaseImages),
		s.interruptUnanswered(ctx),
	)
}
