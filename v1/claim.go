package v1

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"time"

	"sellerd/ent"
	"sellerd/internal/crash"
	"sellerd/v1/lease"
)

// This file claims what can start now. A claim locks the webhooks it claims for, before their dispatches, as does
// everybody who changes both (settle.go, a PATCH, a DELETE). So on PostgreSQL, too, the rules for one endpoint (how many
// attempts at once, one event of a resource, one probe) hold over all processes.

// deliveryLease is how long a worker has for an attempt, three times what one can take.
const deliveryLease = time.Minute

// blockedPatience is how soon at most a dispatch that waits for an earlier one of its resource is looked at again. The
// earlier one's end wakes it before.
const blockedPatience = 5 * time.Second

// Bounds of one claim: endpoints, and dispatches looked at for each. A claim is small, because it holds the writer and
// what it took is sent at launchBurst's pace. When others have their hands on its endpoints it looks at the next ones, so
// that a process that stands still with its locks holds up nobody else's.
const (
	claimEndpoints  = 12
	claimParts      = 8
	claimCandidates = 4 * slotsPerEndpoint
)

// claim is what a worker took, and whether it should look again at once: it put something aside, or left out an endpoint
// that another worker had its hands on.
type claim struct {
	attempts []*attempt
	again    bool
}

// claimDeliveries leases what can start now: never more than there are free slots for, and never two of one resource at
// an endpoint. The attempt is on record as sending before anything leaves.
func (s *Service) claimDeliveries(ctx context.Context, flying *flights) (claim, error) {
	slots := flying.copy()
	if slots.all >= slotsInAll {
		return claim{}, nil
	}
	claimed, now, kind := s.Uptime(), s.now(), anyAttempt
	if slots.retries >= slotsForRetries {
		kind = firstAttempt // or the retries that have no room would hide what stands behind them
	}
	work, err := s.dueEndpoints(ctx, now, kind)
	if err != nil {
		return claim{}, err
	}
	more := false
	if len(work.orphaned) > 0 {
		if more, err = s.clearOrphans(ctx, work.orphaned); err != nil {
			return claim{}, err
		}
	}
	due := slices.DeleteFunc(work.endpoints, func(e dueEndpoint) bool { all, _ := slots.room(&e); return all == 0 })
	if len(due) == 0 {
		return claim{again: more}, nil
	}
	token, err := lease.NewToken(s.Random)
	if err != nil {
		return claim{}, err
	}
	var w *claimWork
	write, cancel := lease.Detached(ctx)
	defer cancel()
	err = s.store.Write(write, func(ctx context.Context, client *ent.Client) error {
		w = &claimWork{s: s, client: client, now: now, claimed: claimed, token: token, kind: kind, slots: slots.copy(), clockRight: s.trustClock() == nil}
		for part := range slices.Chunk(due[:min(len(due), claimParts*claimEndpoints)], claimEndpoints) {
			if err := w.run(ctx, part); err != nil || w.changed {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if w != nil && len(w.attempts) > 0 {
			s.lostDeliveries.Note(token, claimed+deliveryLease)
		}
		return claim{}, fmt.Errorf("claim deliveries: %w", err)
	}
	w.again = w.again || more || len(due) > claimEndpoints && w.changed
	crash.At(crash.AfterDeliveryClaim)
	// They are ours now. Whoever wants the program to end, and a database that does not answer, must not leave them without
	// anybody: what cannot be read is not sent, and settled as interrupted.
	read, cancel := lease.Detached(ctx)
	defer cancel()
	if err := s.loadEvents(read, w.attempts); err != nil {
		s.Logger.Error("claimed deliveries cannot be sent", "deliveries", len(w.attempts), "error", err)
		for _, a := range w.attempts {
			a.unread = true
		}
	}
	return w.claim, nil
}

// clearOrphans cancels a chunk of what a deleted webhook has left, and says whether there may be more of it, or of others.
func (s *Service) clearOrphans(ctx context.Context, webhooks []int64) (more bool, err error) {
	err = s.store.Write(ctx, func(ctx context.Context, client *ent.Client) (err error) {
		more, err = s.cancelOrphans(ctx, client, webhooks[0])
		return err
	})
	return more || len(webhooks) > 1, err
}

// claimWork is a claim while its transaction runs.
type claimWork struct {
	s          *Service
	client     *ent.Client
	now        Time
	claimed    time.Duration // by the uptime
	token      int64
	kind       attemptKind
	slots      *flights
	clockRight bool

	claim
	changed                    bool // something was taken, or put in its place
	recalled                   int
	leased, sending, parked    []any // rows for the statements
	given, cancelled, numbered []any
	unblocked                  []any // of what is given up
}

const lockDueColumns = `SELECT id, status, paused_until, breaker_level, resumed_at, resuming, url, format, secret, previous_secret, previous_secret_until
 FROM webhooks WHERE id IN (SELECT id FROM given) ORDER BY id `

var (
	lockDue = map[string]*rowSet{ // by what makes a claim pass over what others hold
		"":                       newRowSet(lockDueColumns, "id bigint"),
		"FOR UPDATE SKIP LOCKED": newRowSet(lockDueColumns+"FOR UPDATE SKIP LOCKED", "id bigint"),
	}
	countLeased = newRowSet(`SELECT webhook_id, count(*) FROM dispatches WHERE status = 'leased' AND webhook_id IN (SELECT id FROM given) GROUP BY webhook_id`,
		"id bigint")
	leaseDispatches = newRowSet(`UPDATE dispatches SET status = 'leased', lease = given.lease, due_at = given.due_at, attempts = given.number,
 failures = given.failures, expires_at = given.expires_at, blocked = false FROM given WHERE dispatches.id = given.id AND status = 'pending'`,
		"id bigint", "lease bigint", "due_at bigint", "number bigint", "failures bigint", "expires_at bigint")
	startDeliveries = newRowSet(moveDeliveries(DeliveryScheduled, DeliverySending, `started_at = given.started_at, url = given.url`),
		"id bigint", "started_at bigint", "url text")
	numberDispatches = newRowSet(`UPDATE dispatches SET sequence = given.sequence FROM given WHERE dispatches.id = given.id`, "id bigint", "sequence bigint")
	parkDispatches   = newRowSet(`UPDATE dispatches SET due_at = given.due_at, blocked = true FROM given WHERE dispatches.id = given.id`, "id bigint", "due_at bigint")
)

// moveDeliveries is a statement that makes one of the moves of the table, on the deliveries given.
func moveDeliveries(from, to, with string) string {
	if err := allow(DeliveryTransitions, from, to); err != nil {
		panic(err)
	}
	return `UPDATE deliveries SET status = '` + to + `', ` + with + ` FROM given WHERE deliveries.id = given.id AND status = '` + from + `'`
}

// run goes through the endpoints, longest due first, and then writes what was decided.
func (w *claimWork) run(ctx context.Context, due []dueEndpoint) error {
	if err := w.lock(ctx, due); err != nil {
		return err
	}
	for i := range due {
		if e := &due[i]; e.locked {
			if err := w.claimAt(ctx, e); err != nil {
				return fmt.Errorf("webhook %d: %w", e.id, err)
			}
		}
	}
	w.changed = w.recalled+len(w.leased)+len(w.parked)+len(w.given)+len(w.numbered) > 0
	return execAll(ctx, w.client, []rowsFor{
		{numberDispatches, w.numbered},
		{leaseDispatches, w.leased},
		{startDeliveries, w.sending},
		{parkDispatches, w.parked},
		{dropDispatches, w.given},
		{dropDeliveries, w.cancelled},
		{wakeNext, w.unblocked},
	})
}

// lock locks the endpoints and looks at how they are now. Those that another worker has its hands on stay unlocked.
func (w *claimWork) lock(ctx context.Context, due []dueEndpoint) error {
	byID := make(map[int64]*dueEndpoint, len(due))
	ids := make([]int64, len(due))
	for i := range due {
		ids[i] = due[i].id
		byID[ids[i]] = &due[i]
		due[i].locked, due[i].inFlight = false, 0
	}
	var locked []ent.Webhook
	err := lockDue[w.s.store.SkipLocked()].query(ctx, w.client, idSet(ids), func(rows *sql.Rows) error {
		var row ent.Webhook
		err := rows.Scan(&row.ID, &row.Status, &row.PausedUntil, &row.BreakerLevel, &row.ResumedAt, &row.Resuming, &row.URL, &row.Format, &row.Secret, &row.PreviousSecret, &row.PreviousSecretUntil)
		locked = append(locked, row)
		return err
	})
	if err != nil {
		return fmt.Errorf("lock webhooks: %w", err)
	}
	w.again = w.again || len(locked) < len(due)
	for i := range locked {
		if err := w.look(ctx, byID[locked[i].ID], &locked[i]); err != nil {
			return err
		}
	}
	err = countLeased.query(ctx, w.client, idSet(ids), func(rows *sql.Rows) error {
		var id int64
		var n int
		err := rows.Scan(&id, &n)
		byID[id].inFlight = n
		return err
	})
	if err != nil {
		return fmt.Errorf("count what is in flight: %w", err)
	}
	return nil
}

// unsignedRest is how long an endpoint rests whose secret does not open.
const unsignedRest = time.Minute

// look decides what may be sent to an endpoint that is locked now. One whose secret does not open rests: that the
// program was started with a wrong key must cost no event one of its attempts.
func (w *claimWork) look(ctx context.Context, e *dueEndpoint, row *ent.Webhook) (err error) {
	e.locked, e.url, e.format, e.probing, e.latest = true, row.URL, row.Format, row.BreakerLevel > 0, int64(w.now)
	if row.Status != WebhookActive || row.PausedUntil != nil && resting(Time(*row.PausedUntil), w.now) {
		e.latest = 0 // only what was asked for by hand
	}
	if row.ResumedAt != nil {
		e.renewed = Time(*row.ResumedAt).Add(dispatchLife) + 1 // later than of anything that was there before, however quick it went
	}
	if e.secrets, err = w.s.liveSecrets(row); err != nil {
		w.s.Logger.Error("a webhook cannot be signed", "webhook", WebhookID(row.ID).String(), "error", err)
		e.latest = -1
		return w.restUnsigned(ctx, row.ID)
	}
	if e.latest == 0 {
		return nil
	}
	return w.recall(ctx, e, row.Resuming)
}

// restUnsigned lets an endpoint rest, and what was sent to it by hand with it: that waits for the webhook to be active, too.
func (w *claimWork) restUnsigned(ctx context.Context, id int64) error {
	for _, text := range []string{
		`UPDATE webhooks SET paused_until = $1 WHERE id = $2 AND coalesce(paused_until, 0) < $1`,
		`UPDATE dispatches SET due_at = $1 WHERE status = 'pending' AND webhook_id = $2 AND due_at = 0`,
	} {
		if _, err := w.client.ExecContext(ctx, text, int64(w.now.Add(unsignedRest)), id); err != nil {
			return fmt.Errorf("rest webhook %d: %w", id, err)
		}
	}
	return nil
}

// candidate is a due dispatch, with when the one it has to wait for is due.
type candidate struct {
	attempt
	blockedUntil *int64
}

// dueDispatches finds an endpoint's next dispatches, with those that must wait for an earlier one of their resource.
var dueDispatches = map[attemptKind]string{anyAttempt: dueDispatchesOf(anyAttempt), firstAttempt: dueDispatchesOf(firstAttempt)}

func dueDispatchesOf(kind attemptKind) string {
	return `SELECT d.id, d.delivery_id, d.event_id, d.attempts, d.failures, d.trigger, d.resource, d.sequence, coalesce(e.sequence, 0), d.expires_at, coalesce(e.created_at, 0),
 (SELECT p.due_at FROM dispatches p WHERE d.resource <> '' AND p.webhook_id = d.webhook_id AND p.resource = d.resource AND p.sequence < d.sequence
 ORDER BY p.sequence LIMIT 1)
 FROM dispatches d LEFT JOIN events e ON e.id = d.event_id
 WHERE ` + kind.pending() + ` AND d.webhook_id = $1 AND d.due_at <= $2 ORDER BY d.due_at, d.id LIMIT ` + strconv.Itoa(claimCandidates)
}

// claimAt chooses among an endpoint's due dispatches.
func (w *claimWork) claimAt(ctx context.Context, e *dueEndpoint) error {
	all, retries := w.slots.room(e)
	if all == 0 {
		return nil
	}
	taken := 0
	return queryRows(ctx, w.client, dueDispatches[w.kind], []any{e.id, e.latest}, func(rows *sql.Rows) error {
		var c candidate
		var sequence int64
		if err := rows.Scan(&c.dispatch, &c.delivery, &c.event, &c.number, &c.failures, &c.trigger, &c.resource, &c.sequence, &sequence, &c.expires, &c.eventCreated,
			&c.blockedUntil); err != nil {
			return err
		}
		c.webhook, c.owner = e.id, e.owner
		if c.expires < e.renewed {
			c.expires, c.failures = e.renewed, 0
		}
		switch {
		case c.eventCreated == 0, c.trigger == triggerAutomatic && c.expires <= w.now && w.clockRight:
			w.giveUp(&c.attempt) // too old, or its event is not kept any more
		case c.resource != "" && c.sequence == 0 && sequence > 0: // a program from before sequences were stored made it
			w.numbered = append(w.numbered, c.dispatch, sequence)
			w.again = true
		case c.blockedUntil != nil:
			w.parked = append(w.parked, c.dispatch, max(*c.blockedUntil, int64(w.now.Add(blockedPatience))))
			w.again = true
		case taken == all, c.number > 0 && retries == 0:
		default:
			if c.number > 0 {
				retries--
			}
			taken++
			w.take(&c.attempt, e)
		}
		return nil
	})
}

// take leases a dispatch.
func (w *claimWork) take(a *attempt, e *dueEndpoint) {
	a.number++
	a.claimed, a.lease, a.sentAt, a.url, a.format, a.secrets = w.claimed, w.token, w.now, e.url, e.format, e.secrets
	w.leased = append(w.leased, a.dispatch, a.lease, int64(w.now.Add(deliveryLease)), a.number, a.failures, int64(a.expires))
	w.sending = append(w.sending, a.delivery, int64(w.now), a.url)
	w.slots.start(a)
	w.attempts = append(w.attempts, a)
}

// giveUp ends a dispatch that became too old before it could be sent again.
func (w *claimWork) giveUp(a *attempt) {
	w.again = true
	w.given, w.cancelled = append(w.given, a.dispatch), append(w.cancelled, a.delivery)
	w.unblocked = append(w.unblocked, a.webhook, a.resource, a.sequence, int64(w.now))
}

var eventBodies = newRowSet(`SELECT e.id, e.type, e.body FROM events e WHERE e.id IN (SELECT id FROM given)`, "id bigint")

// loadEvents reads what is sent. It comes after the claim's commit, to keep the writer free.
func (s *Service) loadEvents(ctx context.Context, attempts []*attempt) error {
	byEvent := make(map[int64][]*attempt, len(attempts))
	var ids []int64
	for _, a := range attempts {
		if byEvent[a.event] == nil {
			ids = append(ids, a.event)
		}
		byEvent[a.event] = append(byEvent[a.event], a)
	}
	err := eventBodies.query(ctx, s.store.Reader(), idSet(ids), func(rows *sql.Rows) error {
		var id int64
		var kind, body string
		err := rows.Scan(&id, &kind, &body)
		for _, a := range byEvent[id] {
			a.kind, a.body = kind, body
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("load events: %w", err)
	}
	s.tellLegacy(ctx, attempts)
	return nil
}
