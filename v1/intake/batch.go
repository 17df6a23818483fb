package intake

import (
	"context"
	"strings"

	"sellerd/ent"
	"sellerd/ent/batch"
	"sellerd/ent/submission"
	"sellerd/internal/base/wrap"
	"sellerd/v1/rows"
)

// Batch is a new batch with its submissions. Of the submissions, only the fields that differ within a batch are read.
type Batch struct {
	ID, Owner          int64
	CreatedAt          int64
	Accepted, Rejected int // how many items
	Cause              string
	Submissions        []Submission
	Indexes            []int64 // the place of each submission in the request
}

var (
	batchColumns = []string{batch.FieldID, batch.FieldOwner, batch.FieldCreatedAt, batch.FieldAcceptedCount, batch.FieldRejectedCount}
	memberShared = []string{
		submission.FieldBatchID, submission.FieldOwner, submission.FieldCreatedAt, submission.FieldPublishDeadline,
		submission.FieldDueAt, submission.FieldCause,
	}
	memberColumns = []string{
		submission.FieldID, submission.FieldBatchIndex, submission.FieldPersonalReference, submission.FieldDraft,
		submission.FieldShippingModelID,
	}
)

var (
	insertBatch   = rows.NewInsert(batch.Table, nil, batchColumns, nil)
	insertMembers = rows.NewInsert(submission.Table, memberShared, memberColumns, constantColumns)
)

// batchSet stores a batch with one statement on PostgreSQL. Its arguments are the batch, the counts, the two times, and the
// columns of the submissions as arrays, so it is prepared once for any number of rows, and takes a dozen values and not one
// for each column of each row.
var batchSet = func() string {
	columns := append(append([]string{}, memberColumns...), memberShared...)
	literals := "$1::bigint, $2::bigint, $3::bigint, $6::bigint, $7::bigint, $13::text"
	for _, constant := range constantColumns {
		columns, literals = append(columns, constant[0]), literals+", "+constant[1]
	}
	return `WITH made AS (
 INSERT INTO ` + batch.Table + ` (` + strings.Join(batchColumns, ", ") + `) VALUES ($1, $2, $3, $4, $5)
)
INSERT INTO ` + submission.Table + ` (` + strings.Join(columns, ", ") + `)
 SELECT *, ` + literals + ` FROM unnest($8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::bigint[])`
}()

// StoreBatch stores a batch and its submissions, which are due at now.
func (i Intake) StoreBatch(ctx context.Context, tx *ent.Client, now, publishDeadline int64, b *Batch) (err error) {
	if i.postgres {
		err = storeBatchAtOnce(ctx, tx, now, publishDeadline, b)
	} else {
		err = storeBatchRows(ctx, tx, now, publishDeadline, b)
	}
	return wrap.Err(err, "store batch")
}

func storeBatchRows(ctx context.Context, tx *ent.Client, now, publishDeadline int64, b *Batch) error {
	if err := insertBatch.Rows(ctx, tx, nil, []any{b.ID, b.Owner, b.CreatedAt, b.Accepted, b.Rejected}); err != nil {
		return err
	}
	own := make([]any, 0, len(b.Submissions)*len(memberColumns))
	for n := range b.Submissions {
		s := &b.Submissions[n]
		own = append(own, s.ID, b.Indexes[n], nullable(s.PersonalReference), s.Draft, s.ShippingModelID)
	}
	return insertMembers.Rows(ctx, tx, []any{b.ID, b.Owner, b.CreatedAt, publishDeadline, now, b.Cause}, own)
}

// nullable is a text or NULL, without the reflection by which database/sql follows a pointer.
func nullable(text *string) any {
	if text == nil {
		return nil
	}
	return *text
}

func storeBatchAtOnce(ctx context.Context, tx *ent.Client, now, publishDeadline int64, b *Batch) error {
	ids, models := make([]int64, len(b.Submissions)), make([]int64, len(b.Submissions))
	references, drafts := make([]*string, len(b.Submissions)), make([]string, len(b.Submissions))
	for n := range b.Submissions {
		s := &b.Submissions[n]
		ids[n], references[n], drafts[n], models[n] = s.ID, s.PersonalReference, s.Draft, s.ShippingModelID
	}
	_, err := tx.ExecContext(ctx, batchSet, b.ID, b.Owner, b.CreatedAt, b.Accepted, b.Rejected, publishDeadline, now, ids, b.Indexes,
		references, drafts, models, b.Cause)
	return err
}
