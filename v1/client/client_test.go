package client_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"sellerd/v1/client"
)

// The tests of docs/clients hold this client and those of other languages to the same script. These are about what only this one has.

// newBusy is a client of a service that is always busy, with a clock that moves only when the client sleeps.
func newBusy(t *testing.T, change func(*client.Config)) (*client.Client, *int) {
	t.Helper()
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		w.Header().Set("Retry-After", "10")
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"status_code":503,"errors":[{"code":"service_unavailable","message":"Later."}]}`))
	}))
	t.Cleanup(server.Close)
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	config := client.Config{
		Key: "dk_test_1", BaseURL: server.URL, Now: func() time.Time { return now },
		Sleep: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil },
	}
	change(&config)
	c, err := client.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return c, &requests
}

func TestTheDeadlineIsOfEachRequest(t *testing.T) {
	told := 0
	c, requests := newBusy(t, func(config *client.Config) {
		config.OnRetry = func(wait time.Duration, why *client.Error) {
			told++
			if wait < 10*time.Second || why.Code != "service_unavailable" {
				t.Errorf("it waits %s because of %v", wait, why)
			}
		}
	})
	for _, test := range []struct {
		client *client.Client
		want   int
	}{{c, 6}, {c.WithDeadline(25 * time.Second), 3}, {c.WithDeadline(time.Second), 1}} {
		*requests, told = 0, 0
		err := test.client.Get(t.Context(), "/v1/account", nil, nil)
		var failed *client.Error
		if !errors.As(err, &failed) || !failed.MayBeDone || failed.Status != http.StatusServiceUnavailable {
			t.Errorf("the error is %v", err)
		}
		if *requests != test.want || told != test.want-1 {
			t.Errorf("there were %d requests, want %d, and it told of %d repetitions", *requests, test.want, told)
		}
	}
}

func TestTheContextEndsAWait(t *testing.T) {
	ctx, end := context.WithCancel(t.Context())
	c, requests := newBusy(t, func(config *client.Config) {
		config.Sleep = func(ctx context.Context, d time.Duration) error {
			end()
			return client.Sleep(ctx, d)
		}
	})
	err := c.Post(ctx, "/v1/items", nil, nil)
	if !errors.Is(err, context.Canceled) || *requests != 1 {
		t.Errorf("after %d requests the error is %v", *requests, err)
	}
}

// TestAPathBeginsWithASlash: without it, @example.com/ would send the key to another host.
func TestAPathBeginsWithASlash(t *testing.T) {
	c, requests := newBusy(t, func(*client.Config) {})
	for _, path := range []string{"@example.com/v1/account", ".example.com/", "v1/account", ""} {
		err := c.Get(t.Context(), path, nil, nil)
		var failed *client.Error
		if err == nil || errors.As(err, &failed) || *requests != 0 {
			t.Errorf("after %d requests to %q the error is %v", *requests, path, err)
		}
	}
}
