package hooks_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// arrivals are the types of what arrived, with the resources, in order.
func arrivals(t *testing.T, s *servertest.Receiver) []string {
	t.Helper()
	types := []string{}
	for _, event := range sentEvents(t, s.Take()) {
		types = append(types, event.Type+" "+event.Resource.ID)
	}
	return types
}

func TestAWebhookGetsWhatItMissed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		since := w.Clock.Now().Add(-time.Minute).Format(time.RFC3339Nano)
		first, second := w.List(t, servertest.FixedPrice()), w.List(t, servertest.FixedPrice())
		w.Close(t, first)
		w.Close(t, second)
		all := []string{"item.published " + first, "item.published " + second, "item.closed " + first, "item.closed " + second}
		w.Clock.Advance(time.Minute)

		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		third := w.List(t, servertest.FixedPrice()) // waits already
		if got := w.Recover(t, hook.ID, object{"since": since}); got != 4 {
			t.Errorf("%d are recovered", got)
		}
		if got := w.Recover(t, hook.ID, object{"since": since}); got != 0 {
			t.Errorf("%d of those that wait are doubled", got)
		}
		servertest.DeliverAll(t, w.Service)
		got := arrivals(t, s)
		if diff := cmp.Diff(slices.Sorted(slices.Values(append(all, "item.published "+third))), slices.Sorted(slices.Values(got))); diff != "" {
			t.Error(diff)
		}
		for _, item := range []string{first, second} {
			if slices.Index(got, "item.published "+item) > slices.Index(got, "item.closed "+item) {
				t.Errorf("out of order: %v", got)
			}
		}
		if n := w.Count(t, "deliveries", "trigger = 'recovery' AND status = 'succeeded'"); n != 4 {
			t.Errorf("%d attempts are of a recovery", n)
		}
		if got := w.Recover(t, hook.ID, object{"since": since}); got != 0 {
			t.Errorf("%d that were accepted are sent again", got)
		}

		only := w.Subscribe(t, object{"url": s.URL, "events": []string{"item.closed"}})
		if got := w.Recover(t, only.ID, object{"since": since, "until": w.Clock.Now().Format(time.RFC3339Nano)}); got != 2 {
			t.Errorf("%d of two types are recovered", got)
		}
		servertest.DeliverAll(t, w.Service)
		if diff := cmp.Diff(all[2:], slices.Sorted(slices.Values(arrivals(t, s)))); diff != "" { // different items may overtake each other
			t.Error(diff)
		}
	})
}

func TestARecoveredEventIsRepeatedByTheSchedule(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		since := w.Clock.Now().Format(time.RFC3339Nano)
		item := w.List(t, servertest.FixedPrice())
		w.Clock.Advance(10 * 24 * time.Hour) // events are sent by themselves for 96 hours
		s := servertest.NewReceiver(t)
		s.AnswersStatus(500)
		hook := w.Subscribe(t, object{"url": s.URL})
		w.Recover(t, hook.ID, object{"since": since})
		for range 8 {
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(25 * time.Hour)
		}
		want := []string{"item.published " + item, "item.published " + item, "item.published " + item, "item.published " + item}
		if diff := cmp.Diff(want, arrivals(t, s)); diff != "" {
			t.Error(diff)
		}
		s.AnswersStatus(200)
		if got := w.Recover(t, hook.ID, object{"since": since}); got != 1 {
			t.Errorf("%d that were given up are recovered", got)
		}
		servertest.DeliverAll(t, w.Service)
		if diff := cmp.Diff(want[:1], arrivals(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestARecoveryTakesManySteps(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		since := w.Clock.Now().Format(time.RFC3339Nano)
		item := w.List(t, servertest.FixedPrice())
		w.Clock.Advance(time.Minute)
		fillEvents(t, w, v1.OwnerOf(w.Account, true), 2500)
		hook := w.Subscribe(t, object{"url": "https://receiver.example/"})
		request := servertest.Request{Path: "/v1/webhooks/" + hook.ID + "/recover", Body: object{"since": since}, Header: map[string]string{"Idempotency-Key": "again"}}
		want := `{"recovered_count":2501,"has_more":false}`
		for range 2 {
			if got := w.Do(t, request); string(got.Data) != want {
				t.Errorf("%d %s", got.Status, got.Body)
			}
		}
		if n := w.Count(t, "dispatches", "trigger = 'recovery'"); n != 2501 {
			t.Errorf("%d wait", n)
		}
		if n := w.Count(t, "deliveries", "resource_id = '"+item+"'"); n != 1 {
			t.Errorf("%d attempts of the first event", n)
		}
	})
}

func TestRecoveriesAreRefused(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := w.Subscribe(t, object{"url": "https://receiver.example/"})
		path := "/v1/webhooks/" + hook.ID + "/recover"
		now := w.Clock.Now()
		at := func(d time.Duration) string { return now.Add(d).Format(time.RFC3339) }
		for name, test := range map[string]struct {
			path string
			body any
			want string
		}{
			"no time":             {path, object{}, "missing_field since"},
			"a text":              {path, object{"since": "yesterday"}, "invalid_value since"},
			"longer than kept":    {path, object{"since": at(-31 * 24 * time.Hour)}, "out_of_range since"},
			"ahead":               {path, object{"since": at(2 * time.Hour)}, "out_of_range since"},
			"the wrong way round": {path, object{"since": at(-time.Hour), "until": at(-2 * time.Hour)}, "out_of_range until"},
			"a member of another": {path, object{"since": at(-time.Hour), "event": "item.sold"}, "unknown_field event"},
			"no such webhook":     {"/v1/webhooks/wh_1/recover", object{"since": at(-time.Hour)}, "webhook_not_found"},
		} {
			if got := w.Do(t, servertest.Request{Path: test.path, Body: test.body}); !slices.Equal(got.Codes(), []string{test.want}) {
				t.Errorf("%s: %d %v", name, got.Status, got.Codes())
			}
		}
		if got := w.Do(t, servertest.Request{Path: path, Body: object{"since": at(-time.Hour)}, Key: w.LiveKey}); !slices.Equal(got.Codes(), []string{"webhook_not_found"}) {
			t.Errorf("with a live key: %v", got.Codes())
		}
		stale := servertest.Request{Path: path, Body: object{"since": at(-time.Hour)}, Header: map[string]string{"If-Match": `"old"`}}
		if got := w.Do(t, stale); !slices.Equal(got.Codes(), []string{"precondition_failed If-Match"}) {
			t.Errorf("of an earlier version: %v", got.Codes())
		}
		w.Recover(t, hook.ID, object{"since": at(-30 * 24 * time.Hour)})
	})
}

// fillEvents adds events about items that do not exist, at instants that follow one another.
func fillEvents(tb testing.TB, w *servertest.World, owner v1.Owner, n int) {
	tb.Helper()
	plantest.Fill(tb, w, plantest.Numbered(1, int64(n))+fmt.Sprintf(`INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT i, %d, 'item.updated', 'item', i, 1, '{}', %d + i FROM n`, owner, w.Clock.Now().UnixMicro()-int64(n)-1))
}
