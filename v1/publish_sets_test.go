package v1_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
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
		return w.Count(t, "items", fmt.Sprintf("owner <> %d", busy)) == 6 && w.Service.Publisher.OwnersInLine() <= 1
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
	if n := w.Service.Publisher.OwnersInLine(); n != 0 {
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

// claimEach submits items, and claims each by itself. publish stores them, as soon as all wait for their owner's row.
func claimEach(t *testing.T, w *servertest.World, n int) (paths []string, publish func() []error) {
	t.Helper()
	var work []func(context.Context) error
	for range n {
		paths = append(paths, submit(t, w))
		one, err := probe.ClaimToPublish(w.Service, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		work = append(work, one)
	}
	return paths, func() []error {
		owner := v1.OwnerOf(w.Account, true)
		release := hold(t, w, touchOwner, int64(owner))
		errs := make([]error, n)
		var wg sync.WaitGroup
		for i, one := range work {
			wg.Go(func() { errs[i] = one(t.Context()) })
		}
		until(t, "all wait", func() bool { return w.Service.Publisher.SetsWaiting(owner) == n })
		release()
		wg.Wait()
		if left := w.Service.Publisher.SetsWaiting(owner); left != 0 {
			t.Errorf("%d sets are remembered that do not wait", left)
		}
		return errs
	}
}

// Under load each claim takes a few submissions. What has been claimed while a set waits for the owner's row is stored with it, up
// to the size of a large set. Otherwise a busy owner's items would wait for one transaction each.
func TestSetsThatWaitForARowAreStoredTogether(t *testing.T) {
	const n = 53
	w := servertest.New(t, servertest.Postgres(t))
	paths, publish := claimEach(t, w, n)
	if err := errors.Join(publish()...); err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		checkPublished(t, w, path)
	}
	transactions := 0
	w.EachRow(t, "SELECT count(DISTINCT xmin::text) FROM items", func(values []any) { transactions = int(values[0].(int64)) })
	if transactions != 2 {
		t.Errorf("%d items were made in %d transactions, not 2", n, transactions)
	}
}

// A submission that cannot be stored, and one whose lease is lost, fail no others that are stored with them.
func TestSetsThatAreStoredTogetherDoNotFailEachOther(t *testing.T) {
	for odd := range 3 {
		w := servertest.New(t, servertest.Postgres(t))
		paths, publish := claimEach(t, w, 4)
		const lost = 3
		var ids []any
		w.EachRow(t, "SELECT id FROM submissions ORDER BY id", func(values []any) { ids = append(ids, values[0]) })
		err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			_, err1 := tx.ExecContext(ctx, fmt.Sprintf("ALTER TABLE items ADD CONSTRAINT odd CHECK (id <> %d)", ids[odd]))
			_, err2 := tx.ExecContext(ctx, "UPDATE submissions SET lease = 1 WHERE id = $1", ids[lost])
			return errors.Join(err1, err2)
		})
		if err != nil {
			t.Fatal(err)
		}
		errs := publish()
		for i, path := range paths {
			want := "published"
			if i == odd || i == lost {
				want = "processing"
			}
			if diff := cmp.Diff([]string{want}, readSubmission(t, w, path).outcome()); diff != "" {
				t.Errorf("submission %d, with %d odd (-want +got):\n%s", i, odd, diff)
			}
			if failed := errs[i] != nil; failed != (i == odd) {
				t.Errorf("submission %d, with %d odd: %v", i, odd, errs[i])
			}
		}
	}
}

// Items whose pictures have come while others are stored are stored together, on both databases. One transaction for each picture would
// cost three times as much, and their owner fetches only a few at a time. So the turn to fetch ends when the picture is there.
func TestItemsWhosePicturesHaveComeAreStoredTogether(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		const n = 20
		var paths []string
		for i := range n {
			got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice(map[string]any{
				"personal_reference": fmt.Sprint(i), "images": []string{w.ImageURL(t, "stamp-01.png")},
			})})
			if got.Status != http.StatusAccepted {
				t.Fatalf("submit: %d %s", got.Status, got.Body)
			}
			paths = append(paths, got.Header.Get("Location"))
		}
		publish, err := probe.ClaimToPublish(w.Service, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		owner := v1.OwnerOf(w.Account, true)
		release := hold(t, w, touchOwner, int64(owner))
		ended := make(chan error, 1)
		go func() { ended <- publish(t.Context()) }()
		until(t, "all pictures are there", func() bool { return w.Service.Publisher.SetsWaiting(owner) == n })
		release()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			checkPublished(t, w, path)
		}
		// The time of each change of an owner is later than that of the one before, even if the clock stands still.
		transactions := 0
		w.EachRow(t, "SELECT count(DISTINCT completed_at) FROM submissions", func(values []any) { transactions = int(values[0].(int64)) })
		if transactions != 1 {
			t.Errorf("%d items were made in %d transactions, not 1", n, transactions)
		}
	})
}
