package seller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"time"

	"sellerd/internal/command"
)

// listenState is the stored state of a listener. The file holds a secret, so only its owner can read it.
type listenState struct {
	Secret string `json:"secret"`
	// Cursor is where the feed goes on, empty for its beginning, and Forwarded the events behind it that were forwarded.
	Cursor    string   `json:"cursor,omitempty"`
	Forwarded []string `json:"forwarded_events,omitempty"`
	// From is the time from which the feed is read, to which the cursor belongs.
	From time.Time `json:"from,omitzero"`

	// What follows is of the releases before 1.3.0, which read the log of a paused subscription: the subscription, the creation
	// time of the newest delivery that was forwarded, and the deliveries that were forwarded shortly before it.
	Webhook             string               `json:"webhook_id,omitempty"`
	Through             time.Time            `json:"through,omitzero"`
	ForwardedDeliveries map[string]time.Time `json:"forwarded,omitempty"`
}

// lateness is how much later than a younger delivery an older one could appear in the log.
const lateness = 10 * time.Second

// takeOver goes on where a listener of an earlier release stopped, with the same secret, and deletes its subscription.
func (l *listener) takeOver(ctx context.Context) error {
	old := l.state
	state := listenState{Secret: old.Secret, From: old.Through.Add(-lateness)}
	query := url.Values{"webhook_id": {old.Webhook}, "created_from": {state.From.UTC().Format(time.RFC3339Nano)}, "limit": {strconv.Itoa(eventsAPage)}}
	for after := ""; ; {
		var page struct {
			Results []struct {
				ID      string `json:"id"`
				EventID string `json:"event_id"`
			} `json:"results"`
			NextCursor string `json:"next_cursor"` // empty at the end
		}
		if after != "" {
			query.Set("after", after)
		}
		if err := l.call(ctx, http.MethodGet, "/v1/webhook-deliveries?"+query.Encode(), &page); err != nil {
			return err
		}
		for _, d := range page.Results {
			if _, done := old.ForwardedDeliveries[d.ID]; done {
				state.Forwarded = append(state.Forwarded, d.EventID)
			}
		}
		if after = page.NextCursor; after == "" {
			break
		}
	}
	l.state = state
	if err := l.save(); err != nil {
		return err
	}
	err := l.call(ctx, http.MethodDelete, "/v1/webhooks/"+old.Webhook, nil)
	if refused, ok := errors.AsType[*refusedRequest](err); ok && refused.code == "webhook_not_found" {
		err = nil
	}
	return err
}

// loadListenState reads the state of an earlier listener; without a file it is the zero state.
func loadListenState(path string) (listenState, error) {
	var state listenState
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return state, nil
	}
	if err != nil {
		return state, err
	}
	if err := json.Unmarshal(text, &state); err != nil {
		return state, fmt.Errorf("%s does not hold a listener's state, delete it: %w", path, err)
	}
	return state, nil
}

// save writes the state.
func (s *listenState) save(path string) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := command.ReplaceFile(path, text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
