package v1

import "context"

// LeaseStatements are the statements that claim submissions and items, each with arguments.
func (s *Service) LeaseStatements(owner Owner, now Time) map[string]Statement {
	later := int64(now.Add(publishLease))
	return map[string]Statement{
		"submissions":           {s.leaseOfSubmissions(), []any{int64(owner), int64(now), int64(1), later}},
		"late_submissions":      {s.leaseOfLateSubmissions(), []any{int64(now), int64(1), later}},
		"items":                 {s.leaseOfImages(), []any{int64(owner), int64(now), int64(1), later}},
		"owners_of_submissions": {submissionQueue.Leap(), []any{int64(0)}},
		"owners_of_items":       {imageQueue.Leap(), []any{int64(0)}},
	}
}

// ClaimSubmissions claims what is due, does nothing about it, and says how many it claimed.
func (s *Service) ClaimSubmissions(ctx context.Context, busy ...Owner) (int, error) {
	numbers := make([]int64, len(busy))
	for i, owner := range busy {
		numbers[i] = int64(owner)
	}
	held, _, err := s.submissionClaims.Take(ctx, numbers)
	return len(held.Rows), err
}

// YieldAtMost is how long a publisher yields to requests.
const YieldAtMost = yieldAtMost

// OwnersInLine is how many owners have work of this process in their lines.
func (s *Service) OwnersInLine() int { return s.publishing.Len() }

// ClaimToPublish claims what is due. publish does the work on it.
func (s *Service) ClaimToPublish(ctx context.Context) (publish func(context.Context) error, err error) {
	held, _, err := s.submissionClaims.Take(ctx, nil)
	return func(ctx context.Context) error { return s.publish(ctx, held, func(int64) {}) }, err
}

// SetsWaiting is how many sets of an owner's items are not stored yet.
func (s *Service) SetsWaiting(owner Owner) int {
	s.waiting.mu.Lock()
	defer s.waiting.mu.Unlock()
	return len(s.waiting.sets[owner])
}
