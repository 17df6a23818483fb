package standby

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
)

// This file makes *sql.Rows of rows that a standby has sent already.

// buffer has the rows of a query that are left to read. It implements driver.Rows.
type buffer struct {
	columns []string
	rows    [][]any
}

// bufferOf reads all rows, and closes them.
func bufferOf(rows *sql.Rows) (b *buffer, err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	b = &buffer{}
	if b.columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	targets := make([]any, len(b.columns))
	for rows.Next() {
		row := make([]any, len(b.columns))
		for i := range row {
			targets[i] = &row[i]
		}
		if err := rows.Scan(targets...); err != nil {
			return nil, err
		}
		b.rows = append(b.rows, row)
	}
	return b, rows.Err()
}

// Columns implements driver.Rows.
func (b *buffer) Columns() []string { return b.columns }

// Next implements driver.Rows.
func (b *buffer) Next(row []driver.Value) error {
	if len(b.rows) == 0 {
		return io.EOF
	}
	for i, value := range b.rows[0] {
		row[i] = value
	}
	b.rows = b.rows[1:]
	return nil
}

// Close implements driver.Rows.
func (b *buffer) Close() error { return nil }

// errAtPrimary says that the primary has to answer a query.
var errAtPrimary = errors.New("store: the standby does not answer this query")

// bufferingIdle is how many connections of bufferingDriver are kept. They are nothing but memory.
const bufferingIdle = 64

// bufferingDriver makes *sql.Rows of rows of the standby. Its connections, which are the driver itself, only pass queries on. These either
// are answered from the standby or fail with errAtPrimary.
type bufferingDriver struct{ reads *Reads }

// Connect implements driver.Connector.
func (d bufferingDriver) Connect(context.Context) (driver.Conn, error) { return d, nil }

// Driver implements driver.Connector.
func (d bufferingDriver) Driver() driver.Driver { return d }

// Open implements driver.Driver.
func (d bufferingDriver) Open(string) (driver.Conn, error) { return d, nil }

// QueryContext implements driver.QueryerContext.
func (d bufferingDriver) QueryContext(ctx context.Context, query string, named []driver.NamedValue) (driver.Rows, error) {
	args := make([]any, len(named))
	for i := range named {
		args[i] = named[i].Value
	}
	found := d.reads.buffered(ctx, query, args)
	if found == nil {
		return nil, errAtPrimary
	}
	return found, nil
}

// CheckNamedValue implements driver.NamedValueChecker: pgx takes values as they are.
func (d bufferingDriver) CheckNamedValue(*driver.NamedValue) error { return nil }

// Prepare implements driver.Conn.
func (d bufferingDriver) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }

// Begin implements driver.Conn.
func (d bufferingDriver) Begin() (driver.Tx, error) { return nil, errors.ErrUnsupported }

// Close implements driver.Conn.
func (d bufferingDriver) Close() error { return nil }
