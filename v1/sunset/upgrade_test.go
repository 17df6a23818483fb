package sunset_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// countAsBefore writes what a process of a release before 1.4.0 counts: calls by day, without a use.
func countAsBefore(t *testing.T, w *servertest.World, owner v1.Owner, day time.Time, count int) {
	t.Helper()
	plantest.Fill(t, w, fmt.Sprintf("INSERT INTO legacy_usage (owner, key_id, call, day, count, lossy_fields, last_used_at) VALUES (%d, '%s', 'item', %d, %d, '', %d)",
		owner, keyID(w.Key), day.Unix()/86400, count, v1.TimeOf(day)))
}

// TestTheShareCountsBothInterfacesFromTheSameDay upgrades a service: the calls that an earlier release counted are in the count of
// calls, and not in the share, because that release did not count the requests to /v1.
func TestTheShareCountsBothInterfacesFromTheSameDay(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		countAsBefore(t, w, v1.OwnerOf(w.Account, true), w.Clock.Now().Add(-24*time.Hour), 96)
		for range 3 {
			if r := w.Do(t, servertest.Request{Path: "/v1/account"}); r.Status != http.StatusOK {
				t.Fatalf("%d %s", r.Status, r.Body)
			}
		}
		countCall(w, v1.OwnerOf(w.Account, true), keyID(w.Key), "item")
		flushUsage(t, w.Service)
		left := servertest.Into[struct {
			Results []struct {
				Count int     `json:"count"`
				Share float64 `json:"rest_share"`
				Since string  `json:"rest_share_since"`
			} `json:"results"`
		}](t, askLeft(t, w, ""))
		if len(left.Results) != 1 {
			t.Fatalf("%+v", left)
		}
		if got, want := fmt.Sprint(left.Results[0]), "{97 0.25 2026-11-21}"; got != want {
			t.Errorf("count, share and since: %s, not %s", got, want)
		}
	})
}

// TestTheUsageThatAnEarlierReleaseCountedIsToldInFull reads the list of a seller whose calls only an earlier release counted, as
// in the time in which processes of both run.
func TestTheUsageThatAnEarlierReleaseCountedIsToldInFull(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		countAsBefore(t, w, v1.OwnerOf(w.Account, true), w.Clock.Now().Add(-time.Hour), 2)
		got := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage"}))
		row := got["results"].([]any)[0].(object)
		want := object{"first_used_at": "2026-11-21T00:00:00Z", "last_used_at": "2026-11-21T11:00:00Z", "state": "active"}
		for name, told := range map[string]object{"all calls": got, "the call": row} {
			if diff := cmp.Diff(want, object{"first_used_at": told["first_used_at"], "last_used_at": told["last_used_at"], "state": told["state"]}); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
}
