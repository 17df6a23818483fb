package items

import (
	"bytes"
	"reflect"
	"strings"

	"sellerd/ent"
	"sellerd/internal/base/each"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file makes the events of items and submissions.

// itemEvent is the data of an event about an item.
type itemEvent struct {
	Item      Item           `json:"item"`
	Previous  wire.Raw[Item] `json:"previous,omitempty"`
	Truncated []string       `json:"truncated,omitempty"`
}

// Shorten implements EventShape.
func (e *itemEvent) Shorten() bool {
	if previous := len(e.Previous.Text); previous > max(len(e.Item.Description.V), len(e.Item.Images.Text)) {
		e.Previous = wire.Raw[Item]{}
		e.Truncated = append(e.Truncated, "previous")
		return true
	}
	part := e.Item.Shorten()
	if part != "" {
		e.Truncated = append(e.Truncated, part)
	}
	return part != ""
}

// Shorten leaves out the longest text of an item in an event, and returns its name there; empty if there is none.
func (i *Item) Shorten() string {
	description, images := len(i.Description.V), len(i.Images.Text)
	switch {
	case images > max(description, len("[]")):
		i.Images = wire.Raw[[]Image]{}
		return "item.images"
	case description > 0:
		i.Description = wire.Opt[string]{}
		return "item.description"
	}
	return ""
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
	e.Submission.Errors = wire.Raw[[]refusal.Error]{}
	e.Truncated = append(e.Truncated, "submission.errors")
	return true
}

// rejected adds the event about a submission that a change rejects.
func (s *Items) rejected(tx *core.Change, row *ent.Submission) {
	tx.Cause = cause.Parse(row.Cause)
	about := core.Subject{Kind: "submission", Number: row.ID, ID: wire.SubmissionID(row.ID).String(), Sequence: 1}
	tx.Emit("item.rejected", about, &submissionEvent{Submission: s.submissionFrom(row)})
}

// EmitItem adds an event about an item, whose row must already carry the event's sequence. With the earlier row given, the
// event has the earlier values of what changed.
func (tx Change) EmitItem(eventType string, row, before *ent.Item) {
	data, about := itemEvent{Item: tx.s.ItemFrom(row)}, AboutItem(row)
	if before != nil {
		was := tx.s.ItemFrom(before)
		changed := ChangedMembers(&was, &data.Item)
		data.Previous = PreviousMembers(&was, changed)
		if eventType == cause.Narrowed {
			about.Changed = new(strings.Join(changed, " "))
		}
	}
	tx.Emit(eventType, about, &data)
}

// AboutItem is an item as the subject of an event.
func AboutItem(row *ent.Item) core.Subject {
	return core.Subject{Kind: "item", Number: row.ID, ID: wire.ID(row.ID).String(), Sequence: row.Sequence}
}

// PreviousMembers renders the earlier values of the members of an item that a change has changed.
func PreviousMembers(was *Item, changed []string) wire.Raw[Item] {
	return wire.Raw[Item]{Text: string(wire.EncodeMembers(was, changed))}
}

// ChangedMembers are the members of an item that a change has changed, except updated_at, which always changes.
func ChangedMembers(was, is *Item) (changed []string) {
	p := wire.PlanOf(reflect.TypeFor[Item]())
	before, after := reflect.ValueOf(was).Elem(), reflect.ValueOf(is).Elem()
	for i := range p.Fields {
		f := &p.Fields[i]
		if f.Name != cause.Always && !bytes.Equal(f.Plan.Encode(nil, f.Of(before)), f.Plan.Encode(nil, f.Of(after))) {
			changed = append(changed, f.Name)
		}
	}
	return changed
}

// Members are the names of an item's members.
func Members() []string {
	return each.Of(wire.PlanOf(reflect.TypeFor[Item]()).Fields, func(f wire.Field) string { return f.Name })
}
