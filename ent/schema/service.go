package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// IdempotencyKey is the answer that a repeated POST gets. Its id is made of the owner and the caller's key.
type IdempotencyKey struct{ ent.Schema }

// Fields of an idempotency key.
func (IdempotencyKey) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.Bytes("fingerprint").Immutable(),
		field.Int("status").Immutable(),
		field.Text("body").Immutable().SchemaType(map[string]string{"postgres": "text"}),
		word("location"),
		instant("expires_at"),
		maybeNumber("buyer_id"), // the buyer whom the answer shows, 0 for none; null if an older program stored the answer
	}
}

// Indexes of idempotency keys.
func (IdempotencyKey) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("expires_at").StorageKey("idempotency_keys_expiry"),
		index.Fields("buyer_id").StorageKey("idempotency_keys_buyer").Annotations(where("buyer_id > 0")),
	}
}

// Annotations of idempotency keys.
func (IdempotencyKey) Annotations() []schema.Annotation { return table("idempotency_keys") }

// NumberRange is the first number of the next block of one kind of public number.
type NumberRange struct{ ent.Schema }

// Fields of a number range. Its id is the kind.
func (NumberRange) Fields() []ent.Field {
	return []ent.Field{field.String("id").Immutable(), field.Int64("next")}
}

// Annotations of number ranges.
func (NumberRange) Annotations() []schema.Annotation { return table("number_ranges") }

// RateWindow is the state of one rate limiter, which all processes on one PostgreSQL share.
type RateWindow struct{ ent.Schema }

// Fields of a rate window. Its id names the limiter; tat is the theoretical arrival time in nanoseconds.
func (RateWindow) Fields() []ent.Field {
	return []ent.Field{field.String("id").Immutable(), field.Int64("tat"), instant("expires_at")}
}

// Indexes of rate windows.
func (RateWindow) Indexes() []ent.Index {
	return []ent.Index{index.Fields("expires_at").StorageKey("rate_windows_expiry")}
}

// Annotations of rate windows.
func (RateWindow) Annotations() []schema.Annotation { return table("rate_windows") }
