package hooktest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/blackbox"
)

const (
	frozenTime  = 90 * time.Second // longer than the lease of a delivery
	frozenTakes = time.Second      // the receiver, so that there is always something in hand
	frozenRests = 5 * time.Second  // without another outcome, the thawed process has no more of them

	frozenEndpoints = 10 // of each seller
	frozenItems     = 100
)

// TestFrozenWorker stops one of three processes on one PostgreSQL in the middle of its deliveries, for longer than its
// leases last, and lets it go on. What it had in hand, the others have done meanwhile, so its own outcomes are too late:
// none may change what is on record. It takes as long as leases do, so it runs only at length.
func TestFrozenWorker(t *testing.T) {
	if !*long {
		return
	}
	database := postgres(t)
	replicas := make([]*blackbox.Server, 3)
	for i := range replicas {
		replicas[i] = blackbox.NewServer(t, database)
		replicas[i].Start(t)
	}
	receiver := blackbox.NewReceiver(t, func(*http.Request, *blackbox.Receipt) int {
		time.Sleep(frozenTakes)
		return http.StatusOK
	})
	sellers := make([]*blackbox.Seller, len(replicas)) // each asks one of the replicas, which then has that seller's events in hand
	for i, replica := range replicas {
		sellers[i] = blackbox.NewSeller(t, replica, fmt.Sprintf("seller-%d", i))
		for n := range frozenEndpoints {
			sellers[i].Subscribe(t, receiver, fmt.Sprintf("%d-%d", i, n))
		}
	}
	for _, seller := range sellers {
		seller.Publish(t, frozenItems)
	}

	frozen := replicas[2]
	frozen.Freeze(t)
	sellers[2].Server = replicas[0]
	time.Sleep(frozenTime)
	before := finished(t, sellers)
	interrupted := 0
	for _, d := range before {
		if d.Status == "interrupted" {
			interrupted++
		}
	}
	frozen.Thaw(t)
	stale, since := 0, time.Now()
	blackbox.Eventually(t, time.Minute, "the thawed process dropped what it had in hand", func() bool {
		if n := int(frozen.Metric(t, "sellerd_stale_leases_total")); n != stale {
			stale, since = n, time.Now()
		}
		// If it was stopped while a claim was committed, it never had those attempts in hand, and says so.
		claimed := !strings.Contains(frozen.Complaints(), "claim deliveries: commit")
		return stale >= interrupted || !claimed && stale > 0 && time.Since(since) > frozenRests
	})
	overwritten := 0
	after := finished(t, sellers)
	for id, was := range before {
		if diff := cmp.Diff(was, after[id]); diff != "" {
			overwritten++
			t.Errorf("delivery %s changed after its end: %s", id, diff)
		}
	}
	if interrupted == 0 || len(after) != len(before) {
		t.Errorf("%d attempts were interrupted, and of %d rows there are %d", interrupted, len(before), len(after))
	}
	if got, want := receiver.Different(), len(sellers)*frozenEndpoints*frozenItems; got != want {
		t.Errorf("%d events arrived instead of %d", got, want)
	}
	blackbox.Record(t, blackbox.Figure{
		Number: "R4", What: "1 of 3 processes on PostgreSQL frozen for 90 s in the middle of deliveries", Aim: "0 overwritten outcomes",
		Measured: fmt.Sprintf("%d overwritten, %d attempts in its hands were made again by the others, %d of its outcomes dropped", overwritten, interrupted, stale),
		Reached:  overwritten == 0 && interrupted > 0,
	})
}

// finished is the whole log by id, once nothing is on its way any more.
func finished(t *testing.T, sellers []*blackbox.Seller) map[string]blackbox.Delivery {
	t.Helper()
	rows := map[string]blackbox.Delivery{}
	for _, seller := range sellers {
		seller.AwaitDelivered(t, 3*time.Minute)
		for _, d := range seller.Deliveries(t, "") {
			rows[d.ID] = d
		}
	}
	return rows
}
