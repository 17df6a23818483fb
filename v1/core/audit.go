package core

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/internal/base/wrap"
	"sellerd/v1/operators"
	"sellerd/v1/secret"
	"sellerd/v1/wire"
)

// This file writes the audit log: a row for each change by an operator, and for each key that is made, rotated or revoked, in the
// transaction of the change.

// Audited is a change as the audit log has it. What it was before and is after are pointers to values that can be JSON, nil for what is not
// there. Personal data of buyers are left out of them; the caller leaves out secrets.
type Audited struct {
	Account       int64
	Target        string // the id of what was changed
	Before, After any
	Key           string // the prefix of the target, if that is a key: it may have changed itself
}

// ActsItself is who acts where neither a request nor a command does: the program, which makes the demo.
const ActsItself = "system"

// Actor is who acts where no request does: a command.
type Actor struct {
	Name   string // such as command:anna
	Action string // such as accounts suspend
}

// Audit stores a change in its transaction. IDs.Prepare must have succeeded.
func (s *Core) Audit(ctx context.Context, tx *ent.Client, a Audited) error {
	before, err := auditedText(a.Before)
	if err != nil {
		return err
	}
	after, err := auditedText(a.After)
	if err != nil {
		return err
	}
	trace := TraceFrom(ctx)
	return operators.Note(ctx, tx, operators.Change{
		ID: s.IDs.Ordered(), At: s.Now(), By: cmp.Or(trace.Operator.Name, s.Config.Actor.Name, ownKey(trace, a), ActsItself),
		Action: cmp.Or(trace.Operation, s.Config.Actor.Action, ActsItself), Account: a.Account, Target: a.Target, Before: before, After: after,
		RequestID: trace.RequestID,
	})
}

// ownKey is the key of the request, if it is the one that was changed.
func ownKey(trace *Trace, a Audited) string {
	if a.Key == "" || trace.Key != a.Target {
		return ""
	}
	return "key:" + a.Key
}

func auditedText(v any) (string, error) {
	if v == nil {
		return "", nil
	}
	text, err := wire.WithoutPersonal(v)
	return text, wrap.Err(err, "leave personal data out of the audit log")
}

// WriteAudited is Store.Write for a change that the audit log has. fn makes the change, and says what it is.
func (s *Core) WriteAudited(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) (Audited, error)) error {
	if err := s.IDs.Prepare(ctx); err != nil {
		return err
	}
	return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		change, err := fn(ctx, tx)
		if err != nil {
			return err
		}
		return s.Audit(ctx, tx, change)
	})
}

// ReplaceSecret is Keeper.Replace with a row of the audit log.
func (s *Core) ReplaceSecret(ctx context.Context) (*secret.Replaced, error) {
	if err := s.IDs.Prepare(ctx); err != nil {
		return nil, err
	}
	return s.Secret.Replace(ctx, func(ctx context.Context, tx *ent.Client, replaced *secret.Replaced) error {
		return s.Audit(ctx, tx, Audited{Target: "secret", After: replaced})
	})
}

// Snapshot reads what an operator's call changes, as the audit log shows it: a pointer, or nil while it is not there.
type Snapshot func(ctx context.Context, tx *ent.Client) (any, error)

// Audits names what the operator's call changes. DoAs takes a snapshot before the change and one after it.
func (c *Call) Audits(target string, snapshot Snapshot) { c.target, c.snapshot = target, snapshot }

// audited runs the rule of an operator's call between its snapshots, and stores what it changed.
func (s *Core) audited(ctx context.Context, tx *Change, c *Call, rule func() error) error {
	shown := func() (any, error) {
		if c.snapshot == nil {
			return nil, nil
		}
		return c.snapshot(ctx, tx.Client)
	}
	before, err := shown()
	if err != nil {
		return fmt.Errorf("read what an operator changes: %w", err)
	}
	if err := rule(); err != nil {
		return err
	}
	after, err := shown()
	if err != nil {
		return fmt.Errorf("read what an operator has changed: %w", err)
	}
	return s.Audit(ctx, tx.Client, Audited{Account: tx.Owner.Account(), Target: c.target, Before: before, After: after})
}
