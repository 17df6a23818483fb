package rows

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
)

// ColumnsBut are a table's columns without some.
func ColumnsBut(columns []string, hidden ...string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return slices.Contains(hidden, column) })
}

// Scanner scans rows of one table into one ent value, which the next row overwrites. Its targets know the few types drivers
// deliver, which spares database/sql's detour over text for every number, and keep room for nullable values, which spares
// an allocation for each.
type Scanner[T any] struct {
	Row     T
	Targets []any // of (*sql.Rows).Scan, one for each column, with room for another

	pointers []int // the fields that are pointers
}

// NewScanner makes a scanner of some columns of T's table. It panics if T has no field for a column.
func NewScanner[T any](columns []string) *Scanner[T] {
	s := &Scanner[T]{Targets: make([]any, 0, len(columns)+1)}
	v := reflect.ValueOf(&s.Row).Elem()
	for _, i := range fieldsOf(v.Type(), columns) {
		s.Targets = append(s.Targets, Target(v.Field(i).Addr().Interface()))
		if v.Field(i).Kind() == reflect.Pointer {
			s.pointers = append(s.pointers, i)
		}
	}
	return s
}

// Copy is the row for callers that keep it when the next one is scanned.
func (s *Scanner[T]) Copy() *T {
	row := s.Row
	v := reflect.ValueOf(&row).Elem()
	for _, i := range s.pointers {
		if field := v.Field(i); !field.IsNil() {
			setField(field, field.Elem())
		}
	}
	return &row
}

// Target is what scans a column into a variable: one that knows its type, or else the pointer itself.
func Target(variable any) any {
	switch p := variable.(type) {
	case *int64:
		return (*scanInt64)(p)
	case *int:
		return (*scanInt)(p)
	case *string:
		return (*scanString)(p)
	case **int64:
		return &scanMaybe[int64]{into: p}
	case **string:
		return &scanMaybe[string]{into: p}
	default:
		return variable
	}
}

type (
	scanInt64  int64
	scanInt    int
	scanString string
)

func (p *scanInt64) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("expected a number, got %T", src)
	}
	*p = scanInt64(n)
	return nil
}

// ScanNumber is Scan of a number.
func (p *scanInt64) ScanNumber(n int64) error {
	*p = scanInt64(n)
	return nil
}

// ScanNumber is Scan of a number.
func (p *scanInt) ScanNumber(n int64) error {
	*p = scanInt(n)
	return nil
}

func (p *scanInt) Scan(src any) error {
	n, ok := src.(int64)
	if !ok {
		return fmt.Errorf("expected a number, got %T", src)
	}
	*p = scanInt(n)
	return nil
}

func (p *scanString) Scan(src any) error {
	switch s := src.(type) {
	case string:
		*p = scanString(s)
	case []byte:
		*p = scanString(s)
	default:
		return fmt.Errorf("expected text, got %T", src)
	}
	return nil
}

// ScanText is Scan of a text. If it is the same as before, as many columns are from row to row, it is kept without an
// allocation.
func (p *scanString) ScanText(text []byte) error {
	if string(*p) != string(text) {
		*p = scanString(text)
	}
	return nil
}

// Hash is a SHA-256 hash that a column is scanned into.
type Hash [sha256.Size]byte

// Scan implements sql.Scanner.
func (h *Hash) Scan(src any) error {
	b, ok := src.([]byte)
	if !ok || len(b) != len(h) {
		return fmt.Errorf("expected a hash, got %T of %d bytes", src, len(b))
	}
	copy(h[:], b)
	return nil
}

// scanMaybe scans a nullable column of T.
type scanMaybe[T any] struct {
	into **T
	room T
}

// ScanNumber is Scan of a number.
func (m *scanMaybe[T]) ScanNumber(n int64) error {
	target, ok := Target(&m.room).(interface{ ScanNumber(n int64) error })
	if !ok {
		return fmt.Errorf("expected %T, got a number", m.room)
	}
	*m.into = &m.room
	return target.ScanNumber(n)
}

// ScanText is Scan of a text.
func (m *scanMaybe[T]) ScanText(text []byte) error {
	target, ok := Target(&m.room).(interface{ ScanText(text []byte) error })
	if !ok {
		return fmt.Errorf("expected %T, got a text", m.room)
	}
	*m.into = &m.room
	return target.ScanText(text)
}

func (m *scanMaybe[T]) Scan(src any) error {
	if src == nil {
		*m.into = nil
		return nil
	}
	*m.into = &m.room
	return Target(&m.room).(sql.Scanner).Scan(src)
}
