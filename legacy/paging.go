package legacy

import (
	"context"

	"sellerd/translate"
	"sellerd/v1"
)

// This file answers the calls that page by position: startingItem and numberOfItems are a window of the list that /v1
// walks by cursor, in the same order.

// itemList answers a list of items.
func itemList(ctx context.Context, r *request) (any, error) {
	window, in, err := window(r, v1.BrowseItems)
	if err != nil {
		return nil, err
	}
	if window.descending {
		in.Sort = "created_at_desc"
	}
	return r.handler.API.ItemWindow(ctx, &r.call, in, window.Window)
}

// soldList answers a list of sales with their items.
func soldList(ctx context.Context, r *request) (any, error) {
	window, in, err := window(r, v1.BrowseSales)
	if err != nil {
		return nil, err
	}
	if window.descending {
		in.Sort = "sold_at_desc"
	}
	sales, err := r.handler.API.SaleWindow(ctx, &r.call, in, window.Window)
	if err != nil {
		return nil, err
	}
	ids := make([]v1.ID, len(sales))
	for i := range sales {
		ids[i] = sales[i].ItemID
	}
	items, err := r.handler.API.ItemsByID(ctx, &r.call, ids)
	if err != nil {
		return nil, err
	}
	out := make([]translate.SoldItem, len(sales))
	for i := range sales {
		address, err := sales[i].ShippingAddress.Value()
		if err != nil {
			return nil, err
		}
		out[i] = translate.SoldItem{Sale: sales[i], Item: items[sales[i].ItemID], Address: address}
	}
	return out, nil
}

// directedWindow is a window and the direction of the list.
type directedWindow struct {
	v1.Window
	descending bool
}

// window reads the window of a request and the filters of its list.
func window[I, O any](r *request, list v1.Op[I, O]) (directedWindow, *I, error) {
	var w directedWindow
	var errs v1.Errors
	if w.Start, w.Count, w.descending, errs = r.plan.Window(r.fields); errs != nil {
		return w, nil, errs
	}
	in, err := list.Input(&r.call.Call, nil, r.decoded.Query.Encode(), nil)
	if err != nil {
		return w, nil, err
	}
	if err := r.call.Problems.Err(); err != nil {
		return w, nil, err
	}
	return w, in, nil
}
