package v1

// SubmitsWaiting is how many single submissions wait or are being stored, in the lane of all owners and in that of one.
func (s *Service) SubmitsWaiting(owner Owner) (all, own int) {
	return s.submits.Len(everyOwner), s.submits.Len(owner)
}
