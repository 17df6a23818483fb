package hooks_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// twice is a store that undoes every transaction once and runs it again, as PostgreSQL may ask for.
type twice struct{ v1.Store }

func (s twice) Write(ctx context.Context, fn func(context.Context, *ent.Client) error) error {
	undone := errors.New("undone")
	err := s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		if err := fn(ctx, tx); err != nil {
			return err
		}
		return undone
	})
	if !errors.Is(err, undone) {
		return err
	}
	return s.Store.Write(ctx, fn)
}

func TestATransactionThatRunsTwiceCountsAFailureOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.Answers(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
		w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": r.URL}})
		w.List(t, servertest.FixedPrice())
		config := w.Config
		config.Store = twice{w.Config.Store}
		service, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := service.DeliverOnce(context.Background()); err != nil {
			t.Fatal(err)
		}
		got := map[string]int{
			"failed once": w.Count(t, "dispatches", "status = 'pending' AND failures = 1 AND attempts = 1"),
			"on record":   w.Count(t, "deliveries", "status = 'failed' AND NOT final"), "to come": w.Count(t, "deliveries", "status = 'scheduled' AND attempt = 2"),
		}
		if diff := cmp.Diff(map[string]int{"failed once": 1, "on record": 1, "to come": 1}, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
