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
	for range 2 { // by the seller's other mode, which is another owner; its submissions come between those of the busy one
		live := w.Do(t, servertest.Request{Path: "/v1/items", Key: w.LiveKey, Body: servertest.FixedPrice()})
		if live.Status != 202 {
			t.Fatalf("submit: %d %s", live.Status, live.Body)
		}
	}
	submit(t, w)
	release := hold(t, w, touchOwner, busy)
	published := make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	until(t, "the other owner's items are published beside the busy one's request", func() bool {
		return w.Count(t, "items", fmt.Sprintf("owner <> %d", busy)) == 2 && w.Service.OwnersInLine() <= 1
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

// The items of a claim have the order of their submissions, also over several sets.
func TestItemsHaveTheOrderOfTheirSubmissions(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		items := make([]any, 100)
		for i := range items {
			items[i] = servertest.FixedPrice()
		}
		if got := w.Do(t, servertest.Request{Path: "/v1/item-batches", Body: map[string]any{"items": items}}); got.Status != 202 {
			t.Fatalf("submit: %s", got.Body)
		}
		w.Publish(t)
		if n := w.Count(t, "items", "1 = 1"); n != 100 {
			t.Fatalf("%d items", n)
		}
		if n := w.Count(t, "items", "EXISTS (SELECT 1 FROM items later WHERE later.id > items.id AND later.created_at < items.created_at)"); n != 0 {
			t.Errorf("%d items were made after a later one", n)
		}
	})
}
