package v1

import "context"

// LeaseStatements are the statements that claim submissions and items, each with arguments.
func (s *Service) LeaseStatements(now Time) map[string]Statement {
	later := int64(now.Add(publishLease))
	return map[string]Statement{
		"submissions": {s.leaseOfSubmissions(nil), []any{int64(now), int64(1), later}},
		"items":       {s.leaseOfImages(nil), []any{int64(now), later, int64(1)}},
	}
}

// ClaimSubmissions claims what is due, does nothing about it, and says how many it claimed.
func (s *Service) ClaimSubmissions(ctx context.Context) (int, error) {
	held, err := s.leaseSubmissions(ctx, nil)
	return len(held.rows), err
}
