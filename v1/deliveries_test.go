package v1_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// loggedDelivery is an attempt as callers see it.
type loggedDelivery struct {
	ID             string            `json:"id"`
	WebhookID      string            `json:"webhook_id"`
	EventID        string            `json:"event_id"`
	EventType      string            `json:"event_type"`
	ResourceID     string            `json:"resource_id"`
	Attempt        int               `json:"attempt"`
	Trigger        string            `json:"trigger"`
	Status         string            `json:"status"`
	Final          bool              `json:"final"`
	URL            string            `json:"url"`
	RequestHeaders map[string]string `json:"request_headers"`
	RequestBody    *string           `json:"request_body"`
	Response       *loggedResponse   `json:"response"`
	Error          *loggedError      `json:"error"`
	DurationMS     *int              `json:"duration_ms"`
	ScheduledAt    string            `json:"scheduled_at"`
	StartedAt      *string           `json:"started_at"`
	NextAttemptAt  *string           `json:"next_attempt_at"`
}

type loggedResponse struct {
	Status    int    `json:"status"`
	Body      string `json:"body"`
	Truncated bool   `json:"truncated"`
}

type loggedError struct {
	Code string `json:"code"`
}

// deliveryLog reads a page of the log of deliveries.
func deliveryLog(t *testing.T, w *servertest.World, query string) []loggedDelivery {
	t.Helper()
	return servertest.Into[struct {
		Results []loggedDelivery `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries" + query})).Results
}

// postHook sends a POST without a body unless there is one, and returns what it scheduled.
func postHook(t *testing.T, w *servertest.World, path string, body any) loggedDelivery {
	t.Helper()
	got := w.Do(t, servertest.Request{Method: "POST", Path: path, Body: body})
	if got.Status != http.StatusAccepted || got.Header.Get("Location") != "/v1/webhook-deliveries/"+servertest.Into[loggedDelivery](t, got).ID {
		t.Fatalf("%s: %d %s", path, got.Status, got.Body)
	}
	return servertest.Into[loggedDelivery](t, got)
}

func TestTheLogTellsWhatWasSentAndAnswered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newSink(t)
		hook := subscribe(t, w, object{"url": s.URL})
		item := w.List(t, servertest.FixedPrice())
		waiting := deliveryLog(t, w, "")
		if len(waiting) != 1 || waiting[0].RequestBody == nil {
			t.Fatalf("before it is sent: %+v", waiting)
		}
		want := loggedDelivery{
			ID: waiting[0].ID, WebhookID: hook.ID, EventID: waiting[0].EventID, EventType: "item.published", ResourceID: item, Attempt: 1, Trigger: "automatic",
			Status: "scheduled", URL: s.URL, RequestHeaders: map[string]string{}, RequestBody: waiting[0].RequestBody, ScheduledAt: "2026-11-21T12:00:00Z",
		}
		if diff := cmp.Diff(want, waiting[0]); diff != "" {
			t.Errorf("before it is sent (-want +got):\n%s", diff)
		}

		s.answers(http.StatusInternalServerError)
		sendDue(t, w.Service)
		arrived := s.take()
		if len(arrived) != 1 || arrived[0].body != *waiting[0].RequestBody {
			t.Fatalf("arrived: %+v", arrived)
		}
		log := deliveryLog(t, w, "")
		if len(log) != 2 || log[1].DurationMS == nil || log[1].NextAttemptAt == nil {
			t.Fatalf("after it failed: %+v", log)
		}
		started := "2026-11-21T12:00:00Z"
		want.Status, want.StartedAt, want.DurationMS, want.NextAttemptAt = "failed", &started, log[1].DurationMS, log[1].NextAttemptAt
		want.Response, want.Error = &loggedResponse{Status: 500}, &loggedError{"http_status"}
		want.RequestHeaders = map[string]string{
			"content-type": "application/json", "user-agent": "sellerd-webhooks/1", "webhook-id": want.EventID,
			"webhook-timestamp": "1795262400", "webhook-signature": arrived[0].header.Get("webhook-signature"),
		}
		if diff := cmp.Diff(want, log[1]); diff != "" {
			t.Errorf("after it failed (-want +got):\n%s", diff)
		}
		next := loggedDelivery{
			ID: log[0].ID, WebhookID: hook.ID, EventID: want.EventID, EventType: "item.published", ResourceID: item, Attempt: 2, Trigger: "automatic",
			Status: "scheduled", URL: s.URL, RequestHeaders: map[string]string{}, RequestBody: want.RequestBody, ScheduledAt: *log[1].NextAttemptAt,
		}
		if diff := cmp.Diff(next, log[0]); diff != "" {
			t.Errorf("the next attempt (-want +got):\n%s", diff)
		}

		s.answers(http.StatusOK)
		w.Clock.Advance(10 * time.Second)
		sendDue(t, w.Service)
		log = deliveryLog(t, w, "?status=succeeded")
		if len(log) != 1 || log[0].ID != next.ID || !log[0].Final || log[0].Error != nil || log[0].Response == nil || log[0].NextAttemptAt != nil {
			t.Errorf("after it succeeded: %+v", log)
		}
	})
}

func TestTheLogCanBeFiltered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		good, bad := newSink(t), newSink(t)
		bad.answers(http.StatusNotFound)
		all := subscribe(t, w, object{"url": good.URL})
		sold := subscribe(t, w, object{"url": bad.URL, "events": []string{"item.sold"}})
		item := w.List(t, servertest.FixedPrice())
		sendDue(t, w.Service)
		w.Clock.Advance(time.Hour)
		simulate[simulatedSale](t, w, "/items/"+item+"/purchase", nil)
		sendDue(t, w.Service)
		event := deliveryLog(t, w, "?event_type=item.published")[0].EventID

		for query, want := range map[string][]string{
			"":                                      {"item.sold 2 scheduled", "item.sold 1 failed", "item.sold 1 succeeded", "item.published 1 succeeded"},
			"?webhook_id=" + sold.ID:                {"item.sold 2 scheduled", "item.sold 1 failed"},
			"?webhook_id=" + all.ID + "," + sold.ID: {"item.sold 2 scheduled", "item.sold 1 failed", "item.sold 1 succeeded", "item.published 1 succeeded"},
			"?event_id=" + event:                    {"item.published 1 succeeded"},
			"?event_type=item.sold&status=failed":   {"item.sold 1 failed"},
			"?resource_id=" + item + "&limit=1":     {"item.sold 2 scheduled"},
			"?resource_id=nothing":                  nil,
			"?status=interrupted,cancelled":         nil,
			"?status=succeeded":                     {"item.sold 1 succeeded", "item.published 1 succeeded"},
			"?created_from=2026-11-21T13:00:00Z":    {"item.sold 2 scheduled", "item.sold 1 failed", "item.sold 1 succeeded"},
			"?created_to=2026-11-21T13:00:00Z":      {"item.published 1 succeeded"},
			"?webhook_id=wh_1":                      nil,
		} {
			var got []string
			for _, d := range deliveryLog(t, w, query) {
				got = append(got, strings.Join([]string{d.EventType, string(rune('0' + d.Attempt)), d.Status}, " "))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", query, diff)
			}
		}

		for query, want := range map[string]string{
			"?event_type=item.sould": "invalid_parameter event_type", "?event_type=item.*": "invalid_parameter event_type", "?status=lost": "invalid_parameter status",
			"?webhook_id=5": "invalid_parameter webhook_id", "?event_id=wh_1": "invalid_parameter event_id", "?created_from=today": "invalid_parameter created_from",
			"?limit=0": "invalid_parameter limit", "?limit=201": "invalid_parameter limit", "?colour=red": "unknown_parameter colour",
			"?sort=created_at_asc": "unknown_parameter sort",
			"?after=x":             "invalid_cursor after", "?resource_id=a%00b": "invalid_parameter resource_id",
		} {
			if got := w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries" + query}); got.Status != 422 || got.Codes()[0] != want {
				t.Errorf("%s: %d %v", query, got.Status, got.Codes())
			}
		}
	})
}

func TestTheLogIsWalkedByCursor(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		hook := subscribe(t, w, object{"url": "https://example.com/", "status": "paused"})
		for range 5 {
			postHook(t, w, "/v1/webhooks/"+hook.ID+"/test", nil)
		}
		var want, got []string
		for _, d := range deliveryLog(t, w, "") {
			want = append(want, d.ID)
		}
		cursor := ""
		for page := "?limit=2"; page != ""; {
			read := w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries" + page})
			out := servertest.Into[struct {
				Results    []loggedDelivery `json:"results"`
				NextCursor *string          `json:"next_cursor"`
			}](t, read)
			for _, d := range out.Results {
				got = append(got, d.ID)
			}
			if page = ""; out.NextCursor != nil {
				cursor = *out.NextCursor
				page = "?limit=2&after=" + cursor
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || len(got) != 5 {
			t.Errorf("walked (-in one page +in three):\n%s", diff)
		}
		if other := w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries?status=failed&after=" + cursor}); other.Codes()[0] != "cursor_mismatch after" {
			t.Errorf("with another filter: %v", other.Codes())
		}
	})
}

func TestEveryDeliveryCanBeSentAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newSink(t)
		hook := subscribe(t, w, object{"url": s.URL})
		w.List(t, servertest.FixedPrice())
		waiting := deliveryLog(t, w, "")[0]
		again := func(of loggedDelivery) (arrivals int) {
			t.Helper()
			s.take()
			scheduled := postHook(t, w, "/v1/webhook-deliveries/"+of.ID+"/redeliver", nil)
			want := loggedDelivery{
				ID: scheduled.ID, WebhookID: hook.ID, EventID: of.EventID, EventType: of.EventType, ResourceID: of.ResourceID, Attempt: 1, Trigger: "manual",
				Status: "scheduled", URL: s.URL, RequestHeaders: map[string]string{}, RequestBody: of.RequestBody, ScheduledAt: scheduled.ScheduledAt,
			}
			if diff := cmp.Diff(want, scheduled); diff != "" {
				t.Errorf("scheduled (-want +got):\n%s", diff)
			}
			sendDue(t, w.Service)
			last := deliveryLog(t, w, "?limit=1")[0]
			if last.ID != scheduled.ID || !last.Final || last.NextAttemptAt != nil {
				t.Errorf("what came of it: %+v", last)
			}
			for _, a := range s.take() {
				if a.body == *of.RequestBody && a.header.Get("webhook-id") == of.EventID {
					arrivals++
				}
			}
			return arrivals
		}
		if n := again(waiting); n != 2 {
			t.Errorf("one that waits arrived %d times with its repetition", n)
		}
		if n := again(waiting); n != 1 {
			t.Errorf("one that succeeded was repeated %d times", n)
		}
		patchHook(t, w, hook.ID, object{"status": "paused"})
		s.answers(http.StatusInternalServerError)
		if n := again(waiting); n != 1 {
			t.Errorf("while the webhook is paused: %d", n)
		}
		failed := deliveryLog(t, w, "?status=failed")[0]
		s.answers(http.StatusOK)
		if n := again(failed); n != 1 || failed.Trigger != "manual" {
			t.Errorf("one that failed was repeated %d times", n)
		}
		item := w.List(t, servertest.FixedPrice())
		if n := again(deliveryLog(t, w, "?resource_id="+item)[0]); n != 1 {
			t.Errorf("one that is held was repeated %d times", n)
		}
		w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID})
		cancelled := deliveryLog(t, w, "?status=cancelled")
		if len(cancelled) != 1 || !cancelled[0].Final || cancelled[0].ResourceID != item {
			t.Errorf("what was held when the webhook was removed: %+v", cancelled)
		}
		gone := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhook-deliveries/" + waiting.ID + "/redeliver"})
		if diff := cmp.Diff([]string{"webhook_not_found"}, gone.Codes()); diff != "" || gone.Status != 404 {
			t.Errorf("without its webhook: %d (-want +got):\n%s", gone.Status, diff)
		}
		for _, id := range []string{"dlv_1", "evt_1", "5"} {
			if got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhook-deliveries/" + id + "/redeliver"}); got.Status != 404 ||
				got.Codes()[0] != "delivery_not_found" {
				t.Errorf("%s: %d %v", id, got.Status, got.Codes())
			}
		}
	})
}

func TestAnEventThatIsNotKeptCannotBeSentAgain(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newSink(t)
		s.answers(http.StatusInternalServerError)
		subscribe(t, w, object{"url": s.URL})
		w.List(t, servertest.FixedPrice())
		for range 3 { // the last attempts are younger than the event
			sendDue(t, w.Service)
			w.Clock.Advance(2 * time.Hour)
		}
		w.Clock.Advance(30*24*time.Hour - 3*time.Hour)
		for {
			n, err := w.Service.PurgeOnce(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if n == 0 {
				break
			}
		}
		left := deliveryLog(t, w, "")
		if len(left) == 0 || left[0].RequestBody != nil {
			t.Fatalf("left of the log: %+v", left)
		}
		got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/webhook-deliveries/" + left[0].ID + "/redeliver"})
		if diff := cmp.Diff([]string{"delivery_not_found"}, got.Codes()); diff != "" || got.Status != 404 {
			t.Errorf("%d (-want +got):\n%s", got.Status, diff)
		}
	})
}

func TestARepetitionIsMadeOnceForItsIdempotencyKey(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := newSink(t)
		hook := subscribe(t, w, object{"url": s.URL})
		first := w.Do(t, keyed("k", "/v1/webhooks/"+hook.ID+"/test", nil))
		again := w.Do(t, keyed("k", "/v1/webhooks/"+hook.ID+"/test", nil))
		if diff := cmp.Diff(first.Body, again.Body); diff != "" || first.Status != 202 || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d and %d (-first +again):\n%s", first.Status, again.Status, diff)
		}
		sendDue(t, w.Service)
		if got := s.take(); len(got) != 1 {
			t.Errorf("%d arrived", len(got))
		}
	})
}

func TestAForgottenBuyerIsInNoAnswerThatRepeatsAnEvent(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		hook := subscribe(t, w, object{"url": "https://example.com/hook", "status": "paused"})
		sold := operate(t, w, 200, "/operator/items/"+item+"/purchases", object{"buyer": buyerCarl()})
		held := deliveryLog(t, w, "?webhook_id="+hook.ID)
		if len(held) != 1 || !strings.Contains(*held[0].RequestBody, "Kerkstraat") {
			t.Fatalf("held: %+v", held)
		}
		again := w.Do(t, keyed("k", "/v1/webhook-deliveries/"+held[0].ID+"/redeliver", nil))
		if again.Status != http.StatusAccepted {
			t.Fatalf("redeliver: %d %s", again.Status, again.Body)
		}
		operate(t, w, 200, "/operator/sales/"+sold["id"].(string)+"/cancellation", object{"decision": "accept"})
		buyer, err := strconv.ParseInt(sold["buyer"].(map[string]any)["id"].(string), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Service.ForgetBuyer(context.Background(), v1.ID(buyer)); err != nil {
			t.Fatal(err)
		}
		expectNoTrace(t, w)
	})
}

func TestTheNamesOfHeadersAreSentAsDocumented(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := servertest.NewWiretap(t)
		subscribe(t, w, object{"url": receiver.URL})
		w.List(t, servertest.FixedPrice())
		sendDue(t, w.Service)
		want := []string{"Host", "User-Agent", "Content-Length", "Content-Type", "webhook-id", "webhook-signature", "webhook-timestamp"}
		if diff := cmp.Diff(want, receiver.HeaderNames()); diff != "" {
			t.Errorf("on the wire (-want +got):\n%s", diff)
		}
	})
}
