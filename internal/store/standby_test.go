package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"sellerd/internal/pgtest"
)

// TestConfirmWaitsForTheStandby has PostgreSQL wait for a standby that there is not. A change is there though its commit was
// broken off, and it is not confirmed until PostgreSQL waits no longer.
func TestConfirmWaitsForTheStandby(t *testing.T) {
	t.Parallel()
	cluster := pgtest.Own(t, pgtest.Options{})
	// The cluster turns synchronous_commit off, because it need not be durable.
	db := open(t, Config{URL: cluster.AdminURL() + "&synchronous_commit=on"})
	if err := db.Confirm(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM SET synchronous_standby_names = 'absent'", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	within := func(limit time.Duration, work func(ctx context.Context) error) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		return work(ctx)
	}
	var err error
	for n := range 100 { // until the connections have the new setting
		if err = within(200*time.Millisecond, func(ctx context.Context) error { return db.Write(ctx, insert(string(rune('a'+n)))) }); err != nil {
			break
		}
	}
	if err == nil {
		t.Fatal("changes do not wait for the standby")
	}
	rows := func() int {
		n, err := db.Reader().NumberRange.Query().Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if rows() == 0 {
		t.Error("the change is not there")
	}
	if err := within(300*time.Millisecond, db.Confirm); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("confirmed without a standby: %v", err)
	}
	if err := cluster.Execute(t.Context(), "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	if err := within(10*time.Second, db.Confirm); err != nil {
		t.Error(err)
	}
}
