package sunset_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

type object = map[string]any

// keyID is the public part of a key of /v1.
func keyID(key string) string { return strings.Split(key, "_")[2] }

// flushUsage stores what was counted and says how many rows that were.
func flushUsage(t *testing.T, s *v1.Service) int {
	t.Helper()
	n, err := s.FlushLegacyUsageOnce(context.Background())
	if err != nil {
		t.Fatalf("flush: %v", err)
	}
	return n
}

// shownUsage is what most tests look at of an account's usage.
type shownUsage struct {
	State   *string `json:"state"`
	Results []struct {
		Call        string   `json:"call"`
		Count       int64    `json:"count"`
		LossyFields []string `json:"lossy_fields"`
		DrilledAt   *string  `json:"drilled_at"`
	} `json:"results"`
}

// readUsage reads an account's usage with a key of /v1.
func readUsage(t *testing.T, w *servertest.World, key string) shownUsage {
	t.Helper()
	return servertest.Into[shownUsage](t, w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage", Key: key}))
}

func TestTheLegacyUsageIsTheSellersListOfWhatIsLeftToMove(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		other, _, _ := w.Seller(t, "bruno")
		mine, imported := v1.OwnerOf(w.Account, false), strings.Repeat("0a", 6)
		count := func(owner v1.Owner, key, call string, lossy ...string) {
			w.Service.CountLegacyCall(v1.LegacyCall{Owner: owner, KeyID: key, Call: call, Lossy: lossy})
		}
		count(mine, keyID(w.LiveKey), "item-create", "option_topmain", "id_site")
		count(mine, imported, "login")
		count(v1.OwnerOf(w.Account, true), keyID(w.Key), "item")
		count(v1.OwnerOf(other, false), "theirs", "item")
		if n := flushUsage(t, w.Service); n != 4 {
			t.Errorf("%d rows were stored", n)
		}
		w.Clock.Advance(36 * time.Hour)
		for range 2 {
			count(mine, keyID(w.LiveKey), "item-create", "bids")
			count(mine, imported, "item")
			flushUsage(t, w.Service)
		}

		got := w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage", Key: w.LiveKey})
		want := object{"sunset": "2027-10-05T00:00:00Z", "days": 30.0, "first_used_at": "2026-11-21T12:00:00Z", "last_used_at": "2026-11-23T00:00:00Z", "state": "active", "results": []any{
			object{
				"call": "item-create", "key_prefix": "dk_live_" + keyID(w.LiveKey), "count": 3.0, "first_day": "2026-11-21", "last_used_at": "2026-11-23T00:00:00Z",
				"lossy_fields": []any{"bids", "id_site", "option_topmain"}, "successor": object{"method": "POST", "path": "/v1/items"},
				"guide_url": "http://sellerd.test/migration#item-create", "first_used_at": "2026-11-21T12:00:00Z", "state": "active", "drilled_at": nil,
			},
			object{
				"call": "item", "key_prefix": "legacy_" + imported, "count": 2.0, "first_day": "2026-11-23", "last_used_at": "2026-11-23T00:00:00Z",
				"lossy_fields": []any{}, "successor": nil, "guide_url": "http://sellerd.test/migration#item",
				"first_used_at": "2026-11-23T00:00:00Z", "state": "active", "drilled_at": nil,
			},
			object{
				"call": "login", "key_prefix": "legacy_" + imported, "count": 1.0, "first_day": "2026-11-21", "last_used_at": "2026-11-21T12:00:00Z",
				"lossy_fields": []any{}, "successor": nil, "guide_url": "http://sellerd.test/migration#login",
				"first_used_at": "2026-11-21T12:00:00Z", "state": "active", "drilled_at": nil,
			},
		}}
		if diff := cmp.Diff(want, servertest.Into[object](t, got)); diff != "" {
			t.Errorf("usage (-want +got):\n%s", diff)
		}
		if test := readUsage(t, w, w.Key); len(test.Results) != 1 || test.Results[0].Call != "item" || test.Results[0].Count != 1 {
			t.Errorf("the test mode's: %+v", test)
		}
	}, func(c *v1.Config) {
		c.LegacyCalls = map[string]v1.LegacySuccessor{"item-create": {Method: "POST", Path: "/v1/items"}, "login": {}}
	})
}

func TestAnAccountWithoutLegacyCallsHasAnEmptyList(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	got := w.Do(t, servertest.Request{Path: "/v1/account/legacy-usage"})
	want := object{"sunset": "2027-10-05T00:00:00Z", "days": 30.0, "results": []any{}, "first_used_at": nil, "last_used_at": nil, "state": nil}
	if diff := cmp.Diff(want, servertest.Into[object](t, got)); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
}

func TestALegacyUsageRowNamesABoundedNumberOfFields(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		names := []string{strings.Repeat("é", 70), "with\x00nul", "bad\xffbytes"}
		want := []string{"bad\ufffdbytes", "with\ufffdnul", strings.Repeat("é", 64)}
		for i := range 60 {
			names = append(names, fmt.Sprintf("a%02d", i))
		}
		for i := range 47 {
			want = append(want[:i], append([]string{fmt.Sprintf("a%02d", i)}, want[i:]...)...)
		}
		for _, part := range [][]string{names[:10], names[:2], names[5:]} {
			w.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(w.Account, true), KeyID: keyID(w.Key), Call: "item", Lossy: part})
			flushUsage(t, w.Service)
		}
		if diff := cmp.Diff(want, readUsage(t, w, w.Key).Results[0].LossyFields); diff != "" {
			t.Errorf("fields (-want +got):\n%s", diff)
		}
	})
}

func TestLegacyUsageIsKeptForThirtyDays(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		ctx := context.Background()
		const old = 1001 // one more than a chunk; beside them is a count of requests for each day
		for i := range old {
			w.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(w.Account, true), KeyID: fmt.Sprintf("key%09d", i), Call: "item"})
		}
		flushUsage(t, w.Service)
		w.Clock.Advance(24 * time.Hour)
		w.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(w.Account, true), KeyID: keyID(w.Key), Call: "login"})
		flushUsage(t, w.Service)
		for _, step := range []struct {
			name         string
			after        time.Duration
			shown        int
			purged, left []int
		}{
			{"thirty days after the first", 29 * 24 * time.Hour, old + 1, []int{0}, []int{old + 1}},
			{"on the next", 24 * time.Hour, 1, []int{1001, 1, 0}, []int{2, 1, 1}},
			{"on the one after that", 24 * time.Hour, 0, []int{2, 0}, []int{0, 0}},
		} {
			w.Clock.Advance(step.after)
			if shown := len(readUsage(t, w, w.Key).Results); shown != step.shown {
				t.Errorf("%s: %d rows are shown", step.name, shown)
			}
			var purged, left []int
			for range step.purged {
				n, err := w.Service.PurgeLegacyUsageOnce(ctx)
				if err != nil {
					t.Fatalf("purge: %v", err)
				}
				purged, left = append(purged, n), append(left, w.Count(t, "legacy_usage", "1 = 1"))
			}
			if diff := cmp.Diff([][]int{step.purged, step.left}, [][]int{purged, left}); diff != "" {
				t.Errorf("%s, purged and left (-want +got):\n%s", step.name, diff)
			}
		}
	})
}

func TestWhatCannotBeStoredIsStoredTheNextTime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		gone, cancel := context.WithCancel(context.Background())
		cancel()
		count := func(lossy string) {
			w.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(w.Account, true), KeyID: keyID(w.Key), Call: "item", Lossy: []string{lossy}})
		}
		count("one")
		if n, err := w.Service.FlushLegacyUsageOnce(gone); n != 0 || err == nil {
			t.Fatalf("without a database: %d, %v", n, err)
		}
		count("two")
		flushUsage(t, w.Service)
		rows := readUsage(t, w, w.Key).Results
		if len(rows) != 1 || rows[0].Count != 2 || cmp.Diff([]string{"one", "two"}, rows[0].LossyFields) != "" {
			t.Errorf("usage: %+v", rows)
		}
	})
}

func TestTooManyRowsAtOnceAreLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	count := func(key string) {
		w.Service.CountLegacyCall(v1.LegacyCall{Owner: v1.OwnerOf(w.Account, true), KeyID: key, Call: "item"})
	}
	for i := range 10_003 {
		count(fmt.Sprintf("key%09d", i))
	}
	count("key000000007")
	if n := flushUsage(t, w.Service); n != 10_000 {
		t.Errorf("%d rows were stored", n)
	}
	if n := w.Count(t, "legacy_usage", "count = 2 AND key_id = 'key000000007'"); n != 1 {
		t.Errorf("a row that had room is there %d times", n)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "calls=3 ") {
		t.Errorf("log: %s", got)
	}
	count("key000010001")
	if n := flushUsage(t, w.Service); n != 1 || strings.Count(log.String(), "\n") != 1 {
		t.Errorf("afterwards %d rows were stored, log: %s", n, log.String())
	}
}

func TestNoLegacyCallIsLostBetweenCallersAndProcesses(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		twin, err := v1.New(w.Config)
		if err != nil {
			t.Fatalf("make another process's service: %v", err)
		}
		const callers, calls = 8, 200
		var counting, flushing sync.WaitGroup
		ended := make(chan struct{})
		for _, s := range []*v1.Service{w.Service, twin} {
			for caller := range callers {
				counting.Go(func() {
					for i := range calls {
						s.CountLegacyCall(v1.LegacyCall{
							Owner: v1.OwnerOf(w.Account, true), KeyID: keyID(w.Key), Call: fmt.Sprintf("call-%d", i%5), Lossy: []string{fmt.Sprintf("field-%d", caller)},
						})
					}
				})
			}
			flushing.Go(func() {
				for open := true; open; {
					select {
					case <-ended:
						open = false
					default:
					}
					if _, err := s.FlushLegacyUsageOnce(context.Background()); err != nil {
						t.Errorf("flush: %v", err)
					}
				}
			})
		}
		counting.Wait()
		close(ended)
		flushing.Wait()
		total, fields := int64(0), 0
		rows := readUsage(t, w, w.Key).Results
		for _, row := range rows {
			total += row.Count
			fields += len(row.LossyFields)
		}
		if want := int64(2 * callers * calls); total != want || len(rows) != 5 || fields != 5*callers {
			t.Errorf("%d calls of %d, %d rows, %d fields", total, want, len(rows), fields)
		}
	})
}
