package queue

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/wrap"
	"sellerd/v1/lease"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Store is the database as claims need it.
type Store interface {
	// Reader reads outside transactions.
	Reader() *ent.Client
	// Write runs fn in one transaction, perhaps more than once, and returns after the commit is durable.
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
	// Claim is the statement that updates rows of a table which a query chooses and no other process holds, and returns
	// columns of them.
	Claim(table, query, set, returning string) string
	// Patient marks the context of a Write that is in no hurry: others go before it.
	Patient(ctx context.Context) context.Context
}

// Config is what Claims are made of. All is mandatory but Prepare, Late, and what belongs to Finish.
type Config[R any] struct {
	Queue   Queue
	Name    string // of the rows in errors, such as "images"
	Store   Store
	Retrier *lease.Retrier
	Now     func() wire.Time
	Uptime  func() time.Duration // how long the process has run, by a clock that cannot be set
	Random  io.Reader

	Most     int           // at so many rows a claim asks no further owner
	Lasts    time.Duration // how long a lease lasts
	Lease    string        // the statement that leases an owner's rows: owner, now, token, until
	Scan     func(found *sql.Rows, token int64, row *R) error
	Owner    func(row *R) int64
	Released string // the assignments that make a leased row due, as if no worker had leased it; $1 is now

	Prepare func(context.Context) error // what a claim does first; nil for nothing
	Late    *Late                       // nil for none

	Finish Finish[R] // if it fails for good, the rows are leased without it; nil for nothing
}

// Finish does in the transaction of a lease what needs no more time. It returns the rows that are left, and what is to be done after the
// commit.
type Finish[R any] func(ctx context.Context, tx *ent.Client, held []*R) (left []*R, committed func(), err error)

// Late are rows past their deadlines, which are claimed out of turn, even those of busy owners. They are looked for only
// while there are busy owners.
type Late struct {
	Find  string // the query for one of them: now
	Lease string // the statement that leases some of them: now, token, until
}

// Claims leases rows of one queue. It is safe for concurrent use.
type Claims[R any] struct {
	config Config[R]
	lost   lease.Unanswered
	plain  atomic.Int64 // until this uptime, leases finish nothing: a transaction with Finish ran out of time
	turn   atomic.Int64 // the owners whose turns come next are those after this one
}

// NewClaims is ready to claim.
func NewClaims[R any](c Config[R]) *Claims[R] { return &Claims[R]{config: c} }

// Held is a set of rows that this worker may finish while the lease lasts.
type Held[R any] struct {
	Token int64
	Until wire.Time
	Rows  []*R

	Finished int // rows that were leased, and are finished already

	ends time.Duration // the same as Until, by the uptime
}

// Take leases due rows, Config.Most of them or somewhat more, and says whether there may be more. Owners have turns; of each
// the longest due come first. It passes over busy owners, except for rows that are late. With finishes it does Config.Finish, too.
func (c *Claims[R]) Take(ctx context.Context, busy []int64, finishes bool) (held Held[R], more bool, err error) {
	ctx, cancel := lease.Detached(ctx)
	defer cancel()
	if c.config.Prepare != nil {
		if err := c.config.Prepare(ctx); err != nil {
			return held, false, err
		}
	}
	if err := c.ReleaseLost(ctx); err != nil {
		return held, false, fmt.Errorf("release %s: %w", c.config.Name, err)
	}
	token, err := lease.NewToken(c.config.Random)
	if err != nil {
		return held, false, err
	}
	now := c.config.Now()
	owners, next, err := c.config.Queue.dueOwners(ctx, c.config.Store.Reader(), c.turn.Load(), busy, now)
	late := false
	if err == nil && len(busy) > 0 && c.config.Late != nil {
		late, err = c.anyLate(ctx, now)
	}
	if err != nil || len(owners) == 0 && !late {
		return held, false, err
	}
	finishes = finishes && c.config.Finish != nil && c.config.Uptime() >= time.Duration(c.plain.Load())
	if finishes {
		ctx = c.config.Store.Patient(ctx)
	}
	committed := func() {}
	ends := c.config.Uptime() + c.config.Lasts
	var last int64
	take := func(ctx context.Context, tx *ent.Client) (err error) {
		held = Held[R]{Token: token, Until: c.config.Now().Add(c.config.Lasts), ends: ends}
		last, err = c.takeOf(ctx, tx, &held, owners, late)
		return err
	}
	err = c.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) (err error) {
		if err := take(ctx, tx); err != nil || !finishes {
			return err
		}
		committed, err = c.finish(ctx, tx, &held)
		return err
	})
	if err != nil && finishes && !c.config.Retrier.WillPass(err) {
		committed = func() {}
		err = c.config.Store.Write(ctx, take)
	}
	if err != nil {
		c.failed(err, held)
		return held, false, err
	}
	committed()
	last = cmp.Or(last, next)
	c.turn.Store(last)
	return held, len(held.Rows)+held.Finished >= c.config.Most || late || last != 0, nil
}

// slowFor is how long leases finish nothing after one that took too long: what is leased then is stored in smaller sets, which get more time.
const slowFor = time.Minute

// failed notes that a lease may have been committed in spite of an error, and that it took too long.
func (c *Claims[R]) failed(err error, held Held[R]) {
	if errors.Is(err, context.DeadlineExceeded) {
		c.plain.Store(int64(c.config.Uptime() + slowFor))
	}
	if len(held.Rows) > 0 || held.Finished > 0 {
		c.lost.Note(held.Token, held.ends)
	}
}

// finish does Config.Finish with leased rows.
func (c *Claims[R]) finish(ctx context.Context, tx *ent.Client, held *Held[R]) (committed func(), err error) {
	n := len(held.Rows)
	if n == 0 {
		return func() {}, nil
	}
	held.Rows, committed, err = c.config.Finish(ctx, tx, held.Rows)
	held.Finished = n - len(held.Rows)
	return committed, err
}

// takeOf leases rows of owners in their order, after those that are late. If not all owners have had their turn, last is the last that had.
func (c *Claims[R]) takeOf(ctx context.Context, tx *ent.Client, held *Held[R], owners []int64, late bool) (last int64, err error) {
	now, until := int64(c.config.Now()), int64(held.Until)
	if late {
		if err := c.take(ctx, tx, held, c.config.Late.Lease, now, held.Token, until); err != nil {
			return 0, err
		}
	}
	for i, owner := range owners {
		if len(held.Rows) >= c.config.Most {
			return owners[max(0, i-1)], nil // at 0 it waits for all the others: what was late took its place
		}
		if err := c.take(ctx, tx, held, c.config.Lease, owner, now, held.Token, until); err != nil {
			return 0, err
		}
	}
	return 0, nil
}

// take runs a statement that leases rows, and adds them to the lease.
func (c *Claims[R]) take(ctx context.Context, tx *ent.Client, held *Held[R], statement string, args ...any) error {
	err := rows.Query(ctx, tx, statement, args, func(found *sql.Rows) error {
		row := new(R)
		held.Rows = append(held.Rows, row)
		return c.config.Scan(found, held.Token, row)
	})
	return wrap.Err(err, "lease %s", c.config.Name)
}

// anyLate says whether a row is past its deadline.
func (c *Claims[R]) anyLate(ctx context.Context, now wire.Time) (late bool, err error) {
	err = rows.Query(ctx, c.config.Store.Reader(), c.config.Late.Find, []any{int64(now)}, func(*sql.Rows) error { late = true; return nil })
	return late, wrap.Err(err, "look for %s past their deadlines", c.config.Name)
}

// WhileLeased tries to store something until that succeeds, fails for good, the lease ends (by the uptime), or ctx does.
func (c *Claims[R]) WhileLeased(ctx context.Context, held Held[R], store func(context.Context) error) error {
	return c.config.Retrier.Offer(ctx, store, func() bool { return c.Lasts(held) })
}

// Lasts says whether the lease of held rows has not ended, by the uptime.
func (c *Claims[R]) Lasts(held Held[R]) bool { return c.config.Uptime() < held.ends }

// ReleaseLost makes due the rows that were committed under the tokens of lost leases. It looks for them once a second at most.
func (c *Claims[R]) ReleaseLost(ctx context.Context) error {
	tokens := c.lost.Due(c.config.Uptime())
	if len(tokens) == 0 {
		return nil
	}
	return c.release(ctx, tokens, "")
}

// GiveBack makes held rows due that this worker does not finish, as if it had never leased them.
func (c *Claims[R]) GiveBack(ctx context.Context, held Held[R], ids ...int64) error {
	err := c.WhileLeased(ctx, held, func(ctx context.Context) error {
		return c.release(ctx, []int64{held.Token}, " AND id IN ("+rows.NumberList(ids)+")")
	})
	return wrap.Err(err, "give %s back", c.config.Name)
}

// release makes due the rows that are leased under tokens and meet a further condition.
func (c *Claims[R]) release(ctx context.Context, tokens []int64, further string) error {
	return c.config.Store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		return c.Release(ctx, tx, " AND lease IN ("+rows.NumberList(tokens)+")"+further, c.config.Released)
	})
}

// Hurry makes the next ReleaseLost look at once.
func (c *Claims[R]) Hurry() { c.lost.Hurry() }

// Release changes the rows that are leased beyond now and meet a further condition, which begins with " AND " or is empty. In
// set, $1 is now.
func (c *Claims[R]) Release(ctx context.Context, tx *ent.Client, further, set string) error {
	statement := c.config.Store.Claim(c.config.Queue.Table, c.config.Queue.leased(further), set, "id")
	err := rows.Query(ctx, tx, statement, []any{int64(c.config.Now())}, func(*sql.Rows) error { return nil })
	return wrap.Err(err, "release leased %s", c.config.Queue.Table)
}
