package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/edge"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Buyer is a customer of the marketplace. Everything but id, language, country and ratings is personal data.
type Buyer struct{ ent.Schema }

// Fields of a buyer. The address is JSON in the form of /v1, empty until it is known.
func (Buyer) Fields() []ent.Field {
	return []ent.Field{
		number(),
		field.Int64("scope").Immutable().Comment("0 for the marketplace's buyers, which all sellers share; for test data the owner, see Owner"),
		word("nickname"), maybeWord("email"), maybeWord("first_name"), maybeWord("last_name"), word("language"), word("country"), maybeWord("phone"),
		text("address"),
		field.Int("rating_count").Default(0).Comment("ratings with a score"),
		field.Int64("rating_sum").Default(0).Comment("sum of these scores"),
		instant("created_at"), instant("updated_at"), maybeInstant("forgotten_at"),
	}
}

// Indexes of buyers.
func (Buyer) Indexes() []ent.Index {
	return []ent.Index{index.Fields("scope", "nickname").Unique().StorageKey("buyers_nickname")}
}

// Annotations of buyers.
func (Buyer) Annotations() []schema.Annotation { return table("buyers") }

// Bill gathers one buyer's purchases from one seller in one currency.
type Bill struct{ ent.Schema }

// Fields of a bill. The shipping address is JSON in the form of /v1.
func (Bill) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		word("number"), word("status"), word("currency"),
		field.Int64("buyer_id").Immutable(),
		text("shipping_address"),
		field.Int64("subtotal").Default(0), maybeMoney("shipping_cost"),
		maybeNumber("shipping_model_id"),
		word("payment_status"), maybeWord("payment_method"), maybeMoney("payment_amount"),
		field.Int("tracking_count").Default(0),
		instant("created_at"), maybeInstant("invoiced_at"), maybeInstant("paid_at"), maybeInstant("sent_at"), maybeInstant("cancelled_at"),
		instant("updated_at"),
		field.Int64("sequence").Default(0),
		maybeInstant("forgotten_at"), // that of the buyer
	}
}

// Edges of a bill: its foreign key.
func (Bill) Edges() []ent.Edge {
	return []ent.Edge{edge.To("buyer", Buyer.Type).Field("buyer_id").Unique().Required().Immutable()}
}

// Indexes of bills.
func (Bill) Indexes() []ent.Index {
	return []ent.Index{
		list("bills_created", "created_at", "id"),
		list("bills_updated", "updated_at", "id"),
		list("bills_status", "status", "created_at", "id"),
		list("bills_buyer", "buyer_id", "created_at", "id"),
		list("bills_paid", "paid_at", "id"),
		list("bills_sent", "sent_at", "id"),
		index.Fields("buyer_id", "id").StorageKey("bills_of_buyer"),
		partial("bills_tracked", "tracking_count > 0", "created_at", "id"),
		partial("bills_forgotten", "forgotten_at IS NOT NULL", "created_at", "id"),
		partial("bills_untracked", "tracking_count = 0", "created_at", "id"),
	}
}

// Annotations of bills.
func (Bill) Annotations() []schema.Annotation { return table("bills") }

// Sale is one purchase or one won auction.
type Sale struct{ ent.Schema }

// Fields of a sale. The item's title, price and so on are copied, so that a later change of the item does not change the sale.
func (Sale) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int64("item_id").Immutable(), field.Int64("bill_id").Immutable(), field.Int64("buyer_id").Immutable(),
		word("item_title"), maybeWord("item_reference"), field.Int64("item_category_id"), word("item_sale_type"),
		word("currency"), field.Int("quantity"), field.Int64("unit_price"), field.Int64("total_price"), maybeNumber("weight_grams"), maybeNumber("shipping_model_id"),
		text("shipping_address"),
		word("status"), word("cancellation_status"), maybeWord("cancellation_reason"),
		maybeInstant("cancellation_requested_at"), maybeInstant("cancellation_decided_at"),
		instant("sold_at"), maybeInstant("rated_at"),
		instant("created_at"), instant("updated_at"),
		field.Int64("sequence").Default(0),
		maybeInstant("forgotten_at"), // that of the buyer
	}
}

// Edges of a sale: its foreign keys.
func (Sale) Edges() []ent.Edge {
	return []ent.Edge{
		edge.To("item", Item.Type).Field("item_id").Unique().Required().Immutable(),
		edge.To("bill", Bill.Type).Field("bill_id").Unique().Required().Immutable(),
		edge.To("buyer", Buyer.Type).Field("buyer_id").Unique().Required().Immutable(),
	}
}

// Indexes of sales. The last three are for the foreign keys: when an item, a bill or a buyer is deleted, the database looks for
// its sales by that column alone.
func (Sale) Indexes() []ent.Index {
	return []ent.Index{
		list("sales_sold", "sold_at", "id"),
		list("sales_updated", "updated_at", "id"),
		list("sales_item", "item_id", "sold_at", "id"),
		list("sales_bill", "bill_id", "sold_at", "id"),
		list("sales_buyer", "buyer_id", "sold_at", "id"),
		list("sales_cancellation", "cancellation_status", "sold_at", "id"),
		partial("sales_unrated", "rated_at IS NULL", "sold_at", "id"),
		partial("sales_rated", "rated_at IS NOT NULL", "sold_at", "id"),
		partial("sales_forgotten", "forgotten_at IS NOT NULL", "sold_at", "id"),
		partial("sales_auction", "item_sale_type = 'auction'", "sold_at", "id"),
		partial("sales_fixed_price", "item_sale_type = 'fixed_price'", "sold_at", "id"),
		partial("sales_cancelled", "cancellation_status = 'cancelled'", "item_sale_type", "sold_at"),
		index.Fields("item_id").StorageKey("sales_of_item"),
		index.Fields("bill_id").StorageKey("sales_of_bill"),
		index.Fields("buyer_id").StorageKey("sales_of_buyer"),
	}
}

// Annotations of sales.
func (Sale) Annotations() []schema.Annotation { return table("sales") }

// Rating is a seller's rating of a buyer; its id is that of the sale.
type Rating struct{ ent.Schema }

// Fields of a rating. A rating without a score is a neutral comment.
func (Rating) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int64("buyer_id").Immutable(),
		maybeNumber("score"), maybeWord("comment"), field.Int("revision_count").Default(0),
		instant("created_at"), instant("updated_at"),
	}
}

// Annotations of ratings.
func (Rating) Annotations() []schema.Annotation { return table("ratings") }

// Tracking is a parcel's number with its carrier.
type Tracking struct{ ent.Schema }

// Fields of a tracking. sale_ids is a JSON list, empty for all sales of the bill.
func (Tracking) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int64("bill_id").Immutable(),
		field.Int64("delivery_service_id"), word("number"), text("sale_ids"), maybeInstant("shipped_at"), maybeWord("note"),
		instant("created_at"), instant("updated_at"),
	}
}

// Edges of a tracking: its foreign key.
func (Tracking) Edges() []ent.Edge {
	return []ent.Edge{edge.To("bill", Bill.Type).Field("bill_id").Unique().Required().Immutable()}
}

// Indexes of trackings.
func (Tracking) Indexes() []ent.Index {
	return []ent.Index{index.Fields("bill_id", "delivery_service_id", "number").Unique().StorageKey("trackings_number")}
}

// Annotations of trackings.
func (Tracking) Annotations() []schema.Annotation { return table("trackings") }
