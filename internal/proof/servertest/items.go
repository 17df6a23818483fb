package servertest

import (
	"maps"
	"net/http"
	"testing"
)

// This file makes items for tests.

// FixedPrice is the smallest item that can be listed, changed by the members given.
func FixedPrice(changes ...map[string]any) map[string]any {
	item := map[string]any{
		"title": "France 1849, 20c black Ceres", "category_id": Category, "sale_type": "fixed_price",
		"price": map[string]any{"amount": "45.00", "currency": "EUR"},
	}
	return with(item, changes)
}

// Auction is the smallest auction that can be listed, changed by the members given.
func Auction(changes ...map[string]any) map[string]any {
	item := map[string]any{
		"title": "Lot of 50 cancels", "category_id": Category, "sale_type": "auction",
		"starting_price": map[string]any{"amount": "9.99", "currency": "EUR"},
	}
	return with(item, changes)
}

// with sets members; a nil value removes one.
func with(item map[string]any, changes []map[string]any) map[string]any {
	for _, change := range changes {
		maps.Copy(item, change)
	}
	maps.DeleteFunc(item, func(_ string, value any) bool { return value == nil })
	return item
}

// List submits an item, publishes it and returns its id.
func (w *World) List(tb testing.TB, item map[string]any) string {
	tb.Helper()
	submitted := w.Do(tb, Request{Path: "/v1/items", Body: item})
	if submitted.Status != http.StatusAccepted {
		tb.Fatalf("submit: %d %s", submitted.Status, submitted.Body)
	}
	w.Publish(tb)
	done := w.Do(tb, Request{Path: submitted.Header.Get("Location")})
	outcome := Into[struct {
		Status string `json:"status"`
		ItemID string `json:"item_id"`
	}](tb, done)
	if outcome.Status != "published" {
		tb.Fatalf("publish: %s", done.Body)
	}
	return outcome.ItemID
}

// Close takes an item off sale.
func (w *World) Close(tb testing.TB, id string) {
	tb.Helper()
	if got := w.Do(tb, Request{Method: http.MethodPost, Path: "/v1/items/" + id + "/close"}); got.Status != http.StatusOK {
		tb.Fatalf("close: %d %s", got.Status, got.Body)
	}
}
