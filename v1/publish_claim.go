package v1

import (
	"database/sql"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/v1/queue"
)

// This file has the statements that claim due submissions for the publisher. Package queue runs them.

// submissionQueue is that of the publisher. Its index is submissions_owner_due.
var submissionQueue = queue.Queue{Table: submission.Table, Waits: dueSubmissions, Due: submission.FieldDueAt}

// dueSubmissions is the condition of the index submissions_owner_due.
const dueSubmissions = submission.FieldStatus + " IN ('" + SubmissionPending + "','" + SubmissionProcessing + "')"

// newSubmissionClaims leases due submissions, a hundred of them or somewhat more.
func (s *Service) newSubmissionClaims() *queue.Claims[ent.Submission] {
	return queue.NewClaims(queue.Config[ent.Submission]{
		Queue: submissionQueue, Name: "submissions", Store: s.store, Retrier: &s.retrier,
		Now: s.now, Uptime: s.config.Uptime, Random: s.config.Random,
		Most: publishMost, Lasts: publishLease, Lease: s.leaseOfSubmissions(),
		Released: submission.FieldStatus + " = '" + SubmissionPending + "', " + submission.FieldLease + " = 0, " + submission.FieldDueAt + " = $1, " +
			submission.FieldAttempts + " = " + submission.FieldAttempts + " - 1",
		Scan: func(found *sql.Rows, token int64, row *ent.Submission) error {
			row.Status, row.Lease = SubmissionProcessing, token
			return found.Scan(&row.ID, &row.Owner, &row.Draft, &row.CreatedAt, &row.PublishDeadline, &row.Attempts, &row.BatchID, &row.BatchIndex, &row.PersonalReference)
		},
		Owner: func(row *ent.Submission) int64 { return row.Owner },
		Late:  &queue.Late{Find: "SELECT " + submission.FieldID + " FROM " + submission.Table + " " + pastDeadline + "1", Lease: s.leaseOfLateSubmissions()},
	})
}

// leasedColumns are what a claim scans.
var leasedColumns = strings.Join([]string{
	submission.FieldID, submission.FieldOwner, submission.FieldDraft, submission.FieldCreatedAt, submission.FieldPublishDeadline,
	submission.FieldAttempts, submission.FieldBatchID, submission.FieldBatchIndex, submission.FieldPersonalReference,
}, ", ")

// takenUnder are the assignments of a claim that gives rows the token at a placeholder.
func takenUnder(token string) string {
	return submission.FieldStatus + " = '" + SubmissionProcessing + "', " + submission.FieldLease + " = " + token + ", " +
		submission.FieldAttempts + " = " + submission.FieldAttempts + " + 1, " + submission.FieldDueAt + " = "
}

// leaseOfSubmissions is the statement that leases an owner's submissions: owner, now, token, until.
func (s *Service) leaseOfSubmissions() string {
	const deadline = submission.FieldPublishDeadline
	return s.store.Claim(submissionQueue.Table, submissionQueue.Of(publishMost),
		takenUnder("$3")+"CASE WHEN "+deadline+" > $2 AND "+deadline+" < $4 THEN "+deadline+" ELSE $4 END", leasedColumns)
}

// pastDeadline is the condition of the index submissions_deadline, and the order in which it finds what is past its deadline.
const pastDeadline = "WHERE " + submission.FieldCompletedAt + " IS NULL AND " + submission.FieldPublishDeadline + " <= $1 AND " +
	submission.FieldDueAt + " <= $1 ORDER BY " + submission.FieldPublishDeadline + ", " + submission.FieldID + " LIMIT "

// lateMost is how many late submissions one claim takes. So few are worth a sort to no planner.
const lateMost = 25

// leaseOfLateSubmissions is the statement that leases submissions past their deadlines: now, token, until.
func (s *Service) leaseOfLateSubmissions() string {
	return s.store.Claim(submissionQueue.Table, pastDeadline+strconv.Itoa(lateMost), takenUnder("$2")+"$3", leasedColumns)
}
