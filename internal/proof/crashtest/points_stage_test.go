package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/internal/demo"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/store"
)

// stageLimit is for whatever the test waits for; all of it needs a fraction of a second, or two on a busy machine.
const stageLimit = 30 * time.Second

// stage is a seller on a server that crashes at a chosen point, with a receiver of all the seller's events. The case at
// hand lends it its T.
type stage struct {
	*testing.T
	database string
	server   *blackbox.Server
	seller   *blackbox.Seller
	receiver *blackbox.Receiver
	webhook  string // the subscription to everything
	images   string

	names             int
	newUnits, carried int // submissions and restarts of the day, and those of the days before
}

func newStage(t *testing.T, program, database string) *stage {
	t.Helper()
	pictures := httptest.NewServer(demo.Images())
	t.Cleanup(pictures.Close)
	s := &stage{T: t, database: database, receiver: blackbox.NewReceiver(t, nil), images: pictures.URL}
	s.server = blackbox.NewServer(t, database).Of(program)
	s.server.Start(t)
	s.seller = blackbox.NewSeller(t, s.server, "mortal")
	s.seller.Fresh = true
	s.webhook = s.seller.Subscribe(t, s.receiver, "everything").ID
	return s
}

// start runs the next server. On PostgreSQL, where it cannot know that the last one is dead, the leases of that one are
// ended.
func (s *stage) start() {
	s.Helper()
	if strings.HasPrefix(s.database, "postgres") {
		endClaims(s.T, s.database)
	}
	s.server.Start(s)
}

// change lets time pass in the database, for what would take weeks.
func (s *stage) change(work func(ctx context.Context, tx *ent.Client) error) {
	s.Helper()
	db, err := store.Open(s.Context(), store.Config{URL: s.database})
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	if err := db.Write(s.Context(), work); err != nil {
		s.Fatal(err)
	}
}

// request is what a seller's tool sends. One that is no POST is protected by If-Match.
type request struct {
	method, path string
	body         any
	tag          string
}

func (s *stage) send(r request, key string) (blackbox.Answer, error) {
	if r.tag != "" {
		return s.seller.DoIfMatch(r.method, r.path, r.tag, encode(r.body))
	}
	return s.seller.Do(r.method, r.path, key, encode(r.body))
}

// acknowledge sends a request until it is answered. The server that died may have left its database busy for a moment.
func (s *stage) acknowledge(r request, key string) (got blackbox.Answer) {
	s.Helper()
	s.await(func() bool {
		var err error
		if got, err = s.send(r, key); err != nil {
			s.Fatalf("%s %s: %v", r.method, r.path, err)
		}
		return got.Status != http.StatusServiceUnavailable && !bytes.Contains(got.Errors, []byte(`"idempotency_key_in_progress"`))
	})
	if got.Status/100 != 2 && got.Status != http.StatusPreconditionFailed {
		s.Fatalf("%s %s: %d %s", r.method, r.path, got.Status, got.Errors)
	}
	return got
}

// post sends a request that must succeed.
func (s *stage) post(path string, body any) blackbox.Answer {
	s.Helper()
	return s.acknowledge(*post(path, body), s.newName("setup"))
}

// get reads what must be there.
func get[T any](s *stage, path string) T {
	s.Helper()
	return blackbox.Call[T](s, s.seller.Client, http.MethodGet, path, nil)
}

// walk reads a list to its end.
func walk[T any](s *stage, path string) []T {
	s.Helper()
	return slices.Collect(blackbox.Walk[T](s, s.seller.Client, path+"?limit=200"))
}

// id is that of an answer's object.
func (s *stage) id(a blackbox.Answer) string {
	s.Helper()
	var object struct{ ID string }
	if err := json.Unmarshal(a.Data, &object); err != nil || object.ID == "" {
		s.Fatalf("no id in %s: %v", a.Data, err)
	}
	return object.ID
}

// newName is a name that was not used before.
func (s *stage) newName(kind string) string {
	s.names++
	return fmt.Sprintf("%s-%d", kind, s.names)
}

// await looks until it sees what it waits for, or gives up; then the checks that follow fail.
func (s *stage) await(seen func() bool) {
	s.Helper()
	for start := time.Now(); !seen() && time.Since(start) < stageLimit; {
		time.Sleep(retryEvery)
	}
}

// awaitSilence waits until no submission and no event is on its way.
func (s *stage) awaitSilence() {
	s.Helper()
	pending := 0
	s.await(func() bool { pending = s.takeStock().pending(); return pending == 0 })
	if pending != 0 {
		s.Fatalf("the store's limits count %d items more than there are", pending)
	}
	s.seller.AwaitDelivered(s, stageLimit)
}

// tally is what is counted, or what a count changed by.
type tally map[string]int

// takeStock counts what a seller can count: objects by their state, units of the limits, and events by their type.
func (s *stage) takeStock() tally {
	s.Helper()
	n := tally{}
	for _, item := range walk[struct {
		Status, Title string
		QuantitySold  int `json:"quantity_sold"`
		BidCount      int `json:"bid_count"`
	}](s, "/v1/items") {
		n["items "+item.Status]++
		n["pieces sold"] += item.QuantitySold
		n["bids"] += item.BidCount
		if item.Title == revisedTitle {
			n["items revised"]++
		}
	}
	for _, sale := range walk[struct {
		Status       string
		RatingStatus string `json:"rating_status"`
	}](s, "/v1/sales") {
		n["sales "+sale.Status]++
		n["sales "+sale.RatingStatus]++
	}
	for _, bill := range walk[struct {
		Status    string
		Trackings []json.RawMessage
	}](s, "/v1/bills") {
		n["bills "+bill.Status]++
		n["trackings"] += len(bill.Trackings)
	}
	limits := get[struct {
		OpenItems      struct{ Used int } `json:"open_items"`
		NewItemsPerDay struct{ Used int } `json:"new_items_per_day"`
		Webhooks       struct{ Used int }
	}](s, "/v1/account/limits")
	if limits.NewItemsPerDay.Used < s.newUnits { // it is midnight
		s.carried += s.newUnits
	}
	s.newUnits = limits.NewItemsPerDay.Used
	n["open units"], n["new units"], n["webhooks"] = limits.OpenItems.Used, s.carried+s.newUnits, limits.Webhooks.Used
	for _, r := range s.receiver.Receipts() {
		if r.Times == 1 {
			n["events "+r.Type]++
		}
	}
	return n
}

// pending is how many submissions have a unit of the limit and no item yet; less than that is a wrong count.
func (n tally) pending() int { return n["open units"] - n["items open"] - n["items scheduled"] }

// changes are the differences that there are.
func (n tally) changes(after tally) tally {
	changed := maps.Clone(after)
	for name, count := range n {
		changed[name] -= count
	}
	maps.DeleteFunc(changed, func(_ string, count int) bool { return count == 0 })
	return changed
}
