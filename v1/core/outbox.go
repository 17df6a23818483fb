package core

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sellerd/ent"
	entdelivery "sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/ent/owner"
	"sellerd/ent/webhook"
	"sellerd/internal/base/tracing"
	"sellerd/v1/cause"
	"sellerd/v1/delivery"
	"sellerd/v1/feed"
	"sellerd/v1/rows"
)

// The outbox: the events of a change are written in the transaction of the change, each event once and with a
// dispatch for every subscription that wants it. Nothing about an event lives in memory only; package delivery takes it
// from there.

// pendingEvent is an event that a change will append.
type pendingEvent struct {
	cause.Event
	id       int64
	resource EventResource
	number   int64  // of the resource
	trace    string // of the cause
}

// flush appends the events of changes to the outbox.
func flush(ctx context.Context, s *Core, client *ent.Client, changes []*Change) error {
	var appended []any
	subscriptions := make([][]cause.Subscription, len(changes))
	for i, tx := range changes {
		var err error
		if subscriptions[i], err = tx.subscriptions(ctx); err != nil {
			return err
		}
		appended = slices.Grow(appended, eventColumns*len(tx.events))
		var owner, now any = int64(tx.Owner), int64(tx.Now)
		for i := range tx.events {
			e := &tx.events[i]
			appended = append(appended, owner, now, e.id, e.Type, e.resource.Type, e.number, e.resource.Sequence, e.Body)
			appended = e.AppendColumns(appended)
		}
	}
	if err := eventInsert.Rows(s.Store.Late(ctx), client, nil, appended); err != nil {
		return fmt.Errorf("append events: %w", err)
	}
	for i, tx := range changes {
		if err := tx.dispatch(ctx, subscriptions[i]); err != nil {
			return err
		}
	}
	return nil
}

// subscriptions are the owner's webhooks, if the change has events. They are read before the outbox is written, because a read
// would end the row of statements that PostgreSQL gets together with the COMMIT.
func (tx *Change) subscriptions(ctx context.Context) ([]cause.Subscription, error) {
	if len(tx.events) == 0 || tx.Webhooks == 0 {
		return nil, nil
	}
	found, err := tx.Webhook.Query().Where(webhook.Owner(int64(tx.Owner))).
		Select(webhook.FieldID, webhook.FieldURL, webhook.FieldEvents, webhook.FieldFormat, webhook.FieldSkipKeyIds, webhook.FieldChanged).
		Order(ent.Asc(webhook.FieldID)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load webhooks: %w", err)
	}
	return cause.Subscriptions(ctx, tx.Client, found, func(yield func(*cause.Event) bool) {
		for i := range tx.events {
			if !yield(&tx.events[i].Event) {
				return
			}
		}
	})
}

// eventColumns is how many columns an event has.
const eventColumns = 10

var (
	eventInsert = rows.NewInsert(event.Table, nil, []string{
		event.FieldOwner, event.FieldCreatedAt, event.FieldID, event.FieldType, event.FieldResourceType, event.FieldResourceID, event.FieldSequence, event.FieldBody,
		event.FieldKeyID, event.FieldChanged, // cause.Event.AppendColumns
	}, nil)
	dispatchInsert = rows.NewInsert(dispatch.Table,
		[]string{dispatch.FieldOwner, dispatch.FieldDueAt, dispatch.FieldCreatedAt, dispatch.FieldExpiresAt, dispatch.FieldTrigger},
		[]string{
			dispatch.FieldID, dispatch.FieldEventID, dispatch.FieldWebhookID, dispatch.FieldDeliveryID, dispatch.FieldResource,
			dispatch.FieldSequence,
		},
		[][2]string{
			{dispatch.FieldStatus, "'pending'"},
			{dispatch.FieldAttempts, "0"},
			{dispatch.FieldFailures, "0"},
			{dispatch.FieldLease, "0"},
			{dispatch.FieldBlocked, "false"},
		})
	attemptInsert = rows.NewInsert(entdelivery.Table,
		[]string{entdelivery.FieldOwner, entdelivery.FieldScheduledAt, entdelivery.FieldCreatedAt, entdelivery.FieldTrigger},
		[]string{
			entdelivery.FieldID, entdelivery.FieldDispatchID, entdelivery.FieldWebhookID, entdelivery.FieldEventID, entdelivery.FieldEventType,
			entdelivery.FieldResourceID, entdelivery.FieldURL, entdelivery.FieldRequestHeaders,
		},
		[][2]string{
			{entdelivery.FieldAttempt, "1"},
			{entdelivery.FieldStatus, "'scheduled'"},
			{entdelivery.FieldFinal, "false"},
			{entdelivery.FieldResponseBody, "''"},
			{entdelivery.FieldResponseTruncated, "false"},
		})
)

// AppendAttempt appends a first attempt for Plan. In a service that is traced, the attempt's headers have the trace from the beginning.
func AppendAttempt(deliveries []any, trace string, id, dispatch, webhook, event int64, eventType, resource, url string) []any {
	return append(deliveries, id, dispatch, webhook, event, eventType, resource, url, tracing.Headers(trace))
}

// dispatch sends the change's events on their way to the owner's subscriptions.
func (tx *Change) dispatch(ctx context.Context, subscriptions []cause.Subscription) error {
	var dispatches, deliveries []any
	for i := range subscriptions {
		row := &subscriptions[i]
		for i := range tx.events {
			event := &tx.events[i]
			if !row.Wants(&event.Event) || !tx.s.writes(row.Format, event.Type, event.Body) {
				continue
			}
			id, attempt := tx.s.IDs.Ordered(), tx.s.IDs.Ordered()
			dispatches = append(dispatches, id, event.id, row.ID, attempt, event.resource.Type+"/"+event.resource.ID, event.resource.Sequence)
			deliveries = AppendAttempt(deliveries, event.trace, attempt, id, row.ID, event.id, event.Type, event.resource.ID, row.URL)
		}
	}
	return tx.Plan(ctx, delivery.TriggerAutomatic, dispatches, deliveries)
}

// Plan stores dispatches with their first attempts, which are due at once.
func (tx *Change) Plan(ctx context.Context, trigger string, dispatches, deliveries []any) error {
	if len(dispatches) == 0 {
		return nil
	}
	now := int64(tx.Clock)
	if err := dispatchInsert.Rows(tx.s.Store.Late(ctx), tx.Client, []any{
		int64(tx.Owner), now, now, int64(tx.Clock.Add(delivery.DispatchLife)),
		trigger,
	}, dispatches); err != nil {
		return fmt.Errorf("dispatch events: %w", err)
	}
	if err := attemptInsert.Rows(tx.s.Store.Late(ctx), tx.Client, []any{int64(tx.Owner), now, now, trigger}, deliveries); err != nil {
		return fmt.Errorf("schedule deliveries: %w", err)
	}
	tx.Wake(DelivererWorker)
	return nil
}

// newWaiters makes what waits for the events of changes. Where no other process changes the database, none is asked for changes.
func (s *Core) newWaiters() *feed.Waiters {
	if !s.Store.ManyWriters() {
		return feed.NewWaiters(nil)
	}
	return feed.NewWaiters(s.lastChanges)
}

var lastChanges = rows.NewSet(`SELECT `+owner.FieldID+`, `+owner.FieldLastChangeAt+` FROM `+owner.Table+` WHERE `+owner.FieldID+` IN (SELECT id FROM given)`, owner.FieldID+" bigint")

// lastChanges reads the instants of the last changes of owners.
func (s *Core) lastChanges(ctx context.Context, owners []int64, each func(owner, at int64)) error {
	return lastChanges.Query(ctx, s.Store.Reader(), rows.IDs(owners), func(found *sql.Rows) error {
		var owner, at int64
		if err := found.Scan(&owner, &at); err != nil {
			return err
		}
		each(owner, at)
		return nil
	})
}

// MaxWebhooks is how many subscriptions an account may have in each mode.
const MaxWebhooks = 20
