package items

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/ent/submission"
	"sellerd/internal/crash"
	"sellerd/v1/core"
	"sellerd/v1/outbound"
	"sellerd/v1/queue"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file stores the outcomes of submissions: items, or the reasons for a rejection.

// finishWhileLeased stores what is left of a set, again and again while the database is away and the lease lasts. What fails
// for good is left to the lease, which spaces its next attempts. The error says why something is left, which may be
// errOwnerTaken.
func (s *Items) finishWhileLeased(ctx context.Context, held queue.Held[ent.Submission], set *outcomeSet) error {
	return s.SubmissionClaims.WhileLeased(ctx, held, func(ctx context.Context) (passing error) {
		first := s.mayAttempt(set.place)
		if s.Waiting.isStored(set) { // together with another set
			return nil
		}
		if !first {
			return core.ErrOwnerTaken
		}
		var failed error
		set.left, passing, failed = s.finish(ctx, set, set.left)
		set.failed = errors.Join(set.failed, failed)
		return passing
	})
}

// finish stores outcomes of a set in one transaction, on PostgreSQL together with sets behind it. Outcomes whose lease is lost
// are dropped. It returns those that can be stored later, with the reason, and separately the errors of those that failed for
// good. A set that fails for good is stored without others, and then one by one, so that one submission cannot fail the others.
func (s *Items) finish(ctx context.Context, set *outcomeSet, outcomes []*outcome) (left []*outcome, passing, lasting error) {
	others, err := s.finishWithOthers(ctx, set, outcomes)
	if others > 0 && err != nil && !errors.Is(err, core.ErrOwnerTaken) && !s.Retrier.WillPass(err) {
		err = s.finishIn(ctx, set, outcomes)
	}
	switch {
	case err == nil:
		return nil, nil, nil
	case errors.Is(err, core.ErrOwnerTaken), s.Retrier.WillPass(err):
		return outcomes, err, nil
	case len(outcomes) == 1:
		return nil, nil, err
	}
	for one := range slices.Chunk(outcomes, 1) {
		switch err := s.finishIn(ctx, set, one); {
		case err == nil:
		case errors.Is(err, core.ErrOwnerTaken), s.Retrier.WillPass(err):
			left, passing = append(left, one...), err
		default:
			lasting = errors.Join(lasting, err)
		}
	}
	return left, passing, lasting
}

// finishWithOthers stores outcomes of a set, and on PostgreSQL the sets behind it that fit into the same transaction. They are
// chosen when the owner's row is locked, because more come while the set waits for it. It says how many sets there were.
func (s *Items) finishWithOthers(ctx context.Context, set *outcomeSet, outcomes []*outcome) (int, error) {
	if !s.Store.ManyWriters() {
		return 0, s.finishIn(ctx, set, outcomes)
	}
	var others []*outcomeSet
	err := s.finishChosen(ctx, set, func() []*outcome {
		var more []*outcome
		others, more = s.Waiting.behind(set, publishSet-len(outcomes))
		return slices.Concat(outcomes, more)
	})
	if err == nil {
		s.Waiting.stored(others)
	}
	return len(others), err
}

// finishIn stores outcomes of a set in one transaction.
func (s *Items) finishIn(ctx context.Context, set *outcomeSet, outcomes []*outcome) error {
	return s.finishChosen(ctx, set, func() []*outcome { return outcomes })
}

// finishChosen stores in one transaction the outcomes of an owner that are chosen in it.
func (s *Items) finishChosen(ctx context.Context, set *outcomeSet, choose func() []*outcome) error {
	var done finished
	err := s.attempt(ctx, set.place, func(ctx context.Context, tx Change) (err error) {
		set.begun()
		done, err = tx.finish(ctx, choose())
		return err
	})
	if errors.Is(err, core.ErrBeingReset) { // the submissions are about to be removed
		done, err = finished{stale: int64(len(choose()))}, nil
	}
	if err != nil {
		return fmt.Errorf("finish submissions of owner %d: %w", set.Key, err)
	}
	s.Counters().StaleLeases.Add(done.stale)
	s.Counters().Rejected.Add(done.rejected)
	s.Counters().Published.Add(done.published)
	if done.published > 0 {
		s.Wake(core.CloserWorker)
	}
	return nil
}

// finished counts the outcomes of a set of submissions.
type finished struct{ published, rejected, stale int64 }

// finish stores outcomes, which may be of several leases.
func (tx Change) finish(ctx context.Context, set []*outcome) (done finished, err error) {
	account, err := tx.Account.Get(ctx, tx.Owner.Account())
	if err != nil {
		return done, fmt.Errorf("load account: %w", err)
	}
	ids := make([]int64, len(set))
	for i, o := range set {
		ids[i] = o.row.ID
	}
	leased, err := tx.Submission.Query().Select(submission.FieldID, submission.FieldLease).
		Where(submission.IDIn(ids...), submission.Status(SubmissionProcessing)).All(ctx)
	if err != nil {
		return done, fmt.Errorf("check leases: %w", err)
	}
	token := make(map[int64]int64, len(leased))
	for _, row := range leased {
		token[row.ID] = row.Lease
	}
	limit := tx.s.Config.OpenItems
	if account.LimitOpenItems != nil {
		limit = *account.LimitOpenItems
	}
	var published []*outcome
	for _, o := range set {
		if now, found := token[o.row.ID]; !found || now != o.row.Lease {
			done.stale++
			continue
		}
		rejected := o.rejected
		switch {
		case rejected != nil:
		case wire.Time(o.row.PublishDeadline) <= tx.Clock: // the images took too long
			rejected = refusal.New(refusal.PublicationTimeout)
		case o.retryAt == 0 && limit > 0 && tx.Open-int(done.rejected) > limit:
			rejected = refusal.New(refusal.StoreLimitReached)
		}
		switch {
		case rejected != nil:
			done.rejected++
			err = tx.reject(ctx, o.row.ID, rejected)
		case o.retryAt != 0:
			err = tx.Submission.Update().Where(submission.ID(o.row.ID)).SetStatus(SubmissionPending).SetLease(0).SetDueAt(int64(o.retryAt)).Exec(tx.s.Store.Late(ctx))
		default:
			published = append(published, o)
		}
		if err != nil {
			return done, fmt.Errorf("finish submission %d: %w", o.row.ID, err)
		}
	}
	if done.rejected > 0 {
		if err := tx.Release(ctx, int(done.rejected), 0); err != nil {
			return done, err
		}
	}
	if len(published) == 0 {
		return done, nil
	}
	done.published = int64(len(published))
	return done, tx.publish(ctx, account, published)
}

func (tx Change) reject(ctx context.Context, id int64, why refusal.Errors) error {
	saved, err := tx.Submission.UpdateOneID(id).SetStatus(SubmissionRejected).SetDraft("").SetCompletedAt(int64(tx.Now)).
		SetErrors(wire.RawOf(why.Documented(tx.s.Config.BaseURL)).Text).Save(ctx)
	if err != nil {
		return err
	}
	out := tx.s.submissionFrom(saved)
	tx.Emit("item.rejected", core.Subject{Kind: "submission", Number: saved.ID, ID: wire.SubmissionID(saved.ID).String(), Sequence: 1}, &submissionEvent{Submission: out})
	return nil
}

// publish makes the items of a set with four statements, whatever their number, and one more for each item with warnings.
func (tx Change) publish(ctx context.Context, account *ent.Account, set []*outcome) error {
	creates := make([]*ent.ItemCreate, len(set))
	var plain []int64
	for i, o := range set {
		creates[i] = tx.newItem(o, account.TimeZone)
		if o.warnings == nil {
			plain = append(plain, o.row.ID)
			continue
		}
		if err := tx.publishedSubmissions(o.row.ID).SetWarnings(wire.RawOf(o.warnings.Documented(tx.s.Config.BaseURL)).Text).Exec(tx.s.Store.Late(ctx)); err != nil {
			return fmt.Errorf("finish submission %d: %w", o.row.ID, err)
		}
	}
	if len(plain) > 0 {
		if err := tx.publishedSubmissions(plain...).Exec(tx.s.Store.Late(ctx)); err != nil {
			return fmt.Errorf("finish submissions: %w", err)
		}
	}
	items, err := tx.insertItems(ctx, creates)
	if err != nil {
		return fmt.Errorf("create items: %w", err)
	}
	crash.At(crash.MidPublish)
	var wordRows []any
	for _, row := range items {
		for _, word := range strings.Fields(row.Search) {
			wordRows = append(wordRows, word, row.ID)
		}
		tx.ItemChanged(nil, row)
		tx.EmitItem("item.published", row, nil)
	}
	if err := wordInsert.Rows(tx.s.Store.Late(ctx), tx.Client, []any{int64(tx.Owner)}, wordRows); err != nil {
		return fmt.Errorf("index words: %w", err)
	}
	return nil
}

// Items are stored with one statement of a fixed text for a set.
var (
	itemInsert = rows.NewInsert(item.Table, nil, item.Columns, nil)
	itemRecord = rows.NewRecord[ent.Item](item.Columns)
)

// insertItems stores new items, and returns their rows. What is not set is 0, empty or null, as the schema's defaults are.
func (tx Change) insertItems(ctx context.Context, creates []*ent.ItemCreate) ([]*ent.Item, error) {
	items := make([]*ent.Item, len(creates))
	values := make([]any, 0, len(item.Columns)*len(creates))
	for i, create := range creates {
		items[i] = new(ent.Item)
		m := create.Mutation()
		items[i].ID, _ = m.ID()
		values = itemRecord.Fill(items[i], m, values)
	}
	return items, itemInsert.Rows(tx.s.Store.Late(ctx), tx.Client, nil, values)
}

func (tx Change) publishedSubmissions(ids ...int64) *ent.SubmissionUpdate {
	return tx.Submission.Update().Where(submission.IDIn(ids...)).SetStatus(SubmissionPublished).SetDraft("").SetCompletedAt(int64(tx.Now))
}

// newItem is the item of a submission: scheduled if its start lies ahead, else open from now on.
func (tx Change) newItem(o *outcome, zone string) *ent.ItemCreate {
	start, status := tx.Clock, ItemOpen
	if o.draft.StartsAt.Set && o.draft.StartsAt.V > tx.Clock {
		start, status = o.draft.StartsAt.V, ItemScheduled
	}
	ends := o.draft.endOf(start, zone)
	create := tx.Item.Create().SetID(o.row.ID).SetOwner(int64(tx.Owner))
	setItem(create.Mutation(), &o.draft, false)
	due := ends
	if status == ItemScheduled {
		due = start
	}
	return create.SetStatus(status).SetNillableStartsAt(core.Unix(o.draft.StartsAt)).SetRunStartedAt(int64(start)).SetEndsAt(int64(ends)).SetDueAt(int64(due)).
		SetPublishedAt(int64(tx.Now)).SetCreatedAt(int64(tx.Now)).SetUpdatedAt(int64(tx.Now)).
		SetRenewalsLeft(o.draft.Renewals.Or(0)).SetImages(wire.RawOf(imagesFrom(o.draft.Images, o.images)).Text).SetSequence(1)
}

// imagesFrom joins the pictures of an input with the results of fetching them.
func imagesFrom(wanted []ImageInput, fetched []outbound.FetchedImage) []Image {
	images := make([]Image, len(wanted))
	for i, want := range wanted {
		images[i] = Image{URL: want.URL, Position: i}
		images[i].take(fetched[i])
	}
	return images
}

func (i *Image) take(f outbound.FetchedImage) {
	if f.ErrorCode != "" {
		i.Status, i.ErrorCode = imageFailed, wire.Some(string(f.ErrorCode))
		return
	}
	i.Status, i.ErrorCode = imageReady, wire.Opt[string]{}
	i.Width, i.Height, i.ContentType = wire.Some(f.Width), wire.Some(f.Height), wire.Some(f.ContentType)
}
