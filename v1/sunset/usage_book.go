package sunset

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"sellerd/v1/wire"
)

// usageBook holds the counted calls that are not stored yet.
type usageBook struct {
	mu   sync.Mutex
	rows map[usageRow]*usageCount
	over int64 // calls for which there was no room
}

// The limits of the book: rows between two flushes, and lossy fields of a row. printable bounds the length of their names.
const (
	maxUsageRows   = 10_000
	maxLossyFields = 50
)

// usageRow is the key by which calls are counted.
type usageRow struct {
	owner     int64
	day       int64
	call, key string
}

func (r usageRow) compare(other usageRow) int {
	return cmp.Or(cmp.Compare(r.owner, other.owner), cmp.Compare(r.day, other.day), cmp.Compare(r.call, other.call), cmp.Compare(r.key, other.key))
}

type usageCount struct {
	calls int64
	last  wire.Time
	lossy []string // sorted in the book
}

func (b *usageBook) add(row usageRow, more usageCount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := b.rows[row]
	if count == nil {
		if len(b.rows) >= maxUsageRows {
			b.over += more.calls
			return
		}
		if b.rows == nil {
			b.rows = map[usageRow]*usageCount{}
		}
		count = &usageCount{}
		b.rows[row] = count
	}
	count.calls += more.calls
	count.last = max(count.last, more.last)
	count.lossy = withLossy(count.lossy, more.lossy)
}

// take empties the book.
func (b *usageBook) take() (rows map[usageRow]*usageCount, over int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows, over = b.rows, b.over
	b.rows, b.over = nil, 0
	return rows, over
}

// withLossy adds names to a sorted list as long as there is room.
func withLossy(known, names []string) []string {
	for _, name := range names {
		name = wire.Printable(strings.ToValidUTF8(name, "\ufffd"))
		i, found := slices.BinarySearch(known, name)
		if !found && len(known) < maxLossyFields {
			known = slices.Insert(known, i, name)
		}
	}
	return known
}
