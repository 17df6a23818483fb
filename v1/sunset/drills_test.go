package sunset_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/sunset"
)

// askedClock counts how often it is asked.
type askedClock struct {
	servertest.Clock
	asked int
}

func (c *askedClock) Now() time.Time { c.asked++; return c.Clock.Now() }

// brokenStore fails its reads while it is away, and counts those that begin.
type brokenStore struct {
	core.Store
	away  bool
	reads int
}

func (s *brokenStore) Reader() *ent.Client {
	s.reads++
	if s.away {
		return ent.NewClient(ent.Driver(noDatabase{}))
	}
	return s.Store.Reader()
}

type noDatabase struct{ dialect.Driver }

func (noDatabase) Dialect() string { return dialect.SQLite }
func (noDatabase) Query(context.Context, string, any, any) error {
	return errors.New("the database is away")
}

// drillsOf knows the drills of a world, with a clock, a store and a log of its own.
func drillsOf(w *servertest.World) (drills *sunset.Drills, clock *askedClock, store *brokenStore, log *bytes.Buffer) {
	clock, store, log = &askedClock{}, &brokenStore{Store: w.Store}, &bytes.Buffer{}
	for clock.Clock.Now().Before(w.Clock.Now()) { // a duration has at most 292 years
		clock.Advance(w.Clock.Now().Sub(clock.Clock.Now()))
	}
	began := clock.Clock.Now()
	drills = sunset.NewDrills(core.Config{
		Store: store, Clock: clock, Uptime: func() time.Duration { return clock.Clock.Now().Sub(began) }, Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	return drills, clock, store, log
}

// scheduleDrill schedules a drill of an hour that begins in a minute, for the seller of the world in test mode.
func scheduleDrill(t *testing.T, w *servertest.World) {
	t.Helper()
	from := w.Clock.Now().Add(time.Minute)
	made := w.Do(t, servertest.Request{Path: "/v1/account/legacy-drills", Body: object{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(time.Hour))}})
	if made.Status != 201 {
		t.Fatalf("%d %s", made.Status, made.Body)
	}
}

func TestTheRunningDrillsAreFoundWithOneLookAtTheClock(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	scheduleDrill(t, w)
	drills, clock, _, _ := drillsOf(w)
	clock.Advance(time.Minute)
	drills.Running(t.Context())
	clock.asked = 0
	if n := len(drills.Running(t.Context())); n != 1 || clock.asked != 1 {
		t.Errorf("%d drills after %d looks at the clock", n, clock.asked)
	}
}

func TestADrillConcernsTheKeysOfItsOwner(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		scheduleDrill(t, w)
		_, theirs, _ := w.Seller(t, "bruno")
		drills, clock, store, _ := drillsOf(w)
		clock.Advance(time.Minute)
		running := drills.Running(t.Context())
		drills.Concern(t.Context(), running, "")
		read := store.reads
		for key, want := range map[string]bool{keyID(w.Key): true, keyID(w.LiveKey): false, keyID(theirs): false, "madeup000000": false, strings.Repeat("0a", 6): false} {
			if got := drills.Concern(t.Context(), running, key); got != want {
				t.Errorf("%s: %v", key, got)
			}
		}
		if store.reads != read {
			t.Errorf("%d reads for keys that no drill concerns", store.reads-read)
		}
		fresh := w.NewKey(t, w.Account, "test")
		clock.Advance(time.Second)
		if !drills.Concern(t.Context(), drills.Running(t.Context()), keyID(fresh)) {
			t.Error("a key that was made in the drill takes no part after a second")
		}
	})
}

func TestAnOutageIsLoggedWhenItBeginsAndWhenItEnds(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	scheduleDrill(t, w)
	drills, clock, store, log := drillsOf(w)
	clock.Advance(time.Minute)
	running := func(rounds int) (n int) {
		for range rounds {
			n = len(drills.Running(t.Context()))
			clock.Advance(time.Second)
		}
		return n
	}
	running(2)
	store.away = true
	if n := running(20); n != 1 {
		t.Errorf("%d drills are known in the outage", n)
	}
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=ERROR") || !strings.Contains(got, `what="drills that are running"`) {
		t.Errorf("log in the outage: %s", got)
	}
	log.Reset()
	store.away = false
	running(20)
	if got := log.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "level=INFO") {
		t.Errorf("log after it: %s", got)
	}
}
