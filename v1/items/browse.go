package items

import (
	"context"
	"slices"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// BrowseItemsInput are the filters of a list of items; values of one filter are alternatives, and all filters apply.
type BrowseItemsInput struct {
	Status            []string              `query:"status" enum:"scheduled open sold unsold closed"`
	SaleType          []string              `query:"sale_type" enum:"auction fixed_price"`
	PersonalReference []string              `query:"personal_reference"`
	ExactReference    wire.Opt[string]      `query:"exact_reference" since:"1.3.0" doc:"one personal_reference as it is, even with a comma; excludes personal_reference"`
	ID                []wire.ID             `query:"id"`
	CategoryID        []wire.ID             `query:"category_id" doc:"with all its descendants"`
	ShippingModelID   []wire.ID             `query:"shipping_model_id"`
	Currency          []wire.Currency       `query:"currency"`
	HasBids           wire.Opt[bool]        `query:"has_bids"`
	Q                 wire.Opt[string]      `query:"q" doc:"words, or beginnings of words, of title and reference; all must occur"`
	PriceMin          wire.Opt[wire.Amount] `query:"price_min" doc:"of current_price, inclusive; a number in whatever currency, unless currency is given"`
	PriceMax          wire.Opt[wire.Amount] `query:"price_max" doc:"of current_price, inclusive; a number in whatever currency, unless currency is given"`
	CreatedFrom       wire.Opt[wire.Time]   `query:"created_from"`
	CreatedTo         wire.Opt[wire.Time]   `query:"created_to" doc:"exclusive"`
	UpdatedFrom       wire.Opt[wire.Time]   `query:"updated_from"`
	UpdatedTo         wire.Opt[wire.Time]   `query:"updated_to" doc:"exclusive"`
	EndsFrom          wire.Opt[wire.Time]   `query:"ends_from"`
	EndsTo            wire.Opt[wire.Time]   `query:"ends_to" doc:"exclusive"`
	Sort              string                `query:"sort" default:"created_at_asc" enum:"created_at_asc created_at_desc updated_at_asc updated_at_desc ends_at_asc ends_at_desc"`
	Limit             wire.Opt[int]         `query:"limit" min:"1" max:"200" default:"50"`
	After             wire.Opt[string]      `query:"after" doc:"next_cursor of the page before"`
}

// DefaultPageSize and MaxPageSize are the default and the largest limit of a list (docs/seller/lists.md).
const (
	DefaultPageSize = 50
	MaxPageSize     = 200
)

// ShortListInput is the input of a list that is short: by default its page is as long as pages can be.
type ShortListInput struct {
	Limit wire.Opt[int]    `query:"limit" since:"1.3.0" min:"1" max:"200" default:"200"`
	After wire.Opt[string] `query:"after" since:"1.3.0" doc:"next_cursor of the page before"`
}

// browseItems lists the caller's items.
func (s *Items) browseItems(ctx context.Context, c *core.Call, in *BrowseItemsInput) (*rows.Page[Item], error) {
	list, err := s.ItemList(c.Owner, in)
	if err != nil {
		return nil, err
	}
	return s.ItemPage(ctx, c.ConfirmBy(list), in.After, in.Limit.Or(DefaultPageSize))
}

// ItemPage reads one page of a list of items.
func (s *Items) ItemPage(ctx context.Context, list *rows.List, after wire.Opt[string], limit int) (*rows.Page[Item], error) {
	scan := ItemScans.Get().(*rows.Scanner[ent.Item])
	defer ItemScans.Put(scan)
	scan.Row.Owner = list.Owner
	return rows.Reader[Item]{List: list, Limit: limit, Targets: scan.Targets, Convert: func() (Item, int64, int64) {
		return s.ItemFrom(&scan.Row), itemSortKey(&scan.Row, list.SortColumn), scan.Row.ID
	}}.Read(ctx, s.Lists(), after)
}

func itemSortKey(row *ent.Item, column string) int64 {
	switch column {
	case item.FieldUpdatedAt:
		return row.UpdatedAt
	case item.FieldEndsAt:
		return row.EndsAt
	default:
		return row.CreatedAt
	}
}

// ItemList translates the filters. Filters that can be selective have an index on their column.
func (s *Items) ItemList(owner core.Owner, in *BrowseItemsInput) (*rows.List, error) {
	l := rows.NewList("BrowseItems", item.Table, itemColumnList, int64(owner), in.Sort, item.FieldCreatedAt)
	l.In(item.FieldID, AnyInts(in.ID), "")
	references := in.PersonalReference
	if in.ExactReference.Set {
		if len(references) > 0 {
			return nil, refusal.Newf(refusal.ConflictingFields, "exact_reference", "excludes personal_reference")
		}
		references = []string{in.ExactReference.V}
	}
	l.In(item.FieldPersonalReference, AnyStrings(references), "")
	if in.Q.Set {
		found := reference.Words(in.Q.V)
		if len(found) == 0 || len(found) > 10 {
			return nil, refusal.Newf(refusal.InvalidParameter, "q", "must hold 1 to 10 words of letters or digits")
		}
		l.Words(found)
	}
	l.In(item.FieldShippingModelID, AnyInts(in.ShippingModelID), "")
	if len(in.CategoryID) > 0 {
		var categories []any
		for _, id := range in.CategoryID {
			within := s.Reference.Categories.Descendants(int64(id))
			if len(within) == 0 {
				return nil, refusal.Newf(refusal.InvalidParameter, "category_id", "There is no category %s.", id)
			}
			categories = append(categories, AnyInts(within)...)
		}
		l.In(item.FieldCategoryID, categories, "")
	}
	l.Between(item.FieldCurrentPrice, wire.Int64Ptr(in.PriceMin), wire.Int64Ptr(in.PriceMax), true)
	l.Between(item.FieldCreatedAt, wire.Int64Ptr(in.CreatedFrom), wire.Int64Ptr(in.CreatedTo), false)
	l.Between(item.FieldUpdatedAt, wire.Int64Ptr(in.UpdatedFrom), wire.Int64Ptr(in.UpdatedTo), false)
	l.Between(item.FieldEndsAt, wire.Int64Ptr(in.EndsFrom), wire.Int64Ptr(in.EndsTo), false)
	switch in.HasBids {
	case wire.Some(true):
		l.Literal(item.FieldBidCount, "%s > 0", item.FieldCreatedAt, true)
	case wire.Some(false):
		l.Literal(item.FieldBidCount, "%s = 0", item.FieldCreatedAt, false)
	}
	l.In(item.FieldStatus, AnyStrings(in.Status), item.FieldCreatedAt)
	l.In(item.FieldSaleType, AnyStrings(in.SaleType), item.FieldCreatedAt)
	l.In(item.FieldCurrency, AnyStrings(in.Currency), "")
	coverItems(l, in)
	return l, nil
}

// coverItems recognizes the lists that an index of their own holds: the items of one sale type that are open, and those
// that ended without a sale, in the order of their creation.
func coverItems(l *rows.List, in *BrowseItemsInput) {
	types, states := Distinct(in.SaleType), Distinct(in.Status)
	if len(l.Filters) != 2 || len(types) != 1 || l.SortColumn != item.FieldCreatedAt {
		return
	}
	switch {
	case slices.Equal(states, []string{ItemOpen}):
		l.Cover(item.FieldStatus, ItemsOpen)
	case slices.Equal(states, []string{ItemClosed, ItemUnsold}):
		l.Cover(item.FieldStatus, ItemsEnded)
	}
}

// These conditions on the status are those of the indexes items_open and items_ended.
const (
	ItemsOpen  = "%s = 'open'"
	ItemsEnded = "%s IN ('unsold','closed')"
)

func Distinct(values []string) []string { return slices.Compact(slices.Sorted(slices.Values(values))) }

// Lists reads pages from the service's database, with its cursors.
func (s *Items) Lists() rows.Lists { return rows.Lists{Store: s.Reads, Cursors: s.Cursors} }

func AnyInts[T ~int64](values []T) []any {
	return each.Of(values, func(v T) any { return int64(v) })
}

func AnyStrings[T ~string](values []T) []any {
	return each.Of(values, func(v T) any { return string(v) })
}
