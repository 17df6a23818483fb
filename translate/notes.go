package translate

import "slices"

// This file notes which fields changed or were lost when a request was decoded.

// Note is about a field that changed or was lost on its way to /v1.
type Note struct {
	Field string   `json:"field"`
	Kind  NoteKind `json:"kind"`
	Text  string   `json:"text"`
}

// NoteKind says how a field changed.
type NoteKind string

// The kinds of notes.
const (
	NoteDefaulted   NoteKind = "defaulted"
	NoteDropped     NoteKind = "dropped"
	NoteNarrowed    NoteKind = "narrowed"
	NoteSynthesised NoteKind = "synthesised"
	NoteUnknown     NoteKind = "unknown"
)

// unknown adds a note for each field that the call does not have.
func (d *decoder) unknown(given Fields, prefix string, known func(name string) bool) {
	for _, field := range given {
		if !known(field.Name) {
			d.note(within(prefix, field.Name), NoteUnknown, "This call has no such field: it means nothing.")
		}
	}
}

// repeated adds a note for each field that was sent more than once.
func (d *decoder) repeated(given Fields, prefix string) {
	for _, field := range given {
		name := within(prefix, field.Name)
		if field.Repeats {
			d.note(name, NoteDropped, "It came more than once: the last one counts.")
		}
		d.repeated(field.Parts, name)
	}
}

// cautions notes the values that /v1 does not take.
func (d *decoder) cautions(given Fields, prefix string) {
	for i := range d.plan.in {
		if row := &d.plan.in[i]; row.Caution.Of != nil && slices.ContainsFunc(given.list(row.Legacy), row.Caution.Of) {
			d.request.Cautions = append(d.request.Cautions, Note{within(prefix, row.Legacy), NoteNarrowed, row.Caution.Why})
		}
	}
}

// maxNoted is the largest number of characters of a field's name in a note.
const maxNoted = 100

func (d *decoder) note(field string, kind NoteKind, text string) {
	if runes := []rune(field); len(runes) > maxNoted { // the names of the tables are shorter
		field = string(runes[:maxNoted]) + "…"
	}
	note := Note{field, kind, text}
	if !d.noted[note] {
		d.noted[note] = true
		d.request.Notes = append(d.request.Notes, note)
	}
}
