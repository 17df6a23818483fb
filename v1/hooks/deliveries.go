package hooks

import (
	"context"
	"encoding/json"
	"fmt"

	"sellerd/ent"
	entdelivery "sellerd/ent/delivery"
	"sellerd/ent/event"
	"sellerd/ent/webhook"
	"sellerd/internal/base/each"
	"sellerd/internal/base/tracing"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/feed"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Delivery is one attempt to send an event to a webhook (docs/seller/webhook-deliveries.md).
type Delivery struct {
	ID             wire.DeliveryID             `json:"id"`
	WebhookID      wire.WebhookID              `json:"webhook_id"`
	EventID        wire.EventID                `json:"event_id"`
	EventType      string                      `json:"event_type" catalogue:"events"`
	ResourceID     string                      `json:"resource_id"`
	Attempt        int                         `json:"attempt" doc:"from 1"`
	Trigger        string                      `json:"trigger" enum:"automatic manual test recovery" newer:"recovery=1.3.0" doc:"recovery: a request to recover missed events"`
	Status         string                      `json:"status" enum:"scheduled sending succeeded failed interrupted cancelled"`
	Final          bool                        `json:"final" doc:"no other attempt follows by itself"`
	URL            string                      `json:"url"`
	RequestHeaders wire.Raw[map[string]string] `json:"request_headers"`
	RequestBody    wire.Opt[string]            `json:"request_body" doc:"the bytes that are sent and signed; null when the event is no longer kept, or when the key may not read what it carries"`
	Response       wire.Opt[DeliveryResponse]  `json:"response" doc:"null without an answer"`
	Error          wire.Opt[DeliveryError]     `json:"error"`
	DurationMS     wire.Opt[int]               `json:"duration_ms" doc:"milliseconds"`
	ScheduledAt    wire.Time                   `json:"scheduled_at"`
	StartedAt      wire.Opt[wire.Time]         `json:"started_at"`
	NextAttemptAt  wire.Opt[wire.Time]         `json:"next_attempt_at" doc:"when the attempt after this one is due"`
}

// DeliveryResponse is what the receiver answered.
type DeliveryResponse struct {
	Status    int    `json:"status" doc:"HTTP status"`
	Body      string `json:"body" doc:"its first 4 KiB; empty after 7 days, and, if it is more than a word such as OK, for a key that may not read what was sent, because receivers may repeat it"`
	Truncated bool   `json:"truncated"`
}

// DeliveryError is why an attempt failed.
type DeliveryError struct {
	Code string `json:"code" enum:"dns connect tls timeout blocked_target redirect http_status response_too_large interrupted"`
}

// deliveryFrom is the one conversion from the database to the API.
func deliveryFrom(row *ent.Delivery, body wire.Opt[string]) Delivery {
	out := Delivery{
		ID: wire.DeliveryID(row.ID), WebhookID: wire.WebhookID(row.WebhookID), EventID: wire.EventID(row.EventID), EventType: row.EventType, ResourceID: row.ResourceID,
		Attempt: row.Attempt, Trigger: row.Trigger, Status: row.Status, Final: row.Final, URL: row.URL,
		RequestHeaders: wire.Raw[map[string]string]{Text: row.RequestHeaders}, RequestBody: body, DurationMS: items.MaybeInt(row.DurationMs),
		ScheduledAt: wire.Time(row.ScheduledAt), StartedAt: wire.MaybeTime(row.StartedAt), NextAttemptAt: wire.MaybeTime(row.NextAttemptAt),
	}
	if row.RequestHeaders == "" || row.StartedAt == nil || row.Status == delivery.Sending { // until it is sent the row has the trace alone
		out.RequestHeaders.Text = "{}"
	}
	if row.ResponseStatus != nil {
		out.Response = wire.Some(DeliveryResponse{int(*row.ResponseStatus), row.ResponseBody, row.ResponseTruncated})
	}
	if row.ErrorCode != nil {
		out.Error = wire.Some(DeliveryError{*row.ErrorCode})
	}
	return out
}

// signatureHeader is the header with the signatures of a delivery.
const signatureHeader = "webhook-signature"

// hideSignature takes the signature away from whoever may not read what was signed: with the secret, guesses at it could be tried.
func (d *Delivery) hideSignature() {
	headers, err := d.RequestHeaders.Value()
	if _, signed := headers[signatureHeader]; err != nil || !signed {
		return
	}
	headers[signatureHeader] = "v1,hidden"
	d.RequestHeaders = wire.RawOf(headers)
}

// NeededToRead are the permissions to read what the delivery carries: the bytes that were sent, with the buyers in them. A sample is made
// up, so every key may read it.
func (d *Delivery) NeededToRead() permission.Set {
	if d.Trigger == delivery.TriggerTest {
		return 0
	}
	return eventNeeds(d.EventType)
}

var (
	_ core.NeedsToRead = (*Delivery)(nil)
	_ core.NeedsToRead = (*Webhook)(nil)
)

// BrowseDeliveriesInput are the filters of the delivery log, which begins with the newest.
type BrowseDeliveriesInput struct {
	WebhookID   []wire.WebhookID    `query:"webhook_id"`
	EventID     []wire.EventID      `query:"event_id"`
	EventType   []string            `query:"event_type" catalogue:"events"`
	ResourceID  []string            `query:"resource_id"`
	Status      []string            `query:"status" enum:"scheduled sending succeeded failed interrupted cancelled"`
	CreatedFrom wire.Opt[wire.Time] `query:"created_from"`
	CreatedTo   wire.Opt[wire.Time] `query:"created_to" doc:"exclusive"`
	Limit       wire.Opt[int]       `query:"limit" min:"1" max:"200" default:"50"`
	After       wire.Opt[string]    `query:"after" doc:"next_cursor of the page before"`
}

var deliveryColumnList = rows.ColumnList(entdelivery.Table, entdelivery.Columns)

// DeliveryList is the list that the filters ask for.
func DeliveryList(owner core.Owner, in *BrowseDeliveriesInput) *rows.List {
	l := rows.NewList("BrowseDeliveries", entdelivery.Table, deliveryColumnList, int64(owner), "created_at_desc", entdelivery.FieldCreatedAt)
	l.Between(entdelivery.FieldCreatedAt, wire.Int64Ptr(in.CreatedFrom), wire.Int64Ptr(in.CreatedTo), false)
	l.In(entdelivery.FieldEventID, items.AnyInts(in.EventID), entdelivery.FieldCreatedAt)
	l.In(entdelivery.FieldResourceID, items.AnyStrings(in.ResourceID), entdelivery.FieldCreatedAt)
	l.In(entdelivery.FieldWebhookID, items.AnyInts(in.WebhookID), entdelivery.FieldCreatedAt)
	l.In(entdelivery.FieldStatus, items.AnyStrings(in.Status), entdelivery.FieldCreatedAt)
	l.In(entdelivery.FieldEventType, items.AnyStrings(in.EventType), entdelivery.FieldCreatedAt)
	return l
}

// browseDeliveries lists the attempts to send the caller's events, newest first. A type that there is not is the caller's
// mistake, as an unknown category is.
func (s *Webhooks) browseDeliveries(ctx context.Context, c *core.Call, in *BrowseDeliveriesInput) (*rows.Page[Delivery], error) {
	for _, name := range in.EventType {
		if !isEventType(name) {
			return nil, refusal.Newf(refusal.InvalidParameter, "event_type", "There is no event %s.", wire.Printable(name))
		}
	}
	out, err := s.DeliveryPage(ctx, DeliveryList(c.Owner, in), in.After, in.Limit.Or(items.DefaultPageSize))
	if err != nil {
		return nil, err
	}
	return out, s.addBodies(ctx, c, out.Results)
}

func (s *Webhooks) DeliveryPage(ctx context.Context, l *rows.List, after wire.Opt[string], limit int) (*rows.Page[Delivery], error) {
	scan := rows.NewScanner[ent.Delivery](entdelivery.Columns)
	return rows.Reader[Delivery]{List: l, Limit: limit, Targets: scan.Targets, Convert: func() (Delivery, int64, int64) {
		return deliveryFrom(&scan.Row, wire.Opt[string]{}), scan.Row.CreatedAt, scan.Row.ID
	}}.Read(ctx, s.Lists(), after)
}

// acknowledgements are answers of receivers that repeat nothing of what was sent. Every key sees them.
var acknowledgements = map[string]bool{"OK": true, "ok": true, "accepted": true, "{}": true, "true": true}

// addBodies shows with deliveries the bytes that they send, as far as the caller may read what they carry. What receivers answer can
// be a copy of it, so it is hidden with it.
func (s *Webhooks) addBodies(ctx context.Context, c *core.Call, found []Delivery) error {
	if len(found) == 0 {
		return nil
	}
	ids := make([]int64, len(found))
	for i := range found {
		ids[i] = int64(found[i].EventID)
	}
	rows, err := s.Reads.Reader().Event.Query().Where(event.IDIn(ids...)).Select(event.FieldID, event.FieldBody).All(ctx)
	if err != nil {
		return fmt.Errorf("load events: %w", err)
	}
	bodies := each.Keyed(rows, func(row *ent.Event) (wire.EventID, wire.Opt[string]) {
		return wire.EventID(row.ID), wire.Some(row.Body)
	})
	legacy, err := s.legacyWebhooks(ctx, c.Owner)
	if err != nil {
		return err
	}
	for i := range found {
		d := &found[i]
		if c.May.Missing(d.NeededToRead()) != 0 {
			d.hideSignature()
			if !acknowledgements[d.Response.V.Body] {
				d.Response.V.Body = "" // null would break what earlier releases promised
			}
			continue
		}
		d.RequestBody = bodies[d.EventID]
		if d.RequestBody.Set && (legacy[d.WebhookID] || s.sentAsXML(d)) {
			_, d.RequestBody.V, err = s.renderEvent(ctx, s.Reads.Reader(), FormatLegacyXML, d.URL, d.RequestBody.V, c.Owner)
			if err != nil {
				return fmt.Errorf("delivery %d: %w", d.ID, err)
			}
		}
	}
	return nil
}

// legacyWebhooks are the owner's webhooks that receive events as XML. There are none in a service that cannot write it.
func (s *Webhooks) legacyWebhooks(ctx context.Context, owner core.Owner) (map[wire.WebhookID]bool, error) {
	if s.notifications == nil {
		return nil, nil
	}
	ids, err := s.Reads.Reader().Webhook.Query().Where(webhook.Owner(int64(owner)), webhook.Format(FormatLegacyXML)).IDs(ctx)
	if err != nil {
		return nil, fmt.Errorf("load webhooks: %w", err)
	}
	return each.Keyed(ids, func(id int64) (wire.WebhookID, bool) { return wire.WebhookID(id), true }), nil
}

// sentAsXML says whether a delivery was sent in the legacy format, by the headers it was sent with. Its webhook may be deleted.
func (s *Webhooks) sentAsXML(d *Delivery) bool {
	var headers map[string]string
	if s.notifications == nil || json.Unmarshal([]byte(d.RequestHeaders.Text), &headers) != nil {
		return false
	}
	sent, known := headers["content-type"]
	return known && sent != contentTypeJSON
}

// DeliveriesPath is where deliveries are.
const DeliveriesPath = "/v1/webhook-deliveries/"

// DeliveryRef names a delivery in a path.
type DeliveryRef struct {
	ID wire.DeliveryID `path:"id" missing:"delivery_not_found"`
}

// getDelivery reads one attempt.
func (s *Webhooks) getDelivery(ctx context.Context, c *core.Call, in *DeliveryRef) (*Delivery, error) {
	row, err := s.Reads.Reader().Delivery.Query().Where(entdelivery.ID(int64(in.ID)), entdelivery.Owner(int64(c.Owner))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.DeliveryNotFound, "delivery", int64(in.ID))
	}
	found := []Delivery{deliveryFrom(row, wire.Opt[string]{})}
	return &found[0], s.addBodies(ctx, c, found)
}

// redeliver sends an event again, once, whatever became of it before. It goes past pauses and out of order.
func (s *Webhooks) redeliver(ctx context.Context, c *core.Call, in *DeliveryRef) (*Delivery, error) {
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Delivery, error) {
		row, err := tx.Delivery.Query().Where(entdelivery.ID(int64(in.ID)), entdelivery.Owner(int64(tx.Owner))).Only(ctx)
		if err != nil {
			return nil, core.NotLoaded(err, refusal.DeliveryNotFound, "delivery", int64(in.ID))
		}
		known := deliveryFrom(row, wire.Opt[string]{})
		if err := c.Permit(known.NeededToRead(), ""); err != nil {
			return nil, err
		}
		hook, err := tx.Webhook.Query().Where(webhook.ID(row.WebhookID), webhook.Owner(int64(tx.Owner))).Only(ctx)
		if err != nil {
			return nil, core.NotLoaded(err, refusal.WebhookNotFound, "webhook", row.WebhookID)
		}
		sent, err := tx.Event.Get(ctx, row.EventID)
		if err != nil {
			return nil, core.NotLoaded(err, refusal.DeliveryNotFound, "event", row.EventID) // its event is no longer kept
		}
		return tx.sendByHand(ctx, c, hook, sent, row.ResourceID, delivery.TriggerManual)
	})
}

// TestWebhookInput asks for a sample event.
type TestWebhookInput struct {
	ID   wire.WebhookID `path:"id" missing:"webhook_not_found"`
	Test WebhookTrial   `body:"optional"`
}

// WebhookTrial is which sample to send.
type WebhookTrial struct {
	Event wire.Opt[string] `json:"event" validate:"omitnil" catalogue:"events" default:"item.published"`
}

// testWebhook sends a made-up event of a type to one webhook, paused or not.
func (s *Webhooks) testWebhook(ctx context.Context, c *core.Call, in *TestWebhookInput) (*Delivery, error) {
	kind := in.Test.Event.Or("item.published")
	sample, known := SampleEvent(kind, c.Owner.Mode(), s.ItemURL(c.Owner, 1), s.Config.BaseURL)
	if !known {
		c.Problems.Add(refusal.UnknownEvent, "event", "There is no event %s.", wire.Printable(kind))
	}
	return change(ctx, s, c, func(ctx context.Context, tx Change) (*Delivery, error) {
		hook, err := tx.loadWebhook(ctx, c, in.ID)
		if err != nil {
			return nil, err
		}
		id := s.IDs.Ordered()
		sample.ID, sample.CreatedAt, sample.AccountID, sample.Cause = wire.EventID(id), tx.Now, wire.ID(tx.Owner.Account()), wire.Some(tx.ShownCause())
		// Samples are of no object, so in the table each is a resource of its own.
		row, err := tx.Event.Create().SetID(id).SetOwner(int64(tx.Owner)).SetType(kind).SetResourceType(feed.SampleResource).SetResourceID(id).
			SetSequence(1).
			SetBody(string(wire.EncodeJSON(nil, &sample))).SetCreatedAt(int64(tx.Now)).Save(ctx)
		if err != nil {
			return nil, fmt.Errorf("store sample event: %w", err)
		}
		if !s.formatKnows(hook.Format, kind, row.Body) {
			return nil, refusal.Newf(refusal.UnknownEvent, "event", "There is no notification of %s.", kind)
		}
		return tx.sendByHand(ctx, c, hook, row, sample.Resource.ID, delivery.TriggerTest)
	})
}

// sendByHand schedules one attempt, before everything else that waits.
func (tx Change) sendByHand(ctx context.Context, c *core.Call, hook *ent.Webhook, sent *ent.Event, resource,
	trigger string,
) (*Delivery, error) {
	id, attempt := tx.s.IDs.Ordered(), tx.s.IDs.Ordered()
	row, err := tx.Delivery.Create().SetID(attempt).SetOwner(int64(tx.Owner)).SetDispatchID(id).SetWebhookID(hook.ID).SetEventID(sent.ID).
		SetEventType(sent.Type).SetResourceID(resource).SetAttempt(1).SetTrigger(trigger).SetStatus(delivery.Scheduled).SetURL(hook.URL).
		SetScheduledAt(int64(tx.Clock)).SetCreatedAt(int64(tx.Clock)).SetRequestHeaders(tracing.Headers(tx.Cause.Trace)).Save(ctx)
	if err != nil {
		return nil, fmt.Errorf("schedule delivery: %w", err)
	}
	err = tx.Dispatch.Create().SetID(id).SetOwner(int64(tx.Owner)).SetEventID(sent.ID).SetWebhookID(hook.ID).SetDeliveryID(attempt).
		SetTrigger(trigger).
		SetStatus(delivery.DispatchPending).SetDueAt(0).SetCreatedAt(int64(tx.Clock)).SetExpiresAt(int64(tx.Clock.Add(delivery.DispatchLife))).
		Exec(ctx)
	if err != nil {
		return nil, fmt.Errorf("dispatch by hand: %w", err)
	}
	tx.Wake(core.DelivererWorker)
	_, body, err := tx.s.renderEvent(ctx, tx.Client, hook.Format, hook.URL, sent.Body, tx.Owner)
	if err != nil {
		return nil, fmt.Errorf("event %d: %w", sent.ID, err)
	}
	if trigger != delivery.TriggerTest { // the buyer of a sample is invented
		buyer, err := buyerOfEvent(sent.Body)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", sent.ID, err)
		}
		tx.AnswerShows(buyer)
	}
	out := deliveryFrom(row, wire.Some(body))
	c.Meta.Location = DeliveriesPath + out.ID.String()
	return &out, nil
}
