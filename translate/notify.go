package translate

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"sellerd/v1"
)

// This file writes events as notifications.

// Notifications write events as legacy XML.
type Notifications struct{ byEvent map[string]*noticePlan }

type noticePlan struct {
	*Notification
	out []outRow
}

func compileNotifications(types []*Notification) (*Notifications, error) {
	n := &Notifications{byEvent: map[string]*noticePlan{}}
	for _, kind := range types {
		out, err := resolveOut(reflect.TypeFor[Notice](), kind.Rows)
		if err != nil {
			return nil, fmt.Errorf("translate: notification %s: %w", kind.Type, err)
		}
		n.byEvent[kind.Event] = &noticePlan{kind, out}
	}
	return n, nil
}

// Wants says whether there is a notification for an event: old programs know fewer events than /v1 has. body is the event in
// JSON, as webhooks get it.
func (n *Notifications) Wants(event string, body []byte) bool {
	plan, ok := n.byEvent[event]
	if !ok || plan.When == "" {
		return ok
	}
	var rejected struct { // the part of an event of a rejected submission that has the reasons
		Data struct {
			Submission struct{ Errors []struct{ Code v1.Code } }
		}
	}
	if err := json.Unmarshal(body, &rejected, json.MatchCaseInsensitiveNames(true)); err != nil {
		return false
	}
	return slices.ContainsFunc(rejected.Data.Submission.Errors, func(e struct{ Code v1.Code }) bool { return e.Code == plan.When })
}

// Render returns the request body that a legacy destination gets for an event: a form with one field, which holds XML.
func (n *Notifications) Render(event *v1.Event, destination, seller string) (contentType string, body []byte, err error) {
	xml, err := n.AppendXML(nil, event, destination, seller)
	if err != nil {
		return "", nil, err
	}
	return "application/x-www-form-urlencoded", []byte("delcampeNotification=" + url.QueryEscape(string(xml))), nil
}

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
