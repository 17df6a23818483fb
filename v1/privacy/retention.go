package privacy

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/buyer"
	"sellerd/ent/idempotencykey"
	"sellerd/internal/base/wrap"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// This file forgets buyers who have not bought for years, if the operator wants that.

const (
	// retentionWindow is how many buyers one step looks at, and retentionChunk how many it forgets.
	retentionWindow = 10_000
	retentionChunk  = 20
	// retentionEvery is the time between two passes through all buyers, and retentionLease how long a process has the work to itself after
	// each step.
	retentionEvery = time.Hour
	retentionLease = 15 * time.Minute
)

// pass is how far a pass through all buyers has come. A process that dies begins again: who was forgotten is passed over.
type pass struct {
	token     int64   // of the lease
	after     wire.ID // the last buyer who was looked at
	forgotten int
}

// ForgetIdleOnce is the worker's step: it looks at the next buyers, and forgets those whose last purchase and bid are older than the
// retention, as ForgetBuyer does. It returns 0 at the end of a pass, without a retention, and while another process does it.
func (s *Privacy) ForgetIdleOnce(ctx context.Context) (int, error) {
	if s.Config.BuyerRetentionYears == 0 {
		return 0, nil
	}
	if err := s.TrustClock(); err != nil {
		return 0, err
	}
	if mine, err := s.leads(ctx); err != nil || !mine {
		return 0, err
	}
	last, ends, err := s.retentionWindow(ctx)
	if err != nil {
		return 0, err
	}
	found, err := s.idleBuyers(ctx, last)
	if err != nil {
		return 0, err
	}
	unmarked, err := s.Store.Reader().IdempotencyKey.Query().Where(idempotencykey.BuyerIDIsNil()).Exist(ctx)
	if err != nil {
		return 0, fmt.Errorf("look for answers of older programs: %w", err)
	}
	for _, id := range found {
		_, err := s.forget(ctx, id, unmarked)
		if err != nil && !errors.Is(err, ErrBuyerNeeded) && !errors.Is(err, ErrNoBuyer) {
			return 0, err
		}
		if err == nil {
			s.pass.forgotten++
		}
		s.pass.after = id
	}
	if len(found) == retentionChunk {
		return len(found), nil
	}
	if s.pass.after = last; !ends {
		return 1, nil
	}
	s.endPass(ctx)
	return 0, nil
}

// retentionWindow is the last buyer of the step, and whether the pass ends there.
func (s *Privacy) retentionWindow(ctx context.Context) (last wire.ID, ends bool, err error) {
	found, err := s.Store.Reader().Buyer.Query().Where(buyer.IDGT(int64(s.pass.after))).Order(ent.Asc(buyer.FieldID)).
		Offset(retentionWindow - 1).Limit(1).IDs(ctx)
	if err != nil {
		return 0, false, fmt.Errorf("look through buyers: %w", err)
	}
	if len(found) == 0 {
		return 1<<63 - 1, true, nil
	}
	return wire.ID(found[0]), false, nil
}

// idleBuyers are the next buyers up to one whose retention is over. A purchase and a bid change a buyer's row.
func (s *Privacy) idleBuyers(ctx context.Context, last wire.ID) (ids []wire.ID, err error) {
	since := s.Now().Std().AddDate(-s.Config.BuyerRetentionYears, 0, 0).UnixMicro()
	ids, err = rows.Column[wire.ID](ctx, s.Store.Reader(), fmt.Sprintf(`SELECT id FROM buyers b WHERE id > $1 AND id <= $2 AND forgotten_at IS NULL AND updated_at < $3
 AND NOT EXISTS (SELECT 1 FROM sales s WHERE s.buyer_id = b.id AND s.sold_at >= $3)
 AND NOT EXISTS (SELECT 1 FROM bills s WHERE s.buyer_id = b.id AND s.status NOT IN ('sent', 'cancelled'))
 ORDER BY id LIMIT %d`, retentionChunk), int64(s.pass.after), int64(last), since)
	return ids, wrap.Err(err, "look for buyers whose retention is over")
}

// endPass says how many buyers a pass has forgotten, and removes what is left of them from the disk.
func (s *Privacy) endPass(ctx context.Context) {
	forgotten := s.pass.forgotten
	s.pass.after, s.pass.forgotten = 0, 0
	if forgotten == 0 {
		return
	}
	s.Config.Logger.Info("buyers were forgotten because their retention is over", "buyers", forgotten)
	s.eraseCopies(ctx)
}

// eraseCopies removes from the disk what a worker has erased. What it cannot remove now it says in the log.
func (s *Privacy) eraseCopies(ctx context.Context) {
	if err := s.Store.Erase(ctx, true); err != nil {
		s.Config.Logger.Warn("old versions of data that were erased are still on the disk: run VACUUM", "error", err)
	}
}

// leads takes or prolongs the lease of the work, where several processes share a database.
func (s *Privacy) leads(ctx context.Context) (mine bool, err error) {
	if !s.Store.ManyWriters() {
		return true, nil
	}
	if s.pass.token == 0 {
		if s.pass.token, err = lease.NewToken(s.Config.Random); err != nil {
			return false, err
		}
	}
	err = s.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		now := s.Now()
		n, err := rows.Affect(ctx, tx, `INSERT INTO rate_windows (id, tat, expires_at) VALUES ('lease/buyers', $1, $2)
 ON CONFLICT (id) DO UPDATE SET tat = excluded.tat, expires_at = excluded.expires_at WHERE rate_windows.expires_at <= $3 OR rate_windows.tat = $1`,
			s.pass.token, int64(now.Add(retentionLease)), int64(now))
		if err != nil {
			return fmt.Errorf("lease the retention of buyers: %w", err)
		}
		mine = n == 1
		return nil
	})
	return mine, err
}
