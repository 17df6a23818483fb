package server_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/v1"
)

// lostStore panics at the first write, and from then on whatever is asked of it.
type lostStore struct {
	v1.Store
	lost atomic.Bool
}

func (s *lostStore) Write(context.Context, func(context.Context, *ent.Client) error) error {
	s.lost.Store(true)
	panic("boom")
}

func (s *lostStore) Reader() *ent.Client {
	if s.lost.Load() {
		panic("boom again")
	}
	return s.Store.Reader()
}

func (s *lostStore) Query(ctx context.Context, query string, args ...any) (v1.Rows, error) {
	if s.lost.Load() {
		panic("boom again")
	}
	return s.Store.Query(ctx, query, args...)
}

func TestAPanicThatComesAgainIsAnsweredWithWhatIsKnown(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		healthy := servertest.New(t, database(t), func(c *v1.Config) { c.RateLimit = 180 })
		config := healthy.Config
		config.Store = &lostStore{Store: healthy.Store}
		service, err := v1.New(config)
		if err != nil {
			t.Fatal(err)
		}
		w := servertest.World{Key: healthy.Key}
		if w.Server, err = server.New(server.Config{Service: service, Logger: config.Logger, BaseURL: config.BaseURL, Version: "test"}); err != nil {
			t.Fatal(err)
		}
		got := w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		if diff := cmp.Diff([]string{"internal_error"}, got.Codes()); diff != "" || got.Status != 500 {
			t.Errorf("%d (-want +got):\n%s", got.Status, diff)
		}
		if got.Header.Get("X-RateLimit-Limit") != "180" || got.Header.Get("RateLimit-Policy") != `"requests";q=180;w=60` || got.Header.Get("X-StoreLimit-Limit") != "" {
			t.Errorf("headers: %v", got.Header)
		}
	})
}
