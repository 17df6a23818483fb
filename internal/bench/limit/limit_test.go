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
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// TestReadsEqualTheServices compares bodies byte by byte. Only cursors differ: the service's are sealed.
func TestReadsEqualTheServices(t *testing.T) {
	eachLimit(t, func(t *testing.T, w *servertest.World, h *Handler) {
		items := fill(t, w)
		paths := []string{"/v1/items?limit=50", "/v1/items?sale_type=fixed_price&status=open&limit=50", "/v1/sales?limit=50", "/v1/sales?sort=sold_at_desc&limit=50"}
		for _, id := range items {
			paths = append(paths, "/v1/items/"+id)
		}
		for _, path := range paths {
			theirs := w.Do(t, servertest.Request{Path: path})
			ours := ask(t, w, h, servertest.Request{Path: path})
			for page := 1; ; page++ {
				if diff := gocmp.Diff(lines(theirs.Body), lines(ours.Body)); diff != "" || theirs.Status != http.StatusOK || ours.Status != http.StatusOK {
					t.Fatalf("%s, page %d, answered %d and %d (-service +limit):\n%s", path, page, theirs.Status, ours.Status, diff)
				}
				after, more := cursor(theirs.Body)
				own, _ := cursor(ours.Body)
				if !more {
					if strings.HasSuffix(path, "limit=50") && page < 2 {
						t.Errorf("%s has a single page", path)
					}
					break
				}
				theirs = w.Do(t, servertest.Request{Path: path + "&after=" + after})
				ours = ask(t, w, h, servertest.Request{Path: path + "&after=" + own})
			}
		}
	})
}

// TestWritesEqualTheServices submits the same items to both, and compares the answers and the rows behind them. In the end
// the service publishes all of them.
func TestWritesEqualTheServices(t *testing.T) {
	eachLimit(t, func(t *testing.T, w *servertest.World, h *Handler) {
		var all []map[string]any
		for i := range v1.MaxBatch {
			all = append(all, item(w, t, i))
		}
		requests := []servertest.Request{{Path: "/v1/item-batches", Body: map[string]any{"items": all}}, {Path: "/v1/item-batches", Body: map[string]any{"items": all[:3]}}}
		for _, one := range all[:10] {
			requests = append(requests, servertest.Request{Path: "/v1/items", Body: one})
		}
		for i, request := range requests {
			request.Header = map[string]string{"Idempotency-Key": fmt.Sprintf("service-%d", i)}
			theirs := w.Do(t, request)
			before := rows(t, w, lastChange)
			request.Header = map[string]string{"Idempotency-Key": fmt.Sprintf("limit-%d", i)}
			ours := ask(t, w, h, request)
			if diff := gocmp.Diff(lines(mask(theirs.Body)), lines(mask(ours.Body))); diff != "" || theirs.Status != http.StatusAccepted || ours.Status != http.StatusAccepted {
				t.Fatalf("POST %s answered %d and %d (-service +limit):\n%s", request.Path, theirs.Status, ours.Status, diff)
			}
			if diff := gocmp.Diff(mask(theirs.Header.Get("Location")), mask(ours.Header.Get("Location"))); diff != "" {
				t.Error(diff)
			}
			if now := rows(t, w, lastChange); now[0] <= before[0] { // of equal length
				t.Errorf("the owner's last change was at %s, and then at %s", before, now)
			}
		}
		for table, query := range map[string]string{
			"submissions": `SELECT owner, CASE WHEN batch_id IS NULL THEN 0 ELSE 1 END, coalesce(batch_index, -1), coalesce(personal_reference, 'NULL'), status, errors, warnings,
 publish_deadline - due_at, coalesce(completed_at, -1), lease, attempts FROM submissions WHERE id %s 100000000 ORDER BY id`,
			"batches":          `SELECT owner, accepted_count, rejected_count FROM batches WHERE id IN (SELECT batch_id FROM submissions WHERE id %s 100000000) ORDER BY created_at`,
			"idempotency_keys": `SELECT length(fingerprint), status, body, location FROM idempotency_keys WHERE CASE WHEN id LIKE '%%/limit-%%' THEN 0 ELSE 1000000000 END %s 100000000 ORDER BY expires_at`,
		} {
			theirs, ours := rows(t, w, fmt.Sprintf(query, ">")), rows(t, w, fmt.Sprintf(query, "<"))
			if diff := gocmp.Diff(theirs, ours); diff != "" || len(ours) == 0 {
				t.Errorf("%s, %d rows (-service +limit):\n%s", table, len(ours), diff)
			}
		}
		owner := rows(t, w, "SELECT open_count, day_count FROM owners WHERE open_count > 0")
		if want := []string{"226 226"}; !slices.Equal(owner, want) {
			t.Errorf("the owner's counts are %q, want %q", owner, want)
		}
		w.Publish(t)
		published := rows(t, w, "SELECT count(*) FROM submissions WHERE status = 'published' AND draft = ''")
		if want := []string{"226"}; !slices.Equal(published, want) {
			t.Errorf("%q submissions were published, want %q", published, want)
		}
	})
}

const lastChange = "SELECT max(last_change_at) FROM owners"

// TestManyWritersShareTransactions has sellers submit at the same time: each answer has an instant of its own in its
// seller's order.
func TestManyWritersShareTransactions(t *testing.T) {
	eachLimit(t, func(t *testing.T, w *servertest.World, h *Handler) {
		_, second, _ := w.Seller(t, "ben")
		keys := []string{w.Key, second}
		const clients, each = 8, 20
		done := make(chan string, clients)
		for client := range clients {
			go func() {
				for n := range each {
					request := servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(), Key: keys[client%2], Header: map[string]string{"Idempotency-Key": fmt.Sprintf("%d-%d", client, n)}}
					if got := ask(t, w, h, request); got.Status != http.StatusAccepted {
						done <- got.Body
						return
					}
				}
				done <- ""
			}()
		}
		for range clients {
			if failure := <-done; failure != "" {
				t.Error(failure)
			}
		}
		got := rows(t, w, "SELECT owner, count(*), count(DISTINCT created_at) FROM submissions GROUP BY owner ORDER BY owner")
		counts := rows(t, w, "SELECT id, open_count, day_count FROM owners WHERE open_count > 0 ORDER BY id")
		if diff := gocmp.Diff(counts, got); diff != "" || len(got) != 2 {
			t.Errorf("the sellers' submissions are not their counts:\n%s", diff)
		}
	})
}

func TestAWrongKeyIsRefused(t *testing.T) {
	eachLimit(t, func(t *testing.T, w *servertest.World, h *Handler) {
		wrong := []byte(w.Key)
		wrong[len(wrong)-checksum-1] ^= 1
		for name, key := range map[string]string{"another secret": string(wrong), "not a key": "x", "unknown": "dk_test_abc_defghijkl"} {
			if got := ask(t, w, h, servertest.Request{Path: "/v1/items", Key: key}); got.Status != http.StatusInternalServerError {
				t.Errorf("%s: answered %d", name, got.Status)
			}
		}
	})
}

// eachLimit runs a test on both databases with a service that uses the machine's clock, as the limit does.
func eachLimit(t *testing.T, test func(t *testing.T, w *servertest.World, h *Handler)) {
	t.Helper()
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		address := database(t)
		w := servertest.New(t, address, func(c *v1.Config) { c.Clock = v1.SystemClock{} })
		h, err := Open(context.Background(), address, w.Config.SiteURL)
		if err != nil {
			t.Fatal(err)
		}
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
	changing = regexp.MustCompile(`(sub|bat)_[0-9a-z]+|[0-9-]{10}T[0-9:.]+Z`)
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
	rows, err := w.Store.Reader().QueryContext(context.Background(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, targets := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			targets[i] = &values[i]
		}
		if err := rows.Scan(targets...); err != nil {
			t.Fatal(err)
		}
		found = append(found, mask(strings.TrimSuffix(fmt.Sprintln(values...), "\n")))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
