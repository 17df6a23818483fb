package limit

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// TestReadsEqualTheServices compares bodies byte by byte. Only cursors differ: the service's are sealed.
func TestReadsEqualTheServices(t *testing.T) {
	eachLimit(t, func(t *testing.T, w *servertest.World, h *Handler) {
		items := fill(t, w)
		paths := []string{"/v1/items?limit=50", "/v1/items?sale_type=fixed_price&status=open&limit=50"}
		for _, id := range items {
			paths = append(paths, "/v1/items/"+id)
		}
		for _, path := range paths {
			theirs := w.Do(t, servertest.Request{Path: path})
			ours := ask(t, w, h, servertest.Request{Path: path})
			for page := 1; ; page++ {
				if diff := cmp.Diff(lines(theirs.Body), lines(ours.Body)); diff != "" || theirs.Status != http.StatusOK || ours.Status != http.StatusOK {
					t.Fatalf("%s, page %d, answered %d and %d (-service +limit):\n%s", path, page, theirs.Status, ours.Status, diff)
				}
				after, more := cursor(theirs.Body)
				own, _ := cursor(ours.Body)
				if !more {
					if strings.Contains(path, "limit=") && page < 2 {
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
			if diff := cmp.Diff(lines(mask(theirs.Body)), lines(mask(ours.Body))); diff != "" || theirs.Status != http.StatusAccepted || ours.Status != http.StatusAccepted {
				t.Fatalf("POST %s answered %d and %d (-service +limit):\n%s", request.Path, theirs.Status, ours.Status, diff)
			}
			if diff := cmp.Diff(mask(theirs.Header.Get("Location")), mask(ours.Header.Get("Location"))); diff != "" {
				t.Error(diff)
			}
			if now := rows(t, w, lastChange); now[0] <= before[0] { // of equal length
				t.Errorf("the owner's last change was at %s, and then at %s", before, now)
			}
		}
		for table, query := range map[string]string{
			"submissions": `SELECT owner, CASE WHEN batch_id IS NULL THEN 0 ELSE 1 END, coalesce(batch_index, -1), coalesce(personal_reference, 'NULL'), status, errors, warnings,
 publish_deadline - due_at, coalesce(completed_at, -1), lease, attempts, coalesce(shipping_model_id, -1) FROM submissions WHERE id %s 100000000 ORDER BY id`,
			"batches":          `SELECT owner, accepted_count, rejected_count FROM batches WHERE id IN (SELECT batch_id FROM submissions WHERE id %s 100000000) ORDER BY created_at`,
			"idempotency_keys": `SELECT length(fingerprint), status, body, location FROM idempotency_keys WHERE CASE WHEN id LIKE '%%/limit-%%' THEN 0 ELSE 1000000000 END %s 100000000 ORDER BY expires_at`,
		} {
			theirs, ours := rows(t, w, fmt.Sprintf(query, ">")), rows(t, w, fmt.Sprintf(query, "<"))
			if diff := cmp.Diff(theirs, ours); diff != "" || len(ours) == 0 {
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

// TestPublishedRowsEqualTheServices has both publish the same items, and compares all that is stored of them. Of a changed schema the rows
// are the same, too. Left out is what the limit does not compute: preferred ends.
func TestPublishedRowsEqualTheServices(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		address := database(t)
		w := servertest.New(t, address)
		var requests []servertest.Request
		for _, kind := range []int{0, 2, 3, 4, 6, 0, 4} {
			requests = append(requests, servertest.Request{Path: "/v1/items", Body: item(w, t, kind)})
		}
		requests = append(requests, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": []any{item(w, t, 0), item(w, t, 1), item(w, t, 4)}}})
		tables := []string{
			`SELECT owner, sale_type, title, subtitle, description, personal_reference, category_id, currency, price, starting_price, bid_increment, reserve_price,
 current_price, bid_count, first_bid_at, high_bidder_id, quantity, quantity_sold, duration_days, preferred_end_day, preferred_end_time, starts_at,
 ends_at - run_started_at, due_at - ends_at, published_at - created_at, updated_at - created_at, closed_at, renewals, renewals_left, shipping_model_id, weight_grams,
 images, images_due_at, options, site, status, close_reason, close_note, restart_count, visit_count, sequence, search, lease FROM items WHERE id %[1]s ORDER BY id`,
			`SELECT owner, item_id - (SELECT min(id) FROM items WHERE id %[1]s), word FROM item_words WHERE item_id %[1]s ORDER BY item_id, word`,
			`SELECT e.owner, type, resource_type, e.sequence, e.created_at - i.created_at, replace(body, CAST(i.id AS text), 'N') FROM events e JOIN items i ON i.id = resource_id WHERE i.id %[1]s ORDER BY i.id`,
			`SELECT owner, status, draft, errors, warnings, personal_reference, completed_at - created_at > 0 FROM submissions WHERE id %[1]s ORDER BY id`,
		}
		var want, got [][]string
		for _, request := range requests {
			if theirs := w.Do(t, request); theirs.Status != http.StatusAccepted {
				t.Fatal(theirs.Body)
			}
		}
		w.Publish(t)
		last := rows(t, w, "SELECT max(id) FROM items")[0]
		for _, query := range tables {
			want = append(want, lines(strings.Join(rows(t, w, fmt.Sprintf(query, "<= "+last)), "\n")))
		}
		h, err := Open(t.Context(), address, w.Config.BaseURL, true)
		if err != nil {
			t.Fatal(err)
		}
		h.now = w.Clock.Now
		for _, request := range requests {
			if ours := ask(t, w, h, request); ours.Status != http.StatusAccepted {
				t.Error(ours.Body)
			}
		}
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		for _, query := range tables {
			got = append(got, lines(strings.Join(rows(t, w, fmt.Sprintf(query, "> "+last)), "\n")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-service +limit):\n%s", diff)
		}
		owner := rows(t, w, "SELECT open_count, day_count FROM owners WHERE open_count > 0")
		if want := []string{"20 20"}; !slices.Equal(owner, want) {
			t.Errorf("the owner's counts are %q, want %q", owner, want)
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
		if diff := cmp.Diff(counts, got); diff != "" || len(got) != 2 {
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
