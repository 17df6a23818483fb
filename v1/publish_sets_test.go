package v1_test

import (
	"context"
	"fmt"
	"testing"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// An owner whose row is taken holds up no other owner of the same claim, wherever it stands in the claim.
func TestABusyOwnersRequestsHoldUpNoOtherOwnersItems(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	busy := int64(v1.OwnerOf(w.Account, true))
	submit(t, w)
	_, testKey, liveKey := w.Seller(t, "another.seller")
	for _, key := range []string{w.LiveKey, testKey, liveKey} { // of three owners, so that the busy one is hardly the last in any order
		for range 2 { // their submissions come between those of the busy one
			if got := w.Do(t, servertest.Request{Path: "/v1/items", Key: key, Body: servertest.FixedPrice()}); got.Status != 202 {
				t.Fatalf("submit: %d %s", got.Status, got.Body)
			}
		}
	}
	submit(t, w)
	release := hold(t, w, touchOwner, busy)
	published := make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	until(t, "the other owners' items are published beside the busy one's request", func() bool {
		return w.Count(t, "items", fmt.Sprintf("owner <> %d", busy)) == 6 && w.Service.OwnersInLine() <= 1
	})
	if n := w.Count(t, "items", fmt.Sprintf("owner = %d", busy)); n != 0 {
		t.Errorf("%d items of the busy owner", n)
	}
	release()
	if err := <-published; err != nil {
		t.Fatal(err)
	}
	if n := w.Count(t, "items", fmt.Sprintf("owner = %d", busy)); n != 2 {
		t.Errorf("%d items of the busy owner, not 2", n)
	}
	if n := w.Service.OwnersInLine(); n != 0 {
		t.Errorf("%d owners are remembered who have no work", n)
	}
}

// An owner whose row stays taken for longer than the publisher yields holds up no other busy owner.
func TestAnOwnersStuckRequestHoldsUpNoOtherBusyOwner(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t)+"&lock_timeout=200ms")
	first, second := int64(v1.OwnerOf(w.Account, true)), int64(v1.OwnerOf(w.Account, false))
	keys := map[int64]string{first: w.Key, second: w.LiveKey}
	if first > second { // sets are tried in the order of their owners
		first, second = second, first
	}
	release := map[int64]func(){}
	for owner, key := range keys {
		if got := w.Do(t, servertest.Request{Path: "/v1/items", Key: key, Body: servertest.FixedPrice()}); got.Status != 202 {
			t.Fatalf("submit: %d %s", got.Status, got.Body)
		}
		release[owner] = hold(t, w, touchOwner, owner)
	}
	published := make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	waitForLock(t, w)
	release[second]()
	until(t, "the second owner's item is published beside the first owner's request", func() bool { return w.Count(t, "items", fmt.Sprintf("owner = %d", second)) > 0 })
	release[first]()
	if err := <-published; err != nil {
		t.Fatal(err)
	}
	if n := w.Count(t, "items", "true"); n != 2 {
		t.Errorf("%d items", n)
	}
}

// The items of a claim have the order of their submissions, also over several sets. The last set is short: on SQLite it does
// not give way to others as a long one does, and could go before it.
func TestItemsHaveTheOrderOfTheirSubmissions(t *testing.T) {
	const n = 53
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		items := make([]any, n)
		for i := range items {
			items[i] = servertest.FixedPrice()
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": items}}); got.Status != 202 {
			t.Fatalf("submit: %s", got.Body)
		}
		w.Publish(t)
		if stored := w.Count(t, "items", "1 = 1"); stored != n {
			t.Fatalf("%d items", stored)
		}
		// Their events have numbers in the order in which they were made. All items have one created_at, as the clock stands.
		if early := w.Count(t, "events", "EXISTS (SELECT 1 FROM events later WHERE later.resource_id > events.resource_id AND later.id < events.id)"); early != 0 {
			t.Errorf("%d items were made after a later one", early)
		}
		if events := w.Count(t, "events", "type = 'item.published'"); events != n {
			t.Errorf("%d events", events)
		}
	})
}
