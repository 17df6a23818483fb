package copying

import (
	"context"

	"sellerd/internal/store"
)

// database is one side of a copy. All of it runs in the transaction that is open; there is always one.
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
	// placeholder is the n-th argument in a statement, from 1 on.
	placeholder(n int) string
}

// over is a connection as a side of a copy.
func over(b *store.Bulk) database {
	if b.Postgres != nil {
		return &postgres{conn: b.Postgres}
	}
	return &sqlite{conn: b.SQLite}
}
