package hooks_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/delivery"
	"sellerd/v1/probe"
)

// A backlog that takes three steps to change.
const backlog = 3 * delivery.BacklogChunk

// subscribeWithBacklog makes a webhook for which so many events wait.
func subscribeWithBacklog(t *testing.T, w *servertest.World, url string) servertest.Webhook {
	t.Helper()
	hook := w.Subscribe(t, object{"url": url})
	plantest.FillDispatches(t, w, v1.OwnerOf(w.Account, true), []int64{probe.WebhookNumber(hook.ID)}, backlog, "pending")
	return hook
}

// stepsUntilNone counts the dispatches that meet a condition after each step of the deliverer, until there are none.
func stepsUntilNone(t *testing.T, w *servertest.World, condition string) (left []int) {
	t.Helper()
	for n := w.Count(t, "dispatches", condition); n > 0 && len(left) < 10; {
		w.DeliverOnce(t)
		n = w.Count(t, "dispatches", condition)
		left = append(left, n)
	}
	return left
}

func TestPausingAndResumingTouchNoBacklog(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := subscribeWithBacklog(t, w, r.URL)
		// All have failed, and wait for their next attempt.
		now := w.Clock.Now()
		plantest.Fill(t, w,
			fmt.Sprintf("UPDATE dispatches SET attempts = 3, failures = 3, due_at = %d", now.Add(20*time.Hour).UnixMicro()),
			"UPDATE deliveries SET attempt = 4")
		asTheyWere := fmt.Sprintf("status = 'pending' AND failures = 3 AND due_at = %d", now.Add(20*time.Hour).UnixMicro())
		for _, status := range []string{"paused", "active", "paused"} {
			w.PatchWebhook(t, hook.ID, object{"status": status})
		}
		w.Clock.Advance(29 * day) // by now each is due, and too old
		if n := servertest.DeliverAll(t, w.Service); n != 0 || w.Count(t, "dispatches", asTheyWere) != backlog {
			t.Errorf("%d attempts while it is paused, %d wait", n, w.Count(t, "dispatches", asTheyWere))
		}
		w.Clock.Advance(-29 * day)

		w.Clock.Advance(time.Hour)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		if n := w.Count(t, "dispatches", asTheyWere); n != backlog {
			t.Errorf("the resumption changed %d dispatches itself", backlog-n)
		}
		if diff := cmp.Diff([]int{1000, 500, 0}, stepsUntilNone(t, w, asTheyWere)); diff != "" {
			t.Errorf("not due after each step (-want +got):\n%s", diff)
		}

		r.AnswersStatus(http.StatusBadRequest)
		w.DeliverOnce(t)
		if w.Count(t, "webhooks", "resuming") != 0 {
			t.Error("it never ends")
		}
		whole := fmt.Sprintf("status = 'pending' AND attempts = 4 AND failures = 1 AND expires_at = %d", now.Add(time.Hour+96*time.Hour).UnixMicro()+1)
		if n := w.Count(t, "dispatches", whole); n != 4 {
			t.Errorf("%d of 4 that failed again have their whole schedule before them", n)
		}
	})
}

func TestWhatWasHeldForWeeksIsSentWhenItIsResumed(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := subscribeWithBacklog(t, w, r.URL)
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		w.Clock.Advance(29 * day)
		w.PatchWebhook(t, hook.ID, object{"status": "active"})
		w.Clock.Advance(time.Minute)
		got, err := w.Service.WebhookBacklog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(delivery.Backlog{Waiting: backlog, OldestDue: time.Minute}, got); diff != "" {
			t.Errorf("backlog (-want +got):\n%s", diff)
		}
		if n := servertest.DeliverAll(t, w.Service); n != backlog || len(r.Take()) != backlog || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("%d of %d were sent", n, backlog)
		}
	})
}

func TestALargeBacklogOfADeletedWebhookIsCancelledInSteps(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := subscribeWithBacklog(t, w, r.URL)
		claimed, err := probe.Claim(w.Service, t.Context())
		if err != nil {
			t.Fatal(err)
		}
		other := w.Subscribe(t, object{"url": r.URL + "/other"})
		w.List(t, servertest.FixedPrice())
		if got := w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID}); got.Status != http.StatusOK {
			t.Fatalf("delete: %s", got.Body)
		}
		left := fmt.Sprintf("webhook_id = %d", probe.WebhookNumber(hook.ID))
		got := append([]int{w.Count(t, "dispatches", left)}, stepsUntilNone(t, w, left)...)
		if diff := cmp.Diff([]int{997, 497, 0}, got); diff != "" {
			t.Errorf("left after each step (-want +got):\n%s", diff)
		}
		log := map[string]int{}
		for _, status := range []string{"interrupted", "cancelled"} {
			log[status] = w.Count(t, "deliveries", left+" AND final AND status = '"+status+"'")
		}
		if diff := cmp.Diff(map[string]int{"interrupted": len(claimed), "cancelled": backlog + 1 - len(claimed)}, log); diff != "" {
			t.Errorf("log (-want +got):\n%s", diff)
		}
		if n := w.Count(t, "deliveries", fmt.Sprintf("webhook_id = %d AND status = 'succeeded'", probe.WebhookNumber(other.ID))); n != 1 {
			t.Error("the other webhook had to wait")
		}
	})
}

func TestAnEventDispatchedWhileItsWebhookIsDeletedIsCancelled(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Subscribe(t, object{"url": servertest.NewReceiver(t).URL})
		w.List(t, servertest.FixedPrice())
		plantest.Fill(t, w, "DELETE FROM webhooks") // the change had read the webhook before
		w.DeliverOnce(t)
		if diff := cmp.Diff([]string{"1 cancelled final"}, w.AttemptsInShort(t)); diff != "" || w.Count(t, "dispatches", "1 = 1") != 0 {
			t.Errorf("log (-want +got):\n%s", diff)
		}
	})
}

func TestFirstAttemptsDoNotWaitForAClockThatWasSetBack(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		subscribeWithBacklog(t, w, r.URL)
		r.AnswersStatus(http.StatusBadRequest)
		item := w.List(t, servertest.FixedPrice())
		plantest.Fill(t, w, "UPDATE dispatches SET due_at = 1 WHERE resource = 'item/"+item+"'")
		retitle(t, w, item, 1)
		plantest.Fill(t, w, "UPDATE dispatches SET due_at = 2 WHERE sequence = 2")
		w.DeliverOnce(t) // the first fails, the second has to wait for it
		blocked := "blocked AND due_at > 0"
		if w.Count(t, "dispatches", blocked) != 1 {
			t.Fatal("nothing is blocked")
		}
		w.Clock.Advance(-20 * time.Hour)
		r.Answers(nil)
		late := fmt.Sprintf("attempts = 0 AND NOT blocked AND due_at > %d", w.Clock.Now().UnixMicro())
		if diff := cmp.Diff([]int{997, 497, 0}, stepsUntilNone(t, w, late)); diff != "" {
			t.Errorf("late after each step (-want +got):\n%s", diff)
		}
		if w.Count(t, "dispatches", blocked) != 1 {
			t.Error("the one that was blocked has gone by")
		}
	})
}

func TestWhatIsSentByHandDoesNotHideAStall(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		r := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": r.URL})
		paused := w.Subscribe(t, object{"url": r.URL + "/paused", "status": "paused"})
		w.List(t, servertest.FixedPrice())
		for _, id := range []string{hook.ID, paused.ID} {
			w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhooks/" + id + "/test"})
		}
		w.Clock.Advance(90 * time.Second)
		got, err := w.Service.WebhookBacklog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(delivery.Backlog{Waiting: 3, Held: 1, OldestDue: 90 * time.Second}, got); diff != "" {
			t.Errorf("backlog (-want +got):\n%s", diff)
		}
	})
}
