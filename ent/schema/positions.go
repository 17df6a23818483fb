package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// ListPosition counts the rows of one list in one bucket, an interval of the instants by which the list is sorted. With
// the counters a query finds the n-th row of a list without reading the rows before it. Only /rest asks so.
type ListPosition struct{ ent.Schema }

// Fields of a counter.
func (ListPosition) Fields() []ent.Field {
	return []ent.Field{
		owned(),
		field.String("list").Immutable().SchemaType(map[string]string{dialect.Postgres: "text"}).Comment("item/auction/open, item/auction/ended, sale/auction, and the same of fixed_price"),
		field.Int("level").Immutable().Comment("0 for the finest buckets"),
		field.Int64("bucket").Immutable().Comment("the instant, shifted right by the bits of the level"),
		field.Int64("n"),
	}
}

// Indexes of counters.
func (ListPosition) Indexes() []ent.Index {
	return []ent.Index{index.Fields("owner", "list", "level", "bucket").Unique().StorageKey("list_positions_bucket")}
}

// Annotations of counters.
func (ListPosition) Annotations() []schema.Annotation { return table("list_positions") }
