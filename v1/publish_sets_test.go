package v1_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// An owner whose row is taken holds up no other owner of the same claim, wherever it stands in the claim.
func TestABusyOwnersRequestsHoldUpNoOtherOwnersItems(t *testing.T) {
	url := servertest.Postgres(t)
	w := servertest.New(t, url)
	busy := int64(v1.OwnerOf(w.Account, true))
	submit(t, w)
	for range 2 { // by the seller's other mode, which is another owner; its submissions come between those of the busy one
		live := w.Do(t, servertest.Request{Path: "/v1/items", Key: w.LiveKey, Body: servertest.FixedPrice()})
		if live.Status != 202 {
			t.Fatalf("submit: %d %s", live.Status, live.Body)
		}
	}
	submit(t, w)
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	request, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := request.Exec(t.Context(), "UPDATE owners SET day = day WHERE id = $1", busy); err != nil {
		t.Fatal(err)
	}
	published := make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	for began := time.Now(); w.Count(t, "items", fmt.Sprintf("owner <> %d", busy)) < 2 || w.Service.OwnersInLine() > 1; {
		if time.Since(began) > 30*time.Second {
			t.Fatal("the other owner's items wait for the busy one's")
		}
	}
	if n := w.Count(t, "items", fmt.Sprintf("owner = %d", busy)); n != 0 {
		t.Errorf("%d items of the busy owner", n)
	}
	if err := request.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
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
	url := servertest.Postgres(t) + "&lock_timeout=200ms"
	w := servertest.New(t, url)
	first, second := int64(v1.OwnerOf(w.Account, true)), int64(v1.OwnerOf(w.Account, false))
	keys := map[int64]string{first: w.Key, second: w.LiveKey}
	if first > second { // sets are tried in the order of their owners
		first, second = second, first
	}
	requests := map[int64]pgx.Tx{}
	for owner, key := range keys {
		if got := w.Do(t, servertest.Request{Path: "/v1/items", Key: key, Body: servertest.FixedPrice()}); got.Status != 202 {
			t.Fatalf("submit: %d %s", got.Status, got.Body)
		}
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close(context.Background()) })
		if requests[owner], err = conn.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := requests[owner].Exec(t.Context(), "UPDATE owners SET day = day WHERE id = $1", owner); err != nil {
			t.Fatal(err)
		}
	}
	published := make(chan error, 1)
	go func() {
		_, err := w.Service.PublishOnce(context.Background())
		published <- err
	}()
	until := func(what string, happened func() bool) {
		t.Helper()
		for began := time.Now(); !happened(); {
			if time.Since(began) > 30*time.Second {
				t.Fatal(what)
			}
		}
	}
	until("the publisher yields without end", func() bool { return w.Count(t, "pg_locks", "NOT granted") > 0 })
	if err := requests[second].Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	until("the second owner's items wait for the first one's", func() bool { return w.Count(t, "items", fmt.Sprintf("owner = %d", second)) > 0 })
	if err := requests[first].Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
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
