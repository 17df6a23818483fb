package sunset

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/sale"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// This file says which lists the legacy interface pages by position, and moves the counters of their rows. window.go
// reads the windows.

// countedItems is the counted list that an item of a state is in, or none.
func countedItems(saleType, status string) Counted {
	switch status {
	case items.ItemOpen:
		return OpenItems(saleType)
	case items.ItemUnsold, items.ItemClosed:
		return EndedItems(saleType)
	default:
		return Counted{}
	}
}

// keepPositions is the hook that moves the counters. No sale ever leaves its list.
func keepPositions(ctx context.Context, client *ent.Client, changes []*core.Change) error {
	moves := Moves{}
	for _, tx := range changes {
		owner := int64(tx.Owner)
		for _, row := range tx.Changed {
			if before := row.Before; before != nil {
				moves.Add(owner, countedItems(before.SaleType, before.Status), before.CreatedAt, -1)
			}
			if after := row.After; after != nil {
				moves.Add(owner, countedItems(after.SaleType, after.Status), after.CreatedAt, 1)
			}
			if row.Sale != nil {
				moves.Add(owner, StandingSales(row.Sale.ItemSaleType), row.Sale.SoldAt, 1)
			}
		}
	}
	return moves.Store(ctx, client)
}

// errNoWindow says that a list's positions are not counted: the program asks for what it cannot have.
var errNoWindow = errors.New("v1: only items of one sale type that are open, or else unsold or closed, and sales of one sale type that stand have " +
	"windows, by created_at or sold_at")

var saleTypes = []string{items.SaleTypeAuction, items.SaleTypeFixedPrice}

// ItemWindow reads a window of the caller's items of one sale type that are open, or of those that are unsold or closed.
// Beyond the end of the list it is empty. It takes no other filter of items.
func (s *Rest) ItemWindow(ctx context.Context, c *core.Call, in *items.BrowseItemsInput, w Window) ([]items.Item, error) {
	l, err := s.ItemWindowList(c.Owner, in)
	if err := cmp.Or(err, w.Check()); err != nil {
		return nil, err
	}
	scan := items.ItemScans.Get().(*rows.Scanner[ent.Item])
	defer items.ItemScans.Put(scan)
	scan.Row.Owner = int64(c.Owner)
	c.ConfirmBy(l.List)
	return readWindow(ctx, s.Core, l, w, scan.Targets, func() (items.Item, int64, int64) {
		return s.ItemFrom(&scan.Row), scan.Row.CreatedAt, scan.Row.ID
	})
}

// ItemWindowList is the list, its states as literals for the index that holds just its rows.
func (s *Rest) ItemWindowList(owner core.Owner, in *items.BrowseItemsInput) (*List, error) {
	states := slices.Sorted(slices.Values(in.Status))
	known := reflect.DeepEqual(*in, items.BrowseItemsInput{Status: in.Status, SaleType: in.SaleType, Sort: in.Sort}) &&
		len(in.SaleType) == 1 && slices.Contains(saleTypes, in.SaleType[0])
	l, err := s.ItemList(owner, &items.BrowseItemsInput{SaleType: in.SaleType, Sort: in.Sort})
	if err != nil {
		return nil, err
	}
	switch {
	case !known || l.SortColumn != item.FieldCreatedAt:
		return nil, errNoWindow
	case slices.Equal(states, []string{items.ItemOpen}):
		l.Literal(item.FieldStatus, items.ItemsOpen, item.FieldCreatedAt, true)
	case slices.Equal(states, []string{items.ItemClosed, items.ItemUnsold}):
		l.Literal(item.FieldStatus, items.ItemsEnded, item.FieldCreatedAt, true)
	default:
		return nil, errNoWindow
	}
	return &List{List: l, Counted: countedItems(in.SaleType[0], states[0])}, nil
}

// StandingSaleStates are the states of cancellation that a sale which stands can be in: all but cancelled.
var StandingSaleStates = []string{items.CancellationNone, items.CancellationRequested, items.CancellationRefused}

// SaleWindow reads a window of the caller's sales of one sale type that stand. Beyond the end of the list it is empty. It
// takes no other filter of sales.
func (s *Rest) SaleWindow(ctx context.Context, c *core.Call, in *trade.BrowseSalesInput, w Window) ([]trade.Sale, error) {
	l, err := s.SaleWindowList(c.Owner, in)
	if err := cmp.Or(err, w.Check()); err != nil {
		return nil, err
	}
	scan := trade.SaleScans.Get().(*trade.SaleScan)
	defer trade.SaleScans.Put(scan)
	now := s.Now()
	c.ConfirmBy(l.List)
	found, err := readWindow(ctx, s.Core, l, w, scan.Targets, func() (trade.Sale, int64, int64) {
		row := &scan.Sale.Row
		return s.SaleFrom(row, &scan.Buyer.Row, now), row.SoldAt, row.ID
	})
	if err != nil || c.ReadsBuyers() {
		return found, err
	}
	shown := found // with an address of its own, which readers of buyers need not pay for
	return shown, c.Redact(&shown)
}

func (s *Rest) SaleWindowList(owner core.Owner, in *trade.BrowseSalesInput) (*List, error) {
	known := trade.BrowseSalesInput{SaleType: in.SaleType, CancellationStatus: StandingSaleStates, Sort: in.Sort}
	if len(in.SaleType) != 1 || !slices.Contains(saleTypes, in.SaleType[0]) || !reflect.DeepEqual(*in, known) {
		return nil, errNoWindow
	}
	l := s.SaleList(owner, in)
	if l.SortColumn != sale.FieldSoldAt {
		return nil, errNoWindow
	}
	return &List{List: l, Counted: StandingSales(in.SaleType[0])}, nil
}

// ItemsByID reads the caller's items that have one of at most a thousand ids. An id of another seller's item, or of no item,
// is not in the result.
func (s *Rest) ItemsByID(ctx context.Context, c *core.Call, ids []wire.ID) (map[wire.ID]items.Item, error) {
	if len(ids) > MaxWindow {
		return nil, fmt.Errorf("v1: %d items asked for at once", len(ids))
	}
	if len(ids) == 0 {
		return map[wire.ID]items.Item{}, nil
	}
	l, err := s.ItemList(c.Owner, &items.BrowseItemsInput{ID: ids})
	if err != nil {
		return nil, err
	}
	scan := items.ItemScans.Get().(*rows.Scanner[ent.Item])
	defer items.ItemScans.Put(scan)
	scan.Row.Owner = int64(c.Owner)
	q := l.Page(s.Store.ManyWriters(), &l.Filters[0], wire.Opt[rows.Cursor]{}, len(ids))
	reader := rows.Reader[items.Item]{List: l, Limit: len(ids), Targets: scan.Targets, Convert: func() (items.Item, int64, int64) {
		return s.ItemFrom(&scan.Row), scan.Row.CreatedAt, scan.Row.ID
	}}
	page, err := reader.Page(ctx, s.Store, s.Cursors, q.Text.String(), q.Args)
	if err != nil {
		return nil, err
	}
	items := make(map[wire.ID]items.Item, len(page.Results))
	for i := range page.Results {
		items[page.Results[i].ID] = page.Results[i]
	}
	return items, nil
}
