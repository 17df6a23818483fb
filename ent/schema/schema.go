// Package schema declares every table of the service: accounts and keys; items, their submissions and bids; sales, bills,
// ratings and trackings; webhooks, events and deliveries; and the tables that only the service itself uses.
//
// These conventions hold for all tables:
//
//   - Every row of a seller has owner, the number of an account in one mode (see Owner). All indexes that serve a list
//     begin with it, so test and live data stay apart and the size of one store does not slow down another.
//   - Instants are int64 microseconds since 1970 UTC: they sort, compare and index as numbers on both databases.
//   - Money is int64 minor units (cents); the row has its currency in one column.
//   - JSON is stored as text, never as jsonb, because what is replayed or signed must come back byte for byte.
//   - A state, a type or a currency is a word. The rules in v1 check values before they reach ent (v1/items/states.go has
//     the states), so the schema has neither enumerations nor validators.
//   - An edge stands for a foreign key in the database. The rules load rows by their ids and do not walk along edges.
package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/dialect/entsql"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// owned is the account and mode to which a row belongs.
func owned() ent.Field {
	return field.Int64("owner").Immutable().Comment("account and mode, see Owner")
}

// number is a primary key that the service assigns itself.
func number() ent.Field {
	return field.Int64("id").Immutable().Annotations(entsql.Annotation{Incremental: new(bool)})
}

// instant is a point in time that is always set, in microseconds since 1970 UTC.
func instant(name string) ent.Field { return field.Int64(name) }

// maybeInstant is a point in time that may be missing, in microseconds since 1970 UTC.
func maybeInstant(name string) ent.Field { return field.Int64(name).Optional().Nillable() }

// maybeMoney is an amount in minor units that may be missing.
func maybeMoney(name string) ent.Field { return field.Int64(name).Optional().Nillable() }

// maybeNumber is a count or a reference that may be missing.
func maybeNumber(name string) ent.Field { return field.Int64(name).Optional().Nillable() }

// text is a string that may be empty and is unbounded on both databases.
func text(name string) ent.Field {
	return field.Text(name).Default("").SchemaType(map[string]string{dialect.Postgres: "text"})
}

// word is a short string that is always set.
func word(name string) ent.Field {
	return field.String(name).SchemaType(map[string]string{dialect.Postgres: "text"})
}

// maybeWord is a short string that may be missing.
func maybeWord(name string) ent.Field {
	return field.String(name).Optional().Nillable().SchemaType(map[string]string{dialect.Postgres: "text"})
}

// table names the table of a type.
func table(name string) []schema.Annotation {
	return []schema.Annotation{entsql.Annotation{Table: name}}
}

// list is an index that serves one filter or sort of one owner's rows.
func list(name string, fields ...string) ent.Index {
	return index.Fields(append([]string{"owner"}, fields...)...).StorageKey(name)
}

// partial is an index that serves one filter of one owner's rows and holds only the rows that meet the condition.
func partial(name, condition string, fields ...string) ent.Index {
	return index.Fields(append([]string{"owner"}, fields...)...).StorageKey(name).Annotations(where(condition))
}

// where makes an index partial. The condition holds literals so that both planners recognise it.
func where(condition string) schema.Annotation { return entsql.IndexWhere(condition) }
