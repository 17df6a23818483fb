package sandbox

import (
	"context"
	"database/sql"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/batch"
	"sellerd/ent/bid"
	"sellerd/ent/bill"
	"sellerd/ent/buyer"
	"sellerd/ent/delivery"
	"sellerd/ent/dispatch"
	"sellerd/ent/event"
	"sellerd/ent/idempotencykey"
	"sellerd/ent/item"
	"sellerd/ent/itemword"
	"sellerd/ent/listposition"
	"sellerd/ent/rating"
	"sellerd/ent/sale"
	"sellerd/ent/submission"
	"sellerd/ent/tracking"
	"sellerd/ent/webhook"
	"sellerd/v1/rows"
)

// How many rows of a table one transaction removes. It is small, because on SQLite everything else waits for it: rows with
// many indexes are removed in some milliseconds.
const (
	chunk      = 200
	chunkOfFew = 1000 // of tables with few indexes
)

// answersAtOnce is how many stored answers, of all owners, are looked through at once.
const answersAtOnce = 10_000

// table is one step of a reset. remove deletes a chunk of an owner's rows, with the rows of other tables that cannot be
// without them, and says how many those were. It finds none only if none is left.
type table struct {
	name   string
	remove func(ctx context.Context, store Store, tx *ent.Client, owner int64) (int, error)
}

// tables are in an order in which nothing that is left refers to what is gone. The counters of positions come first, the
// coarse ones before the fine ones: a list that is read by position is then empty rather than wrong. What is to be sent
// comes next, so that receivers hear no more of what is removed.
var tables = []table{
	{listposition.Table, removePositions},
	{delivery.Table, removeDeliveries},
	{event.Table, removeEvents},
	{itemword.Table, removeWords},
	{bill.Table, removeBills},
	{item.Table, removeItems},
	{submission.Table, removeSubmissions},
	{buyer.Table, removeBuyers},
}

func removePositions(ctx context.Context, _ Store, tx *ent.Client, owner int64) (int, error) {
	ids, err := tx.ListPosition.Query().Where(listposition.Owner(owner)).
		Order(ent.Desc(listposition.FieldLevel), ent.Asc(listposition.FieldID)).Limit(chunkOfFew).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return tx.ListPosition.Delete().Where(listposition.IDIn(ids...)).Exec(ctx)
}

// removeDeliveries removes attempts and what is still to be sent. A dispatch is ended only under a lock on its webhook, as
// package delivery has it, so an attempt that is in flight finds its lease lost. Each dispatch has an attempt, also those of
// deleted webhooks.
func removeDeliveries(ctx context.Context, store Store, tx *ent.Client, owner int64) (int, error) {
	hooks := `SELECT ` + webhook.FieldID + ` FROM ` + webhook.Table + ` WHERE ` + webhook.FieldOwner + ` = $1 ORDER BY ` + webhook.FieldID
	if _, err := finds(ctx, tx, store.AwaitLocked(hooks), owner); err != nil {
		return 0, err
	}
	found, err := tx.Delivery.Query().Where(delivery.Owner(owner)).Order(ent.Asc(delivery.FieldCreatedAt, delivery.FieldID)).Limit(chunk).
		Select(delivery.FieldID, delivery.FieldDispatchID).All(ctx)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	ids, dispatches := make([]int64, len(found)), make([]int64, len(found))
	for i, row := range found {
		ids[i], dispatches[i] = row.ID, row.DispatchID
	}
	if _, err := tx.Dispatch.Delete().Where(dispatch.IDIn(dispatches...)).Exec(ctx); err != nil {
		return 0, err
	}
	return tx.Delivery.Delete().Where(delivery.IDIn(ids...)).Exec(ctx)
}

func removeEvents(ctx context.Context, _ Store, tx *ent.Client, owner int64) (int, error) {
	ids, err := tx.Event.Query().Where(event.Owner(owner)).Order(ent.Asc(event.FieldCreatedAt, event.FieldID)).Limit(chunk).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return tx.Event.Delete().Where(event.IDIn(ids...)).Exec(ctx)
}

func removeWords(ctx context.Context, store Store, tx *ent.Client, owner int64) (int, error) {
	found, err := tx.ItemWord.Query().Where(itemword.Owner(owner)).
		Order(ent.Asc(itemword.FieldWord, itemword.FieldItemID)).Limit(chunkOfFew).All(ctx)
	if err != nil {
		return 0, err
	}
	given := make([]any, 0, len(found)*len(itemword.Columns))
	for _, row := range found {
		given = append(given, owner, row.Word, row.ItemID)
	}
	return len(found), rows.WordRemoval.On(store.ManyWriters()).Exec(ctx, tx, given)
}

// removeBills removes bills together with their sales, ratings and trackings, so that a bill that is read meanwhile adds up,
// unless it has more sales than a chunk.
func removeBills(ctx context.Context, _ Store, tx *ent.Client, owner int64) (int, error) {
	bills, err := tx.Bill.Query().Where(bill.Owner(owner)).Order(ent.Asc(bill.FieldCreatedAt, bill.FieldID)).Limit(chunk).IDs(ctx)
	if err != nil || len(bills) == 0 {
		return 0, err
	}
	sales, err := tx.Sale.Query().Where(sale.Owner(owner), sale.BillIDIn(bills...)).Limit(chunkOfFew).IDs(ctx)
	if err != nil {
		return 0, err
	}
	if len(sales) > 0 {
		if _, err := tx.Rating.Delete().Where(rating.IDIn(sales...)).Exec(ctx); err != nil {
			return 0, err
		}
		if _, err := tx.Sale.Delete().Where(sale.IDIn(sales...)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	if len(sales) == chunkOfFew {
		return len(sales), nil
	}
	if _, err := tx.Tracking.Delete().Where(tracking.BillIDIn(bills...)).Exec(ctx); err != nil {
		return 0, err
	}
	n, err := tx.Bill.Delete().Where(bill.IDIn(bills...)).Exec(ctx)
	return n + len(sales), err
}

// removeItems removes items with their bids.
func removeItems(ctx context.Context, _ Store, tx *ent.Client, owner int64) (int, error) {
	items, err := tx.Item.Query().Where(item.Owner(owner)).Order(ent.Asc(item.FieldCreatedAt, item.FieldID)).Limit(chunk).IDs(ctx)
	if err != nil || len(items) == 0 {
		return 0, err
	}
	bids, err := tx.Bid.Query().Where(bid.ItemIDIn(items...)).Limit(chunkOfFew).IDs(ctx)
	if err != nil {
		return 0, err
	}
	if len(bids) > 0 {
		if _, err := tx.Bid.Delete().Where(bid.IDIn(bids...)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	if len(bids) == chunkOfFew {
		return len(bids), nil
	}
	n, err := tx.Item.Delete().Where(item.IDIn(items...)).Exec(ctx)
	return n + len(bids), err
}

// testData is the condition of the index that finds an owner's submissions. It holds those of test data only.
const testData = submission.FieldOwner + " % 2 = 1"

// removeSubmissions removes submissions of test data and the batches that they were in. No index finds those of live data: see
// removeLiveSubmissions.
func removeSubmissions(ctx context.Context, _ Store, tx *ent.Client, owner int64) (int, error) {
	found, err := tx.Submission.Query().Where(submission.Owner(owner), func(s *entsql.Selector) { s.Where(entsql.ExprP(testData)) }).
		Order(ent.Asc(submission.FieldID)).Limit(chunk).Select(submission.FieldID, submission.FieldBatchID).All(ctx)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return removeTheseSubmissions(ctx, tx, found)
}

func removeTheseSubmissions(ctx context.Context, tx *ent.Client, found []*ent.Submission) (int, error) {
	ids := make([]int64, len(found))
	var batches []int64
	for i, row := range found {
		if ids[i] = row.ID; row.BatchID != nil {
			batches = append(batches, *row.BatchID)
		}
	}
	if len(batches) > 0 {
		if _, err := tx.Batch.Delete().Where(batch.IDIn(batches...)).Exec(ctx); err != nil {
			return 0, err
		}
	}
	return tx.Submission.Delete().Where(submission.IDIn(ids...)).Exec(ctx)
}

// removeLiveSubmissions goes through a part of all submissions, and removes those of the owner. more says that there may be others.
func (r *Remover) removeLiveSubmissions(ctx context.Context, one *reset) (removed int, more bool, err error) {
	all := r.config.Store.Reader().Submission
	last, err := all.Query().Where(submission.IDGT(one.submission)).Order(ent.Asc(submission.FieldID)).Offset(answersAtOnce - 1).Limit(1).IDs(ctx)
	if err != nil {
		return 0, false, err
	}
	part := all.Query().Where(submission.IDGT(one.submission), submission.Owner(one.owner))
	if len(last) > 0 {
		part.Where(submission.IDLTE(last[0]))
	}
	found, err := part.Order(ent.Asc(submission.FieldID)).Limit(chunk).Select(submission.FieldID, submission.FieldBatchID).All(ctx)
	if err != nil {
		return 0, false, err
	}
	if len(found) > 0 {
		held, err := r.holding(ctx, one, func(ctx context.Context, tx *ent.Client) (err error) {
			removed, err = removeTheseSubmissions(ctx, tx, found)
			return err
		})
		if err != nil || !held {
			return 0, !held, err
		}
	}
	switch {
	case len(found) == chunk:
		one.submission = found[len(found)-1].ID
	case len(last) > 0:
		one.submission = last[0]
	default:
		one.submission = -1 // the stored answers come next
	}
	return removed, true, nil
}

// removeBuyers removes the buyers that the owner has made up. Those of live data belong to all sellers, and have no owner.
func removeBuyers(ctx context.Context, _ Store, tx *ent.Client, owner int64) (int, error) {
	ids, err := tx.Buyer.Query().Where(buyer.Scope(owner)).Order(ent.Asc(buyer.FieldNickname)).Limit(chunk).IDs(ctx)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	return tx.Buyer.Delete().Where(buyer.IDIn(ids...)).Exec(ctx)
}

// removeAnswers goes through a part of the stored answers of all owners, and removes those of the owner that are older than
// the reset. Databases differ in how they sort ids, so an owner's answers need not lie together. The part is read outside of
// the transaction, and only ids are read, which the primary key has.
func (r *Remover) removeAnswers(ctx context.Context, one *reset) (removed int, more bool, err error) {
	answers := r.config.Store.Reader().IdempotencyKey
	last, err := answers.Query().Where(idempotencykey.IDGT(one.after)).Order(ent.Asc(idempotencykey.FieldID)).Offset(answersAtOnce - 1).Limit(1).IDs(ctx)
	if err != nil {
		return 0, false, err
	}
	part := answers.Query().Where(idempotencykey.IDGT(one.after), func(s *entsql.Selector) {
		s.Where(entsql.HasPrefix(s.C(idempotencykey.FieldID), r.config.AnswersBegin(one.owner)))
	})
	if len(last) > 0 {
		part.Where(idempotencykey.IDLTE(last[0]))
	}
	found, err := part.Order(ent.Asc(idempotencykey.FieldID)).Limit(chunkOfFew).IDs(ctx)
	if err != nil {
		return 0, false, err
	}
	if len(found) > 0 {
		own := one.since + r.config.AnswersLast.Microseconds()
		held, err := r.holding(ctx, one, func(ctx context.Context, tx *ent.Client) (err error) {
			removed, err = tx.IdempotencyKey.Delete().Where(idempotencykey.IDIn(found...), idempotencykey.ExpiresAtLT(own)).Exec(ctx)
			return err
		})
		if err != nil || !held {
			return 0, !held, err
		}
	}
	switch {
	case len(found) == chunkOfFew:
		one.after = found[len(found)-1]
	case len(last) > 0:
		one.after = last[0]
	default:
		return removed, false, nil
	}
	return removed, true, nil
}

// finds runs a query, and says whether it finds a row.
func finds(ctx context.Context, tx *ent.Client, query string, args ...any) (found bool, err error) {
	err = rows.Query(ctx, tx, query, args, func(*sql.Rows) error { found = true; return nil })
	return found, err
}
