package blackbox

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// Receipt is a delivery as the receiver saw it.
type Receipt struct {
	Endpoint   string
	Event      string // its id
	Type       string
	Resource   string // type and id
	Sequence   int64
	Created    time.Time // of the event
	At         time.Time
	Times      int // how often this event came to this endpoint, this time included
	Signatures int // in the header, each of them of a known secret
	Status     int // what was answered
}

// Receiver is a server for webhooks. It has any number of endpoints, verifies every delivery and keeps what arrived.
type Receiver struct {
	answer func(*http.Request, *Receipt) int
	server *httptest.Server
	proofs *verifier

	mu       sync.Mutex
	receipts []Receipt
	times    map[string]int // by endpoint and event
	failures []string
}

// NewReceiver starts a receiver that ends with the test. answer returns the status for a delivery, and may block; nil
// answers 200 at once. A delivery that does not verify fails the test.
func NewReceiver(tb testing.TB, answer func(*http.Request, *Receipt) int) *Receiver {
	tb.Helper()
	if answer == nil {
		answer = func(*http.Request, *Receipt) int { return http.StatusOK }
	}
	r := &Receiver{answer: answer, times: map[string]int{}, proofs: newVerifier(tb)}
	r.server = httptest.NewServer(r)
	tb.Cleanup(func() {
		r.server.CloseClientConnections()
		r.server.Close()
		for _, failure := range r.Failures() {
			tb.Error(failure)
		}
		r.proofs.finish(tb)
	})
	return r
}

// URL is the address of an endpoint.
func (r *Receiver) URL(endpoint string) string { return r.server.URL + "/" + endpoint }

// Trust adds an endpoint's new secret. The receiver still accepts the one before, as receivers do during a rotation.
func (r *Receiver) Trust(endpoint, secret string) { r.proofs.trust(endpoint, secret) }

// TrustAnyTime accepts signatures whatever their timestamps say, for tests in which the server's clock is wrong.
func (r *Receiver) TrustAnyTime() { r.proofs.anyTime.Store(true) }

// ServeHTTP takes a delivery.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // the sender died in the middle, and nothing was received
	}
	receipt := Receipt{Endpoint: strings.TrimPrefix(request.URL.Path, "/"), At: at}
	if receipt.Signatures, err = r.proofs.verify(receipt.Endpoint, request.Header, body); err != nil {
		r.fail("%s: event %s does not verify: %v", receipt.Endpoint, request.Header.Get(standardwebhooks.HeaderWebhookID), err)
	}
	if err := receipt.read(body); err != nil {
		r.fail("%s: %v: %.200s", receipt.Endpoint, err, body)
	}
	if id := request.Header.Get(standardwebhooks.HeaderWebhookID); id != receipt.Event {
		r.fail("%s: webhook-id is %q, the event's id %q", receipt.Endpoint, id, receipt.Event)
	}
	r.mu.Lock()
	key := receipt.Endpoint + " " + receipt.Event
	r.times[key]++
	receipt.Times = r.times[key]
	index := len(r.receipts)
	r.receipts = append(r.receipts, receipt)
	r.mu.Unlock()
	receipt.Status = r.answer(request, &receipt)
	r.mu.Lock()
	r.receipts[index].Status = receipt.Status
	r.mu.Unlock()
	w.WriteHeader(receipt.Status)
}

// read takes from an event what every event has.
func (r *Receipt) read(body []byte) error {
	var event struct {
		ID, Type string
		Created  time.Time `json:"created_at"`
		Resource struct {
			Type, ID string
			Sequence int64
		}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		return err
	}
	r.Event, r.Type, r.Created = event.ID, event.Type, event.Created
	r.Resource, r.Sequence = event.Resource.Type+"/"+event.Resource.ID, event.Resource.Sequence
	return nil
}

// fail records an error for the end of the test: errors may occur in any goroutine and often.
func (r *Receiver) fail(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	const enough = 20
	if len(r.failures) < enough {
		r.failures = append(r.failures, fmt.Sprintf(format, args...))
	}
}

// Failures are the first errors of deliveries.
func (r *Receiver) Failures() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.failures)
}

// Receipts are all deliveries so far, in the order of their arrival.
func (r *Receiver) Receipts() []Receipt {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.receipts)
}

// Different is how many events arrived, at each endpoint each once.
func (r *Receiver) Different() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.times)
}
