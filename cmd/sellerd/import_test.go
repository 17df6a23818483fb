package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// shop is the service on a listener, and a way to import into it. Instead of waiting, an import lets the publisher work.
type shop struct {
	*servertest.World
	url string
}

func newShop(t *testing.T, around func(http.Handler) http.Handler, options ...servertest.Option) shop {
	t.Helper()
	w := servertest.New(t, servertest.SQLite(t), options...)
	server := httptest.NewServer(around(w.Server.Public))
	t.Cleanup(server.Close)
	return shop{w, server.URL}
}

func plainly(h http.Handler) http.Handler { return h }

// imports a file to the end and returns what became of it, and why it stopped.
func (s shop) imports(t *testing.T, file string) (importReport, error) {
	t.Helper()
	return s.sends(t, file, listing)
}

// sends does what a target does with a file.
func (s shop) sends(t *testing.T, file string, to target) (importReport, error) {
	t.Helper()
	rows, err := readRows(strings.NewReader(file), to)
	if err != nil {
		t.Fatal(err)
	}
	client, err := newAPIClient(s.url, s.Key, time.Minute, s.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	client.sleep = func(context.Context, time.Duration) error {
		s.Publish(t)
		return nil
	}
	im := &importer{to: to, client: client, rows: rows, progress: &progress{out: t.Output(), now: s.Clock.Now, unit: "rows"}}
	stopped := im.submit(t.Context())
	if stopped == nil {
		stopped = im.await(t.Context())
	}
	return im.report(), stopped
}

// listings is a file of so many right rows.
func listings(n int) string {
	var b strings.Builder
	b.WriteString("title,personal_reference,category_id,sale_type,price,currency\n")
	for i := range n {
		fmt.Fprintf(&b, "Stamp %d,R-%d,%s,fixed_price,2.50,EUR\n", i, i, servertest.Category)
	}
	return b.String()
}

func TestImportOfTheSample(t *testing.T) {
	s := newShop(t, plainly)
	var file bytes.Buffer
	n := mistakeEvery * len(sampleMistakes)
	if err := writeSample(&file, n, strings.TrimSuffix(s.ImageURL(t, ""), "/"), 1); err != nil {
		t.Fatal(err)
	}
	first, err := s.imports(t, file.String())
	if err != nil {
		t.Fatal(err)
	}

	t.Run("every mistake is refused for what it is, and nothing else is refused", func(t *testing.T) {
		want, got := map[int]string{}, map[int]string{}
		for i := 1; i <= len(sampleMistakes); i++ {
			want[i*mistakeEvery+1] = sampleMistakes[i%len(sampleMistakes)].code // the header is line 1
		}
		for _, row := range first.Rows {
			if row.Outcome == rowRefused {
				got[row.Line] = row.Problems[0].Code
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the rest is published, but for those without a single picture left", func(t *testing.T) {
		refused := len(sampleMistakes)
		rejected := n / lostImagesEvery
		want := importSummary{
			Rows: n, Accepted: n - refused, Refused: refused, Rejected: rejected,
			Published: n - refused - rejected, Warned: n / lostPictureEvery,
		}
		if diff := cmp.Diff(want, first.Summary); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a second import finds the same items and makes none", func(t *testing.T) {
		again, err := s.imports(t, file.String())
		if err != nil {
			t.Fatal(err)
		}
		if again.Summary.Replayed != first.Summary.Accepted {
			t.Errorf("%d rows were replayed, want %d", again.Summary.Replayed, first.Summary.Accepted)
		}
		for _, row := range again.Rows {
			row.Replayed = false
		}
		if diff := cmp.Diff(first.Rows, again.Rows, cmp.AllowUnexported(importRow{})); diff != "" {
			t.Error(diff)
		}
		if items := s.Count(t, "items", "1 = 1"); items != first.Summary.Published {
			t.Errorf("there are %d items, want %d", items, first.Summary.Published)
		}
	})
}

func TestImportOfRowsThatAreAllWrong(t *testing.T) {
	s := newShop(t, plainly)
	got, err := s.imports(t, "title,personal_reference,category_id,sale_type,price,currency\n"+
		"A,R-1,1010101,fixed_price,\"1,50\",EUR\n"+
		",R-2,1010101,auction,2.00,EUR\n")
	if err != nil {
		t.Fatal(err)
	}
	type problem struct {
		Line              int
		Outcome, Problems string
	}
	var problems []problem
	for _, row := range got.Rows {
		for _, e := range row.Problems {
			problems = append(problems, problem{row.Line, row.Outcome, e.Code + " " + e.Field})
		}
	}
	want := []problem{
		{2, rowRefused, "invalid_value price.amount"},
		{3, rowRefused, "missing_field title"},
		{3, rowRefused, "missing_field starting_price"},
		{3, rowRefused, "conflicting_fields price"},
	}
	if diff := cmp.Diff(want, problems); diff != "" {
		t.Error(diff)
	}
	if err := got.unknown(true); err != nil {
		t.Errorf("every row has its outcome, and yet: %v", err)
	}
}

func TestImportBeyondTheDailyLimit(t *testing.T) {
	s := newShop(t, plainly, func(c *v1.Config) { c.NewItemsPerDay = 103 })
	file := listings(250)

	today, err := s.imports(t, file)
	if err == nil || !strings.Contains(err.Error(), "daily_item_limit_reached") {
		t.Errorf("the import ended with %v, want it to name the limit", err)
	}
	if diff := cmp.Diff(importSummary{Rows: 250, Accepted: 103, Pending: 103, Unsent: 147}, today.Summary); diff != "" {
		t.Error(diff)
	}
	if today.unknown(true) == nil {
		t.Error("rows were left, and it is no error")
	}

	s.Clock.Advance(24 * time.Hour)
	tomorrow, err := s.imports(t, file)
	if err == nil {
		t.Error("147 rows fit into a limit of 103")
	}
	if diff := cmp.Diff(importSummary{Rows: 250, Accepted: 206, Pending: 206, Replayed: 103, Unsent: 44}, tomorrow.Summary); diff != "" {
		t.Error(diff)
	}

	s.Clock.Advance(24 * time.Hour)
	last, err := s.imports(t, file)
	if err != nil {
		t.Error(err)
	}
	if last.Summary.Accepted != 250 || last.Summary.Replayed != 206 {
		t.Errorf("on the third day: %+v", last.Summary)
	}
	if submissions := s.Count(t, "submissions", "1 = 1"); submissions != 250 {
		t.Errorf("there are %d submissions for 250 rows", submissions)
	}
}

func TestImportWithLostAnswers(t *testing.T) {
	var posts atomic.Int32
	s := newShop(t, func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && posts.Add(1) == 1 {
				h.ServeHTTP(httptest.NewRecorder(), r) // the work is done,
				panic(http.ErrAbortHandler)            // and the connection breaks
			}
			h.ServeHTTP(w, r)
		})
	})
	got, err := s.imports(t, listings(3))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(importSummary{Rows: 3, Accepted: 3, Published: 3, Replayed: 3}, got.Summary); diff != "" {
		t.Error(diff)
	}
	if items := s.Count(t, "items", "1 = 1"); items != 3 {
		t.Errorf("there are %d items, want 3", items)
	}
}

func TestImportKeys(t *testing.T) {
	rows := func(n int) []*importRow {
		read, err := readRows(strings.NewReader(listings(n)), listing)
		if err != nil {
			t.Fatal(err)
		}
		return read
	}
	key := func(run string, b *importBatch) string { return b.key("import", run, b.body("items")) }
	first := split("items", rows(250))

	t.Run("batches hold at most 100 rows", func(t *testing.T) {
		var sizes []int
		for _, b := range first {
			sizes = append(sizes, len(b.rows))
		}
		if diff := cmp.Diff([]int{100, 100, 50}, sizes); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("batches hold at most 2 MiB", func(t *testing.T) {
		large := rows(100)
		for _, row := range large {
			row.item = bytes.Repeat([]byte(" "), 50_000)
		}
		total := 0
		for _, b := range split("items", large) {
			total += len(b.rows)
			if n := len(b.body("items")); n > maxBatchBytes {
				t.Errorf("a body has %d bytes", n)
			}
		}
		if total != 100 {
			t.Errorf("the batches hold %d of 100 rows", total)
		}
	})
	t.Run("the same rows have the same key", func(t *testing.T) {
		if a, b := key("", first[1]), key("", split("items", rows(250))[1]); a != b {
			t.Errorf("keys are %s and %s", a, b)
		}
	})
	t.Run("another run, another place or another row is another key", func(t *testing.T) {
		moved := *first[1]
		moved.name = "7"
		for what, other := range map[string]string{
			"run": key("spring", first[1]), "place": key("", &moved), "row": key("", split("items", rows(199))[1]),
		} {
			if other == key("", first[1]) {
				t.Errorf("another %s has the same key", what)
			}
		}
	})
}
