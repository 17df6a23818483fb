package apiclient

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	busyAnswer = `{"status_code":503,"errors":[{"code":"service_unavailable","message":"Later."}]}`
	goodAnswer = `{"status_code":200,"data":{}}`
)

// scripted is an answer of a server that gives a list of them in turn and repeats the last. Its client notes how long it
// would have slept, and the keys it sent.
type scripted struct {
	status int
	header http.Header
	body   string
}

func scriptedClient(t *testing.T, patience time.Duration, answers ...scripted) (client *Client, slept *[]time.Duration, keys *[]string) {
	t.Helper()
	slept, keys = new([]time.Duration), new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := answers[min(len(*keys), len(answers)-1)]
		*keys = append(*keys, r.Header.Get("Idempotency-Key"))
		for name, values := range answer.header {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.status)
		_, _ = w.Write([]byte(answer.body))
	}))
	t.Cleanup(server.Close)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	client, err := New(server.URL, "dk_test_x", patience, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	client.Sleep = func(_ context.Context, d time.Duration) error {
		*slept = append(*slept, d)
		now = now.Add(d)
		return nil
	}
	return client, slept, keys
}

func header(name, value string) http.Header {
	return http.Header{http.CanonicalHeaderKey(name): {value}}
}

func TestClient(t *testing.T) {
	good := scripted{status: 200, body: goodAnswer}

	t.Run("it waits as long as it is asked to, in seconds or until a date, and keeps the key", func(t *testing.T) {
		client, slept, keys := scriptedClient(t, time.Minute,
			scripted{429, header("Retry-After", "7"), `{"status_code":429,"errors":[{"code":"rate_limited","message":"Wait."}]}`},
			scripted{503, header("Retry-After", "Sat, 21 Nov 2026 12:00:30 GMT"), busyAnswer}, good)
		answer, err := client.Do(t.Context(), http.MethodPost, "/v1/item-batches", "k-1", []byte(`{}`))
		if err != nil || answer.Status != 200 {
			t.Fatalf("status %d, error %v", answer.Status, err)
		}
		if len(*slept) != 2 || (*slept)[0] < 7*time.Second || (*slept)[0] >= 8*time.Second || (*slept)[0]+(*slept)[1] < 30*time.Second || (*slept)[1] >= 24*time.Second {
			t.Errorf("it waited %v, want 7 seconds and until 12:00:30, and each time a part of a second more", *slept)
		}
		if diff := cmp.Diff([]string{"k-1", "k-1", "k-1"}, *keys); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("it backs off longer each time when no answer says how long", func(t *testing.T) {
		broken := scripted{status: 502, body: "<h1>Bad gateway</h1>"}
		client, slept, _ := scriptedClient(t, time.Minute, broken, broken, broken, good)
		if answer, err := client.Do(t.Context(), http.MethodGet, "/v1/account", "", nil); err != nil || answer.Status != 200 {
			t.Fatalf("status %d, error %v", answer.Status, err)
		}
		for i, d := range *slept {
			if least := 500 * time.Millisecond << i / 2; d < least || d > 3*least {
				t.Errorf("wait %d was %s, want %s to %s", i, d, least, 3*least)
			}
		}
		if len(*slept) != 3 {
			t.Errorf("it waited %d times", len(*slept))
		}
	})
	t.Run("its patience ends, and the request is in doubt", func(t *testing.T) {
		client, slept, _ := scriptedClient(t, time.Minute, scripted{status: 503, header: header("Retry-After", "25"), body: busyAnswer})
		answer, err := client.Do(t.Context(), http.MethodPost, "/v1/item-batches", "k", []byte(`{}`))
		if err != nil || answer.Status != 503 || !answer.Doubtful {
			t.Errorf("answer %+v, error %v", answer, err)
		}
		if len(*slept) != 2 {
			t.Errorf("it waited %v within a minute", *slept)
		}
	})
	t.Run("a limit that lasts longer than its patience is no doubt", func(t *testing.T) {
		client, slept, _ := scriptedClient(t, time.Minute,
			scripted{429, header("Retry-After", "43200"), `{"status_code":429,"errors":[{"code":"daily_item_limit_reached","message":"Tomorrow."}]}`})
		answer, err := client.Do(t.Context(), http.MethodPost, "/v1/item-batches", "k", []byte(`{}`))
		if err != nil || answer.Doubtful || len(*slept) != 0 {
			t.Errorf("answer %+v, error %v, waits %v", answer, err, *slept)
		}
		if got := answer.Failure().Error(); !strings.Contains(got, "daily_item_limit_reached: Tomorrow.") {
			t.Errorf("it says %q", got)
		}
	})
	t.Run("a refusal that the command line causes says what to look at", func(t *testing.T) {
		for code, want := range map[string]string{
			"invalid_api_key":   "the service answered 400 invalid_api_key: No. Check the key: SELLERD_KEY, or --key",
			"route_not_found":   "the service answered 400 route_not_found: No. Is --base-url right?",
			"account_suspended": "the service answered 400 account_suspended: No.",
		} {
			client, _, _ := scriptedClient(t, 0, scripted{status: 400, body: `{"status_code":400,"errors":[{"code":"` + code + `","message":"No."}]}`})
			answer, err := client.Do(t.Context(), http.MethodGet, "/v1/account", "", nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, answer.Failure().Error()); diff != "" {
				t.Error(diff)
			}
		}
	})
	t.Run("it slows down before the minute's budget is used up", func(t *testing.T) {
		low := http.Header{"X-Ratelimit-Limit": {"180"}, "X-Ratelimit-Remaining": {"19"}}
		client, slept, _ := scriptedClient(t, time.Minute, scripted{200, low, goodAnswer})
		if _, err := client.Do(t.Context(), http.MethodGet, "/v1/account", "", nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]time.Duration{time.Minute / 180}, *slept); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a web page is not taken for an answer", func(t *testing.T) {
		client, _, _ := scriptedClient(t, 0, scripted{status: 200, body: "<h1>Welcome</h1>"})
		if _, err := client.Do(t.Context(), http.MethodGet, "/v1/account", "", nil); err == nil {
			t.Error("no error")
		}
	})
}
