package copying

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
)

// sqlite is a file.
type sqlite struct {
	session

	// The statements that insert many rows and one, of the table that is being filled.
	filled    *table
	many, one *sql.Stmt
	atOnce    int
}

// kindsOfSQLite are the kinds of columns by their declared types.
var kindsOfSQLite = map[string]kind{"integer": integer, "bigint": integer, "bool": boolean, "boolean": boolean, "text": text, "blob": blob, "real": real}

func (s *sqlite) look(ctx context.Context) error {
	if err := s.control(ctx, "BEGIN DEFERRED", true); err != nil {
		return err
	}
	_, err := s.ask(ctx, "SELECT count(*) FROM sqlite_schema") // from here on nothing changes
	return err
}

func (s *sqlite) begin(ctx context.Context) error { return s.control(ctx, "BEGIN IMMEDIATE", true) }

// commit implements database. SQLite in this mode makes all commits durable at a checkpoint.
func (s *sqlite) commit(ctx context.Context, durable bool) error {
	if err := s.control(ctx, "COMMIT", false); err != nil {
		return err
	}
	if !durable {
		return nil
	}
	_, err := s.ask(ctx, "PRAGMA wal_checkpoint(FULL)")
	return err
}

func (s *sqlite) tables(ctx context.Context) (found []*table, err error) {
	names, err := s.ask(ctx, `SELECT name, CAST(sql LIKE '%AUTOINCREMENT%' AS text) FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\'`)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if own[name[0]] {
			continue
		}
		t := &table{name: name[0]}
		columns, err := s.ask(ctx, "SELECT name, lower(type), CAST(pk AS text) FROM pragma_table_info($1) ORDER BY pk, cid", t.name)
		if err != nil {
			return nil, err
		}
		for i, c := range columns {
			k, known := kindsOfSQLite[c[1]]
			if !known {
				return nil, fmt.Errorf("the column %s.%s has the type %s, which this package does not know", t.name, c[0], c[1])
			}
			t.columns = append(t.columns, column{c[0], k})
			if c[2] != "0" { // sorted by its place in the key
				t.key = append(t.key, i)
			}
		}
		if name[1] == "1" && len(t.key) == 1 {
			t.counter = t.columns[t.key[0]].name
		}
		refers, err := s.ask(ctx, `SELECT DISTINCT "table" FROM pragma_foreign_key_list($1)`, t.name)
		if err != nil {
			return nil, err
		}
		for _, other := range refers {
			if other[0] != t.name {
				t.refers = append(t.refers, other[0])
			}
		}
		found = append(found, t)
	}
	return order(found)
}

// mostArguments of a statement, half of what SQLite takes.
const mostArguments = 16_000

func (s *sqlite) insert(ctx context.Context, t *table, rows [][]any) error {
	if err := s.prepare(ctx, t); err != nil {
		return err
	}
	values := make([]any, 0, s.atOnce*len(t.columns))
	for len(rows) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		statement, n := s.one, 1
		if len(rows) >= s.atOnce {
			statement, n = s.many, s.atOnce
		}
		values = values[:0]
		for _, row := range rows[:n] {
			values = append(values, row...)
		}
		// With a context that can end, the driver would start a goroutine each time.
		if _, err := statement.ExecContext(context.Background(), values...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// prepare makes the statements for a table, and closes those of the table before.
func (s *sqlite) prepare(ctx context.Context, t *table) (err error) {
	if s.filled == t {
		return nil
	}
	if err := s.release(); err != nil {
		return err
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ") + ")"
	into := "INSERT INTO " + quoted(t.name) + " (" + t.list() + ") VALUES "
	s.atOnce = min(100, mostArguments/len(t.columns))
	if s.one, err = s.conn.PrepareContext(ctx, into+row); err != nil {
		return err
	}
	if s.many, err = s.conn.PrepareContext(ctx, into+strings.TrimSuffix(strings.Repeat(row+", ", s.atOnce), ", ")); err != nil {
		return err
	}
	s.filled = t
	return nil
}

func (s *sqlite) release() (err error) {
	for _, statement := range []*sql.Stmt{s.many, s.one} {
		if statement != nil {
			err = errors.Join(err, statement.Close())
		}
	}
	s.many, s.one, s.filled = nil, nil, nil
	return err
}

func (s *sqlite) next(ctx context.Context, t *table) (int64, error) {
	return number(s.ask(ctx, "SELECT CAST(coalesce(max(seq), 0) + 1 AS text) FROM sqlite_sequence WHERE name = $1", t.name))
}

func (s *sqlite) setNext(ctx context.Context, t *table, next int64) error {
	if _, err := s.run(ctx, "DELETE FROM sqlite_sequence WHERE name = $1", t.name); err != nil {
		return err
	}
	if next <= 1 { // as if there had never been a row
		return nil
	}
	_, err := s.run(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", t.name, next-1)
	return err
}

// postpone implements database.
func (s *sqlite) postpone(context.Context) error { return nil }

// finish implements database. The store keeps no statistics in a file.
func (s *sqlite) finish(context.Context) error { return s.release() }
