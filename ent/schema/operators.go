package schema

import (
	"entgo.io/ent"
	"entgo.io/ent/dialect"
	"entgo.io/ent/schema"
	"entgo.io/ent/schema/field"
	"entgo.io/ent/schema/index"
)

// Operator is a person or a program that may use the operator API and its pages. The token itself is never stored.
type Operator struct{ ent.Schema }

// Fields of an operator. One without a token comes by a proxy, which has checked who it is.
func (Operator) Fields() []ent.Field {
	return []ent.Field{
		number(),
		word("name"), word("role"),
		field.Bytes("token_sha256").Optional().Nillable().Immutable().Unique().Sensitive(),
		word("last_four"),
		instant("created_at"), maybeInstant("revoked_at"), maybeInstant("last_used_at"),
	}
}

// Indexes of operators. A name is free again once its operator is revoked.
func (Operator) Indexes() []ent.Index {
	return []ent.Index{index.Fields("name").Unique().StorageKey("operators_name").Annotations(where("revoked_at IS NULL"))}
}

// Annotations of operators.
func (Operator) Annotations() []schema.Annotation { return table("operators") }

// OperatorAudit is a change by an operator, or of a key: who made it, and what it changed.
type OperatorAudit struct{ ent.Schema }

// Fields of a row of the audit log. The values before and after are JSON, without secrets and without the personal data of buyers.
func (OperatorAudit) Fields() []ent.Field {
	maybeText := func(name string) ent.Field {
		return field.Text(name).Optional().Nillable().SchemaType(map[string]string{dialect.Postgres: "text"})
	}
	return []ent.Field{
		number(),
		instant("at"),
		word("operator"), word("action"),
		maybeNumber("account_id"), word("target"),
		maybeText("before"), maybeText("after"),
		word("request_id"),
	}
}

// Indexes of the audit log.
func (OperatorAudit) Indexes() []ent.Index {
	return []ent.Index{
		index.Fields("at", "id").StorageKey("operator_audit_at"),
		index.Fields("account_id", "at", "id").StorageKey("operator_audit_account"),
		index.Fields("operator", "at", "id").StorageKey("operator_audit_operator"),
	}
}

// Annotations of the audit log.
func (OperatorAudit) Annotations() []schema.Annotation { return table("operator_audit") }
