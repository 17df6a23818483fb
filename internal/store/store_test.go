package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
)

func TestWrite(t *testing.T) {
	t.Run("what it wrote is there when it returns", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, insert("a"))
			if diff := cmp.Diff([]string{"a"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("it reads its own writes", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
				if err := insert("a")(ctx, tx); err != nil {
					return err
				}
				n, err := tx.NumberRange.Query().Count(ctx)
				if n != 1 {
					t.Errorf("it sees %d rows, want 1", n)
				}
				return err
			})
		})
	})

	t.Run("an error leaves nothing and comes back as it is", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			refused := errors.New("refused")
			err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				return errors.Join(insert("a")(ctx, tx), refused)
			})
			if !errors.Is(err, refused) {
				t.Errorf("got %v, want %v", err, refused)
			}
			if got := rows(t, db); len(got) != 0 {
				t.Errorf("%v remained", got)
			}
		})
	})

	t.Run("a panic leaves nothing and reaches the caller, and the next write works", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			func() {
				defer func() {
					if got := recover(); got != "out of cheese" {
						t.Errorf("recovered %v", got)
					}
				}()
				_ = db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
					if err := insert("a")(ctx, tx); err != nil {
						return err
					}
					panic("out of cheese")
				})
			}()
			mustWrite(t, db, insert("b"))
			if diff := cmp.Diff([]string{"b"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("a goroutine that ends inside leaves nothing, and the next write works", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				_ = db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
					if err := insert("a")(ctx, tx); err != nil {
						return err
					}
					runtime.Goexit() // as t.FailNow does
					return nil
				})
			}()
			<-ended
			mustWrite(t, db, insert("b"))
			if diff := cmp.Diff([]string{"b"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("a caller who has gone is not called up", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			err := db.Write(ctx, func(context.Context, *ent.Client) error {
				t.Error("the work ran")
				return nil
			})
			if !errors.Is(err, context.Canceled) || db.Unavailable(err) || db.Busy(err) {
				t.Errorf("got %v, want it to say that the context was cancelled and nothing else", err)
			}
		})
	})

	t.Run("a caller who goes in the middle leaves nothing, and the next write works", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
				if err := insert("a")(ctx, tx); err != nil {
					return err
				}
				cancel()
				return insert("b")(ctx, tx)
			})
			if !errors.Is(err, context.Canceled) || db.Unavailable(err) {
				t.Errorf("got %v, want that the context was cancelled", err)
			}
			mustWrite(t, db, insert("c"))
			if diff := cmp.Diff([]string{"c"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("a caller who goes after the last statement leaves nothing", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			ctx, cancel := context.WithCancel(t.Context())
			err := db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
				defer cancel()
				return insert("a")(ctx, tx)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("got %v, want that the context was cancelled", err)
			}
			if got := rows(t, db); len(got) != 0 {
				t.Errorf("%v remained", got)
			}
		})
	})

	t.Run("inside another it is refused", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			err := db.Write(t.Context(), func(ctx context.Context, _ *ent.Client) error {
				return db.Write(ctx, insert("a"))
			})
			if !errors.Is(err, ErrNested) {
				t.Errorf("got %v, want %v", err, ErrNested)
			}
		})
	})

	t.Run("a snapshot inside it is refused", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			err := db.Write(t.Context(), func(ctx context.Context, _ *ent.Client) error {
				return db.Snapshot(ctx, insert("a"))
			})
			if !errors.Is(err, ErrNested) {
				t.Errorf("got %v, want %v", err, ErrNested)
			}
		})
	})

	t.Run("its client is of no use afterwards", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			var kept *ent.Client
			var keptCtx context.Context
			mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
				kept, keptCtx = tx, ctx
				return nil
			})
			if err := insert("a")(keptCtx, kept); err == nil {
				t.Error("a statement after the end was accepted")
			}
			if got := rows(t, db); len(got) != 0 {
				t.Errorf("%v was written", got)
			}
		})
	})

	t.Run("ent's own transactions become part of it", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			refused := errors.New("refused")
			err := db.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				inner, err := tx.Tx(ctx)
				if err != nil {
					return err
				}
				if err := insert("a")(ctx, inner.Client()); err != nil {
					return err
				}
				return errors.Join(inner.Commit(), refused)
			})
			if !errors.Is(err, refused) {
				t.Errorf("got %v, want %v", err, refused)
			}
			if got := rows(t, db); len(got) != 0 {
				t.Errorf("%v was committed by the inner transaction", got)
			}
		})
	})

	t.Run("a second row with the same key is a constraint error", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, insert("a"))
			err := db.Write(t.Context(), insert("a"))
			if !ent.IsConstraintError(err) || db.Unavailable(err) || db.Busy(err) {
				t.Errorf("got %v, want a constraint error and nothing else", err)
			}
		})
	})

	t.Run("numbered parameters are bound in order, also when one is used twice", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
				if _, err := tx.ExecContext(ctx, "INSERT INTO number_ranges (id, next) VALUES ($1, $2), ($3, $2)", "a", 7, "b"); err != nil {
					return err
				}
				got, err := ask[string](ctx, tx, "SELECT id FROM number_ranges WHERE next = $1 AND id > $2 AND next < $1 + $3", 7, "a", 1)
				if got != "b" {
					t.Errorf("found %q, want b", got)
				}
				return err
			})
		})
	})

	t.Run("after Close it is unavailable", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if err := db.Write(t.Context(), insert("a")); !db.Unavailable(err) {
				t.Errorf("got %v, want it to be unavailable", err)
			}
			if _, err := db.Reader().NumberRange.Query().Count(t.Context()); !db.Unavailable(err) {
				t.Errorf("got %v, want it to be unavailable", err)
			}
		})
	})
}

// TestManyWriters has everything happen at once; the race detector watches.
func TestManyWriters(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		const writers, each = 8, 24
		refused := errors.New("refused")
		ends := []struct {
			name string
			work func(id string, leave context.CancelFunc) Work
			want error
		}{
			{"succeeds", func(id string, _ context.CancelFunc) Work { return insert(id) }, nil},
			{"fails", func(id string, _ context.CancelFunc) Work {
				return func(ctx context.Context, tx *ent.Client) error { return errors.Join(insert(id)(ctx, tx), refused) }
			}, refused},
			{"leaves", func(id string, leave context.CancelFunc) Work {
				return func(ctx context.Context, tx *ent.Client) error {
					defer leave()
					return insert(id)(ctx, tx)
				}
			}, context.Canceled},
		}
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				for i := range each {
					end := ends[(w+i)%len(ends)]
					ctx, leave := context.WithCancel(t.Context())
					id := fmt.Sprintf("%s %d %d", end.name, w, i)
					if err := db.Write(ctx, end.work(id, leave)); !errors.Is(err, end.want) {
						t.Errorf("one that %s got %v", end.name, err)
					}
					leave()
				}
			})
		}
		all.Wait()
		found := rows(t, db)
		for _, id := range found {
			if !strings.HasPrefix(id, "succeeds") {
				t.Errorf("there is a row of one that %s", id)
			}
		}
		if got, want := len(found), writers*each/len(ends); got != want {
			t.Errorf("%d rows, want %d", got, want)
		}
	})
}

func TestSnapshot(t *testing.T) {
	t.Run("it sees nothing of what is written after its first read", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			mustWrite(t, db, insert("a"))
			err := db.Snapshot(t.Context(), func(ctx context.Context, tx *ent.Client) error {
				before, err := tx.NumberRange.Query().IDs(ctx)
				if err != nil {
					return err
				}
				mustWrite(t, db, insert("b"))
				after, err := tx.NumberRange.Query().IDs(ctx)
				if diff := cmp.Diff(before, after); diff != "" {
					t.Error(diff)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"a", "b"}, rows(t, db)); diff != "" {
				t.Error(diff)
			}
		})
	})

	t.Run("it cannot write", func(t *testing.T) {
		onBoth(t, func(t *testing.T, db *DB) {
			if err := db.Snapshot(t.Context(), insert("a")); err == nil {
				t.Error("it wrote")
			}
		})
	})
}

func TestSkipLockedAndAwaitLocked(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			return errors.Join(insert("a")(ctx, tx), insert("b")(ctx, tx))
		})
		for name, lock := range map[string]func(string) string{"SkipLocked": db.SkipLocked, "AwaitLocked": db.AwaitLocked} {
			mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
				got, err := askAll[string](ctx, tx, lock("SELECT id FROM number_ranges"))
				if len(got) != 2 {
					t.Errorf("%s: found %v, want both", name, got)
				}
				return err
			})
		}
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			got, err := ask[string](ctx, tx, db.SkipLocked("SELECT id FROM number_ranges ORDER BY id LIMIT 1"))
			if got != "a" {
				t.Errorf("a claim of one row found %q, want a", got)
			}
			return err
		})
	})
}
