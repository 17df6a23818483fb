package trade

import (
	"context"
	"fmt"
	"sync/atomic"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/internal/base/crash"
	"sellerd/v1/core"
	"sellerd/v1/items"
	"sellerd/v1/wire"
)

// This file says what happens to an item whose start or end has come.

// closeDue opens, renews or ends those of an owner's items that are still due, and returns their number.
func (s *Market) closeDue(ctx context.Context, owner core.Owner, due []*ent.Item) (int, error) {
	ids, won := make([]int64, len(due)), 0
	for i, row := range due {
		ids[i] = row.ID
		if row.BidCount > 0 {
			won++
		}
	}
	prepared, err := s.saleNumbers(ctx, won)
	if err != nil {
		return 0, err
	}
	crash.At(crash.BeforeClose)
	var moved map[*atomic.Int64]int64 // by the counter that counts them
	err = s.Core.AsOwner(ctx, owner, 0, func(ctx context.Context, change *core.Change) error {
		tx := s.in(change)
		moved = map[*atomic.Int64]int64{}
		numbers := prepared
		rows, err := tx.Item.Query().Where(item.IDIn(ids...), item.DueAtLTE(int64(s.Now())), item.StatusIn(items.ItemScheduled, items.ItemOpen)).
			Order(ent.Asc(item.FieldID)).All(ctx)
		if err != nil {
			return fmt.Errorf("load due items: %w", err)
		}
		for _, row := range rows {
			if reserveMet(row) && numbers.left == 0 {
				continue // its first bid came just now; the next step will have a number for its sale
			}
			counter, err := tx.passDueDate(ctx, row, &numbers)
			if err != nil {
				return err
			}
			moved[counter]++
			crash.At(crash.MidClose)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	total := 0
	for counter, n := range moved {
		counter.Add(n)
		total += int(n)
	}
	return total, nil
}

// passDueDate opens, renews or ends an item, and returns the counter of that action.
func (tx Change) passDueDate(ctx context.Context, row *ent.Item, numbers *saleNumbers) (*atomic.Int64, error) {
	counters := tx.s.Counters()
	update := tx.Item.UpdateOneID(row.ID)
	switch {
	case row.Status == items.ItemScheduled:
		_, err := tx.MoveItem(ctx, row, update.SetDueAt(row.EndsAt), items.Move{To: items.ItemOpen})
		return &counters.ItemsOpened, err
	case row.RenewalsLeft > 0 && row.BidCount == 0:
		return &counters.ItemsRenewed, tx.renew(ctx, row, update)
	case reserveMet(row):
		return &counters.ItemsEnded, tx.endAuction(ctx, row, update.SetEndsAt(tx.endOfRun(row)), numbers)
	default:
		update.SetEndsAt(tx.endOfRun(row)).SetClosedAt(int64(tx.Now))
		_, err := tx.MoveItem(ctx, row, update, items.Move{To: items.ItemUnsold, Event: "item.unsold"})
		return &counters.ItemsEnded, err
	}
}

// endOfRun is the end of the run of an item that ends now: at its end, or now if the marketplace ends it earlier.
func (tx Change) endOfRun(row *ent.Item) int64 { return min(row.EndsAt, int64(tx.Clock)) }

// renew starts another run of an unsold item; 99 renewals mean until sold, and are not counted down.
func (tx Change) renew(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne) error {
	draft, err := items.InputOfItem(row)
	if err != nil {
		return err
	}
	account, err := tx.Account.Get(ctx, tx.Owner.Account())
	if err != nil {
		return fmt.Errorf("load account: %w", err)
	}
	// The next run begins where this one ended, so that an end in the evening stays in the evening, unless the closer is so
	// late that the run would be over already.
	start := wire.Time(tx.endOfRun(row))
	ends := draft.NextEnd(row, start, account.TimeZone)
	if ends <= tx.Clock {
		start = tx.Clock
		ends = draft.NextEnd(row, start, account.TimeZone)
	}
	if row.RenewalsLeft != untilSold {
		update.SetRenewalsLeft(row.RenewalsLeft - 1)
	}
	if !draft.Options.V.KeepOnRenewal {
		update.SetOptions(items.ItemOptions{
			Subtitle: draft.Options.V.Subtitle, LastMinuteBidding: draft.Options.V.LastMinuteBidding,
			PrivateBidding: draft.Options.V.PrivateBidding,
		}.Bits())
	}
	saved, err := update.SetEndsAt(int64(ends)).SetDueAt(int64(ends)).SetRunStartedAt(int64(start)).SetUpdatedAt(int64(tx.Now)).
		SetSequence(row.Sequence + 1).Save(ctx)
	if err != nil {
		return fmt.Errorf("renew item %d: %w", row.ID, err)
	}
	tx.EmitItem("item.updated", saved, row)
	return nil
}

// untilSold is the number of renewals that means until sold.
const untilSold = 99
