package probe

import (
	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/items"
)

// SubmitsWaiting is how many single submissions wait or are being stored, in the lane of all owners and in that of one.
func SubmitsWaiting(s *v1.Service, owner core.Owner) (all, own int) {
	return s.Submits.Len(items.EveryOwner), s.Submits.Len(owner)
}
