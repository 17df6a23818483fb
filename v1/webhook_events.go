package v1

import (
	"fmt"
	"slices"
	"strings"

	"sellerd/v1/wire"
)

// This file reads the events of a subscription: names of events, families with all their events (item.*), or all events.

// everyEvent also matches future events, as the pattern of a family does.
const everyEvent = "*"

// familyPattern is the pattern of an event's family: item.* for item.sold.
func familyPattern(name string) string {
	family, _, _ := strings.Cut(name, ".")
	return family + ".*"
}

func isEventType(name string) bool {
	return slices.ContainsFunc(EventTypes, func(e EventType) bool { return e.Name == name })
}

// checkEvents brings a subscription's events into their normal form, so that equal subscriptions have equal texts: in the
// order of the catalogue, each once, and without events that a pattern includes. Unknown names go to the problems.
func checkEvents(wanted []string, problems *Problems) []string {
	known := eventPatterns()
	for i, name := range wanted {
		if !slices.Contains(known, name) {
			problems.Add(UnknownEvent, fmt.Sprintf("events[%d]", i), "There is no event %s.", wire.Printable(name))
		}
	}
	return slices.DeleteFunc(known, func(name string) bool {
		covered := name != everyEvent && slices.Contains(wanted, everyEvent) || isEventType(name) && slices.Contains(wanted, familyPattern(name))
		return covered || !slices.Contains(wanted, name)
	})
}

// eventsKey is the normal form of events as one text.
func eventsKey(events []string) string { return strings.Join(events, ",") }
