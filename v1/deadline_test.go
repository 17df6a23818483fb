package v1_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sellerd/ent"
	"sellerd/internal/servertest"
	"sellerd/v1"
)

// timed is a store that notes how much time its last caller had.
type timed struct {
	v1.Store
	left time.Duration
}

func (s *timed) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	s.left = 0
	if deadline, set := ctx.Deadline(); set {
		s.left = time.Until(deadline)
	}
	return s.Store.Write(ctx, fn)
}

// slowSender is a body that takes its time.
type slowSender struct {
	io.Reader
	clock *servertest.Clock
	takes time.Duration
}

func (s *slowSender) Read(p []byte) (int, error) {
	s.clock.Advance(s.takes)
	s.takes = 0
	return s.Reader.Read(p)
}

func TestTheDeadlineOfARequest(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		store := w.Config.Store.(*timed)
		handler := w.Service.Handler()
		for _, test := range []struct {
			name            string
			takes, from, to time.Duration // what is left for the work
		}{
			{"is one for all of it", 0, v1.AnswerLimit - 5*time.Second, v1.AnswerLimit},
			{"counts a body that is sent as fast as usual", 900 * time.Millisecond, v1.AnswerLimit - 5*time.Second, v1.AnswerLimit},
			{"does not count the time in which the caller sends a long body", 12 * time.Second, v1.AnswerLimit + 7*time.Second, v1.AnswerLimit + 12*time.Second},
		} {
			t.Run(test.name, func(t *testing.T) {
				body := &slowSender{strings.NewReader(`{"items":[{"title":"Ceres, 20c black","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"9.50","currency":"EUR"}}]}`), w.Clock, test.takes}
				r := httptest.NewRequest(http.MethodPost, "/v1/item-batches", body)
				r.Header.Set("X-Api-Key", w.Key)
				r.Header.Set("Content-Type", "application/json")
				answer := httptest.NewRecorder()
				handler.ServeHTTP(answer, r)
				if answer.Code != http.StatusAccepted || store.left < test.from || store.left > test.to {
					t.Errorf("answered %d with %s left, want between %s and %s\n%s", answer.Code, store.left, test.from, test.to, answer.Body)
				}
			})
		}
	}, func(c *v1.Config) { c.Store = &timed{Store: c.Store} })
}
