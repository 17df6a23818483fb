package seller

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestListenGoesOnWhenTheServicesClockIsSetBack(t *testing.T) {
	d := newDesk(t, plainly)
	l := d.begun(t)
	for _, step := range []time.Duration{time.Minute, -time.Hour, time.Second, 2 * time.Hour, -10 * time.Second, time.Minute} {
		d.Clock.Advance(step)
		d.List(t, servertest.FixedPrice())
		if d.poll(t, l); len(d.took()) != 1 {
			t.Errorf("after a step of %v, not one event is forwarded", step)
		}
	}
}

func TestListenTakesOverTheStateOfAnEarlierRelease(t *testing.T) {
	d := newDesk(t, plainly)
	made := servertest.Into[struct {
		ID     string `json:"id"`
		Secret string `json:"secret"`
	}](t, d.Do(t, servertest.Request{
		Path: "/v1/webhooks", Body: map[string]any{"url": "https://listen.invalid/0123", "status": "paused"},
	}))
	d.List(t, servertest.FixedPrice())
	d.List(t, servertest.FixedPrice())
	log := servertest.Into[struct {
		Results []struct {
			ID          string    `json:"id"`
			ScheduledAt time.Time `json:"scheduled_at"`
		} `json:"results"`
	}](t, d.Do(t, servertest.Request{Path: "/v1/webhook-deliveries?webhook_id=" + made.ID})).Results
	first := log[len(log)-1]
	old := listenState{Secret: made.Secret, Webhook: made.ID, Through: first.ScheduledAt, ForwardedDeliveries: map[string]time.Time{first.ID: first.ScheduledAt}}
	if err := old.save(d.command.State); err != nil {
		t.Fatal(err)
	}
	l := d.begun(t)
	d.poll(t, l)
	if diff := cmp.Diff(d.feedIDs(t)[1:], ids(d.took())); diff != "" || l.state.Secret != made.Secret {
		t.Errorf("what was not forwarded yet, with the same secret: %s", diff)
	}
	if left := d.Do(t, servertest.Request{Path: "/v1/webhooks"}); !strings.Contains(left.Body, `"results":[]`) {
		t.Errorf("its subscription is left: %s", left.Body)
	}
	if err := l.save(); err != nil {
		t.Fatal(err)
	}
	d.List(t, servertest.FixedPrice())
	if d.poll(t, d.begun(t)); len(d.took()) != 1 {
		t.Error("the next start does not go on from there")
	}
}

func TestListenRemembersOnceASecond(t *testing.T) {
	d := newDesk(t, plainly)
	l := d.begun(t)
	remembers := func(l *listener) bool {
		t.Helper()
		state, err := loadListenState(d.command.State)
		if err != nil {
			t.Fatal(err)
		}
		return state.Cursor == l.state.Cursor || len(state.Forwarded) > 0
	}
	var got []bool
	for _, step := range []time.Duration{0, saveEvery - time.Millisecond, time.Millisecond} {
		d.Clock.Advance(step)
		d.List(t, servertest.FixedPrice())
		if _, err := l.poll(t.Context()); err != nil {
			t.Fatal(err)
		}
		got = append(got, remembers(l))
	}
	if diff := cmp.Diff([]bool{false, false, true}, got); diff != "" {
		t.Errorf("the place is in the file (-want +got):\n%s", diff)
	}

	t.Run("and at the end", func(t *testing.T) {
		d.command.Keep = true
		l := d.listener(t, func() error { return errors.New("the end") })
		d.List(t, servertest.FixedPrice())
		if err := l.listen(t.Context()); err == nil || !remembers(l) {
			t.Errorf("the place is not remembered, or %v", err)
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
