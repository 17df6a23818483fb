package crashtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
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

type item struct {
	ID        string `json:"id"`
	Status    string `json:"status"`
	Reference string `json:"personal_reference"`
}

// check compares the journal with what the server knows in the end.
func (l *load) check(t *testing.T) {
	t.Helper()
	items := map[string]string{} // reference → item
	for _, e := range l.journal {
		if err := l.sameAgain(e); err != nil {
			t.Error(err)
		}
		if e.purchase() {
			continue
		}
		for _, s := range l.published(t, e) {
			if _, twice := items[s.Reference]; twice || s.ItemID == "" {
				t.Errorf("reference %s was published twice, or without an item: %+v", s.Reference, s)
			}
			items[s.Reference] = s.ItemID
		}
	}
	found := 0
	for item := range blackbox.Walk[item](t, l.seller.Client, "/v1/items?limit=200") {
		if slices.Contains(l.stall, item.ID) {
			continue
		}
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
	if want := found + len(l.stall); limits.OpenItems.Used != want {
		t.Errorf("the store's limits count %d items instead of %d", limits.OpenItems.Used, want)
	}
	l.checkSales(t)
}

// checkSales compares the acknowledged purchases with the sales there are.
func (l *load) checkSales(t *testing.T) {
	t.Helper()
	acknowledged := map[string]string{} // sale → key
	for _, e := range l.purchases() {
		var sale struct{ ID string }
		if err := json.Unmarshal(e.data, &sale); err != nil {
			t.Fatalf("key %s: %v", e.key, err)
		}
		if other, twice := acknowledged[sale.ID]; twice {
			t.Errorf("keys %s and %s were answered the same sale %s", other, e.key, sale.ID)
		}
		acknowledged[sale.ID] = e.key
	}
	found := 0
	for sale := range blackbox.Walk[struct{ ID string }](t, l.seller.Client, "/v1/sales?limit=200") {
		found++
		if acknowledged[sale.ID] == "" {
			t.Errorf("sale %s answers no acknowledged key", sale.ID)
		}
	}
	if want := len(l.purchases()); found != want {
		t.Errorf("%d purchases were acknowledged, and there are %d sales", want, found)
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

// read asks the server that is there to stay.
func read[T any](t *testing.T, l *load, path string) T {
	t.Helper()
	return blackbox.Call[T](t, l.seller.Client, http.MethodGet, path, nil)
}
