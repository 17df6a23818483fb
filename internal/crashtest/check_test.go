package crashtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"
	"time"
)

// listing is what the journal and the API say of an accepted row.
type listing struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Index     int    `json:"index"`
	Reference string `json:"personal_reference"`
	ItemID    string `json:"item_id"`
	Errors    []any  `json:"errors"`
}

// check compares the journal with what the server knows in the end.
func (l *load) check(t *testing.T) {
	t.Helper()
	items := map[string]string{} // reference → item
	for _, e := range l.journal {
		if err := l.sameAgain(e); err != nil {
			t.Error(err)
		}
		for _, s := range l.published(t, e) {
			if _, twice := items[s.Reference]; twice || s.ItemID == "" {
				t.Errorf("reference %s was published twice, or without an item: %+v", s.Reference, s)
			}
			items[s.Reference] = s.ItemID
		}
	}
	found := 0
	for item := range l.items(t) {
		found++
		if want := items[item.Reference]; want != item.ID {
			t.Errorf("item %s has reference %s, whose submission speaks of item %q", item.ID, item.Reference, want)
		}
		if item.Status != "open" {
			t.Errorf("item %s is %s", item.ID, item.Status)
		}
	}
	if want := l.acceptedRows(); found != want || len(items) != want {
		t.Errorf("%d rows were acknowledged, %d published, and there are %d items", want, len(items), found)
	}
	limits := read[struct {
		OpenItems struct{ Used int } `json:"open_items"`
	}](t, l, "/v1/account/limits")
	if limits.OpenItems.Used != found {
		t.Errorf("the store's limits count %d items instead of %d", limits.OpenItems.Used, found)
	}
}

// published waits until every row a request had accepted is published, and checks that they are the rows of the
// journal's answer.
func (l *load) published(t *testing.T, e entry) []listing {
	t.Helper()
	acknowledged := acknowledgedBy(t, e)
	for start := time.Now(); ; time.Sleep(pollEvery) {
		now := l.submissions(t, e, acknowledged)
		if len(now) != len(e.accepted) {
			t.Fatalf("key %s: %d rows were acknowledged, %d are there", e.key, len(e.accepted), len(now))
		}
		done := 0
		for i, s := range now {
			if s.Reference != e.accepted[i] {
				t.Fatalf("key %s: row %d is %s instead of %s", e.key, i, s.Reference, e.accepted[i])
			}
			if s.Status == "rejected" {
				t.Fatalf("key %s: row %s was rejected: %v", e.key, s.Reference, s.Errors)
			}
			if s.Status == "published" {
				done++
			}
		}
		if done == len(now) {
			return now
		}
		if time.Since(start) > outcomeLimit {
			t.Fatalf("key %s: not published in %s: %+v", e.key, outcomeLimit, now)
		}
	}
}

// acknowledgedBy is the id of the submission or batch in the journal's answer.
func acknowledgedBy(t *testing.T, e entry) string {
	t.Helper()
	var data struct {
		ID            string `json:"id"`
		AcceptedCount int    `json:"accepted_count"`
	}
	if err := json.Unmarshal(e.data, &data); err != nil {
		t.Fatalf("key %s: %v", e.key, err)
	}
	if e.path == "/v1/item-batches" && data.AcceptedCount != len(e.accepted) {
		t.Fatalf("key %s: %d rows were accepted instead of %d", e.key, data.AcceptedCount, len(e.accepted))
	}
	return data.ID
}

func (l *load) submissions(t *testing.T, e entry, id string) []listing {
	t.Helper()
	if e.path == "/v1/items" {
		return []listing{read[listing](t, l, "/v1/item-submissions/"+id)}
	}
	return read[struct {
		Submissions []listing `json:"submissions"`
	}](t, l, "/v1/item-batches/"+id).Submissions
}

type item struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Reference string `json:"personal_reference"`
}

// items walks through all items.
func (l *load) items(t *testing.T) func(yield func(item) bool) {
	return func(yield func(item) bool) {
		after := ""
		for {
			page := read[struct {
				Results    []item  `json:"results"`
				NextCursor *string `json:"next_cursor"`
			}](t, l, "/v1/items?limit=200"+after)
			for _, i := range page.Results {
				if !yield(i) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			after = "&after=" + url.QueryEscape(*page.NextCursor)
		}
	}
}

// read asks the server that is there to stay.
func read[T any](t *testing.T, l *load, path string) (out T) {
	t.Helper()
	got, err := l.send(http.MethodGet, path, "", nil)
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	if got.Status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, got.Status, got.Errors)
	}
	if err := json.Unmarshal(got.Data, &out); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return out
}
