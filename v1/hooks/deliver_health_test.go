package hooks_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

func TestTheBreakerLetsOneProbeThroughAtATime(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		hook := w.Subscribe(t, object{"url": r.URL})
		for range 12 {
			w.List(t, servertest.FixedPrice())
		}
		if a, b := w.DeliverOnce(t), w.DeliverOnce(t); a != 4 || b != 4 {
			t.Errorf("%d and %d attempts before the breaker opens", a, b)
		}
		if w.Count(t, "webhooks", "failures = 8 AND breaker_level = 1") != 1 {
			t.Error("four failures at once did not open it by one step")
		}
		for _, wait := range []time.Duration{
			30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 8 * time.Minute, 16 * time.Minute, 30 * time.Minute,
			30 * time.Minute,
		} {
			w.Clock.Advance(wait - time.Microsecond)
			if n := servertest.DeliverAll(t, w.Service); n != 0 {
				t.Errorf("%d attempts within a rest of %v", n, wait)
			}
			w.Clock.Advance(time.Microsecond)
			if n := servertest.DeliverAll(t, w.Service); n != 1 {
				t.Errorf("%d probes after a rest of %v", n, wait)
			}
		}
		if n := w.Count(t, "deliveries", "status = 'scheduled' AND attempt = 1"); n > 4 {
			t.Errorf("%d events wait for their first attempt", n)
		}
		if n := w.Count(t, "dispatches", "1 = 1"); n != 12 {
			t.Errorf("%d events are left: some were given up", n)
		}
		r.Take()
		r.Answers(nil)
		w.PatchWebhook(t, hook.ID, object{"description": "mended"})
		w.Clock.Advance(30 * time.Minute)
		if n := w.DeliverOnce(t); n != 1 || w.Count(t, "webhooks", "failures = 0 AND breaker_level = 0 AND paused_until IS NULL") != 1 {
			t.Errorf("%d probes, and the breaker is not closed by a success", n)
		}
		w.Clock.Advance(6 * time.Hour)
		if n := w.DeliverOnce(t); n != 4 {
			t.Errorf("%d attempts at a time after it closed", n)
		}
		servertest.DeliverAll(t, w.Service)
		if n := len(r.Take()); n != 12 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("%d of 12 events arrived in the end", n)
		}
	})
}

// overloadedOnce answers the first request with 429 and a rest of 70 seconds, and the others with 200 once the rest is stored.
func overloadedOnce(stored <-chan struct{}) http.HandlerFunc {
	var requests atomic.Int32
	return func(answer http.ResponseWriter, r *http.Request) {
		if requests.Add(1) == 1 {
			answer.Header().Set("Retry-After", "70")
			answer.WriteHeader(http.StatusTooManyRequests)
			return
		}
		select {
		case <-stored:
		case <-r.Context().Done():
		}
	}
}

// holdForResume subscribes, lets events wait for the webhook, and resumes it.
func holdForResume(t *testing.T, w *servertest.World, url string, events int) {
	t.Helper()
	hook := w.Subscribe(t, object{"url": url})
	w.PatchWebhook(t, hook.ID, object{"status": "paused"})
	for range events {
		w.List(t, servertest.FixedPrice())
	}
	w.PatchWebhook(t, hook.ID, object{"status": "active"})
}

// checkRest checks that nothing is sent before the rest of 70 seconds is over, and everything after it.
func checkRest(t *testing.T, w *servertest.World, r *servertest.Receiver, events int) {
	t.Helper()
	if got := w.Webhooks(t)[0]; got.FailingSince == nil {
		t.Error("while it rests, it counts as an endpoint that works")
	}
	if n := len(r.Take()); n != 4 {
		t.Errorf("%d requests, want the 4 that began before the rest", n)
	}
	w.Clock.Advance(70*time.Second - time.Microsecond)
	if n := servertest.DeliverAll(t, w.Service); n != 0 {
		t.Errorf("%d attempts within the rest", n)
	}
	w.Clock.Advance(time.Microsecond)
	if n := servertest.DeliverAll(t, w.Service); n != events-3 {
		t.Errorf("%d attempts after the rest, want %d", n, events-3)
	}
	if w.Count(t, "webhooks", "failures = 0 AND paused_until IS NULL") != 1 || w.Count(t, "dispatches", "1 = 1") != 0 {
		t.Error("the endpoint did not recover")
	}
}

func TestASuccessThatBeganBeforeARestDoesNotEndIt(t *testing.T) {
	stored := make(chan struct{})
	close(stored)
	for name, settle := range map[string]func(t *testing.T, w *servertest.World){
		"settled in one group": func(t *testing.T, w *servertest.World) { w.DeliverOnce(t) },
		"settled one after the other by another process": func(t *testing.T, w *servertest.World) {
			claimed, err := probe.Claim(w.Service, t.Context())
			if err != nil || len(claimed) != 4 {
				t.Fatalf("claimed %d: %v", len(claimed), err)
			}
			other, err := v1.New(w.Config)
			if err != nil {
				t.Fatal(err)
			}
			for i := range claimed {
				if err := probe.SendAndSettle(w.Service, t.Context(), claimed[i:i+1]); err != nil {
					t.Fatal(err)
				}
				w.Clock.Advance(300 * time.Millisecond)
				if n := servertest.DeliverAll(t, other); n != 0 {
					t.Errorf("%d attempts after outcome %d", n, i+1)
				}
			}
			w.Clock.Advance(-4 * 300 * time.Millisecond)
		},
	} {
		t.Run(name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				r := servertest.NewReceiver(t)
				r.Answers(overloadedOnce(stored))
				holdForResume(t, w, r.URL, 20)
				settle(t, w)
				checkRest(t, w, r, 20)
			})
		})
	}
}

func TestSuccessesInFlightDoNotEndARestWhileTheDelivererRuns(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r, stored := servertest.NewReceiver(t), make(chan struct{})
		r.Answers(overloadedOnce(stored))
		holdForResume(t, w, r.URL, 20)
		stop := deliverMeanwhile(t, w.Service)
		for w.Count(t, "webhooks", "paused_until IS NULL") > 0 {
			w.Service.Deliverer.Wake()
		}
		close(stored)
		for w.Count(t, "deliveries", "status = 'succeeded'") < 3 {
			w.Service.Deliverer.Wake()
		}
		servertest.DeliverAll(t, w.Service) // beside the deliverer, as another process would
		stop()
		checkRest(t, w, r, 20)
	})
}

// TestASuccessByHandEndsARest has a receiver that fails, and works again when the seller sends it something: events that it has not refused
// are sent at once, and those that it has refused with 429 at their own times.
func TestASuccessByHandEndsARest(t *testing.T) {
	for _, test := range []struct {
		name           string
		status, rounds int
		open           bool // the breaker
	}{
		{"it fails", http.StatusInternalServerError, 1, true},
		{"it is overloaded", http.StatusTooManyRequests, 1, false},
		{"it is overloaded for longer", http.StatusTooManyRequests, 2, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				r := servertest.NewReceiver(t)
				r.AnswersStatus(test.status)
				hook := w.Subscribe(t, object{"url": r.URL})
				for range 16 {
					w.List(t, servertest.FixedPrice())
				}
				for round := range test.rounds {
					w.Clock.Advance(time.Duration(round) * 70 * time.Second)
					servertest.DeliverAll(t, w.Service)
				}
				if w.Count(t, "dispatches", "attempts = 0") == 0 {
					t.Fatal("nothing waits for the rest alone")
				}
				if n := w.Count(t, "webhooks", "breaker_level > 0 AND failing_since IS NOT NULL AND paused_until IS NOT NULL"); n == 1 != test.open {
					t.Errorf("the breaker is open: %d", n)
				}
				w.Clock.Advance(10 * time.Second) // what failed with 500 is due, and the endpoint rests
				if n := servertest.DeliverAll(t, w.Service); n != 0 {
					t.Errorf("%d attempts within the rest", n)
				}
				later := w.Count(t, "dispatches", fmt.Sprintf("due_at > %d", w.Clock.Now().UnixMicro()))
				r.Answers(nil)
				w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", nil)
				servertest.DeliverAll(t, w.Service)
				if n := w.Count(t, "dispatches", "1 = 1"); n != later {
					t.Errorf("%d events wait after a success by hand, want the %d that were refused and are not due", n, later)
				}
				if got := w.Webhooks(t)[0]; got.FailingSince != nil || w.Count(t, "webhooks", "paused_until IS NULL") != 1 {
					t.Errorf("the endpoint did not recover: %+v", got)
				}
			})
		})
	}
}

func TestAWebhookThatFailsForFiveDaysIsSwitchedOffAndComesBackWithAllItsEvents(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		r.AnswersStatus(500)
		w.Clock.Advance(time.Hour)
		for hour := 0; hour <= 120; hour += 6 {
			if hour%12 == 0 {
				w.List(t, servertest.FixedPrice())
			}
			if got := w.Webhooks(t)[0]; got.Status != "active" {
				t.Fatalf("after %d hours it is %s", hour, got.Status)
			}
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(6 * time.Hour)
		}
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		got := w.Webhooks(t)[0]
		if got.Status != "disabled" || got.DisabledReason == nil || *got.DisabledReason != "failing" || got.FailingSince == nil {
			t.Fatalf("it is %+v", got)
		}
		held := w.Count(t, "dispatches", "status = 'pending'")
		if w.Count(t, "dispatches", "1 = 1") != held || held == 0 {
			t.Errorf("%d events are held, and not all", held)
		}
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(24 * time.Hour)
		if n := servertest.DeliverAll(t, w.Service); n != 0 {
			t.Errorf("%d attempts at a webhook that is off", n)
		}

		r.Take()
		r.Answers(nil)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		servertest.DeliverAll(t, w.Service)
		arrived := r.Take()
		if len(arrived) != held+1 || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("%d of %d events arrived after it came back", len(arrived), held+1)
		}
		if got := w.Webhooks(t)[0]; got.Status != "active" || got.DisabledReason != nil || got.FailingSince != nil {
			t.Errorf("it came back as %+v", got)
		}
	})
}

func TestOneBadNightSwitchesNothingOff(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		w.Subscribe(t, object{"url": r.URL})
		for range 3 { // many failures for many days, but of one hour's events
			w.List(t, servertest.FixedPrice())
		}
		for range 200 {
			servertest.DeliverAll(t, w.Service)
			w.Clock.Advance(time.Hour)
		}
		if w.Count(t, "webhooks", "failures >= 20") != 1 {
			t.Error("there were not enough failures to prove anything")
		}
		w.List(t, servertest.FixedPrice())
		r.AnswersStatus(200)
		servertest.DeliverAll(t, w.Service)
		if got := w.Webhooks(t)[0]; got.Status != "active" || got.FailingSince != nil {
			t.Errorf("it is %s", got.Status)
		}
	})
}

func TestWhatDisablesAWebhook(t *testing.T) {
	const almost = -time.Second
	for _, test := range []struct {
		name          string
		failures      int           // before this one
		since, spread time.Duration // of the first failure, and of its event
		jump          time.Duration // of the clock, just now
		want          string
	}{
		{"twenty failures over five days, of events twelve hours apart", 19, 5 * day, 12 * time.Hour, 0, "disabled"},
		{"nineteen failures do not", 18, 5 * day, 12 * time.Hour, 0, "active"},
		{"not before five days have gone by", 19, 5*day + almost, 12 * time.Hour, 0, "active"},
		{"events less than twelve hours apart do not", 100, 30 * day, 12*time.Hour + almost, 0, "active"},
		{"a clock that is not trusted does not", 19, 5 * day, 12 * time.Hour, 2 * day, "active"},
	} {
		t.Run(test.name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				w.Key = w.LiveKey
				r := servertest.NewReceiver(t)
				r.AnswersStatus(500)
				w.Subscribe(t, object{"url": r.URL})
				w.Clock.Advance(test.jump)
				w.List(t, servertest.FixedPrice())
				now := w.Clock.Now()
				plantest.Fill(t, w, fmt.Sprintf("UPDATE webhooks SET failures = %d, failing_since = %d, failing_event_at = %d",
					test.failures, now.Add(-test.since).UnixMicro(), now.Add(-test.spread).UnixMicro()))
				w.DeliverOnce(t)
				if got := w.Webhooks(t)[0]; got.Status != test.want || w.Count(t, "webhooks", fmt.Sprintf("failures = %d", test.failures+1)) != 1 {
					t.Errorf("it is %s", got.Status)
				}
			}, func(c *v1.Config) { c.Uptime = func() time.Duration { return 0 } })
		})
	}
}

func TestAClockThatIsNotTrustedSaysNotSinceWhenAWebhookFails(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Key = w.LiveKey
		r := servertest.NewReceiver(t)
		r.AnswersStatus(500)
		w.Subscribe(t, object{"url": r.URL})
		w.Clock.Advance(2 * day)
		w.List(t, servertest.FixedPrice())
		w.DeliverOnce(t)
		if w.Count(t, "webhooks", "failures = 1 AND failing_since IS NULL AND failing_event_at IS NULL") != 1 {
			t.Errorf("it is put down: %+v", w.Webhooks(t)[0])
		}
		w.Clock.Advance(-2*day + time.Minute) // set right again
		servertest.DeliverAll(t, w.Service)
		if w.Count(t, "webhooks", "failures = 2 AND failing_since IS NOT NULL") != 1 {
			t.Errorf("it is not put down: %+v", w.Webhooks(t)[0])
		}
	}, func(c *v1.Config) { c.Uptime = func() time.Duration { return 0 } })
}

func TestWhatComesWhileAWebhookIsPausedIsSentInOrderLater(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		item := w.List(t, servertest.FixedPrice())
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		for n := range 5 {
			w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: object{"title": fmt.Sprintf("Title %d", n)}})
		}
		if n := servertest.DeliverAll(t, w.Service); n != 0 {
			t.Errorf("%d attempts while it is paused", n)
		}
		w.Clock.Advance(29 * 24 * time.Hour)
		if _, err := w.Service.PurgeOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		servertest.DeliverAll(t, w.Service)
		want := []string{"1 item.published", "2 item.updated", "3 item.updated", "4 item.updated", "5 item.updated", "6 item.updated"}
		if diff := cmp.Diff(want, eventTypes(t, r.Take())); diff != "" {
			t.Errorf("sent after the pause (-want +got):\n%s", diff)
		}
	})
}

func TestADeletedWebhookTakesItsEventsWithIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		w.List(t, servertest.FixedPrice())
		claimed, err := probe.Claim(w.Service, t.Context())
		if err != nil || len(claimed) != 1 {
			t.Fatalf("claimed %d: %v", len(claimed), err)
		}
		w.List(t, servertest.FixedPrice())
		if got := w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID}); got.Status != http.StatusOK {
			t.Fatalf("delete: %s", got.Body)
		}
		if err := probe.SendAndSettle(w.Service, t.Context(), claimed); err != nil {
			t.Errorf("settle: %v", err)
		}
		want := []string{"1 interrupted interrupted final", "1 cancelled final"}
		if diff := cmp.Diff(want, w.AttemptsInShort(t)); diff != "" || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestWhatIsSentWhenTheSellerEndsTheRestOfAnActiveWebhook(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		r.AnswersStatus(http.StatusInternalServerError)
		hook := w.Subscribe(t, object{"url": r.URL})
		for range 12 {
			w.List(t, servertest.FixedPrice())
		}
		if n := servertest.DeliverAll(t, w.Service); n != 8 {
			t.Errorf("%d attempts before the breaker opens", n)
		}
		r.Answers(nil)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		if n := servertest.DeliverAll(t, w.Service); n != 4 {
			t.Errorf("%d attempts when the rest ended, want those of the 4 events that had none", n)
		}
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		if n := servertest.DeliverAll(t, w.Service); n != 8 {
			t.Errorf("%d attempts after a pause, want those of the 8 events that failed", n)
		}
	})
}
