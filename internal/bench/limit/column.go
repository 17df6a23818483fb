package limit

import (
	"database/sql"
	"encoding/binary"
	"fmt"
)

// column is the place for one value of a row, overwritten by the next row.
type column interface {
	sql.Scanner               // takes a value as the driver of SQLite delivers it
	receive(raw []byte) error // takes a value as PostgreSQL sends it: binary, and nil for NULL
}

// number is a whole number, or NULL.
type number struct {
	n    int64
	null bool
}

// Scan implements sql.Scanner.
func (c *number) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*c = number{null: true}
	case int64:
		*c = number{n: v}
	default:
		return fmt.Errorf("expected a number, got %T", value)
	}
	return nil
}

func (c *number) receive(raw []byte) error {
	switch {
	case raw == nil:
		*c = number{null: true}
	case len(raw) == 8:
		*c = number{n: int64(binary.BigEndian.Uint64(raw))}
	default:
		return fmt.Errorf("expected a number of 8 bytes, got %d bytes", len(raw))
	}
	return nil
}

// text is a text, or NULL. Its bytes are good until the next row.
type text struct {
	b    []byte
	null bool
}

// Scan implements sql.Scanner. It copies the value into room that is used again.
func (c *text) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		c.b, c.null = c.b[:0], true
	case string:
		c.b, c.null = append(c.b[:0], v...), false
	case []byte:
		c.b, c.null = append(c.b[:0], v...), false
	default:
		return fmt.Errorf("expected a text, got %T", value)
	}
	return nil
}

func (c *text) receive(raw []byte) error {
	c.b, c.null = raw, raw == nil
	return nil
}

// row is a row of a list, with the columns that its query selects.
type row interface {
	columns() []column
	append(b []byte) []byte    // the row as JSON
	position() (key, id int64) // where a page goes on after it
}
