// Package numbering assigns every id of the service. Sellers see decimal numbers (of items, sales, bills …), which a Source
// takes from the database in blocks; all other ids it makes of the clock, the process's node number and a counter. Both
// rise with time within a process, except for numbers that were given back, and no two processes on one database make the same.
package numbering

import (
	"cmp"
	"context"
	"sync"
	"time"

	"sellerd/ent"
	"sellerd/internal/base/wrap"
)

// Kind is a kind of decimal number that sellers see: items, sales and so on are counted separately.
type Kind struct {
	Name  string
	First int64
	Block int64 // how many a process takes from the database at once; unused ones are lost when it ends
}

// Numbers are dense and rise with time within a process, except for single ones that were given back. That suits page buckets and people.
var (
	Items          = Kind{"item", 1_000_001, 1024}
	Accounts       = Kind{"account", 5_001, 1}
	ShippingModels = Kind{"shipping_model", 4_001, 16}
	Sales          = Kind{"sale", 300_001, 256}
	Bills          = Kind{"bill", 200_001, 256}
	Buyers         = Kind{"buyer", 70_001, 64}
	nodeNumbers    = Kind{"node", 1, 1}
)

// Store is the store of a Source. Write runs a transaction, perhaps more than once.
type Store interface {
	Write(ctx context.Context, fn func(ctx context.Context, tx *ent.Client) error) error
}

// Clock is the clock of a Source.
type Clock interface{ Now() time.Time }

// Source assigns every id of the service. Numbers of a kind come from the database in blocks; the others are made of the
// clock, the process's node number and a counter (41, 10 and 12 bits), so they rise with time as well.
type Source struct {
	store Store
	clock Clock

	fetching chan struct{} // guards blocks: full while a caller takes numbers and perhaps waits for the database
	blocks   map[string]numberBlock

	// mu is taken inside transactions, by Ordered. So a holder of mu must not wait for a transaction: with one writer, both
	// would wait for ever.
	mu   sync.Mutex
	node int64 // 0 until the first use
	last int64 // the last clock-made id
}

type numberBlock struct {
	next, end int64
	back      []int64 // numbers below next that were given back
}

// New makes a source on a store. Its node number comes from the store at the first use.
func New(store Store, clock Clock) *Source {
	return &Source{store: store, clock: clock, fetching: make(chan struct{}, 1), blocks: map[string]numberBlock{}}
}

// Numbers takes n consecutive numbers of a kind and returns the first. It may write, so it must not be called inside
// a transaction; numbers taken and not used are lost.
func (ids *Source) Numbers(ctx context.Context, kind Kind, n int) (int64, error) {
	if err := ids.begin(ctx); err != nil {
		return 0, err
	}
	defer ids.end()
	return ids.take(ctx, kind, int64(n))
}

// GiveBack returns a number that Numbers gave and that nothing bears, for the next caller who takes a single one. It does not
// wait: the number is lost if another caller has the blocks at that moment.
func (ids *Source) GiveBack(kind Kind, number int64) {
	select {
	case ids.fetching <- struct{}{}:
	default:
		return
	}
	defer ids.end()
	if block := ids.blocks[kind.Name]; int64(len(block.back)) < kind.Block {
		block.back = append(block.back, number)
		ids.blocks[kind.Name] = block
	}
}

// begin waits for the blocks as long as the caller has time: another caller may hold them while it waits for the database.
func (ids *Source) begin(ctx context.Context) error {
	select {
	case ids.fetching <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (ids *Source) end() { <-ids.fetching }

func (ids *Source) take(ctx context.Context, kind Kind, n int64) (int64, error) {
	block := ids.blocks[kind.Name]
	if last := len(block.back) - 1; n == 1 && last >= 0 {
		number := block.back[last]
		block.back = block.back[:last]
		ids.blocks[kind.Name] = block
		return number, nil
	}
	if block.end-block.next < n {
		end, err := ids.reserve(ctx, kind, max(n, kind.Block))
		if err != nil {
			return 0, err
		}
		block.next, block.end = end-max(n, kind.Block), end
	}
	first := block.next
	block.next += n
	ids.blocks[kind.Name] = block
	return first, nil
}

// reserve takes the next n numbers of a kind, up to end. It is by hand, because builders have neither ON CONFLICT nor RETURNING.
func (ids *Source) reserve(ctx context.Context, kind Kind, n int64) (end int64, err error) {
	err = ids.store.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
		if _, err := tx.ExecContext(ctx, `INSERT INTO number_ranges (id, next) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, kind.Name, kind.First); err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, `UPDATE number_ranges SET next = next + $1 WHERE id = $2 RETURNING next`, n, kind.Name)
		if err != nil {
			return err
		}
		defer rows.Close()
		if rows.Next() {
			err = rows.Scan(&end)
		}
		return cmp.Or(err, rows.Err())
	})
	return end, wrap.Err(err, "reserve %s numbers", kind.Name)
}

// Prepare makes sure that Ordered can be called inside a transaction.
func (ids *Source) Prepare(ctx context.Context) error {
	if ids.prepared() {
		return nil
	}
	if err := ids.begin(ctx); err != nil {
		return err
	}
	defer ids.end()
	if ids.prepared() { // another caller was faster
		return nil
	}
	node, err := ids.take(ctx, nodeNumbers, 1)
	if err != nil {
		return err
	}
	ids.mu.Lock()
	defer ids.mu.Unlock()
	ids.node = node
	return nil
}

func (ids *Source) prepared() bool {
	ids.mu.Lock()
	defer ids.mu.Unlock()
	return ids.node != 0
}

// idEpoch is the beginning of 2026 in milliseconds.
const idEpoch = 1_767_225_600_000

// Ordered makes an id that is larger than all earlier ids of this process. prepare must have succeeded.
func (ids *Source) Ordered() int64 {
	now := ids.clock.Now().UnixMilli() - idEpoch
	ids.mu.Lock()
	defer ids.mu.Unlock()
	if ids.node == 0 {
		panic("numbering: Ordered before Prepare")
	}
	fresh := now<<22 | ids.node%1024<<12
	if fresh>>22 <= ids.last>>22 { // same millisecond, or a clock set back: go on counting
		fresh = ids.last + 1
		if fresh>>12 != ids.last>>12 { // the counter ran over: borrow the next millisecond
			fresh = (ids.last>>22+1)<<22 | ids.node%1024<<12
		}
	}
	ids.last = fresh
	return fresh
}
