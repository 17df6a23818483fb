package v1_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

type pageOfKeys struct {
	Results []rotatedKey `json:"results"`
	Next    *string      `json:"next_cursor"`
}

func TestTheListOfKeys(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		account, key, _ := w.Seller(t, "lister")
		browse := func(query string) pageOfKeys {
			t.Helper()
			return servertest.Into[pageOfKeys](t, w.Do(t, servertest.Request{Path: "/v1/account/keys" + query, Key: key}))
		}
		ids := func(keys []rotatedKey) (list []string) {
			for _, k := range keys {
				list = append(list, k.ID)
			}
			return list
		}
		made := v1.TimeOf(w.Clock.Now())
		w.Clock.Advance(time.Second)
		revoked := w.NewKey(t, account, "test")
		endKey(t, w, revoked)
		successor := rotateKey(t, w, key, object{"overlap_seconds": 604800})
		name := "tests"
		use := v1.TimeOf(w.Clock.Now()).String()
		if _, err := w.Service.TouchKeysOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		old := rotatedKey{
			ID: keyID(key), Prefix: "dk_test_" + keyID(key), Name: &name, Mode: "test", CreatedAt: made.String(), ExpiresAt: &successor.Ends, LastUsedAt: &use,
			Current: true, SuccessorID: &successor.ID,
		}
		fresh := successor
		fresh.Key, fresh.Ends = nil, ""
		if diff := cmp.Diff([]rotatedKey{fresh, old}, browse("").Results); diff != "" {
			t.Errorf("without the revoked key and the one of the other mode (-want +got):\n%s", diff)
		}

		t.Run("the first use of a successor is there at once", func(t *testing.T) {
			statusOf(t, w, *successor.Key)
			if got := browse("").Results[0].LastUsedAt; got == nil || *got != use {
				t.Errorf("it was used at %v", got)
			}
		})

		t.Run("pages meet each key once, also those of one instant", func(t *testing.T) {
			for range 6 {
				w.NewKey(t, account, "test")
			}
			all := browse("").Results
			if len(all) != 8 || !slices.IsSortedFunc(all, func(a, b rotatedKey) int { return strings.Compare(b.CreatedAt, a.CreatedAt) }) {
				t.Fatalf("%d keys: %v", len(all), ids(all))
			}
			for _, limit := range []int{1, 2, 3, 7, 8} {
				var walked []rotatedKey
				query := fmt.Sprintf("?limit=%d", limit)
				for after := ""; ; {
					page := browse(query + after)
					walked = append(walked, page.Results...)
					if page.Next == nil {
						break
					}
					after = "&after=" + *page.Next
				}
				if diff := cmp.Diff(ids(all), ids(walked)); diff != "" {
					t.Errorf("pages of %d (-whole +walked):\n%s", limit, diff)
				}
			}
		})

		t.Run("a cursor belongs to the account", func(t *testing.T) {
			next := *browse("?limit=1").Next
			if got := w.Do(t, servertest.Request{Path: "/v1/account/keys?limit=1&after=" + next}); !slices.Equal(got.Codes(), []string{"cursor_mismatch after"}) {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		})

		t.Run("a key that has expired stays for 30 days", func(t *testing.T) {
			key = *successor.Key
			w.Clock.Advance(7*24*time.Hour + 30*24*time.Hour - time.Second)
			before := ids(browse("").Results)
			w.Clock.Advance(time.Second)
			after := ids(browse("").Results)
			if !slices.Contains(before, old.ID) || slices.Contains(after, old.ID) || len(after) != len(before)-1 {
				t.Errorf("before %v, after %v", before, after)
			}
		})
	})
}
