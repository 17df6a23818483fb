package v1

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sellerd/ent"
	entdelivery "sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/webhook"
	"sellerd/v1/delivery"
	"sellerd/v1/rows"
)

// The outbox: what a change tells the world is written in the transaction of the change, each event once and with a
// dispatch for every subscription that wants it. Nothing about an event lives in memory only; package delivery takes it
// from there.

// pendingEvent is an event that a change will append.
type pendingEvent struct {
	create   *ent.EventCreate
	id       int64
	kind     string
	body     string
	resource EventResource
}

// flush appends the change's events to the outbox.
func (tx *Change) flush(ctx context.Context) error {
	for set := range slices.Chunk(tx.events, 500) {
		creates := make([]*ent.EventCreate, len(set))
		for i := range set {
			creates[i] = set[i].create
		}
		if err := tx.Event.CreateBulk(creates...).Exec(ctx); err != nil {
			return fmt.Errorf("append events: %w", err)
		}
	}
	if len(tx.events) == 0 || tx.webhooks == 0 {
		return nil
	}
	return tx.dispatch(ctx)
}

var (
	dispatchInsert = rows.NewInsert(dispatch.Table,
		[]string{dispatch.FieldOwner, dispatch.FieldDueAt, dispatch.FieldCreatedAt, dispatch.FieldExpiresAt},
		[]string{dispatch.FieldID, dispatch.FieldEventID, dispatch.FieldWebhookID, dispatch.FieldDeliveryID, dispatch.FieldResource, dispatch.FieldSequence},
		[][2]string{{dispatch.FieldStatus, "'pending'"}, {dispatch.FieldTrigger, "'automatic'"}, {dispatch.FieldAttempts, "0"}, {dispatch.FieldFailures, "0"}, {dispatch.FieldLease, "0"}, {dispatch.FieldBlocked, "false"}})
	firstAttemptInsert = rows.NewInsert(entdelivery.Table,
		[]string{entdelivery.FieldOwner, entdelivery.FieldScheduledAt, entdelivery.FieldCreatedAt},
		[]string{
			entdelivery.FieldID, entdelivery.FieldDispatchID, entdelivery.FieldWebhookID, entdelivery.FieldEventID, entdelivery.FieldEventType,
			entdelivery.FieldResourceID, entdelivery.FieldURL,
		},
		[][2]string{
			{entdelivery.FieldAttempt, "1"},
			{entdelivery.FieldTrigger, "'automatic'"},
			{entdelivery.FieldStatus, "'scheduled'"},
			{entdelivery.FieldFinal, "false"},
			{entdelivery.FieldRequestHeaders, "''"},
			{entdelivery.FieldResponseBody, "''"},
			{entdelivery.FieldResponseTruncated, "false"},
		})
)

// dispatch sends the change's events on their way to the owner's subscriptions.
func (tx *Change) dispatch(ctx context.Context) error {
	subscriptions, err := tx.Webhook.Query().Where(webhook.Owner(int64(tx.Owner))).
		Select(webhook.FieldID, webhook.FieldURL, webhook.FieldEvents, webhook.FieldFormat).Order(ent.Asc(webhook.FieldID)).All(ctx)
	if err != nil {
		return fmt.Errorf("load webhooks: %w", err)
	}
	var dispatches, deliveries []any
	for _, row := range subscriptions {
		wanted, err := Raw[[]string]{Text: row.Events}.Value()
		if err != nil {
			return fmt.Errorf("webhook %d: %w", row.ID, err)
		}
		for _, event := range tx.events {
			if !wantsEvent(wanted, event.kind) || !tx.s.formatKnows(row.Format, event.kind, event.body) {
				continue
			}
			id, attempt := tx.s.ids.Ordered(), tx.s.ids.Ordered()
			dispatches = append(dispatches, id, event.id, row.ID, attempt, event.resource.Type+"/"+event.resource.ID, event.resource.Sequence)
			deliveries = append(deliveries, attempt, id, row.ID, event.id, event.kind, event.resource.ID, row.URL)
		}
	}
	if len(dispatches) == 0 {
		return nil
	}
	now := int64(tx.Clock)
	if err := dispatchInsert.Rows(ctx, tx.Client, []any{int64(tx.Owner), now, now, int64(tx.Clock.Add(delivery.DispatchLife))}, dispatches); err != nil {
		return fmt.Errorf("dispatch events: %w", err)
	}
	if err := firstAttemptInsert.Rows(ctx, tx.Client, []any{int64(tx.Owner), now, now}, deliveries); err != nil {
		return fmt.Errorf("schedule deliveries: %w", err)
	}
	tx.wake(delivererWorker)
	return nil
}

// wantsEvent says whether a subscription to some names and patterns (item.*, *) includes an event.
func wantsEvent(wanted []string, event string) bool {
	family, _, _ := strings.Cut(event, ".")
	return slices.ContainsFunc(wanted, func(name string) bool { return name == event || name == "*" || name == family+".*" })
}
