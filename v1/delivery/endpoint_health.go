package delivery

import (
	"context"
	"database/sql"
	"maps"
	"net/http"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/ent/webhook"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file keeps an endpoint's health: its breaker, the rests it asks for, and its end. All of it is in the database, so
// that a restart keeps it and several processes share it.

// The endpoint's breaker opens after breakerFailures failures in a row and then lets one attempt through after
// breakerRest, which doubles up to breakerMost until one succeeds.
const (
	breakerFailures = 5
	breakerRest     = 30 * time.Second
	breakerMost     = 30 * time.Minute
)

// A webhook is disabled when nothing succeeded for disableAfter, with at least disableFailures failures, of events
// that lie disableSpread apart: not for one bad night, nor for one bad event.
const (
	disableAfter    = 5 * 24 * time.Hour
	disableFailures = 20
	disableSpread   = 12 * time.Hour
)

// successEvery is how exactly last_success_at is kept: a healthy endpoint's row is not written for every delivery.
const successEvery = time.Minute

// health is a webhook's health while a group is settled.
type health struct {
	row      ent.Webhook
	changed  bool
	disabled bool // now
}

// settledWebhooks are the webhooks given, with what is known of their health.
var settledWebhooks = `SELECT ` + columnNames(webhook.FieldID, webhook.FieldOwner, webhook.FieldStatus, webhook.FieldFailures, webhook.FieldFailingSince,
	webhook.FieldFailingEventAt, webhook.FieldLastSuccessAt, webhook.FieldPausedUntil, webhook.FieldBreakerLevel, webhook.FieldURL) + `
 FROM ` + webhook.Table + ` WHERE ` + webhook.FieldID + ` IN (SELECT id FROM given) ORDER BY ` + webhook.FieldID

// lockEndpoints loads the health of a group's webhooks, in the order of their ids, before any dispatch is touched: so does
// everything that changes both.
func (s *settlement) lockEndpoints(ctx context.Context, group []*Attempt) (map[int64]*health, error) {
	webhooks := map[int64]bool{}
	for _, a := range group {
		webhooks[a.webhook] = true
	}
	endpoints := make(map[int64]*health, len(webhooks))
	err := s.e.lockForSettling.Query(ctx, s.client, rows.IDs(slices.Sorted(maps.Keys(webhooks))), func(rows *sql.Rows) error {
		h := &health{}
		r := &h.row
		err := rows.Scan(&r.ID, &r.Owner, &r.Status, &r.Failures, &r.FailingSince, &r.FailingEventAt, &r.LastSuccessAt, &r.PausedUntil,
			&r.BreakerLevel, &r.URL)
		if r.PausedUntil != nil && !resting(wire.Time(*r.PausedUntil), s.now) && *r.PausedUntil > int64(s.now) {
			r.PausedUntil = nil // from before the clock was set back
		}
		endpoints[r.ID] = h
		return err
	})
	return endpoints, wrap.Err(err, "lock webhooks")
}

// note keeps an endpoint's health. What the seller sends by hand tells nothing about it but success.
func (h *health) note(a *Attempt, now wire.Time, clockRight bool) {
	switch {
	case a.succeeded():
		h.succeeded(a, now)
	case a.errorCode == codeInterrupted || byHand(a.trigger):
	default:
		h.failed(a, now, clockRight)
		switch {
		case a.status == http.StatusGone:
			h.disable(disabledGone)
		case clockRight && h.hopeless(a, now):
			h.disable(disabledFailing)
		default:
			h.rest(a, now)
		}
	}
}

// succeeded notes that the endpoint works. A success of an attempt that began before a rest was over does not end that rest, and the endpoint
// counts as failing until then. What the seller sent by hand ends it: the seller tries the receiver, and it works.
func (h *health) succeeded(a *Attempt, now wire.Time) {
	r := &h.row
	if r.Failures == 0 && r.FailingSince == nil && r.PausedUntil == nil && r.BreakerLevel == 0 && r.LastSuccessAt != nil &&
		now.Sub(wire.Time(*r.LastSuccessAt)) < successEvery {
		return
	}
	at, event := int64(now), int64(a.eventCreated)
	r.Failures, r.BreakerLevel, r.LastSuccessAt, h.changed = 0, 0, &at, true
	switch {
	case h.rested(a) || byHand(a.trigger):
		r.PausedUntil, r.FailingSince, r.FailingEventAt = nil, nil, nil
	case r.FailingSince != nil: // not since before this success
		r.FailingSince, r.FailingEventAt = &at, &event
	}
}

// failed counts a failure. Since when there have been failures is not put down by a clock that is not trusted.
func (h *health) failed(a *Attempt, now wire.Time, clockRight bool) {
	r := &h.row
	h.changed = true
	r.Failures++
	if r.FailingSince == nil && clockRight {
		since, first := int64(now), int64(a.eventCreated)
		r.FailingSince, r.FailingEventAt = &since, &first
	}
}

// hopeless says whether the endpoint has failed for so long that it is disabled.
func (h *health) hopeless(a *Attempt, now wire.Time) bool {
	r := &h.row
	return r.FailingSince != nil && r.FailingEventAt != nil && r.Failures >= disableFailures &&
		now.Sub(wire.Time(*r.FailingSince)) >= disableAfter &&
		a.eventCreated.Sub(wire.Time(*r.FailingEventAt)).Abs() >= disableSpread
}

// rest gives the endpoint the rest it asked for, or that its breaker wants. The breaker opens once for all that was in
// flight, and a further step for each probe that fails.
func (h *health) rest(a *Attempt, now wire.Time) {
	r := &h.row
	rest := a.retryAfter
	if r.Failures >= breakerFailures && (r.BreakerLevel == 0 || h.rested(a)) {
		r.BreakerLevel++
		rest = max(rest, min(breakerRest<<min(r.BreakerLevel-1, 10), breakerMost))
	}
	if until := int64(now.Add(rest)); rest > 0 && (r.PausedUntil == nil || *r.PausedUntil < until) {
		r.PausedUntil = &until
	}
}

// rested says whether an attempt began after the endpoint's rest.
func (h *health) rested(a *Attempt) bool {
	return h.row.PausedUntil == nil || int64(a.claimedAt) >= *h.row.PausedUntil
}

func (h *health) disable(reason string) {
	if h.row.Status == WebhookActive {
		h.row.Status, h.row.DisabledReason, h.disabled = WebhookDisabled, &reason, true
	}
}

// saveHealth writes what is known of webhooks. Why one was disabled, and when, stays as it is where nothing is given.
var saveHealth = rows.NewSet(`UPDATE `+webhook.Table+` SET `+
	assign(webhook.FieldStatus, webhook.FieldFailures, webhook.FieldFailingSince)+`,
 `+assign(webhook.FieldFailingEventAt, webhook.FieldLastSuccessAt, webhook.FieldPausedUntil, webhook.FieldBreakerLevel)+`,
 `+orKeep(webhook.FieldDisabledReason)+`, `+orKeep(webhook.FieldUpdatedAt)+`
 FROM given WHERE `+webhook.Table+`.`+webhook.FieldID+` = given.id`,
	webhook.FieldID+bigint, webhook.FieldStatus+text, webhook.FieldFailures+bigint, webhook.FieldFailingSince+bigint, webhook.FieldFailingEventAt+bigint,
	webhook.FieldLastSuccessAt+bigint, webhook.FieldPausedUntil+bigint, webhook.FieldBreakerLevel+bigint, webhook.FieldDisabledReason+text,
	webhook.FieldUpdatedAt+bigint)

// orKeep sets a column of webhooks to what is given, or leaves it as it is.
func orKeep(name string) string {
	return name + ` = coalesce(given.` + name + `, ` + webhook.Table + `.` + name + `)`
}

// changedHealth are the rows for saveHealth. What is on its way to an endpoint that was disabled waits, because it is not
// claimed.
func changedHealth(endpoints map[int64]*health, now wire.Time) (rows []any) {
	for _, h := range endpoints {
		if r := &h.row; h.changed {
			rows = append(rows, r.ID, r.Status, r.Failures, r.FailingSince, r.FailingEventAt, r.LastSuccessAt, r.PausedUntil, r.BreakerLevel,
				r.DisabledReason, nullUnless(h.disabled, int64(now)))
		}
	}
	return rows
}
