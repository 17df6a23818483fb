package client

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	longestWait    = 20 * time.Second // the most that the service holds a request for events
	waitMargin     = 5 * time.Second  // between the end of that wait and the end of the client's patience
	idlePause      = time.Second      // before the feed is asked again, if the service did not wait
	firstLook      = 250 * time.Millisecond
	longestLook    = 5 * time.Second  // between two looks at a submission
	publishedAfter = 16 * time.Minute // the service promises 15
)

// Walk walks through a list, from page to page. It ends after the first error.
func Walk[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		query := maps.Clone(query)
		for {
			var page struct {
				Results    []T     `json:"results"`
				NextCursor *string `json:"next_cursor"`
			}
			if err := c.Get(ctx, path, query, &page); err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, result := range page.Results {
				if !yield(result, nil) {
					return
				}
			}
			if page.NextCursor == nil {
				return
			}
			if query == nil {
				query = url.Values{}
			}
			query.Set("after", *page.NextCursor)
		}
	}
}

// EventPage has events of the feed, oldest first, and the cursor behind them. Store the cursor with what you made of the events.
type EventPage struct {
	Events []Event `json:"results"`
	Cursor string  `json:"next_cursor"`
	More   bool    `json:"has_more"`
}

// Event is an event, in the feed or as the body of a webhook's request.
type Event struct {
	ID        string    `json:"id"`
	Type      string    `json:"type"` // such as item.sold
	CreatedAt time.Time `json:"created_at"`
	Resource  struct {
		Type     string `json:"type"`
		ID       string `json:"id"`
		Sequence int64  `json:"sequence"` // counts the events of the resource from 1
	} `json:"resource"`
	Data json.RawMessage `json:"data"`
}

// Events reads the feed of events, page by page, from a cursor on: with "" from the oldest event, and with "latest" from now on. query has
// the filters, such as type, and may be nil. With follow it waits for events until the context ends; a page without events comes about
// every 20 seconds, or more often if Timeout or Deadline is below 25 seconds. Otherwise it ends where the feed ends. An Error with the code
// cursor_expired means that the cursor is older than the feed.
func (c *Client) Events(ctx context.Context, after string, follow bool, query url.Values) iter.Seq2[EventPage, error] {
	return func(yield func(EventPage, error) bool) {
		query := maps.Clone(query)
		if query == nil {
			query = url.Values{}
		}
		if follow {
			wait := max(0, min(longestWait, c.config.Timeout-waitMargin, c.config.Deadline-waitMargin))
			query.Set("wait", strconv.Itoa(int(wait/time.Second)))
		}
		for {
			if after != "" {
				query.Set("after", after)
			}
			var page EventPage
			began := c.config.Now()
			err := c.Get(ctx, "/v1/events", query, &page)
			if !yield(page, err) || err != nil {
				return
			}
			after = page.Cursor
			switch {
			case page.More:
			case !follow:
				return
			case len(page.Events) == 0 && c.config.Now().Sub(began) < idlePause: // the service did not wait
				if err := c.config.Sleep(ctx, idlePause); err != nil {
					yield(EventPage{}, err)
					return
				}
			}
		}
	}
}

// Submission is an item on its way to publication.
type Submission struct {
	ID     string  `json:"id"`
	Status string  `json:"status"`
	ItemID string  `json:"item_id"` // once published
	Errors []Entry `json:"errors"`
}

// WaitForSubmission waits until a submission is published, usually within a second, at most 15 minutes later. A rejected one is an Error
// with the reasons.
func (c *Client) WaitForSubmission(ctx context.Context, id string) (*Submission, error) {
	start := c.config.Now()
	for pause := firstLook; ; pause = min(2*pause, longestLook) {
		answer, err := c.Do(ctx, Request{Method: http.MethodGet, Path: "/v1/item-submissions/" + url.PathEscape(id)})
		if err != nil {
			return nil, err
		}
		var s Submission
		if err := json.Unmarshal(answer.Data, &s); err != nil {
			return nil, err
		}
		late := c.config.Now().Add(pause).Sub(start) > publishedAfter
		switch {
		case s.Status == "published":
			return &s, nil
		case s.Status == "rejected" && len(s.Errors) == 0:
			return nil, c.failed(answer, Entry{Code: "rejected", Message: "The item was rejected."})
		case s.Status == "rejected":
			return nil, c.failed(answer, s.Errors...)
		case late:
			return nil, c.failed(answer, Entry{Code: CodeNotFinished, Message: "The submission " + id + " is still pending."})
		}
		if err := c.config.Sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}
