package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"entgo.io/ent/dialect"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/sale"
	"sellerd/v1/rows"
)

// Windows are parts of lists told by position, as the legacy interface pages. Sellers of /v1 have cursors instead. Only
// lists whose positions are counted (sunset_positions.go) have windows. A window costs the same at any depth: the counters say
// in which two minutes its first row lies, an offset over an index finds the row among those, and from there on it is
// read as the page after a cursor is.

// Window is the part of a list that begins after Start rows and has at most Count.
type Window struct{ Start, Count int }

// The bounds of a window.
const (
	MaxWindow      = 1000
	MaxWindowStart = 1_000_000_000
)

func (w Window) check() error {
	if w.Start < 0 || w.Start > MaxWindowStart || w.Count < 1 || w.Count > MaxWindow {
		return fmt.Errorf("v1: no window has %d rows from %d on", w.Count, w.Start)
	}
	return nil
}

// errNoWindow says that a list's positions are not counted: the program asks for what it cannot have.
var errNoWindow = errors.New("v1: only items of one sale type that are open, or else unsold or closed, and sales of one sale type that stand have windows, by created_at or sold_at")

var saleTypes = []string{SaleTypeAuction, SaleTypeFixedPrice}

// ItemWindow reads a window of the caller's items of one sale type that are open, or of those that are unsold or closed.
// Beyond the end of the list it is empty. It takes no other filter of items.
func (s *Service) ItemWindow(ctx context.Context, c *Call, in *BrowseItemsInput, w Window) ([]Item, error) {
	l, positions, err := s.itemWindowList(c.Owner, in)
	if err := cmp.Or(err, w.check()); err != nil {
		return nil, err
	}
	scan := itemScans.Get().(*rows.Scanner[ent.Item])
	defer itemScans.Put(scan)
	scan.Row.Owner = int64(c.Owner)
	return readWindow(ctx, s, l, positions, w, scan.Targets, func() (Item, int64, int64) {
		return s.itemFrom(&scan.Row), scan.Row.CreatedAt, scan.Row.ID
	})
}

// itemWindowList is the list, its states as literals for the index that holds just its rows, and its counted name.
func (s *Service) itemWindowList(owner Owner, in *BrowseItemsInput) (l *rows.List, positions countedList, err error) {
	states := slices.Sorted(slices.Values(in.Status))
	known := reflect.DeepEqual(*in, BrowseItemsInput{Status: in.Status, SaleType: in.SaleType, Sort: in.Sort}) &&
		len(in.SaleType) == 1 && slices.Contains(saleTypes, in.SaleType[0])
	if l, err = s.itemList(owner, &BrowseItemsInput{SaleType: in.SaleType, Sort: in.Sort}); err != nil {
		return nil, countedList{}, err
	}
	switch {
	case !known || l.SortColumn != item.FieldCreatedAt:
		return nil, countedList{}, errNoWindow
	case slices.Equal(states, []string{ItemOpen}):
		l.Literal(item.FieldStatus, "%s = 'open'", item.FieldCreatedAt, true)
	case slices.Equal(states, []string{ItemClosed, ItemUnsold}):
		l.Literal(item.FieldStatus, "%s IN ('unsold','closed')", item.FieldCreatedAt, true)
	default:
		return nil, countedList{}, errNoWindow
	}
	return l, countedList{of: itemPositions(in.SaleType[0], states[0])}, nil
}

// StandingSales are the states of cancellation that a sale which stands can be in: all but cancelled.
var StandingSales = []string{CancellationNone, CancellationRequested, CancellationRefused}

// SaleWindow reads a window of the caller's sales of one sale type that stand. Beyond the end of the list it is empty. It
// takes no other filter of sales.
func (s *Service) SaleWindow(ctx context.Context, c *Call, in *BrowseSalesInput, w Window) ([]Sale, error) {
	l, positions, err := s.saleWindowList(c.Owner, in)
	if err := cmp.Or(err, w.check()); err != nil {
		return nil, err
	}
	scan := saleScans.Get().(*saleScan)
	defer saleScans.Put(scan)
	now := s.now()
	return readWindow(ctx, s, l, positions, w, scan.targets, func() (Sale, int64, int64) {
		row := &scan.sale.Row
		return s.saleFrom(row, &scan.buyer.Row, now), row.SoldAt, row.ID
	})
}

func (s *Service) saleWindowList(owner Owner, in *BrowseSalesInput) (l *rows.List, positions countedList, err error) {
	known := BrowseSalesInput{SaleType: in.SaleType, CancellationStatus: StandingSales, Sort: in.Sort}
	if len(in.SaleType) != 1 || !slices.Contains(saleTypes, in.SaleType[0]) || !reflect.DeepEqual(*in, known) {
		return nil, countedList{}, errNoWindow
	}
	if l = s.saleList(owner, in); l.SortColumn != sale.FieldSoldAt {
		return nil, countedList{}, errNoWindow
	}
	return l, countedList{salePositions(in.SaleType[0]), in.SaleType[0]}, nil
}

// readWindow finds a window's first row and reads from there, both in one snapshot: between the two, rows would move.
func readWindow[T any](ctx context.Context, s *Service, l *rows.List, positions countedList, w Window, targets []any, convert func() (result T, key, id int64)) ([]T, error) {
	var out []T
	err := s.store.Snapshot(ctx, func(ctx context.Context, client *ent.Client) error {
		bucket, err := findBucket(ctx, client, Owner(l.Owner), positions, l.Descending, w.Start)
		if err != nil || bucket == nil {
			out = []T{}
			return err
		}
		before, err := s.seek(ctx, client, l, bucket)
		if err != nil {
			return err
		}
		q := windowStatement(l, s.store.Dialect(), before, w.Count)
		page, err := rows.Scan(ctx, s.cursors, client, l, q.Text.String(), q.Args, w.Count, targets, convert)
		if err != nil {
			return err
		}
		out = page.Results
		return nil
	})
	return out, err
}

// seek finds a row in its bucket, and returns the cursor after which it is the first.
func (s *Service) seek(ctx context.Context, client *ent.Client, l *rows.List, bucket *countedBucket) (before rows.Cursor, err error) {
	q := seekStatement(l, s.store.Dialect(), bucket)
	rows, err := client.QueryContext(ctx, q.Text.String(), q.Args...)
	if err != nil {
		return before, fmt.Errorf("seek a row of %s: %w", l.Table, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return before, cmp.Or(rows.Err(), fmt.Errorf("the positions of owner %d count more %s than there are", l.Owner, l.Table))
	}
	if err := rows.Scan(&before.Key, &before.ID); err != nil {
		return before, fmt.Errorf("seek a row of %s: %w", l.Table, err)
	}
	if l.Descending {
		before.ID++
	} else {
		before.ID--
	}
	return before, nil
}

// seekStatement reads the sort key and id of a row in its bucket, which are both in the index of the list.
func seekStatement(l *rows.List, in string, bucket *countedBucket) *rows.Statement {
	within := *l
	within.Columns, within.Joined = rows.ColumnList(l.Table, []string{l.SortColumn, item.FieldID}), ""
	within.From, within.To = &bucket.from, &bucket.to
	q := within.Page(in, nil, Opt[rows.Cursor]{}, 0)
	q.Add(" OFFSET $", bucket.before)
	return q
}

// windowStatement reads the rows after a cursor. PostgreSQL does not hear how many: where it thinks that the list has no
// more rows than that, because most sellers' lists have not, it would sort all of them.
func windowStatement(l *rows.List, in string, before rows.Cursor, count int) *rows.Statement {
	read := *l
	read.LimitArg = in == dialect.Postgres
	return read.Page(in, nil, Some(before), count)
}

// ItemsByID reads the caller's items that have one of at most a thousand ids. An id of another seller's item, or of no item,
// is not in the result.
func (s *Service) ItemsByID(ctx context.Context, c *Call, ids []ID) (map[ID]Item, error) {
	if len(ids) > MaxWindow {
		return nil, fmt.Errorf("v1: %d items asked for at once", len(ids))
	}
	if len(ids) == 0 {
		return map[ID]Item{}, nil
	}
	l, err := s.itemList(c.Owner, &BrowseItemsInput{ID: ids})
	if err != nil {
		return nil, err
	}
	scan := itemScans.Get().(*rows.Scanner[ent.Item])
	defer itemScans.Put(scan)
	scan.Row.Owner = int64(c.Owner)
	q := l.Page(s.store.Dialect(), &l.Filters[0], Opt[rows.Cursor]{}, len(ids))
	page, err := rows.Scan(ctx, s.cursors, s.store.Reader(), l, q.Text.String(), q.Args, len(ids), scan.Targets, func() (Item, int64, int64) {
		return s.itemFrom(&scan.Row), scan.Row.CreatedAt, scan.Row.ID
	})
	if err != nil {
		return nil, err
	}
	items := make(map[ID]Item, len(page.Results))
	for i := range page.Results {
		items[page.Results[i].ID] = page.Results[i]
	}
	return items, nil
}
