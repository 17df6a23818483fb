package bridge

import (
	"context"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"sellerd/legacy"
	"sellerd/v1"
)

// This file has the lists that are read by position: items and sales.

// ItemWindow reads a part of a list of items.
func (a *api) ItemWindow(ctx context.Context, c *legacy.Call, in *v1.BrowseItemsInput, w v1.Window) ([]v1.Item, error) {
	l := listingOf[v1.Item](a, c, v1.BrowseItems.Operation,
		url.Values{"sale_type": in.SaleType, "status": {strings.Join(in.Status, ",")}, "sort": {in.Sort}},
		url.Values{"sale_type": in.SaleType, "sort": {"updated_at_asc"}})
	l.newest = func(ctx context.Context) (v1.Time, []v1.Item, error) { return a.newestItem(ctx, c, in.SaleType) }
	l.place = func(i *v1.Item) place { return place{i.CreatedAt, i.ID} }
	l.updated = func(i *v1.Item) v1.Time { return i.UpdatedAt }
	return readWindow(ctx, a.marks, l, w)
}

// SaleWindow reads a part of a list of sales.
func (a *api) SaleWindow(ctx context.Context, c *legacy.Call, in *v1.BrowseSalesInput, w v1.Window) ([]v1.Sale, error) {
	l := listingOf[v1.Sale](a, c, v1.BrowseSales.Operation,
		url.Values{"sale_type": in.SaleType, "cancellation_status": {strings.Join(in.CancellationStatus, ",")}, "sort": {in.Sort}},
		url.Values{"sale_type": in.SaleType})
	// All changes of a seller come one behind the other, so an instant of an item is one for sales, too.
	l.newest = func(ctx context.Context) (v1.Time, []v1.Sale, error) {
		at, _, err := a.newestItem(ctx, c, nil)
		return at, nil, err
	}
	l.place = func(s *v1.Sale) place { return place{s.SoldAt, s.ID} }
	l.updated = func(s *v1.Sale) v1.Time { return s.UpdatedAt }
	return readWindow(ctx, a.marks, l, w)
}

// listingOf has the pages of a list, and those of its changes.
func listingOf[T any](a *api, c *legacy.Call, o *v1.Operation, list, changes url.Values) *listing[T] {
	return &listing[T]{
		name: c.KeyID + "?" + list.Encode(), descending: strings.HasSuffix(list.Get("sort"), "_desc"),
		page: pages[T](a, c, o, list),
		changed: func(ctx context.Context, since v1.Time, after string) (*v1.Page[T], error) {
			query := maps.Clone(changes)
			query.Set("updated_from", since.String())
			return pages[T](a, c, o, query)(ctx, after, v1.MaxPageSize)
		},
	}
}

// pages reads the pages of a list.
func pages[T any](a *api, c *legacy.Call, o *v1.Operation, list url.Values) func(context.Context, string, int) (*v1.Page[T], error) {
	return func(ctx context.Context, after string, limit int) (*v1.Page[T], error) {
		query := url.Values{"limit": {strconv.Itoa(limit)}}
		for name, values := range list {
			if values[0] != "" {
				query[name] = values
			}
		}
		if after != "" {
			query.Set("after", after)
		}
		return readPage[T](ctx, a, c, o, query)
	}
}

// newestItem reads the item that changed last, and when. Without an item the instant is 0.
func (a *api) newestItem(ctx context.Context, c *legacy.Call, saleType []string) (v1.Time, []v1.Item, error) {
	list := url.Values{"sort": {"updated_at_desc"}}
	if len(saleType) > 0 {
		list["sale_type"] = saleType
	}
	page, err := pages[v1.Item](a, c, v1.BrowseItems.Operation, list)(ctx, "", 1)
	if err != nil || len(page.Results) == 0 {
		return 0, nil, err
	}
	return page.Results[0].UpdatedAt, page.Results, nil
}
