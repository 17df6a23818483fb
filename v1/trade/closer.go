package trade

import (
	"context"
	"errors"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/core"
	"sellerd/v1/wire"
)

// closerConfig is what a closer is made of. All of it is mandatory.
type closerConfig struct {
	Store core.Store
	Now   func() wire.Time
	// Pass moves those of an owner's items that are still due, under the owner's lock, and returns their number. It fails with
	// core.ErrBeingReset if they are about to be removed.
	Pass func(ctx context.Context, owner core.Owner, due []*ent.Item) (int, error)
}

// closer finds the items whose start or end has come. Any number of processes may run one on one database, because each item
// is moved under its owner's lock, if it is still due.
type closer struct{ config closerConfig }

// newCloser makes the market's closer.
func (s *Market) newCloser() *closer {
	return &closer{closerConfig{Store: s.Store, Now: s.Now, Pass: s.closeDue}}
}

// CloseDueOnce opens items whose start has come, and renews or ends those whose end has come. It returns their number.
func (s *Market) CloseDueOnce(ctx context.Context) (int, error) { return s.closer.step(ctx) }

// closeDueBatch is how many due items one step of the closer looks at.
const closeDueBatch = 100

// dueItems is the condition of the partial index that finds them.
const dueItems = "status IN ('scheduled','open')"

// step moves the items that have been due for longest, and returns their number. The items of an owner that fail stay due,
// and hold up no other owner's.
func (c *closer) step(ctx context.Context) (moved int, failed error) {
	byOwner, err := c.due(ctx)
	if err != nil {
		return 0, err
	}
	for owner, rows := range byOwner {
		n, err := c.config.Pass(ctx, owner, rows)
		if errors.Is(err, core.ErrBeingReset) {
			n, err = len(rows), c.forget(ctx, rows)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("owner %d: %w", owner, err))
		}
		moved += n
	}
	return moved, failed
}

// due finds the items that have been due for longest.
func (c *closer) due(ctx context.Context) (map[core.Owner][]*ent.Item, error) {
	now := int64(c.config.Now())
	due, err := c.config.Store.Reader().Item.Query().
		Where(item.DueAtLTE(now), func(s *entsql.Selector) { s.Where(entsql.ExprP(dueItems)) }).
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

// forget takes the due dates from items that are about to be removed, so that they do not hide those of other owners.
func (c *closer) forget(ctx context.Context, due []*ent.Item) error {
	ids := make([]int64, len(due))
	for i, row := range due {
		ids[i] = row.ID
	}
	return c.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		return tx.Item.Update().Where(item.IDIn(ids...)).ClearDueAt().Exec(ctx)
	})
}
