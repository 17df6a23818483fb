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
