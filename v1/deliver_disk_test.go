package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// limitFile lets the database's file grow by so many pages more, which is all that SQLite sees of a disk; -1 lifts it.
func limitFile(t *testing.T, w *servertest.World, extra int) {
	t.Helper()
	err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
		text := "PRAGMA max_page_count = 1073741823"
		if extra >= 0 {
			rows, err := tx.QueryContext(ctx, "PRAGMA page_count")
			if err != nil {
				return err
			}
			pages := 0
			for rows.Next() {
				if err := rows.Scan(&pages); err != nil {
					return err
				}
			}
			if err := rows.Close(); err != nil {
				return err
			}
			text = fmt.Sprintf("PRAGMA max_page_count = %d", pages+extra)
		}
		_, err := tx.ExecContext(ctx, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAFullDiskLosesNoEventAndHalfWritesNone(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	r := servertest.NewReceiver(t)
	w.Subscribe(t, object{"url": r.URL})
	item := w.List(t, servertest.FixedPrice())
	worker, waits := workerOn(t, w, w.Store)
	claimed := claimBy(t, worker)

	// Whatever still fits is taken in, until nothing does.
	limitFile(t, w, 0)
	request := servertest.Request{
		Path: "/v1/items", Body: servertest.FixedPrice(object{"description": strings.Repeat("x", 9000)}),
		Header: map[string]string{"Idempotency-Key": "fits-0"},
	}
	accepted := 0
	for ; accepted < 100; accepted++ {
		request.Header["Idempotency-Key"] = fmt.Sprintf("fits-%d", accepted)
		if got := w.Do(t, request); got.Status != http.StatusAccepted {
			if got.Status != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
				t.Fatalf("on a full disk: %d %s", got.Status, got.Body)
			}
			break
		}
	}
	if n := w.Count(t, "submissions", "1 = 1"); n != accepted+1 {
		t.Errorf("%d submissions, %d were accepted", n, accepted+1)
	}
	if got := w.Do(t, servertest.Request{Path: "/v1/items/" + item}); got.Status != http.StatusOK {
		t.Errorf("a read on a full disk: %d %s", got.Status, got.Body)
	}

	// What is in flight answers more than fits. Its outcome is kept until there is room again.
	r.Answers(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, strings.Repeat("y", 4096)) })
	worker.Retrier.Pause = func(_ context.Context, d time.Duration) {
		*waits = append(*waits, d)
		w.Clock.Advance(d)
		limitFile(t, w, -1)
	}
	if err := probe.SendAndSettle(worker, t.Context(), claimed); err != nil {
		t.Errorf("settle: %v", err)
	}
	if diff := cmp.Diff([]time.Duration{100 * time.Millisecond}, *waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"1 succeeded final"}, w.AttemptsInShort(t)); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}

	// What was refused is taken in now, once.
	for range 2 {
		if got := w.Do(t, request); got.Status != http.StatusAccepted {
			t.Errorf("with room again: %d %s", got.Status, got.Body)
		}
	}
	w.Publish(t)
	servertest.DeliverAll(t, w.Service)
	if n, got := w.Count(t, "items", "1 = 1"), len(r.Take()); n != accepted+2 || got != accepted+2 {
		t.Errorf("%d items and %d events of %d", n, got, accepted+2)
	}
	if n := w.Count(t, "pragma_integrity_check", "integrity_check <> 'ok'"); n != 0 {
		t.Error("the database is damaged")
	}
}

func TestAFullDiskHoldsUpNoPublication(t *testing.T) {
	images := &clockwork{}
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.Images = images })
	worker, waits := workerOn(t, w, w.Store)
	large := object{"description": strings.Repeat("x", 9000)}
	got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(large, object{"images": []string{"http://images.example/1.png"}})})
	path := got.Header.Get("Location")
	images.meanwhile = func() { // nothing fits any more when the picture is there
		limitFile(t, w, 0)
		for _, filling := range []object{large, {}} {
			for n := 0; ; n++ {
				got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(filling)})
				if got.Status == http.StatusServiceUnavailable {
					break
				}
				if got.Status != http.StatusAccepted || n == 100 {
					t.Fatalf("on a full disk: %d %s", got.Status, got.Body)
				}
			}
		}
	}
	worker.Retrier.Pause = func(_ context.Context, d time.Duration) {
		*waits = append(*waits, d)
		w.Clock.Advance(d)
		if len(*waits) == 3 {
			limitFile(t, w, -1)
		}
	}
	publishOnce(t, worker, 1)
	if diff := cmp.Diff([]time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond}, *waits); diff != "" {
		t.Errorf("waits (-want +got):\n%s", diff)
	}
	checkPublished(t, w, path)
}
