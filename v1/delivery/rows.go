package delivery

import (
	"strconv"
	"strings"

	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/ent/webhook"
	"sellerd/internal/base/each"
	"sellerd/v1/rows"
)

// The engine's statements are written by hand, and about sets of rows: a claim or a settlement costs the same few
// statements however many dispatches it is about. Most of them join what is stored with what is given, update each row
// with values of its own, or leap through an index, which ent's builders cannot express. BenchmarkClaim and BenchmarkSettle
// measure them, and their plans are tested on both databases. The names of tables and columns are ent's.

// bigint, text and boolean are the types of given columns.
const (
	bigint  = " bigint"
	text    = " text"
	boolean = " boolean"
)

// columnNames lists columns: "id, lease".
func columnNames(names ...string) string { return strings.Join(names, ", ") }

// columns lists columns of a table that a statement calls by an alias: "d.id, d.lease".
func columns(alias string, names ...string) string {
	return alias + "." + strings.Join(names, ", "+alias+".")
}

// assign sets columns to what is given under their names: "lease = given.lease, due_at = given.due_at".
func assign(names ...string) string {
	return strings.Join(each.Of(names, func(name string) string { return name + " = given." + name }), ", ")
}

// on is a statement as the engine's database has it, and wakeNext that one.
func (e *Engine) on(s *rows.Sets) *rows.Set { return s.On(e.postgres) }

func (e *Engine) wakeNext() *rows.Set {
	if e.postgres {
		return wakeNext[0]
	}
	return wakeNext[1]
}

// nullUnless is a value, or NULL where there is none.
func nullUnless[T any](there bool, value T) any {
	if !there {
		return nil
	}
	return value
}

// These are the statements of a claim. Each names the columns of the rows that it is given, in their order.

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

// restByHand lets what was sent by hand to a webhook rest: it is due at 0, and no time is before that. The order is that of the index of
// what is due, so that PostgreSQL takes no other index, whatever its statistics say. Arguments: until when, and the webhook.
func (e *Engine) restByHand() string {
	return `UPDATE ` + dispatch.Table + ` SET ` + dispatch.FieldDueAt + ` = $1 WHERE ` + e.chosen(`SELECT d.%s FROM `+dispatch.Table+` d WHERE `+isPending+` AND d.`+
		dispatch.FieldWebhookID+` = $2 AND d.`+dispatch.FieldDueAt+` <= 0 ORDER BY `+columns("d", dispatch.FieldDueAt, dispatch.FieldID))
}

// restWebhook lets a webhook rest. Arguments: until when, and the webhook.
const restWebhook = `UPDATE ` + webhook.Table + ` SET ` + webhook.FieldPausedUntil + ` = $1 WHERE ` + webhook.FieldID + ` = $2 AND
 coalesce(` + webhook.FieldPausedUntil + `, 0) < $1`

// These are the statements of a settlement, beside those it shares with claims.

// liveLeases are those among the leases given that their workers still have.
var liveLeases = rows.NewSets(`SELECT `+columns(dispatch.Table, dispatch.FieldID, dispatch.FieldLease)+` FROM `+dispatch.Table+`, given WHERE `+rows.Each(dispatch.Table)+`
 AND `+dispatch.Table+`.`+dispatch.FieldLease+` = given.lease AND `+rows.Hidden(dispatch.FieldStatus)+` = '`+DispatchLeased+`'`, dispatch.FieldID+bigint, dispatch.FieldLease+bigint)

// endDeliveries stores outcomes, of deliveries that were being sent.
var endDeliveries = rows.NewSets(`UPDATE `+delivery.Table+` SET `+delivery.FieldStatus+` = given.outcome, `+assign(delivery.FieldFinal)+`, `+
	delivery.FieldRequestHeaders+` = given.headers, `+delivery.FieldResponseStatus+` = given.code,
 `+delivery.FieldResponseBody+` = CASE WHEN `+delivery.Table+`.`+delivery.FieldResponseDropped+` THEN '' ELSE given.body END, `+delivery.FieldResponseTruncated+` = given.truncated, `+delivery.FieldErrorCode+` = given.error, `+
	delivery.FieldDurationMs+` = given.took, `+delivery.FieldNextAttemptAt+` = given.next_at
 FROM given WHERE `+rows.Each(delivery.Table)+` AND `+rows.Hidden(delivery.Table+`.`+delivery.FieldStatus)+` = '`+Sending+`'`,
	delivery.FieldID+bigint, "outcome"+text, delivery.FieldFinal+boolean, "headers"+text, "code"+bigint, "body"+text, "truncated"+boolean, "error"+text, "took"+bigint,
	"next_at"+bigint)

// nextDeliveries puts attempts on record that follow others. Their headers have the trace alone.
var nextDeliveries = rows.NewSets(`INSERT INTO `+delivery.Table+` (`+
	columnNames(delivery.FieldID, delivery.FieldOwner, delivery.FieldDispatchID, delivery.FieldWebhookID, delivery.FieldEventID,
		delivery.FieldEventType,
		delivery.FieldResourceID, delivery.FieldAttempt, delivery.FieldTrigger, delivery.FieldStatus, delivery.FieldFinal, delivery.FieldURL)+`,
 `+columnNames(delivery.FieldRequestHeaders, delivery.FieldResponseBody, delivery.FieldResponseTruncated, delivery.FieldScheduledAt, delivery.FieldCreatedAt)+`)
 SELECT given.next_id, `+columns(delivery.Table, delivery.FieldOwner, delivery.FieldDispatchID, delivery.FieldWebhookID, delivery.FieldEventID, delivery.FieldEventType,
	delivery.FieldResourceID, delivery.FieldAttempt)+` + 1, `+delivery.Table+`.`+delivery.FieldTrigger+`, '`+Scheduled+`', false, given.url,
 given.headers, '', false, given.scheduled_at, given.created_at FROM given, `+delivery.Table+` WHERE `+rows.Each(delivery.Table),
	delivery.FieldID+bigint, "next_id"+bigint, delivery.FieldURL+text, "headers"+text, delivery.FieldScheduledAt+bigint, delivery.FieldCreatedAt+bigint)

// rescheduleDispatches ends leases of dispatches for which another attempt follows.
var rescheduleDispatches = rows.NewSets(`UPDATE `+dispatch.Table+` SET `+dispatch.FieldStatus+` = '`+DispatchPending+`', `+
	assign(dispatch.FieldDueAt, dispatch.FieldDeliveryID, dispatch.FieldFailures)+`, `+dispatch.FieldLease+` = 0
 FROM given WHERE `+rows.Each(dispatch.Table),
	dispatch.FieldID+bigint, dispatch.FieldDueAt+bigint, dispatch.FieldDeliveryID+bigint, dispatch.FieldFailures+bigint)
