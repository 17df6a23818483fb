package delivery

import (
	"strconv"

	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/ent/webhook"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file has the statements of a claim, and the rows that they are given.

// claimedWebhooks are the webhooks given, as a claim looks at them. It needs its lock added.
var claimedWebhooks = `SELECT ` + columnNames(webhook.FieldID, webhook.FieldStatus, webhook.FieldPausedUntil, webhook.FieldBreakerLevel, webhook.FieldResumedAt,
	webhook.FieldResuming, webhook.FieldURL, webhook.FieldFormat, webhook.FieldSecret, webhook.FieldPreviousSecret, webhook.FieldPreviousSecretUntil) + `
 FROM ` + webhook.Table + ` WHERE ` + webhook.FieldID + ` IN (SELECT id FROM given) ORDER BY ` + webhook.FieldID + ` `

// countLeased counts the attempts of all processes that are in flight, by webhook.
var countLeased = rows.NewSet(`SELECT `+dispatch.FieldWebhookID+`, count(*) FROM `+dispatch.Table+
	` WHERE `+dispatch.FieldStatus+` = '`+DispatchLeased+`' AND `+dispatch.FieldWebhookID+` IN (SELECT id FROM given) GROUP BY `+dispatch.FieldWebhookID,
	webhook.FieldID+bigint)

// leaseDispatches takes dispatches, and with each the right to end the attempt that begins.
var leaseDispatches = rows.NewSet(`UPDATE `+dispatch.Table+` SET `+dispatch.FieldStatus+` = '`+DispatchLeased+`', `+
	assign(dispatch.FieldLease, dispatch.FieldDueAt)+`, `+dispatch.FieldAttempts+` = given.number, `+
	assign(dispatch.FieldFailures, dispatch.FieldExpiresAt)+`, `+dispatch.FieldBlocked+` = false FROM given WHERE `+
	dispatch.Table+`.`+dispatch.FieldID+` = given.id AND `+dispatch.FieldStatus+` = '`+DispatchPending+`'`,
	dispatch.FieldID+bigint, dispatch.FieldLease+bigint, dispatch.FieldDueAt+bigint, "number"+bigint, dispatch.FieldFailures+bigint, dispatch.FieldExpiresAt+bigint)

type leaseRow struct {
	dispatch, token  int64
	until            wire.Time
	number, failures int
	expires          wire.Time
}

func (r leaseRow) appendTo(set []any) []any {
	return append(set, r.dispatch, r.token, int64(r.until), r.number, r.failures, int64(r.expires))
}

// startDeliveries puts the attempts that begin on record.
var startDeliveries = rows.NewSet(moveDeliveries(Scheduled, Sending, assign(delivery.FieldStartedAt, delivery.FieldURL)),
	delivery.FieldID+bigint, delivery.FieldStartedAt+bigint, delivery.FieldURL+text)

type startRow struct {
	delivery int64
	at       wire.Time
	url      string
}

func (r startRow) appendTo(set []any) []any { return append(set, r.delivery, int64(r.at), r.url) }

// numberDispatches stores the place of an event in its resource.
var numberDispatches = rows.NewSet(`UPDATE `+dispatch.Table+` SET `+assign(dispatch.FieldSequence)+` FROM given WHERE `+
	dispatch.Table+`.`+dispatch.FieldID+` = given.id`, dispatch.FieldID+bigint, dispatch.FieldSequence+bigint)

type numberRow struct{ dispatch, sequence int64 }

func (r numberRow) appendTo(set []any) []any { return append(set, r.dispatch, r.sequence) }

// parkDispatches puts off dispatches that wait for an earlier one of their resource.
var parkDispatches = rows.NewSet(`UPDATE `+dispatch.Table+` SET `+assign(dispatch.FieldDueAt)+`, `+dispatch.FieldBlocked+` = true FROM given WHERE `+
	dispatch.Table+`.`+dispatch.FieldID+` = given.id`, dispatch.FieldID+bigint, dispatch.FieldDueAt+bigint)

type parkRow struct{ dispatch, due int64 }

func (r parkRow) appendTo(set []any) []any { return append(set, r.dispatch, r.due) }

// wakeNext lets the next event of the same resource go, once the one given does not stand before it any more.
var wakeNext = rows.NewSet(`UPDATE `+dispatch.Table+` SET `+dispatch.FieldDueAt+` = given.now, `+dispatch.FieldBlocked+` = false FROM given
 WHERE `+dispatch.Table+`.`+dispatch.FieldID+` = (SELECT n.`+dispatch.FieldID+` FROM `+dispatch.Table+` n
 WHERE n.`+dispatch.FieldWebhookID+` = given.webhook_id AND n.`+dispatch.FieldResource+` = given.resource
 AND n.`+dispatch.FieldSequence+` > given.sequence ORDER BY n.`+dispatch.FieldSequence+` LIMIT 1)
 AND `+dispatch.Table+`.`+dispatch.FieldBlocked+` AND `+dispatch.Table+`.`+dispatch.FieldStatus+` = '`+DispatchPending+`'`,
	dispatch.FieldWebhookID+bigint, dispatch.FieldResource+text, dispatch.FieldSequence+bigint, "now"+bigint)

// wakeRow is the event that ended, and when.
type wakeRow struct {
	webhook  int64
	resource string
	sequence int64
	now      wire.Time
}

func (r wakeRow) appendTo(set []any) []any {
	return append(set, r.webhook, r.resource, r.sequence, int64(r.now))
}

// dropDispatches deletes dispatches that came to their end.
var dropDispatches = rows.NewSet(`DELETE FROM `+dispatch.Table+` WHERE `+dispatch.FieldID+` IN (SELECT id FROM given)`, dispatch.FieldID+bigint)

// The statements that end deliveries before an outcome is known: those that never began, and those in flight.
var (
	cancelDeliveries = rows.NewSet(moveDeliveries(Scheduled, Cancelled, delivery.FieldFinal+` = true, `+delivery.FieldNextAttemptAt+` = NULL`),
		delivery.FieldID+bigint)
	interruptDeliveries = rows.NewSet(moveDeliveries(Sending, Interrupted,
		delivery.FieldFinal+` = true, `+delivery.FieldErrorCode+` = '`+codeInterrupted+`'`),
		delivery.FieldID+bigint)
)

// moveDeliveries is a statement that makes one of the moves of the table, on the deliveries given.
func moveDeliveries(from, to, with string) string {
	if err := allowMove(from, to); err != nil {
		panic(err)
	}
	return `UPDATE ` + delivery.Table + ` SET ` + delivery.FieldStatus + ` = '` + to + `', ` + with + ` FROM given WHERE ` +
		delivery.Table + `.` + delivery.FieldID + ` = given.id AND ` + delivery.FieldStatus + ` = '` + from + `'`
}

// loadBodies are the events given, as they are sent.
var loadBodies = rows.NewSet(`SELECT `+columns("e", event.FieldID, event.FieldBody)+` FROM `+event.Table+` e WHERE e.`+event.FieldID+` IN (SELECT id FROM given)`,
	event.FieldID+bigint)

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

// The statements that let a webhook rest, and what was sent to it by hand. Arguments: until when, and the webhook.
const (
	restWebhook = `UPDATE ` + webhook.Table + ` SET ` + webhook.FieldPausedUntil + ` = $1 WHERE ` + webhook.FieldID + ` = $2 AND
 coalesce(` + webhook.FieldPausedUntil + `, 0) < $1`
	restByHand = `UPDATE ` + dispatch.Table + ` SET ` + dispatch.FieldDueAt + ` = $1 WHERE ` + dispatch.FieldStatus + ` = '` + DispatchPending + `' AND ` +
		dispatch.FieldWebhookID + ` = $2 AND ` + dispatch.FieldDueAt + ` = 0`
)
