package copying

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"

	"sellerd/internal/store/sqlite3"
)

// sqlite is a file.
type sqlite struct {
	conn sqlite3.Conn
	open bool

	// The statements that insert many rows and one, of the table that is being filled.
	filled    *table
	many, one stmt
	atOnce    int
}

// stmt is a prepared statement of the driver.
type stmt interface {
	driver.Stmt
	driver.StmtExecContext
}

// kindsOfSQLite are the kinds of columns by their declared types.
var kindsOfSQLite = map[string]kind{"integer": integer, "bigint": integer, "bool": boolean, "boolean": boolean, "text": text, "blob": blob, "real": real}

func (s *sqlite) placeholder(int) string { return "?" }

func (s *sqlite) look(ctx context.Context) error {
	if err := s.control(ctx, "BEGIN DEFERRED"); err != nil {
		return err
	}
	_, err := s.ask(ctx, "SELECT count(*) FROM sqlite_schema") // from here on nothing changes
	return err
}

func (s *sqlite) begin(ctx context.Context) error { return s.control(ctx, "BEGIN IMMEDIATE") }

// commit implements database. SQLite in this mode makes all commits durable at a checkpoint.
func (s *sqlite) commit(ctx context.Context, durable bool) error {
	if err := s.control(ctx, "COMMIT"); err != nil {
		return err
	}
	if !durable {
		return nil
	}
	_, err := s.ask(ctx, "PRAGMA wal_checkpoint(FULL)")
	return err
}

func (s *sqlite) control(ctx context.Context, statement string) error {
	_, err := s.run(ctx, statement)
	if err == nil {
		s.open = statement != "COMMIT"
	}
	return err
}

func (s *sqlite) rollback() {
	if s.open {
		_, _ = s.run(context.Background(), "ROLLBACK") // it fails if SQLite has rolled back by itself
		s.open = false
	}
}

func (s *sqlite) run(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := s.conn.ExecContext(ctx, statement, named(args))
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s *sqlite) ask(ctx context.Context, query string, args ...any) (answer [][]string, err error) {
	rows, err := s.conn.QueryContext(ctx, query, named(args))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]driver.Value, len(rows.Columns()))
	for {
		if err := rows.Next(values); errors.Is(err, io.EOF) {
			return answer, nil
		} else if err != nil {
			return nil, err
		}
		line := make([]string, len(values))
		for i, value := range values {
			if value != nil {
				line[i] = fmt.Sprint(value)
			}
		}
		answer = append(answer, line)
	}
}

func named(args []any) []driver.NamedValue {
	values := make([]driver.NamedValue, len(args))
	for i, arg := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: arg}
	}
	return values
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
		columns, err := s.ask(ctx, "SELECT name, lower(type), CAST(pk AS text) FROM pragma_table_info(?) ORDER BY pk, cid", t.name)
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
		refers, err := s.ask(ctx, `SELECT DISTINCT "table" FROM pragma_foreign_key_list(?)`, t.name)
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

func (s *sqlite) read(ctx context.Context, t *table, p part, each func(row []any) error) (err error) {
	query, args := t.query(p, s.placeholder)
	rows, err := s.conn.QueryContext(ctx, query, named(args))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	values := make([]driver.Value, len(t.columns))
	for {
		if err := rows.Next(values); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		row := make([]any, len(values))
		for i, value := range values {
			row[i] = value
		}
		if err := t.normalize(row); err != nil {
			return err
		}
		if err := each(row); err != nil {
			return err
		}
	}
}

// mostArguments of a statement, half of what SQLite takes.
const mostArguments = 16_000

func (s *sqlite) insert(ctx context.Context, t *table, rows [][]any) error {
	if err := s.prepare(ctx, t); err != nil {
		return err
	}
	values := make([]driver.NamedValue, 0, s.atOnce*len(t.columns))
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
			for _, value := range row {
				values = append(values, driver.NamedValue{Ordinal: len(values) + 1, Value: value})
			}
		}
		// With a context that can end, the driver would start a goroutine each time.
		if _, err := statement.ExecContext(context.Background(), values); err != nil {
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
	if s.one, err = s.statement(ctx, into+row); err != nil {
		return err
	}
	if s.many, err = s.statement(ctx, into+strings.TrimSuffix(strings.Repeat(row+", ", s.atOnce), ", ")); err != nil {
		return err
	}
	s.filled = t
	return nil
}

func (s *sqlite) statement(ctx context.Context, text string) (stmt, error) {
	prepared, err := s.conn.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	return prepared.(stmt), nil
}

func (s *sqlite) release() (err error) {
	for _, statement := range []stmt{s.many, s.one} {
		if statement != nil {
			err = errors.Join(err, statement.Close())
		}
	}
	s.many, s.one, s.filled = nil, nil, nil
	return err
}

func (s *sqlite) next(ctx context.Context, t *table) (int64, error) {
	return number(s.ask(ctx, "SELECT CAST(coalesce(max(seq), 0) + 1 AS text) FROM sqlite_sequence WHERE name = ?", t.name))
}

func (s *sqlite) setNext(ctx context.Context, t *table, next int64) error {
	if _, err := s.run(ctx, "DELETE FROM sqlite_sequence WHERE name = ?", t.name); err != nil {
		return err
	}
	if next <= 1 { // as if there had never been a row
		return nil
	}
	_, err := s.run(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", t.name, next-1)
	return err
}

// postpone implements database.
func (s *sqlite) postpone(context.Context) error { return nil }

// finish implements database. The store keeps no statistics in a file.
func (s *sqlite) finish(context.Context) error { return s.release() }
