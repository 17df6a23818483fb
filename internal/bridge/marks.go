package bridge

import (
	"cmp"
	"slices"

	"sellerd/v1"
)

// This file remembers where lists can be entered. /v1 goes through a list from its beginning, page by page; the cursor
// behind a page stays good. So a list is remembered as segments: a cursor, how many rows come before the next one, and the
// last of these rows. A position is found by adding up counts.

// place is where a row is in its list: the instant that sorts it, and its id.
type place struct {
	at v1.Time
	id v1.ID
}

// before says whether a place comes before another one in an order.
func (p place) before(other place, descending bool) bool {
	order := cmp.Or(cmp.Compare(p.at, other.at), cmp.Compare(p.id, other.id))
	if descending {
		return order > 0
	}
	return order < 0
}

// segment is the rows between two marks, or behind the last one.
type segment struct {
	after string // the cursor before its first row, empty for the beginning of the list
	end   place  // of its last row when the segment was made; it has all rows up to there. The last segment goes on to the end of the list
	count int
	dirty bool // some row has changed, so the count may be another
}

// marks are what is remembered of a list.
type marks struct {
	segments []segment // at least one

	// asOf is an instant before which all changes are known: any other has the same updated_at or a later one. seen are the
	// rows that have changed at or after it, and when: a row never changes twice at the same instant.
	asOf  v1.Time
	known bool // asOf was read
	seen  map[v1.ID]v1.Time

	counted, used int // of the memory: how many segments its total has, and when the list was last used
}

// forget begins anew.
func (m *marks) forget() {
	m.segments, m.asOf, m.known, m.seen = []segment{{dirty: true}}, 0, false, map[v1.ID]v1.Time{}
}

// touch notes that the row at a place has changed, and returns the number of its segment.
func (m *marks) touch(p place, descending bool) int {
	i, _ := slices.BinarySearchFunc(m.segments[:len(m.segments)-1], p, func(s segment, p place) int {
		if s.end.before(p, descending) {
			return -1
		}
		return 1 // the first segment whose end is not before it
	})
	m.segments[i].dirty = true
	return i
}

// thin makes room: it joins neighbours until at most so many segments are left.
func (m *marks) thin(most int) {
	for len(m.segments) > most {
		kept := m.segments[:0]
		for pair := range slices.Chunk(m.segments, 2) {
			s := pair[0]
			for _, next := range pair[1:] {
				s.end, s.count, s.dirty = next.end, s.count+next.count, s.dirty || next.dirty
			}
			kept = append(kept, s)
		}
		m.segments = slices.Clip(kept)
	}
}

// tidy joins neighbours that together are no more than a page.
func (m *marks) tidy() {
	kept := m.segments[:0]
	for _, s := range m.segments {
		if n := len(kept); n > 0 && !s.dirty && !kept[n-1].dirty && kept[n-1].count+s.count <= v1.MaxPageSize {
			last := &kept[n-1]
			last.end, last.count = s.end, last.count+s.count
			continue
		}
		kept = append(kept, s)
	}
	m.segments = kept
}
