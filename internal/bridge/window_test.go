package bridge_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/bridge"
	"sellerd/internal/proof/servertest"
)

// positionLists are the lists of /rest that are read by position.
var positionLists = []string{
	"/rest/item/auction/opened", "/rest/item/fixedprice/opened", "/rest/item/auction/closed", "/rest/item/fixedprice/closed", "/rest/item/fixedprice/sold",
}

// TestWindowsAreThoseOfTheService reads parts of lists through the bridge and from the service itself, which counts rows, while
// the rows change.
func TestWindowsAreThoseOfTheService(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		b := newBridged(t, database(t), servertest.NewWeb(t).Production)
		b.Clock.Advance(-40 * 24 * time.Hour) // so that the service still answers
		random := rand.New(rand.NewPCG(1, 2))
		items := b.listMany(t, 700)
		lot := b.List(t, servertest.FixedPrice(map[string]any{"quantity": 2000}))
		b.purchase(t, lot, 650)
		for i, item := range items[:300] { // some lists begin with many
			if i%2 == 0 {
				b.change(t, item, "close")
			}
		}
		counts := []int{1, 100, 199, 250, 1000}
		for round := range 30 {
			for range random.IntN(4) {
				item := items[random.IntN(len(items))]
				switch random.IntN(5) {
				case 0, 1:
					b.change(t, item, "close")
				case 2:
					b.change(t, item, "restart")
				case 3:
					b.purchase(t, lot, 1)
				default:
					b.cancel(t, random.IntN(600))
				}
			}
			path := positionLists[random.IntN(len(positionLists))]
			order := []string{"ASC", "DESC"}[random.IntN(2)]
			start, count := random.IntN(700), counts[random.IntN(len(counts))]
			if round%10 == 9 {
				start = 100_000
			}
			query := fields("startingItem", fmt.Sprint(start), "numberOfItems", fmt.Sprint(count), "order", order)
			want := b.Rest(t, "GET", path, query.Encode(), "X-Api-Key", b.Key)
			got := b.call(t, "GET", path, query, "X-Api-Key", b.Key)
			if got.Status != http.StatusOK {
				t.Fatal(got.Body)
			}
			if diff := cmp.Diff(inside(want), inside(got)); diff != "" {
				t.Fatalf("round %d, %d from %d on of %s %s (-service +bridge):\n%.2000s", round, count, start, path, order, diff)
			}
		}
	})
}

// inside is the body of an answer, without the time in its head.
func inside(a servertest.RestAnswer) []string {
	_, body, _ := strings.Cut(a.Body, "<body>")
	return strings.Split(body, "<item>")
}

// listMany lists items of both kinds in batches, and returns their ids.
func (b *bridged) listMany(tb testing.TB, n int) (ids []string) {
	tb.Helper()
	for made := 0; made < n; made += 100 {
		var batch []any
		for i := range 100 {
			item := servertest.Auction()
			if i%2 == 0 {
				item = servertest.FixedPrice()
			}
			batch = append(batch, item)
		}
		if got := b.Do(tb, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": batch}}); got.Status != http.StatusAccepted {
			tb.Fatal(got.Body)
		}
		b.Publish(tb)
		b.Clock.Advance(time.Second)
	}
	for after := ""; ; {
		page := servertest.Into[struct {
			Results []struct {
				ID string `json:"id"`
			} `json:"results"`
			NextCursor *string `json:"next_cursor"`
		}](tb, b.Do(tb, servertest.Request{Path: "/v1/items?limit=200" + after}))
		for _, item := range page.Results {
			ids = append(ids, item.ID)
		}
		if page.NextCursor == nil {
			return ids
		}
		after = "&after=" + *page.NextCursor
	}
}

// change closes or restarts an item, if its state lets it.
func (b *bridged) change(tb testing.TB, item, how string) {
	tb.Helper()
	b.post(tb, "/v1/items/"+item+"/"+how, "{}")
}

// cancel cancels the nth sale, if that is possible.
func (b *bridged) cancel(tb testing.TB, n int) {
	tb.Helper()
	page := servertest.Into[struct {
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}](tb, b.Do(tb, servertest.Request{Path: "/v1/sales?limit=200"}))
	sale := page.Results[n%len(page.Results)].ID
	b.post(tb, "/v1/test/sales/"+sale+"/cancel", `{"action":"request"}`)
	b.post(tb, "/v1/test/sales/"+sale+"/cancel", `{"action":"accept"}`)
}

// post makes a request of /v1 that may be refused.
func (b *bridged) post(tb testing.TB, path, body string) int {
	tb.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("X-Api-Key", b.Key)
	r.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	b.Server.Public.ServeHTTP(recorder, r)
	if recorder.Code >= 500 {
		tb.Fatal(recorder.Body)
	}
	return recorder.Code
}

// TestAWindowThatIsRememberedTakesTwoRequests reads a part once, and then again and its neighbour.
func TestAWindowThatIsRememberedTakesTwoRequests(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	b.listMany(t, 1000)
	ask := func(start, count int) []string {
		t.Helper()
		b.asked(false)
		got := b.call(t, "GET", "/rest/item/auction/opened", fields("startingItem", fmt.Sprint(start), "numberOfItems", fmt.Sprint(count)), "X-Api-Key", b.Key)
		if n := len(got.Texts("body/item/id_item")); got.Status != http.StatusOK || n != count {
			t.Fatalf("%d, %d items", got.Status, n)
		}
		return b.asked(false)
	}
	for _, step := range []struct {
		name         string
		start, count int
		want         int
	}{
		{"what the first page has is one request", 100, 100, 1},
		{"a part behind it begins with the newest change, the first pages, and what has changed meanwhile", 300, 100, 4},
		{"the same part again", 300, 100, 2},
		{"the one behind it", 400, 100, 2},
	} {
		if got := ask(step.start, step.count); len(got) != step.want {
			t.Errorf("%s: %d requests, want %d: %v", step.name, len(got), step.want, got)
		}
	}
}

// TestTestDataThatIsRemovedIsForgotten removes all rows, of which no change tells.
func TestTestDataThatIsRemovedIsForgotten(t *testing.T) {
	b := newBridged(t, servertest.SQLite(t))
	b.listMany(t, 1000)
	part := func() int {
		return len(b.call(t, "GET", "/rest/item/auction/opened", fields("startingItem", "250", "numberOfItems", "200"), "X-Api-Key", b.Key).Texts("body/item/id_item"))
	}
	if n := part(); n != 200 {
		t.Fatalf("%d items", n)
	}
	if status := b.post(t, "/v1/test/reset", "{}"); status != http.StatusAccepted {
		t.Fatal(status)
	}
	for {
		n, err := b.Service.ResetOnce(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	b.Clock.Advance(time.Minute)
	if n := part(); n != 0 {
		t.Errorf("%d items are left", n)
	}
	b.listMany(t, 600)
	if n := part(); n != 50 {
		t.Errorf("%d of the new items, want 50", n)
	}
}

// TestManyWindowsNeedLittleMemory remembers as many marks as a bridge may have.
func TestManyWindowsNeedLittleMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept, marks := bridge.RememberMany(20_000)
	runtime.GC()
	runtime.ReadMemStats(&after)
	grown := int64(after.HeapAlloc) - int64(before.HeapAlloc)
	if marks < bridge.MaxMarks/2 || marks > bridge.MaxMarks || grown > 8<<20 {
		t.Errorf("%d bytes for %d marks of 20,000 windows", grown, marks)
	}
	runtime.KeepAlive(kept)
}
