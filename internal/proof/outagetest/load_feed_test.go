package outagetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"sellerd/internal/proof/blackbox"
)

// feedReader follows the feed of events at one server, through whatever happens to it.
type feedReader struct {
	client blackbox.Client
	cursor string
	events []feedEvent
}

type feedEvent struct {
	ID       string
	Resource struct {
		Type, ID string
		Sequence int64
	}
}

// read reads one page behind the last one, and says whether there was anything. Without an answer nothing is read.
func (f *feedReader) read(wait int) (some bool, err error) {
	path := fmt.Sprintf("/v1/events?limit=100&wait=%d", wait)
	if f.cursor != "" {
		path += "&after=" + url.QueryEscape(f.cursor)
	}
	got, err := f.client.Do(http.MethodGet, path, "", nil)
	if err != nil {
		return false, err
	}
	if got.Status != http.StatusOK {
		return false, fmt.Errorf("the feed answers %d %s", got.Status, got.Errors)
	}
	var page struct {
		Results    []feedEvent
		NextCursor string `json:"next_cursor"`
	}
	if err := json.Unmarshal(got.Data, &page); err != nil {
		return false, err
	}
	f.events, f.cursor = append(f.events, page.Results...), page.NextCursor
	return len(page.Results) > 0, nil
}

// follow starts a reader of the feed at each server. finish ends them once they have read everything.
func (l *load) follow(ctx context.Context, t *testing.T) (finish func() []*feedReader) {
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	readers := make([]*feedReader, len(l.servers))
	for i, server := range l.servers {
		f := &feedReader{client: blackbox.Client{Server: server, Key: l.seller.Key, Fresh: true}}
		readers[i] = f
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := f.read(2); err != nil {
					time.Sleep(retryEvery) // an outage; how it is answered is checked by the clients
				}
			}
		})
	}
	t.Cleanup(stop)
	return func() []*feedReader {
		stop()
		all.Wait()
		for _, f := range readers {
			for {
				some, err := f.read(0)
				if err != nil {
					t.Fatal(err)
				}
				if !some {
					break
				}
			}
		}
		return readers
	}
}

// checkFeed compares what each reader of the feed has with the log of the webhook and with what the receiver got: the same events,
// each once, those of a resource in order, beginning with 1 and without a gap.
func (l *load) checkFeed(t *testing.T, readers []*feedReader, r *blackbox.Receiver) {
	t.Helper()
	var logged, received []string
	for _, d := range l.seller.Deliveries(t, "") {
		logged = append(logged, d.EventID)
	}
	for _, receipt := range r.Receipts() {
		received = append(received, receipt.Event)
	}
	for _, ids := range []*[]string{&logged, &received} {
		slices.Sort(*ids)
		*ids = slices.Compact(*ids) // an event may be sent more than once
	}
	if !slices.Equal(logged, received) {
		t.Errorf("the log of the webhook has %d events, and %d arrived", len(logged), len(received))
	}
	for n, f := range readers {
		var ids []string
		last := map[string]int64{}
		for _, e := range f.events {
			ids = append(ids, e.ID)
			resource := e.Resource.Type + "/" + e.Resource.ID
			if e.Resource.Sequence != last[resource]+1 {
				t.Errorf("reader %d: event %d of %s follows event %d", n, e.Resource.Sequence, resource, last[resource])
			}
			last[resource] = e.Resource.Sequence
		}
		slices.Sort(ids)
		if !slices.Equal(ids, logged) {
			t.Errorf("reader %d: the feed has %d events, %d of them different, and the log of the webhook %d", n, len(ids), len(slices.Compact(slices.Clone(ids))), len(logged))
		}
	}
}
