package limit

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// eachLimit runs a test on both databases, with the service and the limit on the same clock.
func eachLimit(t *testing.T, test func(t *testing.T, w *servertest.World, h *Handler)) {
	t.Helper()
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		address := database(t)
		w := servertest.New(t, address)
		h, err := Open(context.Background(), address, w.Config.BaseURL, false)
		if err != nil {
			t.Fatal(err)
		}
		h.now = w.Clock.Now
		t.Cleanup(func() {
			if err := h.Close(); err != nil {
				t.Error(err)
			}
		})
		test(t, w, h)
	})
}

// item is one of many kinds of items, with characters that JSON escapes.
func item(w *servertest.World, t *testing.T, n int) map[string]any {
	changes := map[string]any{"personal_reference": fmt.Sprintf("B-%d", n)}
	switch n % 7 {
	case 1:
		changes = map[string]any{"description": "<p>A \"quoted\" \\ text,</p>\n<ul><li>with\tmarkup &amp; signs: é, 切手, \u2028</li></ul>", "weight_grams": 20}
	case 2:
		return servertest.Auction(map[string]any{"duration_days": 7, "options": map[string]any{"highlight": true}})
	case 3:
		maps.Copy(changes, map[string]any{"subtitle": "Gum \\ \"fresh\"", "options": map[string]any{"subtitle": true, "top_listing": true}, "quantity": 30})
	case 4:
		var images []string
		for i := range 6 {
			images = append(images, w.ImageURL(t, fmt.Sprintf("stamp-0%d.png", i+1)))
		}
		changes["images"] = images
	case 5:
		maps.Copy(changes, map[string]any{"preferred_end_day": "sun", "preferred_end_time": "20:30", "renewals": 3, "site": "be"})
	case 6:
		changes["title"] = strings.Repeat("Österreich 1850 ", 7)
	}
	return servertest.FixedPrice(changes)
}

// fill publishes many items, has some sold and one closed, and returns the ids of a few of each kind.
func fill(t *testing.T, w *servertest.World) (ids []string) {
	for range 2 {
		var all []map[string]any
		for i := range v1.MaxBatch {
			all = append(all, item(w, t, i))
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": all}}); got.Status != http.StatusAccepted {
			t.Fatal(got.Body)
		}
	}
	w.Publish(t)
	page := servertest.Into[struct {
		Results []struct {
			ID       string `json:"id"`
			Quantity int    `json:"quantity"`
		} `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/items?limit=200"}))
	sold := 0
	for i, item := range page.Results {
		if i < 14 {
			ids = append(ids, item.ID)
		}
		for range min(item.Quantity, 3) {
			if w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/test/items/" + item.ID + "/purchase"}).Status == http.StatusOK {
				sold++
			}
		}
		if sold > 60 {
			break
		}
	}
	last := page.Results[len(page.Results)-1].ID
	if got := w.Do(t, servertest.Request{Path: "/v1/items/" + last + "/close", Body: map[string]any{"reason": "other", "note": "kept \"it\""}}); got.Status != http.StatusOK {
		t.Fatalf("close: %d %s", got.Status, got.Body)
	}
	return append(ids, last)
}

// answered is the limit's answer.
type answered struct {
	Status int
	Header http.Header
	Body   string
}

// ask sends a request to the limit.
func ask(t *testing.T, w *servertest.World, h *Handler, request servertest.Request) answered {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, request.Path, nil)
	if request.Body != nil {
		body, err := json.Marshal(request.Body)
		if err != nil {
			t.Error(err)
		}
		r = httptest.NewRequest(http.MethodPost, request.Path, bytes.NewReader(body))
	}
	r.Header.Set("X-Api-Key", cmp.Or(request.Key, w.Key))
	for name, value := range request.Header {
		r.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, r)
	return answered{recorder.Code, recorder.Header(), recorder.Body.String()}
}

var (
	cursors  = regexp.MustCompile(`"next_cursor":"([^"]*)"`)
	changing = regexp.MustCompile(`(sub|bat|evt|req|dk_test)_[0-9A-Za-z]+|[0-9-]{10}T[0-9:.]+Z`)
)

// cursor is the cursor of a page that is not the last.
func cursor(body string) (after string, more bool) {
	found := cursors.FindStringSubmatch(body)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// lines splits a body without its cursor into members, for a comparison that people can read.
func lines(body string) []string {
	return strings.SplitAfter(cursors.ReplaceAllString(body, `"next_cursor":"…"`), ",")
}

// mask hides ids and times in an answer to a write. Of an id the kind stays.
func mask(body string) string {
	return changing.ReplaceAllStringFunc(body, func(found string) string {
		if kind, _, isID := strings.Cut(found, "_"); isID {
			return kind + "_…"
		}
		return "time…"
	})
}

// rows reads what callers do not see. Each row is a line.
func rows(t *testing.T, w *servertest.World, query string) (found []string) {
	t.Helper()
	w.EachRow(t, query, func(values []any) {
		found = append(found, mask(strings.TrimSuffix(fmt.Sprintln(values...), "\n")))
	})
	return found
}
