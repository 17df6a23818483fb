package probe

import (
	v1 "sellerd/v1"
)

// WaitingForEvents is how many callers wait for events.
func WaitingForEvents(s *v1.Service) int { return s.Waiters.Count() }
