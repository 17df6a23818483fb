package hooks

import (
	"context"
	"slices"
	"strings"
	"time"

	"sellerd/ent/event"
	"sellerd/v1/cause"
	"sellerd/v1/core"
	"sellerd/v1/feed"
	"sellerd/v1/items"
	"sellerd/v1/permission"
	"sellerd/v1/refusal"
	"sellerd/v1/rows"
	"sellerd/v1/wire"
)

// EventPage is a page of the feed. Unlike other lists, it always says where to go on.
type EventPage struct {
	Results    []wire.Raw[Event] `json:"results"`
	NextCursor string            `json:"next_cursor" doc:"where to go on, also when there are no results"`
	HasMore    bool              `json:"has_more" doc:"ask again at once: there may be more already"`
}

// latestEvent is the value of after that stands for the end of the feed.
const latestEvent = "latest"

// BrowseEventsInput is where a page of the feed begins, and what it shows.
type BrowseEventsInput struct {
	Type        []string            `query:"type" catalogue:"event patterns" doc:"names, item.* and the like, or *; a key that may not read what all events carry must name types that it may read"`
	ResourceID  []string            `query:"resource_id" doc:"of items, sales, bills and submissions"`
	CreatedFrom wire.Opt[wire.Time] `query:"created_from" doc:"inclusive; belongs to the cursor, as all filters do"`
	NotKeyID    []string            `query:"not_key_id" since:"1.6.0" doc:"ids of your keys: leaves out what they caused, and the keys that followed them by rotation; an id is the part of a key between its second and its third underscore"`
	Changed     []string            `query:"changed" catalogue:"item members" since:"1.6.0" doc:"of item.updated, only events in which one of these members of the item changed; other events stay"`
	Wait        wire.Opt[int]       `query:"wait" min:"0" max:"20" default:"0" doc:"how many seconds to hold the answer while there is no event"`
	Limit       wire.Opt[int]       `query:"limit" min:"1" max:"200" default:"50"`
	After       wire.Opt[string]    `query:"after" doc:"next_cursor of the page before, or latest for events from now on; by default the feed begins with the oldest event kept"`
}

// EndWaits ends every wait for events, now and from now on: the callers get their answer. A server calls it before it ends.
func (s *Webhooks) EndWaits() { s.Waiters.End() }

// browseEvents reads a page of the feed, and waits for it if need be. A key that may not read what all events carry names types
// that it may read.
func (s *Webhooks) browseEvents(ctx context.Context, c *core.Call, in *BrowseEventsInput) (*EventPage, error) {
	q := feed.Query{
		Owner: int64(c.Owner), Limit: in.Limit.Or(items.DefaultPageSize), Types: eventsMatching(in.Type),
		Matches: resourceFilter(in.ResourceID), Filter: cause.Filter{SkipKeys: in.NotKeyID, Changed: in.Changed},
	}
	if i := slices.IndexFunc(in.Type, func(name string) bool { return !slices.Contains(EventPatterns(), name) }); i >= 0 {
		return nil, refusal.Newf(refusal.InvalidParameter, "type", "There is no event %s.", wire.Printable(in.Type[i]))
	}
	checkMembers(in.Changed, &c.Problems)
	if err := c.Problems.Err(); err != nil {
		return nil, err
	}
	asked := in.Type
	if len(asked) == 0 {
		asked = []string{everyEvent}
	}
	if err := c.Permit(subscriptionNeeds(asked)&^permission.BuyersRead, "type"); err != nil {
		return nil, err
	}
	scope := eventScope(c.Owner, &q, in)
	var err error
	if q.After, err = s.feedPlace(ctx, c.Owner, scope, in); err != nil {
		return nil, err
	}
	page, err := s.awaitEvents(ctx, c, in, &q, time.Duration(in.Wait.V)*time.Second)
	if err != nil {
		return nil, err
	}
	out := &EventPage{Results: make([]wire.Raw[Event], len(page.Bodies)), HasMore: page.More}
	for i, body := range page.Bodies {
		out.Results[i].Text = body
	}
	out.NextCursor = s.Cursors.Encode(rows.Cursor{Scope: scope, Key: page.Next.At, ID: page.Next.ID})
	return out, nil
}

// eventsMatching are the events that names and patterns mean, in the order of the catalogue; none for all events.
func eventsMatching(wanted []string) []string {
	if len(wanted) == 0 || slices.Contains(wanted, everyEvent) {
		return nil
	}
	var names []string
	for _, e := range EventTypes {
		if cause.Matches(wanted, e.Name) {
			names = append(names, e.Name)
		}
	}
	return names
}

// resourceFilter recognizes the resources with some ids, as events write them; nil for all.
func resourceFilter(ids []string) func(feed.Resource) bool {
	if len(ids) == 0 {
		return nil
	}
	return func(r feed.Resource) bool { return slices.Contains(ids, resourceID(r.Type, r.ID)) }
}

// resourceID is how an event writes the id of what it is about.
func resourceID(kind string, number int64) string {
	if kind == "submission" {
		return wire.SubmissionID(number).String()
	}
	return wire.ID(number).String()
}

// eventScope is what a cursor of the feed is bound to.
func eventScope(owner core.Owner, q *feed.Query, in *BrowseEventsInput) uint64 {
	from := []byte(nil)
	if in.CreatedFrom.Set {
		from, _ = in.CreatedFrom.V.AppendText(nil) // writes to memory
	}
	bound := [][]byte{[]byte(strings.Join(q.Types, ",")), []byte(strings.Join(items.Distinct(in.ResourceID), ",")), from}
	if !q.Filter.None() { // cursors of earlier releases are bound to the others alone
		bound = append(bound, []byte(strings.Join(items.Distinct(in.NotKeyID), ",")), []byte(strings.Join(items.Distinct(in.Changed), ",")))
	}
	return rows.Scope("BrowseEvents", int64(owner), bound...)
}

// feedPlace is the place behind which a page begins.
func (s *Webhooks) feedPlace(ctx context.Context, owner core.Owner, scope uint64, in *BrowseEventsInput) (feed.Place, error) {
	now := s.Now()
	kept := now.Add(-EventRetention)
	start := feed.End(max(int64(kept), int64(in.CreatedFrom.V))-1, int64(now))
	switch {
	case !in.After.Set:
		return start, nil
	case in.After.V == latestEvent:
		latest, err := s.feed.Latest(ctx, int64(owner), int64(now))
		return feed.End(max(latest.At, start.At), int64(now)), err
	}
	cursor, err := s.Cursors.Decode(in.After.V, scope)
	if err != nil {
		return feed.Place{}, err
	}
	place := feed.Place{At: cursor.Key, ID: cursor.ID}
	if place.Complete() < int64(kept) {
		return feed.Place{}, refusal.Newf(refusal.CursorExpired, "after",
			"The cursor is older than 30 days, and so are events that followed it. "+
				"Begin again with after=latest, and list what changed since %s with updated_from, in /v1/items, /v1/sales and /v1/bills.", wire.Time(place.Complete()))
	}
	return place, nil
}

// awaitEvents reads a page. If it is empty, it waits for events, without a transaction and without a connection to the database.
// The key is checked again before the caller gets what has happened meanwhile.
func (s *Webhooks) awaitEvents(ctx context.Context, c *core.Call, in *BrowseEventsInput, q *feed.Query, wait time.Duration) (*feed.Page, error) {
	if wait == 0 {
		return s.readEvents(ctx, c, in, q)
	}
	watch := s.Waiters.Watch(int64(c.Owner))
	defer watch.Leave()
	deadline, _ := ctx.Deadline()
	inTime, cancel := context.WithDeadline(ctx, deadline.Add(feed.LongestWait-core.WaitLimit))
	defer cancel()
	waiting, cancel := context.WithTimeout(inTime, wait)
	defer cancel()
	for {
		page, err := s.readEvents(ctx, c, in, q)
		if err != nil || len(page.Bodies) > 0 || page.More {
			return page, err
		}
		if err := s.Confirm(ctx, c); err != nil {
			return nil, err
		}
		q.After = page.Next
		if !watch.Wait(waiting) {
			return page, ctx.Err()
		}
		// With a claim, after=latest would begin behind the event that has ended the wait, if all work had to be done again.
		if err := s.Readmit(ctx, c); err != nil {
			return nil, err
		}
	}
}

// readEvents reads a page that begins now. Keys that it leaves out may have been rotated while it waited.
func (s *Webhooks) readEvents(ctx context.Context, c *core.Call, in *BrowseEventsInput, q *feed.Query) (*feed.Page, error) {
	ctx, cancel := context.WithTimeout(ctx, core.AnswerLimit)
	defer cancel()
	if len(in.NotKeyID) > 0 {
		own, err := s.followKeys(ctx, c, in.NotKeyID)
		if err != nil {
			return nil, err
		}
		q.Filter.SkipKeys = nil
		for _, id := range in.NotKeyID {
			if own[id] == nil {
				return nil, refusal.Newf(refusal.InvalidParameter, "not_key_id", notAKeyID)
			}
			q.Filter.SkipKeys = append(q.Filter.SkipKeys, own[id]...)
		}
	}
	q.Now = int64(s.Now())
	return s.feed.Read(ctx, q, c.Claim)
}

// EventRef names an event in a path.
type EventRef struct {
	ID wire.EventID `path:"id" missing:"event_not_found"`
}

// getEvent reads one event, as webhooks get it but for the personal data of buyers.
func (s *Webhooks) getEvent(ctx context.Context, c *core.Call, in *EventRef) (*wire.Raw[Event], error) {
	row, err := s.Reads.Reader().Event.Query().Select(event.FieldType, event.FieldBody).
		Where(event.ID(int64(in.ID)), event.Owner(int64(c.Owner)), event.CreatedAtGTE(int64(s.Now().Add(-EventRetention)))).Only(ctx)
	if err != nil {
		return nil, core.NotLoaded(err, refusal.EventNotFound, "event", int64(in.ID))
	}
	return &wire.Raw[Event]{Text: row.Body}, c.Permit(eventNeeds(row.Type)&^permission.BuyersRead, "")
}
