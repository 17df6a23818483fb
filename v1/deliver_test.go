package v1_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// receiver is a webhook's far end: it keeps what arrives and answers as the test wants.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []storedEvent
	answer http.HandlerFunc
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return // the sender was cut short
		}
		event := servertest.Into[storedEvent](t, servertest.Response{Data: body})
		r.mu.Lock()
		r.got = append(r.got, event)
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, request)
		}
	}))
	t.Cleanup(r.Close)
	return r
}

// answers says what the receiver does from now on; nil accepts.
func (r *receiver) answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// answersStatus is answers with a status and, in pairs, headers.
func (r *receiver) answersStatus(status int, header ...string) {
	r.answers(func(w http.ResponseWriter, _ *http.Request) {
		for pair := range slices.Chunk(header, 2) {
			w.Header().Set(pair[0], pair[1])
		}
		w.WriteHeader(status)
	})
}

// take returns the events that arrived since the last time.
func (r *receiver) take() []storedEvent {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}

// attemptView is an attempt as the log of deliveries shows it.
type attemptView struct {
	EventID   string `json:"event_id"`
	WebhookID string `json:"webhook_id"`
	Attempt   int    `json:"attempt"`
	Trigger   string `json:"trigger"`
	Status    string `json:"status"`
	Final     bool   `json:"final"`
	Response  *struct {
		Status int    `json:"status"`
		Body   string `json:"body"`
	} `json:"response"`
	Error *struct {
		Code string `json:"code"`
	} `json:"error"`
	ScheduledAt   time.Time  `json:"scheduled_at"`
	StartedAt     *time.Time `json:"started_at"`
	NextAttemptAt *time.Time `json:"next_attempt_at"`
}

// String is an attempt in short: its number, what became of it, why, and whether another one follows.
func (a attemptView) String() string {
	text := fmt.Sprintf("%d %s", a.Attempt, a.Status)
	if a.Error != nil {
		text += " " + a.Error.Code
	}
	if a.Final {
		text += " final"
	}
	return text
}

// attempts are the log of deliveries, oldest first.
func attempts(t *testing.T, w *servertest.World, query string) []attemptView {
	t.Helper()
	log := servertest.Into[struct {
		Results []attemptView `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries?limit=200&" + query})).Results
	slices.Reverse(log)
	return log
}

// inShort is a log with a line for each attempt.
func inShort(log []attemptView) []string {
	lines := []string{}
	for _, a := range log {
		lines = append(lines, a.String())
	}
	return lines
}

// deliverOnce takes one step of the deliverer.
func deliverOnce(t *testing.T, w *servertest.World) int {
	t.Helper()
	n, err := w.Service.DeliverOnce(context.Background())
	if err != nil {
		t.Fatalf("deliver: %v", err)
	}
	return n
}

// live makes what the test does live data.
func live(w *servertest.World) { w.Key = w.LiveKey }

func TestTheWholeScheduleOfAnEventThatIsNeverAccepted(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		live(w)
		r := newReceiver(t)
		r.answersStatus(500)
		subscribe(t, w, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		waits := []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		}
		var want []string
		for i, wait := range waits {
			if n := deliverOnce(t, w); n != 1 {
				t.Fatalf("attempt %d: %d were made", i+1, n)
			}
			want = append(want, fmt.Sprintf("%d failed http_status", i+1))
			log := attempts(t, w, "")
			made, next := log[i], log[i+1]
			if made.NextAttemptAt == nil || !made.NextAttemptAt.Equal(next.ScheduledAt) || made.StartedAt == nil || !made.StartedAt.Equal(w.Clock.Now()) {
				t.Fatalf("attempt %d: %+v, and then %+v", i+1, made, next)
			}
			waited := next.ScheduledAt.Sub(*made.StartedAt)
			if waited < wait || waited > wait+wait/5 {
				t.Errorf("after attempt %d the wait is %v, not %v and up to a fifth", i+1, waited, wait)
			}
			w.Clock.Advance(waited - time.Microsecond)
			if n := deliverOnce(t, w); n != 0 {
				t.Errorf("attempt %d was made too early", i+2)
			}
			w.Clock.Advance(time.Microsecond)
		}
		if n := deliverOnce(t, w); n != 1 {
			t.Errorf("%d attempts at last", n)
		}
		if diff := cmp.Diff(append(want, "10 failed http_status final"), inShort(attempts(t, w, ""))); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		w.Clock.Advance(30 * time.Hour)
		if n := deliverOnce(t, w); n != 0 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Error("something follows the last attempt")
		}
		got := r.take()
		for _, event := range got[1:] {
			if event.ID != got[0].ID {
				t.Error("an attempt sent another event")
			}
		}
	})
}

func TestAnEventOfTestDataIsSentFourTimes(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := newReceiver(t)
		r.answersStatus(404)
		subscribe(t, w, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		for range 6 {
			deliverOnce(t, w)
			w.Clock.Advance(time.Hour)
		}
		want := []string{"1 failed http_status", "2 failed http_status", "3 failed http_status", "4 failed http_status final"}
		if diff := cmp.Diff(want, inShort(attempts(t, w, ""))); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestNothingOlderThanFourDaysIsSent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		live(w)
		r := newReceiver(t)
		r.answersStatus(503, "Retry-After", "86400")
		subscribe(t, w, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		for range 6 {
			deliverOnce(t, w)
			w.Clock.Advance(24 * time.Hour)
		}
		want := []string{"1 failed http_status", "2 failed http_status", "3 failed http_status", "4 failed http_status", "5 cancelled final"}
		if diff := cmp.Diff(want, inShort(attempts(t, w, ""))); diff != "" {
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
				r := newReceiver(t)
				r.answersStatus(test.status, test.header...)
				hook := subscribe(t, w, object{"url": r.URL})
				w.List(t, servertest.FixedPrice())
				if n := deliverOnce(t, w); n != 1 || len(r.take()) != 1 {
					t.Errorf("%d attempts", n)
				}
				if diff := cmp.Diff(test.want, attempts(t, w, "webhook_id="+hook.ID)[0].String()); diff != "" {
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
		r := newReceiver(t)
		r.answersStatus(http.StatusGone)
		hook := subscribe(t, w, object{"url": r.URL})
		for range 6 {
			w.List(t, servertest.FixedPrice())
		}
		if n := deliverOnce(t, w); n != 4 {
			t.Errorf("%d attempts", n)
		}
		got := subscriptions(t, w)[0]
		if got.Status != "disabled" || got.DisabledReason == nil || *got.DisabledReason != "gone" {
			t.Errorf("the webhook is %s: %v", got.Status, got.DisabledReason)
		}
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(24 * time.Hour)
		if n := deliverOnce(t, w); n != 0 || w.Count(t, "dispatches", "status = 'pending'") != 7 {
			t.Errorf("%d attempts afterwards", n)
		}
		r.take()
		r.answers(nil)
		patchHook(t, w, hook.ID, object{"status": "active"})
		if n := sendDue(t, w.Service); n != 7 || len(r.take()) != 7 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("%d attempts after it came back", n)
		}
	})
}
