package store

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/store/lending"
	"sellerd/internal/store/writer"
)

// together runs all works at once, so that they share one transaction: the first of them stays in it until the others
// wait. It returns their errors in the order of works.
func together(t *testing.T, db *DB, works ...Work) []error {
	t.Helper()
	errs := make([]error, len(works))
	inside, gate, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	start := func(i int, work Work) {
		go func() {
			defer func() { done <- struct{}{} }()
			errs[i] = db.Write(t.Context(), work)
		}()
	}
	start(0, func(ctx context.Context, tx *ent.Client) error {
		close(inside)
		<-gate
		return works[0](ctx, tx)
	})
	<-inside
	for i, work := range works[1:] {
		start(i+1, work)
		synctest.Wait() // until this one waits, so that they come in order
	}
	close(gate)
	for range works {
		<-done
	}
	return errs
}

// inBubble runs a test whose goroutines synctest can see, on a SQLite database.
func inBubble(t *testing.T, test func(t *testing.T, db *DB)) {
	t.Helper()
	url := sqliteURL(t)
	synctest.Test(t, func(t *testing.T) { test(t, open(t, Config{URL: url})) })
}

func TestGroupCommit(t *testing.T) {
	t.Run("all who wait share one commit", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			works := make([]Work, 50)
			for i := range works {
				works[i] = insert(fmt.Sprintf("%02d", i))
			}
			if err := errors.Join(together(t, db, works...)...); err != nil {
				t.Fatal(err)
			}
			if got := len(rows(t, db)); got != 50 {
				t.Errorf("%d rows, want 50", got)
			}
			want := Stats{Writes: 50, Commits: 1, Groups: [lending.GroupBuckets]uint64{6: 1}}
			if diff := cmp.Diff(want, db.Stats()); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("a group has its limit", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			works := make([]Work, writer.MaxGroup+1)
			for i := range works {
				works[i] = insert(fmt.Sprint(i))
			}
			if err := errors.Join(together(t, db, works...)...); err != nil {
				t.Fatal(err)
			}
			want := Stats{Writes: writer.MaxGroup + 1, Commits: 2, Groups: [lending.GroupBuckets]uint64{0: 1, 7: 1}}
			if diff := cmp.Diff(want, db.Stats()); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("one that fails does not touch the others", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			refused := errors.New("refused")
			errs := together(t, db,
				insert("a"),
				func(ctx context.Context, tx *ent.Client) error { return errors.Join(insert("b")(ctx, tx), refused) },
				insert("a"),
				insert("c"),
			)
			if errs[0] != nil || errs[3] != nil {
				t.Errorf("got %v and %v for those that succeed", errs[0], errs[3])
			}
			if !errors.Is(errs[1], refused) {
				t.Errorf("got %v, want %v", errs[1], refused)
			}
			if !ent.IsConstraintError(errs[2]) {
				t.Errorf("got %v, want a constraint error", errs[2])
			}
			if diff := cmp.Diff([]string{"a", "c"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
			if got := db.Stats().Commits; got != 1 {
				t.Errorf("%d commits, want 1", got)
			}
		})
	})

	t.Run("a later one sees what an earlier one wrote", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			errs := together(t, db, insert("a"), func(ctx context.Context, tx *ent.Client) error {
				if n := tx.NumberRange.Query().CountX(ctx); n != 1 {
					t.Errorf("it sees %d rows, want 1", n)
				}
				return nil
			})
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
		})
	})

	t.Run("nobody else sees any of it before the commit", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			errs := together(t, db, insert("a"), func(context.Context, *ent.Client) error {
				if got := rows(t, db); len(got) != 0 {
					t.Errorf("a reader sees %v", got)
				}
				return nil
			})
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
		})
	})

	t.Run("one who left while waiting is passed over", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			ctx, cancel := context.WithCancel(t.Context())
			left := make(chan error, 1)
			errs := together(t, db, func(_ context.Context, tx *ent.Client) error {
				go func() { left <- db.Write(ctx, insert("b")) }()
				synctest.Wait()
				cancel()
				synctest.Wait()
				return nil
			}, insert("c"))
			if err := errors.Join(errs...); err != nil {
				t.Error(err)
			}
			if err := <-left; !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that the context was cancelled", err)
			}
			if diff := cmp.Diff([]string{"c"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("nobody waits for the group for longer than there is time", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			hurried, leave := context.WithCancel(t.Context())
			slow := make(chan error, 1)
			committed, queued := make(chan error, 1), make(chan error, 1)
			inside, gate := make(chan struct{}), make(chan struct{})
			first := make(chan error, 1)
			go func() {
				first <- db.Write(t.Context(), func(context.Context, *ent.Client) error {
					go func() { committed <- db.Write(hurried, insert("its work is done")) }()
					synctest.Wait()
					go func() {
						slow <- db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
							close(inside)
							<-gate
							return insert("slow")(ctx, tx)
						})
					}()
					synctest.Wait()
					go func() { queued <- db.Write(hurried, insert("its work never began")) }()
					synctest.Wait()
					return nil
				})
			}()
			<-inside
			leave()
			if err := <-queued; !errors.Is(err, context.Canceled) || db.Unavailable(err) {
				t.Errorf("the one who was not called up got %v, want that its context has ended", err)
			}
			if err := <-committed; !errors.Is(err, context.Canceled) || !db.Unavailable(err) {
				t.Errorf("the one who waits for the commit got %v, want that the outcome is unknown", err)
			}
			close(gate)
			if err := errors.Join(<-first, <-slow); err != nil {
				t.Error(err)
			}
			if diff := cmp.Diff([]string{"its work is done", "slow"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("Close lets the group finish and refuses the others", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			inside, gate := make(chan struct{}), make(chan struct{})
			first, second := make(chan error, 1), make(chan error, 1)
			go func() {
				first <- db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
					close(inside)
					<-gate
					return insert("a")(ctx, tx)
				})
			}()
			<-inside
			go func() { second <- db.Write(t.Context(), insert("b")) }()
			synctest.Wait()
			closed := make(chan error, 1)
			go func() { closed <- db.Close() }()
			if err := <-second; !errors.Is(err, ErrClosed) || !db.Unavailable(err) {
				t.Errorf("the one who waited got %v, want %v", err, ErrClosed)
			}
			close(gate)
			if err := errors.Join(<-first, <-closed); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestLostTransaction fills the disk in the middle of a group, which makes SQLite roll back all of it.
func TestLostTransaction(t *testing.T) {
	fill := func(ctx context.Context, tx *ent.Client) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO number_ranges (id, next) VALUES (hex(zeroblob(1000000)), 1)")
		return err
	}
	// limit lets the file grow by a few pages only; 0 lifts it.
	limit := func(extra int) Work {
		return func(ctx context.Context, tx *ent.Client) error {
			pages, err := ask[int](ctx, tx, "PRAGMA page_count")
			if err != nil {
				return err
			}
			if extra == 0 {
				pages = 1 << 30
			}
			_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", pages+extra))
			return err
		}
	}

	t.Run("everybody in the group gets an error, nothing remains, and it recovers", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, limit(10))
			errs := together(t, db, insert("a"), fill, insert("b"))
			for i, err := range errs {
				if !db.Unavailable(err) {
					t.Errorf("work %d got %v, want it to be unavailable", i, err)
				}
			}
			if got := rows(t, db); len(got) != 0 {
				t.Errorf("%d rows remained", len(got))
			}
			mustWrite(t, db, limit(0))
			mustWrite(t, db, insert("c"))
			if diff := cmp.Diff([]string{"c"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("statements after it are refused, because each would commit on its own", func(t *testing.T) {
		inBubble(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, limit(10))
			var after error
			err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				_ = fill(ctx, tx)
				after = insert("a")(ctx, tx)
				return nil // as if nothing had happened
			})
			if !errors.Is(after, writer.ErrLost) {
				t.Errorf("the next statement got %v, want %v", after, writer.ErrLost)
			}
			if !db.Unavailable(err) {
				t.Errorf("got %v, want it to be unavailable", err)
			}
			if got := rows(t, db); len(got) != 0 {
				t.Errorf("%v remained", got)
			}
		})
	})
}

func TestStatementsOfOthers(t *testing.T) {
	db := newSQLite(t)
	err := db.Write(t.Context(), func(_ context.Context, tx *ent.Client) error {
		return insert("a")(t.Context(), tx) // not the context that was lent
	})
	if err == nil {
		t.Error("a statement that cannot show its turn was accepted")
	}
}
