package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"sellerd/internal/store/standby"
	"sellerd/internal/store/values"
)

// This file runs the statements of hot reads. database/sql and pgx's adapter to it cost as much as such a statement on
// PostgreSQL: they make a driver connection for every statement, and a function for every column. There pgx is used directly.

// Rows are the rows of a query, to be used as *sql.Rows is, which is one form of them.
type Rows = standby.Rows

// Query runs one statement that only reads, outside of a transaction. It does what QueryContext of Reader does, for less.
func (db *DB) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	return db.engine.query(ctx, query, args)
}

// query implements engine.
func (s *sqlite) query(ctx context.Context, query string, args []any) (Rows, error) {
	rows, err := readingPool{s.reading}.QueryContext(ctx, query, args...) //nolint:rowserrcheck // the caller reads the error of the rows
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// sends is how often a statement is sent over another connection if one turns out to be closed.
const sends = 3

// query implements engine. Errors come with the first row, which is therefore awaited here. A statement that was not sent,
// because its connection was closed meanwhile, is sent over another one; one that collided with a transaction runs again.
func (p *postgres) query(ctx context.Context, query string, args []any) (Rows, error) {
	ctx, cancel := bounded(ctx)
	for attempt := 1; ; attempt++ {
		rows, err := p.awaitRows(ctx, cancel, query, args)
		if err == nil {
			return rows, nil
		}
		if err := p.giveUp(ctx, attempt, err); err != nil {
			cancel()
			return nil, err
		}
	}
}

// awaitRows sends a statement and awaits its first row. The rows call end when they are closed.
func (p *postgres) awaitRows(ctx context.Context, end func(), query string, args []any) (Rows, error) {
	for send := 1; ; send++ {
		rows, err := p.pool.Query(ctx, query, args...)
		if err == nil {
			ahead := rows.Next()
			if err = rows.Err(); err == nil {
				return &pgRows{rows: rows, end: end, awaited: true, ahead: ahead}, nil
			}
			rows.Close()
		}
		if send == sends || !pgconn.SafeToRetry(err) {
			return nil, err
		}
	}
}

// pgRows are the rows of a query on PostgreSQL.
type pgRows struct {
	rows    pgx.Rows
	end     context.CancelFunc
	awaited bool // the next row has been asked for
	ahead   bool // there is one
}

// Next implements Rows.
func (r *pgRows) Next() bool {
	if r.awaited {
		r.awaited = false
		return r.ahead
	}
	return r.rows.Next()
}

// Err implements Rows.
func (r *pgRows) Err() error { return r.rows.Err() }

// Close implements Rows.
func (r *pgRows) Close() error {
	r.rows.Close()
	r.end()
	return r.rows.Err()
}

// Scan implements Rows.
func (r *pgRows) Scan(targets ...any) error {
	return values.Scan(r.rows.Conn().TypeMap(), r.rows.FieldDescriptions(), r.rows.RawValues(), targets)
}
