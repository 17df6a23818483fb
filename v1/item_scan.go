package v1

import (
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
)

// The two hottest reads, one item and a page of items, are one statement through ent's client and are scanned into one
// reused row: ent's own query builders spend three times the allocations (internal/bench has the figures, and a test
// compares both ways). Column names come from ent, so a change of the schema breaks the build or that test.

// itemColumns are what an answer shows of an item. The others are the service's own, and each would cost every page.
var (
	itemColumns = columnsBut(item.Columns,
		item.FieldOwner, item.FieldHighBidderID, item.FieldImagesDueAt, item.FieldSequence, item.FieldRunStartedAt,
		item.FieldDueAt, item.FieldSearch, item.FieldLease)
	itemColumnList = rows.ColumnList(item.Table, itemColumns)
)

// columnsBut are a table's columns without some.
func columnsBut(columns []string, hidden ...string) []string {
	return slices.DeleteFunc(slices.Clone(columns), func(column string) bool { return slices.Contains(hidden, column) })
}

var itemByID = "SELECT " + itemColumnList + " FROM " + item.Table + " WHERE " + item.FieldID + " = $1 AND " + item.FieldOwner + " = $2"

// readItem reads one of the owner's items outside a change, with all its columns.
func (s *Service) readItem(ctx context.Context, owner Owner, id ID) (*ent.Item, error) {
	row, err := s.store.Reader().Item.Query().Where(item.ID(int64(id)), item.Owner(int64(owner))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, refusal.New(ItemNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("load item %d: %w", id, err)
	}
	return row, nil
}

// itemScans are spare scans of itemColumns, for reads that convert the row at once.
var itemScans = sync.Pool{New: func() any { return newRowScan[ent.Item](itemColumns) }}

// scanItem reads what an answer shows of one of the owner's items.
func (s *Service) scanItem(ctx context.Context, owner Owner, id ID, scan *rowScan[ent.Item]) error {
	scan.row.Owner = int64(owner)
	rows, err := s.store.Reader().QueryContext(ctx, itemByID, int64(id), int64(owner))
	if err != nil {
		return fmt.Errorf("load item %d: %w", id, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return cmp.Or[error](rows.Err(), refusal.New(ItemNotFound))
	}
	if err := rows.Scan(scan.targets...); err != nil {
		return fmt.Errorf("scan item %d: %w", id, err)
	}
	return nil
}

// rowScan scans rows of one table into one ent value that is overwritten by the next row. Its scanners
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

// scanHash scans a SHA-256 hash.
type scanHash [sha256.Size]byte

func (h *scanHash) Scan(src any) error {
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

func (m *scanMaybe[T]) Scan(src any) error {
	if src == nil {
		*m.into = nil
		return nil
	}
	*m.into = &m.room
	return scannerFor(&m.room).(sql.Scanner).Scan(src)
}
