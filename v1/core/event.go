package core

import "sellerd/v1/wire"

// This file makes events. Each room has the shape of the data of its events.

// maxEventSize is the largest body of an event, in bytes (docs/seller/webhook-events.md, The body).
const maxEventSize = 20 << 10

// EventResource is what an event is about. Sequence counts that resource's events from 1 without gaps.
type EventResource struct {
	Type     string `json:"type" enum:"item submission sale bill"`
	ID       string `json:"id"`
	Sequence int64  `json:"sequence"`
}

// EventShape is a pointer to the data of an event, a struct that is encoded as JSON.
type EventShape interface {
	// Shorten leaves out the longest part that is left, and names it in truncated. It is false if nothing can be left out.
	Shorten() bool
}

// eventHead is what all events have before their data.
type eventHead struct {
	ID         wire.EventID  `json:"id"`
	Type       string        `json:"type"`
	APIVersion string        `json:"api_version"`
	CreatedAt  wire.Time     `json:"created_at"`
	Mode       string        `json:"mode"`
	AccountID  wire.ID       `json:"account_id"`
	Resource   EventResource `json:"resource"`
}

// render prints the event once; every delivery sends these bytes. If it is too large, the longest parts are left out.
func (h *eventHead) render(data EventShape) []byte {
	body := wire.EncodeJSON(nil, h)
	head := len(body) - 1 // without the bracket at the end
	for {
		body = append(body[:head], `,"data":`...)
		body = append(wire.EncodeJSON(body, data), '}')
		if len(body) <= maxEventSize || !data.Shorten() {
			return body
		}
	}
}

// Subject is what an event is about: an object with a number, and the id that events show of it.
type Subject struct {
	Kind     string // item, submission, sale or bill
	Number   int64  // of the row
	ID       string // as sellers see it
	Sequence int64  // counts the events of the object from 1 without gaps
}

// Emit adds an event to those the change will append to the outbox.
func (tx *Change) Emit(eventType string, about Subject, data EventShape) {
	head := tx.s.newEvent(eventType, tx.Owner, tx.Now, EventResource{about.Kind, about.ID, about.Sequence})
	tx.events = append(tx.events, pendingEvent{
		id: int64(head.ID), kind: eventType, body: string(head.render(data)), resource: head.Resource, number: about.Number,
	})
}

// newEvent is the head of a new event.
func (s *Core) newEvent(eventType string, owner Owner, now wire.Time, about EventResource) eventHead {
	return eventHead{
		ID: wire.EventID(s.IDs.Ordered()), Type: eventType, APIVersion: "v1", CreatedAt: now, Mode: owner.Mode(), AccountID: wire.ID(owner.Account()), Resource: about,
	}
}
