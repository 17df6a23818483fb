package bridge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// TestARowThatJoinsTheNextSegmentIsCounted reads deep windows in turn. Before, the list is remembered as segments of 200, 100 and
// 199 rows, so the page of the second segment shows a hundred rows of the third one. One of these is an old row that has just
// been restarted: the page shows it, and its segment has not counted it.
func TestARowThatJoinsTheNextSegmentIsCounted(t *testing.T) {
	// The bridge counts, and no database has a part in it.
	b := newBridged(t, servertest.SQLite(t), servertest.NewWeb(t).Production)
	b.Clock.Advance(-40 * 24 * time.Hour) // so that the service still answers
	b.listMany(t, 1600)
	var auctions []string
	for len(auctions) < 800 {
		query := fields("startingItem", fmt.Sprint(len(auctions)), "numberOfItems", "400")
		auctions = append(auctions, b.Rest(t, "GET", "/rest/item/auction/opened", query.Encode(), "X-Api-Key", b.Key).Texts("body/item/id_item")...)
	}
	compare := func(start, count int) {
		t.Helper()
		b.Clock.Advance(time.Second)
		query := fields("startingItem", fmt.Sprint(start), "numberOfItems", fmt.Sprint(count))
		want := b.Rest(t, "GET", "/rest/item/auction/opened", query.Encode(), "X-Api-Key", b.Key)
		got := b.call(t, "GET", "/rest/item/auction/opened", query, "X-Api-Key", b.Key)
		if diff := cmp.Diff(inside(want), inside(got)); diff != "" || len(want.Texts("body/item/id_item")) == 0 {
			t.Fatalf("%d from %d on (-service +bridge):\n%.2000s", count, start, diff)
		}
	}
	compare(600, 40) // remembers three pages of 200
	for _, item := range auctions[200:300] {
		b.change(t, item, "close")
	}
	old := auctions[420]
	b.change(t, old, "close")
	b.change(t, auctions[250], "restart") // another row of the second page, so that its rows are read again
	b.change(t, auctions[250], "close")
	compare(500, 40)
	b.Clock.Advance(time.Second)
	b.change(t, old, "restart")
	for _, window := range [][2]int{{250, 40}, {550, 40}, {299, 2}, {498, 4}, {499, 100}, {690, 10}} {
		compare(window[0], window[1])
	}
	b.change(t, auctions[220], "restart") // joins the segment that the first page of the list ends at
	for _, window := range [][2]int{{150, 100}, {201, 10}, {301, 3}, {550, 40}} {
		compare(window[0], window[1])
	}
}
