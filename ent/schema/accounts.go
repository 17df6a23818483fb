package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Account is a seller.
type Account struct{ ent.Schema }

// Fields of an account. The three limits are per mode; nil means the service's default and 0 means no limit.
func (Account) Fields() []ent.Field {
	return []ent.Field{
		number(),
		word("nickname"), word("email"), word("type"), word("country"), word("language"), word("currency"), word("time_zone"),
		word("store_name"), word("store_plan"),
		field.Int("rating_count").Default(0), field.Float("rating_percentage").Optional().Nillable(),
		word("status"),
		field.Int("limit_requests_per_minute").Optional().Nillable(),
		field.Int("limit_open_items").Optional().Nillable(),
		field.Int("limit_new_items_per_day").Optional().Nillable(),
		instant("created_at"), instant("updated_at"),
		maybeInstant("closed_at"), // since when it is closed; null for an open account
		maybeInstant("erase_at"),  // when everything of a closed account is erased
	}
}

// Indexes of accounts.
func (Account) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("nickname").Unique().StorageKey("accounts_nickname"),
		index.Fields("erase_at", "id").StorageKey("accounts_closed").Annotations(where("closed_at IS NOT NULL")),
	}
}

// Annotations of accounts.
func (Account) Annotations() []schema.Annotation { return table("accounts") }

// Owner is an account in one mode: id = 2 × account + 1 for test, + 0 for live. Every change of the account's data in this
// mode locks the row first, so the changes have an order and the counters are exact.
type Owner struct{ ent.Schema }

// Fields of an owner.
func (Owner) Fields() []ent.Field {
	return []ent.Field{
		number(),
		field.Int64("account_id").Immutable(),
		instant("last_change_at"),
		field.Int("open_count").Default(0).Comment("scheduled and open items and pending submissions"),
		field.Int64("day").Default(0).Comment("the day of day_count, in days since 1970 UTC"),
		field.Int("day_count").Default(0).Comment("submissions and restarts accepted on that day"),
		field.Int("webhook_count").Default(0),
		field.Int64("bill_count").Default(0).Comment("how many bills have a number: the next bill's number is one more"),
		maybeInstant("resetting_since"), // since when its test data is being removed; null when it is not
		maybeInstant("reset_at"),        // when its test data was last removed
	}
}

// Annotations of owners.
func (Owner) Annotations() []schema.Annotation { return table("owners") }

// APIKey is a key of /v1. The secret itself is never stored.
type APIKey struct{ ent.Schema }

// Fields of an API key.
func (APIKey) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable().Comment("the public part of the key"),
		field.Int64("account_id").Immutable(),
		field.Bool("test").Immutable(),
		word("name"),
		field.Bytes("secret_sha256").Immutable().Sensitive(),
		word("last_four"),
		maybeWord("permissions"), // separated by spaces; null for all
		instant("created_at"), maybeInstant("expires_at"), maybeInstant("revoked_at"), maybeInstant("last_used_at"),
		maybeWord("predecessor_id"), maybeWord("successor_id"), // by rotation
		maybeNumber("lifetime"), // how long it was made for, in microseconds; null if it has no end, or a program before 1.6.0 made it
	}
}

// Indexes of API keys.
func (APIKey) Indexes() []ent.Index {
	return []ent.Index{index.Fields("account_id", "test").StorageKey("api_keys_account")}
}

// Annotations of API keys.
func (APIKey) Annotations() []schema.Annotation { return table("api_keys") }

// LegacyKey is an old 64-character key that /rest alone accepts.
type LegacyKey struct{ ent.Schema }

// Fields of a legacy key.
func (LegacyKey) Fields() []ent.Field {
	return []ent.Field{
		number(),
		field.Int64("account_id").Immutable(),
		field.Bool("test").Immutable(),
		field.Bytes("secret_sha256").Immutable().Unique().Sensitive(),
		word("last_four"),
		instant("created_at"), maybeInstant("revoked_at"), maybeInstant("last_used_at"),
	}
}

// Indexes of legacy keys.
func (LegacyKey) Indexes() []ent.Index {
	return []ent.Index{index.Fields("account_id", "test").StorageKey("legacy_keys_account")}
}

// Annotations of legacy keys.
func (LegacyKey) Annotations() []schema.Annotation { return table("legacy_keys") }

// LegacyUsage counts the /rest calls of one key on one day.
type LegacyUsage struct{ ent.Schema }

// Fields of a usage row.
func (LegacyUsage) Fields() []ent.Field {
	return []ent.Field{
		owned(),
		word("key_id"), word("call"),
		field.Int64("day").Comment("days since 1970 UTC"),
		field.Int64("count").Default(0),
		text("lossy_fields"),
		instant("last_used_at"),
	}
}

// Indexes of usage rows.
func (LegacyUsage) Indexes() []ent.Index {
	return []ent.Index{index.Fields("owner", "day", "call", "key_id").Unique().StorageKey("legacy_usage_row")}
}

// Annotations of usage rows.
func (LegacyUsage) Annotations() []schema.Annotation { return table("legacy_usage") }

// LegacyDrill is a time in which /rest answers as after its end: to one key, to all keys of an owner, or to everybody.
type LegacyDrill struct{ ent.Schema }

// Fields of a drill. Of a drill for everybody the owner is 0. Such a drill keeps its row when it is called off, because the
// feed tells of it; a seller's drill is deleted.
func (LegacyDrill) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		maybeWord("key_id"),
		field.Int64("begins_at").Immutable(), field.Int64("ends_at").Immutable(), field.Int64("created_at").Immutable(),
		maybeInstant("called_off_at"),
	}
}

// Indexes of drills.
func (LegacyDrill) Indexes() []ent.Index {
	return []ent.Index{list("legacy_drills_owner", "id"), index.Fields("ends_at").StorageKey("legacy_drills_end")}
}

// Annotations of drills.
func (LegacyDrill) Annotations() []schema.Annotation { return table("legacy_drills") }

// LegacyUse is the first and the last use of one call of /rest by one key.
type LegacyUse struct{ ent.Schema }

// Fields of a use.
func (LegacyUse) Fields() []ent.Field {
	return []ent.Field{
		owned(),
		word("key_id"), word("call"),
		instant("first_used_at"), instant("last_used_at"),
		text("lossy_fields"),
		maybeInstant("drilled_at"), // when it last met a drill
	}
}

// Indexes of uses.
func (LegacyUse) Indexes() []ent.Index {
	return []ent.Index{index.Fields("owner", "key_id", "call").Unique().StorageKey("legacy_uses_row")}
}

// Annotations of uses.
func (LegacyUse) Annotations() []schema.Annotation { return table("legacy_uses") }

// SuccessorUsage counts the requests of an owner that has uses of /rest, on one day: to /v1, and beside them those to /rest, so
// that both are counted from the same moment on.
type SuccessorUsage struct{ ent.Schema }

// Fields of a count. The last use is of /v1, 0 if there is none on the day.
func (SuccessorUsage) Fields() []ent.Field {
	return []ent.Field{
		owned(),
		field.Int64("day").Comment("days since 1970 UTC"),
		field.Int64("count").Default(0),
		field.Int64("legacy_count").Default(0),
		instant("last_used_at"),
	}
}

// Indexes of counts.
func (SuccessorUsage) Indexes() []ent.Index {
	return []ent.Index{index.Fields("owner", "day").Unique().StorageKey("successor_usage_row")}
}

// Annotations of counts.
func (SuccessorUsage) Annotations() []schema.Annotation { return table("successor_usage") }

// ShippingModel is how a seller charges for shipping.
type ShippingModel struct{ ent.Schema }

// Fields of a shipping model. Zones are JSON in the form of /v1. No row is ever deleted, because items, sales and bills
// may refer to it: a removed model is in no list.
func (ShippingModel) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		word("name"), word("type"), word("currency"), field.Bool("is_default"), text("zones"),
		instant("created_at"), instant("updated_at"),
		field.String("state").Default("active").SchemaType(map[string]string{dialect.Postgres: "text"}).Comment("active, retired or removed"),
	}
}

// Indexes of shipping models.
func (ShippingModel) Indexes() []ent.Index {
	return []ent.Index{list("shipping_models_owner", "id")}
}

// Annotations of shipping models.
func (ShippingModel) Annotations() []schema.Annotation { return table("shipping_models") }
