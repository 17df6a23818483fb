package v1

// WaitingForEvents is how many callers wait for events.
func (s *Service) WaitingForEvents() int { return s.waiters.Count() }
