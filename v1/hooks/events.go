package hooks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/trade"
	"sellerd/v1/wire"
)

// EventTypes is the event catalogue, in the order of docs/seller/webhook-events.md.
var EventTypes = []EventType{
	{"item.published", "a submission became an item", "item"},
	{"item.rejected", "a submission was not published", "submission"},
	{"item.updated", "the seller changed an item, or it renewed itself", "item previous"},
	{"item.moved", "the marketplace changed an item's category", "item previous"},
	{"item.first_bid", "an auction got its first bid", "item"},
	{"item.sold", "somebody bought, or an auction was won", "item sale"},
	{"item.unsold", "an item ended without a buyer", "item"},
	{"item.closed", "the seller closed an item", "item"},
	{"item.restarted", "an item is on sale again, by the seller or after a cancellation", "item"},
	{"sale.cancelled", "a sale's cancellation was accepted", "sale"},
	{"payment.received", "a bill was paid", "bill"},
}

// EventType is one line of the event catalogue. Data names the members of the event's data.
type EventType struct{ Name, When, Data string }

// Event is what webhooks receive.
type Event struct {
	ID         wire.EventID       `json:"id"`
	Type       string             `json:"type" catalogue:"events"`
	APIVersion string             `json:"api_version" enum:"v1"`
	CreatedAt  wire.Time          `json:"created_at"`
	Mode       string             `json:"mode" enum:"live test"`
	AccountID  wire.ID            `json:"account_id"`
	Resource   core.EventResource `json:"resource"`

	Cause wire.Opt[core.EventCause] `json:"cause,omitempty" since:"1.6.0" doc:"who caused the event; absent in events that an earlier release made"`

	Data EventData `json:"data"`
}

// EventData holds the whole object as a read returns it, and for changes the earlier values.
type EventData struct {
	Item       wire.Opt[items.Item]           `json:"item,omitempty"`
	Sale       wire.Opt[trade.SaleWithRating] `json:"sale,omitempty"`
	Bill       wire.Opt[trade.Bill]           `json:"bill,omitempty"`
	Submission wire.Opt[items.Submission]     `json:"submission,omitempty"`
	Previous   wire.Raw[items.Item]           `json:"previous,omitempty" partial:"true" doc:"the changed fields as they were"`
	Truncated  []string                       `json:"truncated,omitempty" doc:"fields left out because the event would exceed 20 KiB: read the resource"`
}

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

// EventPatterns are all that a subscription can name: everything, families and events.
func EventPatterns() []string {
	patterns := []string{everyEvent}
	for _, e := range EventTypes {
		for _, name := range []string{familyPattern(e.Name), e.Name} {
			if !slices.Contains(patterns, name) {
				patterns = append(patterns, name)
			}
		}
	}
	return patterns
}

// checkEvents brings a subscription's events into their normal form, so that equal subscriptions have equal texts: in the
// order of the catalogue, each once, and without events that a pattern includes. Unknown names go to the problems.
func checkEvents(wanted []string, problems *refusal.Problems) []string {
	known := EventPatterns()
	for i, name := range wanted {
		if !slices.Contains(known, name) {
			problems.Add(refusal.UnknownEvent, fmt.Sprintf("events[%d]", i), "There is no event %s.", wire.Printable(name))
		}
	}
	return slices.DeleteFunc(known, func(name string) bool {
		covered := name != everyEvent && slices.Contains(wanted, everyEvent) || isEventType(name) && slices.Contains(wanted, familyPattern(name))
		return covered || !slices.Contains(wanted, name)
	})
}

// A key reads of events what it reads of the objects that they carry: whatever shows an event, or has it sent, needs the
// permissions to read them. What shows events one by one hides the personal data of buyers (core.Call.Redact). What has them sent cannot
// do that, and neither can what shows the bytes that were sent: these need BuyersRead, too.

// needs are the permissions to read what events of the type carry.
func (e *EventType) needs() (needed permission.Set) {
	for member := range strings.FieldsSeq(e.Data) {
		switch member {
		case "item", "previous", "submission":
			needed |= permission.ItemsRead
		case "sale":
			needed |= permission.SalesRead | permission.BuyersRead
		case "bill":
			needed |= permission.BillsRead | permission.BuyersRead
		default:
			needed |= permission.All
		}
	}
	return needed
}

// eventNeeds are the permissions to read what the events carry that a pattern includes: all for an event of a later release.
func eventNeeds(pattern string) (needed permission.Set) {
	if !slices.Contains(EventPatterns(), pattern) {
		return permission.All
	}
	for i := range EventTypes {
		if e := &EventTypes[i]; pattern == everyEvent || pattern == e.Name || pattern == familyPattern(e.Name) {
			needed |= e.needs()
		}
	}
	return needed
}

// permitSubscription refuses a key that may not read what the events of a new subscription carry, all events by default.
func permitSubscription(c *core.Call, patterns wire.Opt[[]string]) error {
	if !patterns.Set {
		return c.Permit(eventNeeds(everyEvent), "events")
	}
	return permitEvents(c, patterns.V)
}

// permitEvents refuses a key that may not read what the events carry that a list of patterns, events, includes.
func permitEvents(c *core.Call, patterns []string) error {
	var all refusal.Errors
	for i, pattern := range patterns {
		all = append(all, refusal.All(c.Permit(eventNeeds(pattern), fmt.Sprintf("events[%d]", i)))...)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// eventsKey is the normal form of events as one text.
func eventsKey(events []string) string { return strings.Join(events, ",") }

// eventBuyer is who the buyer in an event is.
type eventBuyer struct {
	Data struct {
		Sale, Bill struct {
			Buyer struct {
				ID       wire.ID `json:"id"`
				Nickname string  `json:"nickname"`
			} `json:"buyer"`
		}
	} `json:"data"`
}

// buyerOfEvent is the buyer whose data an event has, 0 if it has none, or the buyer is forgotten.
func buyerOfEvent(body string) (wire.ID, error) {
	var of eventBuyer
	if err := json.Unmarshal([]byte(body), &of); err != nil {
		return 0, fmt.Errorf("read body: %w", err)
	}
	buyer := cmp.Or(of.Data.Sale.Buyer, of.Data.Bill.Buyer)
	if strings.HasPrefix(buyer.Nickname, trade.ForgottenPrefix) {
		return 0, nil
	}
	return buyer.ID, nil
}
