package v1

import (
	"fmt"
	"slices"
	"strings"

	"sellerd/v1/wire"
)

// This file reads what a subscription wants: names of events, a family with all its events (item.*), or everything.

// everyEvent wants events that do not exist yet, too, as a family's pattern does.
const everyEvent = "*"

// familyPattern is the pattern that wants an event among others: item.* of item.sold.
func familyPattern(name string) string {
	family, _, _ := strings.Cut(name, ".")
	return family + ".*"
}

func isEventType(name string) bool {
	return slices.ContainsFunc(EventTypes, func(e EventType) bool { return e.Name == name })
}

// checkEvents brings a subscription's events into their normal form, so that equal wishes are equal texts: in the order of
// the catalogue, each once, and none that a pattern beside it wants already. What it does not know goes to the problems.
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
