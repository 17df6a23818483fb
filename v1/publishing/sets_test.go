package publishing

import (
	"testing"

	"sellerd/ent"
	"sellerd/v1/core"
)

// Sets that wait apart are woken each by itself: a wake that another set took would leave one asleep at the head of its owner's line.
func TestSetsApartAreWokenEach(t *testing.T) {
	p := &Publisher{lines: &lines{}}
	outcomes := func() []*outcome {
		return []*outcome{{row: &ent.Submission{ID: 1, Owner: 1}}, {row: &ent.Submission{ID: 2, Owner: 2}}}
	}
	first := p.setsOf(outcomes(), true)
	second := p.setsOf(outcomes(), true)
	p.lines.Leave(first[0].Place)
	select {
	case <-second[1].Woken():
		t.Error("the set of owner 2 took the wake of owner 1")
	case <-second[0].Woken():
	default:
		t.Errorf("the set of owner %d was not woken", core.Owner(1))
	}
}
