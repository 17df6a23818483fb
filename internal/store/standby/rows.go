package standby

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"sellerd/internal/store/values"
)

// This file keeps the rows that a standby has sent, for the two forms in which rows are read: Rows, and *sql.Rows of ent.

// buffer has all rows of a query, in the form in which PostgreSQL sent them.
type buffer struct {
	fields []pgconn.FieldDescription
	data   []byte
	ends   []int // where each value ends in data; ^end for NULL
	types  *pgtype.Map
	next   int // the first value of the row after the present one
	values [][]byte
}

// typeMaps are spare maps of types. A map is for one goroutine.
var typeMaps = sync.Pool{New: func() any { return pgtype.NewMap() }}

// bufferOf reads all rows, and closes them.
func bufferOf(rows pgx.Rows) (*buffer, error) {
	defer rows.Close()
	b := &buffer{}
	for rows.Next() {
		for _, value := range rows.RawValues() {
			b.data = append(b.data, value...)
			end := len(b.data)
			if value == nil {
				end = ^end
			}
			b.ends = append(b.ends, end)
		}
	}
	b.fields = append(b.fields, rows.FieldDescriptions()...)
	b.values = make([][]byte, len(b.fields))
	b.types = typeMaps.Get().(*pgtype.Map)
	return b, rows.Err()
}

// Next implements Rows.
func (b *buffer) Next() bool {
	if b.next == len(b.ends) {
		return false
	}
	for i := range b.values {
		begin, end := 0, b.ends[b.next+i]
		if before := b.next + i - 1; before >= 0 {
			begin = max(b.ends[before], ^b.ends[before])
		}
		b.values[i] = nil
		if end >= 0 {
			b.values[i] = b.data[begin:end:end]
		}
	}
	b.next += len(b.values)
	return true
}

// Scan implements Rows.
func (b *buffer) Scan(targets ...any) error { return values.Scan(b.types, b.fields, b.values, targets) }

// Err implements Rows. The rows have come without an error.
func (b *buffer) Err() error { return nil }

// Close implements Rows.
func (b *buffer) Close() error {
	if b.types != nil {
		typeMaps.Put(b.types)
		b.types = nil
	}
	b.next = len(b.ends)
	return nil
}

// driverRows are the rows of a buffer for database/sql.
type driverRows struct{ *buffer }

// Columns implements driver.Rows.
func (r driverRows) Columns() []string {
	names := make([]string, len(r.fields))
	for i := range r.fields {
		names[i] = r.fields[i].Name
	}
	return names
}

// Next implements driver.Rows.
func (r driverRows) Next(row []driver.Value) error {
	if !r.buffer.Next() {
		return io.EOF
	}
	for i, value := range r.values {
		row[i] = nil
		if value == nil {
			continue
		}
		var err error
		if row[i], err = values.Decode(r.types, &r.fields[i], value); err != nil {
			return fmt.Errorf("store: column %s: %w", r.fields[i].Name, err)
		}
	}
	return nil
}

// errAtPrimary says that the primary has to answer a query.
var errAtPrimary = errors.New("store: the standby does not answer this query")

// bufferingIdle is how many connections of bufferingDriver are kept. They are nothing but memory.
const bufferingIdle = 64

// bufferingDriver makes *sql.Rows of rows of the standby. Its connections only pass queries on, which either are answered from
// the standby or fail with errAtPrimary.
type bufferingDriver struct{ reads *Reads }

// Connect implements driver.Connector.
func (d bufferingDriver) Connect(context.Context) (driver.Conn, error) { return bufferingConn(d), nil }

// Driver implements driver.Connector.
func (d bufferingDriver) Driver() driver.Driver { return d }

// Open implements driver.Driver.
func (d bufferingDriver) Open(string) (driver.Conn, error) { return bufferingConn(d), nil }

// bufferingConn is its connection.
type bufferingConn struct{ reads *Reads }

// QueryContext implements driver.QueryerContext.
func (c bufferingConn) QueryContext(ctx context.Context, query string, named []driver.NamedValue) (driver.Rows, error) {
	args := make([]any, len(named))
	for i := range named {
		args[i] = named[i].Value
	}
	found := c.reads.buffered(ctx, query, args)
	if found == nil {
		return nil, errAtPrimary
	}
	return driverRows{found}, nil
}

// CheckNamedValue implements driver.NamedValueChecker: pgx takes values as they are.
func (c bufferingConn) CheckNamedValue(*driver.NamedValue) error { return nil }

// Prepare implements driver.Conn.
func (c bufferingConn) Prepare(string) (driver.Stmt, error) { return nil, errors.ErrUnsupported }

// Begin implements driver.Conn.
func (c bufferingConn) Begin() (driver.Tx, error) { return nil, errors.ErrUnsupported }

// Close implements driver.Conn.
func (c bufferingConn) Close() error { return nil }
