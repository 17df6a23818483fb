package trade

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/each"
	"sellerd/v1/core"
)

// closeDueBatch is how many due items one step of the closer looks at.
const closeDueBatch = 100

// areDue is the condition of the partial index that finds due items.
const areDue = "status IN ('scheduled','open')"

// CloseDueOnce opens items whose start has come, and renews or ends those whose end has come: those that have been due for longest. It
// returns their number. The items of an owner that fail stay due, and hold up no other owner's. Any number of processes may do that on
// one database, because each item is moved under its owner's lock, if it is still due.
func (s *Market) CloseDueOnce(ctx context.Context) (moved int, failed error) {
	byOwner, err := s.dueItems(ctx)
	if err != nil {
		return 0, err
	}
	for owner, rows := range byOwner {
		n, err := s.closeDue(ctx, owner, rows)
		if errors.Is(err, core.ErrBeingReset) {
			n, err = len(rows), s.forgetDue(ctx, rows)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("owner %d: %w", owner, err))
		}
		moved += n
	}
	return moved, failed
}

// dueItems finds the items that have been due for longest.
func (s *Market) dueItems(ctx context.Context) (map[core.Owner][]*ent.Item, error) {
	now := int64(s.Now())
	due, err := s.Store.Reader().Item.Query().
		Where(item.DueAtLTE(now), func(q *entsql.Selector) { q.Where(entsql.ExprP(areDue)) }).
		Order(ent.Asc(item.FieldDueAt, item.FieldID)).Limit(closeDueBatch).Select(item.FieldID, item.FieldOwner, item.FieldBidCount).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("find due items: %w", err)
	}
	byOwner := map[core.Owner][]*ent.Item{}
	for _, row := range due {
		byOwner[core.Owner(row.Owner)] = append(byOwner[core.Owner(row.Owner)], row)
	}
	return byOwner, nil
}

// forgetDue takes the due dates from items that are about to be removed, so that they do not hide those of other owners.
func (s *Market) forgetDue(ctx context.Context, due []*ent.Item) error {
	ids := each.Of(due, func(row *ent.Item) int64 { return row.ID })
	return s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		return tx.Item.Update().Where(item.IDIn(ids...)).ClearDueAt().Exec(ctx)
	})
}
