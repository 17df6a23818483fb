package store

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
)

func TestWhatATransactionAnnouncesIsKnownUntilItEnds(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		told := func(name string) bool {
			t.Helper()
			told, err := db.Announced(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			return told
		}
		announce := func(ctx context.Context, tx *ent.Client) int {
			if !db.ManyWriters() {
				return 1
			}
			rows, err := tx.QueryContext(ctx, "SELECT 1 WHERE "+db.Announce("$1"), "a")
			if err != nil {
				t.Fatal(err)
			}
			defer rows.Close()
			n := 0
			for rows.Next() {
				n++
			}
			return n
		}
		var got []bool
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			got = append(got, told("a"))
			if n := announce(ctx, tx) + announce(ctx, tx); n != 2 {
				t.Errorf("the condition is not true: %d of 2", n)
			}
			got = append(got, told("a"), told("b"))
			if db.ManyWriters() { // where a second transaction can run
				if err := db.Write(context.WithoutCancel(t.Context()), func(ctx context.Context, tx *ent.Client) error {
					if n := announce(ctx, tx); n != 1 {
						t.Errorf("the condition is not true for another: %d", n)
					}
					return nil
				}); err != nil {
					t.Error(err)
				}
			}
			got = append(got, told("a"))
			return nil
		})
		got = append(got, told("a"))
		during := db.ManyWriters()
		if diff := cmp.Diff([]bool{false, during, false, during, false}, got); diff != "" {
			t.Errorf("before, during, of another name, after another told it, at the end (-want +got):\n%s", diff)
		}
	})
}
