package store

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
)

// insertLate is insert with a statement that is late.
func insertLate(ctx context.Context, db *DB, tx *ent.Client, id string) error {
	_, err := tx.ExecContext(db.Late(ctx), "INSERT INTO number_ranges (id, next) VALUES ($1, $2)", id, 1)
	return err
}

func TestLateStatementsAreCommitted(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			return errors.Join(insertLate(ctx, db, tx, "a"), insert("b")(ctx, tx), insertLate(ctx, db, tx, "c"), insertLate(ctx, db, tx, "d"))
		})
		if diff := cmp.Diff([]string{"a", "b", "c", "d"}, rows(t, db)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAReadSeesTheLateStatementsBeforeIt(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			if err := insertLate(ctx, db, tx, "a"); err != nil {
				return err
			}
			found, err := tx.NumberRange.Query().IDs(ctx)
			if diff := cmp.Diff([]string{"a"}, found); diff != "" {
				t.Error(diff)
			}
			return err
		})
	})
}

func TestWorkThatFailsLeavesNothingOfLateStatements(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		failure := errors.New("no")
		err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			return errors.Join(insertLate(ctx, db, tx, "a"), failure)
		})
		if !errors.Is(err, failure) {
			t.Errorf("got %v, want the work's error", err)
		}
		mustWrite(t, db, insert("b"))
		if diff := cmp.Diff([]string{"b"}, rows(t, db)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestALateStatementThatFailsFailsTheWrite(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		mustWrite(t, db, insert("a"))
		for name, then := range map[string]Work{
			"with the commit":         func(context.Context, *ent.Client) error { return nil },
			"with the next statement": insert("c"),
			"with the next query": func(ctx context.Context, tx *ent.Client) error {
				_, err := tx.NumberRange.Query().IDs(ctx)
				return err
			},
		} {
			for range 10 { // more often than there are connections, each of which has to come back
				err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
					if err := insertLate(ctx, db, tx, "b"); err != nil {
						return err
					}
					if err := insertLate(ctx, db, tx, "a"); err != nil { // it is there
						return err
					}
					return then(ctx, tx)
				})
				if err == nil || db.Unavailable(err) || db.Busy(err) {
					t.Errorf("%s: got %v, want the error of the statement", name, err)
				}
			}
			if diff := cmp.Diff([]string{"a"}, rows(t, db)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}
