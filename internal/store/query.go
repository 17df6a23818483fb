package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sellerd/internal/store/standby"
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

// query implements engine. Errors come with the first row, which is therefore awaited here. A statement that was not sent,
// because its connection was closed meanwhile, is sent over another one; one that collided with a transaction runs again.
func (p *postgres) query(ctx context.Context, query string, args []any) (Rows, error) {
	ctx, cancel := bounded(ctx)
	rows := &pgRows{end: cancel, awaited: true}
	if err := p.again(ctx, func() error { return overAnother(func() error { return rows.send(ctx, p, query, args) }) }); err != nil {
		cancel()
		return nil, err
	}
	return rows, nil
}

// pgRows are the rows of a query on PostgreSQL.
type pgRows struct {
	rows    pgx.Rows
	end     func() // is called when they are closed
	awaited bool   // the next row has been asked for
	ahead   bool   // there is one
}

// send sends a statement and awaits its first row.
func (r *pgRows) send(ctx context.Context, p *postgres, query string, args []any) (err error) {
	if r.rows, err = p.pool.Query(ctx, query, args...); err != nil {
		return err
	}
	r.ahead = r.rows.Next()
	if err = r.rows.Err(); err != nil {
		r.rows.Close()
	}
	return err
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
	fields, values := r.rows.FieldDescriptions(), r.rows.RawValues()
	if len(targets) != len(values) {
		return fmt.Errorf("store: %d targets for %d columns", len(targets), len(values))
	}
	for i, target := range targets {
		if err := scanValue(r.rows.Conn().TypeMap(), &fields[i], values[i], target); err != nil {
			return fmt.Errorf("store: scan column %s: %w", fields[i].Name, err)
		}
	}
	return nil
}

// These are targets that take a value without an allocation. Each has Scan of sql.Scanner for other values, such as NULL.
type (
	numberTarget interface{ ScanNumber(n int64) error }
	textTarget   interface{ ScanText(text []byte) error } // which is valid during the call
)

// scanValue puts one value into a target.
func scanValue(types *pgtype.Map, field *pgconn.FieldDescription, value []byte, target any) error {
	switch {
	case value == nil:
	case field.DataTypeOID == pgtype.Int8OID && field.Format == pgtype.BinaryFormatCode && len(value) == 8:
		if t, ok := target.(numberTarget); ok {
			return t.ScanNumber(int64(binary.BigEndian.Uint64(value)))
		}
	case field.DataTypeOID == pgtype.TextOID || field.DataTypeOID == pgtype.VarcharOID:
		if t, ok := target.(textTarget); ok {
			return t.ScanText(value)
		}
	}
	scanner, ok := target.(sql.Scanner)
	if !ok {
		return types.Scan(field.DataTypeOID, field.Format, value, target)
	}
	if value == nil {
		return scanner.Scan(nil)
	}
	// Map.Scan would make a plan for the scanner of every value.
	known, ok := types.TypeForOID(field.DataTypeOID)
	if !ok {
		return fmt.Errorf("the type %d is unknown", field.DataTypeOID)
	}
	decoded, err := known.Codec.DecodeDatabaseSQLValue(types, field.DataTypeOID, field.Format, value)
	if err != nil {
		return err
	}
	return scanner.Scan(decoded)
}
