package translate

import (
	"slices"
	"strconv"
	"time"
)

// This file writes the XML around the answers and the notifications of the legacy interface.

// ContentType is the type of every answer of /rest.
const ContentType = "application/xml; charset=utf-8"

// Envelope is the outer part of an answer or a notification.
type Envelope struct {
	Token string
	At    time.Time
	Type  string
}

// appendHead writes the envelope up to Notification_Data.
func (e *Envelope) appendHead(b []byte) []byte {
	b = append(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Delcampe_Notification>"...)
	b = appendElement(b, "Notification_Token", e.Token)
	b = append(b, "<Notification_Datetime>"...)
	b = e.At.In(brussels).AppendFormat(b, time.RFC3339)
	b = append(b, "</Notification_Datetime>"...)
	b = appendElement(b, "Notification_Type", e.Type)
	return append(b, "<Notification_Data>"...)
}

const envelopeTail = "</Notification_Data></Delcampe_Notification>\n"

func appendElement(b []byte, name, text string) []byte {
	if text == "" {
		return append(append(append(b, '<'), name...), "/>"...)
	}
	b = append(append(append(b, '<'), name...), '>')
	b = AppendText(b, text)
	return append(append(append(b, "</"...), name...), '>')
}

// AppendHead appends the beginning of an answer, up to the inside of body. Warnings name the fields that were ignored or
// changed.
func (e *Envelope) AppendHead(b []byte, status int, notes []Note) []byte {
	b = e.appendHead(b)
	b = append(b, "<headers><status>"...)
	b = strconv.AppendInt(b, int64(status), 10)
	b = append(b, "</status>"...)
	warnings := 0
	for i := range notes {
		if note := &notes[i]; note.warns() && warnings < maxWarnings {
			b = appendElement(b, "warning", string(note.Kind)+" "+note.Field+": "+note.Text)
			warnings++
		}
	}
	return append(b, "</headers><body>"...)
}

// maxWarnings is the largest number of warnings in an answer, whatever the request holds.
const maxWarnings = 100

// warns says whether a note becomes a warning in the answer of /rest. A narrowed window does not, because only /v1 narrows it.
func (n *Note) warns() bool {
	return n.Kind == NoteUnknown || n.Kind == NoteDropped || n.Kind == NoteNarrowed && !slices.Contains(pagingFields, n.Field)
}

// AppendTail appends the end of an answer.
func (e *Envelope) AppendTail(b []byte) []byte { return append(b, "</body>"+envelopeTail...) }
