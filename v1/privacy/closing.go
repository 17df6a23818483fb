package privacy

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/account"
	"sellerd/ent/bill"
	"sellerd/ent/item"
	"sellerd/ent/owner"
	"sellerd/ent/webhook"
	"sellerd/internal/base/wrap"
	"sellerd/v1/core"
	"sellerd/v1/delivery"
	"sellerd/v1/items"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file closes accounts, opens them again, and erases them when their time is over.
//
// A closed account has closed_at. It is suspended, too, so that a program of an older release admits none of its keys either. Its data stay
// until erase_at. Then both its owners are reset as a sandbox is (package sandbox), and what that leaves goes with the account's row in one
// transaction. So the state is in the database: an erasure that was interrupted goes on where it was, in any process.

// The errors of closing. They are for operators and not codes of /v1.
var (
	ErrNotClosed = errors.New("the account is not closed")
	ErrErasing   = errors.New("the account is being erased, which nothing takes back")
)

// closeChunk is how many items one transaction closes.
const closeChunk = 50

// ClosedAccount is an account that is closed, and what is still to come.
type ClosedAccount struct {
	ID       wire.ID             `json:"id"`
	ClosedAt wire.Opt[wire.Time] `json:"closed_at" doc:"null once it is open again"`
	EraseAt  wire.Opt[wire.Time] `json:"erase_at"`
	Keys     int                 `json:"keys" doc:"revoked by this run"`
	Webhooks int                 `json:"webhooks" doc:"paused by this run"`
	Items    int                 `json:"items" doc:"taken off sale by this run"`
	Auctions int                 `json:"auctions" doc:"with bids: they run to their end"`
	Bills    int                 `json:"bills" doc:"of live data, neither sent nor cancelled: buyers wait for them"`
}

// datesOf is what the audit log has of a closed account.
type datesOf struct {
	ClosedAt wire.Opt[wire.Time] `json:"closed_at"`
	EraseAt  wire.Opt[wire.Time] `json:"erase_at"`
}

// CloseAccount ends an account at once: its keys are revoked, its webhooks paused, and its items taken off sale, except auctions with bids,
// which run to their end. Everything is erased once it was closed for some years, and from now on if that is over. To close it again only
// changes that date, and fails with ErrErasing if it is too late for that.
func (s *Privacy) CloseAccount(ctx context.Context, id int64, years int) (out *ClosedAccount, err error) {
	erasing := false
	err = s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		out = &ClosedAccount{ID: wire.ID(id)}
		now := s.Now()
		row, err := lockedAccount(ctx, tx, id, now)
		if err != nil {
			return core.Audited{}, err
		}
		closed := wire.MaybeTime(row.ClosedAt).Or(now)
		ends := wire.TimeOf(time.UnixMicro(int64(closed)).UTC().AddDate(years, 0, 0))
		if row.EraseAt != nil && *row.EraseAt <= int64(now) && ends > now {
			return core.Audited{}, ErrErasing
		}
		out.ClosedAt, out.EraseAt, erasing = wire.Some(closed), wire.Some(ends), ends <= now
		if err := tx.Account.UpdateOne(row).SetStatus(core.AccountStatusSuspended).SetClosedAt(int64(closed)).SetEraseAt(int64(ends)).Exec(ctx); err != nil {
			return core.Audited{}, fmt.Errorf("close account %d: %w", id, err)
		}
		if out.Keys, err = endKeys(ctx, tx, id, now); err != nil {
			return core.Audited{}, err
		}
		out.Webhooks, err = tx.Webhook.Update().Where(webhook.OwnerIn(ownersOf(id)...), webhook.Status(delivery.WebhookActive)).
			SetStatus(delivery.WebhookPaused).SetUpdatedAt(int64(now)).Save(ctx)
		if err != nil {
			return core.Audited{}, fmt.Errorf("pause webhooks of account %d: %w", id, err)
		}
		before := &datesOf{wire.MaybeTime(row.ClosedAt), wire.MaybeTime(row.EraseAt)}
		return core.Audited{Account: id, Target: out.ID.String(), Before: before, After: &datesOf{out.ClosedAt, out.EraseAt}}, nil
	})
	if err != nil || erasing { // then all of it goes
		return out, err
	}
	for n := 1; n > 0; out.Items += n {
		if n, err = s.takeOffSale(ctx, ownersOf(id)); err != nil {
			return nil, err
		}
	}
	return out, s.countRest(ctx, id, out)
}

// lockedAccount is the row of an account that is locked first.
func lockedAccount(ctx context.Context, tx *ent.Client, id int64, now wire.Time) (*ent.Account, error) {
	if err := core.LockAccount(ctx, tx, id, now); err != nil {
		return nil, err
	}
	row, err := tx.Account.Get(ctx, id)
	return row, wrap.Err(err, "load account %d", id)
}

// ownersOf are an account's owners, of live and of test data.
func ownersOf(account int64) []int64 {
	return []int64{int64(core.OwnerOf(account, false)), int64(core.OwnerOf(account, true))}
}

// endKeys revokes the keys of an account, of every kind, and returns their number.
func endKeys(ctx context.Context, tx *ent.Client, id int64, now wire.Time) (ended int, err error) {
	for _, t := range catalogue() {
		for _, c := range t.columns {
			if t.by != "account" || c.name != "revoked_at" {
				continue
			}
			n, err := rows.Affect(ctx, tx, `UPDATE `+t.name+` SET revoked_at = $1 WHERE account_id = $2 AND revoked_at IS NULL`, int64(now), id)
			if err != nil {
				return 0, fmt.Errorf("revoke %s of account %d: %w", t.name, id, err)
			}
			ended += n
		}
	}
	return ended, nil
}

// takeOffSale closes some items of owners whose accounts are closed, and returns their number. Auctions with bids are left to their end,
// and are not renewed.
func (s *Privacy) takeOffSale(ctx context.Context, owners []int64) (closed int, failed error) {
	for _, id := range owners {
		n := 0
		err := s.AsOwner(ctx, core.Owner(id), 0, func(ctx context.Context, tx *core.Change) error {
			n = 0
			listed := item.And(item.Owner(id), item.StatusIn(items.ItemScheduled, items.ItemOpen))
			err := tx.Item.Update().Where(listed, item.BidCountGT(0), item.RenewalsLeftGT(0)).SetRenewalsLeft(0).SetUpdatedAt(int64(tx.Now)).Exec(ctx)
			if err != nil {
				return fmt.Errorf("end renewals: %w", err)
			}
			found, err := tx.Item.Query().Where(listed, item.BidCount(0)).Order(ent.Asc(item.FieldCreatedAt, item.FieldID)).Limit(closeChunk).All(ctx)
			if err != nil {
				return fmt.Errorf("load items: %w", err)
			}
			for _, row := range found {
				update := tx.Item.UpdateOneID(row.ID).SetCloseReason("not_available").SetClosedAt(int64(tx.Now))
				if _, err := s.In(tx).MoveItem(ctx, row, update, items.Move{To: items.ItemClosed, Event: "item.closed"}); err != nil {
					return err
				}
				n++
			}
			return nil
		})
		if err != nil && !errors.Is(err, core.ErrBeingReset) { // what is being removed is off sale soon
			failed = errors.Join(failed, fmt.Errorf("take items of owner %d off sale: %w", id, err))
			continue
		}
		closed += n
	}
	return closed, failed
}

// countRest counts what a closed account still has to do with.
func (s *Privacy) countRest(ctx context.Context, id int64, out *ClosedAccount) (err error) {
	reader, live := s.Store.Reader(), int64(core.OwnerOf(id, false))
	out.Auctions, err = reader.Item.Query().Where(item.Owner(live), item.StatusIn(items.ItemScheduled, items.ItemOpen)).Count(ctx)
	if err != nil {
		return fmt.Errorf("count auctions: %w", err)
	}
	out.Bills, err = reader.Bill.Query().Where(bill.Owner(live), bill.StatusNotIn(items.BillSent, items.BillIsCancelled)).Count(ctx)
	return wrap.Err(err, "count bills")
}

// ReopenAccount opens a closed account again, before it is erased. It needs new keys; its webhooks stay paused, and its items closed.
func (s *Privacy) ReopenAccount(ctx context.Context, id int64) (*ClosedAccount, error) {
	err := s.WriteAudited(ctx, func(ctx context.Context, tx *ent.Client) (core.Audited, error) {
		now := s.Now()
		row, err := lockedAccount(ctx, tx, id, now)
		switch {
		case err != nil:
			return core.Audited{}, err
		case row.ClosedAt == nil:
			return core.Audited{}, ErrNotClosed
		case *row.EraseAt <= int64(now):
			return core.Audited{}, ErrErasing
		}
		before := &datesOf{wire.MaybeTime(row.ClosedAt), wire.MaybeTime(row.EraseAt)}
		err = tx.Account.UpdateOne(row).SetStatus(core.AccountStatusActive).ClearClosedAt().ClearEraseAt().Exec(ctx)
		return core.Audited{Account: id, Target: wire.ID(id).String(), Before: before, After: &datesOf{}}, err
	})
	if err != nil {
		return nil, err
	}
	return &ClosedAccount{ID: wire.ID(id)}, nil
}

// EraseAccountNow erases an account whose time is over, without waiting for a server. It returns when nothing is left; if it is
// interrupted, servers go on.
func (s *Privacy) EraseAccountNow(ctx context.Context, id int64) error {
	for {
		left, err := s.eraseAccount(ctx, id)
		if err == nil && left > 0 {
			_, err = s.ResetOnce(ctx)
		}
		if err != nil {
			return err
		}
		if left == 0 {
			break
		}
	}
	if err := s.Store.Erase(ctx, true); err != nil {
		return fmt.Errorf("%w: %w", ErrNotErased, err)
	}
	return nil
}

// CloseAccountsOnce is the worker's step: it takes off sale what accounts published while they were closed, and erases accounts whose
// time is over. It returns 0 when there is nothing left to do now. An error of one account does not hold up the others.
func (s *Privacy) CloseAccountsOnce(ctx context.Context) (done int, failed error) {
	if err := s.TrustClock(); err != nil {
		return 0, err
	}
	now := int64(s.Now())
	selling, err := rows.Column[int64](ctx, s.Store.Reader(), `SELECT o.id FROM accounts a, owners o WHERE a.closed_at IS NOT NULL AND a.erase_at > $1
 AND o.account_id = a.id AND o.open_count > 0 ORDER BY o.id`, now)
	if err != nil {
		return 0, fmt.Errorf("find closed accounts with items on sale: %w", err)
	}
	done, failed = s.takeOffSale(ctx, selling)
	over, err := s.Store.Reader().Account.Query().Where(account.ClosedAtNotNil(), account.EraseAtLTE(now)).
		Order(ent.Asc(account.FieldEraseAt, account.FieldID)).IDs(ctx)
	if err != nil {
		return done, errors.Join(failed, fmt.Errorf("find accounts whose time is over: %w", err))
	}
	erased := 0
	for _, id := range over {
		left, err := s.eraseAccount(ctx, id)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("erase account %d: %w", id, err))
			continue
		}
		if done += max(0, left-1); left == 0 { // the resets go on by themselves
			erased++
		}
	}
	if erased > 0 {
		s.eraseCopies(ctx)
	}
	return done, failed
}

// eraseAccount takes the next step to erase an account: it begins to reset its owners, or waits for that, or removes the rest. It returns 0
// once the account is gone, 1 while resets go on, and more when it began them.
func (s *Privacy) eraseAccount(ctx context.Context, id int64) (left int, err error) {
	if err := s.IDs.Prepare(ctx); err != nil {
		return 0, err
	}
	err = s.Store.Write(s.Store.Patient(ctx), func(ctx context.Context, tx *ent.Client) error {
		left = 0
		now := s.Now()
		row, err := lockedAccount(ctx, tx, id, now)
		if errors.Is(err, core.ErrNoAccount) { // another process was faster
			return nil
		}
		if err != nil {
			return err
		}
		if row.ClosedAt == nil || *row.EraseAt > int64(now) {
			return ErrNotClosed
		}
		owners, err := s.lockedOwners(ctx, tx, id)
		if err != nil {
			return fmt.Errorf("load owners of account %d: %w", id, err)
		}
		for _, of := range owners {
			switch {
			case of.ResettingSince != nil:
				left = max(left, 1)
			case of.ResetAt == nil || *of.ResetAt < *row.EraseAt || of.LastChangeAt >= *of.ResetAt: // a late request may have added something
				left = 2
				if err := tx.Owner.UpdateOne(of).SetResettingSince(max(int64(now), of.LastChangeAt+1)).Exec(ctx); err != nil {
					return fmt.Errorf("begin to erase account %d: %w", id, err)
				}
			}
		}
		if left > 0 {
			return nil
		}
		if err := removeAccount(ctx, tx, id); err != nil {
			return err
		}
		return s.Audit(ctx, tx, core.Audited{Account: id, Target: wire.ID(id).String()})
	})
	if left > 1 {
		s.Wake(core.SandboxWorker)
	}
	return left, err
}

// lockedOwners are the owners of an account, which no request changes until the transaction ends.
func (s *Privacy) lockedOwners(ctx context.Context, tx *ent.Client, account int64) ([]*ent.Owner, error) {
	lock := s.Store.AwaitLocked(`SELECT id FROM owners WHERE account_id = $1 ORDER BY id`)
	if err := rows.Query(ctx, tx, lock, []any{account}, func(*sql.Rows) error { return nil }); err != nil {
		return nil, err
	}
	return tx.Owner.Query().Where(owner.AccountID(account)).All(ctx)
}

// removeAccount deletes what the resets leave of an account: its keys, webhooks, shipping models, uses of /rest, and its own rows last.
func removeAccount(ctx context.Context, tx *ent.Client, id int64) error {
	tables := catalogue()
	for i := range tables {
		t := tables[len(tables)-1-i]
		for _, of := range ownersOf(id) {
			if !t.kept {
				continue
			}
			if _, err := tx.ExecContext(ctx, `DELETE FROM `+t.name+` WHERE `+t.ofOwner(core.Owner(of))); err != nil {
				return fmt.Errorf("erase %s of account %d: %w", t.name, id, err)
			}
		}
	}
	if _, err := tx.ExecContext(ctx, `UPDATE operator_audit SET before = NULL, after = NULL WHERE account_id = $1`, id); err != nil {
		return fmt.Errorf("empty what the audit log has of account %d: %w", id, err)
	}
	path := core.OperatorPath + "accounts/" + wire.ID(id).String()
	_, err := tx.ExecContext(ctx, `DELETE FROM idempotency_keys WHERE id LIKE 'OPERATOR/%' AND (location = $1 OR location LIKE $2)`, path, path+"/%")
	return wrap.Err(err, "erase answers about account %d", id)
}
