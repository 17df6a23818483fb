package v1_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// mirror is a program that keeps a copy of the shop: it changes the shop with its own key, and reads what others changed.
type mirror struct {
	key, after string
	copy       map[string]string // titles by item
	echoes     int
}

// read follows the feed to its end.
func (m *mirror) read(t *testing.T, w *servertest.World, query string) {
	t.Helper()
	for more := true; more; {
		got := w.Do(t, servertest.Request{Path: "/v1/events?limit=200&type=item.updated" + query + "&after=" + m.after, Key: m.key})
		if got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		page := servertest.Into[eventPage](t, got)
		for _, body := range page.Results {
			m.take(t, string(body))
		}
		m.after, more = page.NextCursor, page.HasMore
	}
}

// take is what the mirror does with an event: it copies the change. A change of its own that comes back is an echo.
func (m *mirror) take(t *testing.T, body string) {
	t.Helper()
	var e struct {
		causedEvent
		Data struct {
			Item struct {
				Title string `json:"title"`
			} `json:"item"`
		} `json:"data"`
	}
	if err := json.Unmarshal([]byte(body), &e); err != nil {
		t.Fatal(err)
	}
	if e.Cause.KeyPrefix != nil && *e.Cause.KeyPrefix == "dk_test_"+keyID(m.key) {
		m.echoes++
	}
	m.copy[e.Resource.ID] = e.Data.Item.Title
}

// change has the mirror change items of its copy and of the shop, in one call.
func (m *mirror) change(t *testing.T, w *servertest.World, items []string, title string) {
	t.Helper()
	changes := make([]any, len(items))
	for i, item := range items {
		changes[i] = object{"item_id": item, "patch": object{"title": title}}
		m.copy[item] = title
	}
	if got := w.Do(t, servertest.Request{Path: "/v1/item-changes", Key: m.key, Body: object{"changes": changes}}); got.Status != http.StatusOK {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
}

// TestTwoMirrorsNeverEcho runs two programs that each keep a copy of one shop, one by the feed and one by a webhook. Both change items, and
// in the middle the key of each is rotated.
func TestTwoMirrorsNeverEcho(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const atOnce = 100
		var items []string
		for range 2 {
			all := make([]any, atOnce)
			for i := range all {
				all[i] = servertest.FixedPrice()
			}
			got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: object{"items": all}})
			for _, result := range servertest.Into[struct {
				Results []struct {
					SubmissionID string `json:"submission_id"`
				} `json:"results"`
			}](t, got).Results {
				items = append(items, result.SubmissionID)
			}
		}
		w.Publish(t)
		for i, submission := range items {
			items[i] = servertest.Into[struct {
				ItemID string `json:"item_id"`
			}](t, w.Do(t, servertest.Request{Path: "/v1/item-submissions/" + submission})).ItemID
			if i%100 == 99 {
				w.Clock.Advance(time.Minute)
			}
		}
		first := &mirror{key: w.NewKey(t, w.Account, "test"), copy: map[string]string{}}
		second := &mirror{key: w.NewKey(t, w.Account, "test"), copy: map[string]string{}}
		query := "&not_key_id=" + keyID(first.key)
		first.after = feedPage(t, w, "after=latest&type=item.updated"+query).NextCursor
		s := servertest.NewReceiver(t)
		w.Subscribe(t, object{"url": s.URL, "events": []string{"item.updated"}, "skip_key_ids": []string{keyID(second.key)}})
		rounds, arrivals := changesToMake()/(2*atOnce), 0
		for round := range rounds {
			if round == rounds/2 {
				for _, m := range []*mirror{first, second} {
					successor := w.NewKey(t, w.Account, "test")
					follow(t, w, m.key, successor)
					m.key = successor
				}
			}
			first.change(t, w, items[:atOnce], fmt.Sprintf("First %d", round))
			second.change(t, w, items[atOnce:], fmt.Sprintf("Second %d", round))
			first.read(t, w, query)
			servertest.DeliverAll(t, w.Service)
			for _, a := range s.Take() {
				arrivals++
				second.take(t, a.Body)
			}
			w.Clock.Advance(10 * time.Second)
		}
		if first.echoes != 0 || second.echoes != 0 || arrivals != rounds*atOnce {
			t.Errorf("%d and %d echoes, %d events of %d arrived", first.echoes, second.echoes, arrivals, rounds*atOnce)
		}
		if diff := cmp.Diff(first.copy, second.copy); diff != "" || len(first.copy) != len(items) {
			t.Errorf("the copies of %d items differ:\n%s", len(first.copy), diff)
		}
	})
}
