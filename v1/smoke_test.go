package v1_test

import (
	"testing"

	"sellerd/internal/servertest"
)

func TestAnItemIsListedAndRead(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		id := w.List(t, servertest.FixedPrice())
		got := w.Do(t, servertest.Request{Path: "/v1/items/" + id})
		if got.Status != 200 {
			t.Errorf("read: %d %s", got.Status, got.Body)
		}
		list := w.Do(t, servertest.Request{Path: "/v1/items?q=ceres&status=open&sort=ends_at_desc&has_bids=false&category_id=-1&price_min=1.00"})
		if page := servertest.Into[struct{ Results []any }](t, list); len(page.Results) != 1 {
			t.Errorf("list: %s", list.Body)
		}
	})
}
