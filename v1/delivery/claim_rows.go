package delivery

import (
	"strconv"

	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/ent/webhook"
	"sellerd/v1/rows"
)

// This file has the statements of a claim. Each names the columns of the rows that it is given, in their order.

// claimedWebhooks are the webhooks given, as a claim looks at them.
var claimedWebhooks = `SELECT ` + columnNames(webhook.FieldID, webhook.FieldStatus, webhook.FieldPausedUntil, webhook.FieldBreakerLevel, webhook.FieldResumedAt,
	webhook.FieldResuming, webhook.FieldURL, webhook.FieldFormat, webhook.FieldSecret, webhook.FieldPreviousSecret, webhook.FieldPreviousSecretUntil) + `
 FROM ` + webhook.Table + ` WHERE ` + webhook.FieldID + ` IN (SELECT id FROM given) ORDER BY ` + webhook.FieldID

// countLeased counts the attempts of all processes that are in flight, by webhook.
var countLeased = rows.NewSet(`SELECT given.id, `+countOf(isLeased, `given.id`)+` FROM given WHERE given.id IS NOT NULL`, webhook.FieldID+bigint)

// leaseDispatches takes dispatches, and with each the right to end the attempt that begins.
var leaseDispatches = rows.NewSets(`UPDATE `+dispatch.Table+` SET `+dispatch.FieldStatus+` = '`+DispatchLeased+`', `+
	assign(dispatch.FieldLease, dispatch.FieldDueAt)+`, `+dispatch.FieldAttempts+` = given.number, `+
	assign(dispatch.FieldFailures, dispatch.FieldExpiresAt)+`, `+dispatch.FieldBlocked+` = false FROM given WHERE `+
	rows.Each(dispatch.Table)+` AND `+rows.Hidden(dispatch.FieldStatus)+` = '`+DispatchPending+`'`,
	dispatch.FieldID+bigint, dispatch.FieldLease+bigint, dispatch.FieldDueAt+bigint, "number"+bigint, dispatch.FieldFailures+bigint, dispatch.FieldExpiresAt+bigint)

// startDeliveries puts the attempts that begin on record.
var startDeliveries = rows.NewSets(moveDeliveries(Scheduled, Sending, assign(delivery.FieldStartedAt, delivery.FieldURL)),
	delivery.FieldID+bigint, delivery.FieldStartedAt+bigint, delivery.FieldURL+text)

// numberDispatches stores the place of an event in its resource.
var numberDispatches = rows.NewSets(`UPDATE `+dispatch.Table+` SET `+assign(dispatch.FieldSequence)+` FROM given WHERE `+
	rows.Each(dispatch.Table), dispatch.FieldID+bigint, dispatch.FieldSequence+bigint)

// parkDispatches puts off dispatches that wait for an earlier one of their resource.
var parkDispatches = rows.NewSets(`UPDATE `+dispatch.Table+` SET `+assign(dispatch.FieldDueAt)+`, `+dispatch.FieldBlocked+` = true FROM given WHERE `+
	rows.Each(dispatch.Table), dispatch.FieldID+bigint, dispatch.FieldDueAt+bigint)

// wakeNext lets the next event of the same resource go, once the one given, which ended now, does not stand before it any more: the
// text for PostgreSQL, and that for SQLite (see rows.Sets).
var wakeNext = [2]*rows.Set{
	newWakeNext(`ctid = ANY(ARRAY(SELECT (SELECT n.ctid`, `) FROM given))`),
	newWakeNext(dispatch.FieldID+` IN (SELECT (SELECT n.`+dispatch.FieldID, `) FROM given)`),
}

func newWakeNext(chosen, end string) *rows.Set {
	return rows.NewSet(`UPDATE `+dispatch.Table+` SET `+dispatch.FieldDueAt+` = (SELECT max(now) FROM given), `+dispatch.FieldBlocked+` = false WHERE `+chosen+
		` FROM `+dispatch.Table+` n WHERE n.`+dispatch.FieldWebhookID+` = given.webhook_id AND n.`+dispatch.FieldResource+` = given.resource
 AND n.`+dispatch.FieldSequence+` > given.sequence ORDER BY n.`+dispatch.FieldSequence+` LIMIT 1`+end+`
 AND `+dispatch.FieldBlocked+` AND `+rows.Hidden(dispatch.FieldStatus)+` = '`+DispatchPending+`'`,
		dispatch.FieldWebhookID+bigint, dispatch.FieldResource+text, dispatch.FieldSequence+bigint, "now"+bigint)
}

// dropDispatches deletes dispatches that came to their end.
var dropDispatches = rows.NewSets(`DELETE FROM `+dispatch.Table+` WHERE `+rows.Any(dispatch.Table), dispatch.FieldID+bigint)

// The statements that end deliveries before an outcome is known: those that never began, and those in flight.
var (
	cancelDeliveries = rows.NewSets(moveDeliveries(Scheduled, Cancelled, delivery.FieldFinal+` = true, `+delivery.FieldNextAttemptAt+` = NULL`),
		delivery.FieldID+bigint)
	interruptDeliveries = rows.NewSets(moveDeliveries(Sending, Interrupted,
		delivery.FieldFinal+` = true, `+delivery.FieldErrorCode+` = '`+codeInterrupted+`'`),
		delivery.FieldID+bigint)
)

// moveDeliveries is a statement that makes one of the moves of the table, on the deliveries given.
func moveDeliveries(from, to, with string) string {
	if err := allowMove(from, to); err != nil {
		panic(err)
	}
	return `UPDATE ` + delivery.Table + ` SET ` + delivery.FieldStatus + ` = '` + to + `', ` + with + ` FROM given WHERE ` +
		rows.Each(delivery.Table) + ` AND ` + rows.Hidden(delivery.FieldStatus) + ` = '` + from + `'`
}

// loadBodies are the deliveries given, each with its headers, which have the trace alone until it is sent, and with the event as it is
// sent.
var loadBodies = rows.NewSets(`SELECT `+columns(delivery.Table, delivery.FieldID, delivery.FieldRequestHeaders)+`,
 coalesce((SELECT e.`+event.FieldBody+` FROM `+event.Table+` e WHERE e.`+event.FieldID+` >= `+delivery.Table+`.`+delivery.FieldEventID+
	` AND e.`+event.FieldID+` <= `+delivery.Table+`.`+delivery.FieldEventID+` ORDER BY e.`+event.FieldID+` LIMIT 1), '')
 FROM `+delivery.Table+` WHERE `+rows.Any(delivery.Table), delivery.FieldID+bigint)

// dueDispatches finds an endpoint's next dispatches, with those that must wait for an earlier one of their resource: with
// when that is due. Arguments: the webhook, and until when a dispatch must be due.
func dueDispatches(pending string) string {
	return `SELECT ` + columns("d", dispatch.FieldID, dispatch.FieldDeliveryID, dispatch.FieldEventID, dispatch.FieldAttempts, dispatch.FieldFailures,
		dispatch.FieldTrigger, dispatch.FieldResource, dispatch.FieldSequence) + `,
 coalesce(e.` + event.FieldSequence + `, 0), d.` + dispatch.FieldExpiresAt + `, coalesce(e.` + event.FieldCreatedAt + `, 0),
 (SELECT p.` + dispatch.FieldDueAt + ` FROM ` + dispatch.Table + ` p
 WHERE d.` + dispatch.FieldResource + ` <> '' AND p.` + dispatch.FieldWebhookID + ` = d.` + dispatch.FieldWebhookID +
		` AND p.` + dispatch.FieldResource + ` = d.` + dispatch.FieldResource + ` AND p.` + dispatch.FieldSequence + ` < d.` + dispatch.FieldSequence + `
 ORDER BY p.` + dispatch.FieldSequence + ` LIMIT 1)
 FROM ` + dispatch.Table + ` d LEFT JOIN ` + event.Table + ` e ON e.` + event.FieldID + ` = d.` + dispatch.FieldEventID + `
 WHERE ` + pending + ` AND d.` + dispatch.FieldWebhookID + ` = $1 AND d.` + dispatch.FieldDueAt + ` <= $2
 ORDER BY ` + columns("d", dispatch.FieldDueAt, dispatch.FieldID) + ` LIMIT ` + strconv.Itoa(claimCandidates)
}

// restByHand lets what was sent by hand to a webhook rest. Arguments: until when, and the webhook.
func (e *Engine) restByHand() string {
	return `UPDATE ` + dispatch.Table + ` SET ` + dispatch.FieldDueAt + ` = $1 WHERE ` + e.chosen(`SELECT d.%s FROM `+dispatch.Table+` d WHERE `+isPending+` AND d.`+
		dispatch.FieldWebhookID+` = $2 AND d.`+dispatch.FieldDueAt+` = 0 ORDER BY d.`+dispatch.FieldID)
}

// restWebhook lets a webhook rest. Arguments: until when, and the webhook.
const restWebhook = `UPDATE ` + webhook.Table + ` SET ` + webhook.FieldPausedUntil + ` = $1 WHERE ` + webhook.FieldID + ` = $2 AND
 coalesce(` + webhook.FieldPausedUntil + `, 0) < $1`
