package sunset

import (
	"cmp"
	"context"
	"fmt"

	"sellerd/ent"
	"sellerd/ent/item"
	"sellerd/v1/core"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// Windows are parts of lists by position, as the legacy interface pages. Sellers of /v1 have cursors instead. Only lists
// whose positions are counted (positions.go) have windows. A window costs the same at any depth: the counters say in which
// two minutes its first row lies, an offset over an index finds the row among those, and from there on it is read as the
// page after a cursor is.

// Window is the part of a list that begins after Start rows and has at most Count.
type Window struct{ Start, Count int }

// The bounds of a window.
const (
	MaxWindow      = 1000
	MaxWindowStart = 1_000_000_000
)

// Check fails for a window out of bounds.
func (w Window) Check() error {
	if w.Start < 0 || w.Start > MaxWindowStart || w.Count < 1 || w.Count > MaxWindow {
		return fmt.Errorf("sunset: no window has %d rows from %d on", w.Count, w.Start)
	}
	return nil
}

// List is a list that has windows: its rows, sorted by the instant that is counted, and the name of its counters.
type List struct {
	*rows.List
	Counted Counted
}

// readWindow finds a window's first row and reads from there, both in one snapshot: between the two, rows would move. Beyond
// the end of the list it is empty. Targets and convert are those of rows.Reader.
func readWindow[T any](ctx context.Context, s *core.Core, l *List, w Window, targets []any, convert func() (result T, key,
	id int64),
) ([]T, error) {
	var out []T
	err := s.Reads.Snapshot(ctx, func(ctx context.Context, client *ent.Client) error {
		bucket, err := l.findBucket(ctx, client, w.Start)
		if err != nil || bucket == nil {
			out = []T{}
			return err
		}
		before, err := l.seek(ctx, client, s.Reads.ManyWriters(), bucket)
		if err != nil {
			return err
		}
		q := l.After(s.Reads.ManyWriters(), before, w.Count)
		reader := rows.Reader[T]{List: l.List, Limit: w.Count, Targets: targets, Convert: convert}
		page, err := reader.Page(ctx, rows.In{Tx: client}, s.Cursors, q.Text.String(), q.Args)
		if err != nil {
			return err
		}
		out = page.Results
		return nil
	})
	return out, err
}

// seek finds a row in its bucket, and returns the cursor after which it is the first.
func (l *List) seek(ctx context.Context, client *ent.Client, postgres bool, bucket *Bucket) (before rows.Cursor, err error) {
	q := l.Seek(postgres, bucket)
	rows, err := client.QueryContext(ctx, q.Text.String(), q.Args...)
	if err != nil {
		return before, fmt.Errorf("seek a row of %s: %w", l.Table, err)
	}
	defer rows.Close()
	if !rows.Next() {
		return before, cmp.Or(rows.Err(), fmt.Errorf("the positions of owner %d count more %s than there are", l.Owner, l.Table))
	}
	if err := rows.Scan(&before.Key, &before.ID); err != nil {
		return before, fmt.Errorf("seek a row of %s: %w", l.Table, err)
	}
	if l.Descending {
		before.ID++
	} else {
		before.ID--
	}
	return before, nil
}

// Seek is the statement that reads the sort key and id of a row in its bucket, which are both in the index of the list.
func (l *List) Seek(postgres bool, bucket *Bucket) *rows.Statement {
	within := *l.List
	within.Columns, within.Joined = rows.ColumnList(l.Table, []string{l.SortColumn, item.FieldID}), ""
	within.Also("", nil, nil, nil)
	within.From, within.To = &bucket.From, &bucket.To
	q := within.Page(postgres, nil, wire.Opt[rows.Cursor]{}, 0)
	q.Add(" OFFSET $", bucket.Before)
	return q
}

// After is the statement that reads the rows after a cursor.
func (l *List) After(postgres bool, before rows.Cursor, count int) *rows.Statement {
	return l.Page(postgres, nil, wire.Some(before), count)
}
