package v1

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/submission"
)

// PublishDeadline is how long after its creation a submission is final at the latest (contract, section 3).
const PublishDeadline = 15 * time.Minute

// Submission is an accepted wish to list an item, and what became of it.
type Submission struct {
	ID                Opt[SubmissionID] `json:"id" doc:"null when the request only validated"`
	Status            string            `json:"status" doc:"pending, processing, published or rejected; valid when the request only validated"`
	BatchID           Opt[BatchID]      `json:"batch_id"`
	Index             Opt[int]          `json:"index" doc:"position in the batch"`
	PersonalReference Opt[string]       `json:"personal_reference"`
	ItemID            Opt[ID]           `json:"item_id" doc:"set once published"`
	ItemURL           Opt[ItemURL]      `json:"item_url"`
	Errors            Raw[[]Error]      `json:"errors" doc:"why it was rejected"`
	Warnings          Raw[[]Error]      `json:"warnings"`
	CreatedAt         Opt[Time]         `json:"created_at"`
	PublishDeadline   Opt[Time]         `json:"publish_deadline" doc:"the submission is final by then"`
	CompletedAt       Opt[Time]         `json:"completed_at"`
}

func (s *Service) submissionFrom(row *ent.Submission) Submission {
	out := Submission{
		ID: Some(SubmissionID(row.ID)), Status: row.Status,
		Index: maybeInt(row.BatchIndex), PersonalReference: Maybe(row.PersonalReference),
		Errors: Raw[[]Error]{row.Errors}, Warnings: Raw[[]Error]{row.Warnings},
		CreatedAt: Some(Time(row.CreatedAt)), PublishDeadline: Some(Time(row.PublishDeadline)), CompletedAt: MaybeTime(row.CompletedAt),
	}
	if row.BatchID != nil {
		out.BatchID = Some(BatchID(*row.BatchID))
	}
	if row.Status == SubmissionPublished {
		out.ItemID, out.ItemURL = Some(ID(row.ID)), Some(s.itemURL(row.ID))
	}
	return out
}

// SubmitItemInput is an item to list.
type SubmitItemInput struct {
	ValidateOnly bool      `query:"validate_only" doc:"check the item and create nothing"`
	Item         ItemInput `body:"json"`
}

// submitItem accepts an item for publication: everything that can be checked is checked now, the images later.
func (s *Service) submitItem(ctx context.Context, c *Call, in *SubmitItemInput) (*Submission, error) {
	if err := s.checkNewItem(ctx, c, &in.Item, "", &c.Problems); err != nil {
		return nil, err
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if in.ValidateOnly {
		c.Meta.Status = 200
		return &Submission{Status: "valid", PersonalReference: in.Item.PersonalReference}, nil
	}
	number, err := s.ids.numbers(ctx, itemNumbers, 1)
	if err != nil {
		return nil, err
	}
	return change(ctx, s, c, 1, func(ctx context.Context, tx *Change) (*Submission, error) {
		if _, err := tx.room(c, 1); err != nil {
			return nil, err
		}
		row := ent.Submission{ID: number, PersonalReference: in.Item.PersonalReference.Ptr(), Draft: string(EncodeJSON(nil, &in.Item))}
		if err := tx.insertSubmissions(ctx, []ent.Submission{row}, nil); err != nil {
			return nil, err
		}
		tx.wake(publisherWorker)
		out := s.submissionFrom(tx.pending(row, nil))
		c.Meta.Location = "/v1/item-submissions/" + out.ID.V.String()
		c.Meta.Store = tx.storeLimits(c)
		return &out, nil
	})
}

// checkNewItem is checkItem for an item that does not exist yet.
func (s *Service) checkNewItem(ctx context.Context, c *Call, in *ItemInput, at string, problems *Problems) error {
	start := s.now()
	if in.StartsAt.Set && in.StartsAt.V > start {
		start = in.StartsAt.V
	}
	return s.checkItem(ctx, c, in, start, false, at, problems)
}

// pending is a new submission's row as the database has it.
func (tx *Change) pending(row ent.Submission, batch *int64) *ent.Submission {
	row.Owner, row.BatchID, row.Status = int64(tx.Owner), batch, SubmissionPending
	row.CreatedAt, row.DueAt, row.PublishDeadline = int64(tx.Now), int64(tx.Clock), int64(tx.Clock.Add(PublishDeadline))
	return &row
}

// insertSubmissions stores new submissions: number, draft, reference and place in the batch are theirs, the rest they
// share. It is the busiest write, so it is one statement for up to fifty rows, of three fixed texts that stay prepared.
func (tx *Change) insertSubmissions(ctx context.Context, rows []ent.Submission, batch *int64) error {
	shared := tx.pending(ent.Submission{}, batch)
	for len(rows) > 0 {
		insert := &insertSubmissions[len(insertSubmissions)-1]
		for i := range insertSubmissions {
			if insertSubmissions[i].rows <= len(rows) {
				insert = &insertSubmissions[i]
				break
			}
		}
		args := append(make([]any, 0, 5+4*insert.rows), shared.Owner, shared.BatchID, shared.CreatedAt, shared.PublishDeadline, shared.DueAt)
		for i := range rows[:insert.rows] {
			args = append(args, rows[i].ID, rows[i].BatchIndex, rows[i].PersonalReference, rows[i].Draft)
		}
		if _, err := tx.ExecContext(ctx, insert.text, args...); err != nil {
			return fmt.Errorf("create submissions: %w", err)
		}
		rows = rows[insert.rows:]
	}
	return nil
}

// insertSubmissions are the statements for fifty rows, for ten and for one.
var insertSubmissions = func() (statements [3]struct {
	rows int
	text string
},
) {
	for i, rows := range []int{50, 10, 1} {
		var b strings.Builder
		b.WriteString("INSERT INTO " + submission.Table + " (" + strings.Join([]string{
			submission.FieldOwner, submission.FieldBatchID, submission.FieldCreatedAt, submission.FieldPublishDeadline, submission.FieldDueAt,
			submission.FieldID, submission.FieldBatchIndex, submission.FieldPersonalReference, submission.FieldDraft,
			submission.FieldStatus, submission.FieldErrors, submission.FieldWarnings, submission.FieldLease, submission.FieldAttempts,
		}, ", ") + ") VALUES ")
		for row := range rows {
			if row > 0 {
				b.WriteString(", ")
			}
			n := 6 + 4*row
			fmt.Fprintf(&b, "($1, $2, $3, $4, $5, $%d, $%d, $%d, $%d, 'pending', '', '', 0, 0)", n, n+1, n+2, n+3)
		}
		statements[i].rows, statements[i].text = rows, b.String()
	}
	return statements
}()

// SubmissionRef names a submission in a path.
type SubmissionRef struct {
	ID SubmissionID `path:"id" missing:"submission_not_found"`
}

// getSubmission reads one of the caller's submissions.
func (s *Service) getSubmission(ctx context.Context, c *Call, in *SubmissionRef) (*Submission, error) {
	row, err := s.store.Reader().Submission.Query().
		Where(submission.ID(int64(in.ID)), submission.Owner(int64(c.Owner))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, fail(SubmissionNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("load submission: %w", err)
	}
	out := s.submissionFrom(row)
	return &out, nil
}
