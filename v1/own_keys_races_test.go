package v1_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
)

// These tests let programs replace a key, and use its successor, at the same time.

func TestConcurrentRotationsLeaveOneSuccessor(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		url := database(t)
		w := servertest.New(t, url)
		worlds := []*servertest.World{w, besideOf(t, w, url)}
		for name, header := range map[string][]string{"without an Idempotency-Key": nil, "with one": {"at-once"}} {
			account, key, _ := w.Seller(t, strings.ReplaceAll(name, " ", "-"))
			got := make([]servertest.Response, 8)
			var done sync.WaitGroup
			for i := range got {
				done.Go(func() { got[i] = askRotation(t, worlds[i%2], key, nil, header...) })
			}
			done.Wait()
			valid := map[string]bool{}
			for _, answer := range got {
				switch {
				case answer.Status == http.StatusConflict && slices.Equal(answer.Codes(), []string{"idempotency_key_in_progress"}):
				case answer.Status == http.StatusCreated:
					if shown := servertest.Into[rotatedKey](t, answer).Key; shown != nil && statusOf(t, w, *shown) == http.StatusOK {
						valid[*shown] = true
					}
				default:
					t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
				}
			}
			keys := w.Count(t, "api_keys", fmt.Sprintf("account_id = %d AND test AND revoked_at IS NULL", account))
			if len(valid) != 1 || keys != 2 {
				t.Errorf("%s: %d successors are valid, and %d keys are not revoked", name, len(valid), keys)
			}
		}
	})
}

// Either the successor is used first, and its predecessor cannot replace it any more, or it was replaced, and is refused.
func TestTheFirstUseOfASuccessorAndItsReplacementExcludeEachOther(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		url := database(t)
		w := servertest.New(t, url)
		beside := besideOf(t, w, url)
		for i := range 30 {
			w.Clock.Advance(time.Minute)
			_, key, _ := w.Seller(t, "racing-"+strconv.Itoa(i))
			successor := *rotateKey(t, w, key, nil).Key
			var got [2]int
			var done sync.WaitGroup
			done.Go(func() { got[0] = statusOf(t, beside, successor) })
			done.Go(func() { got[1] = askRotation(t, w, key, nil).Status })
			done.Wait()
			if got != [2]int{200, 409} && got != [2]int{401, 201} {
				t.Errorf("the use answers %d, and the rotation %d", got[0], got[1])
			}
		}
	})
}
