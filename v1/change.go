package v1

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"sellerd/ent"
	"sellerd/ent/owner"
	"sellerd/internal/crash"
	"sellerd/v1/itemset"
	"sellerd/v1/refusal"
)

// Change is one transaction on one owner's data. Its owner's row is locked, so changes of an owner happen one after
// another and Now is later than every earlier change's: updated_at follows commit order.
type Change struct {
	*ent.Client
	Now   Time // later than every earlier change of the owner, so it can be ahead of the clock by microseconds
	Clock Time // the time of the clock: for due dates and the runs of items
	Owner Owner

	s        *Core
	webhooks int // subscriptions of the owner
	open     int // scheduled and open items and pending submissions, this change's units included
	daily    int // submissions and restarts of the UTC day, this change's included
	wakeUp   []Worker
	events   []pendingEvent

	changed []rowChange

	// Of a call with many changes (changes.go):
	items      *itemset.Set // the items, else nil
	rehearsal  bool         // nothing is stored
	spent      int          // units to charge at the end; less than 0 are returned
	spentToday int
	latest     Time // of its changes of items, later than Now if an item changed twice
}

// rowChange is an item that was made or came to another state, or a sale that was made. A new item was nothing before.
type rowChange struct {
	before, after *ent.Item
	sale          *ent.Sale
}

// itemChanged notes for the hooks that an item was made, or came to another state.
func (tx *Change) itemChanged(before, after *ent.Item) {
	tx.changed = append(tx.changed, rowChange{before: before, after: after})
}

// saleMade notes a new sale for the hooks.
func (tx *Change) saleMade(row *ent.Sale) { tx.changed = append(tx.changed, rowChange{sale: row}) }

// doAs runs fn in a transaction on the caller's data. The units it asks for are charged to the store's limits at
// once; fn gives back what it does not use. The answer to an Idempotency-Key is stored in the same transaction.
func doAs[O any](ctx context.Context, s *Core, c *Call, how entry, units int, fn func(ctx context.Context, tx *Change) (*O, error)) (*O, error) {
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	var (
		out  *O
		meta = c.Meta
	)
	how.key = c.keyName()
	err := s.asOwnerWith(ctx, how, c.Owner, units, func(ctx context.Context, tx *Change) (err error) {
		c.Meta = meta // a second run starts in the same state
		if out, err = fn(ctx, tx); err != nil {
			return err
		}
		return s.remember(ctx, tx.Client, tx.Now, c, out)
	})
	if err != nil {
		c.Meta = meta // the answer must not show what was undone
		return nil, err
	}
	return out, nil
}

// asOwner runs fn in a transaction on an owner's data, appends its events, and after the commit wakes the workers that have
// new work.
func (s *Core) asOwner(ctx context.Context, owner Owner, units int, fn func(ctx context.Context, tx *Change) error) error {
	return s.asOwnerWith(ctx, entry{}, owner, units, fn)
}

// changesAtOnce is how many changes of one owner have a connection: one has the owner's row, and the next one waits for it.
const changesAtOnce = 2

// entry is how a change takes its owner's row.
type entry struct {
	key    string // the Call.keyName of a request with an Idempotency-Key
	yields bool   // it fails with errOwnerTaken rather than wait for another transaction
	resets bool   // it may be made while the owner's test data is being removed
}

// errOwnerTaken says that another transaction has the owner's row, or that other work of this process on the owner comes first.
var errOwnerTaken = errors.New("another transaction has the owner's row")

// onlyIfFree is the condition of begin that finds an owner's row if no other transaction has locked it.
const onlyIfFree = "(SELECT id FROM owners WHERE id = $4 FOR NO KEY UPDATE SKIP LOCKED)"

// asOwnerWith is asOwner with a way to take the owner's row.
func (s *Core) asOwnerWith(ctx context.Context, how entry, owner Owner, units int, fn func(ctx context.Context, tx *Change) error) error {
	if err := s.ids.Prepare(ctx); err != nil {
		return err
	}
	if s.store.ManyWriters() && !how.yields { // where callers wait for an owner's row each with a connection
		waiting, cancel := context.WithTimeout(ctx, AnswerLimit)
		end, err := s.ownerTurns.Take(waiting, owner)
		cancel()
		if err != nil {
			return fmt.Errorf("lock owner %d: %w", owner, err)
		}
		defer end()
	}
	var last *Change
	err := s.store.Write(ctx, func(ctx context.Context, client *ent.Client) error {
		tx, err := s.begin(ctx, client, owner, units, how)
		if err != nil {
			return err
		}
		if err := fn(ctx, tx); err != nil {
			return err
		}
		last = tx
		for i := range s.rooms {
			if hook := s.rooms[i].Changed; hook != nil {
				if err := hook(ctx, tx); err != nil {
					return err
				}
			}
		}
		err = tx.flush(ctx)
		crash.At(crash.AfterEvents)
		return err
	})
	if err != nil {
		return err
	}
	crash.At(crash.AfterChange)
	for _, w := range last.wakeUp {
		s.wake(w)
	}
	if len(last.events) > 0 {
		s.waiters.Notify(int64(owner))
	}
	return nil
}

// begin locks the owner's row, advances its clock and charges units. It also takes the lock on the Idempotency-Key, see
// keyIsHeld. Its statement is by hand, because builders have no RETURNING, and it runs once in every change.
func (s *Core) begin(ctx context.Context, client *ent.Client, owner Owner, units int, how entry) (*Change, error) {
	now := s.now()
	today := int64(now) / int64(24*time.Hour/time.Microsecond)
	tx := &Change{Client: client, Clock: now, Owner: owner, s: s}
	ofOwner, args := "$4", []any{int64(now), units, today, int64(owner)}
	if how.key != "" && s.store.ManyWriters() {
		ofOwner, args = ofOwner+" AND "+s.store.Announce("$5"), append(args, how.key)
	}
	if how.yields {
		ofOwner = onlyIfFree
	}
	rows, err := client.QueryContext(ctx, `UPDATE owners SET
 last_change_at = CASE WHEN last_change_at >= $1 THEN last_change_at + 1 ELSE $1 END,
 open_count = open_count + $2,
 day_count = CASE WHEN day = $3 THEN day_count + $2 ELSE $2 END,
 day = $3
 WHERE id = `+ofOwner+` RETURNING last_change_at, open_count, day_count, webhook_count, resetting_since`, args...)
	if err != nil {
		return nil, fmt.Errorf("lock owner %d: %w", owner, err)
	}
	defer rows.Close()
	var resetting *int64
	found := rows.Next()
	if found {
		err = rows.Scan(&tx.Now, &tx.open, &tx.daily, &tx.webhooks, &resetting)
	}
	if err := cmp.Or(err, rows.Err()); err != nil {
		return nil, fmt.Errorf("lock owner %d: %w", owner, err)
	}
	if !found && how.yields {
		return nil, errOwnerTaken
	}
	if !found {
		return nil, fmt.Errorf("owner %d has no row", owner)
	}
	if resetting != nil && !how.resets {
		return nil, errResetting()
	}
	return tx, nil
}

// release returns units: open ones when an item leaves the store, daily ones when too many were charged.
func (tx *Change) release(ctx context.Context, open, daily int) error {
	tx.open -= open
	tx.daily -= daily
	if tx.items != nil { // they are counted together
		tx.spent -= open
		tx.spentToday -= daily
		return nil
	}
	err := tx.Client.Owner.Update().Where(owner.ID(int64(tx.Owner))).AddOpenCount(-open).AddDayCount(-daily).Exec(tx.s.store.Late(ctx))
	if err != nil {
		return fmt.Errorf("release units: %w", err)
	}
	return nil
}

// wake has a worker woken after the commit.
func (tx *Change) wake(w Worker) { tx.wakeUp = append(tx.wakeUp, w) }

// storeLimits is the state of the store's limits in this change.
func (tx *Change) storeLimits(c *Call) *StoreLimitState {
	return &StoreLimitState{
		OpenLimit: c.limits.openItems(tx.s), OpenUsed: tx.open,
		DailyLimit: c.limits.newItemsPerDay(tx.s), DailyUsed: tx.daily,
		DailyReset: nextMidnight(tx.Now),
	}
}

// room is how many of the charged units fit into the store's limits, with the error for those that do not.
func (tx *Change) room(c *Call, units int) (int, error) {
	limits := tx.storeLimits(c)
	fits, err := units, error(nil)
	if limits.OpenLimit > 0 && limits.OpenUsed > limits.OpenLimit {
		fits, err = max(0, units-(limits.OpenUsed-limits.OpenLimit)), refusal.New(StoreLimitReached)
	}
	if limits.DailyLimit > 0 && limits.DailyUsed > limits.DailyLimit {
		if n := max(0, units-(limits.DailyUsed-limits.DailyLimit)); n < fits {
			fits, err = n, refusal.Later(DailyItemLimitReached, limits.DailyReset.Sub(tx.Now))
		}
	}
	return fits, err
}

func nextMidnight(t Time) Time {
	const day = Time(24 * time.Hour / time.Microsecond)
	return t - t%day + day
}

// addStoreLimits puts the store's limits into the answer to a known caller if the operation publishes. It does so after a
// failure, too, even if the call was rejected before the operation ran. Both stacks end a call with it.
func (s *Core) addStoreLimits(ctx context.Context, o *Operation, c *Call) {
	if o.Publishes && c.Owner != 0 && c.Meta.Store == nil {
		c.Meta.Store, _ = s.currentStoreLimits(ctx, c) // if the database does not answer, the answer has no limits
	}
}

// currentStoreLimits reads the store's limits outside a change, for answers that changed nothing.
func (s *Core) currentStoreLimits(ctx context.Context, c *Call) (*StoreLimitState, error) {
	row, err := s.store.Reader().Owner.Get(ctx, int64(c.Owner))
	if err != nil {
		return nil, fmt.Errorf("load owner %d: %w", c.Owner, err)
	}
	now := s.now()
	return &StoreLimitState{
		OpenLimit: c.limits.openItems(s), OpenUsed: row.OpenCount,
		DailyLimit: c.limits.newItemsPerDay(s), DailyUsed: usedOnDay(row, now), DailyReset: nextMidnight(now),
	}, nil
}

// usedOnDay is how many units of the day's limit an owner has used.
func usedOnDay(row *ent.Owner, now Time) int {
	if row.Day != int64(now)/int64(24*time.Hour/time.Microsecond) {
		return 0
	}
	return row.DayCount
}

// errBeingReset says that an owner's test data is being removed, so nothing can be changed.
var errBeingReset = errors.New("the sandbox is being reset")

// errResetting is errBeingReset with the answer to a request.
func errResetting() error {
	refused := refusal.Later(ServiceUnavailable, time.Second)
	refused[0].Message = "The sandbox is being reset. Repeat the request when GET /v1/account says that this is done."
	refused[0].Details = map[string]any{"sandbox": "resetting"}
	return fmt.Errorf("%w: %w", errBeingReset, refused)
}
