package publishing

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/ent/submission"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
	"sellerd/v1/queue"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file stores the outcomes of submissions: items, or the reasons for a rejection.

// finishWhileLeased stores what is left of a set, again and again while the database is away and the lease lasts. What fails
// for good is left to the lease, which spaces its next attempts. The error says why something is left, which may be
// ErrOwnerTaken.
func (p *Publisher) finishWhileLeased(ctx context.Context, held queue.Held[ent.Submission], set *outcomeSet) error {
	return p.claims.WhileLeased(ctx, held, func(ctx context.Context) (passing error) {
		first := p.lines.mayAttempt(set.place)
		if p.waiting.isStored(set) { // together with another set
			return nil
		}
		if !first {
			return core.ErrOwnerTaken
		}
		var failed error
		set.left, passing, failed = p.finish(ctx, set, set.left)
		set.failed = errors.Join(set.failed, failed)
		return passing
	})
}

// finish stores outcomes of a set in one transaction, together with sets behind it. Outcomes whose lease is lost
// are dropped. It returns those that can be stored later, with the reason, and separately the errors of those that failed for
// good. A set that fails for good is stored without others, and then one by one, so that one submission cannot fail the others.
func (p *Publisher) finish(ctx context.Context, set *outcomeSet, outcomes []*outcome) (left []*outcome, passing, lasting error) {
	if len(outcomes) < patientFrom && set.yielded < YieldAtMost {
		switch err := p.finishSmall(ctx, set, outcomes); {
		case err == nil:
			return nil, nil, nil
		case !errors.Is(err, errAlone):
			return outcomes, err, nil
		}
	}
	others, err := p.finishWithOthers(ctx, set, outcomes)
	if others > 0 && err != nil && !errors.Is(err, core.ErrOwnerTaken) && !p.core.Retrier.WillPass(err) {
		err = p.finishIn(ctx, set, outcomes)
	}
	switch {
	case err == nil:
		return nil, nil, nil
	case errors.Is(err, core.ErrOwnerTaken), p.core.Retrier.WillPass(err):
		return outcomes, err, nil
	case len(outcomes) == 1:
		return nil, nil, err
	}
	for one := range slices.Chunk(outcomes, 1) {
		switch err := p.finishIn(ctx, set, one); {
		case err == nil:
		case errors.Is(err, core.ErrOwnerTaken), p.core.Retrier.WillPass(err):
			left, passing = append(left, one...), err
		default:
			lasting = errors.Join(lasting, err)
		}
	}
	return left, passing, lasting
}

// finishWithOthers stores outcomes of a set, and the sets behind it that fit into the same transaction. They are chosen when the
// transaction has begun and the owner's row is locked, because more come while the set waits. It says how many sets there were.
func (p *Publisher) finishWithOthers(ctx context.Context, set *outcomeSet, outcomes []*outcome) (int, error) {
	var others []*outcomeSet
	err := p.finishChosen(ctx, set, func() []*outcome {
		var more []*outcome
		others, more = p.waiting.behind(set, publishSet-len(outcomes))
		return slices.Concat(outcomes, more)
	})
	if err == nil {
		p.waiting.stored(others)
	}
	return len(others), err
}

// finishIn stores outcomes of a set in one transaction.
func (p *Publisher) finishIn(ctx context.Context, set *outcomeSet, outcomes []*outcome) error {
	return p.finishChosen(ctx, set, func() []*outcome { return outcomes })
}

// finishChosen stores in one transaction the outcomes of an owner that are chosen in it.
func (p *Publisher) finishChosen(ctx context.Context, set *outcomeSet, choose func() []*outcome) error {
	var done finished
	err := p.lines.attempt(ctx, set.place, func(ctx context.Context, tx *core.Change) (err error) {
		done, err = p.store(ctx, tx.Client, []*core.Change{tx}, choose())
		return err
	})
	if errors.Is(err, core.ErrBeingReset) { // the submissions are about to be removed
		done, err = finished{stale: int64(len(choose()))}, nil
	}
	if err != nil {
		return fmt.Errorf("finish submissions of owner %d: %w", set.Key, err)
	}
	p.count(done)
	return nil
}

// finished counts the outcomes of a set of submissions.
type finished struct{ published, rejected, stale int64 }

func (p *Publisher) count(done finished) {
	p.core.Counters().StaleLeases.Add(done.stale)
	p.core.Counters().Rejected.Add(done.rejected)
	p.core.Counters().Published.Add(done.published)
	if done.published > 0 {
		p.core.Wake(core.CloserWorker)
	}
}

// owned is the change of an owner, with what decides over its submissions.
type owned struct {
	*core.Change
	account  *ent.Account
	limit    int // of open items; 0 for none
	rejected int
}

// store stores outcomes, which may be of several leases. Of each owner there is a change.
func (p *Publisher) store(ctx context.Context, client *ent.Client, changes []*core.Change, set []*outcome) (done finished, err error) {
	byOwner, err := p.owned(ctx, client, changes)
	if err != nil {
		return done, fmt.Errorf("load accounts: %w", err)
	}
	token, err := tokens(ctx, client, set)
	if err != nil {
		return done, fmt.Errorf("check leases: %w", err)
	}
	var published []*outcome
	for _, o := range set {
		if now, found := token[o.row.ID]; !found || now != o.row.Lease {
			done.stale++
			o.note("stale")
			continue
		}
		tx, rejected := byOwner[o.row.Owner], o.rejected
		switch {
		case rejected != nil:
		case wire.Time(o.row.PublishDeadline) <= tx.Clock: // the images took too long
			rejected = refusal.New(refusal.PublicationTimeout)
		case o.retryAt == 0 && tx.limit > 0 && tx.Open-tx.rejected > tx.limit:
			rejected = refusal.New(refusal.StoreLimitReached)
		}
		switch {
		case rejected != nil:
			tx.rejected++
			done.rejected++
			o.note("rejected")
			err = p.reject(ctx, tx.Change, o.row.ID, rejected)
		case o.retryAt != 0:
			o.note("put off")
			err = client.Submission.Update().Where(submission.ID(o.row.ID)).SetStatus(Pending).SetLease(0).SetDueAt(int64(o.retryAt)).
				Exec(p.core.Store.Late(ctx))
		default:
			o.note("published")
			published = append(published, o)
		}
		if err != nil {
			return done, fmt.Errorf("finish submission %d: %w", o.row.ID, err)
		}
	}
	for _, tx := range byOwner {
		if tx.rejected > 0 {
			if err := tx.Release(ctx, tx.rejected, 0); err != nil {
				return done, err
			}
		}
	}
	if len(published) == 0 {
		return done, nil
	}
	done.published = int64(len(published))
	return done, p.publish(ctx, client, byOwner, published)
}

// owned are the owners of changes, by their numbers.
func (p *Publisher) owned(ctx context.Context, client *ent.Client, changes []*core.Change) (map[int64]*owned, error) {
	ids := each.Of(changes, func(tx *core.Change) int64 { return tx.Owner.Account() })
	accounts, err := client.Account.Query().Where(account.IDIn(ids...)).
		Select(account.FieldID, account.FieldTimeZone, account.FieldLimitOpenItems).All(ctx)
	if err != nil {
		return nil, err
	}
	byOwner := make(map[int64]*owned, len(changes))
	for _, tx := range changes {
		at := slices.IndexFunc(accounts, func(a *ent.Account) bool { return a.ID == tx.Owner.Account() })
		if at < 0 {
			return nil, fmt.Errorf("owner %d has no account", tx.Owner)
		}
		o := &owned{Change: tx, account: accounts[at], limit: p.core.Config.OpenItems}
		if own := accounts[at].LimitOpenItems; own != nil {
			o.limit = *own
		}
		byOwner[int64(tx.Owner)] = o
	}
	return byOwner, nil
}

// tokens are the tokens under which submissions are leased now, by their ids.
func tokens(ctx context.Context, client *ent.Client, set []*outcome) (map[int64]int64, error) {
	ids := each.Of(set, func(o *outcome) int64 { return o.row.ID })
	leased, err := client.Submission.Query().Select(submission.FieldID, submission.FieldLease).
		Where(submission.IDIn(ids...), submission.Status(Processing)).All(ctx)
	if err != nil {
		return nil, err
	}
	return each.Keyed(leased, func(row *ent.Submission) (id, lease int64) { return row.ID, row.Lease }), nil
}

func (p *Publisher) reject(ctx context.Context, tx *core.Change, id int64, why refusal.Errors) error {
	saved, err := tx.Submission.UpdateOneID(id).SetStatus(Rejected).SetDraft("").SetCompletedAt(int64(tx.Now)).
		SetErrors(wire.RawOf(why.Documented(p.core.Config.BaseURL)).Text).Save(ctx)
	if err != nil {
		return err
	}
	p.config.Rejected(tx, saved)
	return nil
}

// publish makes the items of a set with four statements, whatever their number, and one more for each item with warnings and each
// instant at which its submissions are completed. That is the same for most owners.
func (p *Publisher) publish(ctx context.Context, client *ent.Client, byOwner map[int64]*owned, set []*outcome) error {
	items := make([]NewItem, len(set))
	plain := map[wire.Time][]int64{}
	for i, o := range set {
		tx := byOwner[o.row.Owner]
		items[i] = NewItem{tx.Change, o.draft.Item(tx.Change, o.row.ID, tx.account.TimeZone, o.images), o.cause}
		if o.warnings == nil {
			plain[tx.Now] = append(plain[tx.Now], o.row.ID)
			continue
		}
		warnings := wire.RawOf(o.warnings.Documented(p.core.Config.BaseURL)).Text
		if err := published(client, tx.Now, o.row.ID).SetWarnings(warnings).Exec(p.core.Store.Late(ctx)); err != nil {
			return fmt.Errorf("finish submission %d: %w", o.row.ID, err)
		}
	}
	for now, ids := range plain {
		if err := published(client, now, ids...).Exec(p.core.Store.Late(ctx)); err != nil {
			return fmt.Errorf("finish submissions: %w", err)
		}
	}
	return p.config.StoreItems(ctx, client, items)
}

// published is the update of submissions whose items are made.
func published(client *ent.Client, now wire.Time, ids ...int64) *ent.SubmissionUpdate {
	return client.Submission.Update().Where(submission.IDIn(ids...)).SetStatus(Published).SetDraft("").SetCompletedAt(int64(now))
}
