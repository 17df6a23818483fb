package sunset

import (
	"cmp"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sellerd/v1/wire"
)

// usageBook holds the counted calls that are not stored yet, by rows of a kind.
type usageBook[Row comparable] struct {
	room int // for so many rows
	mu   sync.Mutex
	rows map[Row]*usageCount
	over int64 // calls for which there was no room
}

// The limits of the books: rows between two flushes, and lossy fields of a row. wire.Printable bounds the length of their names.
const (
	maxUsageRows   = 10_000
	maxStrange     = 2_000 // each costs a look-up, and may be of a key that does not exist
	maxRequestRows = 100_000
	maxLossyFields = 50
)

// usageRow is the key by which calls are counted.
type usageRow struct {
	owner     int64
	day       int64
	call, key string
}

func (r usageRow) compare(other usageRow) int {
	return cmp.Or(cmp.Compare(r.owner, other.owner), cmp.Compare(r.day, other.day), cmp.Compare(r.call, other.call),
		cmp.Compare(r.key, other.key))
}

type usageCount struct {
	calls       int64
	first, last wire.Time
	drilled     wire.Time // when a call last met a drill, 0 for never
	lossy       []string  // sorted in the book
}

func (c *usageCount) merge(more usageCount) {
	if c.calls == 0 || more.first < c.first {
		c.first = more.first
	}
	c.calls += more.calls
	c.last, c.drilled = max(c.last, more.last), max(c.drilled, more.drilled)
	c.lossy = withLossy(c.lossy, more.lossy)
}

func (b *usageBook[Row]) add(row Row, more usageCount) {
	b.mu.Lock()
	defer b.mu.Unlock()
	count := b.rows[row]
	if count == nil {
		if len(b.rows) >= b.room {
			b.over += more.calls
			return
		}
		if b.rows == nil {
			b.rows = map[Row]*usageCount{}
		}
		count = &usageCount{}
		b.rows[row] = count
	}
	count.merge(more)
}

// take empties the book.
func (b *usageBook[Row]) take() (rows map[Row]*usageCount, over int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rows, over = b.rows, b.over
	b.rows, b.over = nil, 0
	return rows, over
}

// putBack adds what was taken and could not be stored.
func (b *usageBook[Row]) putBack(rows map[Row]*usageCount) {
	for row, count := range rows {
		b.add(row, *count)
	}
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

// lost tells the operator that something is not counted. It logs when that begins, and then is silent until a round without a
// loss: else a caller that goes on and on would fill the log.
type lost struct {
	logger        *slog.Logger
	message, what string
	rows          int // for how many there is room
	losing        atomic.Bool
}

func (l *lost) tell(logger *slog.Logger, message, what string, rows int) {
	l.logger, l.message, l.what, l.rows = logger, message, what, rows
}

// note is called once a round, with how much was not counted.
func (l *lost) note(n int64) {
	if losing := n > 0; l.losing.Swap(losing) != losing && losing {
		l.logger.Error(l.message, l.what, n, "rows", l.rows)
	}
}
