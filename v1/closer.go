package v1

import (
	"context"
	"fmt"
	"time"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/ent/item"
)

// closeDueBatch is how many due items one step of the closer looks at.
const closeDueBatch = 100

// CloseDueOnce opens items whose start has come, and renews or ends those whose end has come; it says how many it
// moved. Any number of processes may do it at once: each item is moved under its owner's lock, if it is still due.
func (s *Service) CloseDueOnce(ctx context.Context) (int, error) {
	now := int64(s.now())
	due, err := s.store.Reader().Item.Query().
		Where(item.DueAtLTE(now), func(s *entsql.Selector) { s.Where(entsql.ExprP(dueItems)) }).
		Order(ent.Asc(item.FieldDueAt, item.FieldID)).Limit(closeDueBatch).Select(item.FieldID, item.FieldOwner).All(ctx)
	if err != nil {
		return 0, fmt.Errorf("find due items: %w", err)
	}
	byOwner := map[Owner][]int64{}
	for _, row := range due {
		byOwner[Owner(row.Owner)] = append(byOwner[Owner(row.Owner)], row.ID)
	}
	moved := 0
	for owner, ids := range byOwner {
		n, err := s.closeDue(ctx, owner, ids)
		if err != nil {
			return moved, err
		}
		moved += n
	}
	return moved, nil
}

// dueItems is the condition of the partial index that finds them.
const dueItems = "status IN ('scheduled','open')"

func (s *Service) closeDue(ctx context.Context, owner Owner, ids []int64) (moved int, err error) {
	if err := s.ids.prepare(ctx); err != nil {
		return 0, err
	}
	err = s.store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		moved = 0
		tx, err := s.begin(ctx, client, owner, 0)
		if err != nil {
			return err
		}
		rows, err := tx.Item.Query().Where(item.IDIn(ids...), item.DueAtLTE(int64(s.now())), item.StatusIn(ItemScheduled, ItemOpen)).
			Order(ent.Asc(item.FieldID)).All(ctx)
		if err != nil {
			return fmt.Errorf("load due items: %w", err)
		}
		for _, row := range rows {
			if err := tx.passDueDate(ctx, row); err != nil {
				return err
			}
			moved++
		}
		return tx.flush(ctx)
	})
	return moved, err
}

// passDueDate does what an item's date asks for.
func (tx *Change) passDueDate(ctx context.Context, row *ent.Item) error {
	counters := tx.s.Counters()
	update := tx.Item.UpdateOneID(row.ID)
	switch {
	case row.Status == ItemScheduled:
		counters.ItemsOpened.Add(1)
		_, err := tx.moveItem(ctx, row, update.SetDueAt(row.EndsAt).SetRunStartedAt(int64(tx.Clock)), ItemOpen, "")
		return err
	case row.RenewalsLeft > 0 && row.BidCount == 0:
		counters.ItemsRenewed.Add(1)
		return tx.renew(ctx, row, update)
	default:
		counters.ItemsEnded.Add(1)
		to := ItemUnsold
		if row.QuantitySold > 0 && row.QuantitySold >= row.Quantity {
			to = ItemSold
		}
		_, err := tx.moveItem(ctx, row, update.SetClosedAt(int64(tx.Now)), to, "item.unsold")
		return err
	}
}

// renew lets an item that found no buyer run once more; 99 renewals are until sold and are not used up.
func (tx *Change) renew(ctx context.Context, row *ent.Item, update *ent.ItemUpdateOne) error {
	draft, err := inputOfItem(row)
	if err != nil {
		return err
	}
	before := draft
	if row.DurationDays == nil {
		// The item ran to a date of the seller's choice: it goes on for as long as that was.
		draft.EndsAt = Some(Time(row.EndsAt).Add(max(24*time.Hour, Time(row.EndsAt).Sub(Time(row.RunStartedAt)))))
	} else {
		draft.EndsAt = Opt[Time]{}
	}
	account, err := tx.Account.Get(ctx, tx.Owner.Account())
	if err != nil {
		return fmt.Errorf("load account: %w", err)
	}
	ends := int64(draft.endOf(tx.Clock, account.TimeZone))
	if row.RenewalsLeft != untilSold {
		update.SetRenewalsLeft(row.RenewalsLeft - 1)
	}
	if !draft.Options.V.KeepOnRenewal {
		update.SetOptions(ItemOptions{Subtitle: draft.Options.V.Subtitle, LastMinuteBidding: draft.Options.V.LastMinuteBidding, PrivateBidding: draft.Options.V.PrivateBidding}.bits())
	}
	saved, err := update.SetEndsAt(ends).SetDueAt(ends).SetRunStartedAt(int64(tx.Clock)).SetUpdatedAt(int64(tx.Now)).SetSequence(row.Sequence + 1).Save(ctx)
	if err != nil {
		return fmt.Errorf("renew item %d: %w", row.ID, err)
	}
	previous := Raw[ItemInput]{string(encodeMembers(&before, []string{"ends_at"}))}
	tx.emitItem("item.updated", saved, previous)
	return nil
}

// untilSold is the number of renewals that never ends.
const untilSold = 99
