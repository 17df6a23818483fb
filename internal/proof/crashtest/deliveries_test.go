package crashtest

import (
	"net/http"
	"slices"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

const (
	// endpoints are the webhooks of the seller, all of them for all events.
	endpoints = 3
	// deliverLimit is how long after the load's end the last event may come: the lease of a killed worker's attempt, and
	// what has piled up.
	deliverLimit = 4 * time.Minute
)

// sometimesSlow answers one delivery in eight only after a while, so that kills find some in flight.
func sometimesSlow(_ *http.Request, r *blackbox.Receipt) int {
	if r.Sequence%2 == 0 || r.Event[len(r.Event)-1]%8 == 0 {
		time.Sleep(20 * time.Millisecond)
	}
	return http.StatusOK
}

// received is what the receiver got, in numbers.
type received struct{ distinct, receipts, interrupted int }

// checkDeliveries compares what the receiver got with the changes that were made, and with the log of deliveries.
func (l *load) checkDeliveries(t *testing.T, r *blackbox.Receiver) received {
	t.Helper()
	l.seller.AwaitDelivered(t, deliverLimit)
	receipts := r.Receipts()
	l.checkEveryEvent(t, receipts)
	checkOrder(t, receipts)
	return received{r.Different(), len(receipts), l.checkLog(t, r, receipts)}
}

// checkEveryEvent finds for each item and each sale the event of it, at each endpoint.
func (l *load) checkEveryEvent(t *testing.T, receipts []blackbox.Receipt) {
	t.Helper()
	type one struct{ endpoint, event string }
	seen := map[one]bool{}
	ofKind := map[string]int{}
	for _, r := range receipts {
		if !seen[one{r.Endpoint, r.Event}] {
			seen[one{r.Endpoint, r.Event}] = true
			ofKind[r.Type]++
		}
	}
	for kind, changes := range map[string]int{"item.published": l.acceptedRows() + len(l.stall), "item.sold": len(l.purchases())} {
		if ofKind[kind] != changes*endpoints {
			t.Errorf("%d events %s reached the %d endpoints instead of %d each", ofKind[kind], kind, endpoints, changes)
		}
	}
}

// checkOrder looks at the events of each resource at each endpoint: they begin with 1 and go on without a gap, and one
// that comes again does so before the next one.
func checkOrder(t *testing.T, receipts []blackbox.Receipt) {
	t.Helper()
	last := map[[2]string]int64{}
	for _, r := range receipts {
		key := [2]string{r.Endpoint, r.Resource}
		if r.Sequence != last[key] && r.Sequence != last[key]+1 {
			t.Errorf("%s: %s came with sequence %d after %d", r.Endpoint, r.Resource, r.Sequence, last[key])
		}
		last[key] = max(last[key], r.Sequence)
	}
}

// checkLog compares each event's receipts with its attempts on record, and says how many of those were interrupted.
func (l *load) checkLog(t *testing.T, receiver *blackbox.Receiver, receipts []blackbox.Receipt) (interrupted int) {
	t.Helper()
	type one struct{ url, event string }
	attempts := map[one][]blackbox.Delivery{}
	for _, d := range l.seller.Deliveries(t, "") {
		attempts[one{d.URL, d.EventID}] = append(attempts[one{d.URL, d.EventID}], d)
	}
	times := map[one]int{}
	for _, r := range receipts {
		times[one{receiver.URL(r.Endpoint), r.Event}]++
	}
	for key, log := range attempts {
		slices.SortFunc(log, func(a, b blackbox.Delivery) int { return a.Attempt - b.Attempt })
		if got := times[key]; got < 1 || got > len(log) {
			t.Errorf("event %s came to %s %d times, with %d attempts on record", key.event, key.url, got, len(log))
		}
		for i, d := range log {
			last := i == len(log)-1
			switch {
			case d.Attempt != i+1, d.Final != last, last && d.Status != "succeeded", !last && d.Status != "failed" && d.Status != "interrupted":
				t.Errorf("attempt %d of %d on record of event %s to %s: %+v", i+1, len(log), key.event, key.url, d)
			case d.Status == "interrupted":
				interrupted++
			}
		}
	}
	for key := range times {
		if attempts[key] == nil {
			t.Errorf("event %s came to %s without an attempt on record", key.event, key.url)
		}
	}
	return interrupted
}
