package v1

// SubmitsWaiting is how many single submissions wait or are being stored, in the lane of all owners and in that of one.
func (s *Service) SubmitsWaiting(owner Owner) (all, own int) {
	return s.submits.Len(everyOwner), s.submits.Len(owner)
}

// SubmitsBegan says whether a group of all owners is being stored.
func (s *Service) SubmitsBegan() bool { return s.submitsSince.Load() != 0 }
