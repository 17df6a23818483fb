package hooks_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

func TestTheLogTellsWhatWasSentAndAnswered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		item := w.List(t, servertest.FixedPrice())
		waiting := w.Deliveries(t, "")
		if len(waiting) != 1 || waiting[0].RequestBody == nil {
			t.Fatalf("before it is sent: %+v", waiting)
		}
		want := servertest.Delivery{
			ID: waiting[0].ID, WebhookID: hook.ID, EventID: waiting[0].EventID, EventType: "item.published", ResourceID: item, Attempt: 1, Trigger: "automatic",
			Status: "scheduled", URL: s.URL, RequestHeaders: map[string]string{}, RequestBody: waiting[0].RequestBody, ScheduledAt: w.Clock.Now(),
		}
		if diff := cmp.Diff(want, waiting[0]); diff != "" {
			t.Errorf("before it is sent (-want +got):\n%s", diff)
		}

		s.AnswersStatus(http.StatusInternalServerError)
		servertest.DeliverAll(t, w.Service)
		arrived := s.Take()
		if len(arrived) != 1 || arrived[0].Body != *waiting[0].RequestBody {
			t.Fatalf("arrived: %+v", arrived)
		}
		log := w.Deliveries(t, "")
		if len(log) != 2 || log[1].DurationMS == nil || log[1].NextAttemptAt == nil {
			t.Fatalf("after it failed: %+v", log)
		}
		started := w.Clock.Now()
		want.Status, want.StartedAt, want.DurationMS, want.NextAttemptAt = "failed", &started, log[1].DurationMS, log[1].NextAttemptAt
		want.Response, want.Error = &servertest.DeliveryResponse{Status: 500}, &servertest.DeliveryError{Code: "http_status"}
		want.RequestHeaders = map[string]string{
			"content-type": "application/json", "user-agent": "sellerd-webhooks/1", "webhook-id": want.EventID,
			"webhook-timestamp": "1795262400", "webhook-signature": arrived[0].Header.Get("webhook-signature"),
		}
		if diff := cmp.Diff(want, log[1]); diff != "" {
			t.Errorf("after it failed (-want +got):\n%s", diff)
		}
		next := servertest.Delivery{
			ID: log[0].ID, WebhookID: hook.ID, EventID: want.EventID, EventType: "item.published", ResourceID: item, Attempt: 2, Trigger: "automatic",
			Status: "scheduled", URL: s.URL, RequestHeaders: map[string]string{}, RequestBody: want.RequestBody, ScheduledAt: *log[1].NextAttemptAt,
		}
		if diff := cmp.Diff(next, log[0]); diff != "" {
			t.Errorf("the next attempt (-want +got):\n%s", diff)
		}

		s.AnswersStatus(http.StatusOK)
		w.Clock.Advance(10 * time.Second)
		servertest.DeliverAll(t, w.Service)
		log = w.Deliveries(t, "?status=succeeded")
		if len(log) != 1 || log[0].ID != next.ID || !log[0].Final || log[0].Error != nil || log[0].Response == nil || log[0].NextAttemptAt != nil {
			t.Errorf("after it succeeded: %+v", log)
		}
	})
}

func TestTheLogCanBeFiltered(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		good, bad := servertest.NewReceiver(t), servertest.NewReceiver(t)
		bad.AnswersStatus(http.StatusNotFound)
		all := w.Subscribe(t, object{"url": good.URL})
		sold := w.Subscribe(t, object{"url": bad.URL, "events": []string{"item.sold"}})
		item := w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		w.Clock.Advance(time.Hour)
		if bought := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/items/" + item + "/purchase"}); bought.Status != http.StatusOK {
			t.Fatalf("buy: %d %s", bought.Status, bought.Body)
		}
		servertest.DeliverAll(t, w.Service)
		event := w.Deliveries(t, "?event_type=item.published")[0].EventID

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
			for _, d := range w.Deliveries(t, query) {
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
		hook := w.Subscribe(t, object{"url": "https://example.com/", "status": "paused"})
		for range 5 {
			w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", nil)
		}
		var want, got []string
		for _, d := range w.Deliveries(t, "") {
			want = append(want, d.ID)
		}
		cursor := ""
		for page := "?limit=2"; page != ""; {
			read := w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries" + page})
			out := servertest.Into[struct {
				Results    []servertest.Delivery `json:"results"`
				NextCursor *string               `json:"next_cursor"`
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
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		w.List(t, servertest.FixedPrice())
		waiting := w.Deliveries(t, "")[0]
		again := func(of servertest.Delivery) (arrivals int) {
			t.Helper()
			s.Take()
			scheduled := w.Schedule(t, "/v1/webhook-deliveries/"+of.ID+"/redeliver", nil)
			want := servertest.Delivery{
				ID: scheduled.ID, WebhookID: hook.ID, EventID: of.EventID, EventType: of.EventType, ResourceID: of.ResourceID, Attempt: 1, Trigger: "manual",
				Status: "scheduled", URL: s.URL, RequestHeaders: map[string]string{}, RequestBody: of.RequestBody, ScheduledAt: scheduled.ScheduledAt,
			}
			if diff := cmp.Diff(want, scheduled); diff != "" {
				t.Errorf("scheduled (-want +got):\n%s", diff)
			}
			servertest.DeliverAll(t, w.Service)
			last := w.Deliveries(t, "?limit=1")[0]
			if last.ID != scheduled.ID || !last.Final || last.NextAttemptAt != nil {
				t.Errorf("what came of it: %+v", last)
			}
			for _, a := range s.Take() {
				if a.Body == *of.RequestBody && a.Header.Get("webhook-id") == of.EventID {
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
		w.PatchWebhook(t, hook.ID, object{"status": "paused"})
		s.AnswersStatus(http.StatusInternalServerError)
		if n := again(waiting); n != 1 {
			t.Errorf("while the webhook is paused: %d", n)
		}
		failed := w.Deliveries(t, "?status=failed")[0]
		s.AnswersStatus(http.StatusOK)
		if n := again(failed); n != 1 || failed.Trigger != "manual" {
			t.Errorf("one that failed was repeated %d times", n)
		}
		item := w.List(t, servertest.FixedPrice())
		if n := again(w.Deliveries(t, "?resource_id="+item)[0]); n != 1 {
			t.Errorf("one that is held was repeated %d times", n)
		}
		w.Do(t, servertest.Request{Method: "DELETE", Path: "/v1/webhooks/" + hook.ID})
		cancelled := w.Deliveries(t, "?status=cancelled")
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
		s := servertest.NewReceiver(t)
		s.AnswersStatus(http.StatusInternalServerError)
		w.Subscribe(t, object{"url": s.URL})
		w.List(t, servertest.FixedPrice())
		for range 3 { // the last attempts are younger than the event
			servertest.DeliverAll(t, w.Service)
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
		left := w.Deliveries(t, "")
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
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		first := w.Do(t, servertest.Keyed("k", "/v1/webhooks/"+hook.ID+"/test", nil))
		again := w.Do(t, servertest.Keyed("k", "/v1/webhooks/"+hook.ID+"/test", nil))
		if diff := cmp.Diff(first.Body, again.Body); diff != "" || first.Status != 202 || again.Header.Get("Idempotent-Replayed") != "true" {
			t.Errorf("%d and %d (-first +again):\n%s", first.Status, again.Status, diff)
		}
		servertest.DeliverAll(t, w.Service)
		if got := s.Take(); len(got) != 1 {
			t.Errorf("%d arrived", len(got))
		}
	})
}

func TestTheNamesOfHeadersAreSentAsDocumented(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		receiver := servertest.NewWiretap(t)
		w.Subscribe(t, object{"url": receiver.URL})
		w.List(t, servertest.FixedPrice())
		servertest.DeliverAll(t, w.Service)
		want := []string{"Host", "User-Agent", "Content-Length", "Content-Type", "webhook-id", "webhook-signature", "webhook-timestamp"}
		if diff := cmp.Diff(want, receiver.HeaderNames()); diff != "" {
			t.Errorf("on the wire (-want +got):\n%s", diff)
		}
	})
}
