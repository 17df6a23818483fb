package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Batch is one accepted POST /v1/item-batches.
type Batch struct{ ent.Schema }

// Fields of a batch.
func (Batch) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int("accepted_count"), field.Int("rejected_count"),
		instant("created_at"),
	}
}

// Annotations of batches.
func (Batch) Annotations() []schema.Annotation { return table("batches") }

// Submission is an accepted request to list an item. Its id is the number that the item will have, so a second publication
// is a violation of the primary key and never a second item.
type Submission struct{ ent.Schema }

// Fields of a submission. The draft is emptied once the submission is final.
func (Submission) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		maybeNumber("batch_id"), maybeNumber("batch_index"), maybeWord("personal_reference"),
		word("status"), text("draft"), text("errors"), text("warnings"),
		instant("created_at"), instant("publish_deadline"), maybeInstant("completed_at"),
		field.Int64("due_at").Comment("when a worker may claim it: at once, after the wait for a retry, or when a lease ends"),
		field.Int64("lease").Default(0).Comment("fencing token of the worker that holds it"),
		field.Int("attempts").Default(0),
		maybeNumber("shipping_model_id"), // that of the draft, 0 for none; null if an older program stored the submission
		maybeWord("cause"),               // who submitted it, for its events; null if an older program stored the submission
	}
}

// Indexes of submissions. A publisher leaps from owner to owner, so that what waits of one costs the others nothing, and finds
// what is past its deadline even of a busy owner. The second index has another condition than the first, so that PostgreSQL cannot take the
// one for the other, whatever its statistics say.
func (Submission) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("owner", "due_at", "id").StorageKey("submissions_owner_due").Annotations(where("status IN ('pending','processing')")),
		index.Fields("publish_deadline", "id").StorageKey("submissions_deadline").Annotations(where("completed_at IS NULL")),
		index.Fields("batch_id", "batch_index").StorageKey("submissions_batch").Annotations(where("batch_id IS NOT NULL")),
		partial("submissions_test", "owner % 2 = 1", "id"), // test data, to remove them
	}
}

// Annotations of submissions.
func (Submission) Annotations() []schema.Annotation { return table("submissions") }

// Item is an item that is or was on sale.
type Item struct{ ent.Schema }

// Fields of an item, in the order of /v1. current_price is what a buyer would pay now; the filters of prices read it.
func (Item) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		word("sale_type"), word("title"), maybeWord("subtitle"), maybeWord("description"), maybeWord("personal_reference"),
		field.Int64("category_id"),
		word("currency"),
		maybeMoney("price"), maybeMoney("starting_price"), maybeMoney("bid_increment"), maybeMoney("reserve_price"),
		field.Int64("current_price"), field.Int("bid_count").Default(0), maybeInstant("first_bid_at"), maybeNumber("high_bidder_id"),
		field.Int("quantity"), field.Int("quantity_sold").Default(0),
		maybeNumber("duration_days"), maybeWord("preferred_end_day"), maybeWord("preferred_end_time"),
		maybeInstant("starts_at"), instant("ends_at"), maybeInstant("published_at"), maybeInstant("closed_at"),
		instant("created_at"), instant("updated_at"),
		field.Int("renewals").Default(0), field.Int("renewals_left").Default(0),
		maybeNumber("shipping_model_id"), maybeNumber("weight_grams"),
		text("images"), maybeInstant("images_due_at"),
		maybeWord("images_cause"), // who added the pictures that wait to be fetched, for the event about them
		field.Int64("options").Default(0).Comment("a bit for each option, see v1.ItemOptions"),
		word("site"), word("status"), maybeWord("close_reason"), maybeWord("close_note"),
		field.Int("restart_count").Default(0), field.Int64("visit_count").Default(0),
		field.Int64("sequence").Default(0).Comment("number of the item's last event"),
		field.Int64("run_started_at").Comment("when the current run began: at publication, renewal or restart"),
		field.Int64("due_at").Optional().Nillable().Comment("when the closer has to open, renew or end it"),
		text("search"),
		field.Int64("lease").Default(0).Comment("fencing token of the worker that fetches new images"),
	}
}

// Indexes of items: one for each sort order, one for each filter that needs one, one for each list that is read by
// position, two for due work, one for the auctions of a bidder.
func (Item) Indexes() []ent.Index {
	return []ent.Index{
		list("items_created", "created_at", "id"),
		list("items_updated", "updated_at", "id"),
		list("items_ends", "ends_at", "id"),
		list("items_status", "status", "created_at", "id"),
		list("items_reference", "personal_reference", "id"),
		list("items_category", "category_id", "id"),
		list("items_shipping_model", "shipping_model_id", "id"),
		list("items_price", "current_price", "id"),
		list("items_sale_type", "sale_type", "created_at", "id"),
		list("items_currency", "currency", "id"),
		index.Fields("high_bidder_id", "id").StorageKey("items_bidder").Annotations(where("status = 'open' AND high_bidder_id IS NOT NULL")),
		partial("items_bids", "bid_count > 0", "created_at", "id"),
		partial("items_open", "status = 'open'", "sale_type", "created_at", "id"),
		partial("items_ended", "status IN ('unsold','closed')", "sale_type", "created_at", "id"),
		index.Fields("due_at", "id").StorageKey("items_due").Annotations(where("status IN ('scheduled','open')")),
		index.Fields("owner", "images_due_at", "id").StorageKey("items_owner_images_due").Annotations(where("images_due_at IS NOT NULL")),
	}
}

// Annotations of items.
func (Item) Annotations() []schema.Annotation { return table("items") }

// ItemWord is one word of an item's title or reference: the index of the filter q, the same on both databases. All its columns are its
// key, and ent's tables have one id. So it is a view for ent, which reads it, and the migrations make the table (see
// internal/store/migrate_words_test.go).
type ItemWord struct{ ent.View }

// Fields of an item's word. Both databases compare words by their bytes, which the key needs to find prefixes.
func (ItemWord) Fields() []ent.Field {
	return []ent.Field{owned(), word("word"), field.Int64("item_id")}
}

// Annotations of words.
func (ItemWord) Annotations() []schema.Annotation { return table("item_words") }

// Bid is one offer on an auction.
type Bid struct{ ent.Schema }

// Fields of a bid. Round is the item's restart_count at the time of the bid: a restarted item has no bids.
func (Bid) Fields() []ent.Field {
	return []ent.Field{
		number(), owned(),
		field.Int64("item_id").Immutable(), field.Int("round").Default(0),
		field.Int64("buyer_id").Immutable(), field.Int64("amount").Immutable(),
		instant("created_at"),
	}
}

// Indexes of bids.
func (Bid) Indexes() []ent.Index {
	return []ent.Index{index.Fields("item_id", "round", "amount").StorageKey("bids_item")}
}

// Annotations of bids.
func (Bid) Annotations() []schema.Annotation { return table("bids") }
