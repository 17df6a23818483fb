package accounts

import (
	"context"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/overview"
	"sellerd/v1/wire"
)

// This file says what waits for workers, and why, for the operator's pages.

// OperatorBacklog is the work that waits for workers.
type OperatorBacklog struct {
	Submissions      int               // accepted, and neither published nor rejected
	OldestSubmission WaitingSubmission // of all accounts; without one its age is 0
	delivery.Backlog                   // of webhooks
}

// WaitingSubmission is a submission that is neither published nor rejected yet.
type WaitingSubmission struct {
	ID        string
	Account   wire.ID
	CreatedAt wire.Time
	Age       time.Duration       // since it was accepted
	Why       string              // a cause of package overview
	NextAt    wire.Opt[wire.Time] // when it is tried again, if it is put off
}

// WaitingSubmissions are those of an account in one mode.
type WaitingSubmissions struct {
	Count int
	First []WaitingSubmission // those that are due first
}

// OperatorBacklog reads the work that waits.
func (s *Accounts) OperatorBacklog(ctx context.Context) (*OperatorBacklog, error) {
	hooks, err := s.backlog(ctx)
	if err != nil {
		return nil, err
	}
	waiting, oldest, err := overview.Submissions(ctx, s.Store.Reader())
	if err != nil {
		return nil, err
	}
	out := &OperatorBacklog{Submissions: waiting, Backlog: hooks}
	if oldest != nil {
		out.OldestSubmission = s.waiting(oldest)
	}
	return out, nil
}

// WaitingSubmissions reads what waits of an account in one mode, at most limit of them.
func (s *Accounts) WaitingSubmissions(ctx context.Context, account int64, test bool, limit int) (*WaitingSubmissions, error) {
	waiting, first, err := overview.SubmissionsOf(ctx, s.Store.Reader(), int64(core.OwnerOf(account, test)), limit)
	if err != nil {
		return nil, err
	}
	return &WaitingSubmissions{Count: waiting, First: each.Of(first, s.waiting)}, nil
}

func (s *Accounts) waiting(row *ent.Submission) WaitingSubmission {
	now := s.Now()
	out := WaitingSubmission{
		ID: wire.SubmissionID(row.ID).String(), Account: wire.ID(core.Owner(row.Owner).Account()), CreatedAt: wire.Time(row.CreatedAt),
		Age: max(0, now.Sub(wire.Time(row.CreatedAt))), Why: overview.WhyWaiting(row, now),
	}
	if out.Why == overview.PutOff {
		out.NextAt = wire.Some(wire.Time(row.DueAt))
	}
	return out
}
