package v1

import (
	"context"
	"errors"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/predicate"
	"sellerd/ent/submission"
	"sellerd/v1/lease"
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

// dueSubmissions is the condition of the index submissions_due. It consists of literals, so that both databases recognise
// it and use the index.
const dueSubmissions = "status IN ('" + SubmissionPending + "','" + SubmissionProcessing + "')"

// releaseLostSubmissions makes due the submissions that were committed of lost leases.
func (s *Service) releaseLostSubmissions(ctx context.Context) error {
	return s.releaseLost(ctx, &s.lostSubmissions, func(ctx context.Context, tx *ent.Client, now Time, tokens []int64) error {
		indexed := func(s *entsql.Selector) { s.Where(entsql.ExprP(dueSubmissions)) }
		return releaseSubmissions(ctx, tx, now, indexed, submission.DueAtGT(int64(now)), submission.LeaseIn(tokens...))
	})
}

// releaseLostImages makes due the items whose images were committed of lost leases.
func (s *Service) releaseLostImages(ctx context.Context) error {
	return s.releaseLost(ctx, &s.lostImages, func(ctx context.Context, tx *ent.Client, now Time, tokens []int64) error {
		return releaseImages(ctx, tx, now, item.LeaseIn(tokens...))
	})
}

// releaseLost releases what was committed under the tokens of lost leases.
func (s *Service) releaseLost(ctx context.Context, lost *lease.Unanswered, release func(ctx context.Context, tx *ent.Client, now Time, tokens []int64) error) error {
	tokens := lost.Due(s.config.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return s.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		return release(ctx, tx, s.now(), tokens)
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
		s.releaseLostSubmissions(ctx),
		s.releaseLostImages(ctx),
		s.deliverer.Release(ctx),
	)
}
