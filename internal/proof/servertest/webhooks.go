package servertest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"sellerd/internal/base/each"
	"sellerd/v1"
)

// This file makes webhooks for tests, is the receiver that they name, and takes the steps that deliver to it.

// Webhook is a webhook as callers see it.
type Webhook struct {
	ID             string   `json:"id"`
	URL            string   `json:"url"`
	Events         []string `json:"events"`
	Description    *string  `json:"description"`
	Status         string   `json:"status"`
	DisabledReason *string  `json:"disabled_reason"`
	FailingSince   *string  `json:"failing_since"`
	Secret         *string  `json:"secret"`
	SecretHint     string   `json:"secret_hint"`
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"`
}

// Subscribe makes a webhook.
func (w *World) Subscribe(tb testing.TB, body map[string]any) Webhook {
	tb.Helper()
	made := w.Do(tb, Request{Path: "/v1/webhooks", Body: body})
	if made.Status != http.StatusCreated {
		tb.Fatalf("subscribe: %d %s", made.Status, made.Body)
	}
	return Into[Webhook](tb, made)
}

// Webhooks are what GET /v1/webhooks shows.
func (w *World) Webhooks(tb testing.TB) []Webhook {
	tb.Helper()
	return Into[struct {
		Results []Webhook `json:"results"`
	}](tb, w.Do(tb, Request{Path: "/v1/webhooks"})).Results
}

// Delivery is an attempt as callers see it.
type Delivery struct {
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
	Response       *DeliveryResponse `json:"response"`
	Error          *DeliveryError    `json:"error"`
	DurationMS     *int              `json:"duration_ms"`
	ScheduledAt    time.Time         `json:"scheduled_at"`
	StartedAt      *time.Time        `json:"started_at"`
	NextAttemptAt  *time.Time        `json:"next_attempt_at"`
}

// DeliveryResponse is how the receiver answered.
type DeliveryResponse struct {
	Status    int    `json:"status"`
	Body      string `json:"body"`
	Truncated bool   `json:"truncated"`
}

// DeliveryError is why there is no answer.
type DeliveryError struct {
	Code string `json:"code"`
}

// String is an attempt in short: its number, what became of it, why, and whether another one follows.
func (d Delivery) String() string {
	text := fmt.Sprintf("%d %s", d.Attempt, d.Status)
	if d.Error != nil {
		text += " " + d.Error.Code
	}
	if d.Final {
		text += " final"
	}
	return text
}

// Deliveries reads a page of the log of deliveries.
func (w *World) Deliveries(tb testing.TB, query string) []Delivery {
	tb.Helper()
	return Into[struct {
		Results []Delivery `json:"results"`
	}](tb, w.Do(tb, Request{Path: "/v1/webhook-deliveries" + query})).Results
}

// Attempts are the log of deliveries that a query asks for, oldest first.
func (w *World) Attempts(tb testing.TB, query string) []Delivery {
	tb.Helper()
	log := w.Deliveries(tb, "?limit=200&"+query)
	slices.Reverse(log)
	return log
}

// AttemptsInShort are all attempts in short, oldest first.
func (w *World) AttemptsInShort(tb testing.TB) []string {
	tb.Helper()
	return each.Of(w.Attempts(tb, ""), Delivery.String)
}

// Schedule sends a POST that schedules an attempt, without a body unless there is one, and returns the attempt.
func (w *World) Schedule(tb testing.TB, path string, body any) Delivery {
	tb.Helper()
	got := w.Do(tb, Request{Method: "POST", Path: path, Body: body})
	if got.Status != http.StatusAccepted || got.Header.Get("Location") != "/v1/webhook-deliveries/"+Into[Delivery](tb, got).ID {
		tb.Fatalf("%s: %d %s", path, got.Status, got.Body)
	}
	return Into[Delivery](tb, got)
}

// Recover asks for the events of a webhook since a time, and returns their number.
func (w *World) Recover(tb testing.TB, webhook string, body map[string]any) int {
	tb.Helper()
	got := w.Do(tb, Request{Path: "/v1/webhooks/" + webhook + "/recover", Body: body})
	out := Into[struct {
		RecoveredCount int  `json:"recovered_count"`
		HasMore        bool `json:"has_more"`
	}](tb, got)
	if got.Status != http.StatusAccepted || out.HasMore {
		tb.Fatalf("recover: %d %s", got.Status, got.Body)
	}
	return out.RecoveredCount
}

// PatchWebhook changes a webhook.
func (w *World) PatchWebhook(tb testing.TB, id string, body any) Response {
	tb.Helper()
	return w.Do(tb, Request{Method: http.MethodPatch, Path: "/v1/webhooks/" + id, Body: body})
}

// DeliverOnce takes one step of the deliverer, and returns how many attempts it made.
func (w *World) DeliverOnce(tb testing.TB) int {
	tb.Helper()
	n, err := w.Service.DeliverOnce(tb.Context())
	if err != nil {
		tb.Fatalf("deliver: %v", err)
	}
	return n
}

// DeliverAll takes steps of a deliverer until nothing is due, and returns how many attempts that took.
func DeliverAll(tb testing.TB, service *v1.Service) int {
	tb.Helper()
	return untilIdle(tb, "deliver", service.DeliverOnce)
}

// Receiver is the far end of webhooks: it keeps what arrives, and answers as the test wants, with 200 at first.
type Receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []Arrival
	answer http.HandlerFunc
}

// Arrival is a request that a Receiver has read to its end.
type Arrival struct {
	Header http.Header
	Body   string
}

// NewReceiver starts a receiver on loopback, for the time of the test.
func NewReceiver(tb testing.TB) *Receiver {
	tb.Helper()
	r := &Receiver{}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return // the sender was cut short
		}
		r.mu.Lock()
		r.got = append(r.got, Arrival{request.Header.Clone(), string(body)})
		answer := r.answer
		r.mu.Unlock()
		if answer != nil {
			answer(w, request)
		}
	}))
	tb.Cleanup(r.Close)
	return r
}

// Answers sets what the receiver does from now on; nil accepts.
func (r *Receiver) Answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// AnswersStatus is Answers with a status and, in pairs, headers.
func (r *Receiver) AnswersStatus(status int, header ...string) {
	r.Answers(func(w http.ResponseWriter, _ *http.Request) {
		for pair := range slices.Chunk(header, 2) {
			w.Header().Set(pair[0], pair[1])
		}
		w.WriteHeader(status)
	})
}

// Take returns what arrived since the last time.
func (r *Receiver) Take() []Arrival {
	r.mu.Lock()
	defer r.mu.Unlock()
	got := r.got
	r.got = nil
	return got
}
