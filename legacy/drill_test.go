package legacy_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
	"sellerd/translate"
	"sellerd/v1"
)

// scheduleDrill schedules a drill of one minute with a key and returns its path.
func scheduleDrill(t *testing.T, w *servertest.World, key string, from time.Time, keyID string) string {
	t.Helper()
	body := map[string]any{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(time.Minute))}
	if keyID != "" {
		body["key_id"] = keyID
	}
	got := w.Do(t, servertest.Request{Path: "/v1/account/legacy-drills", Key: key, Body: body})
	if got.Status != http.StatusCreated {
		t.Fatalf("schedule a drill: %d %s", got.Status, got.Body)
	}
	return got.Header.Get("Location")
}

// scheduleForAll schedules a drill of one minute for everybody and returns its path.
func scheduleForAll(t *testing.T, w *servertest.World, from time.Time) string {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Path: "/operator/legacy-drills", Body: map[string]any{"from": v1.TimeOf(from), "to": v1.TimeOf(from.Add(time.Minute))}})
	if got.Status != http.StatusCreated {
		t.Fatalf("schedule a drill for everybody: %d %s", got.Status, got.Body)
	}
	return got.Header.Get("Location")
}

// anotherProcess is a second service on the database of a world, with a clock of its own.
func anotherProcess(t *testing.T, w *servertest.World) *servertest.World {
	t.Helper()
	other := &servertest.World{Store: w.Store, Clock: &servertest.Clock{}, Config: w.Config, Account: w.Account, Key: w.Key, LiveKey: w.LiveKey}
	for other.Clock.Now().Before(w.Clock.Now()) { // a duration has at most 292 years
		other.Clock.Advance(w.Clock.Now().Sub(other.Clock.Now()))
	}
	other.Config.Clock = other.Clock
	var err error
	if other.Service, err = v1.New(other.Config); err != nil {
		t.Fatalf("make another service: %v", err)
	}
	other.Server, err = server.New(server.Config{
		Service: other.Service, Logger: other.Config.Logger, BaseURL: other.Config.BaseURL, Version: "test", OperatorToken: servertest.OperatorToken,
	})
	if err != nil {
		t.Fatalf("make another server: %v", err)
	}
	return other
}

// keyIDOf is the third part of a key.
func keyIDOf(key string) string { return strings.Split(key, "_")[2] }

func TestADrillIsForItsKeysAndItsTime(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		old := strings.Repeat("aB3d", 16)
		imported := servertest.Into[map[string]any](t, w.DoOperator(t, servertest.Request{
			Path: "/operator/accounts/" + v1.ID(w.Account).String() + "/legacy-keys", Body: map[string]any{"key": old},
		}))["id"].(string)
		_, other, otherLive := w.Seller(t, "bruno")
		second := w.NewKey(t, w.Account, "live")
		session, oldSession := w.Session(t, w.LiveKey), w.Session(t, old)
		begin := w.Clock.Now().Add(10 * time.Minute)
		scheduleDrill(t, w, w.Key, begin, "")
		scheduleDrill(t, w, w.LiveKey, begin, keyIDOf(w.LiveKey))
		scheduleDrill(t, w, w.LiveKey, begin.Add(time.Hour), imported)
		statuses := func() map[string]int {
			ask := func(path, form string, header ...string) int { return w.Rest(t, "GET", path, form, header...).Status }
			return map[string]int{
				"the test key":           ask("/rest/seller", "", "X-Api-Key", w.Key),
				"the live key":           ask("/rest/seller", "", "X-Api-Key", w.LiveKey),
				"its session":            ask("/rest/seller", "token="+session),
				"its login":              w.Rest(t, "POST", "/rest/seller", "apikey="+w.LiveKey).Status,
				"its session, elsewhere": ask("/rest/nothing", "token="+session),
				"another live key":       ask("/rest/seller", "", "X-Api-Key", second),
				"an imported key":        w.Rest(t, "POST", "/rest/seller", "apikey="+old).Status,
				"its session, old":       ask("/rest/seller", "token="+oldSession),
				"another seller's":       ask("/rest/seller", "", "X-Api-Key", other),
				"another seller's, live": ask("/rest/seller", "", "X-Api-Key", otherLive),
				"no key":                 ask("/rest/server/time", ""),
				"a wrong key":            ask("/rest/seller", "", "X-Api-Key", w.LiveKey[:len(w.LiveKey)-8]+"00000000"),
			}
		}
		quiet := map[string]int{
			"the test key": 200, "the live key": 200, "its session": 200, "its login": 200, "its session, elsewhere": 404, "another live key": 200,
			"an imported key": 200, "its session, old": 200, "another seller's": 200, "another seller's, live": 200, "no key": 200, "a wrong key": 401,
		}
		with := func(status int, names ...string) map[string]int {
			want := map[string]int{}
			for name, usual := range quiet {
				want[name] = usual
			}
			for _, name := range names {
				want[name] = status
			}
			return want
		}
		drilled := with(410, "the test key", "the live key", "its session", "its login", "its session, elsewhere")
		for _, moment := range []struct {
			name string
			at   time.Time
			want map[string]int
		}{
			{"long before", w.Clock.Now(), quiet},
			{"just before", begin.Add(-time.Microsecond), quiet},
			{"from its begin", begin, drilled},
			{"until its end", begin.Add(time.Minute - time.Microsecond), drilled},
			{"from its end", begin.Add(time.Minute), quiet},
		} {
			w.Clock.Advance(moment.at.Sub(w.Clock.Now()))
			if diff := cmp.Diff(moment.want, statuses()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", moment.name, diff)
			}
		}
		w.Clock.Advance(begin.Add(time.Hour).Sub(w.Clock.Now()))
		got := map[string]int{
			"login": w.Rest(t, "POST", "/rest/seller", "apikey="+old).Status, "a session that has ended": w.Rest(t, "GET", "/rest/seller", "token="+oldSession).Status,
			"another key": w.Rest(t, "GET", "/rest/seller", "token="+w.Session(t, w.LiveKey)).Status,
		}
		if diff := cmp.Diff(map[string]int{"login": 410, "a session that has ended": 410, "another key": 200}, got); diff != "" {
			t.Errorf("the drill of the imported key (-want +got):\n%s", diff)
		}
	})
}

// TestAScheduledDrillIsTheRealThing compares what is answered in a drill to what is answered from the sunset on. Only the header
// of the drill differs.
func TestAScheduledDrillIsTheRealThing(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		type exchange struct {
			Method, Path, Body string
			Header             http.Header
		}
		all := func(drill bool) (exchanges []exchange) {
			ask := func(method, path, form string) {
				got := w.Rest(t, method, path, form, "X-Api-Key", w.Key)
				want := ""
				if drill {
					want = "scheduled"
				}
				if got.Status != http.StatusGone || got.Header.Get("Legacy-Drill") != want {
					t.Errorf("%s %s: %d, drill %q", method, path, got.Status, got.Header.Get("Legacy-Drill"))
				}
				got.Header.Del("X-Request-Id")
				got.Header.Del("Legacy-Drill")
				exchanges = append(exchanges, exchange{method, path, datetime.ReplaceAllString(got.Body, ""), got.Header})
			}
			for _, call := range translate.Calls {
				ask(call.Method, concrete(call.Pattern), "apikey="+w.Key)
				ask(call.Method, concrete(call.Pattern), "a=%zz&notificationType=Email_Seller_Item_Add")
			}
			for _, path := range []string{"/rest", "/rest/", "//rest/x", "/rest/nothing", "/rest/item/4711"} {
				for _, method := range []string{"GET", "HEAD", "OPTIONS", "PATCH", "BREW"} {
					ask(method, path, "")
				}
			}
			return exchanges
		}
		begin := w.Clock.Now().Add(8 * 24 * time.Hour)
		scheduleDrill(t, w, w.Key, begin, "")
		scheduleForAll(t, w, begin.Add(time.Hour))
		w.Clock.Advance(begin.Sub(w.Clock.Now()))
		ofKey := all(true)
		w.Clock.Advance(time.Hour)
		ofAll := all(true)
		w.Clock.Advance(translate.Sunset.Sub(w.Clock.Now()))
		ended := all(false)
		if diff := cmp.Diff(ended, ofKey); diff != "" {
			t.Errorf("the drill of a key (-sunset +drill):\n%s", diff)
		}
		if diff := cmp.Diff(ended, ofAll); diff != "" {
			t.Errorf("the drill of all (-sunset +drill):\n%s", diff)
		}
	})
}

func TestADrillCountsOnEveryProcess(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		other := anotherProcess(t, w)
		statuses := func() []int {
			return []int{w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key).Status, other.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key).Status}
		}
		both := func(d time.Duration) { w.Clock.Advance(d); other.Clock.Advance(d) }
		if diff := cmp.Diff([]int{200, 200}, statuses()); diff != "" { // both have read that there is none
			t.Fatalf("before (-want +got):\n%s", diff)
		}
		t.Run("from its begin to its end, at once", func(t *testing.T) {
			scheduleDrill(t, w, w.Key, w.Clock.Now().Add(time.Minute), "")
			got := [][]int{}
			for _, d := range []time.Duration{time.Minute - time.Microsecond, time.Microsecond, time.Minute - time.Microsecond, time.Microsecond} {
				both(d)
				got = append(got, statuses())
			}
			if diff := cmp.Diff([][]int{{200, 200}, {410, 410}, {410, 410}, {200, 200}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
		t.Run("until it is called off, within a second", func(t *testing.T) {
			path := scheduleDrill(t, w, w.Key, w.Clock.Now().Add(time.Minute), "")
			both(time.Minute)
			got := [][]int{statuses()}
			w.Do(t, servertest.Request{Method: "DELETE", Path: path})
			got = append(got, statuses()[:1])
			both(time.Second)
			got = append(got, statuses())
			if diff := cmp.Diff([][]int{{410, 410}, {200}, {200, 200}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
		t.Run("by the clock of the process that answers", func(t *testing.T) {
			other.Clock.Advance(30 * time.Second) // the clock of the other process is ahead
			scheduleDrill(t, w, w.Key, w.Clock.Now().Add(time.Minute), "")
			both(30 * time.Second)
			got := [][]int{statuses()}
			both(30 * time.Second)
			got = append(got, statuses())
			both(30 * time.Second)
			got = append(got, statuses())
			if diff := cmp.Diff([][]int{{200, 410}, {410, 410}, {410, 200}}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	})
}

func TestADrillForEverybodyNeedsNoKey(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		path := scheduleForAll(t, w, w.Clock.Now().Add(7*24*time.Hour))
		ask := func() []int {
			return []int{w.Rest(t, "GET", "/rest/server/time", "").Status, w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.LiveKey).Status}
		}
		got := [][]int{ask()}
		w.Clock.Advance(7 * 24 * time.Hour)
		got = append(got, ask())
		w.DoOperator(t, servertest.Request{Method: "DELETE", Path: path})
		got = append(got, ask())
		if diff := cmp.Diff([][]int{{200, 200}, {410, 410}, {200, 200}}, got); diff != "" {
			t.Errorf("before, in it, called off (-want +got):\n%s", diff)
		}
	})
}

func TestACallInADrillIsNeitherChargedNorRun(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		scheduleDrill(t, w, w.Key, w.Clock.Now().Add(time.Minute), "")
		w.Clock.Advance(time.Minute)
		for range 3 {
			got := w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key)
			if got.Status != http.StatusGone || got.Header.Get("X-RateLimit-Remaining") != "" {
				t.Errorf("%d, %q left", got.Status, got.Header.Get("X-RateLimit-Remaining"))
			}
		}
		got := w.Do(t, servertest.Request{Path: "/v1/account"})
		if remaining := got.Header.Get("X-RateLimit-Remaining"); remaining != "4" {
			t.Errorf("%s left after one request of five", remaining)
		}
	}, func(c *v1.Config) { c.RateLimit = 5 })
}

// TestADrillCostsOthersNoStatement counts the statements of calls that no drill concerns, before a drill and in it.
func TestADrillCostsOthersNoStatement(t *testing.T) {
	each(t, func(t *testing.T, w *servertest.World) {
		statements := w.Config.Store.(countingStore).statements
		old := strings.Repeat("aB3d", 16)
		_, other, otherLive := w.Seller(t, "bruno")
		session := w.Session(t, otherLive)
		scheduleDrill(t, w, w.Key, w.Clock.Now().Add(time.Minute), "")
		scheduleDrill(t, w, w.LiveKey, w.Clock.Now().Add(time.Minute), keyIDOf(w.LiveKey))
		calls := func() map[string]int64 {
			w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.LiveKey) // drills and keys are read
			w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key)
			counts := map[string]int64{}
			for name, ask := range map[string]func() int{
				"another seller's key": func() int { return w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", other).Status },
				"their session":        func() int { return w.Rest(t, "GET", "/rest/seller", "token="+session).Status },
				"a made-up key":        func() int { return w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", old).Status },
				"no key":               func() int { return w.Rest(t, "GET", "/rest/server/time", "").Status },
			} {
				before := statements.Load()
				if status := ask(); status == http.StatusGone {
					t.Errorf("%s meets the drill", name)
				}
				counts[name] = statements.Load() - before
			}
			return counts
		}
		calls()
		before := calls()
		w.Clock.Advance(time.Minute)
		if got := w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key).Status; got != http.StatusGone {
			t.Fatalf("the drill: %d", got)
		}
		if diff := cmp.Diff(before, calls()); diff != "" {
			t.Errorf("statements (-before +in the drill):\n%s", diff)
		}
	}, func(c *v1.Config) { c.Store, c.RateLimit = countingStore{c.Store, new(atomic.Int64)}, 0 })
}
