package store

import (
	"context"
	"fmt"
	"testing"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/ent/itemword"
)

// TestTheTableOfWords: ent does not make the table of a view, so no comparison with its schema tells what the migrations make.
func TestTheTableOfWords(t *testing.T) {
	t.Run("on SQLite", func(t *testing.T) {
		got, err := askAll[string](t.Context(), newSQLite(t).Reader(), "SELECT coalesce(sql, name) FROM sqlite_schema WHERE tbl_name = 'item_words'")
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"CREATE TABLE \"item_words\" (`owner` integer NOT NULL, `word` text NOT NULL, `item_id` integer NOT NULL, " +
			"`id` integer GENERATED ALWAYS AS (`item_id`) VIRTUAL, PRIMARY KEY (`owner`, `word`, `item_id`)) WITHOUT ROWID"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("on PostgreSQL", func(t *testing.T) {
		var got []string
		for _, line := range describe(t, newPostgres(t, "").engine.(*postgres).db) {
			if wordLine.MatchString(line) {
				got = append(got, line)
			}
		}
		want := []string{
			"CREATE UNIQUE INDEX item_words_pkey ON public.item_words USING btree (owner, word, item_id)",
			"column item_words.item_id bigint null NO default  collate  identity ",
			"column item_words.owner bigint null NO default  collate  identity ",
			"column item_words.word text null NO default  collate C identity ",
			"constraint item_words_pkey PRIMARY KEY (owner, word, item_id)",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestMigratingKeepsTheWords brings words of two owners, in no order, to the present schema.
func TestMigratingKeepsTheWords(t *testing.T) {
	before := `INSERT INTO item_words (owner, word, item_id) VALUES (5, 'rouge', 11), (4, 'timbre', 12), (4, 'écu', 11), (5, 'écu', 9), (4, 'timbre', 3)`
	onBothEmpty(t, func(t *testing.T, database emptyDatabase) {
		migratedTo(t, 15, database, before)
		want := []string{"4 timbre 3", "4 timbre 12", "4 écu 11", "5 rouge 11", "5 écu 9"}
		if diff := cmp.Diff(want, words(t, open(t, Config{URL: database.url}))); diff != "" {
			t.Errorf("words (-want +got):\n%s", diff)
		}
	})
}

// words are those of all owners in the order of their key.
func words(t *testing.T, db *DB) (lines []string) {
	t.Helper()
	found, err := db.Reader().ItemWord.Query().Order(ent.Asc(itemword.FieldOwner, itemword.FieldWord, itemword.FieldItemID)).All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range found {
		lines = append(lines, fmt.Sprint(row.Owner, " ", row.Word, " ", row.ItemID))
	}
	return lines
}

// TestAnOlderProgramsWords runs the statements of a program from before the words' key, which knew a word by its id: it stores words, and
// removes those of test data in parts until there are none.
func TestAnOlderProgramsWords(t *testing.T) {
	onBoth(t, func(t *testing.T, db *DB) {
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, "INSERT INTO item_words (owner, word, item_id) VALUES ($1, $2, $3), ($1, $4, $5), ($1, $6, $7), ($8, $9, $10)",
				5, "ceres", 11, "rouge", 12, "timbre", 11, 4, "rouge", 13)
			return err
		})
		quote := "`"
		if db.dialect == dialect.Postgres {
			quote = `"`
		}
		column := func(name string) string { return quote + "item_words" + quote + "." + quote + name + quote }
		from := " FROM " + quote + "item_words" + quote + " WHERE "
		removed := 0
		mustWrite(t, db, func(ctx context.Context, tx *ent.Client) error {
			for removed = 0; removed < 3; {
				ids, err := askAll[int64](ctx, tx, "SELECT "+column("id")+from+column("owner")+" = $1 ORDER BY "+column("word")+", "+column("item_id")+" LIMIT 1", 5)
				if err != nil {
					return err
				}
				if len(ids) == 0 {
					return nil
				}
				result, err := tx.ExecContext(ctx, "DELETE"+from+column("id")+" IN ($1)", ids[0])
				if err != nil {
					return err
				}
				n, err := result.RowsAffected()
				if err != nil {
					return err
				}
				removed += int(n)
			}
			return nil
		})
		if removed != 3 {
			t.Errorf("it removed %d words, want 3", removed)
		}
		if diff := cmp.Diff([]string{"4 rouge 13"}, words(t, db)); diff != "" {
			t.Errorf("words that are left (-want +got):\n%s", diff)
		}
	})
}
