package hooks_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

func TestTheWholeScheduleOfAnEventThatIsNeverAccepted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		waits := []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		}
		var want []string
		for i, wait := range waits {
			if n := w.DeliverOnce(t); n != 1 {
				t.Fatalf("attempt %d: %d were made", i+1, n)
			}
			want = append(want, fmt.Sprintf("%d failed http_status", i+1))
			log := w.Attempts(t, "")
			made, next := log[i], log[i+1]
			if made.NextAttemptAt == nil || !made.NextAttemptAt.Equal(next.ScheduledAt) || made.StartedAt == nil || !made.StartedAt.Equal(w.Clock.Now()) {
				t.Fatalf("attempt %d: %+v, and then %+v", i+1, made, next)
			}
			waited := next.ScheduledAt.Sub(*made.StartedAt)
			if waited < wait || waited > wait+wait/5 {
				t.Errorf("after attempt %d the wait is %v, not %v and up to a fifth", i+1, waited, wait)
			}
			w.Clock.Advance(waited - time.Microsecond)
			if n := w.DeliverOnce(t); n != 0 {
				t.Errorf("attempt %d was made too early", i+2)
			}
			w.Clock.Advance(time.Microsecond)
		}
		if n := w.DeliverOnce(t); n != 1 {
			t.Errorf("%d attempts at last", n)
		}
		if diff := cmp.Diff(append(want, "10 failed http_status final"), w.AttemptsInShort(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		w.Clock.Advance(30 * time.Hour)
		if n := w.DeliverOnce(t); n != 0 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Error("something follows the last attempt")
		}
		got := sentEvents(t, r.Take())
		for _, event := range got[1:] {
			if event.ID != got[0].ID {
				t.Error("an attempt sent another event")
			}
		}
	})
}

func TestAnEventOfTestDataIsSentFourTimes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.AnswersStatus(404)
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		for range 6 {
			w.DeliverOnce(t)
			w.Clock.Advance(time.Hour)
		}
		want := []string{"1 failed http_status", "2 failed http_status", "3 failed http_status", "4 failed http_status final"}
		if diff := cmp.Diff(want, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestNothingOlderThanFourDaysIsSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(503, "Retry-After", "86400")
		w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		for range 6 {
			w.DeliverOnce(t)
			w.Clock.Advance(24 * time.Hour)
		}
		want := []string{"1 failed http_status", "2 failed http_status", "3 failed http_status", "4 failed http_status", "5 cancelled final"}
		if diff := cmp.Diff(want, w.AttemptsInShort(t)); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "dispatches", "1 = 1"); n != 0 {
			t.Errorf("%d dispatches are left", n)
		}
	})
}

func TestWhatAnAnswerMeans(t *testing.T) {
	rest := func(d time.Duration) time.Time { return servertest.Start.Add(d) }
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		for _, test := range []struct {
			name   string
			status int
			header []string
			want   string
			rest   time.Time // until when the endpoint rests
		}{
			{"200 is a success", 200, nil, "1 succeeded final", time.Time{}},
			{"204 is a success", 204, nil, "1 succeeded final", time.Time{}},
			{"299 is a success", 299, nil, "1 succeeded final", time.Time{}},
			{"a redirect is not followed", 302, []string{"Location", "/elsewhere"}, "1 failed redirect", time.Time{}},
			{"304 is no success", 304, nil, "1 failed redirect", time.Time{}},
			{"400 is tried again, without a rest", 400, []string{"Retry-After", "3600"}, "1 failed http_status", time.Time{}},
			{"500 is tried again, without a rest", 500, nil, "1 failed http_status", time.Time{}},
			{"429 rests for a minute", 429, nil, "1 failed http_status", rest(time.Minute)},
			{"502 rests for a minute", 502, nil, "1 failed http_status", rest(time.Minute)},
			{"503 rests for as long as asked", 503, []string{"Retry-After", "600"}, "1 failed http_status", rest(10 * time.Minute)},
			{"504 rests until the date asked", 504, []string{"Retry-After", "Sat, 21 Nov 2026 15:00:00 GMT"}, "1 failed http_status", rest(3 * time.Hour)},
			{"not for less than a minute", 429, []string{"Retry-After", "1"}, "1 failed http_status", rest(time.Minute)},
			{"not for more than a day", 429, []string{"Retry-After", "864000"}, "1 failed http_status", rest(24 * time.Hour)},
			{"however long the number is", 429, []string{"Retry-After", "99999999999999999999999"}, "1 failed http_status", rest(24 * time.Hour)},
			{"a date gone by is a minute", 503, []string{"Retry-After", "Sat, 21 Nov 2020 15:00:00 GMT"}, "1 failed http_status", rest(time.Minute)},
			{"a negative number is a minute", 503, []string{"Retry-After", "-5"}, "1 failed http_status", rest(time.Minute)},
			{"words are a minute", 503, []string{"Retry-After", "tomorrow, perhaps"}, "1 failed http_status", rest(time.Minute)},
		} {
			t.Run(test.name, func(t *testing.T) {
				r := servertest.NewReceiver(t)
				r.AnswersStatus(test.status, test.header...)
				hook := w.Subscribe(t, object{"url": r.URL})
				w.List(t, servertest.FixedPrice())
				if n := w.DeliverOnce(t); n != 1 || len(r.Take()) != 1 {
					t.Errorf("%d attempts", n)
				}
				if diff := cmp.Diff(test.want, w.Attempts(t, "webhook_id="+hook.ID)[0].String()); diff != "" {
					t.Errorf("attempt (-want +got):\n%s", diff)
				}
				row, err := w.Store.Reader().Webhook.Get(context.Background(), probe.WebhookNumber(hook.ID))
				if err != nil {
					t.Fatal(err)
				}
				var until time.Time
				if row.PausedUntil != nil {
					until = v1.Time(*row.PausedUntil).Std()
				}
				if diff := cmp.Diff(test.rest, until); diff != "" {
					t.Errorf("rest (-want +got):\n%s", diff)
				}
				w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID})
			})
		}
	})
}

func TestAReceiverThatIsGoneIsLeftAloneAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.AnswersStatus(http.StatusGone)
		hook := w.Subscribe(t, object{"url": r.URL})
		for range 6 {
			w.List(t, servertest.FixedPrice())
		}
		if n := w.DeliverOnce(t); n != 4 {
			t.Errorf("%d attempts", n)
		}
		got := w.Webhooks(t)[0]
		if got.Status != "disabled" || got.DisabledReason == nil || *got.DisabledReason != "gone" {
			t.Errorf("the webhook is %s: %v", got.Status, got.DisabledReason)
		}
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(24 * time.Hour)
		if n := w.DeliverOnce(t); n != 0 || w.Count(t, "dispatches", "status = 'pending'") != 7 {
			t.Errorf("%d attempts afterwards", n)
		}
		r.Take()
		r.Answers(nil)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		if n := servertest.DeliverAll(t, w.Service); n != 7 || len(r.Take()) != 7 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("%d attempts after it came back", n)
		}
	})
}
