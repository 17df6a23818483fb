package v1_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"entgo.io/ent/dialect"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// stopSubmits lets the next group of submissions begin and not end until release is called.
func stopSubmits(t *testing.T, w *servertest.World) (release func()) {
	t.Helper()
	w.Do(t, servertest.Request{Path: "/v1/items", Key: w.LiveKey, Body: servertest.FixedPrice()}) // takes numbers from the database
	if w.Store.Dialect() == dialect.Postgres {
		return hold(t, w, "LOCK TABLE submissions IN EXCLUSIVE MODE")
	}
	return hold(t, w, "UPDATE owners SET day = day WHERE id = $1", 0)
}

// inTestMode is the condition of the rows that a test made with test keys.
const inTestMode = "owner % 2 = 1"

// until waits for a condition that other goroutines bring about.
func until(t *testing.T, what string, true func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: not within 20 s", what)
		}
	}
}

// inOneGroup sends requests so that all but the first are stored in one transaction, and returns their answers and the number
// of transactions. A replay may be answered while the others wait, because a replay waits for no group that takes long.
func inOneGroup(t *testing.T, w *servertest.World, requests ...servertest.Request) (answers []servertest.Response, writes int) {
	t.Helper()
	release := stopSubmits(t, w)
	before := w.Store.Stats().Writes
	answers = make([]servertest.Response, len(requests))
	var answered atomic.Int32
	var all sync.WaitGroup
	for i, request := range requests {
		all.Go(func() {
			answers[i] = w.Do(t, request)
			answered.Add(1)
		})
	}
	until(t, "all wait or have an answer", func() bool {
		waiting, _ := probe.SubmitsWaiting(w.Service, v1.OwnerOf(w.Account, true))
		return waiting+int(answered.Load()) == len(requests)
	})
	release()
	all.Wait()
	return answers, int(w.Store.Stats().Writes - before)
}

func submits(n int) []servertest.Request {
	requests := make([]servertest.Request, n)
	for i := range requests {
		requests[i] = servertest.Keyed(fmt.Sprintf("together-%d", i), "/v1/items", servertest.FixedPrice(object{"personal_reference": fmt.Sprintf("T-%d", i)}))
	}
	return requests
}

func TestSubmissionsThatWaitAreStoredTogether(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		const n = 60
		requests := submits(n)
		_, other, _ := w.Seller(t, "berta")
		for i := range requests {
			if i%3 == 0 {
				requests[i].Key = other
			}
			if i%5 == 0 {
				requests[i].Header = nil
			}
		}
		answers, writes := inOneGroup(t, w, requests...)
		if writes > 3 {
			t.Errorf("%d submissions took %d transactions", n, writes)
		}
		created := map[string]map[string]bool{}
		used := map[string][]int{}
		for i, answer := range answers {
			got := servertest.Into[object](t, answer)
			if answer.Status != http.StatusAccepted || got["personal_reference"] != fmt.Sprintf("T-%d", i) {
				t.Fatalf("%d: %d %s", i, answer.Status, answer.Body)
			}
			key := requests[i].Key
			if created[key] == nil {
				created[key] = map[string]bool{}
			}
			created[key][got["created_at"].(string)] = true
			count, err := strconv.Atoi(answer.Header.Get("X-StoreLimit-Used"))
			if err != nil {
				t.Fatal(err)
			}
			used[key] = append(used[key], count)
			read := servertest.Into[object](t, w.Do(t, servertest.Request{Path: answer.Header.Get("Location"), Key: key}))
			if diff := cmp.Diff(got, read); diff != "" {
				t.Errorf("the answer, and what is stored (-answer +stored):\n%s", diff)
			}
		}
		for key, first := range map[string]int{"": 2, other: 1} {
			slices.Sort(used[key])
			for i, got := range used[key] {
				if got != first+i {
					t.Fatalf("units used: %v, want all numbers from %d", used[key], first)
				}
			}
			if len(created[key]) != len(used[key]) {
				t.Errorf("%d submissions of one seller have %d instants", len(used[key]), len(created[key]))
			}
		}
		for i, request := range requests { // each key has its own answer
			if i%5 == 0 {
				continue
			}
			again := w.Do(t, request)
			if again.Body != answers[i].Body || again.Header.Get("Idempotent-Replayed") != "true" {
				t.Errorf("%d again: %d %s", i, again.Status, again.Body)
			}
		}
		if got := w.Count(t, "submissions", inTestMode); got != n+1 {
			t.Errorf("%d submissions are stored, want %d", got, n+1)
		}
	})
}

func TestLimitsAreExactInAGroup(t *testing.T) {
	for _, limit := range []struct {
		name, code, header string
		set                servertest.Option
	}{
		{"open items", "store_limit_reached", "X-StoreLimit-Used", func(c *v1.Config) { c.OpenItems = 7 }},
		{"new items a day", "daily_item_limit_reached", "X-StoreLimit-Daily-Remaining", func(c *v1.Config) { c.NewItemsPerDay = 7 }},
	} {
		t.Run(limit.name, func(t *testing.T) {
			servertest.Each(t, func(t *testing.T, w *servertest.World) {
				answers, writes := inOneGroup(t, w, submits(20)...)
				if writes > 3 {
					t.Errorf("20 submissions took %d transactions", writes)
				}
				seen := map[string]int{}
				for _, answer := range answers {
					switch answer.Status {
					case http.StatusAccepted:
						seen["accepted"]++
						seen[answer.Header.Get(limit.header)]++
					default:
						seen[strings.Join(answer.Codes(), " ")]++
					}
				}
				if seen["accepted"] != 7 || seen[limit.code] != 13 || len(seen) != 9 {
					t.Errorf("answers: %v", seen)
				}
				units := fmt.Sprintf("id = %d AND open_count = 7 AND day_count = 7", v1.OwnerOf(w.Account, true))
				if w.Count(t, "owners", units) != 1 || w.Count(t, "submissions", inTestMode) != 7 || w.Count(t, "idempotency_keys", "true") != 7 {
					t.Error("what is stored is not what was accepted")
				}
			}, limit.set)
		})
	}
}

func TestTwinsInOneGroupAreOneSubmission(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		requests := slices.Repeat(submits(1), 10)
		other := requests[0]
		other.Body = servertest.Auction()
		answers, _ := inOneGroup(t, w, append(requests, submits(2)[1])...)
		for _, answer := range answers[:10] {
			if answer.Status != http.StatusAccepted || answer.Body != answers[0].Body {
				t.Errorf("a twin: %d %s", answer.Status, answer.Body)
			}
		}
		if got := w.Do(t, other); got.Status != http.StatusUnprocessableEntity || !strings.HasPrefix(got.Codes()[0], "idempotency_key_reused") {
			t.Errorf("the key for another item: %d %s", got.Status, got.Body)
		}
		if w.Count(t, "submissions", inTestMode) != 2 || w.Count(t, "owners", "open_count = 2 AND day_count = 2") != 1 {
			t.Error("a twin was stored or charged")
		}
	})
}

func TestAnExpiredKeyIsReplacedInAGroup(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		first := w.Do(t, submits(1)[0])
		w.Clock.Advance(v1.IdempotencyRetention + time.Second)
		answers, _ := inOneGroup(t, w, submits(2)...)
		if answers[0].Status != http.StatusAccepted || answers[0].Header.Get("Idempotent-Replayed") != "" || answers[0].Body == first.Body {
			t.Errorf("with an expired key: %d %s", answers[0].Status, answers[0].Body)
		}
		if again := w.Do(t, submits(1)[0]); again.Body != answers[0].Body {
			t.Errorf("its answer again: %s, want %s", again.Body, answers[0].Body)
		}
	})
}

func TestACallerThatLeavesBeforeItsGroupIsLeftOut(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		release := stopSubmits(t, w)
		owner := v1.OwnerOf(w.Account, true)
		first := make(chan servertest.Response, 1)
		go func() { first <- w.Do(t, submits(1)[0]) }()
		until(t, "the first is being stored", func() bool {
			all, _ := probe.SubmitsWaiting(w.Service, owner)
			return all == 1 && w.Store.Stats().Waiting == 2
		})
		time.Sleep(20 * time.Millisecond) // now its group is taken on PostgreSQL; on SQLite it waits for its turn
		ctx, leave := context.WithCancel(context.Background())
		left := make(chan struct{})
		go func() {
			defer close(left)
			r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/items", strings.NewReader(`{"title":"Ceres, 20c black","category_id":"1010101","sale_type":"fixed_price","price":{"amount":"9.50","currency":"EUR"}}`))
			r.Header.Set("X-Api-Key", w.Key)
			r.Header.Set("Content-Type", "application/json")
			w.Service.Handler().ServeHTTP(httptest.NewRecorder(), r)
		}()
		until(t, "the second waits", func() bool { all, _ := probe.SubmitsWaiting(w.Service, owner); return all == 2 })
		leave()
		<-left
		release()
		if got := <-first; got.Status != http.StatusAccepted {
			t.Errorf("the one that stayed: %d %s", got.Status, got.Body)
		}
		until(t, "none waits", func() bool { all, _ := probe.SubmitsWaiting(w.Service, owner); return all == 0 })
		if got := w.Count(t, "submissions", inTestMode); got != 1 {
			t.Errorf("%d submissions are stored", got)
		}
	})
}

func TestABusySellerDelaysNoOtherAndIsServedAtOnce(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	owner := v1.OwnerOf(w.Account, true)
	_, other, _ := w.Seller(t, "berta")
	w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
	before := w.Store.Stats().Writes
	release := hold(t, w, touchOwner, int64(owner))
	gathered := make(chan []servertest.Response, 1)
	go func() { gathered <- together(t, w, submits(30)...) }()
	until(t, "all wait in the seller's lane", func() bool { all, own := probe.SubmitsWaiting(w.Service, owner); return all == 0 && own == 30 })
	for range 3 {
		if got := w.Do(t, servertest.Request{Path: "/v1/items", Key: other, Body: servertest.FixedPrice()}); got.Status != http.StatusAccepted {
			t.Errorf("another seller: %d %s", got.Status, got.Body)
		}
	}
	waited := w.Store.Stats().Writes
	release()
	for _, answer := range <-gathered {
		if answer.Status != http.StatusAccepted {
			t.Errorf("the busy seller: %d %s", answer.Status, answer.Body)
		}
	}
	if got := w.Store.Stats().Writes; got != waited {
		t.Errorf("%d more transactions after the one that waited for the row, want none", got-waited)
	}
	if w.Count(t, "owners", fmt.Sprintf("id = %d AND open_count = 31", owner)) != 1 || before == waited {
		t.Error("the seller's units are wrong")
	}
}

func TestTwoProcessesStoreAKeyOnce(t *testing.T) {
	url := servertest.Postgres(t)
	w := servertest.New(t, url)
	worlds := []*servertest.World{w, beside(t, w, url, "2s"), beside(t, w, url, "2s")}
	for round := range 20 {
		request := servertest.Keyed(fmt.Sprintf("key-%d", round), "/v1/items", servertest.FixedPrice())
		answers := make(chan servertest.Response)
		for i := range 12 {
			go func() { answers <- worlds[i%len(worlds)].Do(t, request) }()
		}
		body := ""
		for range 12 {
			answer := <-answers
			switch {
			case answer.Status == http.StatusConflict:
			case answer.Status != http.StatusAccepted, body != "" && body != answer.Body:
				t.Errorf("%d %s", answer.Status, answer.Body)
			default:
				body = answer.Body
			}
		}
	}
	units := fmt.Sprintf("id = %d AND open_count = 20 AND day_count = 20", v1.OwnerOf(w.Account, true))
	if w.Count(t, "submissions", inTestMode) != 20 || w.Count(t, "owners", units) != 1 {
		t.Error("some submission is stored twice, or charged twice")
	}
}

func TestAGroupRefusesTheKeysThatHaveEnded(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		account, other, _ := w.Seller(t, "berta")
		ended := w.NewKey(t, account, "test")
		requests := submits(9)
		for i := range requests {
			requests[i].Key = []string{w.Key, other, ended}[i%3]
			if i < 3 {
				w.Do(t, requests[i]) // from now on the keys are remembered
			}
		}
		if _, err := w.Service.RevokeKey(t.Context(), keyID(ended)); err != nil {
			t.Fatal(err)
		}
		answers, _ := inOneGroup(t, w, requests...)
		for i, answer := range answers {
			want := accepted
			switch {
			case requests[i].Key == ended:
				want = seenOf{http.StatusUnauthorized, "invalid_api_key", "", ""}
			case i < 3:
				want = replayOf
			}
			if diff := cmp.Diff(want, outcomeOf(answer)); diff != "" {
				t.Errorf("%d (-want +got):\n%s%s", i, diff, answer.Body)
			}
		}
		for owner, units := range map[v1.Owner]int{v1.OwnerOf(w.Account, true): 3, v1.OwnerOf(account, true): 4} {
			condition := fmt.Sprintf("id = %d AND open_count = %d AND day_count = %[2]d", owner, units)
			if w.Count(t, "owners", condition) != 1 || w.Count(t, "submissions", fmt.Sprintf("owner = %d", owner)) != units {
				t.Errorf("a submission of the revoked key is stored or charged")
			}
		}
	})
}

// A pooler that gives each transaction another session keeps no prepared statements, so the driver derives the types of
// arguments from those of Go.
func TestSubmissionsNeedNoPreparedStatements(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t)+"&default_query_exec_mode=exec")
	requests := submits(6)
	requests[0].Header, requests[1].Body = nil, servertest.Auction()
	for round := range 2 {
		answers, _ := inOneGroup(t, w, requests...)
		for i, answer := range answers {
			want := accepted
			if round > 0 && i > 0 {
				want = replayOf
			}
			if diff := cmp.Diff(want, outcomeOf(answer)); diff != "" {
				t.Errorf("%d (-want +got):\n%s%s", i, diff, answer.Body)
			}
		}
	}
	if got := w.Count(t, "submissions", inTestMode); got != 7 {
		t.Errorf("%d submissions are stored", got)
	}
}
