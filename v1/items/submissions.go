package items

import (
	"context"
	"time"

	"sellerd/ent"
	"sellerd/ent/submission"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/markup"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// PublishDeadline is how long after its creation a submission is final at the latest (docs/seller/states.md, Submissions).
const PublishDeadline = 15 * time.Minute

// Submission is an accepted request to list an item, with its outcome.
type Submission struct {
	ID                wire.Opt[wire.SubmissionID] `json:"id" doc:"null when the request only validated"`
	Status            string                      `json:"status" enum:"pending processing published rejected valid" newer:"valid=1.2.0" doc:"valid when the request only validated"`
	BatchID           wire.Opt[wire.BatchID]      `json:"batch_id"`
	Index             wire.Opt[int]               `json:"index" doc:"position in the batch"`
	PersonalReference wire.Opt[string]            `json:"personal_reference"`
	ItemID            wire.Opt[wire.ID]           `json:"item_id" doc:"set once published"`
	ItemURL           wire.Opt[ItemURL]           `json:"item_url"`
	Errors            wire.Raw[[]refusal.Error]   `json:"errors" doc:"why it was rejected"`
	Warnings          wire.Raw[[]refusal.Error]   `json:"warnings"`
	CreatedAt         wire.Opt[wire.Time]         `json:"created_at"`
	PublishDeadline   wire.Opt[wire.Time]         `json:"publish_deadline" doc:"the submission is final by then"`
	CompletedAt       wire.Opt[wire.Time]         `json:"completed_at"`
}

func (s *Items) submissionFrom(row *ent.Submission) Submission {
	out := Submission{
		ID: wire.Some(wire.SubmissionID(row.ID)), Status: row.Status,
		Index: MaybeInt(row.BatchIndex), PersonalReference: wire.Maybe(row.PersonalReference),
		Errors: wire.Raw[[]refusal.Error]{Text: row.Errors}, Warnings: wire.Raw[[]refusal.Error]{Text: row.Warnings},
		CreatedAt: wire.Some(wire.Time(row.CreatedAt)), PublishDeadline: wire.Some(wire.Time(row.PublishDeadline)), CompletedAt: wire.MaybeTime(row.CompletedAt),
	}
	if row.BatchID != nil {
		out.BatchID = wire.Some(wire.BatchID(*row.BatchID))
	}
	if row.Status == SubmissionPublished {
		out.ItemID, out.ItemURL = wire.Some(wire.ID(row.ID)), wire.Some(s.ItemURL(core.Owner(row.Owner), row.ID))
	}
	return out
}

// Failed implements core.MayFail.
func (s *Submission) Failed(ctx context.Context, reader *ent.Client) (bool, error) {
	return rejected(ctx, reader, []int64{int64(s.ID.V)})
}

// rejected says whether publication rejected all of some submissions.
func rejected(ctx context.Context, reader *ent.Client, ids []int64) (bool, error) {
	n, err := reader.Submission.Query().Where(submission.IDIn(ids...), submission.Status(SubmissionRejected)).Count(ctx)
	return n == len(ids), wrap.Err(err, "count rejected submissions")
}

// SayIn implements core.HasMessages. What a newer release has stored stays as it is, in English.
func (s *Submission) SayIn(language string) bool { return sayIn(language, []*Submission{s}) }

// sayIn is SayIn for submissions in one answer.
func sayIn(language string, submissions []*Submission) bool {
	lists := make([][]refusal.Error, 0, 2*len(submissions))
	for _, s := range submissions {
		errors, unread := s.Errors.Value()
		warnings, unreadToo := s.Warnings.Value()
		if unread != nil || unreadToo != nil {
			return false
		}
		lists = append(lists, errors, warnings)
	}
	if !refusal.Say(language, lists...) {
		return false
	}
	for i, s := range submissions {
		s.Errors, s.Warnings = wire.RawOf(lists[2*i]), wire.RawOf(lists[2*i+1])
	}
	return true
}

// SubmitItemInput is an item to list.
type SubmitItemInput struct {
	ValidateOnly bool      `query:"validate_only" default:"false" since:"1.2.0" doc:"check the item, create nothing and answer 200"`
	Item         ItemInput `body:"json"`
}

// submitItem accepts an item for publication: everything that can be checked is checked now, the images later. A stored answer
// to the caller's Idempotency-Key is found together with the owner's row, which saves a query.
func (s *Items) submitItem(ctx context.Context, c *core.Call, in *SubmitItemInput) (*Submission, error) {
	if in.ValidateOnly {
		out := new(Submission)
		if replayed, err := s.Recall(ctx, c, out); replayed || err != nil {
			return out, err
		}
	}
	if err := s.checkNewItem(ctx, &in.Item, check{call: c, problems: &c.Problems}); err != nil {
		return nil, err
	}
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	if in.ValidateOnly {
		c.Meta.Status = 200
		return &Submission{Status: "valid", PersonalReference: in.Item.PersonalReference}, nil
	}
	number, err := s.IDs.Numbers(ctx, numbering.Items, 1)
	if err != nil {
		return nil, err
	}
	return s.submitTogether(ctx, c, &newSubmission{
		number: number, reference: in.Item.PersonalReference.Ptr(),
		draft: string(wire.EncodeJSON(nil, &in.Item)), model: int64(in.Item.ShippingModelID.V),
	})
}

// checkNewItem checks an item that does not exist yet. It also sanitises the description.
func (s *Items) checkNewItem(ctx context.Context, in *ItemInput, k check) error {
	k.Items, k.start = s, s.Now()
	if in.StartsAt.Set && in.StartsAt.V > k.start {
		k.start = in.StartsAt.V
	}
	if err := k.item(ctx, in); err != nil {
		return err
	}
	if in.Description.Set {
		in.Description.V = markup.Sanitize(in.Description.V)
	}
	return nil
}

// SubmissionRef names a submission in a path.
type SubmissionRef struct {
	ID wire.SubmissionID `path:"id" missing:"submission_not_found"`
}

// getSubmission reads one of the caller's submissions.
func (s *Items) getSubmission(ctx context.Context, c *core.Call, in *SubmissionRef) (*Submission, error) {
	row, err := s.Reads.Reader().Submission.Query().
		Where(submission.ID(int64(in.ID)), submission.Owner(int64(c.Owner))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.SubmissionNotFound, "submission", int64(in.ID))
	}
	return new(s.submissionFrom(row)), nil
}
