// Package sandbox removes the test data of accounts whose owners asked for a clean sandbox, and all data of accounts that are erased.
//
// A reset begins with a note in the owner's row: resetting_since. From then on the rules refuse every change of this owner,
// so nothing is added, and what is there can be removed in small transactions, table by table. The last transaction takes
// the note away. Each of them holds the owner's row and first looks whether the note is still the same. That is all the
// state there is: no lease is needed, because two processes that work on one reset take turns and each removes what is left,
// and a process that dies leaves nothing behind but a shorter rest.
//
// The package knows tables and none of the rules. An owner is a number here.
package sandbox

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/ent/owner"
	"sellerd/internal/base/crash"
	"sellerd/internal/base/wrap"
	"sellerd/v1/wire"
)

// Store is the database as a reset needs it.
type Store interface {
	// Reader reads outside transactions.
	Reader() *ent.Client
	// Write runs fn in one transaction, perhaps more than once, and returns after the commit is durable.
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	// Patient marks the context of a Write that is in no hurry: others go before it.
	Patient(ctx context.Context) context.Context
	// AwaitLocked makes a query lock its rows and wait for them. Where there is one writer, the query stays as it is.
	AwaitLocked(query string) string
	// ManyWriters says which database it is: PostgreSQL has many writers, SQLite has one.
	ManyWriters() bool
}

// Config is what a Remover is made of. All of it is mandatory.
type Config struct {
	Store Store
	Now   func() wire.Time
	// AnswersBegin is how the ids of the answers begin that are stored for an owner's Idempotency-Keys.
	AnswersBegin func(owner int64) string
	// AnswersLast is how long after the change such an answer expires. One that expires later than the reset's own answer
	// belongs to a reset, and stays: the request for a reset can be repeated.
	AnswersLast time.Duration
}

// Remover removes test data. It is safe for concurrent use, and any number of processes may remove data in one database.
type Remover struct {
	config Config

	mu    sync.Mutex
	known map[int64]*reset // by owner
}

// New makes a Remover.
func New(c Config) *Remover { return &Remover{config: c, known: map[int64]*reset{}} }

// reset is how far this process has come with one reset. It is a hint: what it says is empty stays empty, because nothing is
// added during a reset.
type reset struct {
	owner int64
	since int64  // the note in the owner's row
	table int    // the number of tables, from the first, that are empty
	after string // the last stored answer that was looked at

	submission int64 // the last submission that was looked at, of live data; all were if it is less than 0
}

// rounds is how many chunks of each reset one step removes. Between two steps the Remover looks for new resets.
const rounds = 16

// Step removes some chunks of the data of each owner that is being reset, and says how many rows and notes it removed. No
// rows mean that there is no reset. An error of one reset does not hold up the others.
func (r *Remover) Step(ctx context.Context) (removed int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	resets, err := r.find(ctx)
	if err != nil {
		return 0, err
	}
	var failed error
	for range rounds {
		left := resets[:0]
		for _, one := range resets {
			if ctx.Err() != nil {
				return removed, ctx.Err()
			}
			n, ended, err := r.advance(ctx, one)
			removed += n
			switch {
			case err != nil:
				failed = errors.Join(failed, fmt.Errorf("reset owner %d: %w", one.owner, err))
			case ended:
				delete(r.known, one.owner)
			default:
				left = append(left, one)
			}
		}
		resets = left
	}
	return removed, failed
}

// find looks for the resets, the oldest first, and forgets those that are not there any more.
func (r *Remover) find(ctx context.Context) ([]*reset, error) {
	rows, err := r.config.Store.Reader().Owner.Query().Where(owner.ResettingSinceNotNil()).
		Order(ent.Asc(owner.FieldResettingSince, owner.FieldID)).
		Select(owner.FieldID, owner.FieldResettingSince).All(ctx)
	if err != nil {
		return nil, fmt.Errorf("find resets: %w", err)
	}
	resets, known := make([]*reset, len(rows)), make(map[int64]*reset, len(rows))
	for i, row := range rows {
		resets[i] = r.known[row.ID]
		if resets[i] == nil || resets[i].since != *row.ResettingSince {
			resets[i] = &reset{owner: row.ID, since: *row.ResettingSince}
		}
		known[row.ID] = resets[i]
	}
	r.known = known
	return resets, nil
}

// advance removes the next chunk of a reset, or ends the reset if nothing is left.
func (r *Remover) advance(ctx context.Context, one *reset) (removed int, ended bool, err error) {
	if one.table == len(tables) {
		step := r.removeAnswers
		if one.owner%2 == 0 && one.submission >= 0 {
			step = r.removeLiveSubmissions
		}
		removed, more, err := step(ctx, one)
		if err != nil {
			return removed, false, err
		}
		if more { // the answers that were looked at count, or the caller would rest although there is more
			return max(removed, 1), false, nil
		}
		return removed + 1, true, r.end(ctx, one)
	}
	next := tables[one.table]
	held, err := r.holding(ctx, one, func(ctx context.Context, tx *ent.Client) (err error) {
		removed, err = next.remove(ctx, r.config.Store, tx, one.owner)
		crash.At(crash.MidReset)
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("remove %s: %w", next.name, err)
	}
	if removed == 0 {
		one.table++
	}
	return removed, !held, nil
}

// end takes the note away. What was counted of the data that is gone is 0, and what was accepted today still counts.
func (r *Remover) end(ctx context.Context, one *reset) error {
	crash.At(crash.BeforeResetEnds)
	_, err := r.holding(ctx, one, func(ctx context.Context, tx *ent.Client) error {
		return tx.Owner.UpdateOneID(one.owner).ClearResettingSince().
			SetResetAt(max(int64(r.config.Now()), one.since)).SetOpenCount(0).SetBillCount(0).Exec(ctx)
	})
	return wrap.Err(err, "end the reset")
}

// holding runs fn in a transaction that holds the owner's row, if the reset is still going on.
func (r *Remover) holding(ctx context.Context, one *reset, fn func(ctx context.Context, tx *ent.Client) error) (held bool, err error) {
	store := r.config.Store
	err = store.Write(store.Patient(ctx), func(ctx context.Context, tx *ent.Client) (err error) {
		reset := `SELECT ` + owner.FieldID + ` FROM ` + owner.Table +
			` WHERE ` + owner.FieldID + ` = $1 AND ` + owner.FieldResettingSince + ` = $2`
		held, err = finds(ctx, tx, store.AwaitLocked(reset), one.owner, one.since)
		if err != nil || !held {
			return err
		}
		return fn(ctx, tx)
	})
	return held, err
}
