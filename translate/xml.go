package translate

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/v1"
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

// AppendXML appends an event as a notification. The token is the query parameter token of the destination.
func (n *Notifications) AppendXML(b []byte, event *v1.Event, destination, seller string) ([]byte, error) {
	plan, ok := n.byEvent[event.Type]
	if !ok {
		return nil, fmt.Errorf("there is no notification of %s", event.Type)
	}
	notice := Notice{Item: event.Data.Item, Sale: event.Data.Sale, Submission: event.Data.Submission, Seller: seller}
	if event.Data.Previous.Text != "" {
		previous, err := event.Data.Previous.Value()
		if err != nil {
			return nil, fmt.Errorf("read what was there before: %w", err)
		}
		notice.Previous = v1.Some(previous)
	}
	if notice.Sale.Set {
		address, err := notice.Sale.V.ShippingAddress.Value()
		if err != nil {
			return nil, fmt.Errorf("read shipping address: %w", err)
		}
		notice.Address = v1.Some(address)
	}
	e := Envelope{At: event.CreatedAt.Std(), Type: strings.TrimPrefix(plan.Type, "Curl_")}
	if u, err := url.Parse(destination); err == nil {
		e.Token = u.Query().Get("token")
	}
	b = e.appendHead(b)
	data := readable(reflect.ValueOf(&notice).Elem(), reflect.TypeFor[Notice]())
	for i := range plan.out {
		b = plan.out[i].append(b, data)
	}
	return append(b, envelopeTail...), nil
}
