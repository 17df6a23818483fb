package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

const (
	retryEvery   = 20 * time.Millisecond  // while the server is away
	giveUpAfter  = 2 * time.Minute        // for one key
	pollEvery    = 200 * time.Millisecond // for outcomes
	outcomeLimit = 4 * time.Minute        // twice a claim's time
)

// load is the sellers' side: the requests they send, and the journal of what was acknowledged.
type load struct {
	seller *blackbox.Seller
	images string
	stall  []string // items that are bought, again and again
	seed   uint64

	mu         sync.Mutex
	wake       chan struct{} // closed at the next request, when the test waits for it
	journal    []entry
	sent       int
	unanswered int // attempts without an answer
	repeated   int // keys acknowledged at a later attempt than the first
	replayed   int // keys whose work an attempt without an answer had done
	err        error
}

// entry is a request under its key and the first answer to it.
type entry struct {
	key, path string
	body      []byte
	accepted  []string // the references of the rows that were accepted; none for a purchase
	data      json.RawMessage
	attempts  int
}

// purchase says whether the request was to buy.
func (e *entry) purchase() bool { return strings.HasPrefix(e.path, "/v1/test/") }

// work is one client: it lists items and batches of items, and buys, until ctx ends, each until it is acknowledged.
func (l *load) work(ctx context.Context, client int) {
	rng := rand.New(rand.NewPCG(l.seed, uint64(client)+1))
	for n := 0; ctx.Err() == nil; n++ {
		e := l.request(rng, fmt.Sprintf("c%d-%d", client, n))
		got, err := l.acknowledge(&e)
		if err == nil && rng.IntN(10) == 0 { // some repeat even what was answered
			err = l.sameAgain(e)
		}
		l.mu.Lock()
		l.journal = append(l.journal, e)
		if e.attempts > 1 {
			l.repeated++
		}
		if got.Replayed {
			l.replayed++
		}
		if l.err == nil {
			l.err = err
		}
		l.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// request makes a purchase, an item, or a batch of up to 20 of which some rows may be wrong. References are unique.
func (l *load) request(rng *rand.Rand, name string) entry {
	switch rng.IntN(4) {
	case 0:
		return entry{key: name, path: "/v1/test/items/" + l.stall[rng.IntN(len(l.stall))] + "/purchase", body: encode(map[string]any{"quantity": 1})}
	case 1, 2:
		return entry{key: name, path: "/v1/items", body: encode(l.item(rng, name)), accepted: []string{name}}
	}
	e := entry{key: name, path: "/v1/item-batches"}
	rows := make([]map[string]any, 2+rng.IntN(19))
	for i := range rows {
		reference := fmt.Sprintf("%s-%d", name, i)
		rows[i] = l.item(rng, reference)
		if i > 0 && rng.IntN(10) == 0 {
			delete(rows[i], "title")
			continue
		}
		e.accepted = append(e.accepted, reference)
	}
	e.body = encode(map[string]any{"items": rows})
	return e
}

func (l *load) item(rng *rand.Rand, reference string) map[string]any {
	item := map[string]any{
		"title": "Listed in a storm, " + reference, "personal_reference": reference, "category_id": "1010101",
		"sale_type": "fixed_price", "price": map[string]any{"amount": "9.50", "currency": "EUR"},
	}
	if rng.IntN(5) == 0 {
		item["images"] = []string{l.images + "/stamp-01.png", l.images + "/coin-02.gif"}[:1+rng.IntN(2)]
	}
	return item
}

func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings
	}
	return text
}

// acknowledge sends a request until it succeeds, and notes the answer. Between the attempts the server may have
// died and come back; anything but an outage is an error.
func (l *load) acknowledge(e *entry) (blackbox.Answer, error) {
	for start, attempt := time.Now(), 1; ; attempt++ {
		got, err := l.send(http.MethodPost, e.path, e.key, e.body)
		switch {
		case err == nil && got.Status/100 == 2:
			e.data, e.attempts = got.Data, attempt
			return got, nil
		case err == nil && got.Status != http.StatusServiceUnavailable && got.Status != http.StatusConflict:
			return got, fmt.Errorf("key %s: %d %s", e.key, got.Status, got.Errors)
		case time.Since(start) > giveUpAfter:
			return got, fmt.Errorf("key %s: no success in %s: status %d, %v", e.key, giveUpAfter, got.Status, err)
		}
		time.Sleep(retryEvery)
	}
}

// sameAgain sends a request once more and compares the answer with the first.
func (l *load) sameAgain(e entry) error {
	again := e
	got, err := l.acknowledge(&again)
	if err == nil && (!got.Replayed || !bytes.Equal(got.Data, e.data)) {
		err = fmt.Errorf("key %s: the answer was %s and is %s (replayed: %t)", e.key, e.data, got.Data, got.Replayed)
	}
	return err
}

func (l *load) send(method, path, key string, body []byte) (blackbox.Answer, error) {
	l.count()
	got, err := l.seller.Do(method, path, key, body)
	if err != nil {
		l.mu.Lock()
		l.unanswered++
		l.mu.Unlock()
	}
	return got, err
}

func (l *load) count() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sent++
	if l.wake != nil {
		close(l.wake)
		l.wake = nil
	}
}

// awaitRequests returns when so many more requests have been sent.
func (l *load) awaitRequests(t *testing.T, n int) {
	t.Helper()
	l.mu.Lock()
	until := l.sent + n
	for l.sent < until && l.err == nil {
		if l.wake == nil {
			l.wake = make(chan struct{})
		}
		wake := l.wake
		l.mu.Unlock()
		select {
		case <-wake:
		case <-time.After(giveUpAfter):
			t.Fatalf("no request was sent for %s", giveUpAfter)
		}
		l.mu.Lock()
	}
	l.mu.Unlock()
}

// acceptedRows is how many rows were accepted in all.
func (l *load) acceptedRows() int {
	n := 0
	for _, e := range l.journal {
		n += len(e.accepted)
	}
	return n
}

// purchases are the requests to buy that were acknowledged.
func (l *load) purchases() (bought []entry) {
	for _, e := range l.journal {
		if e.purchase() {
			bought = append(bought, e)
		}
	}
	return bought
}
