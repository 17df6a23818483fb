package v1_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// This file has subscriptions as a seller reads them, a receiver, and the deliverer's steps, for the tests of webhooks.

// subscription is a webhook as callers see it.
type subscription struct {
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

// subscribe makes a webhook.
func subscribe(t *testing.T, w *servertest.World, body object) subscription {
	t.Helper()
	made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: body})
	if made.Status != http.StatusCreated {
		t.Fatalf("subscribe: %d %s", made.Status, made.Body)
	}
	return servertest.Into[subscription](t, made)
}

// patchHook changes a webhook.
func patchHook(t *testing.T, w *servertest.World, id string, body any) servertest.Response {
	t.Helper()
	return w.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/webhooks/" + id, Body: body})
}

// subscriptions are what GET /v1/webhooks shows.
func subscriptions(t *testing.T, w *servertest.World) []subscription {
	t.Helper()
	return servertest.Into[struct {
		Results []subscription `json:"results"`
	}](t, w.Do(t, servertest.Request{Path: "/v1/webhooks"})).Results
}

// sink is a receiver that keeps what arrives, and answers with a status.
type sink struct {
	*httptest.Server
	mu     sync.Mutex
	status int
	got    []arrival
}

type arrival struct {
	header http.Header
	body   string
}

func newSink(t *testing.T) *sink {
	t.Helper()
	s := &sink{status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("receive: %v", err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, arrival{r.Header.Clone(), string(body)})
		w.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	return s
}

// answers sets the status from now on.
func (s *sink) answers(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

// take returns what arrived since the last time.
func (s *sink) take() []arrival {
	s.mu.Lock()
	defer s.mu.Unlock()
	got := s.got
	s.got = nil
	return got
}

// sendDue sends until nothing is due, and says how many attempts that took.
func sendDue(t *testing.T, service *v1.Service) (attempts int) {
	t.Helper()
	for {
		n, err := service.DeliverOnce(context.Background())
		if err != nil {
			t.Fatalf("deliver: %v", err)
		}
		if n == 0 {
			return attempts
		}
		attempts += n
	}
}
