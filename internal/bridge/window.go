package bridge

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"sellerd/v1"
)

// This file reads a part of a list by position, as v1.Service.ItemWindow does with a database.
//
// A part that the first page has is one request. Any other begins at a mark that is remembered, or at the beginning. Its
// requests see the list at different times, and marks are older still. So afterwards the service is asked which rows have
// changed since; if one of them lies before the end of the part, that segment is counted anew and the part is read again.
// The result is the list as it was at one time, as if one statement had read it.

const (
	// mostAttempts bounds how often a part is read, when rows change all the time. The last result is taken as it is: each of
	// its rows was in the list.
	mostAttempts = 6
	// mostChanges bounds how many pages of changes are read before all is forgotten and read anew.
	mostChanges = 50
)

// listing is how a list is read, and T its rows.
type listing[T any] struct {
	name       string
	descending bool
	// page reads a page of the list behind a cursor.
	page func(ctx context.Context, after string, limit int) (*v1.Page[T], error)
	// changed reads a page of the rows that are or were in the list and have changed at or after an instant.
	changed func(ctx context.Context, since v1.Time, after string) (*v1.Page[T], error)
	// newest reads the latest instant at which anything has changed, and the row of the list, if there is one, that did.
	newest func(ctx context.Context) (v1.Time, []T, error)

	place   func(*T) place
	updated func(*T) v1.Time
}

// reader is one attempt to read a part of a list.
type reader[T any] struct {
	*listing[T]
	marks     *marks
	surprised bool // a segment had another count than what is remembered
}

// readWindow reads a part of a list. Beyond the end of the list it is empty.
func readWindow[T any](ctx context.Context, m *memory, l *listing[T], w v1.Window) ([]T, error) {
	if err := w.Check(); err != nil {
		return nil, err
	}
	if w.Start < v1.MaxPageSize {
		page, err := l.page(ctx, "", min(w.Start+w.Count, v1.MaxPageSize))
		if err != nil {
			return nil, err
		}
		if w.Start+w.Count <= v1.MaxPageSize || !page.NextCursor.Set {
			return cut(page.Results, w.Start, w.Count), nil
		}
	}
	end, err := m.turns.Take(ctx, l.name)
	if err != nil {
		return nil, err
	}
	defer end()
	known := m.of(l.name)
	defer m.settle(l.name, known)
	for attempt := 1; ; attempt++ {
		r := &reader[T]{listing: l, marks: known}
		rows, right, err := r.try(ctx, w)
		switch {
		case cursorRefused(err) && attempt < mostAttempts: // the service has another secret now
			known.forget()
		case err != nil:
			return nil, err
		case right || attempt == mostAttempts:
			return rows, nil
		}
	}
}

// cut is the rows of a list from a position on, at most so many.
func cut[T any](rows []T, start, count int) []T {
	start = min(start, len(rows))
	return rows[start:min(start+count, len(rows))]
}

func cursorRefused(err error) bool {
	var refused v1.Errors
	return errors.As(err, &refused) && len(refused) > 0 && (refused[0].Code == v1.InvalidCursor || refused[0].Code == v1.CursorMismatch)
}

// try reads the part once, and says whether it is right.
func (r *reader[T]) try(ctx context.Context, w v1.Window) (rows []T, right bool, err error) {
	if !r.marks.known {
		if err := r.begin(ctx); err != nil {
			return nil, false, err
		}
	}
	rows, last, err := r.read(ctx, w)
	if err != nil {
		return nil, false, err
	}
	right, err = r.unchanged(ctx, last)
	if err == nil && right && r.surprised { // rows are gone without a change, as after the removal of test data
		r.marks.forget()
		right = false
	}
	return rows, right, err
}

// begin finds the instant from which on changes are to be asked for.
func (r *reader[T]) begin(ctx context.Context) error {
	at, rows, err := r.newest(ctx)
	if err != nil {
		return err
	}
	r.marks.asOf, r.marks.known = at, true
	r.see(rows)
	return nil
}

// see notes those rows whose change will be told again.
func (r *reader[T]) see(rows []T) {
	for i := range rows {
		if at := r.updated(&rows[i]); at >= r.marks.asOf {
			r.marks.seen[r.place(&rows[i]).id] = at
		}
	}
}

// read reads the part, and returns the number of the last segment that it needed. Segments whose count is known are passed
// over.
func (r *reader[T]) read(ctx context.Context, w v1.Window) (rows []T, last int, err error) {
	rows = []T{}
	for i, position := 0, 0; ; i++ {
		s := r.marks.segments[i]
		if s.dirty || position+s.count > w.Start {
			got, err := r.load(ctx, i)
			if err != nil {
				return nil, 0, err
			}
			rows = append(rows, cut(got, max(0, w.Start-position), w.Count-len(rows))...)
			s.count = len(got)
		}
		position += s.count
		if len(rows) == w.Count || i == len(r.marks.segments)-1 {
			return rows, i, nil
		}
	}
}

// load reads the rows of a segment, and counts them. A segment with more rows than a page becomes two.
func (r *reader[T]) load(ctx context.Context, i int) (rows []T, err error) {
	m := r.marks
	s, goesOn := m.segments[i], i == len(m.segments)-1
	page, err := r.fetch(ctx, s.after)
	if err != nil {
		return nil, err
	}
	rows = page.Results
	for n := range rows {
		if !goesOn && s.end.before(r.place(&rows[n]), r.descending) {
			rows = rows[:n]
			break
		}
	}
	r.see(rows) // not those of the next segment, which has not counted them
	if len(rows) == len(page.Results) && page.NextCursor.Set && (goesOn || r.place(&rows[len(rows)-1]) != s.end) {
		m.segments = slices.Insert(m.segments, i+1, segment{after: page.NextCursor.V, end: s.end, dirty: true})
		s.end = r.place(&rows[len(rows)-1])
	} else if !s.dirty && s.count != len(rows) {
		r.surprised = true
	}
	s.count, s.dirty = len(rows), false
	m.segments[i] = s
	return rows, nil
}

// fetch reads a whole page.
func (r *reader[T]) fetch(ctx context.Context, after string) (*v1.Page[T], error) {
	page, err := r.page(ctx, after, v1.MaxPageSize)
	if err != nil {
		return nil, err
	}
	page.NextCursor.V = strings.Clone(page.NextCursor.V) // it is a part of the answer's text, which would be kept with it
	return page, nil
}

// unchanged asks what has changed, and says whether none of it lies in a segment up to the last one that was needed.
func (r *reader[T]) unchanged(ctx context.Context, last int) (bool, error) {
	m, right, after, newest := r.marks, true, "", r.marks.asOf
	for pages := 1; ; pages++ {
		page, err := r.changed(ctx, m.asOf, after)
		if err != nil {
			return false, err
		}
		for i := range page.Results {
			row := &page.Results[i]
			at, now := r.place(row), r.updated(row)
			if pages == 1 { // a change that comes while further pages are read is later than all of the first one
				newest = max(newest, now)
			}
			if m.seen[at.id] == now {
				continue
			}
			m.seen[at.id] = now
			if m.touch(at, r.descending) <= last {
				right = false
			}
		}
		if !page.NextCursor.Set {
			break
		}
		if pages == mostChanges {
			m.forget()
			return false, nil
		}
		after = page.NextCursor.V
	}
	m.asOf = newest
	maps.DeleteFunc(m.seen, func(_ v1.ID, at v1.Time) bool { return at < newest })
	return right, nil
}
