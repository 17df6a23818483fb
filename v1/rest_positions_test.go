package v1_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// TestAfterAnyHistoryPositionsCountTheRows counts all rows anew, and reads the lists by windows and by cursors.
func TestAfterAnyHistoryPositionsCountTheRows(t *testing.T) {
	afterHistories(t, func(h *tradeHistory) {
		checkPositions(h.rt, h.T, h.w, h.owner)
		list := draw(h, "list", windowedLists(h.T, h.w, h.owner))
		window := v1.Window{Start: rapid.IntRange(0, len(list.walk)+2).Draw(h.rt, "start"), Count: rapid.IntRange(1, len(list.walk)+2).Draw(h.rt, "count")}
		got, err := list.read(window)
		if err != nil {
			h.rt.Fatal(err)
		}
		if diff := cmp.Diff(list.part(window), got); diff != "" {
			h.rt.Fatalf("%+v of %s (-walk +window):\n%s", window, list.name, diff)
		}
	})
}

// counter is one row of list_positions.
type counter struct {
	List      string
	Level     int
	Bucket, N int64
}

// countRows counts an owner's rows as the counters should.
const countRows = `WITH levels(level, shift) AS (SELECT 0, 27 UNION ALL SELECT 1, 37),
 listed(list, at) AS (
  SELECT 'item/' || sale_type || '/open', created_at FROM items WHERE owner = %[1]d AND status = 'open'
  UNION ALL SELECT 'item/' || sale_type || '/ended', created_at FROM items WHERE owner = %[1]d AND status IN ('unsold', 'closed')
  UNION ALL SELECT 'sale/' || item_sale_type, sold_at FROM sales WHERE owner = %[1]d)
 SELECT list, level, at >> shift AS bucket, count(*) FROM listed CROSS JOIN levels GROUP BY list, level, at >> shift ORDER BY list, level, bucket`

// checkPositions compares an owner's counters, but those that have come back to 0, with the rows.
func checkPositions(t failer, tb testing.TB, w *servertest.World, owner v1.Owner) {
	t.Helper()
	kept := readCounters(tb, w, fmt.Sprintf("SELECT list, level, bucket, n FROM list_positions WHERE owner = %d AND n <> 0 ORDER BY list, level, bucket", owner))
	if diff := cmp.Diff(readCounters(tb, w, fmt.Sprintf(countRows, owner)), kept, cmp.Transformer("byBucket", byBucket)); diff != "" {
		t.Fatalf("positions (-rows +counters):\n%s", diff)
	}
}

// byBucket is a set of counters, whose order depends on how a database sorts texts.
func byBucket(counters []counter) map[counter]int64 {
	set := map[counter]int64{}
	for _, c := range counters {
		set[counter{List: c.List, Level: c.Level, Bucket: c.Bucket}] = c.N
	}
	return set
}

func readCounters(tb testing.TB, w *servertest.World, query string) (counters []counter) {
	tb.Helper()
	rows, err := w.Store.Reader().QueryContext(context.Background(), query)
	if err != nil {
		tb.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var c counter
		if err := rows.Scan(&c.List, &c.Level, &c.Bucket, &c.N); err != nil {
			tb.Fatal(err)
		}
		counters = append(counters, c)
	}
	if err := rows.Err(); err != nil {
		tb.Fatal(err)
	}
	return counters
}
