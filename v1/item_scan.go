package v1

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"strings"

	"sellerd/ent"
	"sellerd/ent/item"
)

// The two hottest reads, one item and a page of items, are one statement through ent's client and are scanned into one
// reused row: ent's own query builders spend three times the allocations (internal/bench has the figures, and a test
// compares both ways). Column names come from ent, so a change of the schema breaks the build or that test.

var itemColumns = strings.Join(item.Columns, ", ")

var itemByID = "SELECT " + itemColumns + " FROM " + item.Table + " WHERE " + item.FieldID + " = $1 AND " + item.FieldOwner + " = $2"

// readItem reads one of the owner's items outside a change.
func (s *Service) readItem(ctx context.Context, owner Owner, id ID) (*ent.Item, error) {
	rows, err := s.store.Reader().QueryContext(ctx, itemByID, int64(id), int64(owner))
	if err != nil {
		return nil, fmt.Errorf("load item %d: %w", id, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return nil, firstError(rows.Err(), fail(ItemNotFound))
	}
	scan := newRowScan[ent.Item](item.Columns)
	if err := rows.Scan(scan.targets...); err != nil {
		return nil, fmt.Errorf("scan item %d: %w", id, err)
	}
	return &scan.row, nil
}

// rowScan scans rows of one table, all columns, into one ent value that is overwritten by the next row. Its scanners
// know the few types drivers deliver, which spares database/sql's detour over text for every number, and keep room for
// nullable values, which spares an allocation for each.
type rowScan[T any] struct {
	row     T
	targets []any
}

func newRowScan[T any](columns []string) *rowScan[T] {
	s := &rowScan[T]{}
	v := reflect.ValueOf(&s.row).Elem()
	t := v.Type()
	byColumn := make(map[string]int, t.NumField())
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		byColumn[name] = i
	}
	for _, column := range columns {
		i, ok := byColumn[column]
		if !ok {
			panic(fmt.Sprintf("%s has no field for column %s", t, column))
		}
		s.targets = append(s.targets, scannerFor(v.Field(i).Addr().Interface()))
	}
	return s
}

func scannerFor(target any) any {
	switch p := target.(type) {
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
		return target
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

// scanMaybe scans a nullable column of T.
type scanMaybe[T any] struct {
	into **T
	room T
}

func (m *scanMaybe[T]) Scan(src any) error {
	if src == nil {
		*m.into = nil
		return nil
	}
	*m.into = &m.room
	return scannerFor(&m.room).(sql.Scanner).Scan(src)
}
