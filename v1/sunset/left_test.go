package sunset_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// askLeft reads the operator's list.
func askLeft(t *testing.T, w *servertest.World, query string) servertest.Response {
	t.Helper()
	return w.DoOperator(t, servertest.Request{Method: "GET", Path: "/operator/legacy-usage" + query})
}

// leftPage is what most tests look at of the operator's list.
type leftPage struct {
	Results []struct {
		Key struct {
			ID string `json:"id"`
		} `json:"key"`
		State string `json:"state"`
	} `json:"results"`
	Next *string `json:"next_cursor"`
}

// leftStates are the keys of the operator's list with their states.
func leftStates(t *testing.T, w *servertest.World, query string) map[string]string {
	t.Helper()
	page := servertest.Into[leftPage](t, askLeft(t, w, query))
	states := map[string]string{}
	for _, entry := range page.Results {
		states[entry.Key.ID] = entry.State
	}
	return states
}

func countCall(w *servertest.World, owner v1.Owner, key, call string, lossy ...string) {
	w.Service.CountLegacyCall(v1.LegacyCall{Owner: owner, KeyID: key, Call: call, Lossy: lossy})
}

func TestTheOperatorSeesWhichKeysAreLeft(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		account, live := v1.ID(w.Account).String(), v1.OwnerOf(w.Account, false)
		imported := strings.Repeat("0a", 6)
		countCall(w, live, keyID(w.LiveKey), "item-create", "colour")
		countCall(w, live, imported, "login")
		flushUsage(t, w.Service)
		w.Clock.Advance(36 * time.Hour)
		countCall(w, live, keyID(w.LiveKey), "item-create", "bids")
		countCall(w, live, keyID(w.LiveKey), "item")
		for range 4 {
			w.Do(t, servertest.Request{Path: "/v1/account", Key: w.LiveKey})
		}
		readUsage(t, w, w.LiveKey) // is no sign of a move, and in no share
		flushUsage(t, w.Service)

		seller := servertest.Into[object](t, w.Do(t, servertest.Request{Path: "/v1/account", Key: w.LiveKey}))
		named := object{"id": account, "nickname": seller["nickname"], "email": seller["email"]}
		const saturday, monday = "2026-11-21T12:00:00Z", "2026-11-23T00:00:00Z"
		want := object{"next_cursor": nil, "results": []any{
			object{
				"account": named, "key": object{"id": imported, "prefix": "legacy_" + imported, "name": "imported legacy key", "mode": "live"},
				"calls":         []any{object{"call": "login", "count": 1.0, "first_used_at": saturday, "last_used_at": saturday, "lossy_fields": []any{}}},
				"first_used_at": saturday, "last_used_at": saturday, "count": 1.0, "rest_share": 0.5, "rest_share_since": "2026-11-21", "state": "active",
			},
			object{
				"account": named, "key": object{"id": keyID(w.LiveKey), "prefix": "dk_live_" + keyID(w.LiveKey), "name": "tests", "mode": "live"},
				"calls": []any{
					object{"call": "item", "count": 1.0, "first_used_at": monday, "last_used_at": monday, "lossy_fields": []any{}},
					object{"call": "item-create", "count": 2.0, "first_used_at": saturday, "last_used_at": monday, "lossy_fields": []any{"bids", "colour"}},
				},
				"first_used_at": saturday, "last_used_at": monday, "count": 3.0, "rest_share": 0.5, "rest_share_since": "2026-11-21", "state": "active",
			},
		}}
		got := servertest.Into[object](t, askLeft(t, w, ""))
		if results := got["results"].([]any); len(results) == 2 && results[0].(object)["key"].(object)["id"] != imported {
			results[0], results[1] = results[1], results[0] // both came with one flush, sorted by their keys
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("left (-want +got):\n%s", diff)
		}
	})
}

func TestAKeyThatStopsIsSilentOrDone(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		moves, movesKey, _ := w.Seller(t, "bruno")
		stays, _, _ := w.Seller(t, "carl")
		countCall(w, v1.OwnerOf(w.Account, true), "stops0000000", "item")
		countCall(w, v1.OwnerOf(moves, true), "moves0000000", "item")
		countCall(w, v1.OwnerOf(stays, false), "stays0000000", "item")
		flushUsage(t, w.Service)
		w.Clock.Advance(30*24*time.Hour - time.Microsecond)
		countCall(w, v1.OwnerOf(stays, false), "stays0000000", "item")
		w.Do(t, servertest.Request{Path: "/v1/account", Key: movesKey})
		flushUsage(t, w.Service)
		if diff := cmp.Diff(map[string]string{"stops0000000": "active", "moves0000000": "active", "stays0000000": "active"}, leftStates(t, w, "")); diff != "" {
			t.Errorf("a moment before the thirty days are over (-want +got):\n%s", diff)
		}
		w.Clock.Advance(time.Microsecond)
		all := map[string]string{"stops0000000": "silent", "moves0000000": "done", "stays0000000": "active"}
		if diff := cmp.Diff(all, leftStates(t, w, "")); diff != "" {
			t.Errorf("after thirty days (-want +got):\n%s", diff)
		}
		for key, state := range all {
			if diff := cmp.Diff(map[string]string{key: state}, leftStates(t, w, "?state="+state)); diff != "" {
				t.Errorf("those that are %s (-want +got):\n%s", state, diff)
			}
		}
		if usage := readUsage(t, w, movesKey); usage.State == nil || *usage.State != "done" {
			t.Errorf("the seller that moved sees %v", usage.State)
		}
		states, err := w.Service.LegacyAccounts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]int{"active": 1, "silent": 1, "done": 1}, states); diff != "" {
			t.Errorf("accounts (-want +got):\n%s", diff)
		}
	})
}

func TestTheModesOfAnAccountCountAsOneAccount(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		countCall(w, v1.OwnerOf(w.Account, true), "testing00000", "item")
		flushUsage(t, w.Service)
		w.Clock.Advance(31 * 24 * time.Hour)
		countCall(w, v1.OwnerOf(w.Account, false), "living000000", "item")
		flushUsage(t, w.Service)
		states, err := w.Service.LegacyAccounts(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]int{"active": 1, "silent": 0, "done": 0}, states); diff != "" {
			t.Errorf("accounts (-want +got):\n%s", diff)
		}
	})
}

func TestTheOperatorsListHasPages(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		owner := v1.OwnerOf(w.Account, true)
		want := []string{"key000000001", "key000000002", "key000000003", "key000000004", "key000000005"}
		for _, key := range want {
			countCall(w, owner, key, "item")
			countCall(w, owner, key, "login")
			flushUsage(t, w.Service)
		}
		var got []string
		query, pages := "?state=active&limit=2", 0
		for ; pages < 5; pages++ {
			page := servertest.Into[leftPage](t, askLeft(t, w, query))
			for _, entry := range page.Results {
				got = append(got, entry.Key.ID)
			}
			if page.Next == nil {
				break
			}
			query = "?state=active&limit=2&after=" + *page.Next
		}
		if diff := cmp.Diff(want, got); diff != "" || pages != 2 {
			t.Errorf("after %d pages (-want +got):\n%s", pages, diff)
		}
		var walked []string
		err := w.Service.EachLegacyLeft(t.Context(), "active", func(l *v1.LegacyLeft) error {
			walked = append(walked, l.Key.ID)
			return nil
		})
		if diff := cmp.Diff(want, walked); diff != "" || err != nil {
			t.Errorf("a command's walk: %v (-want +got):\n%s", err, diff)
		}
		for query, code := range map[string]string{
			"?state=gone": "invalid_parameter state", "?limit=0": "invalid_parameter limit", "?limit=201": "invalid_parameter limit", "?after=x": "invalid_cursor after",
			strings.Replace(query, "active", "done", 1): "cursor_mismatch after",
		} {
			if got := askLeft(t, w, query); got.Codes()[0] != code {
				t.Errorf("%s: %d %v", query, got.Status, got.Codes())
			}
		}
	})
}

func TestFirstAndLastUsesAreKeptUntilNinetyDaysAfterTheSunset(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const uses = 1001 // one more than a chunk
		for i := range uses {
			countCall(w, v1.OwnerOf(w.Account, true), "key0"+time.Duration(i).String(), "item")
		}
		w.Do(t, servertest.Request{Path: "/v1/account"})
		flushUsage(t, w.Service)
		purge := func() (purged []int) {
			for {
				n, err := w.Service.PurgeLegacyUsageOnce(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				if n == 0 {
					return purged
				}
				purged = append(purged, n)
			}
		}
		kept := func() [3]int {
			return [3]int{w.Count(t, "legacy_usage", "1 = 1"), w.Count(t, "successor_usage", "1 = 1"), w.Count(t, "legacy_uses", "1 = 1")}
		}
		end := time.UnixMicro(int64(v1.LegacySunset)).Add(90 * 24 * time.Hour)
		w.Clock.Advance(end.Sub(w.Clock.Now()) - time.Microsecond)
		purged := purge()
		if diff := cmp.Diff([]any{[]int{1001, 1}, [3]int{0, 0, uses}}, []any{purged, kept()}); diff != "" {
			t.Errorf("at the last moment, purged and kept (-want +got):\n%s", diff)
		}
		if n := len(leftStates(t, w, "?limit=200")); n != 200 {
			t.Errorf("the list has %d keys", n)
		}
		w.Clock.Advance(time.Microsecond)
		countCall(w, v1.OwnerOf(w.Account, true), keyID(w.Key), "item")
		flushUsage(t, w.Service)
		if diff := cmp.Diff([]any{[]int{1000, 1}, [3]int{1, 1, 0}}, []any{purge(), kept()}); diff != "" {
			t.Errorf("afterwards, purged and kept (-want +got):\n%s", diff)
		}
	})
}

func TestACallThatIsAnsweredWithoutALookAtItsKeyIsCounted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		old := strings.Repeat("Kx7", 21) + "Z"
		made := w.DoOperator(t, servertest.Request{Path: "/operator/accounts/" + v1.ID(w.Account).String() + "/legacy-keys", Body: object{"key": old}})
		imported := servertest.Into[object](t, made)["id"].(string)
		revoked, err := w.Service.RevokeKey(t.Context(), keyID(w.NewKey(t, w.Account, "live")))
		if err != nil {
			t.Fatal(err)
		}
		call := v1.LegacyCall{Call: "login", Drill: true}
		for _, key := range []string{w.LiveKey, old, w.LiveKey, strings.Repeat("a", 64), "nonsense", ""} {
			w.Service.CountLegacyKey(key, call)
		}
		for _, id := range []string{keyID(w.LiveKey), imported, revoked.ID, "unknown00000", strings.Repeat("0f", 6)} {
			w.Service.CountLegacySession(v1.LegacyCall{KeyID: id, Call: "item"})
		}
		other, _, foreign := w.Seller(t, "bruno")
		w.Service.CountLegacyKey(foreign, call)
		if n := flushUsage(t, w.Service); n != 5 {
			t.Errorf("%d rows were stored", n)
		}
		var got []string
		w.EachRow(t, "SELECT owner, key_id, call, drilled_at IS NOT NULL AS drilled FROM legacy_uses", func(values []any) {
			drilled := "no drill"
			if values[3] == true || values[3] == int64(1) {
				drilled = "drill"
			}
			got = append(got, strings.Join([]string{v1.ID(values[0].(int64)).String(), values[1].(string), values[2].(string), drilled}, " "))
		})
		live, theirs := v1.ID(v1.OwnerOf(w.Account, false)).String(), v1.ID(v1.OwnerOf(other, false)).String()
		want := map[string]bool{
			live + " " + keyID(w.LiveKey) + " login drill": true, live + " " + imported + " login drill": true,
			live + " " + keyID(w.LiveKey) + " item no drill": true, live + " " + imported + " item no drill": true,
			theirs + " " + keyID(foreign) + " login drill": true,
		}
		found := map[string]bool{}
		for _, row := range got {
			found[row] = true
		}
		if diff := cmp.Diff(want, found); diff != "" {
			t.Errorf("uses (-want +got):\n%s", diff)
		}
		for _, row := range readUsage(t, w, w.LiveKey).Results {
			if met := row.DrilledAt != nil; met != (row.Call == "login") {
				t.Errorf("%s met a drill: %v", row.Call, met)
			}
		}
	})
}
