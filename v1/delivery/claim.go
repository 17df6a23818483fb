package delivery

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/wrap"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file claims what can start now. A claim locks the webhooks it claims for, before their dispatches, as everything
// does that changes both (settle.go, a PATCH, a DELETE). So on PostgreSQL, too, the rules for one endpoint (how many
// attempts at once, one event of a resource, one probe) hold over all processes.

// Bounds of one claim: endpoints, and dispatches looked at for each. A claim is small, because it holds the writer and
// what it took is sent at launchBurst's pace. When others hold its endpoints it looks at the next ones, so that a process
// that stands still with its locks holds up no other process.
const (
	claimEndpoints  = 12
	claimParts      = 8
	claimCandidates = 4 * SlotsPerEndpoint
)

// claim is a claim while its transaction runs.
type claim struct {
	e          *Engine
	client     *ent.Client
	now        wire.Time
	uptime     time.Duration
	token      int64
	queue      *queue
	slots      *Slots
	clockRight bool

	attempts []*Attempt
	again    bool // something was put aside, or an endpoint was left out that another worker holds: look again at once
	changed  bool // something was taken, or put in its place
	recalled int  // how many dispatches were made due

	// The rows that the statements of rows.go are given.
	leased, started, numbered, parked []any
	given, cancelled                  []any // dispatches that are given up, and their deliveries
	unblocked                         []any
}

// Claim leases what can start now: never more than there are free slots for, and never two of one resource at an
// endpoint. Each attempt is on record as sending before anything leaves. It says whether to look again at once.
func (e *Engine) Claim(ctx context.Context, slots *Slots) (attempts []*Attempt, again bool, err error) {
	taken := slots.snapshot()
	if taken.all >= slotsInAll {
		return nil, false, nil
	}
	uptime, now, queue := e.config.Uptime(), e.now(), allPending
	if taken.retries >= SlotsForRetries {
		queue = firstPending // or the retries that have no room would hide what stands behind them
	}
	work, err := e.dueEndpoints(ctx, now, queue)
	if err != nil {
		return nil, false, err
	}
	if len(work.orphaned) > 0 {
		if again, err = e.clearOrphans(ctx, work.orphaned); err != nil {
			return nil, false, err
		}
	}
	due := slices.DeleteFunc(work.endpoints, func(e dueEndpoint) bool { all, _ := taken.free(&e); return all == 0 })
	if len(due) == 0 {
		return nil, again, nil
	}
	token, err := lease.NewToken(e.config.Random)
	if err != nil {
		return nil, false, err
	}
	var c *claim
	write, cancel := lease.Detached(ctx)
	defer cancel()
	err = e.config.Store.Write(write, func(ctx context.Context, client *ent.Client) error {
		c = &claim{
			e: e, client: client, now: now, uptime: uptime, token: token, queue: queue, slots: taken.snapshot(),
			clockRight: e.clockRight(),
		}
		for part := range slices.Chunk(due[:min(len(due), claimParts*claimEndpoints)], claimEndpoints) {
			if err := c.run(ctx, part); err != nil || c.changed {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if c != nil && len(c.attempts) > 0 {
			e.unanswered.Note(token, uptime+leaseTime)
		}
		return nil, false, fmt.Errorf("claim deliveries: %w", err)
	}
	crash.At(crash.AfterDeliveryClaim)
	// The attempts belong to this worker now. Neither the end of the program nor a database that does not answer may leave
	// them without one: what cannot be read is not sent, and settled as interrupted.
	read, cancel := lease.Detached(ctx)
	defer cancel()
	if err := e.loadEvents(read, c.attempts); err != nil {
		e.config.Logger.Error("claimed deliveries cannot be sent", "deliveries", len(c.attempts), "error", err)
		for _, a := range c.attempts {
			a.unread = true
		}
	}
	return c.attempts, again || c.again || len(due) > claimEndpoints && c.changed, nil
}

// clearOrphans cancels a chunk of what a deleted webhook has left, and says whether there may be more of it, or of others.
func (e *Engine) clearOrphans(ctx context.Context, webhooks []int64) (more bool, err error) {
	err = e.config.Store.Write(ctx, func(ctx context.Context, client *ent.Client) (err error) {
		more, err = e.CancelOrphans(ctx, client, webhooks[0])
		return err
	})
	return more || len(webhooks) > 1, err
}

// run goes through the endpoints, longest due first, and then writes what was decided.
func (c *claim) run(ctx context.Context, due []dueEndpoint) error {
	if err := c.lock(ctx, due); err != nil {
		return err
	}
	for i := range due {
		if e := &due[i]; e.locked {
			if err := c.choose(ctx, e); err != nil {
				return fmt.Errorf("webhook %d: %w", e.id, err)
			}
		}
	}
	c.changed = c.recalled+len(c.leased)+len(c.parked)+len(c.given)+len(c.numbered) > 0
	return rows.ExecAll(c.e.config.Store.Late(ctx), c.client, []rows.For{
		{Statement: c.e.on(numberDispatches), Set: c.numbered},
		{Statement: c.e.on(leaseDispatches), Set: c.leased},
		{Statement: c.e.on(startDeliveries), Set: c.started},
		{Statement: c.e.on(parkDispatches), Set: c.parked},
		{Statement: c.e.on(dropDispatches), Set: c.given},
		{Statement: c.e.on(cancelDeliveries), Set: c.cancelled},
		{Statement: c.e.wakeNext(), Set: c.unblocked},
	})
}

// lock locks the endpoints and looks at how they are now. Those that another worker holds stay unlocked.
func (c *claim) lock(ctx context.Context, due []dueEndpoint) error {
	byID := make(map[int64]*dueEndpoint, len(due))
	ids := make([]int64, len(due))
	for i := range due {
		ids[i] = due[i].id
		byID[ids[i]] = &due[i]
		due[i].locked, due[i].leased = false, 0
	}
	var locked []ent.Webhook
	err := c.e.lockForClaim.Query(ctx, c.client, rows.IDs(ids), func(rows *sql.Rows) error {
		var row ent.Webhook
		err := rows.Scan(&row.ID, &row.Status, &row.PausedUntil, &row.BreakerLevel, &row.ResumedAt, &row.Resuming,
			&row.URL, &row.Format, &row.Secret, &row.PreviousSecret, &row.PreviousSecretUntil)
		locked = append(locked, row)
		return err
	})
	if err != nil {
		return fmt.Errorf("lock webhooks: %w", err)
	}
	c.again = c.again || len(locked) < len(due)
	for i := range locked {
		if err := c.look(ctx, byID[locked[i].ID], &locked[i]); err != nil {
			return err
		}
	}
	err = countLeased.Query(ctx, c.client, rows.IDs(ids), func(rows *sql.Rows) error {
		var id int64
		var n int
		err := rows.Scan(&id, &n)
		byID[id].leased = n
		return err
	})
	return wrap.Err(err, "count what is in flight")
}

// look decides what may be sent to an endpoint that is locked now. One with a secret that does not open rests: that the
// program was started with a wrong key must cost no event one of its attempts.
func (c *claim) look(ctx context.Context, e *dueEndpoint, row *ent.Webhook) (err error) {
	e.locked, e.url, e.format, e.probing, e.latest = true, row.URL, row.Format, row.BreakerLevel > 0, int64(c.now)
	if row.Status != WebhookActive || row.PausedUntil != nil && resting(wire.Time(*row.PausedUntil), c.now) {
		e.latest = 0 // only what was asked for by hand
	}
	if row.ResumedAt != nil {
		e.renewed = wire.Time(*row.ResumedAt).Add(DispatchLife) + 1 // later than of anything that was there before, however quick it went
	}
	if e.secrets, err = c.e.liveSecrets(row); err != nil {
		c.e.config.Logger.Error("a webhook cannot be signed", "webhook", wire.WebhookID(row.ID).String(), "error", err)
		e.latest = -1
		return c.restUnsigned(ctx, row.ID)
	}
	if e.latest == 0 {
		return nil
	}
	return c.recall(ctx, e, row.Resuming)
}

// restUnsigned lets an endpoint rest, and what was sent to it by hand with it: that waits for the webhook to be active, too.
func (c *claim) restUnsigned(ctx context.Context, id int64) error {
	for _, text := range []string{restWebhook, c.e.restByHand()} {
		if _, err := c.client.ExecContext(ctx, text, int64(c.now.Add(unsignedRest)), id); err != nil {
			return fmt.Errorf("rest webhook %d: %w", id, err)
		}
	}
	return nil
}

// candidate is a due dispatch.
type candidate struct {
	Attempt
	eventSequence int64  // of the event, where the dispatch does not say
	blockedUntil  *int64 // when the one that it has to wait for is due
}

// choose goes through an endpoint's due dispatches, and takes what there are slots for.
func (c *claim) choose(ctx context.Context, e *dueEndpoint) error {
	all, retries := c.slots.free(e)
	if all == 0 {
		return nil
	}
	taken := 0
	return rows.Query(ctx, c.client, c.queue.dispatches, []any{e.id, e.latest}, func(rows *sql.Rows) error {
		var a candidate
		if err := rows.Scan(&a.Dispatch, &a.delivery, &a.event, &a.Number, &a.failures, &a.trigger, &a.resource, &a.sequence,
			&a.eventSequence, &a.expires, &a.eventCreated, &a.blockedUntil); err != nil {
			return err
		}
		a.webhook, a.owner = e.id, e.owner
		if a.expires < e.renewed {
			a.expires, a.failures = e.renewed, 0
		}
		switch {
		case a.eventCreated == 0, !byHand(a.trigger) && a.expires <= c.now && c.clockRight:
			c.giveUp(&a.Attempt) // too old, or its event is not kept any more
		case a.resource != "" && a.sequence == 0 && a.eventSequence > 0: // a program from before sequences were stored made it
			c.numbered = append(c.numbered, a.Dispatch, a.eventSequence)
			c.again = true
		case a.blockedUntil != nil:
			c.parked = append(c.parked, a.Dispatch, max(*a.blockedUntil, int64(c.now.Add(blockedPatience))))
			c.again = true
		case taken == all, a.Number > 0 && retries == 0:
		default:
			if a.Number > 0 {
				retries--
			}
			taken++
			c.take(&a.Attempt, e)
		}
		return nil
	})
}

// take leases a dispatch.
func (c *claim) take(a *Attempt, e *dueEndpoint) {
	a.Number++
	a.token, a.claimedUptime, a.claimedAt = c.token, c.uptime, c.now
	a.url, a.format, a.secrets = e.url, e.format, e.secrets
	c.leased = append(c.leased, a.Dispatch, a.token, int64(c.now.Add(leaseTime)), a.Number, a.failures, int64(a.expires))
	c.started = append(c.started, a.delivery, int64(c.now), a.url)
	c.slots.Take(a)
	c.attempts = append(c.attempts, a)
}

// giveUp ends a dispatch that became too old before it could be sent again.
func (c *claim) giveUp(a *Attempt) {
	c.again = true
	c.given, c.cancelled = append(c.given, a.Dispatch), append(c.cancelled, a.delivery)
	c.unblocked = append(c.unblocked, a.webhook, a.resource, a.sequence, int64(c.now))
}
