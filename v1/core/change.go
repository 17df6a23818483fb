package core

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"sellerd/ent"
	"sellerd/ent/owner"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/each"
	"sellerd/internal/base/wrap"
	"sellerd/v1/cause"
	"sellerd/v1/itemset"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Change is one transaction on one owner's data. Its owner's row is locked, so changes of an owner happen one after
// another and Now is later than every earlier change's: updated_at follows commit order.
type Change struct {
	*ent.Client
	Now   wire.Time // later than every earlier change of the owner, so it can be ahead of the clock by microseconds
	Clock wire.Time // the time of the clock: for due dates and the runs of items
	Owner Owner     // whose row is locked

	Cause cause.Cause // of its events

	s        *Core
	Webhooks int // how many subscriptions the owner has
	Open     int // scheduled and open items and pending submissions, this change's units included
	Daily    int // submissions and restarts of the UTC day, this change's included
	wakeUp   []Worker
	events   []pendingEvent
	shown    wire.ID // the buyer of AnswerShows

	Changed []rowChange // what the rule did to items and sales, for the hooks of the rooms

	// Of a call with many changes of items (package items):
	Items      *itemset.Set // the items, else nil
	Spent      int          // open units to charge at the end; less than 0 are returned
	SpentToday int          // daily units, likewise
	Latest     wire.Time    // of its changes of items, later than Now if an item changed twice
}

// rowChange is an item that was made or came to another state, or a sale that was made. A new item was nothing before.
type rowChange struct {
	Before, After *ent.Item
	Sale          *ent.Sale
}

// AnswerShows says that the answer shows a buyer's data, which its type does not say: a delivery shows its event in any of several
// formats.
func (tx *Change) AnswerShows(buyer wire.ID) { tx.shown = buyer }

// ItemChanged notes for the hooks that an item was made, or came to another state.
func (tx *Change) ItemChanged(before, after *ent.Item) {
	tx.Changed = append(tx.Changed, rowChange{Before: before, After: after})
}

// SaleMade notes a new sale for the hooks.
func (tx *Change) SaleMade(row *ent.Sale) { tx.Changed = append(tx.Changed, rowChange{Sale: row}) }

// DoAs runs fn in a transaction on the caller's data. The units, one for each item that fn may put on sale, are charged to the store's
// limits at once; fn gives back what it does not use (Change.Release). The answer to an Idempotency-Key is stored in the same
// transaction, and so is a row of the audit log for an operator's call. fn may run more than once, so it sets its results anew each time. If
// problems were found before, DoAs returns them and fn does not run. A failure leaves Call.Meta as it was.
func DoAs[O any](ctx context.Context, s *Core, c *Call, how Entry, units int,
	fn func(ctx context.Context, tx *Change) (*O, error),
) (*O, error) {
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	var (
		out  *O
		meta = c.Meta
	)
	how.Key, how.cause = c.KeyName(), CauseOf(ctx, c)
	err := s.AsOwnerWith(ctx, how, c.Owner, units, func(ctx context.Context, tx *Change) (err error) {
		c.Meta = meta // a second run starts in the same state
		if c.Operator {
			err = s.audited(ctx, tx, c, func() (err error) { out, err = fn(ctx, tx); return err })
		} else {
			out, err = fn(ctx, tx)
		}
		if err != nil {
			return err
		}
		return s.remember(ctx, tx.Client, tx.Now, c, out, tx.shown)
	})
	if err != nil {
		c.Meta = meta // the answer must not show what was undone
		return nil, err
	}
	return out, nil
}

// Begun completes a change of an owner whose row a statement of the room itself has locked and charged, as Begin does.
func (s *Core) Begun(change Change) *Change {
	change.s = s
	return &change
}

// Rehearsal is a change of the owner with a row. Its rules run, and its results are not stored. It has no lock and no units. client reads
// in one snapshot.
func (s *Core) Rehearsal(client *ent.Client, row *ent.Owner) *Change {
	now := s.Now()
	return &Change{
		Client: client, Now: max(now, wire.Time(row.LastChangeAt)+1), Clock: now, Owner: Owner(row.ID), s: s, Open: row.OpenCount, Daily: usedOnDay(row, now),
	}
}

// AsOwner runs fn in a transaction on an owner's data, appends its events, and after the commit wakes the workers that have
// new work. It is for changes that answer no request, such as those of workers; DoAs is for operations. fn may run more than once.
func (s *Core) AsOwner(ctx context.Context, owner Owner, units int, fn func(ctx context.Context, tx *Change) error) error {
	return s.AsOwnerWith(ctx, Entry{}, owner, units, fn)
}

// ChangesAtOnce is how many changes of one owner have a connection: one has the owner's row, and the next one waits for it.
const ChangesAtOnce = 2

// Entry is how a change takes its owner's row. The zero Entry waits for other changes of the owner.
type Entry struct {
	Key    string // the Call.KeyName of a request with an Idempotency-Key; DoAs sets it
	Yields bool   // it fails with ErrOwnerTaken rather than wait for another transaction
	Resets bool   // it may be made while the owner's test data is being removed

	cause cause.Cause // DoAs sets it, else it is a worker
}

// byWorker is the cause of what workers change.
var byWorker = cause.Cause{Via: cause.ByMarketplace}

// ChangesOf is how many changes of an owner run or wait for their turns, where there are many writers.
func (s *Core) ChangesOf(owner Owner) int { return s.ownerTurns.Len(owner) }

// ErrOwnerTaken says that another transaction has the owner's row, or that other work of this process on the owner comes first.
var ErrOwnerTaken = errors.New("another transaction has the owner's row")

// advanced moves an owner's clock to $1, or beyond the owner's last change if that is later.
const advanced = "last_change_at = CASE WHEN last_change_at >= $1 THEN last_change_at + 1 ELSE $1 END"

// onlyIfFree is the condition of begin that finds an owner's row if no other transaction has locked it.
const onlyIfFree = "(SELECT id FROM owners WHERE id = $4 FOR NO KEY UPDATE SKIP LOCKED)"

// AsOwnerWith is AsOwner with a way to take the owner's row.
func (s *Core) AsOwnerWith(ctx context.Context, how Entry, owner Owner, units int, fn func(ctx context.Context, tx *Change) error) error {
	if err := s.IDs.Prepare(ctx); err != nil {
		return err
	}
	if s.Store.ManyWriters() && !how.Yields { // where callers wait for an owner's row each with a connection
		waiting, cancel := context.WithTimeout(ctx, AnswerLimit)
		end, err := s.ownerTurns.Take(waiting, owner)
		cancel()
		if err != nil {
			return fmt.Errorf("lock owner %d: %w", owner, err)
		}
		defer end()
	}
	var last *Change
	err := s.Store.Write(ctx, func(ctx context.Context, client *ent.Client) (err error) {
		if last, err = s.Begin(ctx, client, owner, units, how); err != nil {
			return err
		}
		if s.Config.Tracer != nil {
			last.Cause.Trace = s.Config.Tracer.Parent(ctx)
		}
		if err := fn(ctx, last); err != nil {
			return err
		}
		return s.complete(ctx, client, last)
	})
	if err != nil {
		return err
	}
	s.changed(last)
	return nil
}

// AsOwners is AsOwner for the owners that choose names once the transaction has begun, each with a change of its own. It waits for no other
// transaction: an owner whose row is taken, or whose test data is being removed, has no change.
func (s *Core) AsOwners(ctx context.Context, choose func() []Owner, fn func(ctx context.Context, client *ent.Client, changes []*Change) error) error {
	if err := s.IDs.Prepare(ctx); err != nil {
		return err
	}
	var committed func()
	err := s.Store.Write(ctx, func(ctx context.Context, client *ent.Client) (err error) {
		committed, err = s.InOwners(ctx, client, choose(), func(changes []*Change) error { return fn(ctx, client, changes) })
		return err
	})
	if err == nil {
		committed()
	}
	return err
}

// InOwners is AsOwners in a transaction of the caller, who has called IDs.Prepare before it, and calls committed after it.
func (s *Core) InOwners(ctx context.Context, client *ent.Client, owners []Owner, fn func(changes []*Change) error) (committed func(), err error) {
	changes, err := beginFree(ctx, s, client, owners)
	if err != nil {
		return nil, fmt.Errorf("lock owners: %w", err)
	}
	if err := fn(changes); err != nil {
		return nil, err
	}
	return func() { s.changed(changes...) }, s.complete(ctx, client, changes...)
}

// complete runs the hooks of the rooms on the changes of a transaction, and appends their events.
func (s *Core) complete(ctx context.Context, client *ent.Client, changes ...*Change) error {
	for i := range s.rooms {
		if hook := s.rooms[i].Changed; hook != nil {
			if err := hook(ctx, client, changes); err != nil {
				return err
			}
		}
	}
	err := flush(ctx, s, client, changes)
	crash.At(crash.AfterEvents)
	return err
}

// changed wakes who waits for changes that have been committed.
func (s *Core) changed(changes ...*Change) {
	crash.At(crash.AfterChange)
	for _, tx := range changes {
		for _, w := range tx.wakeUp {
			s.Wake(w)
		}
		if len(tx.events) > 0 {
			s.Waiters.Notify(int64(tx.Owner))
		}
	}
}

// lockFree locks the rows of owners that no other transaction has locked, and advances their clocks. lockAll does that on SQLite, which has
// no other transaction; the owners are given as JSON there.
const (
	lockFree   = lockOwners + "= ANY(ARRAY(SELECT id FROM owners WHERE id = ANY($2::bigint[]) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED))" + lockedOwners
	lockAll    = lockOwners + "IN (SELECT value FROM json_each($2))" + lockedOwners
	lockOwners = "UPDATE owners SET " + advanced + " WHERE id "

	lockedOwners = " AND resetting_since IS NULL RETURNING id, last_change_at, open_count, webhook_count"
)

// beginFree begins changes of the owners whose rows are free, in the order of the owners. They have no units of the day.
func beginFree(ctx context.Context, s *Core, client *ent.Client, owners []Owner) (changes []*Change, err error) {
	now := s.Now()
	ids := each.Of(owners, func(owner Owner) int64 { return int64(owner) })
	lock, given := lockFree, any(ids)
	if !s.Store.ManyWriters() {
		text, err := json.Marshal(ids)
		if err != nil {
			return nil, err
		}
		lock, given = lockAll, string(text)
	}
	err = rows.Query(ctx, client, lock, []any{int64(now), given}, func(found *sql.Rows) error {
		tx := &Change{Client: client, Clock: now, Cause: byWorker, s: s}
		changes = append(changes, tx)
		return found.Scan(&tx.Owner, &tx.Now, &tx.Open, &tx.Webhooks)
	})
	slices.SortFunc(changes, func(a, b *Change) int { return cmp.Compare(a.Owner, b.Owner) })
	return changes, err
}

// Begin locks the owner's row, advances its clock and charges units. AsOwner does that, the hooks and the events; who calls
// Begin has none of them. It fails with ErrOwnerTaken if how yields, and with ErrBeingReset during a reset of the sandbox. It
// also takes the lock on the Idempotency-Key, see keyIsHeld. Its statement is by hand, because builders have no RETURNING,
// and it runs once in every change.
func (s *Core) Begin(ctx context.Context, client *ent.Client, owner Owner, units int, how Entry) (*Change, error) {
	now := s.Now()
	today := int64(now / day)
	tx := &Change{Client: client, Clock: now, Owner: owner, Cause: cmp.Or(how.cause, byWorker), s: s}
	ofOwner, args := "$4", []any{int64(now), units, today, int64(owner)}
	if how.Key != "" && s.Store.ManyWriters() {
		ofOwner, args = ofOwner+" AND "+s.Store.Announce("$5"), append(args, how.Key)
	}
	if how.Yields {
		ofOwner = onlyIfFree
	}
	found, err := client.QueryContext(ctx, `UPDATE owners SET `+advanced+`,
 open_count = open_count + $2,
 day_count = CASE WHEN day = $3 THEN day_count + $2 ELSE $2 END,
 day = $3
 WHERE id = `+ofOwner+` RETURNING last_change_at, open_count, day_count, webhook_count, resetting_since`, args...)
	if err != nil {
		return nil, fmt.Errorf("lock owner %d: %w", owner, err)
	}
	defer found.Close()
	var resetting *int64
	free := found.Next()
	if free {
		err = found.Scan(&tx.Now, &tx.Open, &tx.Daily, &tx.Webhooks, &resetting)
	}
	if err := cmp.Or(err, found.Err()); err != nil {
		return nil, fmt.Errorf("lock owner %d: %w", owner, err)
	}
	if !free && how.Yields {
		return nil, ErrOwnerTaken
	}
	if !free {
		return nil, fmt.Errorf("owner %d has no row", owner)
	}
	if resetting != nil && !how.Resets {
		return nil, errResetting()
	}
	return tx, nil
}

// Release returns units: open ones when an item leaves the store, daily ones when too many were charged.
func (tx *Change) Release(ctx context.Context, open, daily int) error {
	tx.Open -= open
	tx.Daily -= daily
	if tx.Items != nil { // they are counted together
		tx.Spent -= open
		tx.SpentToday -= daily
		return nil
	}
	err := tx.Client.Owner.Update().Where(owner.ID(int64(tx.Owner))).AddOpenCount(-open).AddDayCount(-daily).Exec(tx.s.Store.Late(ctx))
	return wrap.Err(err, "release units")
}

// Wake has a worker woken after the commit.
func (tx *Change) Wake(w Worker) { tx.wakeUp = append(tx.wakeUp, w) }

// StoreLimits is the state of the store's limits in this change.
func (tx *Change) StoreLimits(c *Call) *StoreLimitState {
	return c.Limits.storeState(tx.s, tx.Open, tx.Daily, tx.Now)
}

// Room is how many of the charged units fit into the store's limits, with the error for those that do not.
func (tx *Change) Room(c *Call, units int) (int, error) {
	limits := tx.StoreLimits(c)
	fits, err := units, error(nil)
	if limits.OpenLimit > 0 && limits.OpenUsed > limits.OpenLimit {
		fits, err = max(0, units-(limits.OpenUsed-limits.OpenLimit)), refusal.New(refusal.StoreLimitReached)
	}
	if limits.DailyLimit > 0 && limits.DailyUsed > limits.DailyLimit {
		if n := max(0, units-(limits.DailyUsed-limits.DailyLimit)); n < fits {
			fits, err = n, refusal.Later(refusal.DailyItemLimitReached, limits.DailyReset.Sub(tx.Now))
		}
	}
	return fits, err
}

// addStoreLimits puts the store's limits into the answer to a known caller if the operation publishes. It does so after a
// failure, too, even if the call was rejected before the operation ran. Both stacks end a call with it.
func (s *Core) addStoreLimits(ctx context.Context, o *Operation, c *Call) {
	if o.Publishes && c.Owner != 0 && c.Meta.Store == nil {
		c.Meta.Store, _ = s.CurrentStoreLimits(ctx, c) // if the database does not answer, the answer has no limits
	}
}

// CurrentStoreLimits reads the store's limits outside a change, for answers that changed nothing.
func (s *Core) CurrentStoreLimits(ctx context.Context, c *Call) (*StoreLimitState, error) {
	row, err := s.Store.Reader().Owner.Get(ctx, int64(c.Owner))
	if err != nil {
		return nil, fmt.Errorf("load owner %d: %w", c.Owner, err)
	}
	now := s.Now()
	return c.Limits.storeState(s, row.OpenCount, usedOnDay(row, now), now), nil
}

// usedOnDay is how many units of the day's limit an owner has used.
func usedOnDay(row *ent.Owner, now wire.Time) int {
	if row.Day != int64(now/day) {
		return 0
	}
	return row.DayCount
}

// ErrBeingReset says that an owner's test data is being removed, so nothing can be changed.
var ErrBeingReset = errors.New("the sandbox is being reset")

// errResetting is ErrBeingReset with the answer to a request.
func errResetting() error {
	refused := refusal.Later(refusal.ServiceUnavailable, time.Second)
	refused[0].Message = "The sandbox is being reset. Repeat the request when GET /v1/account says that this is done."
	refused[0].Details = map[string]any{"sandbox": "resetting"}
	return fmt.Errorf("%w: %w", ErrBeingReset, refused)
}
