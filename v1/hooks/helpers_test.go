package hooks_test

import (
	"fmt"
	"testing"

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
