package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/servertest"
)

func TestListenGoesOnWhenTheServicesClockIsSetBack(t *testing.T) {
	t.Run("while it looks every second", func(t *testing.T) {
		d := newDesk(t, plainly)
		l := d.subscribed(t)
		var events []string
		for _, step := range []time.Duration{time.Minute, -time.Hour, time.Second, 2 * time.Hour, -10 * time.Second, time.Minute} {
			d.Clock.Advance(step)
			d.List(t, servertest.FixedPrice())
			d.poll(t, l)
			got := ids(d.took())
			if len(got) == 0 {
				t.Fatalf("after a step of %v nothing is forwarded", step)
			}
			events = append(events, got[len(got)-1])
			if d.poll(t, l); len(d.took()) != 0 {
				t.Errorf("after a step of %v, a second look forwards something again", step)
			}
		}
		if got := distinct(events); got != 6 {
			t.Errorf("%d of 6 events were forwarded: %v", got, events)
		}
	})
	t.Run("while it waits for the receiver, for longer than the step", func(t *testing.T) {
		d := newDesk(t, plainly)
		here := &servertest.Clock{} // this machine's, which does not follow the shop's
		here.Advance(time.Hour)
		l := d.subscribed(t)
		l.client.now = here.Now
		d.List(t, servertest.FixedPrice())
		d.poll(t, l)
		d.List(t, servertest.FixedPrice())
		d.answers = []int{503}
		l.client.sleep = func(context.Context, time.Duration) error {
			d.Clock.Advance(-time.Hour)
			d.List(t, servertest.FixedPrice())
			d.Clock.Advance(90 * time.Minute)
			here.Advance(90 * time.Minute)
			return nil
		}
		d.poll(t, l)
		d.poll(t, l)
		if got := distinct(ids(d.took())); got != 3 {
			t.Errorf("%d of 3 events were forwarded", got)
		}
	})
	t.Run("while no command listened", func(t *testing.T) {
		d := newDesk(t, plainly)
		l := d.subscribed(t)
		d.Clock.Advance(time.Minute)
		d.List(t, servertest.FixedPrice())
		d.poll(t, l)
		before := ids(d.took())
		d.Clock.Advance(-time.Hour)
		d.List(t, servertest.FixedPrice())
		d.poll(t, d.subscribed(t))
		if got := distinct(append(before, ids(d.took())...)); got != 2 {
			t.Errorf("%d of 2 events were forwarded", got)
		}
	})
}

func distinct(events []string) int {
	seen := map[string]bool{}
	for _, event := range events {
		seen[event] = true
	}
	return len(seen)
}

func TestListenRemembersOnceASecond(t *testing.T) {
	d := newDesk(t, plainly)
	l := d.subscribed(t)
	remembered := func() int {
		t.Helper()
		state, err := loadListenState(d.command.State)
		if err != nil {
			t.Fatal(err)
		}
		return len(state.Forwarded)
	}
	var got []int
	for _, step := range []time.Duration{0, saveEvery - time.Millisecond, time.Millisecond} {
		d.Clock.Advance(step)
		d.List(t, servertest.FixedPrice())
		d.poll(t, l)
		got = append(got, remembered())
	}
	if diff := cmp.Diff([]int{0, 0, 3}, got); diff != "" {
		t.Errorf("events in the file (-want +got):\n%s", diff)
	}

	t.Run("and at the end", func(t *testing.T) {
		d.command.Keep = true
		l := d.listener(t, func() error { return errors.New("the end") })
		d.List(t, servertest.FixedPrice())
		if err := l.listen(t.Context()); err == nil || remembered() != 4 {
			t.Errorf("%d events are remembered, %v", remembered(), err)
		}
	})
}

func TestAStateThatCannotBeWrittenLeavesNothingBehind(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "listen.json")
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := (&listenState{}).save(path); err == nil {
		t.Error("a folder was overwritten")
	}
	left, err := os.ReadDir(folder)
	if err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
}
