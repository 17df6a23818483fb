package cause

import (
	"encoding/json"
	"slices"
	"strings"
)

// Narrowed is the event that says what changed, and the only one that Filter.Changed is about.
const Narrowed = "item.updated"

// Always is the member of an item that every change changes. It is not among those that an event names.
const Always = "updated_at"

// Filter says which events are not wanted. The zero Filter wants all.
type Filter struct {
	SkipKeys []string // ids of keys that did not cause a wanted event
	Changed  []string // members of the item, of which a change that is wanted has changed one; none for any
}

// Event is what a Filter looks at. Body is read if Changed is nil, because a program that did not note it has stored the event.
type Event struct {
	Type    string
	KeyID   string  // that caused it, empty for none
	Changed *string // of Narrowed, the changed members with spaces between them
	Body    string
}

// AppendColumns appends what the table of events has of KeyID and Changed.
func (e *Event) AppendColumns(values []any) []any {
	var key, changed any
	if e.KeyID != "" {
		key = e.KeyID
	}
	if e.Changed != nil {
		changed = *e.Changed
	}
	return append(values, key, changed)
}

// None says whether the filter wants all events.
func (f *Filter) None() bool { return len(f.SkipKeys) == 0 && len(f.Changed) == 0 }

// Reads says whether the filter reads the event's body.
func (f *Filter) Reads(e *Event) bool {
	return len(f.Changed) > 0 && e.Type == Narrowed && e.Changed == nil
}

// Wants says whether an event is wanted.
func (f *Filter) Wants(e *Event) bool {
	if e.KeyID != "" && slices.Contains(f.SkipKeys, e.KeyID) {
		return false
	}
	if len(f.Changed) == 0 || e.Type != Narrowed || slices.Contains(f.Changed, Always) {
		return true
	}
	if e.Changed == nil {
		return f.wantsBody(e.Body)
	}
	for member := range strings.FieldsSeq(*e.Changed) {
		if slices.Contains(f.Changed, member) {
			return true
		}
	}
	return false
}

// wantsBody says whether a body has one of the members among the earlier values. If these were left out, it may have them.
func (f *Filter) wantsBody(body string) bool {
	var event struct {
		Data struct {
			Previous map[string]json.RawMessage `json:"previous"`
		} `json:"data"`
	}
	if json.Unmarshal([]byte(body), &event) != nil || event.Data.Previous == nil { // no body, or one too large
		return true
	}
	return slices.ContainsFunc(f.Changed, func(member string) bool { _, changed := event.Data.Previous[member]; return changed })
}
