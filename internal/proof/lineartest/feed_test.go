package lineartest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"

	"github.com/anishathalye/porcupine"

	"sellerd/internal/proof/blackbox"
)

// The feed of events: changes of a seller's items make events, and readers go through the feed from page to page. The feed
// is one list that only grows at its end. So every reader sees the same events in the same order without a gap, and an
// event that a change has made before a reading began is there.

// feedItems is how many items each seller of these histories has.
const feedItems = 3

// feed is the feed of an account of its own, behind a place.
type feed struct {
	ids   [feedItems]string
	start string // the cursor of the place
}

// emit is a change of items in one request. Each title is an event.
type emit struct{ Titles string }

// page is the request for some events behind a place.
type page struct{ Place, Limit int }

// events are the titles of events in their order.
type events struct{ Titles string }

func (f *feed) next(rng *rand.Rand, m *memory) request {
	if rng.IntN(5) < 2 {
		wait := 0
		if rng.IntN(4) == 0 {
			wait = 1
		}
		return f.read(m, 1+rng.IntN(6), wait)
	}
	title := fmt.Sprintf("%c%d", 'a'+m.client, m.sent)
	if rng.IntN(3) > 0 {
		return request{
			method: http.MethodPatch, path: "/v1/items/" + f.ids[rng.IntN(feedItems)], body: map[string]any{"title": title},
			in: emit{title + " "}, out: func(blackbox.Answer) (any, error) { return done{}, nil },
		}
	}
	var changes []map[string]any
	var titles string
	for i, id := range f.ids {
		each := fmt.Sprintf("%s.%d", title, i)
		titles += each + " "
		changes = append(changes, map[string]any{"item_id": id, "patch": map[string]any{"title": each}})
	}
	return request{
		method: http.MethodPost, path: "/v1/item-changes", body: map[string]any{"changes": changes},
		in: emit{titles}, out: func(got blackbox.Answer) (any, error) {
			var out struct {
				Changed int `json:"changed_count"`
			}
			err := json.Unmarshal(got.Data, &out)
			if err == nil && out.Changed != feedItems {
				err = fmt.Errorf("%d items were changed", out.Changed)
			}
			return done{}, err
		},
	}
}

// last reads all that the client has not read.
func (f *feed) last(m *memory) (requests []request) {
	return []request{f.read(m, 200, 0)}
}

// read asks for the events behind the last one that the client has.
func (f *feed) read(m *memory, limit, wait int) request {
	cursor := m.cursor
	if cursor == "" {
		cursor = f.start
	}
	return request{
		method: http.MethodGet, path: fmt.Sprintf("/v1/events?limit=%d&wait=%d&after=%s", limit, wait, url.QueryEscape(cursor)),
		in: page{m.events, limit}, out: func(got blackbox.Answer) (any, error) {
			var shown eventPage
			if err := json.Unmarshal(got.Data, &shown); err != nil {
				return nil, err
			}
			var out events
			for _, e := range shown.Results {
				out.Titles += e.Data.Item.Title + " "
			}
			m.cursor, m.events = shown.NextCursor, m.events+len(shown.Results)
			return out, nil
		},
	}
}

// eventPage is a page of the feed.
type eventPage struct {
	Results []struct {
		Data struct{ Item struct{ Title string } }
	}
	NextCursor string `json:"next_cursor"`
}

// feedState is the state of a feed: the events that a page has, and how many changes follow whose events no page has.
type feedState struct {
	Titles string
	Unread int
}

// model is a list that grows at its end. Each client reads the list from its beginning without leaving anything out. So together
// their pages say at which place an event is, and an event that is on no page comes after all others. A change is refused at
// any other place at once, or the search would try all orders of changes before it looks at the pages.
func (f *feed) model(ops []porcupine.Operation) porcupine.Model {
	places := map[string]int{}
	for _, op := range ops {
		if asked, ok := op.Input.(page); ok {
			for i, title := range titlesOf(op.Output.(events).Titles) {
				places[title] = asked.Place + i
			}
		}
	}
	return modelOf(feedState{}, func(now feedState, in, out any) (feedState, bool) {
		all := titlesOf(now.Titles)
		asked, ok := in.(page)
		if ok {
			from := min(asked.Place, len(all))
			shown := events{strings.Join(all[from:min(from+asked.Limit, len(all))], "")}
			return now, out == any(shown) && (now.Unread == 0 || from+asked.Limit <= len(all))
		}
		titles := titlesOf(in.(emit).Titles)
		place, read := places[titles[0]]
		switch {
		case !read && out == any(unknown{}):
			return now, true // it may as well have had no effect
		case !read:
			now.Unread++
			return now, len(all) >= len(places)
		}
		for i, title := range titles {
			if at, ok := places[title]; ok && at != place+i {
				return now, false
			}
		}
		now.Titles += in.(emit).Titles
		return now, place == len(all)
	})
}

// titlesOf are the titles in a text, each with the space behind it.
func titlesOf(text string) []string {
	all := strings.SplitAfter(text, " ")
	return all[:len(all)-1]
}
