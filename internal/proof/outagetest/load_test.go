package outagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

const (
	clients     = 10
	stallItems  = 4                     // are bought, again and again
	retryEvery  = 50 * time.Millisecond // sooner than Retry-After asks for, to meet the moment in which it works again
	giveUpAfter = 2 * time.Minute       // for one key
)

// load is ten clients of several servers: each lists items and buys, one request after the other, and repeats a request
// under its key until it is acknowledged. What was acknowledged, and how each attempt ended, is kept.
type load struct {
	seller  *blackbox.Seller
	servers []*blackbox.Server
	stall   []string
	shelf   []string      // items that are changed; without them there are neither batches nor changes
	moves   bool          // a request that fails is repeated at the next server
	held    bool          // a primary that is lost may still hold the key of a request that was answered 503
	pause   time.Duration // of a client between two requests
	keeps   bool          // clients keep their connections

	mu           sync.Mutex
	acknowledged []entry
	attempts     []attempt
	errs         []error
}

// entry is a request under its key and the first answer to it.
type entry struct {
	key, path string
	body      []byte
	data      json.RawMessage
	listed    []string          // the references of items
	changed   map[string]string // the new titles of items; one was bought if there is neither
	at        time.Time
	attempts  int
}

// attempt is one sending of a request.
type attempt struct {
	server *blackbox.Server
	began  time.Time
	took   time.Duration
	ok     bool
	silent bool // there was no answer
}

// begin starts the clients. They end with the context, or at the latest when the test ends.
func (l *load) begin(ctx context.Context) (finish func()) {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() { l.work(ctx, n) })
	}
	return func() { stop(); all.Wait() }
}

func (l *load) work(ctx context.Context, n int) {
	client := *l.seller.Client
	client.Server, client.Fresh = l.servers[n%len(l.servers)], !l.keeps
	for i := 0; ctx.Err() == nil; i++ {
		time.Sleep(l.pause)
		e := l.request(n, i)
		client.Server = l.servers[n%len(l.servers)] // also after a request that has moved
		err := l.acknowledge(&client, &e)
		l.mu.Lock()
		if err != nil {
			l.errs = append(l.errs, err)
		} else {
			l.acknowledged = append(l.acknowledged, e)
		}
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// request is the i-th request of client n. References are those of no other request.
func (l *load) request(n, i int) entry {
	key := fmt.Sprintf("c%d-%d", n, i)
	switch {
	case l.shelf != nil && i%6 == 3:
		return l.batch(key)
	case l.shelf != nil && i%6 == 4:
		return l.changes(key, n)
	case i%3 == 2:
		return entry{key: key, path: "/v1/test/items/" + l.stall[i/3%len(l.stall)] + "/purchase", body: []byte(`{"quantity":1}`)}
	}
	return entry{key: key, path: "/v1/items", body: []byte(itemBody(key)), listed: []string{key}}
}

// acknowledge sends a request until it succeeds. Anything but a success, and 503 with Retry-After, is an error. A twin that may still
// run, because requests move or a primary that is lost holds its key, is waited for, as docs/seller/idempotency.md tells sellers to.
func (l *load) acknowledge(c *blackbox.Client, e *entry) error {
	for start := time.Now(); ; time.Sleep(retryEvery) {
		began := time.Now()
		e.attempts++
		got, err := c.Do(http.MethodPost, e.path, e.key, e.body)
		a := attempt{c.Server, began, time.Since(began), err == nil && got.Status/100 == 2, err != nil}
		l.mu.Lock()
		l.attempts = append(l.attempts, a)
		l.mu.Unlock()
		switch {
		case a.ok:
			e.data, e.at = got.Data, time.Now()
			return nil
		case l.moves && time.Since(start) < giveUpAfter && (err != nil || refusedForNow(got)):
			c.Server = l.servers[(slices.Index(l.servers, c.Server)+1)%len(l.servers)]
		case err != nil:
			return fmt.Errorf("key %s: no answer in %s: %w", e.key, a.took, err)
		case (got.Status != http.StatusServiceUnavailable || got.RetryAfter == "") && !(l.held && refusedForNow(got)):
			return fmt.Errorf("key %s: %d with Retry-After %q: %s", e.key, got.Status, got.RetryAfter, got.Errors)
		case time.Since(start) > giveUpAfter:
			return fmt.Errorf("key %s: no success in %s", e.key, giveUpAfter)
		}
	}
}

// refusedForNow says whether a request may be repeated at once.
func refusedForNow(got blackbox.Answer) bool {
	return got.RetryAfter != "" && (got.Status == http.StatusServiceUnavailable ||
		got.Status == http.StatusConflict && bytes.Contains(got.Errors, []byte("idempotency_key_in_progress")))
}

// slowest is the longest that an answer took, but for those of one server.
func (l *load) slowest(but *blackbox.Server) (most time.Duration) {
	for _, a := range l.attempts {
		if !a.silent && a.server != but {
			most = max(most, a.took)
		}
	}
	return most
}

// back is how long after an instant the last of the servers had served a request that was sent after it.
func (l *load) back(since time.Time) (last time.Duration) {
	first := map[*blackbox.Server]time.Duration{}
	for _, a := range l.attempts {
		if at := a.end().Sub(since); a.ok && a.began.After(since) {
			if known, served := first[a.server]; !served || at < known {
				first[a.server] = at
			}
		}
	}
	if len(first) < len(l.servers) {
		return giveUpAfter
	}
	return slices.Max(slices.Collect(maps.Values(first)))
}

// gap is the longest that it took from an attempt that failed to the end of the first one begun after it that did not.
func (l *load) gap() (most time.Duration) {
	for _, failed := range l.attempts {
		if failed.ok {
			continue
		}
		first := giveUpAfter
		for _, a := range l.attempts {
			if a.ok && a.began.After(failed.began) {
				first = min(first, a.began.Add(a.took).Sub(failed.began))
			}
		}
		most = max(most, first)
	}
	return most
}

// silences are the longest times in which the servers had no success, in their order.
func (l *load) silences() []time.Duration {
	most, last := make([]time.Duration, len(l.servers)), map[*blackbox.Server]time.Time{}
	for _, a := range slices.SortedFunc(slices.Values(l.attempts), func(a, b attempt) int { return a.end().Compare(b.end()) }) {
		if !a.ok {
			continue
		}
		if before, served := last[a.server]; served {
			n := slices.Index(l.servers, a.server)
			most[n] = max(most[n], a.end().Sub(before))
		}
		last[a.server] = a.end()
	}
	return most
}

func (a attempt) end() time.Time { return a.began.Add(a.took) }

// refused is how many attempts were refused.
func (l *load) refused() (n int64) {
	for _, a := range l.attempts {
		if !a.ok {
			n++
		}
	}
	return n
}

// listed is how many items were acknowledged, bought how many purchases.
func (l *load) listed() (n int) {
	for _, e := range l.acknowledged {
		n += len(e.listed)
	}
	return n
}

func (l *load) bought() (n int) {
	for _, e := range l.acknowledged {
		if e.listed == nil && e.changed == nil {
			n++
		}
	}
	return n
}

// awaitPublished waits until everything that was acknowledged is published, and returns which item each key has.
func (l *load) awaitPublished(t *testing.T, limit time.Duration) map[string]string {
	t.Helper()
	items := map[string]string{}
	began := time.Now()
	for _, e := range l.acknowledged {
		if len(e.listed) == 0 {
			continue
		}
		if len(e.listed) > 1 {
			l.awaitBatch(t, limit-time.Since(began), e, items)
			continue
		}
		var acknowledged struct{ ID string }
		if err := json.Unmarshal(e.data, &acknowledged); err != nil {
			t.Fatal(err)
		}
		blackbox.Eventually(t, limit-time.Since(began), "key "+e.key+" is published", func() bool {
			now := blackbox.Call[struct {
				Status string
				ItemID string `json:"item_id"`
			}](t, l.seller.Client, http.MethodGet, "/v1/item-submissions/"+acknowledged.ID, nil)
			if now.Status == "rejected" {
				t.Fatalf("key %s was rejected", e.key)
			}
			items[e.key] = now.ItemID
			return now.Status == "published"
		})
	}
	return items
}

// check compares what was acknowledged with what there is: every change once, and nothing else.
func (l *load) check(t *testing.T, items map[string]string) {
	t.Helper()
	for _, err := range l.errs {
		t.Error(err)
	}
	for _, e := range l.acknowledged { // the key answers what it answered first
		again := e
		if err := l.acknowledge(l.seller.Client, &again); err != nil || !bytes.Equal(e.data, again.data) {
			t.Errorf("key %s: the answer was %s and is %s: %v", e.key, e.data, again.data, err)
		}
	}
	found := map[string]int{}
	for item := range blackbox.Walk[struct {
		ID        string
		Reference string `json:"personal_reference"`
	}](t, l.seller.Client, "/v1/items?limit=200") {
		if slices.Contains(l.stall, item.ID) || slices.Contains(l.shelf, item.ID) {
			continue
		}
		if found[item.Reference]++; items[item.Reference] != item.ID {
			t.Errorf("item %s has reference %s, whose submission speaks of item %q", item.ID, item.Reference, items[item.Reference])
		}
	}
	for key := range items {
		if found[key] != 1 {
			t.Errorf("key %s was acknowledged, and has %d items", key, found[key])
		}
	}
	if len(found) != len(items) {
		t.Errorf("%d items were acknowledged, and there are %d", len(items), len(found))
	}
	sales := 0
	for range blackbox.Walk[struct{ ID string }](t, l.seller.Client, "/v1/sales?limit=200") {
		sales++
	}
	if sales != l.bought() {
		t.Errorf("%d purchases were acknowledged, and there are %d sales", l.bought(), sales)
	}
}

// checkEvents looks at what the receiver got: of every item and every sale its event, and of each resource the events in
// order, beginning with 1 and without a gap. It says how many there were.
func (l *load) checkEvents(t *testing.T, r *blackbox.Receiver) int {
	t.Helper()
	l.seller.AwaitDelivered(t, deliverLimit)
	last, kinds, seen := map[string]int64{}, map[string]int{}, map[string]bool{}
	for _, receipt := range r.Receipts() {
		if !seen[receipt.Event] {
			seen[receipt.Event] = true
			kinds[receipt.Type]++
		}
		if at := last[receipt.Resource]; receipt.Sequence != at && receipt.Sequence != at+1 {
			t.Errorf("%s came with sequence %d after %d", receipt.Resource, receipt.Sequence, at)
		}
		last[receipt.Resource] = max(last[receipt.Resource], receipt.Sequence)
	}
	for kind, want := range map[string]int{"item.published": l.listed() + len(l.stall) + len(l.shelf), "item.sold": l.bought(), "item.updated": l.changed()} {
		if kinds[kind] != want {
			t.Errorf("%d events %s came instead of %d", kinds[kind], kind, want)
		}
	}
	return len(seen)
}

// published is how long after an instant the last item was there of those that were acknowledged before it.
func (l *load) published(r *blackbox.Receiver, items map[string]string, since time.Time) (last time.Duration) {
	there := map[string]time.Time{}
	for _, receipt := range r.Receipts() {
		if receipt.Type == "item.published" {
			there[receipt.Resource] = receipt.Created
		}
	}
	for _, e := range l.acknowledged {
		for _, reference := range e.listed {
			if e.at.Before(since) {
				last = max(last, there["item/"+items[reference]].Sub(since))
			}
		}
	}
	return last
}

// deliverLimit is how long after the load's end the last event may come: the lease of an attempt whose outcome could not be
// stored.
const deliverLimit = 4 * time.Minute
