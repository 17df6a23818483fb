package guide

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// This file is what the guide says beside the calls: notifications, what has no successor, and what is new.

// notifications are the types of notifications and what their elements are in the data of an event.
func notifications() (events []Event) {
	for _, n := range translate.NotificationTypes {
		e := Event{Type: n.Type, Event: n.Event, When: n.Doc}
		if n.When != "" {
			e.Words = fmt.Sprintf("The event tells of every other reason as well: this one is `%s` in `data.submission.errors`.", n.When)
		}
		for i := range n.Rows {
			row := answerRow(&translate.Call{}, &n.Rows[i], reflect.TypeFor[translate.Notice]())
			row.V1, row.Of = memberOfData(row.V1)
			e.Fields = append(e.Fields, row)
		}
		events = append(events, e)
	}
	return append(events, Event{Type: translate.TypeDefault, Event: translate.EveryEvent, When: "all of these"})
}

// memberOfData is where in a delivered event the value of a notice's path stands.
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

// newEvents are the events that no notification tells of.
func newEvents() (events []Event) {
	for _, kind := range v1.EventTypes {
		if !slices.ContainsFunc(translate.NotificationTypes, func(n *translate.Notification) bool { return n.Event == kind.Name }) {
			events = append(events, Event{Event: kind.Name, When: kind.When})
		}
	}
	return events
}

// withoutSuccessor is what has no successor: calls that no operation answers, and fields that /v1 has no place for.
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

// newGroups are the operations that no call leads to, by how their paths begin, in the order in which the guide tells of
// them.
var newGroups = []struct{ prefix, title string }{
	{"/v1/item-", "Submissions: what became of an item that was accepted"},
	{"/v1/sales", "Sales and ratings, one by one"},
	{"/v1/bills", "Bills and trackings: what to send, and what was sent"},
	{"/v1/webhook-deliveries", "The log of deliveries"},
	{"/v1/account", "Your limits, and what is left to move"},
	{"/v1/delivery-services", "Carriers"},
	{"/v1/test/", "The sandbox: with a test key you play the buyer"},
}

func newOperations(table *translate.Table) (groups []NewEndpoints) {
	var led []*v1.Operation
	for _, p := range table.Plans {
		for i := range p.Target.Steps {
			led = append(led, p.Target.Steps[i].Operation)
		}
	}
	for _, group := range newGroups {
		n := NewEndpoints{Title: group.title}
		for _, o := range v1.Operations {
			if strings.HasPrefix(o.Pattern, group.prefix) && !slices.Contains(led, o) {
				n.Operations = append(n.Operations, NewOperation{o.Method, o.Pattern, marked(o.Doc)})
			}
		}
		groups = append(groups, n)
	}
	return groups
}
