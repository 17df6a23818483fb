package copying

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"entgo.io/ent/dialect/sql/schema"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/store"
)

type (
	schemaTable  = schema.Table
	schemaColumn = schema.Column
)

// stopped runs a copy that is stopped after some rows, and returns how many it added.
func stopped(t *testing.T, o Options, rows int64) (added int64) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	copying := false
	o.Begin = func(phase string, _ int64) { copying = phase == "copying" }
	o.Add = func(n int64) {
		if !copying {
			return
		}
		if added += n; added >= rows {
			stop()
		}
	}
	if _, err := Copy(ctx, o); err == nil {
		t.Fatal("the copy was not stopped")
	}
	return added
}

// unfinished makes an unfinished copy of a few tables.
func unfinished(t *testing.T, from, to func(*testing.T) string) Options {
	t.Helper()
	o := Options{From: source(t, from(t)), To: to(t), step: 17}
	stopped(t, o, 75) // two and a half tables
	return o
}

func TestACopyGoesOnWhereItStopped(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to func(*testing.T) string) {
		o := Options{From: source(t, from(t)), To: to(t), step: 17}
		before := int64(0)
		for range 3 {
			before += stopped(t, o, 75)
			if _, err := store.Open(t.Context(), store.Config{URL: o.To}); !is(err, store.ProblemUnfinished) {
				t.Fatalf("an unfinished copy can be opened: %v", err)
			}
		}
		report := copied(t, o)
		if report.Before < before || report.Before >= report.Rows {
			t.Errorf("%d of %d rows were there before, want at least %d", report.Before, report.Rows, before)
		}
		if _, err := Compare(t.Context(), o); err != nil {
			t.Error(err)
		}
		db, err := store.Open(t.Context(), store.Config{URL: o.To, Existing: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestACopyHasAllIndexesAndForeignKeys looks at PostgreSQL, where they are made after the rows. A copy stops before the last one.
func TestACopyHasAllIndexesAndForeignKeys(t *testing.T) {
	t.Parallel()
	made := func(url string) (found [][]string) {
		on(t, url, func(ctx context.Context, side database) (err error) {
			found, err = side.ask(ctx, lateOfPostgres+" ORDER BY 1")
			return err
		})
		return found
	}
	want := made(newPostgres(t))
	o := unfinished(t, newSQLite, newPostgres)
	if early := made(o.To); len(early) != 0 {
		t.Errorf("an unfinished copy has %s", early)
	}
	broken := func(set string) string {
		return "UPDATE " + store.CopyTable + " SET state = " + set + " WHERE name = (SELECT max(name) FROM " + store.CopyTable + " WHERE name LIKE '" + foreignKeyMark + "%')"
	}
	change(t, o.To, broken("'-' || state"))
	if _, err := Copy(t.Context(), o); err == nil || !strings.Contains(err.Error(), "make the "+foreignKeyMark) {
		t.Errorf("one of them cannot be made: %v", err)
	}
	change(t, o.To, broken("substr(state, 2)"))
	copied(t, o)
	if diff := cmp.Diff(want, made(o.To)); diff != "" || len(want) < 20 {
		t.Errorf("of %d indexes and foreign keys (-want +got):\n%s", len(want), diff)
	}
}

func TestASourceThatChangedIsDetected(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to func(*testing.T) string) {
		o := unfinished(t, from, to)
		first := func(set string) string { return "UPDATE accounts SET " + set + " WHERE id = 1000" }
		change(t, o.From, first("created_at = created_at + 1"))
		_, err := Copy(t.Context(), o)
		var changed ChangedError
		if !errors.As(err, &changed) || !slices.Equal(changed.Tables, []string{"accounts"}) {
			t.Fatalf("want a source that changed in accounts, got %v", err)
		}
		if strings.Contains(changed.Source, "password") || strings.Contains(changed.Source, "@") {
			t.Errorf("the name of the source is %s", changed.Source)
		}
		change(t, o.From, first("created_at = created_at - 1"))
		change(t, o.From, "UPDATE webhooks SET failures = 12345 WHERE id = 1000") // is not copied yet
		copied(t, o)
		if _, err := Compare(t.Context(), o); err != nil {
			t.Error(err)
		}
	})
}

func TestATargetThatChangedIsDetected(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to func(*testing.T) string) {
		o := unfinished(t, from, to)
		change(t, o.To, "UPDATE accounts SET email = 'x' WHERE id = 1000")
		for range 2 { // it stays unfinished
			_, err := Copy(t.Context(), o)
			var different DifferentError
			if !errors.As(err, &different) || !slices.Equal(different.Tables, []string{"accounts"}) {
				t.Fatalf("want a copy that differs in accounts, got %v", err)
			}
		}
		if _, err := store.Open(t.Context(), store.Config{URL: o.To}); !is(err, store.ProblemUnfinished) {
			t.Errorf("a copy that differs can be opened: %v", err)
		}
	})
}

// TestEveryChangeIsFound changes one value in each table of a finished copy.
func TestEveryChangeIsFound(t *testing.T) {
	for name, to := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := Options{From: source(t, newSQLite(t)), To: to(t)}
			report := copied(t, o)
			b, err := store.OpenBulkWriter(t.Context(), store.Config{URL: o.To})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = b.Close() })
			side := over(b)
			var want []string
			for _, c := range report.Tables {
				statement := ""
				inTransaction(t, side, func(ctx context.Context) error {
					tables, err := side.tables(ctx)
					if err != nil {
						return err
					}
					statement = oneChange(tables[slices.IndexFunc(tables, func(t *table) bool { return t.name == c.Name })])
					_, err = side.run(ctx, statement)
					return err
				})
				want = append(want, c.Name)
				_, err := Compare(t.Context(), o)
				var different DifferentError
				if !errors.As(err, &different) {
					t.Fatalf("after %s: %v", statement, err)
				}
				if diff := cmp.Diff(want, different.Tables); diff != "" {
					t.Fatalf("after %s (-want +got):\n%s", statement, diff)
				}
			}
		})
	}
}

// oneChange is a statement that changes one value of one row a little, which belongs to the key only if all columns do.
func oneChange(t *table) string {
	for i := len(t.columns) - 1; ; i-- {
		c := t.columns[i]
		if slices.Contains(t.key, i) && len(t.key) < len(t.columns) || strings.HasSuffix(c.name, "_id") || c.kind == blob {
			continue
		}
		key := quoted(t.columns[t.key[0]].name)
		value := map[kind]string{
			integer: "coalesce(%s, 0) / 2 + 7", boolean: "NOT %s", text: "coalesce(%s, '') || ' '", real: "coalesce(%s, 0) / 2 + 1",
		}[c.kind]
		return fmt.Sprintf("UPDATE %s SET %s = "+value+" WHERE %s = (SELECT max(%s) FROM %s)", quoted(t.name), quoted(c.name), quoted(c.name), key, key, quoted(t.name))
	}
}

func TestWhatCannotBeCopiedIsRefused(t *testing.T) {
	t.Parallel()
	from := source(t, newSQLite(t))
	file := strings.TrimPrefix(from, "sqlite:")
	link := filepath.Join(t.TempDir(), "link.db")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	t.Run("onto itself", func(t *testing.T) {
		for _, to := range []string{from, "sqlite:" + link} {
			if _, err := Copy(t.Context(), Options{From: from, To: to}); !errors.Is(err, ErrSame) {
				t.Errorf("%s: %v", to, err)
			}
		}
		postgres := source(t, newPostgres(t))
		other := strings.Replace(postgres, "127.0.0.1", "localhost", 1)
		if _, err := Copy(t.Context(), Options{From: postgres, To: other}); !errors.Is(err, ErrSame) {
			t.Error(err)
		}
	})
	t.Run("from nothing, which makes neither database", func(t *testing.T) {
		folder := t.TempDir()
		_, err := Copy(t.Context(), Options{From: "sqlite:" + filepath.Join(folder, "from.db"), To: "sqlite:" + filepath.Join(folder, "to.db")})
		if !is(err, store.ProblemMissing) {
			t.Error(err)
		}
		if left, _ := os.ReadDir(folder); len(left) != 0 {
			t.Errorf("files were made: %v", left)
		}
		if _, err := Copy(t.Context(), Options{From: withoutTables(t), To: newSQLite(t)}); !is(err, store.ProblemMissing) {
			t.Errorf("a PostgreSQL without tables: %v", err)
		}
	})
	for name, to := range kinds {
		t.Run("onto rows in "+name, func(t *testing.T) {
			var full NotEmptyError
			if _, err := Copy(t.Context(), Options{From: from, To: source(t, to(t))}); !errors.As(err, &full) || len(full.Tables) < 20 {
				t.Error(err)
			}
		})
		t.Run("from and to another schema in "+name, func(t *testing.T) {
			for _, versions := range []struct {
				change string
				want   store.Problem
			}{
				{"DELETE FROM goose_db_version WHERE version_id = (SELECT max(version_id) FROM goose_db_version)", store.ProblemOlder},
				{"UPDATE goose_db_version SET version_id = 9999 WHERE version_id = (SELECT max(version_id) FROM goose_db_version)", store.ProblemNewer},
			} {
				other := source(t, to(t))
				change(t, other, versions.change)
				if _, err := Copy(t.Context(), Options{From: other, To: newSQLite(t)}); !is(err, versions.want) {
					t.Errorf("as a source: %v", err)
				}
				if _, err := Copy(t.Context(), Options{From: from, To: other}); !is(err, versions.want) {
					t.Errorf("as a target: %v", err)
				}
			}
		})
		t.Run("onto a server in "+name, func(t *testing.T) {
			url := to(t)
			db, err := store.Open(t.Context(), store.Config{URL: url, Server: true})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = db.Close() })
			if _, err := Copy(t.Context(), Options{From: from, To: url}); !errors.Is(err, ErrServed) && !is(err, store.ProblemServed) {
				t.Error(err)
			}
		})
		t.Run("an unfinished copy in "+name, func(t *testing.T) {
			o := unfinished(t, newSQLite, to)
			if _, err := Copy(t.Context(), Options{From: o.To, To: newSQLite(t)}); !is(err, store.ProblemUnfinished) {
				t.Error(err)
			}
			if _, err := Compare(t.Context(), o); !is(err, store.ProblemUnfinished) {
				t.Error(err)
			}
		})
	}
}

// TestTwoCopiesToOneTarget runs a second copy while the first has begun: it is refused, and the first goes on.
func TestTwoCopiesToOneTarget(t *testing.T) {
	eachPair(t, func(t *testing.T, from, to func(*testing.T) string) {
		o := Options{From: source(t, from(t)), To: to(t)}
		second := o
		var refused error
		o.Begin = func(phase string, _ int64) {
			if phase == "copying" {
				_, refused = Copy(t.Context(), second)
			}
		}
		copied(t, o)
		if strings.HasPrefix(o.To, "sqlite:") && !is(refused, store.ProblemServed) || strings.HasPrefix(o.To, "postgres") && !errors.Is(refused, ErrTaken) {
			t.Errorf("the second copy: %v", refused)
		}
	})
}

func TestAServerOnTheSourceIsNoticed(t *testing.T) {
	for name, from := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := source(t, from(t))
			serve := func() {
				db, err := store.Open(t.Context(), store.Config{URL: url, Server: true})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = db.Close() })
			}
			var notices []string
			o := Options{From: url, To: newSQLite(t), Notice: func(text string) { notices = append(notices, text) }}
			once := sync.OnceFunc(serve)
			o.Begin = func(string, int64) { once() }
			report := copied(t, o)
			if diff := cmp.Diff([]string(nil), notices); diff != "" || report.Served != store.Served {
				t.Errorf("a server that starts meanwhile: %d %s", report.Served, diff)
			}
			o.To, o.Begin = newSQLite(t), nil
			report = copied(t, o)
			want := []string{"a server is running on the source: what it changes from now on is not in the copy"}
			if diff := cmp.Diff(want, notices); diff != "" || report.Served != store.Served {
				t.Errorf("a server that runs already: %d %s", report.Served, diff)
			}
		})
	}
}

// TestALockThatCannotBeOpenedMayBeAServers has a lock file that not even root can open for writing.
func TestALockThatCannotBeOpenedMayBeAServers(t *testing.T) {
	t.Parallel()
	from := source(t, newSQLite(t))
	lock := strings.TrimPrefix(from, "sqlite:") + ".server"
	if err := os.RemoveAll(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o700); err != nil {
		t.Fatal(err)
	}
	var notices []string
	report := copied(t, Options{From: from, To: newPostgres(t), Notice: func(text string) { notices = append(notices, text) }})
	want := []string{"a server may be running on the source, whose lock file belongs to another user: what a server changes from now on is not in the copy. " +
		"Run the command as the user of the server to find out"}
	if diff := cmp.Diff(want, notices); diff != "" || report.Served != store.MaybeServed {
		t.Errorf("%d %s", report.Served, diff)
	}
}

// TestTextThatPostgreSQLCannotStoreIsNamed shows the row and the column, and not the text.
func TestTextThatPostgreSQLCannotStoreIsNamed(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"'secret' || char(0)":       "the column title holds a NUL character, which PostgreSQL cannot store",
		"CAST(x'736563ff' AS text)": "the column title holds text that is not UTF-8, which PostgreSQL cannot store",
		"x'00ff'":                   "the column title does not hold text",
	} {
		from := source(t, newSQLite(t))
		change(t, from, "UPDATE items SET title = "+value+" WHERE id = 1005")
		_, err := Copy(t.Context(), Options{From: from, To: newPostgres(t)})
		if want := "read items: in the row 1005 of items " + want; err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", value, err, want)
		}
	}
}

func TestAFullDiskStopsACopyThatGoesOnLater(t *testing.T) {
	t.Parallel()
	o := Options{From: source(t, newSQLite(t)), To: newSQLite(t), step: 17}
	stopped(t, o, 75)
	c := &copier{Options: o.complete()}
	for _, step := range []func(context.Context) error{
		c.openSource, c.openTarget,
		func(ctx context.Context) error {
			_, err := over(c.target).ask(ctx, "PRAGMA max_page_count = 1") // no more than there are
			return err
		},
		c.prepare,
	} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	before, err := c.resume(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := c.copyRows(t.Context(), before); !store.Full(err) {
		t.Errorf("want a full disk, got %v", err)
	}
	c.from.rollback()
	if err := errors.Join(c.source.Close(), c.target.Close()); err != nil {
		t.Fatal(err)
	}
	copied(t, o)
}

// is says whether an error is a problem of opening a database.
func is(err error, problem store.Problem) bool {
	var open *store.OpenError
	return errors.As(err, &open) && open.Problem == problem
}
