package core

import (
	"context"
	"errors"
	"time"

	"sellerd/internal/base/wrap"
	"sellerd/v1/keycheck"
	"sellerd/v1/rows"
)

// This file lets calls in early. Most calls of an operation that claims begin with a row of their key that this process
// remembers (package keycheck), and save the statement that reads it. Such a call has a claim: the row is as it was. The claim is
// confirmed before anything is stored or answered: by a read's own statement, by the transaction that stores a submission, or
// by one more statement if there was none of these. If the row has changed, all work is done again with the row as it is now.

// admission is how a call was let in, and what it keeps in case that its work is done again.
type admission struct {
	Claim   *keycheck.Claim // to be confirmed before the answer; nil if the row of the key was read
	Charged bool            // the request was charged to the caller's budget

	mayClaim     bool
	onceAdmitted []func() // to be called when the claim is confirmed
	body         sentBody
}

// sentBody is what was read of a body, and how long that took. It is read once, even if the work is done twice.
type sentBody struct {
	read bool
	text []byte
	err  error
	took time.Duration
}

// slowBody is the time after which the sending of a body counts as slow. The work then gets that time in addition.
const slowBody = time.Second

// slow says whether the caller took long to send the body.
func (b *sentBody) slow() bool { return b.took >= slowBody }

// once returns what read returned the first time.
func (b *sentBody) once(read func() ([]byte, error)) ([]byte, error) {
	if !b.read {
		b.read = true
		b.text, b.err = read()
	}
	return b.text, b.err
}

// moreTime is a context for the rest of the work that has the time which a slow body took in addition. It ends with the request.
func (b *sentBody) moreTime(ctx, request context.Context) (context.Context, context.CancelFunc) {
	deadline, _ := ctx.Deadline()
	return context.WithDeadline(request, deadline.Add(b.took))
}

// receive reads the input of a call. The work goes on in the context that it returns, which has more time after a slow body. The
// claim is confirmed before that time is spent. A second run has the time already (withClaim).
func (s *Core) receive(ctx, request context.Context, c *Call, read func() error) (context.Context, context.CancelFunc, error) {
	again := c.body.read
	began := s.Config.Uptime()
	err := read()
	c.body.took = max(c.body.took, s.Config.Uptime()-began)
	if err != nil {
		return nil, nil, err
	}
	if again || !c.body.slow() {
		return ctx, func() {}, nil
	}
	later, cancel := c.body.moreTime(ctx, request)
	if err := s.Confirm(later, c); err != nil {
		cancel()
		return nil, nil, err
	}
	return later, cancel, nil
}

// withClaim does the work on a call that may claim. If the row of its key has changed, it does the work again. If that cannot be found
// out, the call fails as if its key could not be read: without a caller and limits. ctx ends before request.
func (s *Core) withClaim(ctx, request context.Context, c *Call, work func(context.Context) (any, error)) (any, error) {
	asked, status := c.Request, c.Meta.Status
	c.mayClaim = true
	out, err := work(ctx)
	if c.Claim == nil {
		return out, err
	}
	if c.body.slow() {
		later, cancel := c.body.moreTime(ctx, request)
		defer cancel()
		ctx = later
	}
	unconfirmed := s.settle(ctx, c, err)
	if unconfirmed == nil {
		return out, err
	}
	claim, changed := c.Claim, errors.Is(unconfirmed, keycheck.ErrChanged)
	if c.Charged && (changed || request.Err() == nil) { // a caller that leaves has had the work done
		s.refund(ctx, c)
	}
	*c = Call{Operator: c.Operator, Request: asked, Meta: Meta{Status: status}, admission: admission{body: c.body}}
	TraceFrom(ctx).Account = 0
	if !changed {
		return nil, unconfirmed
	}
	s.keys.Forget(claim.ID, claim.Row)
	return work(ctx)
}

// settle makes sure that the claim of a call is confirmed, whether its work succeeded or failed with err. Then it notes that the
// key is used.
func (s *Core) settle(ctx context.Context, c *Call, err error) error {
	if errors.Is(err, keycheck.ErrChanged) {
		return err
	}
	if err := s.Confirm(ctx, c); err != nil {
		return err
	}
	s.noteUse(c.Claim.ID, c.Claim.Row.LastUsed)
	for _, do := range c.onceAdmitted {
		do()
	}
	return nil
}

// Confirm confirms the claim of a call now, by a statement of its own, if the call has an open one. It returns keycheck.ErrChanged
// if the row of the key has changed: a rule passes that on, and all work on the call is done again.
func (s *Core) Confirm(ctx context.Context, c *Call) error {
	if !c.Claim.Open() {
		return nil
	}
	return wrap.Err(c.Claim.Check(ctx, s.Store), "authenticate")
}

// ConfirmBy lets the statement of a page confirm the call's claim, and returns the list. A page without rows confirms nothing.
func (a *admission) ConfirmBy(l *rows.List) *rows.List {
	if a.Claim.Open() {
		text, args, target := a.Claim.Column()
		l.Also(text, args, target, a.Claim.Confirm)
	}
	return l
}

// OnceAdmitted calls a function as soon as it is certain that the caller is admitted: now, or when the claim of the call is
// confirmed. It is not called if the work on the call is done again, or if the caller is refused.
func (a *admission) OnceAdmitted(do func()) {
	if a.Claim.Open() {
		a.onceAdmitted = append(a.onceAdmitted, do)
		return
	}
	do()
}
