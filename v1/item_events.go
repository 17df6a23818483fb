package v1

import (
	"bytes"
	"reflect"

	"sellerd/ent"
	"sellerd/v1/wire"
)

// This file makes the events of items and submissions.

// itemEvent is the data of an event about an item.
type itemEvent struct {
	Item      Item      `json:"item"`
	Previous  Raw[Item] `json:"previous,omitempty"`
	Truncated []string  `json:"truncated,omitempty"`
}

// Shorten implements EventShape.
func (e *itemEvent) Shorten() bool {
	switch {
	case e.Item.Description.Set:
		e.Item.Description = Opt[string]{}
		e.Truncated = append(e.Truncated, "item.description")
	case e.Previous.Text != "":
		e.Previous = Raw[Item]{}
		e.Truncated = append(e.Truncated, "previous")
	case e.Item.Images.Text != "":
		e.Item.Images = Raw[[]Image]{}
		e.Truncated = append(e.Truncated, "item.images")
	default:
		return false
	}
	return true
}

// submissionEvent is the data of an event about a submission.
type submissionEvent struct {
	Submission Submission `json:"submission"`
	Truncated  []string   `json:"truncated,omitempty"`
}

// Shorten implements EventShape.
func (e *submissionEvent) Shorten() bool {
	if e.Submission.Errors.Text == "" {
		return false
	}
	e.Submission.Errors = Raw[[]Error]{}
	e.Truncated = append(e.Truncated, "submission.errors")
	return true
}

// emitItem adds an event about an item, whose row must already carry the event's sequence. With the earlier row given, the
// event has the earlier values of what changed.
func (tx itemsChange) emitItem(eventType string, row, before *ent.Item) {
	data := itemEvent{Item: tx.s.itemFrom(row)}
	if before != nil {
		was := tx.s.itemFrom(before)
		data.Previous = previousMembers(&was, &data.Item)
	}
	tx.emit(eventType, aboutItem(row), &data)
}

// aboutItem is an item as the subject of an event.
func aboutItem(row *ent.Item) subject {
	return subject{"item", row.ID, ID(row.ID).String(), row.Sequence}
}

// previousMembers renders the earlier values of the members of an item that a change has changed, except updated_at, which
// always changes.
func previousMembers(was, is *Item) Raw[Item] {
	p := wire.PlanOf(reflect.TypeFor[Item]())
	before, after := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	var changed []string
	for i := range p.Fields {
		f := &p.Fields[i]
		if f.Name != "updated_at" && !bytes.Equal(f.Plan.Encode(nil, f.Of(before)), f.Plan.Encode(nil, f.Of(after))) {
			changed = append(changed, f.Name)
		}
	}
	return Raw[Item]{Text: string(wire.EncodeMembers(was, changed))}
}
