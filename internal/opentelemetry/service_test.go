package opentelemetry_test

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/opentelemetry"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
)

// tracedWorld is a service whose spans go where the environment says.
func tracedWorld(t *testing.T, database string, environment map[string]string) (*servertest.World, *opentelemetry.Tracer) {
	t.Helper()
	tracer := newTracer(t, environment, io.Discard)
	return servertest.New(t, database, func(c *v1.Config) { c.Tracer = tracer }), tracer
}

func newTracer(t *testing.T, environment map[string]string, log io.Writer) *opentelemetry.Tracer {
	t.Helper()
	tracer, err := opentelemetry.New(t.Context(), opentelemetry.Config{
		Getenv: func(name string) string { return environment[name] }, Version: "1.7.0", Logger: slog.New(slog.NewTextHandler(log, nil)),
	})
	if err != nil || tracer == nil {
		t.Fatalf("tracer %v, error %v", tracer, err)
	}
	return tracer
}

// shop is a receiver of webhooks that keeps what it was sent.
type shop struct {
	*httptest.Server
	mu     sync.Mutex
	traces []string
	status int
}

func newShop(t *testing.T, w *servertest.World) *shop {
	t.Helper()
	s := &shop{status: http.StatusOK}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.traces = append(s.traces, r.Header.Get("traceparent"))
		w.WriteHeader(s.status)
	}))
	t.Cleanup(s.Close)
	if made := w.Do(t, servertest.Request{Path: "/v1/webhooks", Body: map[string]any{"url": s.URL}}); made.Status != http.StatusCreated {
		t.Fatalf("subscribe: %d %s", made.Status, made.Body)
	}
	return s
}

func (s *shop) answers(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = status
}

const (
	trace   = "4bf92f3577b34da6a3ce929d0e0e4736"
	caller  = "00f067aa0ba902b7"
	sampled = "00-" + trace + "-" + caller + "-01"
)

var picture = map[string]any{
	"title": "France 1849, 20c black Ceres", "category_id": "1010101", "sale_type": "fixed_price", "price": map[string]any{"amount": "45.00", "currency": "EUR"},
}

// named finds the only span with a name that the next one of the trace is a part of, and so not a transaction that prepares numbers.
func named(t *testing.T, spans []received, name string) received {
	t.Helper()
	var found []received
	for _, s := range spans {
		if s.Name == name && (name != "transaction" || isParent(s, spans)) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans are called %q:\n%+v", len(found), name, spans)
	}
	return found[0]
}

func isParent(s received, spans []received) bool {
	return slices.ContainsFunc(spans, func(other received) bool { return other.Parent == s.ID })
}

// A submission passes the database twice before its event arrives: as a submission for the publisher, and as a delivery.
func TestARequestItsTransactionItsPublicationAndItsDeliveriesAreOneTrace(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		c := newCollector(t)
		w, tracer := tracedWorld(t, database(t), map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL})
		receiver := newShop(t, w)
		receiver.answers(http.StatusInternalServerError)
		submitted := w.Do(t, servertest.Request{Path: "/v1/items", Body: picture, Header: map[string]string{"traceparent": sampled, "X-Request-Id": "request-1"}})
		if submitted.Status != http.StatusAccepted {
			t.Fatalf("submit: %d %s", submitted.Status, submitted.Body)
		}
		w.Publish(t)
		deliver(t, w)
		receiver.answers(http.StatusOK)
		w.Clock.Advance(time.Hour)
		deliver(t, w)
		if err := tracer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}

		spans := c.taken(t, trace)
		request, transaction, publish := named(t, spans, "POST /v1/items"), named(t, spans, "transaction"), named(t, spans, "publish")
		var attempts []received
		for _, s := range spans {
			if s.Name == "webhook delivery" {
				attempts = append(attempts, s)
			}
		}
		if len(attempts) != 2 || len(spans) < 5 {
			t.Fatalf("%d attempts among %d spans: %+v", len(attempts), len(spans), spans)
		}
		got := map[string]string{
			"the request": request.Parent, "the transaction": transaction.Parent, "the publication": publish.Parent,
			"the 1st attempt": attempts[0].Parent, "the 2nd attempt": attempts[1].Parent, "the receiver's": strings.Join(receiver.traces, " "),
		}
		want := map[string]string{
			"the request": caller, "the transaction": request.ID, "the publication": transaction.ID, "the 1st attempt": publish.ID, "the 2nd attempt": publish.ID,
			"the receiver's": "00-" + trace + "-" + attempts[0].ID + "-01 00-" + trace + "-" + attempts[1].ID + "-01",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parents (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(map[string]string{
			"http.request.method": "POST", "http.route": "/v1/items", "http.response.status_code": "202", "sellerd.operation": "SubmitItem",
			"sellerd.stack": "v1", "sellerd.request_id": "request-1",
		}, request.Values); diff != "" {
			t.Errorf("the request (-want +got):\n%s", diff)
		}
		if attempts[0].Values["error.type"] != "http_status" || !attempts[0].Failed || attempts[1].Failed || attempts[1].Values["sellerd.attempt"] != "2" {
			t.Errorf("attempts: %+v", attempts)
		}
		checkSecrets(t, w, c)
	})
}

// checkSecrets looks for keys and people in all spans.
func checkSecrets(t *testing.T, w *servertest.World, c *collector) {
	t.Helper()
	for _, s := range c.taken(t, "") {
		for name, value := range s.Values {
			if strings.Contains(value, "dk_") || strings.Contains(value, "anna") || strings.Contains(value, "127.0.0.1") || strings.Contains(value, "Ceres") {
				t.Errorf("%s of %s has %q", name, s.Name, value)
			}
		}
	}
	for _, text := range []string{w.Key, "anna@example.com"} {
		if strings.Contains(strings.Join(c.values(), " "), text) {
			t.Errorf("the resource has %q", text)
		}
	}
}

func (c *collector) values() (all []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, value := range c.resource {
		all = append(all, value)
	}
	return all
}

func deliver(t *testing.T, w *servertest.World) {
	t.Helper()
	if _, err := w.Service.DeliverOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// A change has its event in its own transaction. The delivery belongs to that.
func TestTheDeliveryOfAChangeBelongsToItsTransaction(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		c := newCollector(t)
		w, tracer := tracedWorld(t, database(t), map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": c.URL + "/v1/traces"})
		item := w.List(t, picture)
		receiver := newShop(t, w)
		closed := w.Do(t, servertest.Request{Method: http.MethodPost, Path: "/v1/items/" + item + "/close", Header: map[string]string{"traceparent": sampled}})
		if closed.Status != http.StatusOK {
			t.Fatalf("close: %d %s", closed.Status, closed.Body)
		}
		planned := servertest.Into[struct {
			Results []struct {
				RequestHeaders map[string]string `json:"request_headers"`
			} `json:"results"`
		}](t, w.Do(t, servertest.Request{Path: "/v1/webhook-deliveries"}))
		if len(planned.Results) != 1 || len(planned.Results[0].RequestHeaders) != 0 {
			t.Errorf("before it is sent, the delivery shows headers: %+v", planned)
		}
		deliver(t, w)
		if err := tracer.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		spans := c.taken(t, trace)
		transaction, attempt := named(t, spans, "transaction"), named(t, spans, "webhook delivery")
		if attempt.Parent != transaction.ID || len(receiver.traces) != 1 || !strings.Contains(receiver.traces[0], attempt.ID) {
			t.Errorf("the attempt %+v is sent with %q, the transaction is %+v", attempt, receiver.traces, transaction)
		}
		if transaction.Values["db.system.name"] == "" {
			t.Errorf("the transaction says nothing of the database: %+v", transaction)
		}
	})
}

// Without a caller's trace each request begins one. Probes begin none.
func TestRequestsBeginTraces(t *testing.T) {
	c := newCollector(t)
	w, tracer := tracedWorld(t, servertest.SQLite(t), map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.URL + "/", "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20abc, x-tenant=7",
	})
	for _, path := range []string{"/healthz", "/readyz", "/v1/account", "/v1/nothing"} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Header.Set("traceparent", "00-not-one-01")
		r.Header.Set("X-Api-Key", w.Key)
		w.Server.Public.ServeHTTP(httptest.NewRecorder(), r)
	}
	if err := tracer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, s := range c.taken(t, "") {
		if strings.HasPrefix(s.Name, "GET") {
			got[s.Name] = s.Parent
		}
	}
	if diff := cmp.Diff(map[string]string{"GET /v1/account": "", "GET unknown": ""}, got); diff != "" {
		t.Errorf("parents by name (-want +got):\n%s", diff)
	}
	if got := c.header.Get("Authorization") + " " + c.header.Get("X-Tenant"); got != "Bearer abc 7" {
		t.Errorf("the collector got the headers %q", got)
	}
	if diff := cmp.Diff([2]string{"sellerd", "1.7.0"}, [2]string{c.resource["service.name"], c.resource["service.version"]}); diff != "" {
		t.Errorf("the resource (-want +got):\n%s", diff)
	}
}

// The queue of spans is small, so that it is full at once, and the collector takes nothing until the test ends.
func TestACollectorThatStandsStillCostsNothingButSpans(t *testing.T) {
	t.Setenv("OTEL_BSP_MAX_QUEUE_SIZE", "8")
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "8")
	asked, release := make(chan struct{}, 1000), make(chan struct{})
	stuck := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		asked <- struct{}{}
		<-release
	}))
	defer stuck.Close()
	defer close(release)
	w, tracer := tracedWorld(t, servertest.SQLite(t), map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": stuck.URL})
	receiver := newShop(t, w)
	for range 100 {
		if got := w.Do(t, servertest.Request{Path: "/v1/items", Body: picture}); got.Status != http.StatusAccepted {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	<-asked // all that was after the first batch was done while the collector stood still
	w.Publish(t)
	for w.Count(t, "dispatches", "true") > 0 {
		deliver(t, w)
	}
	if len(receiver.traces) != 100 {
		t.Errorf("%d of 100 events have arrived", len(receiver.traces))
	}
	ended, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := tracer.Close(ended); err == nil {
		t.Error("the end reports no loss")
	}
}

func TestACollectorThatRefusesIsReportedWithoutSecrets(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusForbidden) }))
	defer refusing.Close()
	address := strings.Replace(refusing.URL, "http://", "http://user:hush@", 1)
	var log bytes.Buffer
	tracer := newTracer(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_EXPORTER_OTLP_HEADERS": "authorization=hush"}, &log)
	w := servertest.New(t, servertest.SQLite(t), func(c *v1.Config) { c.Tracer = tracer })
	w.Do(t, servertest.Request{Path: "/v1/account"})
	err := tracer.Close(t.Context())
	text := log.String()
	if err != nil {
		text += err.Error()
	}
	if !strings.Contains(text, "the collector answered 403") || strings.Contains(text, "hush") {
		t.Errorf("the log says %q, the end %v", log.String(), err)
	}
}
