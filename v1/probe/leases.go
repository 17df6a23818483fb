package probe

import (
	"context"

	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/publishing"
	"sellerd/v1/wire"
)

// LeaseStatements are the statements that claim submissions and items, each with arguments.
func LeaseStatements(s *v1.Service, owner core.Owner, now wire.Time) map[string]Statement {
	later := int64(now.Add(publishing.Lease))
	return map[string]Statement{
		"submissions":           {publishing.LeaseOfSubmissions(s.Store), []any{int64(owner), int64(now), int64(1), later}},
		"late_submissions":      {publishing.LeaseOfLateSubmissions(s.Store), []any{int64(now), int64(1), later}},
		"items":                 {publishing.LeaseOfImages(s.Store), []any{int64(owner), int64(now), int64(1), later}},
		"owners_of_submissions": {publishing.SubmissionQueue.Leap(), []any{int64(0)}},
		"owners_of_items":       {publishing.ImageQueue.Leap(), []any{int64(0)}},
	}
}

// ClaimSubmissions claims what is due, does nothing about it, and says how many it claimed.
func ClaimSubmissions(s *v1.Service, ctx context.Context, busy ...core.Owner) (int, error) {
	numbers := make([]int64, len(busy))
	for i, owner := range busy {
		numbers[i] = int64(owner)
	}
	held, err := s.Publisher.Claim(ctx, numbers...)
	return len(held.Rows), err
}

// YieldAtMost is how long a publisher yields to requests.
const YieldAtMost = publishing.YieldAtMost

// ClaimToPublish claims what is due. publish does the work on it.
func ClaimToPublish(s *v1.Service, ctx context.Context) (publish func(context.Context) error, err error) {
	held, err := s.Publisher.Claim(ctx)
	return func(ctx context.Context) error { return s.Publisher.Publish(ctx, held, func(int64) {}) }, err
}
