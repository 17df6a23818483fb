package intake

import (
	"context"
	"database/sql"
	"strings"

	"sellerd/ent"
	"sellerd/ent/idempotencykey"
	"sellerd/ent/submission"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
)

// Submission is a new submission that waits for its publication.
type Submission struct {
	ID, Owner         int64
	CreatedAt         int64 // in microseconds, like all instants here
	PersonalReference *string
	Draft             string
	ShippingModelID   int64  // that of the draft, 0 for none
	Cause             string // of the events, see package cause
}

// Answer is the answer that is stored under an Idempotency-Key. ID is the key's name, a Request's Key. The answer to a submission
// shows no buyer.
type Answer struct {
	ID             string
	Fingerprint    []byte
	Status         int
	Body, Location string
	ExpiresAt      int64
}

// Store stores submissions that are due at now, and answers in place of expired ones, and returns how many answers it has
// stored. If they are fewer than were given, another transaction has stored one under the same key since Charge. Then this
// transaction must be undone.
func (i Intake) Store(ctx context.Context, tx *ent.Client, now, publishDeadline int64, submissions []Submission,
	answers []Answer,
) (stored int, err error) {
	if i.postgres {
		stored, err = storeAtOnce(ctx, tx, now, publishDeadline, submissions, answers)
	} else {
		stored, err = len(answers), storeRows(ctx, tx, now, publishDeadline, submissions, answers)
	}
	return stored, wrap.Err(err, "store submissions")
}

const pending = "'pending'" // the status of a new submission

var (
	submissionColumns = []string{
		submission.FieldID, submission.FieldOwner, submission.FieldCreatedAt, submission.FieldPersonalReference,
		submission.FieldDraft, submission.FieldShippingModelID, submission.FieldCause,
	}
	sharedColumns   = []string{submission.FieldPublishDeadline, submission.FieldDueAt}
	constantColumns = [][2]string{
		{submission.FieldStatus, pending},
		{submission.FieldErrors, "''"},
		{submission.FieldWarnings, "''"},
		{submission.FieldLease, "0"},
		{submission.FieldAttempts, "0"},
	}
	answerColumns = []string{
		idempotencykey.FieldID, idempotencykey.FieldFingerprint, idempotencykey.FieldStatus, idempotencykey.FieldBody,
		idempotencykey.FieldLocation, idempotencykey.FieldExpiresAt,
	}
	replacedColumns = append(answerColumns[1:len(answerColumns):len(answerColumns)], idempotencykey.FieldBuyerID)
)

// noBuyer is the column that names the buyer whom an answer shows.
const noBuyer = "0"

var (
	insertSubmissions = rows.NewInsert(submission.Table, sharedColumns, submissionColumns, constantColumns)
	insertAnswers     = rows.NewInsert(idempotencykey.Table, nil, answerColumns, [][2]string{{idempotencykey.FieldBuyerID, noBuyer}}).
				Replacing(answerColumns[0], replacedColumns...)
)

// storeRows stores submissions and answers on SQLite. Charge has made sure, in the same transaction, that the answers replace
// only expired ones.
func storeRows(ctx context.Context, tx *ent.Client, now, publishDeadline int64, submissions []Submission, answers []Answer) error {
	set := make([]any, 0, len(answers)*len(answerColumns))
	for i := range answers {
		a := &answers[i]
		set = append(set, a.ID, a.Fingerprint, a.Status, a.Body, a.Location, a.ExpiresAt)
	}
	if err := insertAnswers.Rows(ctx, tx, nil, set); err != nil {
		return err
	}
	set = make([]any, 0, len(submissions)*len(submissionColumns))
	for i := range submissions {
		s := &submissions[i]
		set = append(set, s.ID, s.Owner, s.CreatedAt, s.PersonalReference, s.Draft, s.ShippingModelID, s.Cause)
	}
	return insertSubmissions.Rows(ctx, tx, []any{publishDeadline, now}, set)
}

// storeSet stores all with one statement on PostgreSQL. Its arguments are the deadline, the time of the clock, and the
// columns of submissions and of answers as arrays, so the text is the same for any number of rows.
var storeSet = func() string {
	columns, literals := append(append([]string{}, submissionColumns...), sharedColumns...), "$1::bigint, $2::bigint"
	for _, constant := range constantColumns {
		columns, literals = append(columns, constant[0]), literals+", "+constant[1]
	}
	replaced := each.Of(replacedColumns, func(column string) string { return column + " = excluded." + column })
	const table = idempotencykey.Table
	return `WITH stored AS (
 INSERT INTO ` + table + ` (` + strings.Join(answerColumns, ", ") + `, ` + idempotencykey.FieldBuyerID + `)
 SELECT *, ` + noBuyer + ` FROM unnest($10::text[], $11::bytea[], $12::bigint[], $13::text[], $14::text[], $15::bigint[])
 ON CONFLICT (` + answerColumns[0] + `) DO UPDATE SET ` + strings.Join(replaced, ", ") + `
 WHERE ` + table + `.` + idempotencykey.FieldExpiresAt + ` <= $2
 RETURNING 1
), made AS (
 INSERT INTO ` + submission.Table + ` (` + strings.Join(columns, ", ") + `)
 SELECT *, ` + literals + ` FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::bigint[], $9::text[])
)
SELECT count(*) FROM stored`
}()

// storeAtOnce stores submissions and answers on PostgreSQL.
func storeAtOnce(ctx context.Context, tx *ent.Client, now, publishDeadline int64, submissions []Submission,
	answers []Answer,
) (stored int, err error) {
	var (
		ids, owners, created = make([]int64, len(submissions)), make([]int64, len(submissions)), make([]int64, len(submissions))
		references           = make([]*string, len(submissions))
		drafts, causes       = make([]string, len(submissions)), make([]string, len(submissions))
		models               = make([]int64, len(submissions))

		keys, bodies, locations = make([]string, len(answers)), make([]string, len(answers)), make([]string, len(answers))
		fingerprints            = make([][]byte, len(answers))
		statuses, ends          = make([]int64, len(answers)), make([]int64, len(answers))
	)
	for i := range submissions {
		s := &submissions[i]
		ids[i], owners[i], created[i] = s.ID, s.Owner, s.CreatedAt
		references[i], drafts[i], models[i], causes[i] = s.PersonalReference, s.Draft, s.ShippingModelID, s.Cause
	}
	for i := range answers {
		a := &answers[i]
		keys[i], fingerprints[i], statuses[i], bodies[i], locations[i], ends[i] = a.ID, a.Fingerprint, int64(a.Status), a.Body, a.Location, a.ExpiresAt
	}
	err = rows.Query(ctx, tx, storeSet, []any{
		publishDeadline, now, ids, owners, created, references, drafts, models, causes, keys, fingerprints, statuses, bodies, locations, ends,
	}, func(r *sql.Rows) error { return r.Scan(&stored) })
	return stored, err
}
