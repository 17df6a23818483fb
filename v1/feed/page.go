package feed

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strconv"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/internal/base/wrap"
	"sellerd/v1/cause"
	"sellerd/v1/keycheck"
	"sellerd/v1/rows"
)

// WalkedRows is how many events a page with filters reads at most.
const WalkedRows = 2000

// SampleResource is the type of resource of made-up events, which are sent to one webhook and are not in the feed.
const SampleResource = "sample"

// Place is a place in the order of an owner's events: that of an event, or the end of the feed as it was read.
type Place struct {
	At int64 // the event's instant, in microseconds since 1970
	ID int64 // the event's id; of an end, minus the instant of the reading
}

// End is the place behind all events of an instant, as it was read at another one.
func End(at, read int64) Place { return Place{At: at, ID: -read} }

// last is the last id at the instant of the place that lies before it, or is it.
func (p Place) last() int64 {
	if p.ID < 0 {
		return math.MaxInt64
	}
	return p.ID
}

// Complete is until when a reader with this place has surely read all events.
func (p Place) Complete() int64 {
	if p.ID < 0 {
		return max(p.At, -p.ID)
	}
	return p.At
}

// Resource is what an event is about, as the table of events has it.
type Resource struct {
	Type string
	ID   int64
}

// Query is what a page shows.
type Query struct {
	Owner int64
	After Place // events behind it
	Limit int   // at least 1
	Now   int64 // the present instant

	// Types and Matches are the filters; none of a kind lets everything pass.
	Types   []string
	Matches func(Resource) bool
	Filter  cause.Filter
}

// filtered says whether the query has filters.
func (q *Query) filtered() bool { return len(q.Types) > 0 || q.Matches != nil || !q.Filter.None() }

// Page is events as they are sent to webhooks, byte for byte.
type Page struct {
	Bodies []string
	Next   Place // where the next page begins
	More   bool  // there may be more events already
}

// Store is the database as the reader needs it.
type Store interface {
	rows.Querier
	Reader() *ent.Client
	ManyWriters() bool // of PostgreSQL, not of SQLite
}

// Reader reads pages. It is safe for concurrent use.
type Reader struct {
	Store Store // for where the feed ends
	Reads Store // for pages
}

// These are the beginnings of a page's statement, and its end but for the number of rows.
const (
	bodyColumns  = event.FieldCreatedAt + ", " + event.FieldID + ", " + event.FieldBody
	matchColumns = event.FieldCreatedAt + ", " + event.FieldID + ", " + event.FieldType + ", " + event.FieldResourceType + ", " +
		event.FieldResourceID
	filterColumns = matchColumns + ", " + event.FieldKeyID + ", " + event.FieldChanged // which are behind the body
)

// statement is the query for the events behind a place. A claim, if there is one, is confirmed by its first column.
func statement(q *Query, columns string, limit int, claim *keycheck.Claim) (text string, args []any) {
	args = []any{q.Owner, q.After.At, q.After.last()}
	first, n := "", 1
	if claim.Open() {
		first, n = keycheck.FirstColumn()+", ", 4
	}
	place := func(i int) string { return "$" + strconv.Itoa(n+i) }
	return "SELECT " + first + columns + " FROM " + event.Table + " WHERE " + event.FieldOwner + " = " + place(0) +
		" AND (" + event.FieldCreatedAt + ", " + event.FieldID + ") > (" + place(1) + ", " + place(2) + ")" +
		" AND " + rows.Hidden(event.FieldResourceType) + " <> '" + SampleResource + "'" +
		" ORDER BY " + event.FieldCreatedAt + ", " + event.FieldID + " LIMIT " + strconv.Itoa(limit), args
}

// read runs a statement. Its targets are those of the columns; each is called for every row and ends the reading when it says so.
func (r *Reader) read(ctx context.Context, q *Query, columns string, limit int, claim *keycheck.Claim, targets []any,
	each func() (goOn bool),
) error {
	text, args := statement(q, columns, limit, claim)
	claimed := claim.Open()
	if claimed {
		args, targets = claim.First(args, targets)
	}
	found, err := r.Reads.Query(ctx, text, args...)
	if err != nil {
		return fmt.Errorf("read events: %w", err)
	}
	defer found.Close()
	for found.Next() {
		if err := found.Scan(targets...); err != nil {
			return fmt.Errorf("scan an event: %w", err)
		}
		if claimed {
			if err := claim.Confirm(); err != nil {
				return err
			}
			claimed = false
		}
		if !each() {
			return nil
		}
	}
	return wrap.Err(found.Err(), "read events")
}

// Read reads a page. A claim is confirmed by the page's first row; it stays open if there is none.
func (r *Reader) Read(ctx context.Context, q *Query, claim *keycheck.Claim) (*Page, error) {
	if q.filtered() {
		return r.walk(ctx, q, claim)
	}
	page, last := &Page{Bodies: make([]string, 0, q.Limit)}, q.After
	var at Place
	var body string
	err := r.read(ctx, q, bodyColumns, q.Limit+1, claim, []any{rows.Target(&at.At), rows.Target(&at.ID), rows.Target(&body)}, func() bool {
		if len(page.Bodies) == q.Limit {
			page.More = true
			return false
		}
		page.Bodies, last = append(page.Bodies, body), at
		return true
	})
	page.Next = q.next(last, page.More)
	return page, err
}

// next is where the page after one begins whose last event is given. If that was all, it is the end of the feed: the events of a
// change become visible together, so none follows at the instant of the last one.
func (q *Query) next(last Place, more bool) Place {
	if more {
		return last
	}
	return End(last.At, q.Now)
}

// walk reads a page with filters: first which events match, then these.
func (r *Reader) walk(ctx context.Context, q *Query, claim *keycheck.Claim) (*Page, error) {
	var (
		at, last = Place{}, q.After
		e        cause.Event
		key      *string
		about    Resource
		walked   int
		ids      []int64
		unread   []int64 // those of which the body has to be asked, too
		more     bool
	)
	columns, targets := matchColumns, []any{rows.Target(&at.At), rows.Target(&at.ID), rows.Target(&e.Type), rows.Target(&about.Type), rows.Target(&about.ID)}
	if !q.Filter.None() {
		columns, targets = filterColumns, append(targets, rows.Target(&key), rows.Target(&e.Changed))
	}
	err := r.read(ctx, q, columns, WalkedRows+1, claim, targets, func() bool {
		if len(ids) == q.Limit || walked == WalkedRows {
			more = true
			return false
		}
		walked++
		last = at
		if e.KeyID = ""; key != nil {
			e.KeyID = *key
		}
		if (len(q.Types) == 0 || slices.Contains(q.Types, e.Type)) && (q.Matches == nil || q.Matches(about)) && q.Filter.Wants(&e) {
			ids = append(ids, at.ID)
			if q.Filter.Reads(&e) {
				unread = append(unread, at.ID)
			}
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	page := &Page{More: more, Next: q.next(last, more)}
	page.Bodies, err = r.bodies(ctx, ids, func(id int64, body string) bool {
		return !slices.Contains(unread, id) || q.Filter.Wants(&cause.Event{Type: cause.Narrowed, Body: body})
	})
	return page, err
}

var loadBodies = rows.NewSets(`SELECT `+event.FieldID+`, `+event.FieldBody+` FROM `+event.Table+` WHERE `+rows.Any(event.Table), event.FieldID+" bigint")

// bodies are the bodies of events in the order given, if they are wanted. An event that was deleted meanwhile is left out.
func (r *Reader) bodies(ctx context.Context, ids []int64, wanted func(id int64, body string) bool) ([]string, error) {
	byID := make(map[int64]string, len(ids))
	err := loadBodies.On(r.Reads.ManyWriters()).Query(ctx, r.Reads.Reader(), rows.IDs(ids), func(found *sql.Rows) error {
		var id int64
		var body string
		err := found.Scan(&id, &body)
		byID[id] = body
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("load events: %w", err)
	}
	bodies := make([]string, 0, len(ids))
	for _, id := range ids {
		if body, ok := byID[id]; ok && wanted(id, body) {
			bodies = append(bodies, body)
		}
	}
	return bodies, nil
}

// Latest is the end of an owner's feed: behind all events that are committed, and before all others. It is not the clock's
// present instant, because a change can be later than that, or earlier and not yet committed.
func (r *Reader) Latest(ctx context.Context, owner, now int64) (Place, error) {
	found, err := r.Store.Query(ctx, `SELECT last_change_at FROM owners WHERE id = $1`, owner)
	if err != nil {
		return Place{}, fmt.Errorf("read the owner's last change: %w", err)
	}
	defer found.Close()
	at := now
	if found.Next() {
		err = found.Scan(rows.Target(&at))
	}
	if err := cmp.Or(err, found.Err()); err != nil {
		return Place{}, fmt.Errorf("read the owner's last change: %w", err)
	}
	return End(at, now), nil
}
