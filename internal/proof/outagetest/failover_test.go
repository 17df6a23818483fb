package outagetest

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

const replicas = 3

// publishedLimit is how long after the database is back the last submission that was acknowledged before may take to become
// an item. Such times are judged in long runs only; in short ones, which share the machine with other tests, publication is
// awaited for publishedPatience, half of the lease of a worker that had a submission in hand.
const (
	publishedLimit    = 5 * time.Second
	publishedPatience = time.Minute
)

// TestFailover freezes the primary under load and promotes its standby, which the servers find by themselves. Every change
// that was acknowledged is there once, and events have no gaps.
func TestFailover(t *testing.T) {
	if !*long {
		t.Parallel()
	}
	primary := pgtest.Own(t, pgtest.Options{Durable: true})
	standby := primary.Standby(t)
	servers := make([]*blackbox.Server, replicas)
	for i := range servers {
		servers[i] = blackbox.NewServer(t, pgtest.Hosts(primary, standby))
		servers[i].Start(t)
	}
	receiver := blackbox.NewReceiver(t, nil)
	seller := blackbox.NewSeller(t, servers[0], "anna")
	seller.Subscribe(t, receiver, "endpoint")
	l := &load{seller: seller, servers: servers, stall: seller.Publish(t, stallItems)}

	finish := l.begin(t.Context())
	time.Sleep(during(3*time.Second, 20*time.Second))
	if err := primary.Freeze(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(during(6*time.Second, 15*time.Second))
	for _, s := range servers {
		checkReady(t, s, http.StatusServiceUnavailable)
	}
	if err := standby.Promote(t.Context()); err != nil {
		t.Fatal(err)
	}
	promoted := time.Now()
	time.Sleep(during(backLimit+time.Second, 20*time.Second))
	finish()
	newcomer := blackbox.NewServer(t, pgtest.Hosts(primary, standby))
	newcomer.Start(t) // while the first machine of its URL does not answer
	checkReady(t, newcomer, http.StatusOK)

	items := l.awaitPublished(t, publishedPatience)
	l.check(t, items)
	events := l.checkEvents(t, receiver)
	for _, s := range servers {
		checkReady(t, s, http.StatusOK)
	}
	slowest, back, published := l.slowest(nil), l.back(promoted), l.published(receiver, items, promoted)
	measured := fmt.Sprintf("%s items and %s sales acknowledged, %s events, %s refusals; the slowest answer %.1f s, serving again after %.1f s; what was "+
		"acknowledged before was published within %.1f s",
		blackbox.Thousands(int64(l.listed())), blackbox.Thousands(int64(l.bought())), blackbox.Thousands(int64(events)), blackbox.Thousands(l.refused()),
		slowest.Seconds(), back.Seconds(), published.Seconds())
	blackbox.Record(t, blackbox.Figure{
		Number: "F1", What: fmt.Sprintf("%d processes, %d clients, primary frozen, standby promoted", replicas, clients),
		Aim:      "every acknowledged change once, events without gaps; answers ≤ 12 s, only 503 with Retry-After; serving again ≤ 5 s",
		Measured: measured, Reached: !t.Failed() && slowest <= answerLimit && (!*long || back <= backLimit && published <= publishedLimit),
	})
}

// during is a time for every day and another at length.
func during(short, atLength time.Duration) time.Duration {
	if *long {
		return atLength
	}
	return short
}
