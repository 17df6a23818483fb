package v1_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/store"
	v1 "sellerd/v1"
	"sellerd/v1/core"
	"sellerd/v1/probe"
)

// timed is a store that notes how much time its last caller had.
type timed struct {
	v1.Store
	left, toRead time.Duration // for the last change, and for the last read
}

func (s *timed) Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error {
	s.left = left(ctx)
	return s.Store.Write(ctx, fn)
}

func (s *timed) Query(ctx context.Context, query string, args ...any) (store.Rows, error) {
	s.toRead = left(ctx)
	return s.Store.Query(ctx, query, args...)
}

func left(ctx context.Context) time.Duration {
	deadline, set := ctx.Deadline()
	if !set {
		return 0
	}
	return time.Until(deadline)
}

// slowSender is a body that takes its time.
type slowSender struct {
	io.Reader
	clock     *servertest.Clock
	takes     time.Duration
	meanwhile func() // what happens while it is sent; may be nil
}

func (s *slowSender) Read(p []byte) (int, error) {
	s.clock.Advance(s.takes)
	s.takes = 0
	if s.meanwhile != nil {
		s.meanwhile()
		s.meanwhile = nil
	}
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
			{"is one for all of it", 0, core.AnswerLimit - 5*time.Second, core.AnswerLimit},
			{"counts a body that is sent as fast as usual", 900 * time.Millisecond, core.AnswerLimit - 5*time.Second, core.AnswerLimit},
			{"does not count the time in which the caller sends a long body", 12 * time.Second, core.AnswerLimit + 7*time.Second, core.AnswerLimit + 12*time.Second},
		} {
			t.Run(test.name, func(t *testing.T) {
				body := &slowSender{strings.NewReader(`{"items":[{"title":"Ceres, 20c black","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"9.50","currency":"EUR"}}]}`), w.Clock, test.takes, nil}
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

// TestASlowBodyOfARememberedKeyHasItsTime is about submissions: their work begins with a remembered row of the key, which is
// confirmed when the body is there, and may be done twice.
func TestASlowBodyOfARememberedKeyHasItsTime(t *testing.T) {
	const good = `{"title":"Ceres, 20c black","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"9.50","currency":"EUR"}}`
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		store := w.Config.Store.(*timed)
		for _, test := range []struct {
			name, body string
			changed    bool // the row of the key changes while the body is sent
			want       int
		}{
			{"a wrong body", "{", false, http.StatusBadRequest},
			{"a good body", good, false, http.StatusAccepted},
			{"a wrong body with a key that has changed", "{", true, http.StatusBadRequest},
			{"a good body with a key that has changed", good, true, http.StatusAccepted},
		} {
			t.Run(test.name, func(t *testing.T) {
				if got := w.Do(t, servertest.Request{Path: "/v1/items"}); got.Status != http.StatusOK || !probe.Remembers(w.Service, w.Key) {
					t.Fatalf("%d, and the key is not remembered", got.Status)
				}
				body := &slowSender{strings.NewReader(test.body), w.Clock, 12 * time.Second, nil}
				if test.changed {
					body.meanwhile = func() {
						w.Clock.Advance(2 * time.Minute)
						w.Do(t, servertest.Request{Path: "/v1/items"}) // is a use of the key
						if _, err := w.Service.TouchKeysOnce(context.Background()); err != nil {
							t.Error(err)
						}
					}
				}
				store.toRead = 0
				r := httptest.NewRequest(http.MethodPost, "/v1/items", body)
				r.Header.Set("X-Api-Key", w.Key)
				r.Header.Set("Content-Type", "application/json")
				answer := httptest.NewRecorder()
				w.Service.Handler().ServeHTTP(answer, r)
				if answer.Code != test.want {
					t.Errorf("answered %d, want %d: %s", answer.Code, test.want, answer.Body)
				}
				took := 12 * time.Second
				if test.changed {
					took += 2 * time.Minute
				}
				// Elsewhere the first statement of the request confirms an unchanged row, before the body is read.
				confirmed := test.changed || w.Store.Dialect() == dialect.SQLite
				if confirmed && (store.toRead < core.AnswerLimit+took-5*time.Second || store.toRead > core.AnswerLimit+took) {
					t.Errorf("the key was read with %s left of %s and the %s of the body", store.toRead, core.AnswerLimit, took)
				}
			})
		}
	}, func(c *v1.Config) { c.Store = &timed{Store: c.Store} })
}

func TestACallerThatLeavesIsCharged(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		remaining := func() string {
			return w.Do(t, servertest.Request{Path: "/v1/items"}).Header.Get("X-RateLimit-Remaining")
		}
		before := []string{remaining(), remaining()}
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequest(http.MethodPost, "/v1/items", &slowSender{strings.NewReader("{}"), w.Clock, 0, leave}).WithContext(ctx)
		r.Header.Set("X-Api-Key", w.Key)
		r.Header.Set("Content-Type", "application/json")
		w.Service.Handler().ServeHTTP(httptest.NewRecorder(), r)
		if diff := cmp.Diff([]string{"999", "998", "996"}, append(before, remaining())); diff != "" {
			t.Errorf("remaining (-want +got):\n%s", diff)
		}
	}, func(c *v1.Config) { c.RateLimit = 1000 })
}
