package v1

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/predicate"
	"sellerd/ent/submission"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
)

// This file keeps submissions and items with leased images from waiting for the end of a lease while its worker is alive:
// see package lease. The deliverer does the same for its dispatches.

// whileLeased tries to store something until that succeeds, fails for good, the lease ends (by the uptime), or ctx does.
func (s *Service) whileLeased(ctx context.Context, ends time.Duration, store func(context.Context) error) error {
	return s.retrier.Offer(ctx, store, func() bool { return s.config.Uptime() < ends })
}

// releaseSubmissions makes leased submissions due at once, as if no worker had leased them: the attempt does not count. The
// conditions say which.
func releaseSubmissions(ctx context.Context, tx *ent.Client, now Time, which ...predicate.Submission) error {
	return tx.Submission.Update().Where(submission.Status(SubmissionProcessing)).Where(which...).
		SetStatus(SubmissionPending).SetLease(0).SetDueAt(int64(now)).AddAttempts(-1).Exec(ctx)
}

// releaseImages makes items with leased images due at once, as if no worker had leased them. The conditions say which.
func releaseImages(ctx context.Context, tx *ent.Client, now Time, which ...predicate.Item) error {
	return tx.Item.Update().Where(item.ImagesDueAtGT(int64(now))).Where(which...).SetLease(0).SetImagesDueAt(int64(now)).Exec(ctx)
}

// releaseLostSubmissions makes due the submissions that were committed of lost leases.
func (s *Service) releaseLostSubmissions(ctx context.Context) error {
	return s.releaseLost(ctx, &s.lostSubmissions, submissionQueue, "status = '"+SubmissionPending+"', lease = 0, due_at = $1, attempts = attempts - 1")
}

// releaseLostImages makes due the items whose images were committed of lost leases.
func (s *Service) releaseLostImages(ctx context.Context) error {
	return s.releaseLost(ctx, &s.lostImages, imageQueue, "lease = 0, images_due_at = $1")
}

// releaseLost releases what was committed under the tokens of lost leases. In set, $1 is now.
func (s *Service) releaseLost(ctx context.Context, lost *lease.Unanswered, queue ownerQueue, set string) error {
	tokens := lost.Due(s.config.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		return s.release(ctx, tx, queue, " AND lease IN ("+rows.NumberList(tokens)+")", set)
	})
}

// release changes the rows of a queue that are leased beyond now and meet a further condition. In set, $1 is now.
func (s *Service) release(ctx context.Context, tx *ent.Client, queue ownerQueue, further, set string) error {
	statement := s.store.Claim(queue.table, queue.leased(further), set, "id")
	if err := rows.Query(ctx, tx, statement, []any{int64(s.now())}, func(*sql.Rows) error { return nil }); err != nil {
		return fmt.Errorf("release leased %s: %w", queue.table, err)
	}
	return nil
}

// releaseAllLost is what workers do last. What it cannot reach waits for the end of its lease.
func (s *Service) releaseAllLost(ctx context.Context) error {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	for _, lost := range []*lease.Unanswered{&s.lostSubmissions, &s.lostImages} {
		lost.Hurry()
	}
	return errors.Join(
		s.releaseLostSubmissions(ctx),
		s.releaseLostImages(ctx),
		s.deliverer.Release(ctx),
	)
}
