package sunset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/sunset"
)

// fillUses writes two uses of each of many keys. Those of all but every thousandth key were long ago.
func fillUses(tb testing.TB, w *servertest.World, keys int64) {
	tb.Helper()
	recent := int64(v1.TimeOf(w.Clock.Now()))
	plantest.Fill(tb, w, fmt.Sprintf(`INSERT INTO legacy_uses (owner, key_id, call, first_used_at, last_used_at)
 %s SELECT i / 3 * 2, 'key' || CAST(1000000000 + i AS text), 'item', 1, CASE i %% 1000 WHEN 0 THEN %d ELSE 1 END FROM n`, plantest.Numbered(1, keys), recent),
		`INSERT INTO legacy_uses (owner, key_id, call, first_used_at, last_used_at) SELECT owner, key_id, 'login', 1, 1 FROM legacy_uses`)
}

// TestPlansOfWhatIsLeft checks that a page reads the uses of its keys in the order of their index.
func TestPlansOfWhatIsLeft(t *testing.T) {
	plantest.OnBoth(t, func(tb testing.TB, w *servertest.World) v1.Owner {
		fillUses(tb, w, 20_000)
		plantest.Fill(tb, w, `INSERT INTO successor_usage (owner, day, last_used_at) `+plantest.Numbered(1, 20_000)+`SELECT i, 20000, 1 FROM n`)
		return 0
	}, func(t *testing.T, _ *servertest.World, _ v1.Owner, explain plantest.Explainer) {
		for _, size := range []int{64, 256, 1024} {
			plan := explain(t, sunset.LeftQuery(size), []any{1, 2, "key1000000001"})
			if !strings.Contains(plan, "legacy_uses_row") || strings.Contains(plan, "Seq Scan") || strings.Contains(plan, "SCAN s") || strings.Contains(plan, "HashAggregate") || strings.Contains(plan, "TEMP B-TREE FOR GROUP") {
				t.Errorf("%d keys:\n%s", size, plan)
			}
		}
	})
}

// TestAPageOfARareStateIsShort walks through a list of which a page takes a part.
func TestAPageOfARareStateIsShort(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const keys = 20_000
		fillUses(t, w, keys)
		var got, sizes []int
		for query, more := "?state=active&limit=7", ""; ; {
			page := servertest.Into[leftPage](t, askLeft(t, w, query+more))
			sizes = append(sizes, len(page.Results))
			for _, entry := range page.Results {
				var n int
				if _, err := fmt.Sscanf(entry.Key.ID, "key1%09d", &n); err != nil {
					t.Fatal(err)
				}
				got = append(got, n)
			}
			if page.Next == nil {
				break
			}
			more = "&after=" + *page.Next
		}
		var want []int
		for n := 1000; n <= keys; n += 1000 {
			want = append(want, n)
		}
		if !slices.Equal(got, want) {
			t.Errorf("keys %v", got)
		}
		if wanted := []int{7, 7, 6}; !slices.Equal(sizes, wanted) {
			t.Errorf("pages of %v keys, not %v", sizes, wanted)
		}
		none := servertest.Into[leftPage](t, askLeft(t, w, "?state=done"))
		if len(none.Results) != 0 || none.Next == nil {
			t.Errorf("of a state that no key has, %d keys, and the end of the list after 8,192 of %d", len(none.Results), keys)
		}
	})
}

// TestPlansOfCountedRequests checks that whether an owner uses the legacy interface is looked up in the index, with as many uses as
// there are, also by a plan that was made before there were any.
func TestPlansOfCountedRequests(t *testing.T) {
	plantest.OnAll(t, func(tb testing.TB, w *servertest.World) v1.Owner {
		fillUses(tb, w, 20_000)
		return 0
	}, func(t *testing.T, _ *servertest.World, _ v1.Owner, explain plantest.Explainer) {
		for _, rows := range []int{1, 8, 32} {
			set := make([]any, 4*rows)
			for i := range set {
				set[i] = i
			}
			text, args := sunset.AddRequests(set)
			if plan := explain(t, text, args); !strings.Contains(plan, "legacy_uses_row") || strings.Contains(plan, "Seq Scan on legacy_uses") {
				t.Errorf("%d rows:\n%s", rows, plan)
			}
		}
	})
}
