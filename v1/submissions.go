package v1

import (
	"context"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/v1/markup"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
)

// PublishDeadline is how long after its creation a submission is final at the latest (docs/states.md, Submissions).
const PublishDeadline = 15 * time.Minute

// Submission is an accepted request to list an item, with its outcome.
type Submission struct {
	ID                Opt[SubmissionID] `json:"id" doc:"null when the request only validated"`
	Status            string            `json:"status" enum:"pending processing published rejected valid" newer:"valid=1.2.0" doc:"valid when the request only validated"`
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

func (s *Items) submissionFrom(row *ent.Submission) Submission {
	out := Submission{
		ID: Some(SubmissionID(row.ID)), Status: row.Status,
		Index: maybeInt(row.BatchIndex), PersonalReference: Maybe(row.PersonalReference),
		Errors: Raw[[]Error]{Text: row.Errors}, Warnings: Raw[[]Error]{Text: row.Warnings},
		CreatedAt: Some(Time(row.CreatedAt)), PublishDeadline: Some(Time(row.PublishDeadline)), CompletedAt: MaybeTime(row.CompletedAt),
	}
	if row.BatchID != nil {
		out.BatchID = Some(BatchID(*row.BatchID))
	}
	if row.Status == SubmissionPublished {
		out.ItemID, out.ItemURL = Some(ID(row.ID)), Some(s.itemURL(Owner(row.Owner), row.ID))
	}
	return out
}

// SubmitItemInput is an item to list.
type SubmitItemInput struct {
	ValidateOnly bool      `query:"validate_only" default:"false" since:"1.2.0" doc:"check the item, create nothing and answer 200"`
	Item         ItemInput `body:"json"`
}

// submitItem accepts an item for publication: everything that can be checked is checked now, the images later. A stored answer
// to the caller's Idempotency-Key is found together with the owner's row, which saves a query.
func (s *Items) submitItem(ctx context.Context, c *Call, in *SubmitItemInput) (*Submission, error) {
	if in.ValidateOnly {
		out := new(Submission)
		if replayed, err := s.recall(ctx, c, out); replayed || err != nil {
			return out, err
		}
	}
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
	number, err := s.ids.Numbers(ctx, numbering.Items, 1)
	if err != nil {
		return nil, err
	}
	return s.submitTogether(ctx, c, &newSubmission{number: number, reference: in.Item.PersonalReference.Ptr(), draft: string(EncodeJSON(nil, &in.Item))})
}

// checkNewItem is checkItem for an item that does not exist yet. It also sanitises the description.
func (s *Items) checkNewItem(ctx context.Context, c *Call, in *ItemInput, at string, problems *Problems) error {
	start := s.now()
	if in.StartsAt.Set && in.StartsAt.V > start {
		start = in.StartsAt.V
	}
	if err := s.checkItem(ctx, c, in, start, false, nil, at, problems); err != nil {
		return err
	}
	if in.Description.Set {
		in.Description.V = markup.Sanitize(in.Description.V)
	}
	return nil
}

// pending is a new submission's row as the database has it.
func (tx itemsChange) pending(row ent.Submission) *ent.Submission {
	row.Owner, row.Status = int64(tx.Owner), SubmissionPending
	row.CreatedAt, row.DueAt, row.PublishDeadline = int64(tx.Now), int64(tx.Clock), int64(tx.Clock.Add(PublishDeadline))
	return &row
}

// SubmissionRef names a submission in a path.
type SubmissionRef struct {
	ID SubmissionID `path:"id" missing:"submission_not_found"`
}

// getSubmission reads one of the caller's submissions.
func (s *Items) getSubmission(ctx context.Context, c *Call, in *SubmissionRef) (*Submission, error) {
	row, err := s.reads.Reader().Submission.Query().
		Where(submission.ID(int64(in.ID)), submission.Owner(int64(c.Owner))).Only(ctx)
	if ent.IsNotFound(err) {
		return nil, refusal.New(SubmissionNotFound)
	}
	if err != nil {
		return nil, fmt.Errorf("load submission: %w", err)
	}
	out := s.submissionFrom(row)
	return &out, nil
}
