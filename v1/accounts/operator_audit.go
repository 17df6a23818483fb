package accounts

import (
	"context"
	"strconv"

	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/operators"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file shows the audit log.

// OperatorBrowseAudit lists the audit log.
var OperatorBrowseAudit = core.NewOp("OperatorBrowseAudit", "GET", "/operator/audit", 200, (*Accounts).operatorBrowseAudit,
	core.Doc("Lists the changes that operators made, and every key that was made, rotated or revoked, the newest first, of the last 365 days. Filters add up."))

// AuditFilter selects changes.
type AuditFilter struct {
	AccountID wire.Opt[wire.ID] `query:"account_id"`
	Operator  wire.Opt[string]  `query:"operator" doc:"who made the change, as the answers name it"`
	Action    wire.Opt[string]  `query:"action"`
	Limit     wire.Opt[int]     `query:"limit" min:"1" max:"200" default:"50"`
	After     wire.Opt[string]  `query:"after" doc:"next_cursor of the page before"`
}

func (in *AuditFilter) filter() operators.Filter {
	return operators.Filter{Account: int64(in.AccountID.V), Operator: in.Operator.V, Action: in.Action.V}
}

// AuditedChange is a change as the audit log has it.
type AuditedChange struct {
	ID        wire.ID                            `json:"id"`
	At        wire.Time                          `json:"at"`
	Operator  string                             `json:"operator" doc:"who made the change: an operator's name, command: and a user of the machine, key: and the prefix of a key that changed itself, or system"`
	Action    string                             `json:"action" doc:"the name of the operation, or the command"`
	AccountID wire.Opt[wire.ID]                  `json:"account_id" doc:"null: no account"`
	Target    string                             `json:"target" doc:"the id of what was changed, empty for none"`
	Before    wire.Opt[wire.Raw[map[string]any]] `json:"before" doc:"what differed before the change; null: it was not there"`
	After     wire.Opt[wire.Raw[map[string]any]] `json:"after" doc:"what differs after the change; null: it is not there any more"`
	RequestID wire.Opt[string]                   `json:"request_id" doc:"null: a command"`
}

func auditedChangeFrom(c operators.Change) AuditedChange {
	value := func(text string) wire.Opt[wire.Raw[map[string]any]] {
		return wire.Opt[wire.Raw[map[string]any]]{V: wire.Raw[map[string]any]{Text: text}, Set: text != ""}
	}
	return AuditedChange{
		ID: wire.ID(c.ID), At: c.At, Operator: c.By, Action: c.Action, AccountID: wire.Opt[wire.ID]{V: wire.ID(c.Account), Set: c.Account != 0}, Target: c.Target,
		Before: value(c.Before), After: value(c.After), RequestID: core.NotEmpty(c.RequestID),
	}
}

// operatorBrowseAudit lists the audit log, the newest change first.
func (s *Accounts) operatorBrowseAudit(ctx context.Context, _ *core.Call, in *AuditFilter) (*rows.Page[AuditedChange], error) {
	f := in.filter()
	scope := rows.Scope("OperatorBrowseAudit", 0, []byte(strconv.FormatInt(f.Account, 10)), []byte(f.Operator), []byte(f.Action))
	after, err := s.Cursors.After(in.After, scope)
	if err != nil {
		return nil, err
	}
	limit := in.Limit.Or(items.DefaultPageSize)
	found, err := operators.Changes(ctx, s.Store.Reader(), f, after, limit+1)
	if err != nil {
		return nil, err
	}
	at := func(c operators.Change) rows.Cursor { return rows.Cursor{Key: int64(c.At), ID: c.ID} }
	return rows.Found(s.Cursors, scope, found, limit, auditedChangeFrom, at), nil
}

// EachAuditedChange yields what operatorBrowseAudit lists, for commands, until the first error.
func (s *Accounts) EachAuditedChange(ctx context.Context, in AuditFilter, yield func(*AuditedChange) error) error {
	for after := (rows.Cursor{}); ; {
		found, err := operators.Changes(ctx, s.Store.Reader(), in.filter(), after, items.MaxPageSize)
		if err != nil {
			return err
		}
		for _, change := range found {
			shown := auditedChangeFrom(change)
			if err := yield(&shown); err != nil {
				return err
			}
			after.Key, after.ID = int64(change.At), change.ID
		}
		if len(found) < items.MaxPageSize {
			return nil
		}
	}
}
