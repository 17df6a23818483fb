package hooks_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"sellerd/internal/proof/servertest"
)

// object is a JSON object that a test writes down.
type object = map[string]any

// sentEvent is what the tests read of an event that arrived.
type sentEvent struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Resource struct {
		ID       string `json:"id"`
		Sequence int    `json:"sequence"`
	} `json:"resource"`
}

// sentEvents are the events of arrivals.
func sentEvents(t *testing.T, arrived []servertest.Arrival) (events []sentEvent) {
	t.Helper()
	for _, a := range arrived {
		events = append(events, servertest.Into[sentEvent](t, servertest.Response{Data: []byte(a.Body)}))
	}
	return events
}

// eventTypes are the types of arrivals, with the numbers that their resources give them.
func eventTypes(t *testing.T, arrived []servertest.Arrival) []string {
	t.Helper()
	types := []string{}
	for _, event := range sentEvents(t, arrived) {
		types = append(types, fmt.Sprintf("%d %s", event.Resource.Sequence, event.Type))
	}
	return types
}

// keyed is a POST with an Idempotency-Key.
func keyed(key, path string, body any) servertest.Request {
	return servertest.Request{Method: http.MethodPost, Path: path, Body: body, Header: map[string]string{"Idempotency-Key": key}}
}

// await fails the test when something does not happen in good time.
func await(t *testing.T, what string, happened <-chan struct{}) {
	t.Helper()
	select {
	case <-happened:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s did not happen", what)
	}
}
