package core

import (
	"context"
	"errors"
	"fmt"

	"sellerd/v1/keycheck"
	"sellerd/v1/rows"
)

// This file answers calls that began with a remembered row of the key (package keycheck). Such a call has a claim, which is
// confirmed before anything is stored or answered: by a read's own statement, by the transaction that stores a submission, or
// by one more statement if there was none of these.

// claiming does the work on a call, which may claim a remembered row. If the row has changed, all work is done again with the
// row as it is now. If that cannot be found out, the call fails as if its key could not be read: without a caller and limits.
// ctx ends before request. The time in which the caller sent a body slowly is added to it.
func (s *Core) claiming(ctx, request context.Context, c *Call, work func(context.Context) (any, error)) (any, error) {
	before := *c
	c.claims = true
	out, err := work(ctx)
	if c.Claim == nil {
		return out, err
	}
	if c.sent != nil && c.sent.took >= slowBody {
		deadline, _ := ctx.Deadline()
		later, cancel := context.WithDeadline(request, deadline.Add(c.sent.took))
		defer cancel()
		ctx = later
	}
	unconfirmed := s.confirm(ctx, c, err)
	if unconfirmed == nil {
		return out, err
	}
	claim, changed := c.Claim, errors.Is(unconfirmed, keycheck.ErrChanged)
	if c.Charged && (changed || request.Err() == nil) { // a caller that leaves has had the work done
		s.refund(ctx, c)
	}
	*c = before
	TraceFrom(ctx).Account = 0
	if !changed {
		return nil, unconfirmed
	}
	s.Keys.Forget(claim.ID, claim.Row)
	return work(ctx)
}

// confirm makes sure that the claim of a call is confirmed, whether its work succeeded or failed with err. Then it notes that
// the key is used.
func (s *Core) confirm(ctx context.Context, c *Call, err error) error {
	if errors.Is(err, keycheck.ErrChanged) {
		return err
	}
	if err := s.CheckClaim(ctx, c); err != nil {
		return err
	}
	s.noteUse(c.Claim.Row, c.Claim.ID)
	for _, do := range c.onceAdmitted {
		do()
	}
	return nil
}

// CheckClaim confirms the claim of a call now, if it has an open one.
func (s *Core) CheckClaim(ctx context.Context, c *Call) error {
	if !c.Claim.Open() {
		return nil
	}
	if err := c.Claim.Check(ctx, s.Store); err != nil {
		return fmt.Errorf("authenticate: %w", err)
	}
	return nil
}

// ConfirmBy lets the statement of a page confirm the call's claim. It does not if the page has no rows.
func (c *Call) ConfirmBy(l *rows.List) *rows.List {
	if c.Claim.Open() {
		text, args, target := c.Claim.Column()
		l.Also(text, args, target, c.Claim.Confirm)
	}
	return l
}

// OnceAdmitted calls a function as soon as it is certain that the caller is admitted: now, or when the claim of the call is
// confirmed. It is not called if the work on the call is done again, or if the caller is refused.
func (c *Call) OnceAdmitted(do func()) {
	if c.Claim.Open() {
		c.onceAdmitted = append(c.onceAdmitted, do)
		return
	}
	do()
}
