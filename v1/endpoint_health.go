package v1

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"slices"
	"time"

	"sellerd/ent"
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

// Why a webhook is disabled.
const (
	disabledFailing = "failing"
	disabledGone    = "gone"
)

// successEvery is how exactly last_success_at is kept: a healthy endpoint's row is not written for every delivery.
const successEvery = time.Minute

// endpoint is a webhook's health while a group is settled.
type endpoint struct {
	row      ent.Webhook
	changed  bool
	disabled bool // now
}

const healthColumns = `SELECT id, owner, status, failures, failing_since, failing_event_at, last_success_at, paused_until, breaker_level, url
 FROM webhooks WHERE id IN (SELECT id FROM given) ORDER BY id `

var lockHealth = map[string]*rowSet{ // by what makes a claim pass over what others hold; here they are waited for
	"":                       newRowSet(healthColumns, "id bigint"),
	"FOR UPDATE SKIP LOCKED": newRowSet(healthColumns+"FOR UPDATE", "id bigint"),
}

// lockEndpoints loads the health of a group's webhooks, in the order of their ids, before any dispatch is touched: so does
// everybody who changes both.
func (w *settlement) lockEndpoints(ctx context.Context, group []*attempt) (map[int64]*endpoint, error) {
	ids := make([]int64, len(group))
	for i, a := range group {
		ids[i] = a.webhook
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	endpoints := make(map[int64]*endpoint, len(ids))
	err := lockHealth[w.s.store.SkipLocked()].query(ctx, w.client, idSet(ids), func(rows *sql.Rows) error {
		e := &endpoint{}
		r := &e.row
		err := rows.Scan(&r.ID, &r.Owner, &r.Status, &r.Failures, &r.FailingSince, &r.FailingEventAt, &r.LastSuccessAt, &r.PausedUntil, &r.BreakerLevel, &r.URL)
		if r.PausedUntil != nil && !resting(Time(*r.PausedUntil), w.now) && *r.PausedUntil > int64(w.now) {
			r.PausedUntil = nil // from before the clock was set back
		}
		endpoints[r.ID] = e
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("lock webhooks: %w", err)
	}
	return endpoints, nil
}

// note keeps an endpoint's health. What the seller sends by hand tells nothing about it but success.
func (e *endpoint) note(a *attempt, now Time, clockRight bool) {
	switch {
	case a.succeeded():
		e.succeeded(now)
	case a.errorCode == deliveryInterrupted || a.trigger != triggerAutomatic:
	default:
		e.failed(a, now, clockRight)
		switch {
		case a.status == http.StatusGone:
			e.disable(disabledGone)
		case clockRight && e.hopeless(a, now):
			e.disable(disabledFailing)
		default:
			e.rest(a, now)
		}
	}
}

func (e *endpoint) succeeded(now Time) {
	r := &e.row
	if r.Failures == 0 && r.FailingSince == nil && r.BreakerLevel == 0 && r.LastSuccessAt != nil && now.Sub(Time(*r.LastSuccessAt)) < successEvery {
		return
	}
	at := int64(now)
	r.Failures, r.FailingSince, r.FailingEventAt, r.PausedUntil, r.BreakerLevel, r.LastSuccessAt = 0, nil, nil, nil, 0, &at
	e.changed = true
}

// failed counts a failure. Since when there have been failures is not put down by a clock that is not trusted.
func (e *endpoint) failed(a *attempt, now Time, clockRight bool) {
	r := &e.row
	e.changed = true
	r.Failures++
	if r.FailingSince == nil && clockRight {
		since, first := int64(now), int64(a.eventCreated)
		r.FailingSince, r.FailingEventAt = &since, &first
	}
}

// hopeless says whether the endpoint has failed for so long that it is disabled.
func (e *endpoint) hopeless(a *attempt, now Time) bool {
	r := &e.row
	return r.FailingSince != nil && r.FailingEventAt != nil && r.Failures >= disableFailures && now.Sub(Time(*r.FailingSince)) >= disableAfter &&
		a.eventCreated.Sub(Time(*r.FailingEventAt)).Abs() >= disableSpread
}

// rest gives the endpoint the rest it asked for, or that its breaker wants. The breaker opens once for all that was in
// flight, and a further step for each probe that fails.
func (e *endpoint) rest(a *attempt, now Time) {
	r := &e.row
	rest := a.retryAfter
	probe := r.PausedUntil == nil || int64(a.sentAt) >= *r.PausedUntil
	if r.Failures >= breakerFailures && (r.BreakerLevel == 0 || probe) {
		r.BreakerLevel++
		rest = max(rest, min(breakerRest<<min(r.BreakerLevel-1, 10), breakerMost))
	}
	if until := int64(now.Add(rest)); rest > 0 && (r.PausedUntil == nil || *r.PausedUntil < until) {
		r.PausedUntil = &until
	}
}

func (e *endpoint) disable(reason string) {
	if e.row.Status == WebhookActive {
		e.row.Status, e.row.DisabledReason, e.disabled = WebhookDisabled, &reason, true
	}
}

// saveHealth writes what is known of webhooks. Why one was disabled, and when, stays as it is where nothing is given.
var saveHealth = newRowSet(`UPDATE webhooks SET status = given.status, failures = given.failures, failing_since = given.failing_since,
 failing_event_at = given.failing_event_at, last_success_at = given.last_success_at, paused_until = given.paused_until, breaker_level = given.breaker_level,
 disabled_reason = coalesce(given.disabled_reason, webhooks.disabled_reason), updated_at = coalesce(given.updated_at, webhooks.updated_at)
 FROM given WHERE webhooks.id = given.id`,
	"id bigint", "status text", "failures bigint", "failing_since bigint", "failing_event_at bigint", "last_success_at bigint", "paused_until bigint",
	"breaker_level bigint", "disabled_reason text", "updated_at bigint")

// changedHealth is the set for saveHealth. What is on its way to an endpoint that was disabled waits, because nobody
// claims it.
func changedHealth(endpoints map[int64]*endpoint, now Time) (set []any) {
	for _, e := range endpoints {
		if !e.changed {
			continue
		}
		r := &e.row
		var disabled any // when
		if e.disabled {
			disabled = int64(now)
		}
		set = append(set, r.ID, r.Status, r.Failures, r.FailingSince, r.FailingEventAt, r.LastSuccessAt, r.PausedUntil, r.BreakerLevel, r.DisabledReason, disabled)
	}
	return set
}
