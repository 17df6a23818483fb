package sunset_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/sunset"
)

// TestKeysThatDoNotExistTakeNoRoom counts calls after the end with more made-up keys than there is room for, before those of
// programs whose keys were seen.
func TestKeysThatDoNotExistTakeNoRoom(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		var log bytes.Buffer
		w := servertest.New(t, database(t), func(c *v1.Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
		call := v1.LegacyCall{Call: "item", Drill: true}
		w.Service.CountLegacyKey(w.LiveKey, call)
		if n := flushUsage(t, w.Service); n != 1 {
			t.Fatalf("%d rows were stored", n)
		}
		for round := range 3 {
			for i := range 2100 {
				w.Service.CountLegacyKey(fmt.Sprintf("%064d", 10_000*round+i), call)
			}
			w.Service.CountLegacyKey(w.LiveKey, call)
			w.Service.CountLegacySession(v1.LegacyCall{KeyID: keyID(w.Key), Call: "item"})
			if n := flushUsage(t, w.Service); n != 2 {
				t.Errorf("round %d: %d rows were stored", round, n)
			}
		}
		if n := w.Count(t, "legacy_usage", "1 = 1"); n != 2 {
			t.Errorf("%d rows of two keys", n)
		}
		if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=ERROR") || !strings.Contains(got, "calls=100 rows=2000") || strings.Contains(got, "000000000") {
			t.Errorf("log: %s", got)
		}
	})
}

// TestKeysOfStoredCallsAreKnownAfterAStart has made-up keys come first to a new process.
func TestKeysOfStoredCallsAreKnownAfterAStart(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		call := v1.LegacyCall{Call: "item"}
		w.Service.CountLegacyKey(w.LiveKey, call)
		flushUsage(t, w.Service)
		next, err := v1.New(w.Config)
		if err != nil {
			t.Fatal(err)
		}
		flushUsage(t, next) // the first step of its worker
		for i := range 2100 {
			next.CountLegacyKey(fmt.Sprintf("%064d", i), call)
		}
		next.CountLegacyKey(w.LiveKey, call)
		if n := flushUsage(t, next); n != 1 {
			t.Errorf("%d rows were stored", n)
		}
		if n := w.Count(t, "legacy_usage", "count = 2"); n != 1 {
			t.Errorf("the calls of a known key are not counted")
		}
	})
}

// TestAKeyThatIsNoLongerValidCountsNothing revokes a key that was valid when it was last looked up.
func TestAKeyThatIsNoLongerValidCountsNothing(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		key := w.NewKey(t, w.Account, "live")
		for _, want := range []int{1, 0} {
			w.Service.CountLegacyKey(key, v1.LegacyCall{Call: "item"})
			if n := flushUsage(t, w.Service); n != want {
				t.Errorf("%d rows were stored, not %d", n, want)
			}
			if _, err := w.Service.RevokeKey(t.Context(), keyID(key)); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAClockThatIsSetBackDelaysNoCounts sets the clock back by a day and a half. The counts of requests are stored once a minute of
// the process's time, and nothing is deleted.
func TestAClockThatIsSetBackDelaysNoCounts(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		uptime, moved := time.Hour, errors.New("the clock moved")
		owner, clock := v1.OwnerOf(w.Account, true), &servertest.Clock{}
		usage := sunset.NewUsage(core.Config{
			Store: w.Store, Clock: clock, Uptime: func() time.Duration { return uptime }, Logger: w.Config.Logger,
		}, func() error { return moved }, nil)
		usage.Count(sunset.LegacyCall{Owner: owner, KeyID: keyID(w.Key), Call: "item"})
		for i, want := range []int{1, 1, 3} { // requests stored
			usage.CountRequest(int64(owner))
			if _, err := usage.Keep(t.Context()); !errors.Is(err, moved) {
				t.Errorf("step %d: %v", i, err)
			}
			var n int
			w.EachRow(t, "SELECT CAST(SUM(count) AS bigint) FROM successor_usage WHERE count > 0", func(values []any) { n = int(values[0].(int64)) })
			if n != want {
				t.Errorf("step %d: %d requests are stored, not %d", i, n, want)
			}
			clock.Advance(-36 * time.Hour)
			uptime += 30 * time.Second
		}
	})
}
