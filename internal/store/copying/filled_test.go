package copying

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent/itemword"
	schema "sellerd/ent/migrate"
	"sellerd/internal/proof/pgtest"
	"sellerd/internal/store"
)

// This file makes databases in which every table of the schema has rows with values of every kind. The tables come from the
// schema of ent, and not from the catalogues that a copy reads.

// allTables are the tables that ent makes, and that of words, which is a view for ent.
var allTables = append(slices.Clone(schema.Tables), &schemaTable{
	Name: itemword.Table, Columns: []*schemaColumn{{Name: itemword.FieldOwner}, {Name: itemword.FieldWord}, {Name: itemword.FieldItemID}},
})

// filledRows is how many rows each table gets.
const filledRows = 30

// strange are texts that two databases and the format between them could take differently.
var strange = []string{"", " ", "Léa Müller", `\N`, `\.`, "a\tb\nc\r\n", `"quoted" 'twice'`, "日本語 🖂", "NULL", "$1 ?", strings.Repeat("long ", 2_000)}

// source makes a database with rows in every table.
func source(t *testing.T, url string) string {
	t.Helper()
	db, err := store.Open(t.Context(), store.Config{URL: url}) // with all tables, it is no unfinished copy
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	b, err := store.OpenBulkWriter(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	}()
	side := over(b)
	rng := rand.New(rand.NewPCG(1, 2))
	inTransaction(t, side, func(ctx context.Context) error {
		tables, err := side.tables(ctx)
		if err != nil {
			return err
		}
		for _, found := range tables { // in the order of their references
			i := slices.IndexFunc(allTables, func(s *schemaTable) bool { return s.Name == found.name })
			if i < 0 {
				t.Errorf("the schema of ent does not have the table %s", found.name)
				continue
			}
			if err := side.insert(ctx, found, rowsOf(allTables[i], found, rng)); err != nil {
				return fmt.Errorf("fill %s: %w", found.name, err)
			}
			if found.counter != "" { // its last numbers were given to rows that are gone
				if err := side.setNext(ctx, found, 5_000); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return url
}

// rowsOf invents rows. Columns that are unique or part of the key differ in every row.
func rowsOf(wanted *schemaTable, t *table, rng *rand.Rand) [][]any {
	parents := map[string]bool{} // columns that refer to the id of another table
	for _, key := range wanted.ForeignKeys {
		parents[key.Columns[0].Name] = true
	}
	rows := make([][]any, filledRows)
	for n := range rows {
		rows[n] = make([]any, len(t.columns))
		for i, c := range t.columns {
			at := slices.IndexFunc(wanted.Columns, func(s *schemaColumn) bool { return s.Name == c.name })
			switch {
			case slices.Contains(t.key, i) && c.kind == integer || parents[c.name]:
				rows[n][i] = int64(1_000 + n)
			case slices.Contains(t.key, i):
				rows[n][i] = fmt.Sprintf("%s %d", strange[n%3], n)
			case wanted.Columns[at].Nullable && rng.IntN(3) == 0:
			default:
				rows[n][i] = valueOf(c, n, rng)
			}
		}
	}
	return rows
}

// valueOf invents a value.
func valueOf(c column, n int, rng *rand.Rand) any {
	switch c.kind {
	case integer:
		if strings.HasSuffix(c.name, "_at") { // tables may be partitioned by time
			return time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC).UnixMicro() + rng.Int64N(1e12)
		}
		return []int64{math.MaxInt64 - int64(n), math.MinInt64 + int64(n), int64(n), -int64(n), rng.Int64()}[n%5]
	case boolean:
		return n%2 == 0
	case blob:
		if n == 0 {
			return []byte{}
		}
		return fmt.Appendf(nil, "\x00\xff%d", n)
	case real:
		return []float64{0, 0.1, -1e300, 5e-324, float64(n)}[n%5]
	}
	return strange[n%len(strange)] + fmt.Sprint(n/len(strange))
}

// inTransaction runs work in a transaction of one side, and commits it.
func inTransaction(t *testing.T, side database, work func(ctx context.Context) error) {
	t.Helper()
	ctx := t.Context()
	if err := side.begin(ctx); err != nil {
		t.Fatal(err)
	}
	defer side.rollback()
	if err := work(ctx); err != nil {
		t.Fatal(err)
	}
	if err := side.commit(ctx, false); err != nil {
		t.Fatal(err)
	}
}

// on opens a database for statements of a test, beside the rules of a copy.
func on(t *testing.T, url string, work func(ctx context.Context, side database) error) {
	t.Helper()
	b, err := store.OpenBulkWriter(t.Context(), store.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	side := over(b)
	inTransaction(t, side, func(ctx context.Context) error { return work(ctx, side) })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// change runs a statement that changes one row.
func change(t *testing.T, url, statement string) {
	t.Helper()
	on(t, url, func(ctx context.Context, side database) error {
		n, err := side.run(ctx, statement)
		if n != 1 {
			t.Errorf("%s changed %d rows", statement, n)
		}
		return err
	})
}

func newSQLite(t *testing.T) string   { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") }
func newPostgres(t *testing.T) string { return pgtest.URL(t, migrate) }

// migrate makes the tables of a PostgreSQL, as an administrator may have done before a copy.
func migrate(url string) error {
	db, err := store.Open(context.Background(), store.Config{URL: url})
	if err != nil {
		return err
	}
	return db.Close()
}

// kinds of databases, by their names.
var kinds = map[string]func(*testing.T) string{"SQLite": newSQLite, "PostgreSQL": newPostgres}

// eachPair runs a test for each pair of a source and a target.
func eachPair(t *testing.T, test func(t *testing.T, from, to func(*testing.T) string)) {
	for from, newSource := range kinds {
		for to, newTarget := range kinds {
			t.Run(from+" to "+to, func(t *testing.T) {
				t.Parallel()
				test(t, newSource, newTarget)
			})
		}
	}
}

// copied copies, and expects success.
func copied(t *testing.T, o Options) Report {
	t.Helper()
	report, err := Copy(t.Context(), o)
	if err != nil {
		t.Fatalf("copy %s to %s: %v", o.From, o.To, err)
	}
	return report
}

func TestEveryTableOfTheSchemaIsCopied(t *testing.T) {
	var want []string
	for _, s := range allTables {
		want = append(want, s.Name)
	}
	slices.Sort(want)
	eachPair(t, func(t *testing.T, from, to func(*testing.T) string) {
		o := Options{From: source(t, from(t)), To: to(t)}
		report := copied(t, o)
		var got []string
		for _, c := range report.Tables {
			got = append(got, c.Name)
			if c.Rows != filledRows {
				t.Errorf("%s: %d rows, want %d", c.Name, c.Rows, filledRows)
			}
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tables (-schema +copied):\n%s", diff)
		}
		compared, err := Compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(report.Tables, compared.Tables); diff != "" {
			t.Errorf("(-copied +compared):\n%s", diff)
		}
		on(t, o.To, func(ctx context.Context, side database) error {
			tables, err := side.tables(ctx)
			counters := 0
			for _, found := range tables {
				if found.counter == "" {
					continue
				}
				counters++
				if next, err := side.next(ctx, found); err != nil || next != 5_000 {
					t.Errorf("the next row of %s gets the number %d, want 5000 (%v)", found.name, next, err)
				}
			}
			if counters == 0 {
				t.Error("no table numbers its rows itself")
			}
			return err
		})
	})
}

// TestDigestsDoNotDependOnTheDatabase copies the same rows through both kinds and back.
func TestDigestsDoNotDependOnTheDatabase(t *testing.T) {
	t.Parallel()
	at := source(t, newSQLite(t))
	var first []Copied
	for i, next := range []func(*testing.T) string{withoutTables, newSQLite, newPostgres, newSQLite} {
		to := next(t)
		report := copied(t, Options{From: at, To: to})
		slices.SortFunc(report.Tables, func(a, b Copied) int { return strings.Compare(a.Name, b.Name) })
		if i == 0 {
			first = report.Tables
		} else if diff := cmp.Diff(first, report.Tables); diff != "" {
			t.Errorf("copy %d (-first +this):\n%s", i+1, diff)
		}
		at = to
	}
}

// withoutTables is an empty PostgreSQL, in which a copy makes the tables.
func withoutTables(t *testing.T) string { return pgtest.URL(t, nil) }
