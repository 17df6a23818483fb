package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Webhook is a subscription to events.
type Webhook struct{ ent.Schema }

// Fields of a webhook. Secrets are sealed. The state of the breaker and of pauses is stored so that it survives a restart.
func (Webhook) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		word("url"), text("events"), word("events_key"), word("format"), maybeWord("description"),
		word("status"), maybeWord("disabled_reason"), maybeInstant("failing_since"),
		field.Bytes("secret").Sensitive(), field.Bytes("previous_secret").Optional().Sensitive(), maybeInstant("previous_secret_until"), word("secret_hint"),
		field.Int("failures").Default(0).Comment("failed attempts since the last success"),
		maybeInstant("failing_event_at"), maybeInstant("last_success_at"),
		maybeInstant("paused_until"), field.Int("breaker_level").Default(0).Comment("0 is closed; else how often it opened in a row"),
		maybeInstant("resumed_at"), // dispatches that waited then get their whole schedule again
		field.Bool("resuming").Default(false).Comment("dispatches that waited at resumed_at may still have to be made due"),
		maybeNumber("setting_number"), // its number in /rest, which fits into 32 bits for old programs
		maybeWord("skip_key_ids"),     // keys whose changes are not sent, as a JSON list; null for none
		maybeWord("changed"),          // members of the item of which one must have changed, as a JSON list; null for any
		instant("created_at"), instant("updated_at"),
	}
}

// Indexes of webhooks.
func (Webhook) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("owner", "url", "events_key").Unique().StorageKey("webhooks_owner"),
		index.Fields("setting_number").Unique().StorageKey("webhooks_setting"),
	}
}

// Annotations of webhooks.
func (Webhook) Annotations() []schema.Annotation { return table("webhooks") }

// Event is one event of the outbox, rendered once. Ids rise with time.
type Event struct{ ent.Schema }

// Fields of an event. The body is what every delivery sends, byte for byte.
func (Event) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		word("type"), word("resource_type"), field.Int64("resource_id").Immutable(), field.Int64("sequence").Immutable(),
		field.Text("body").Immutable().SchemaType(map[string]string{"postgres": "text"}),
		instant("created_at"),
		maybeWord("key_id"),  // the key that caused it; null if none did
		maybeWord("changed"), // of item.updated, the changed members of the item with spaces between them
	}
}

// Indexes of events.
func (Event) Indexes() []ent.Index {
	return []ent.Index{
		list("events_feed", "created_at", "id"), // created_at is Change.Now, which rises from commit to commit of an owner
		index.Fields("resource_type", "resource_id", "sequence").Unique().StorageKey("events_sequence"),
	}
}

// Annotations of events.
func (Event) Annotations() []schema.Annotation { return table("events") }

// Dispatch is one event that has to be delivered to one webhook; delivery_id is its current attempt. The row is deleted when
// the event is delivered or given up, so the table holds only work to do.
type Dispatch struct{ ent.Schema }

// Fields of a dispatch.
func (Dispatch) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int64("event_id").Immutable(), field.Int64("webhook_id").Immutable(), field.Int64("delivery_id"),
		word("trigger"),
		text("resource"), // the resource whose events keep their order; empty for events sent out of order
		field.Int64("sequence").Default(0).Immutable().Comment("the event's sequence in its resource"),
		field.Bool("blocked").Default(false).Comment("it was due and waits for an earlier event of its resource"),
		word("status"), field.Int("attempts").Default(0),
		field.Int("failures").Default(0).Comment("failed attempts, the position in the schedule; interrupted ones do not count"),
		field.Int64("due_at").Comment("0 comes before all others, even while the webhook is paused"), field.Int64("lease").Default(0),
		instant("created_at"), instant("expires_at"),
	}
}

// Indexes of dispatches.
func (Dispatch) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("status", "webhook_id", "due_at", "id").StorageKey("dispatches_due"),
		index.Fields("webhook_id", "resource", "sequence").StorageKey("dispatches_order"),
		index.Fields("webhook_id", "due_at", "id").StorageKey("dispatches_first").Annotations(where("status = 'pending' AND attempts = 0 AND NOT blocked")),
	}
}

// Annotations of dispatches.
func (Dispatch) Annotations() []schema.Annotation { return table("dispatches") }

// Delivery is one attempt to send an event.
type Delivery struct{ ent.Schema }

// Fields of a delivery.
func (Delivery) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int64("dispatch_id").Immutable(), field.Int64("webhook_id").Immutable(), field.Int64("event_id").Immutable(),
		word("event_type"), word("resource_id"), field.Int("attempt"), word("trigger"),
		word("status"), field.Bool("final").Default(false), word("url"), text("request_headers"),
		maybeNumber("response_status"), text("response_body"), field.Bool("response_truncated").Default(false),
		field.Bool("response_dropped").Default(false).Comment("the attempt sends data of a buyer who was forgotten meanwhile: its answer is not kept"),
		maybeWord("error_code"), maybeNumber("duration_ms"),
		instant("scheduled_at"), maybeInstant("started_at"), maybeInstant("next_attempt_at"), instant("created_at"),
	}
}

// Indexes of deliveries.
func (Delivery) Indexes() []ent.Index {
	return []ent.Index{
		list("deliveries_owner", "created_at", "id"),
		list("deliveries_webhook", "webhook_id", "created_at", "id"),
		list("deliveries_event", "event_id", "created_at", "id"),
		list("deliveries_type", "event_type", "created_at", "id"),
		list("deliveries_resource", "resource_id", "created_at", "id"),
		list("deliveries_status", "status", "created_at", "id"),
	}
}

// Annotations of deliveries.
func (Delivery) Annotations() []schema.Annotation { return table("deliveries") }
