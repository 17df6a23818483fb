package items

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"sellerd/ent"
	"sellerd/ent/batch"
	"sellerd/ent/submission"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/intake"
	"sellerd/v1/numbering"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// MaxBatch is how many items one batch may hold.
const MaxBatch = 100

// batchPlaces are the prefixes of the fields of each item, as problems name them.
var batchPlaces = func() (places [MaxBatch]string) {
	for i := range places {
		places[i] = "items[" + strconv.Itoa(i) + "]."
	}
	return places
}()

// BatchInput is a batch of items to list.
type BatchInput struct {
	Items []ItemInput `json:"items" validate:"max=100" least:"1" required:"true"`
}

// SubmitBatchInput is the body of a batch.
type SubmitBatchInput struct {
	ValidateOnly bool       `query:"validate_only" default:"false" since:"1.7.0" doc:"check the items, create nothing and answer 200"`
	Batch        BatchInput `body:"json"`
}

// BatchAnswer says which items of a batch were accepted.
type BatchAnswer struct {
	ID            wire.BatchID  `json:"id"`
	AcceptedCount int           `json:"accepted_count" doc:"have a submission; publication can still reject them"`
	RejectedCount int           `json:"rejected_count" doc:"rejected at acceptance, that is at once; they have no submission"`
	Results       []BatchResult `json:"results" doc:"in the order of the request"`
}

// BatchCheck says which items of a batch would be accepted, as far as the store's limits allow.
type BatchCheck struct {
	ValidCount    int           `json:"valid_count" doc:"would have a submission, as far as the store's limits allow"`
	RejectedCount int           `json:"rejected_count" doc:"would be rejected at acceptance"`
	Results       []BatchResult `json:"results" doc:"in the order of the request; a valid item has 200"`
}

// BatchResult is the outcome of one item of a batch.
type BatchResult struct {
	Index             int                         `json:"index"`
	PersonalReference wire.Opt[string]            `json:"personal_reference"`
	StatusCode        int                         `json:"status_code" doc:"what the item alone would have been answered"`
	SubmissionID      wire.Opt[wire.SubmissionID] `json:"submission_id"`
	Errors            []refusal.Error             `json:"errors"`
}

// Failed implements core.MayFail.
func (a *BatchAnswer) Failed(ctx context.Context, reader *ent.Client) (bool, error) {
	ids := make([]int64, 0, a.AcceptedCount)
	for i := range a.Results {
		if r := &a.Results[i]; r.SubmissionID.Set {
			ids = append(ids, int64(r.SubmissionID.V))
		}
	}
	return rejected(ctx, reader, ids)
}

// SayIn implements core.HasMessages.
func (a *BatchAnswer) SayIn(language string) bool { return sayResults(language, a.Results) }

// SayIn implements core.HasMessages.
func (a *BatchCheck) SayIn(language string) bool { return sayResults(language, a.Results) }

func sayResults(language string, results []BatchResult) bool {
	return refusal.Say(language, each.Of(results, func(r BatchResult) []refusal.Error { return r.Errors })...)
}

// submitBatch accepts the valid items of a batch, up to the store's limits, or only checks them.
func (s *Items) submitBatch(ctx context.Context, c *core.Call, in *SubmitBatchInput) (*BatchAnswer, error) {
	items := in.Batch.Items
	perItem, outside := splitProblems(c, "items", len(items))
	switch {
	case len(items) == 0:
		outside.Add(refusal.BatchEmpty, "items", "The batch holds no items.")
	case len(items) > MaxBatch:
		outside.Add(refusal.BatchTooLarge, "items", "The batch holds more than %d items.", MaxBatch)
	}
	if err := outside.Err(); err != nil {
		return nil, err
	}
	models := map[wire.ID]shippingType{}
	valid := make([]int, 0, len(items))
	for i := range items {
		if err := s.checkNewItem(ctx, &items[i], check{call: c, models: models, at: batchPlaces[i], problems: &perItem[i]}); err != nil {
			return nil, err
		}
		if perItem[i].Err() == nil {
			valid = append(valid, i)
		}
	}
	if len(valid) == 0 {
		return nil, allRejected(perItem)
	}
	if in.ValidateOnly {
		out := &BatchCheck{ValidCount: len(valid), RejectedCount: len(items) - len(valid), Results: s.resultsOf(items, perItem)}
		for _, i := range valid {
			out.Results[i].StatusCode = http.StatusOK
		}
		c.Meta.Instead(http.StatusOK, out)
		return nil, nil
	}
	first, err := s.IDs.Numbers(ctx, numbering.Items, len(valid))
	if err != nil {
		return nil, err
	}
	drafts := draftsOf(items, valid)
	return change(ctx, s, c, len(valid), func(ctx context.Context, tx Change) (*BatchAnswer, error) {
		return tx.createBatch(ctx, c, items, perItem, valid, drafts, first)
	})
}

// draftsOf are the valid items as JSON. They share the memory of one text, and are made before the transaction, in which
// others wait.
func draftsOf(items []ItemInput, valid []int) []string {
	buffer := core.Buffers.Get().(*[]byte)
	defer func() {
		if cap(*buffer) <= 1<<20 {
			core.Buffers.Put(buffer)
		}
	}()
	all, ends := (*buffer)[:0], make([]int, len(valid))
	for n, i := range valid {
		all = wire.EncodeJSON(all, &items[i])
		ends[n] = len(all)
	}
	*buffer = all
	text, drafts, start := string(all), make([]string, len(valid)), 0
	for n, end := range ends {
		drafts[n], start = text[start:end], end
	}
	return drafts
}

// createBatch stores the first items that fit, and the answer about all of them.
func (tx Change) createBatch(ctx context.Context, c *core.Call, items []ItemInput, perItem []refusal.Problems, valid []int, drafts []string,
	first int64,
) (*BatchAnswer, error) {
	fits, limit := tx.Room(c, len(valid))
	if fits == 0 {
		return nil, append(slices.Clone(refusal.All(limit)), allRejected(perItem)...) // the limit comes first, because its status counts
	}
	out := &BatchAnswer{
		ID: wire.BatchID(tx.s.IDs.Ordered()), AcceptedCount: fits, RejectedCount: len(items) - fits, Results: tx.s.resultsOf(items, perItem),
	}
	batch := &intake.Batch{
		ID: int64(out.ID), Owner: int64(tx.Owner), CreatedAt: int64(tx.Now), Accepted: fits, Rejected: out.RejectedCount, Cause: tx.Cause.Text(),
		Submissions: make([]intake.Submission, fits), Indexes: make([]int64, fits),
	}
	for n, i := range valid {
		if n >= fits {
			out.Results[i].refuse(refusal.All(limit), tx.s.Config.BaseURL)
			continue
		}
		number := first + int64(n)
		out.Results[i].StatusCode = http.StatusAccepted
		out.Results[i].SubmissionID = wire.Some(wire.SubmissionID(number))
		batch.Submissions[n] = intake.Submission{ID: number, Draft: drafts[n], ShippingModelID: int64(items[i].ShippingModelID.V)}
		batch.Indexes[n] = int64(i)
		if items[i].PersonalReference.Set {
			batch.Submissions[n].PersonalReference = &items[i].PersonalReference.V
		}
	}
	if err := tx.s.intake.StoreBatch(ctx, tx.Client, int64(tx.Clock), int64(tx.Clock.Add(PublishDeadline)), batch); err != nil {
		return nil, err
	}
	if spare := len(valid) - fits; spare > 0 {
		if err := tx.Release(ctx, spare, spare); err != nil {
			return nil, err
		}
	}
	tx.Wake(core.PublisherWorker)
	c.Meta.Location = "/v1/item-batches/" + out.ID.String()
	c.Meta.Store = tx.StoreLimits(c)
	return out, nil
}

// resultsOf are the results of the items, as far as checks decide.
func (s *Items) resultsOf(items []ItemInput, perItem []refusal.Problems) []BatchResult {
	results := make([]BatchResult, len(items))
	for i := range items {
		results[i] = BatchResult{Index: i, PersonalReference: items[i].PersonalReference}
		if err := perItem[i].Err(); err != nil {
			results[i].PersonalReference = repeated(items[i].PersonalReference, perItem[i].Entries(), ".personal_reference")
			results[i].refuse(perItem[i].Entries(), s.Config.BaseURL)
		}
	}
	return results
}

func (r *BatchResult) refuse(errs refusal.Errors, baseURL string) {
	r.StatusCode = errs.Status()
	r.Errors = errs.Documented(baseURL)
	for i := range r.Errors {
		r.Errors[i].Index = refusal.IndexAt(r.Index)
	}
}

// splitProblems sorts the problems of decoding by the entries of the body's list. A problem outside the entries rejects the whole
// batch.
func splitProblems(c *core.Call, list string, items int) (perItem []refusal.Problems, outside refusal.Problems) {
	perItem = make([]refusal.Problems, items)
	for _, problem := range c.Problems.Entries() {
		text, ok := strings.CutPrefix(problem.Field, list+"[")
		number, _, closed := strings.Cut(text, "]")
		i, err := strconv.Atoi(number)
		if !ok || !closed || err != nil || i < 0 || i >= items || problem.Code == refusal.UnknownParameter {
			outside.AddError(problem)
			continue
		}
		perItem[i].AddError(problem)
	}
	c.Problems = refusal.Problems{}
	return perItem, outside
}

// repeated is a member of an entry as the entry's result repeats it: nothing, where no value could be read.
func repeated[T comparable](given wire.Opt[T], errs refusal.Errors, member string) wire.Opt[T] {
	var none T
	if given.V == none && slices.ContainsFunc(errs, func(e refusal.Error) bool { return strings.HasSuffix(e.Field, member) }) {
		return wire.Opt[T]{}
	}
	return given
}

func allRejected(perItem []refusal.Problems) refusal.Errors {
	var all refusal.Errors
	for i := range perItem {
		for _, problem := range perItem[i].Entries() {
			problem.Index = refusal.IndexAt(i)
			all = append(all, problem)
		}
	}
	return all
}

// BatchSummary sums up a batch's submissions. An item is rejected either at acceptance or at publication. The names
// RejectedCount and UnpublishedCount do not say at which, so two members with plainer names have the same numbers.
type BatchSummary struct {
	ID               wire.BatchID `json:"id"`
	AcceptedCount    int          `json:"accepted_count" doc:"have a submission: the sum of pending_count, published_count and rejected_at_publication_count"`
	RejectedCount    int          `json:"rejected_count" doc:"the same as rejected_at_acceptance_count: without the items that publication rejected"`
	PendingCount     int          `json:"pending_count" doc:"accepted, and neither published nor rejected yet"`
	PublishedCount   int          `json:"published_count" doc:"accepted, and published"`
	UnpublishedCount int          `json:"unpublished_count" doc:"the same as rejected_at_publication_count"`

	ItemCount                  int `json:"item_count" since:"1.2.1" doc:"all items of the batch: the sum of rejected_at_acceptance_count, pending_count, published_count and rejected_at_publication_count"`
	RejectedAtAcceptanceCount  int `json:"rejected_at_acceptance_count" since:"1.2.1" doc:"rejected at once, in the answer to the batch; they have no submission"`
	RejectedAtPublicationCount int `json:"rejected_at_publication_count" since:"1.2.1" doc:"accepted, and rejected later; the errors stand in their submissions"`

	Done        bool         `json:"done" doc:"whether pending_count is 0"`
	Submissions []Submission `json:"submissions" doc:"of the accepted items"`
	CreatedAt   wire.Time    `json:"created_at"`
}

// SayIn implements core.HasMessages.
func (b *BatchSummary) SayIn(language string) bool {
	all := make([]*Submission, len(b.Submissions))
	for i := range b.Submissions {
		all[i] = &b.Submissions[i]
	}
	return sayIn(language, all)
}

// BatchRef names a batch in a path.
type BatchRef struct {
	ID wire.BatchID `path:"id" missing:"batch_not_found"`
}

// getBatch sums up one of the caller's batches.
func (s *Items) getBatch(ctx context.Context, c *core.Call, in *BatchRef) (*BatchSummary, error) {
	row, err := s.Reads.Reader().Batch.Query().Where(batch.ID(int64(in.ID)), batch.Owner(int64(c.Owner))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.BatchNotFound, "batch", int64(in.ID))
	}
	submissions, err := s.Reads.Reader().Submission.Query().Where(submission.BatchID(row.ID)).
		Order(ent.Asc(submission.FieldBatchIndex)).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("load batch's submissions: %w", err)
	}
	out := &BatchSummary{
		ID: in.ID, AcceptedCount: row.AcceptedCount, RejectedCount: row.RejectedCount,
		CreatedAt: wire.Time(row.CreatedAt), Submissions: make([]Submission, len(submissions)),
	}
	for i, submission := range submissions {
		out.Submissions[i] = s.submissionFrom(submission)
		switch submission.Status {
		case SubmissionPublished:
			out.PublishedCount++
		case SubmissionRejected:
			out.UnpublishedCount++
		default:
			out.PendingCount++
		}
	}
	out.ItemCount = out.AcceptedCount + out.RejectedCount
	out.RejectedAtAcceptanceCount, out.RejectedAtPublicationCount = out.RejectedCount, out.UnpublishedCount
	out.Done = out.PendingCount == 0
	return out, nil
}
