package v1

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
	"sellerd/v1/permission"
	"sellerd/v1/rows"
	"sellerd/v1/sunset"
)

// This file says which lists the legacy interface pages by position, and moves the counters of their rows. Package sunset
// reads the windows. It also gives numbers to the settings that a list of them finds without one.

// Window is a part of a list by position.
type Window = sunset.Window

// countedItems is the counted list that an item of a state is in, or none.
func countedItems(saleType, status string) sunset.Counted {
	switch status {
	case ItemOpen:
		return sunset.OpenItems(saleType)
	case ItemUnsold, ItemClosed:
		return sunset.EndedItems(saleType)
	default:
		return sunset.Counted{}
	}
}

// keepPositions is the hook that moves the counters. No sale ever leaves its list.
func keepPositions(ctx context.Context, tx *Change) error {
	if len(tx.changed) == 0 {
		return nil
	}
	moves := sunset.Moves{}
	for _, row := range tx.changed {
		if before := row.before; before != nil {
			moves.Add(countedItems(before.SaleType, before.Status), before.CreatedAt, -1)
		}
		if after := row.after; after != nil {
			moves.Add(countedItems(after.SaleType, after.Status), after.CreatedAt, 1)
		}
		if row.sale != nil {
			moves.Add(sunset.StandingSales(row.sale.ItemSaleType), row.sale.SoldAt, 1)
		}
	}
	return moves.Store(ctx, tx.Client, int64(tx.Owner))
}

// windows reads windows from the service's database.
func (s *Rest) windows() sunset.Lists { return sunset.Lists{Store: s.reads, Cursors: s.cursors} }

// errNoWindow says that a list's positions are not counted: the program asks for what it cannot have.
var errNoWindow = errors.New("v1: only items of one sale type that are open, or else unsold or closed, and sales of one sale type that stand have " +
	"windows, by created_at or sold_at")

var saleTypes = []string{SaleTypeAuction, SaleTypeFixedPrice}

// ItemWindow reads a window of the caller's items of one sale type that are open, or of those that are unsold or closed.
// Beyond the end of the list it is empty. It takes no other filter of items.
func (s *Rest) ItemWindow(ctx context.Context, c *Call, in *BrowseItemsInput, w Window) ([]Item, error) {
	l, err := s.itemWindowList(c.Owner, in)
	if err := cmp.Or(err, w.Check()); err != nil {
		return nil, err
	}
	scan := itemScans.Get().(*rows.Scanner[ent.Item])
	defer itemScans.Put(scan)
	scan.Row.Owner = int64(c.Owner)
	c.confirmBy(l.List)
	return sunset.ReadWindow(ctx, s.windows(), l, w, scan.Targets, func() (Item, int64, int64) {
		return s.itemFrom(&scan.Row), scan.Row.CreatedAt, scan.Row.ID
	})
}

// itemWindowList is the list, its states as literals for the index that holds just its rows.
func (s *Rest) itemWindowList(owner Owner, in *BrowseItemsInput) (*sunset.List, error) {
	states := slices.Sorted(slices.Values(in.Status))
	known := reflect.DeepEqual(*in, BrowseItemsInput{Status: in.Status, SaleType: in.SaleType, Sort: in.Sort}) &&
		len(in.SaleType) == 1 && slices.Contains(saleTypes, in.SaleType[0])
	l, err := s.itemList(owner, &BrowseItemsInput{SaleType: in.SaleType, Sort: in.Sort})
	if err != nil {
		return nil, err
	}
	switch {
	case !known || l.SortColumn != item.FieldCreatedAt:
		return nil, errNoWindow
	case slices.Equal(states, []string{ItemOpen}):
		l.Literal(item.FieldStatus, itemsOpen, item.FieldCreatedAt, true)
	case slices.Equal(states, []string{ItemClosed, ItemUnsold}):
		l.Literal(item.FieldStatus, itemsEnded, item.FieldCreatedAt, true)
	default:
		return nil, errNoWindow
	}
	return &sunset.List{List: l, Counted: countedItems(in.SaleType[0], states[0])}, nil
}

// StandingSales are the states of cancellation that a sale which stands can be in: all but cancelled.
var StandingSales = []string{CancellationNone, CancellationRequested, CancellationRefused}

// SaleWindow reads a window of the caller's sales of one sale type that stand. Beyond the end of the list it is empty. It
// takes no other filter of sales.
func (s *Rest) SaleWindow(ctx context.Context, c *Call, in *BrowseSalesInput, w Window) ([]Sale, error) {
	l, err := s.saleWindowList(c.Owner, in)
	if err := cmp.Or(err, w.Check()); err != nil {
		return nil, err
	}
	scan := saleScans.Get().(*saleScan)
	defer saleScans.Put(scan)
	now := s.now()
	c.confirmBy(l.List)
	return sunset.ReadWindow(ctx, s.windows(), l, w, scan.targets, func() (Sale, int64, int64) {
		row := &scan.sale.Row
		return s.saleFrom(row, &scan.buyer.Row, now), row.SoldAt, row.ID
	})
}

func (s *Rest) saleWindowList(owner Owner, in *BrowseSalesInput) (*sunset.List, error) {
	known := BrowseSalesInput{SaleType: in.SaleType, CancellationStatus: StandingSales, Sort: in.Sort}
	if len(in.SaleType) != 1 || !slices.Contains(saleTypes, in.SaleType[0]) || !reflect.DeepEqual(*in, known) {
		return nil, errNoWindow
	}
	l := s.saleList(owner, in)
	if l.SortColumn != sale.FieldSoldAt {
		return nil, errNoWindow
	}
	return &sunset.List{List: l, Counted: sunset.StandingSales(in.SaleType[0])}, nil
}

// ItemsByID reads the caller's items that have one of at most a thousand ids. An id of another seller's item, or of no item,
// is not in the result.
func (s *Rest) ItemsByID(ctx context.Context, c *Call, ids []ID) (map[ID]Item, error) {
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
	q := l.Page(s.store.ManyWriters(), &l.Filters[0], Opt[rows.Cursor]{}, len(ids))
	page, err := rows.Scan(ctx, s.cursors, s.store, l, q.Text.String(), q.Args, len(ids), scan.Targets, func() (Item, int64, int64) {
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

// numberSettings gives a number to those settings among a seller's webhooks that have none yet. /rest does that when it
// reads them, which every program of it does before it can name one. So a setting that is refused costs no number, and one
// that an older program made during an upgrade has its number as soon as it is read. A key that may not change webhooks gives
// none: until another one has listed the setting, it is called by its webhook's long number.
func (s *Rest) numberSettings(ctx context.Context, c *Call, rows []*ent.Webhook) error {
	if !c.WholeLists || c.may.Missing(permission.WebhooksWrite) != 0 {
		return nil
	}
	var fresh []*ent.Webhook
	for _, row := range rows {
		if row.Format == FormatLegacyXML && row.SettingNumber == nil {
			fresh = append(fresh, row)
		}
	}
	return sunset.NumberSettings(ctx, s.store, s.ids, fresh)
}
