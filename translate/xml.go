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

// This file writes the XML around everything that the legacy interface says.

// ContentType is the type of every answer of /rest.
const ContentType = "application/xml; charset=utf-8"

// Envelope is what stands around an answer or a notification.
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

// AppendHead writes an answer's beginning, up to the inside of body. Warnings name what of the request meant nothing.
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

// maxWarnings bounds what a request full of unknown fields is answered.
const maxWarnings = 100

// warns says whether the caller of /rest should hear of it: something of the request meant nothing or less there. A
// window is narrowed only in /v1.
func (n *Note) warns() bool {
	return n.Kind == NoteUnknown || n.Kind == NoteDropped || n.Kind == NoteNarrowed && !slices.Contains(pagingFields, n.Field)
}

// AppendTail ends an answer.
func (e *Envelope) AppendTail(b []byte) []byte { return append(b, "</body>"+envelopeTail...) }

// AppendXML writes an event as a notification. The destination's own query parameter token is told back to it.
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
