package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
)

// SecretFingerprint identifies the service secret of the database without revealing it. There is at most one row.
type SecretFingerprint struct{ ent.Schema }

// Fields of a secret's fingerprint. Its id is always "service", so that two servers cannot both record theirs.
func (SecretFingerprint) Fields() []ent.Field {
	return []ent.Field{
		field.String("id").Immutable(),
		field.Bytes("fingerprint"),
		instant("recorded_at"),
	}
}

// Annotations of secrets' fingerprints.
func (SecretFingerprint) Annotations() []schema.Annotation { return table("secret_fingerprints") }
