package delivery

import (
	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file has the statements of a settlement, and the rows that they are given. Those it shares with claims are in
// claim_rows.go.

// liveLeases are those among the leases given that their workers still have.
var liveLeases = rows.NewSets(`SELECT `+columns(dispatch.Table, dispatch.FieldID, dispatch.FieldLease)+` FROM `+dispatch.Table+`, given WHERE `+rows.Each(dispatch.Table)+`
 AND `+dispatch.Table+`.`+dispatch.FieldLease+` = given.lease AND `+rows.Hidden(dispatch.FieldStatus)+` = '`+DispatchLeased+`'`, dispatch.FieldID+bigint, dispatch.FieldLease+bigint)

// leaseRef is a lease: a dispatch, and the token of the worker that took it.
type leaseRef struct{ dispatch, token int64 }

func (r leaseRef) appendTo(set []any) []any { return append(set, r.dispatch, r.token) }

// endDeliveries stores outcomes, of deliveries that were being sent.
var endDeliveries = rows.NewSets(`UPDATE `+delivery.Table+` SET `+delivery.FieldStatus+` = given.outcome, `+assign(delivery.FieldFinal)+`, `+
	delivery.FieldRequestHeaders+` = given.headers, `+delivery.FieldResponseStatus+` = given.code,
 `+delivery.FieldResponseBody+` = CASE WHEN `+delivery.Table+`.`+delivery.FieldResponseDropped+` THEN '' ELSE given.body END, `+delivery.FieldResponseTruncated+` = given.truncated, `+delivery.FieldErrorCode+` = given.error, `+
	delivery.FieldDurationMs+` = given.took, `+delivery.FieldNextAttemptAt+` = given.next_at
 FROM given WHERE `+rows.Each(delivery.Table)+` AND `+rows.Hidden(delivery.Table+`.`+delivery.FieldStatus)+` = '`+Sending+`'`,
	delivery.FieldID+bigint, "outcome"+text, delivery.FieldFinal+boolean, "headers"+text, "code"+bigint, "body"+text, "truncated"+boolean, "error"+text, "took"+bigint,
	"next_at"+bigint)

// outcomeRow is what came of an attempt.
type outcomeRow struct {
	*Attempt
	outcome string
	next    following
}

func (r outcomeRow) appendTo(set []any) []any {
	return append(set, r.delivery, r.outcome, !r.next.again, headersAsJSON(r.headers), nullUnless(r.status != 0, r.status),
		storableText(r.answer), r.truncated,
		nullUnless(r.errorCode != "", r.errorCode), nullUnless(!r.lost, r.took.Milliseconds()), nullUnless(r.next.again, int64(r.next.due)))
}

// nextDeliveries puts attempts on record that follow others.
var nextDeliveries = rows.NewSets(`INSERT INTO `+delivery.Table+` (`+
	columnNames(delivery.FieldID, delivery.FieldOwner, delivery.FieldDispatchID, delivery.FieldWebhookID, delivery.FieldEventID,
		delivery.FieldEventType,
		delivery.FieldResourceID, delivery.FieldAttempt, delivery.FieldTrigger, delivery.FieldStatus, delivery.FieldFinal, delivery.FieldURL)+`,
 `+columnNames(delivery.FieldRequestHeaders, delivery.FieldResponseBody, delivery.FieldResponseTruncated, delivery.FieldScheduledAt, delivery.FieldCreatedAt)+`)
 SELECT given.next_id, `+columns(delivery.Table, delivery.FieldOwner, delivery.FieldDispatchID, delivery.FieldWebhookID, delivery.FieldEventID, delivery.FieldEventType,
	delivery.FieldResourceID, delivery.FieldAttempt)+` + 1, `+delivery.Table+`.`+delivery.FieldTrigger+`, '`+Scheduled+`', false, given.url,
 given.headers, '', false, given.scheduled_at, given.created_at FROM given, `+delivery.Table+` WHERE `+rows.Each(delivery.Table),
	delivery.FieldID+bigint, "next_id"+bigint, delivery.FieldURL+text, "headers"+text, delivery.FieldScheduledAt+bigint, delivery.FieldCreatedAt+bigint)

// nextRow is the attempt that follows a delivery.
type nextRow struct {
	delivery, next int64
	url, headers   string // the headers have the trace alone
	due, now       wire.Time
}

func (r nextRow) appendTo(set []any) []any {
	return append(set, r.delivery, r.next, r.url, r.headers, int64(r.due), int64(r.now))
}

// rescheduleDispatches ends leases of dispatches for which another attempt follows.
var rescheduleDispatches = rows.NewSets(`UPDATE `+dispatch.Table+` SET `+dispatch.FieldStatus+` = '`+DispatchPending+`', `+
	assign(dispatch.FieldDueAt, dispatch.FieldDeliveryID, dispatch.FieldFailures)+`, `+dispatch.FieldLease+` = 0
 FROM given WHERE `+rows.Each(dispatch.Table),
	dispatch.FieldID+bigint, dispatch.FieldDueAt+bigint, dispatch.FieldDeliveryID+bigint, dispatch.FieldFailures+bigint)

// rescheduleRow is a dispatch with its next delivery.
type rescheduleRow struct {
	dispatch int64
	due      wire.Time
	delivery int64
	failures int
}

func (r rescheduleRow) appendTo(set []any) []any {
	return append(set, r.dispatch, int64(r.due), r.delivery, r.failures)
}
