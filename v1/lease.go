package v1

import (
	"context"
	"errors"
	"time"

	"sellerd/ent"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
)

// This file keeps submissions and items with leased images from waiting for the end of a lease while its worker is alive:
// see package lease. The deliverer does the same for its dispatches.

// whileLeased tries to store something until that succeeds, fails for good, the lease ends (by the uptime), or ctx does.
func (s *Service) whileLeased(ctx context.Context, ends time.Duration, store func(context.Context) error) error {
	return s.retrier.Offer(ctx, store, func() bool { return s.config.Uptime() < ends })
}

// The statements that release what was leased under tokens, which are added to them. The first condition is that of the
// index they go by.
const (
	releaseSubmissions = `UPDATE submissions SET status = 'pending', lease = 0, due_at = $1, attempts = attempts - 1
 WHERE status IN ('pending','processing') AND due_at > $1 AND status = 'processing' AND lease IN (`
	releaseImages = `UPDATE items SET images_due_at = $1, lease = 0 WHERE images_due_at IS NOT NULL AND images_due_at > $1 AND lease IN (`
)

// releaseLost makes due what was committed of lost leases.
func (s *Service) releaseLost(ctx context.Context, lost *lease.Unanswered, release string) error {
	tokens := lost.Due(s.config.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.ExecContext(ctx, release+rows.NumberList(tokens)+")", int64(s.now()))
		return err
	})
}

// releaseAllLost is what workers do last. What it cannot reach waits for the end of its lease.
func (s *Service) releaseAllLost(ctx context.Context) error {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	for _, lost := range []*lease.Unanswered{&s.lostSubmissions, &s.lostImages} {
		lost.Hurry()
	}
	return errors.Join(
		s.releaseLost(ctx, &s.lostSubmissions, releaseSubmissions),
		s.releaseLost(ctx, &s.lostImages, releaseImages),
		s.deliverer.Release(ctx),
	)
}
