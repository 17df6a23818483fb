package delivery

import (
	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/v1/rows"
)

// This file has the statements of a settlement. Each names the columns of the rows that it is given, in their order. Those it shares with
// claims are in claim_rows.go.

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
