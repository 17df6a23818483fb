package core

import (
	"cmp"
	"context"

	"sellerd/v1/apikey"
	"sellerd/v1/cause"
	"sellerd/v1/wire"
)

// This file makes events. Each room has the shape of the data of its events.

// maxEventSize is the largest body of an event, in bytes (docs/seller/webhook-events.md, The body).
const maxEventSize = 20 << 10

// EventResource is what an event is about. Sequence counts that resource's events from 1 without gaps.
type EventResource struct {
	Type     string `json:"type" enum:"item submission sale bill"`
	ID       string `json:"id"`
	Sequence int64  `json:"sequence"`
}

// EventCause is who caused an event.
type EventCause struct {
	RequestID wire.Opt[string] `json:"request_id" doc:"the X-Request-Id of the answer to the request that caused it; null if no request did"`
	KeyPrefix wire.Opt[string] `json:"key_prefix" doc:"of the key that caused it, as lists of keys show it; null if no key did"`
	Via       string           `json:"via" enum:"v1 rest operator marketplace system"`
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
	Cause      EventCause    `json:"cause"`
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

	Changed *string // of cause.Narrowed: the changed members of the item, with spaces between them
}

// Emit adds an event to those the change will append to the outbox.
func (tx *Change) Emit(eventType string, about Subject, data EventShape) {
	head := eventHead{
		ID: wire.EventID(tx.s.IDs.Ordered()), Type: eventType, APIVersion: "v1", CreatedAt: tx.Now, Mode: tx.Owner.Mode(), AccountID: wire.ID(tx.Owner.Account()),
		Resource: EventResource{about.Kind, about.ID, about.Sequence}, Cause: tx.ShownCause(),
	}
	tx.events = append(tx.events, pendingEvent{
		Event: cause.Event{Type: eventType, KeyID: tx.Cause.KeyID, Changed: about.Changed, Body: string(head.render(data))},
		id:    int64(head.ID), resource: head.Resource, number: about.Number, trace: tx.Cause.Trace,
	})
}

// ShownCause is who causes the events of the change, as they show it.
func (tx *Change) ShownCause() EventCause {
	c := tx.Cause
	shown := EventCause{RequestID: NotEmpty(c.RequestID), Via: cmp.Or(c.Via, cause.BySystem)}
	if c.KeyID == "" {
		return shown
	}
	shown.KeyPrefix = wire.Some(apikey.Prefix(c.KeyID, tx.Owner.Mode()))
	if keys := tx.s.KeySource(c.KeyID); keys != nil {
		shown.KeyPrefix.V = keys.Prefix()
	}
	return shown
}

// ViaRest is Request.Via of calls of /rest.
const ViaRest = cause.ByRest

// CauseOf is who causes what a call changes.
func CauseOf(ctx context.Context, c *Call) cause.Cause {
	by := cause.Cause{Via: cmp.Or(c.Via, cause.ByV1), KeyID: c.KeyID, RequestID: TraceFrom(ctx).RequestID}
	if c.Operator { // a key that the call has stands for the account
		by.Via, by.KeyID = cause.ByOperator, ""
	}
	return by
}
