package overview

import (
	"context"
	"fmt"

	"entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/internal/base/wrap"
	"sellerd/v1/wire"
)

// This file says which submissions wait for the publisher, and why.

// The causes for which a submission waits, as operators read them.
const (
	NotTaken  = "no publisher has taken it: none works, it cannot write, or others are before it"
	InHand    = "a publisher fetches its pictures, or stores the item"
	PutOff    = "a picture could not be fetched, and is tried again"
	LeftAlone = "the publisher that had it ended or cannot write, and another one takes it"
)

// WhyWaiting is the cause for which a submission waits.
func WhyWaiting(row *ent.Submission, now wire.Time) string {
	taken, due := row.Lease != 0, wire.Time(row.DueAt) <= now
	switch {
	case taken && due:
		return LeftAlone
	case taken:
		return InHand
	case due:
		return NotTaken
	default:
		return PutOff
	}
}

// Submissions returns how many submissions of all owners wait, and the oldest of them, nil without one: its deadline comes first.
func Submissions(ctx context.Context, client *ent.Client) (waiting int, oldest *ent.Submission, err error) {
	unfinished := client.Submission.Query().Where(submission.CompletedAtIsNil())
	if waiting, err = unfinished.Clone().Count(ctx); err != nil {
		return 0, nil, fmt.Errorf("count submissions: %w", err)
	}
	oldest, err = unfinished.Order(ent.Asc(submission.FieldPublishDeadline, submission.FieldID)).First(ctx)
	if err != nil && !ent.IsNotFound(err) {
		return 0, nil, fmt.Errorf("find the oldest submission: %w", err)
	}
	return waiting, oldest, nil
}

// waits is the condition of the partial index that finds an owner's submissions which wait.
const waits = submission.FieldStatus + " IN ('pending','processing')"

// SubmissionsOf returns how many submissions of an owner wait, and those that are due first, at most limit.
func SubmissionsOf(ctx context.Context, client *ent.Client, owner int64, limit int) (waiting int, first []*ent.Submission, err error) {
	unfinished := client.Submission.Query().Where(submission.Owner(owner), func(s *sql.Selector) { s.Where(sql.ExprP(waits)) })
	if waiting, err = unfinished.Clone().Count(ctx); err != nil {
		return 0, nil, fmt.Errorf("count submissions of owner %d: %w", owner, err)
	}
	first, err = unfinished.Order(ent.Asc(submission.FieldDueAt, submission.FieldID)).Limit(limit).All(ctx)
	return waiting, first, wrap.Err(err, "load submissions of owner %d", owner)
}
