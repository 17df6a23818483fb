package copying

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"entgo.io/ent/dialect"

	"sellerd/internal/store"
)

// database is one side of a copy. All of it runs in the transaction that is open; there is always one. Statements have $1, $2 and so on for
// their arguments.
type database interface {
	// look begins a transaction that only reads, and sees the database as it is now.
	look(ctx context.Context) error
	// begin begins a transaction that writes.
	begin(ctx context.Context) error
	// commit ends the transaction. With durable, all that was ever committed then survives a crash of the machine.
	commit(ctx context.Context, durable bool) error
	// rollback ends the transaction, if one is open, also after a failure.
	rollback()

	// tables reads the catalogue.
	tables(ctx context.Context) ([]*table, error)
	// read passes rows to each, with their values as the table's columns have them. Each keeps the row.
	read(ctx context.Context, t *table, p part, each func(row []any) error) error
	// insert stores rows.
	insert(ctx context.Context, t *table, rows [][]any) error
	// next is the number that the database will give to the next row of a table with a counter.
	next(ctx context.Context, t *table) (int64, error)
	// setNext changes it.
	setNext(ctx context.Context, t *table, next int64) error
	// postpone puts off work that costs less for all rows at once until finish. It is called once, when the table of marks is new.
	postpone(ctx context.Context) error
	// finish does what a filled database needs, outside of a transaction.
	finish(ctx context.Context) error

	// ask is the rows that a small query returns, as texts.
	ask(ctx context.Context, query string, args ...any) ([][]string, error)
	// run runs a statement, and returns how many rows it changed.
	run(ctx context.Context, statement string, args ...any) (int64, error)
}

// over is a connection as a side of a copy.
func over(b *store.Bulk) database {
	if b.Dialect == dialect.Postgres {
		return &postgres{session{conn: b.Conn}}
	}
	return &sqlite{session{conn: b.Conn}}
}

// session is what both databases do alike.
type session struct {
	conn *sql.Conn
	open bool
}

// control begins or ends a transaction, which is open afterwards or not.
func (s *session) control(ctx context.Context, statements string, open bool) error {
	_, err := s.run(ctx, statements)
	if err == nil {
		s.open = open
	}
	return err
}

// rollbackLimit is how long a server may take to end a transaction that is given up.
const rollbackLimit = 5 * time.Second

// rollback implements database. It fails if the database has rolled back by itself, or if the connection is about to be closed.
func (s *session) rollback() {
	if s.open {
		ctx, cancel := context.WithTimeout(context.Background(), rollbackLimit)
		defer cancel()
		_, _ = s.run(ctx, "ROLLBACK")
		s.open = false
	}
}

func (s *session) run(ctx context.Context, statement string, args ...any) (int64, error) {
	result, err := s.conn.ExecContext(ctx, statement, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

func (s *session) ask(ctx context.Context, query string, args ...any) (answer [][]string, err error) {
	err = s.each(ctx, query, args, func(values []any) error {
		line := make([]string, len(values))
		for i, value := range values {
			if value != nil {
				line[i] = fmt.Sprint(value)
			}
		}
		answer = append(answer, line)
		return nil
	})
	return answer, err
}

func (s *session) read(ctx context.Context, t *table, p part, each func(row []any) error) error {
	query, args := t.query(p)
	return s.each(ctx, query, args, func(values []any) error {
		row := slices.Clone(values)
		if err := t.normalize(row); err != nil {
			return err
		}
		return each(row)
	})
}

// each calls do with the values of each row, which are its own until the next row.
func (s *session) each(ctx context.Context, query string, args []any, do func(values []any) error) (err error) {
	rows, err := s.conn.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, targets := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		targets[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		if err := do(values); err != nil {
			return err
		}
	}
	return rows.Err()
}
