package hooks

import (
	"context"
	"math"
	"time"

	"sellerd/ent"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// RecoveryInput is the time whose events are sent again.
type RecoveryInput struct {
	Since wire.Opt[wire.Time] `json:"since" validate:"required" doc:"the beginning, inclusive; at most 30 days ago"`
	Until wire.Opt[wire.Time] `json:"until" doc:"the end, exclusive; by default now"`
}

// RecoverEventsInput asks for the events that a webhook has missed.
type RecoverEventsInput struct {
	ID       wire.WebhookID `path:"id" missing:"webhook_not_found"`
	Recovery RecoveryInput  `body:"json"`
}

// RecoveredEvents says how many events are sent again.
type RecoveredEvents struct {
	RecoveredCount int  `json:"recovered_count"`
	HasMore        bool `json:"has_more" doc:"there are more events than one request takes up: repeat it, without an Idempotency-Key or under a new one"`
}

const (
	// clocksDiffer is how much more than 30 days a recovery may cover, because the clocks of callers differ from the service's.
	clocksDiffer = time.Hour
	// purgeEdge keeps a recovery away from events that are being removed, whose deliveries are removed before them.
	purgeEdge = time.Minute
	// recoverAtMost is how long a recovery takes up events. A caller may ask again for the rest.
	recoverAtMost = 7 * time.Second
)

// checkTime adds the problems of a recovery's time, and returns it.
func (in *RecoveryInput) checkTime(now wire.Time, problems *refusal.Problems) (since, until wire.Time) {
	wire.CheckRules(in, "", problems)
	since, until = in.Since.V, in.Until.Or(math.MaxInt64) // an event can be later than the clock by microseconds
	switch {
	case !in.Since.Set:
	case now.Sub(since) > EventRetention+clocksDiffer:
		problems.Add(refusal.OutOfRange, "since", "must be at most 30 days ago, because events are kept for 30 days")
	case since.Sub(now) > clocksDiffer:
		problems.Add(refusal.OutOfRange, "since", "must be in the past")
	case since >= until:
		problems.Add(refusal.OutOfRange, "until", "must be later than since")
	}
	return since, until
}

// recoverEvents sends a webhook the events of a time again that it has not accepted, the earlier ones first. It takes them up in
// steps, each in a transaction, so that no step holds the owner's row for long. Nothing is doubled by a repetition,
// because an event is left out while it waits for the webhook. So a call that was interrupted can be repeated.
func (s *Webhooks) recoverEvents(ctx context.Context, c *core.Call, in *RecoverEventsInput) (*RecoveredEvents, error) {
	since, until := in.Recovery.checkTime(s.Now(), &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	var (
		out   = &RecoveredEvents{}
		began = s.Config.Uptime()
		step  = recovery{
			webhook: in.ID, at: int64(max(since, s.Now().Add(-EventRetention+purgeEdge))) - 1, id: math.MaxInt64,
			until: int64(until),
		}
	)
	for more := true; more; {
		var next recovery
		var answer *RecoveredEvents
		err := s.AsOwnerWith(ctx, core.Entry{Key: c.KeyName()}, c.Owner, 0, func(ctx context.Context, tx *core.Change) (err error) {
			next, answer = step, &RecoveredEvents{RecoveredCount: out.RecoveredCount}
			found, err := next.run(ctx, s.in(tx), c)
			if err != nil {
				return err
			}
			answer.RecoveredCount += found
			answer.HasMore = next.more
			if more = next.more && s.Config.Uptime()-began < recoverAtMost; more {
				return nil
			}
			return s.Remember(ctx, tx.Client, tx.Now, c, answer)
		})
		if err != nil {
			return nil, err
		}
		out, step = answer, next
		c.IfMatch = "" // deliveries of this step may change the webhook
	}
	return out, nil
}

// recovery is how far a recovery has come.
type recovery struct {
	webhook wire.WebhookID
	at, id  int64 // of the last event that it looked at
	until   int64
	more    bool
}

// run does the next step, and says how many events it has planned.
func (r *recovery) run(ctx context.Context, tx Change, c *core.Call) (int, error) {
	hook, err := tx.loadWebhook(ctx, c, r.webhook)
	if err != nil {
		return 0, err
	}
	if err := c.Permit(hookNeeds(hook), ""); err != nil {
		return 0, err
	}
	var events []delivery.Event
	if events, r.more, err = delivery.NextEvents(ctx, tx.Client, int64(tx.Owner), hook.ID, r.at, r.id, r.until); err != nil {
		return 0, err
	}
	wants, err := cause.Subscriptions(ctx, tx.Client, []*ent.Webhook{hook}, func(yield func(*cause.Event) bool) {
		for i := range events {
			if !yield(&events[i].Event) {
				return
			}
		}
	})
	if err != nil {
		return 0, err
	}
	var dispatches, deliveries []any
	planned := 0
	for i := range events {
		e := &events[i]
		r.at, r.id = e.CreatedAt, e.ID
		if e.AcceptedOrWaits || !wants[0].Wants(&e.Event) || !tx.s.formatKnows(hook.Format, e.Type, e.Body) {
			continue
		}
		id, attempt, resource := tx.s.IDs.Ordered(), tx.s.IDs.Ordered(), resourceID(e.ResourceType, e.Resource)
		dispatches = append(dispatches, id, e.ID, hook.ID, attempt, e.ResourceType+"/"+resource, e.Sequence)
		deliveries = core.AppendAttempt(deliveries, tx.Cause.Trace, attempt, id, hook.ID, e.ID, e.Type, resource, hook.URL)
		planned++
	}
	return planned, tx.Plan(ctx, delivery.TriggerRecovery, dispatches, deliveries)
}
