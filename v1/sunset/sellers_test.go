package sunset_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// sellersLeft are the sellers as a command sees them: the nickname, the state, whether they are suspended, and the keys with their calls.
func sellersLeft(t *testing.T, w *servertest.World) (left []string) {
	t.Helper()
	err := w.Service.EachLegacySeller(t.Context(), func(s *v1.LegacySeller) error {
		line := s.Account.Nickname + " " + s.Language + " " + s.State
		if s.Suspended {
			line += " suspended"
		}
		for _, key := range s.Keys {
			line += " | " + key.Key.ID + " " + key.Key.Mode
			for _, call := range key.Calls {
				line += " " + call.Call
			}
		}
		left = append(left, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return left
}

func TestSellersAreToldOfWhatTheyHaveNotMoved(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		moving, movingTest, movingKey := w.Seller(t, "moving")
		staying, _, _ := w.Seller(t, "staying")
		moved, _, movedKey := w.Seller(t, "moved")
		quiet, _, _ := w.Seller(t, "quiet")
		for _, account := range []int64{moving, staying, moved, quiet} {
			countCall(w, v1.OwnerOf(account, false), "first0000001", "item")
			countCall(w, v1.OwnerOf(account, true), "tests0000001", "item")
		}
		flushUsage(t, w.Service)
		w.Clock.Advance(40 * 24 * time.Hour)
		for _, account := range []int64{moving, staying} {
			countCall(w, v1.OwnerOf(account, false), "first0000001", "item-create")
		}
		for _, key := range []string{movingKey, movingTest, movedKey} {
			w.Do(t, servertest.Request{Path: "/v1/account", Key: key})
		}
		if _, err := w.Service.Suspend(t.Context(), quiet, true); err != nil {
			t.Fatal(err)
		}
		flushUsage(t, w.Service)
		want := []string{
			"moving en active | first0000001 live item-create", // its key of tests is done, and so is its other call
			"staying en active | first0000001 live item item-create | tests0000001 test item",
			"moved en done | tests0000001 test item", // one mode uses /v1
			"quiet en silent suspended | first0000001 live item | tests0000001 test item",
		}
		if diff := cmp.Diff(strings.Join(want, "\n"), strings.Join(sellersLeft(t, w), "\n")); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		states, err := w.Service.LegacyAccounts(t.Context())
		if diff := cmp.Diff(map[string]int{"active": 2, "done": 1, "silent": 1}, states); diff != "" || err != nil {
			t.Errorf("%v: the numbers of accounts (-want +got):\n%s", err, diff)
		}
	})
}
