package guide

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file has the parts of the guide after the calls: notifications, what has no successor, and what is new.

// notifications returns the types of notifications, with the places of their elements in the data of an event.
func notifications() (events []Event) {
	for _, n := range translate.NotificationTypes {
		e := Event{Type: n.Type, Event: n.Event, When: n.Doc}
		if n.When != "" {
			e.Words = fmt.Sprintf("The event has every other reason as well: this one is `%s` in `data.submission.errors[].code`.", n.When)
		}
		for i := range n.Rows {
			row := answerRow(&translate.Call{}, &n.Rows[i], reflect.TypeFor[translate.Notice]())
			row.V1, row.Of = memberOfData(row.V1)
			if row.Path = row.V1; row.Of != "" {
				row.Path = "data." + row.V1
			}
			e.Fields = append(e.Fields, row)
		}
		events = append(events, e)
	}
	return append(events, Event{Type: translate.TypeDefault, Event: translate.EveryEvent, When: "all of these"})
}

// memberOfData returns the place of a notice's value in a delivered event.
func memberOfData(path string) (member, of string) {
	switch {
	case path == "seller_nickname":
		return "nickname", "`" + v1.GetAccount.Method + " " + v1.GetAccount.Pattern + "`"
	case strings.HasPrefix(path, "shipping_address."):
		return "data.sale." + path, ""
	default:
		return "data." + path, ""
	}
}

// newEvents returns the events for which there is no notification.
func newEvents() (events []Event) {
	for _, kind := range v1.EventTypes {
		if !slices.ContainsFunc(translate.NotificationTypes, func(n *translate.Notification) bool { return n.Event == kind.Name }) {
			events = append(events, Event{Event: kind.Name, When: kind.When})
		}
	}
	return events
}

// withoutSuccessor returns what has no counterpart in /v1: calls without an operation, and fields that /v1 does not have.
func withoutSuccessor(table *translate.Table) (gone []Gone) {
	for _, p := range table.Plans {
		if p.Target.Operation() == nil {
			what := "`" + p.Method + " " + p.Pattern + "`: " + strings.ToLower(p.Title[:1]) + p.Title[1:]
			gone = append(gone, Gone{what, p.ID, marked(p.Target.Why), marked(p.Target.Instead)})
		}
		for i := range p.Call.In {
			if row := &p.Call.In[i]; row.V1 == "" {
				gone = append(gone, Gone{"the field `" + row.Legacy + "`", p.ID, row.Loss.Why, ""})
			}
		}
		for i := range p.Out {
			if row := &p.Out[i]; row.V1 == "" && row.Loss.Kind != translate.None {
				gone = append(gone, Gone{"the element `" + row.Legacy + "`", p.ID, row.Loss.Why, ""})
			}
		}
	}
	return gone
}

// newGroups are the groups of operations that replace no call, by the beginning of their paths, in the order of the guide. An
// operation belongs to the first group that its path begins like, so the last group has what fits no other.
var newGroups = []struct{ prefix, title string }{
	{"/v1/item-changes", "Many changes in one call"},
	{"/v1/item-", "Submissions: what became of an item that was accepted"},
	{"/v1/sales", "Sales and ratings, one by one"},
	{"/v1/bills", "Bills and trackings: what to send, and what was sent"},
	{"/v1/webhook-deliveries", "The log of deliveries"},
	{"/v1/webhooks", "Webhooks: read one, and catch up"},
	{"/v1/events", "The event feed"},
	{"/v1/account/keys", "Your keys: list them, replace one, end it"},
	{"/v1/account", "Your limits, and what is left to move"},
	{"/v1/delivery-services", "Carriers"},
	{"/v1/test/", "The sandbox: with a test key you play the buyer"},
	{"/", "More operations"},
}

// newOperations returns the operations that replace no call, in their groups. A group without operations is left out.
func newOperations(table *translate.Table) (groups []NewEndpoints) {
	var led []*v1.Operation
	for _, p := range table.Plans {
		for i := range p.Target.Steps {
			led = append(led, p.Target.Steps[i].Operation)
		}
	}
	inGroups := make([][]NewOperation, len(newGroups))
	for _, o := range v1.Operations {
		if !slices.Contains(led, o) {
			i := groupOf(o.Pattern)
			inGroups[i] = append(inGroups[i], NewOperation{o.Method, o.Pattern, marked(o.Doc)})
		}
	}
	for i, operations := range inGroups {
		if operations != nil {
			groups = append(groups, NewEndpoints{Title: newGroups[i].title, Operations: operations})
		}
	}
	return groups
}

// groupOf returns the position of the group of a path in newGroups.
func groupOf(path string) int {
	for i, group := range newGroups {
		if strings.HasPrefix(path, group.prefix) {
			return i
		}
	}
	panic("a path without a slash: " + path)
}
