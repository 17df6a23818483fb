package v1

import (
	"context"
	"slices"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/reference"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
)

// BrowseItemsInput are the filters of a list of items; values of one filter are alternatives, and all filters apply.
type BrowseItemsInput struct {
	Status            []string    `query:"status" enum:"scheduled open sold unsold closed"`
	SaleType          []string    `query:"sale_type" enum:"auction fixed_price"`
	PersonalReference []string    `query:"personal_reference"`
	ExactReference    Opt[string] `query:"exact_reference" since:"1.3.0" doc:"one personal_reference as it is, even with a comma; excludes personal_reference"`
	ID                []ID        `query:"id"`
	CategoryID        []ID        `query:"category_id" doc:"with all its descendants"`
	ShippingModelID   []ID        `query:"shipping_model_id"`
	Currency          []Currency  `query:"currency"`
	HasBids           Opt[bool]   `query:"has_bids"`
	Q                 Opt[string] `query:"q" doc:"words, or beginnings of words, of title and reference; all must occur"`
	PriceMin          Opt[Amount] `query:"price_min" doc:"of current_price, inclusive"`
	PriceMax          Opt[Amount] `query:"price_max" doc:"of current_price, inclusive"`
	CreatedFrom       Opt[Time]   `query:"created_from"`
	CreatedTo         Opt[Time]   `query:"created_to" doc:"exclusive"`
	UpdatedFrom       Opt[Time]   `query:"updated_from"`
	UpdatedTo         Opt[Time]   `query:"updated_to" doc:"exclusive"`
	EndsFrom          Opt[Time]   `query:"ends_from"`
	EndsTo            Opt[Time]   `query:"ends_to" doc:"exclusive"`
	Sort              string      `query:"sort" default:"created_at_asc" enum:"created_at_asc created_at_desc updated_at_asc updated_at_desc ends_at_asc ends_at_desc"`
	Limit             Opt[int]    `query:"limit" min:"1" max:"200" default:"50"`
	After             Opt[string] `query:"after" doc:"next_cursor of the page before"`
}

// DefaultPageSize and MaxPageSize are the default and the largest limit of a list (docs/lists.md).
const (
	DefaultPageSize = 50
	MaxPageSize     = 200
)

// ShortListInput is the input of a list that is short: by default its page is as long as pages can be.
type ShortListInput struct {
	Limit Opt[int]    `query:"limit" since:"1.3.0" min:"1" max:"200" default:"200"`
	After Opt[string] `query:"after" since:"1.3.0" doc:"next_cursor of the page before"`
}

// browseItems lists the caller's items.
func (s *Items) browseItems(ctx context.Context, c *Call, in *BrowseItemsInput) (*Page[Item], error) {
	list, err := s.itemList(c.Owner, in)
	if err != nil {
		return nil, err
	}
	return s.itemPage(ctx, c.confirmBy(list), in.After, in.Limit.Or(DefaultPageSize))
}

// itemPage reads one page of a list of items.
func (s *Items) itemPage(ctx context.Context, list *rows.List, after Opt[string], limit int) (*Page[Item], error) {
	scan := itemScans.Get().(*rows.Scanner[ent.Item])
	defer itemScans.Put(scan)
	scan.Row.Owner = list.Owner
	return rows.Read(ctx, s.lists(), list, after, limit, scan.Targets, func() (Item, int64, int64) {
		return s.itemFrom(&scan.Row), itemSortKey(&scan.Row, list.SortColumn), scan.Row.ID
	})
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

// itemList translates the filters. Filters that can be selective have an index on their column.
func (s *Items) itemList(owner Owner, in *BrowseItemsInput) (*rows.List, error) {
	l := rows.NewList("BrowseItems", item.Table, itemColumnList, int64(owner), in.Sort, item.FieldCreatedAt)
	l.In(item.FieldID, anyInts(in.ID), "")
	references := in.PersonalReference
	if in.ExactReference.Set {
		if len(references) > 0 {
			return nil, refusal.Newf(ConflictingFields, "exact_reference", "excludes personal_reference")
		}
		references = []string{in.ExactReference.V}
	}
	l.In(item.FieldPersonalReference, anyStrings(references), "")
	if in.Q.Set {
		found := reference.Words(in.Q.V)
		if len(found) == 0 || len(found) > 10 {
			return nil, refusal.Newf(InvalidParameter, "q", "must hold 1 to 10 words of letters or digits")
		}
		l.Words(found)
	}
	l.In(item.FieldShippingModelID, anyInts(in.ShippingModelID), "")
	if len(in.CategoryID) > 0 {
		var categories []any
		for _, id := range in.CategoryID {
			within := s.reference.Categories.Descendants(int64(id))
			if len(within) == 0 {
				return nil, refusal.Newf(InvalidParameter, "category_id", "There is no category %s.", id)
			}
			for _, id := range within {
				categories = append(categories, id)
			}
		}
		l.In(item.FieldCategoryID, categories, "")
	}
	l.Between(item.FieldCurrentPrice, intPtr(in.PriceMin), intPtr(in.PriceMax), true)
	l.Between(item.FieldCreatedAt, intPtr(in.CreatedFrom), intPtr(in.CreatedTo), false)
	l.Between(item.FieldUpdatedAt, intPtr(in.UpdatedFrom), intPtr(in.UpdatedTo), false)
	l.Between(item.FieldEndsAt, intPtr(in.EndsFrom), intPtr(in.EndsTo), false)
	switch in.HasBids {
	case Some(true):
		l.Literal(item.FieldBidCount, "%s > 0", item.FieldCreatedAt, true)
	case Some(false):
		l.Literal(item.FieldBidCount, "%s = 0", item.FieldCreatedAt, false)
	}
	l.In(item.FieldStatus, anyStrings(in.Status), item.FieldCreatedAt)
	l.In(item.FieldSaleType, anyStrings(in.SaleType), item.FieldCreatedAt)
	l.In(item.FieldCurrency, anyStrings(in.Currency), "")
	coverItems(l, in)
	return l, nil
}

// coverItems recognizes the lists that an index of their own holds: the items of one sale type that are open, and those
// that ended without a sale, in the order of their creation.
func coverItems(l *rows.List, in *BrowseItemsInput) {
	types, states := distinct(in.SaleType), distinct(in.Status)
	if len(l.Filters) != 2 || len(types) != 1 || l.SortColumn != item.FieldCreatedAt {
		return
	}
	switch {
	case slices.Equal(states, []string{ItemOpen}):
		l.Cover(item.FieldStatus, itemsOpen)
	case slices.Equal(states, []string{ItemClosed, ItemUnsold}):
		l.Cover(item.FieldStatus, itemsEnded)
	}
}

// These conditions on the status are those of the indexes items_open and items_ended.
const (
	itemsOpen  = "%s = 'open'"
	itemsEnded = "%s IN ('unsold','closed')"
)

func distinct(values []string) []string { return slices.Compact(slices.Sorted(slices.Values(values))) }

// lists reads pages from the service's database, with its cursors.
func (s *Items) lists() rows.Lists { return rows.Lists{Store: s.reads, Cursors: s.cursors} }

func anyInts[T ~int64](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = int64(v)
	}
	return out
}

func anyStrings[T ~string](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func intPtr[T ~int64](o Opt[T]) *int64 {
	if !o.Set {
		return nil
	}
	n := int64(o.V)
	return &n
}
