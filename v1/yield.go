package v1

import (
	"context"
	"errors"
	"time"

	"sellerd/v1/lease"
)

// This file lets sellers' requests go before the publisher's work on the same owner. On PostgreSQL every change of an owner
// locks the owner's row, and PostgreSQL serves those that wait for it in their order. A set of items would hold up the
// requests behind it, and several processes publish at once. So a publisher takes the row only when it is free, or after
// yieldAtMost, and each process works on one set of an owner at a time. On SQLite one writer serves all in turn.

// How long a publisher waits before it looks again whether an owner's row is free, at first and at last, and how long it
// yields at most: an owner whose requests never pause is published as well.
const (
	yieldFirst  = 2 * time.Millisecond
	yieldLast   = 16 * time.Millisecond
	yieldAtMost = 300 * time.Millisecond
)

// errOwnerTaken says that another transaction has the owner's row.
var errOwnerTaken = errors.New("another transaction has the owner's row")

// onlyIfFree is the condition of begin that finds an owner's row if no other transaction has locked it.
const onlyIfFree = "(SELECT id FROM owners WHERE id = $4 FOR NO KEY UPDATE SKIP LOCKED)"

// asPublisher is asOwner for a worker, which yields to the owner's own requests.
func (s *Service) asPublisher(ctx context.Context, owner Owner, fn func(ctx context.Context, tx *Change) error) error {
	if s.store.SkipLocked() == "" {
		return s.asOwner(ctx, owner, 0, fn)
	}
	turn, _ := s.publishing.LoadOrStore(owner, make(chan struct{}, 1))
	select {
	case turn.(chan struct{}) <- struct{}{}:
		defer func() { <-turn.(chan struct{}) }()
	case <-ctx.Done():
		return ctx.Err()
	}
	wait, waited := yieldFirst, time.Duration(0)
	for waited < yieldAtMost && ctx.Err() == nil {
		err := s.asOwnerWith(ctx, entry{yields: true}, owner, 0, fn)
		if !errors.Is(err, errOwnerTaken) {
			return err
		}
		lease.Pause(ctx, wait)
		waited += wait
		wait = min(2*wait, yieldLast)
	}
	return s.asOwner(ctx, owner, 0, fn)
}
