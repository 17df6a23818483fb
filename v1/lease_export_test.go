package v1

import "context"

// LeaseStatements are the statements that claim submissions and items, each with arguments.
func (s *Service) LeaseStatements(owner Owner, now Time) map[string]Statement {
	later := int64(now.Add(publishLease))
	return map[string]Statement{
		"submissions":           {s.leaseOfSubmissions(), []any{int64(owner), int64(now), int64(1), later}},
		"late_submissions":      {s.leaseOfLateSubmissions(), []any{int64(now), int64(1), later}},
		"items":                 {s.leaseOfImages(), []any{int64(owner), int64(now), later, int64(1)}},
		"owners_of_submissions": {submissionQueue.leap(), []any{int64(0)}},
		"owners_of_items":       {imageQueue.leap(), []any{int64(0)}},
	}
}

// ClaimSubmissions claims what is due, does nothing about it, and says how many it claimed.
func (s *Service) ClaimSubmissions(ctx context.Context, busy ...Owner) (int, error) {
	held, _, err := s.leaseSubmissions(ctx, busy)
	return len(held.rows), err
}

// YieldAtMost is how long a publisher yields to requests.
const YieldAtMost = yieldAtMost
