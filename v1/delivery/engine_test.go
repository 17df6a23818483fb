package delivery_test

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
	"sellerd/v1/delivery"
	"sellerd/v1/lease"
)

// config is what an engine on a world's database is made of. Its webhooks have no secrets, and its events one format.
func config(w *servertest.World) delivery.Config {
	var ids atomic.Int64
	ids.Store(1 << 40)
	return delivery.Config{
		Store:      w.Store,
		Retrier:    &lease.Retrier{Store: w.Store, Pause: lease.Pause},
		Clock:      w.Clock,
		Uptime:     func() time.Duration { return w.Clock.Now().Sub(servertest.Start) },
		TrustClock: func() error { return nil },
		Random:     rand.Reader,
		PrepareIDs: func(context.Context) error { return nil },
		NextID:     func() int64 { return ids.Add(1) },
		Unseal:     func(int64, []byte) (string, error) { return "", errors.New("there are no secrets") },
		Render: func(context.Context, string, string, string, int64) (string, string, error) {
			return "", "", errors.New("there is one format")
		},
		IsTest: func(owner int64) bool { return owner%2 == 1 },
		Client: http.DefaultClient,
		Logger: slog.New(slog.DiscardHandler),
	}
}

func newEngine(tb testing.TB, w *servertest.World) *delivery.Engine {
	tb.Helper()
	engine, err := delivery.New(config(w))
	if err != nil {
		tb.Fatal(err)
	}
	return engine
}

func TestAnEngineIsNotMadeWithoutWhatItNeeds(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	for name, take := range map[string]func(*delivery.Config){
		"Store":      func(c *delivery.Config) { c.Store = nil },
		"Retrier":    func(c *delivery.Config) { c.Retrier = nil },
		"Clock":      func(c *delivery.Config) { c.Clock = nil },
		"Uptime":     func(c *delivery.Config) { c.Uptime = nil },
		"TrustClock": func(c *delivery.Config) { c.TrustClock = nil },
		"Random":     func(c *delivery.Config) { c.Random = nil },
		"PrepareIDs": func(c *delivery.Config) { c.PrepareIDs = nil },
		"NextID":     func(c *delivery.Config) { c.NextID = nil },
		"Unseal":     func(c *delivery.Config) { c.Unseal = nil },
		"Render":     func(c *delivery.Config) { c.Render = nil },
		"IsTest":     func(c *delivery.Config) { c.IsTest = nil },
		"Client":     func(c *delivery.Config) { c.Client = nil },
		"Logger":     func(c *delivery.Config) { c.Logger = nil },
	} {
		t.Run(name, func(t *testing.T) {
			c := config(w)
			take(&c)
			if _, err := delivery.New(c); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("an engine without it: %v", err)
			}
		})
	}
}
