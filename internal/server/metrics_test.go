package server_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
)

// webhookMetrics are the metrics of webhooks as they are scraped.
func webhookMetrics(t *testing.T, w *servertest.World) map[string]string {
	t.Helper()
	answer := get(w.Server.Operator, "/metrics")
	if answer.Code != 200 || !strings.Contains(answer.Body.String(), "go_goroutines") {
		t.Fatalf("scrape: %d", answer.Code)
	}
	found := map[string]string{}
	for _, line := range regexp.MustCompile(`(?m)^sellerd_webhook_(\w+) (\S+)$`).FindAllStringSubmatch(answer.Body.String(), -1) {
		found[line[1]] = line[2]
	}
	return found
}

// TestTheMetricsAreNotForPagesOfOthers asks as a browser does for a page whose name leads to this machine (DNS rebinding). Under a name of
// this machine, and over the network, where scrapers use any name, the metrics need no token.
func TestTheMetricsAreNotForPagesOfOthers(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	token := "Bearer " + servertest.OperatorToken
	loopback, network := net.IPv4(127, 0, 0, 1), net.IPv4(172, 17, 0, 2)
	for _, test := range []struct {
		host          string
		over          net.IP
		authorization string
		want          int
	}{
		{"127.0.0.1:8081", loopback, "", 200},
		{"localhost:9000", loopback, "", 200},
		{"LocalHost.", loopback, "", 200},
		{"[::1]:8081", net.IPv6loopback, "", 200},
		{"", loopback, "", 200},
		{"sellerd:8081", network, "", 200},
		{"evil.example:8081", loopback, "", 401},
		{"evil.example", net.IPv6loopback, "", 401},
		{"127.0.0.1.evil.example:8081", loopback, "", 401},
		{"localhost.evil.example", loopback, "Bearer wrong", 401},
		{"ops.example.com", loopback, token, 200},
	} {
		r := httptest.NewRequest("GET", "/metrics", nil)
		r.Host = test.host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: test.over, Port: 8081}))
		if test.authorization != "" {
			r.Header.Set("Authorization", test.authorization)
		}
		answer := httptest.NewRecorder()
		w.Server.Operator.ServeHTTP(answer, r)
		if shown := strings.Contains(answer.Body.String(), "sellerd_"); answer.Code != test.want || shown != (test.want == 200) {
			t.Errorf("%q over %s: %d, metrics shown: %t, want %d", test.host, test.over, answer.Code, shown, test.want)
		}
	}
}

func TestTheMetricsTellHowWebhooksStand(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		status := http.StatusOK
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		defer receiver.Close()
		subscribe := func(path, status string) {
			made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": receiver.URL + path, "status": status}})
			if made.Status != http.StatusCreated {
				t.Fatalf("subscribe: %d %s", made.Status, made.Body)
			}
		}
		deliver := func() {
			if _, err := w.Service.DeliverOnce(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		subscribe("/active", "active")
		subscribe("/paused", "paused")
		w.List(t, servertest.FixedPrice())
		w.Clock.Advance(90 * time.Second)
		want := map[string]string{"delivered_total": "0", "failures_total": "0", "waiting": "1", "held": "1", "oldest_due_seconds": "90", "failing": "0"}
		if diff := cmp.Diff(want, webhookMetrics(t, w)); diff != "" {
			t.Errorf("while one is due (-want +got):\n%s", diff)
		}
		deliver()
		want = map[string]string{"delivered_total": "1", "failures_total": "0", "waiting": "0", "held": "1", "oldest_due_seconds": "0", "failing": "0"}
		if diff := cmp.Diff(want, webhookMetrics(t, w)); diff != "" {
			t.Errorf("when it is delivered (-want +got):\n%s", diff)
		}
		status = http.StatusInternalServerError
		w.List(t, servertest.FixedPrice())
		deliver()
		want = map[string]string{"delivered_total": "1", "failures_total": "1", "waiting": "1", "held": "2", "oldest_due_seconds": "0", "failing": "0"}
		if diff := cmp.Diff(want, webhookMetrics(t, w)); diff != "" {
			t.Errorf("while one waits for its next attempt (-want +got):\n%s", diff)
		}
	})
}

func TestAResetOfTheSandboxIsNoFailureOfTheService(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		if got := w.Do(t, servertest.Request{Method: "POST", Path: "/v1/test/reset"}); got.Status != http.StatusAccepted {
			t.Fatalf("reset: %d %s", got.Status, got.Body)
		}
		for path, body := range map[string]any{"/v1/items": servertest.FixedPrice(), "/v1/webhooks": map[string]any{"url": "https://shop.example"}} {
			got := w.Do(t, servertest.Request{Path: path, Body: body})
			if got.Status != http.StatusServiceUnavailable || !strings.Contains(string(got.Body), `"sandbox":"resetting"`) {
				t.Errorf("%s: %d %s", path, got.Status, got.Body)
			}
		}
		metrics := get(w.Server.Operator, "/metrics").Body.String()
		for _, line := range []string{`{op="SubmitItem",status="resetting"} 1`, `{op="CreateWebhook",status="resetting"} 1`} {
			if !strings.Contains(metrics, "sellerd_requests_total"+line) {
				t.Errorf("the metrics lack %s", line)
			}
		}
		if found := regexp.MustCompile(`sellerd_requests_total.*status="5..".*|sellerd_request_seconds_count.*class="5xx".*`).FindAllString(metrics, -1); found != nil {
			t.Errorf("failures of the service: %s", found)
		}
		overview := get(w.Server.Operator, "/operator/", "Authorization", "Bearer "+servertest.OperatorToken).Body.String()
		if strings.Contains(overview, "500 or more:") || !strings.Contains(overview, "SubmitItem") {
			t.Errorf("the overview: %s", overview)
		}
	})
}

func TestMetricsAreThereWithoutTheDatabase(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	if err := w.Store.Close(); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"delivered_total": "0", "failures_total": "0"}
	if diff := cmp.Diff(want, webhookMetrics(t, w)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheMetricsTellHowManyAccountsAreLeftOnTheOldInterface(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		gauges := func() (found []string) {
			return regexp.MustCompile(`(?m)^sellerd_legacy_accounts.*$`).FindAllString(get(w.Server.Operator, "/metrics").Body.String(), -1)
		}
		want := []string{`sellerd_legacy_accounts{state="active"} 0`, `sellerd_legacy_accounts{state="done"} 0`, `sellerd_legacy_accounts{state="silent"} 0`}
		if diff := cmp.Diff(want, gauges()); diff != "" {
			t.Errorf("without a call (-want +got):\n%s", diff)
		}
		w.Rest(t, "GET", "/rest/seller", "", "X-Api-Key", w.Key)
		if _, err := w.Service.FlushLegacyUsageOnce(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Clock.Advance(time.Minute - time.Microsecond)
		if diff := cmp.Diff(want, gauges()); diff != "" {
			t.Errorf("before the next count (-want +got):\n%s", diff)
		}
		w.Clock.Advance(time.Microsecond)
		want[0] = `sellerd_legacy_accounts{state="active"} 1`
		if diff := cmp.Diff(want, gauges()); diff != "" {
			t.Errorf("after a call (-want +got):\n%s", diff)
		}
	})
}

func TestTheMetricsTellHowLongSubmissionsWait(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		gauges := func() (found []string) {
			return regexp.MustCompile(`(?m)^sellerd_submissions_(?:waiting|oldest_seconds) .*$`).FindAllString(get(w.Server.Operator, "/metrics").Body.String(), -1)
		}
		if diff := cmp.Diff([]string{"sellerd_submissions_oldest_seconds 0", "sellerd_submissions_waiting 0"}, gauges()); diff != "" {
			t.Errorf("without one (-want +got):\n%s", diff)
		}
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		w.Clock.Advance(time.Minute + time.Microsecond) // the clock adds one for the submission
		w.Do(t, servertest.Request{Path: "/v1/items", Body: servertest.FixedPrice()})
		if diff := cmp.Diff([]string{"sellerd_submissions_oldest_seconds 60", "sellerd_submissions_waiting 2"}, gauges()); diff != "" {
			t.Errorf("while two wait (-want +got):\n%s", diff)
		}
	})
}
