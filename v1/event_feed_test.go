package v1_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/hooks"
)

// eventPage is a page of the feed.
type eventPage struct {
	Results    []json.RawMessage `json:"results"`
	NextCursor string            `json:"next_cursor"`
	HasMore    bool              `json:"has_more"`
}

// shownEvent is what the tests read of an event.
type shownEvent struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Resource struct {
		ID       string `json:"id"`
		Sequence int    `json:"sequence"`
	} `json:"resource"`
}

func feedPage(t *testing.T, w *servertest.World, query string) eventPage {
	t.Helper()
	got := w.Do(t, servertest.Request{Path: "/v1/events?" + query})
	if got.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", query, got.Status, got.Body)
	}
	return servertest.Into[eventPage](t, got)
}

// kinds are the types of a page's events, with their resources.
func kinds(t *testing.T, page eventPage) []string {
	t.Helper()
	out := []string{}
	for _, body := range page.Results {
		var e shownEvent
		if err := json.Unmarshal(body, &e); err != nil {
			t.Fatal(err)
		}
		out = append(out, e.Type+" "+e.Resource.ID)
	}
	return out
}

func TestTheFeedIsWhatWebhooksGet(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		s := servertest.NewReceiver(t)
		hook := w.Subscribe(t, object{"url": s.URL})
		for range 3 {
			w.Close(t, w.List(t, servertest.FixedPrice()))
		}
		w.Schedule(t, "/v1/webhooks/"+hook.ID+"/test", nil) // made up, so not in the feed
		servertest.DeliverAll(t, w.Service)
		var want []string
		for _, a := range s.Take() {
			want = append(want, a.Body)
		}
		if len(want) != 7 {
			t.Fatalf("%d arrived", len(want))
		}
		var got []string
		for query := "limit=4"; ; {
			page := feedPage(t, w, query)
			for _, body := range page.Results {
				got = append(got, string(body))
			}
			query = "limit=4&after=" + page.NextCursor
			if !page.HasMore {
				break
			}
		}
		if len(got) != 6 {
			t.Fatalf("the feed has %d events", len(got))
		}
		for _, body := range got {
			if !slices.Contains(want, body) {
				t.Errorf("no webhook got these bytes: %s", body)
			}
			var e shownEvent
			if err := json.Unmarshal([]byte(body), &e); err != nil {
				t.Fatal(err)
			}
			one := w.Do(t, servertest.Request{Path: "/v1/events/" + e.ID})
			if diff := cmp.Diff(body, string(one.Data)); diff != "" || one.Status != http.StatusOK {
				t.Errorf("read alone: %d %s", one.Status, diff)
			}
			if other := w.Do(t, servertest.Request{Path: "/v1/events/" + e.ID, Key: w.LiveKey}); !slices.Equal(other.Codes(), []string{"event_not_found"}) {
				t.Errorf("with a live key: %v", other.Codes())
			}
		}
	})
}

func TestAReaderOfTheFeedGoesOnWhereItWas(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		empty := feedPage(t, w, "")
		latest := feedPage(t, w, "after=latest")
		if len(empty.Results) != 0 || empty.HasMore || empty.NextCursor == "" || latest.NextCursor == "" {
			t.Fatalf("an empty feed: %+v, %+v", empty, latest)
		}
		first, second := w.List(t, servertest.FixedPrice()), w.List(t, servertest.FixedPrice())
		want := []string{"item.published " + first, "item.published " + second}
		for name, cursor := range map[string]string{"of the beginning": empty.NextCursor, "of the end": latest.NextCursor} {
			if diff := cmp.Diff(want, kinds(t, feedPage(t, w, "after="+cursor))); diff != "" {
				t.Errorf("behind the cursor %s: %s", name, diff)
			}
		}
		one := feedPage(t, w, "limit=1")
		if diff := cmp.Diff(want[:1], kinds(t, one)); diff != "" || !one.HasMore {
			t.Errorf("the first: %v %s", one.HasMore, diff)
		}
		two := feedPage(t, w, "limit=1&after="+one.NextCursor)
		if diff := cmp.Diff(want[1:], kinds(t, two)); diff != "" || two.HasMore {
			t.Errorf("the second: %v %s", two.HasMore, diff)
		}
		if got := kinds(t, feedPage(t, w, "after=latest")); len(got) != 0 {
			t.Errorf("behind the end: %v", got)
		}
		w.Close(t, first)
		w.Close(t, second)
		for query, want := range map[string][]string{
			"type=item.closed": {"item.closed " + first, "item.closed " + second},
			"type=item.closed,item.published&resource_id=" + first: {"item.published " + first, "item.closed " + first},
			"type=item.*&resource_id=" + second:                    {"item.published " + second, "item.closed " + second},
			"resource_id=" + first + "," + second + "&limit=1":     {"item.published " + first},
			"resource_id=0":                            {},
			"type=payment.received":                    {},
			"type=*&created_from=2030-01-01T00:00:00Z": {},
			"type=*&limit=3":                           {"item.published " + first, "item.published " + second, "item.closed " + first},
		} {
			if diff := cmp.Diff(want, kinds(t, feedPage(t, w, query))); diff != "" {
				t.Errorf("%s: %s", query, diff)
			}
		}
	})
}

func TestCursorsOfTheFeedAreRefusedElsewhere(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.List(t, servertest.FixedPrice())
		w.List(t, servertest.FixedPrice())
		mid, end := feedPage(t, w, "limit=1").NextCursor, feedPage(t, w, "").NextCursor
		_, other, _ := w.Seller(t, "berta")
		for name, test := range map[string]struct{ path, key, want string }{
			"another account":       {"/v1/events?after=" + mid, other, "cursor_mismatch after"},
			"the other mode":        {"/v1/events?after=" + end, w.LiveKey, "cursor_mismatch after"},
			"other filters":         {"/v1/events?type=item.sold&after=" + mid, "", "cursor_mismatch after"},
			"another time":          {"/v1/events?created_from=2026-01-01T00:00:00Z&after=" + mid, "", "cursor_mismatch after"},
			"another list":          {"/v1/items?after=" + mid, "", "cursor_mismatch after"},
			"a damaged one":         {"/v1/events?after=" + mid[:20], "", "invalid_cursor after"},
			"a wait that is longer": {"/v1/events?wait=21", "", "invalid_parameter wait"},
			"a wait of less":        {"/v1/events?wait=-1", "", "invalid_parameter wait"},
			"a page of none":        {"/v1/events?limit=0", "", "invalid_parameter limit"},
			"a page of more":        {"/v1/events?limit=201", "", "invalid_parameter limit"},
			"an unknown event":      {"/v1/events?type=item.stolen", "", "invalid_parameter type"},
			"no event":              {"/v1/events/evt_1", "", "event_not_found"},
			"no id":                 {"/v1/events/1", "", "event_not_found"},
		} {
			if got := w.Do(t, servertest.Request{Path: test.path, Key: test.key}); !slices.Equal(got.Codes(), []string{test.want}) {
				t.Errorf("%s: %d %v", name, got.Status, got.Codes())
			}
		}
		w.Clock.Advance(hooks.EventRetention)
		for _, cursor := range []string{mid, end} {
			feedPage(t, w, "after="+cursor) // to the instant
		}
		w.Clock.Advance(time.Second)
		for name, cursor := range map[string]string{"of an event": mid, "of the end": end} {
			got := w.Do(t, servertest.Request{Path: "/v1/events?after=" + cursor})
			if diff := cmp.Diff([]string{"cursor_expired after"}, got.Codes()); diff != "" || got.Status != http.StatusGone || !strings.Contains(got.Errors[0].Message, "updated_from") {
				t.Errorf("a cursor %s that is too old: %d %s", name, got.Status, got.Body)
			}
		}
		if page := feedPage(t, w, ""); len(page.Results) != 0 {
			t.Errorf("events are shown for longer than they are kept: %v", kinds(t, page))
		}
	})
}

func TestACursorDoesNotAgeWhileNothingHappens(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		w.List(t, servertest.FixedPrice())
		cursor := feedPage(t, w, "").NextCursor
		for range 5 {
			w.Clock.Advance(20 * 24 * time.Hour)
			cursor = feedPage(t, w, "after="+cursor).NextCursor
		}
		item := w.List(t, servertest.FixedPrice())
		if diff := cmp.Diff([]string{"item.published " + item}, kinds(t, feedPage(t, w, "after="+cursor))); diff != "" {
			t.Error(diff)
		}
	})
}

// waitFor asks for events on another goroutine, and returns when the request waits.
func waitFor(t *testing.T, w *servertest.World, ctx context.Context, query string) (answer <-chan *httptest.ResponseRecorder) {
	t.Helper()
	answered := make(chan *httptest.ResponseRecorder, 1)
	before := w.Service.Waiters.Count()
	go func() {
		r := httptest.NewRequestWithContext(ctx, "GET", "/v1/events?"+query, nil)
		r.Header.Set("X-Api-Key", w.Key)
		recorder := httptest.NewRecorder()
		w.Server.Public.ServeHTTP(recorder, r)
		answered <- recorder
	}()
	for w.Service.Waiters.Count() == before {
		select {
		case early := <-answered:
			t.Fatalf("it does not wait: %d %s", early.Code, early.Body)
		case <-time.After(time.Millisecond):
		}
	}
	return answered
}

func TestAReaderIsWokenByACommit(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		cursor := feedPage(t, w, "").NextCursor
		answered := waitFor(t, w, t.Context(), "wait=20&after="+cursor)
		w.Close(t, item)
		if got := <-answered; got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "item.closed") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
		if n := w.Service.Waiters.Count(); n != 0 {
			t.Errorf("%d wait", n)
		}
	})
}

// While a call waits, the time of its key's last use is stored, which changes the key's row.
func TestAReaderFromNowOnGetsTheEventThatWakesIt(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		feedPage(t, w, "") // now the key's row is remembered
		answered := waitFor(t, w, t.Context(), "wait=20&after=latest")
		storeUse(t, w)
		w.Close(t, item)
		if got := <-answered; got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "item.closed") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

func TestAReaderWaitsAlthoughTheRowOfItsKeyHasJustChanged(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		item := w.List(t, servertest.FixedPrice())
		feedPage(t, w, "") // now the key's row is remembered
		storeUse(t, w)
		answered := waitFor(t, w, t.Context(), "wait=20&after=latest")
		w.Close(t, item)
		if got := <-answered; got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "item.closed") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	})
}

// storeUse stores that the key was used a microsecond after the start.
func storeUse(t *testing.T, w *servertest.World) {
	t.Helper()
	err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
		return tx.APIKey.UpdateOneID(strings.Split(w.Key, "_")[2]).SetLastUsedAt(servertest.Start.UnixMicro() + 1).Exec(ctx)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAReaderIsWokenByACommitOfAnotherProcess(t *testing.T) {
	url := servertest.Postgres(t)
	w := servertest.New(t, url)
	item := w.List(t, servertest.FixedPrice())
	other, err := v1.New(w.Config) // shares the database, and nothing in memory
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time, the process knows the owner's last change
		answered := waitFor(t, w, t.Context(), "wait=20&after=latest")
		caller, err := other.Authenticate(t.Context(), w.Key)
		if err != nil {
			t.Fatal(err)
		}
		call := &v1.Call{Caller: caller}
		in, err := v1.UpdateItem.Input(call, map[string]string{"id": item}, "", []byte(`{"personal_reference":"`+time.Now().String()+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v1.UpdateItem.Call(t.Context(), other, call, in); err != nil {
			t.Fatal(err)
		}
		if got := <-answered; got.Code != http.StatusOK || !strings.Contains(got.Body.String(), "item.updated") {
			t.Errorf("%d %s", got.Code, got.Body)
		}
	}
}

func TestAWaitEnds(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		leaving, leave := context.WithCancel(t.Context())
		left := waitFor(t, w, leaving, "wait=20")
		leave()
		<-left
		if got := feedPage(t, w, "wait=1"); len(got.Results) != 0 || got.NextCursor == "" {
			t.Errorf("after a second: %+v", got)
		}
		revoked := waitFor(t, w, t.Context(), "wait=20")
		stays := w.NewKey(t, w.Account, "test")
		revoke(t, w, w.Key)
		w.Key = stays
		w.List(t, servertest.FixedPrice())
		if got := <-revoked; got.Code != http.StatusUnauthorized {
			t.Errorf("with a key that was revoked meanwhile: %d %s", got.Code, got.Body)
		}
		ended := waitFor(t, w, t.Context(), "wait=20&after=latest")
		w.Service.EndWaits()
		if got := <-ended; got.Code != http.StatusOK || !strings.Contains(got.Body.String(), `"results":[]`) {
			t.Errorf("when the server ends: %d %s", got.Code, got.Body)
		}
		feedPage(t, w, "wait=20&after=latest") // answers at once
		if n := w.Service.Waiters.Count(); n != 0 {
			t.Errorf("%d wait", n)
		}
	})
}

// revoke revokes a key.
func revoke(t *testing.T, w *servertest.World, key string) {
	t.Helper()
	got := w.DoOperator(t, servertest.Request{Method: http.MethodDelete, Path: "/operator/keys/" + strings.Split(key, "_")[2]})
	if got.Status != http.StatusOK {
		t.Fatalf("revoke: %d %s", got.Status, got.Body)
	}
}

// TestTheOrderOfTheFeedIsThatOfCommits has two processes with different clocks change an item in turn. Their ids, which come
// from the clocks, are in no order.
func TestTheOrderOfTheFeedIsThatOfCommits(t *testing.T) {
	w := servertest.New(t, servertest.Postgres(t))
	late := w.Config
	late.Clock = &servertest.Clock{}
	late.Clock.(*servertest.Clock).Advance(servertest.Start.Add(-time.Minute).Sub(time.Time{}))
	other, err := v1.New(late)
	if err != nil {
		t.Fatal(err)
	}
	item := w.List(t, servertest.FixedPrice())
	cursor := feedPage(t, w, "").NextCursor
	var ids []string
	for n := range 6 {
		service := []*v1.Service{w.Service, other}[n%2]
		caller, err := service.Authenticate(t.Context(), w.Key)
		if err != nil {
			t.Fatal(err)
		}
		call := &v1.Call{Caller: caller}
		in, err := v1.UpdateItem.Input(call, map[string]string{"id": item}, "", []byte(fmt.Sprintf(`{"title":"Title %d"}`, n)))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v1.UpdateItem.Call(t.Context(), service, call, in); err != nil {
			t.Fatal(err)
		}
		page := feedPage(t, w, "after="+cursor) // a reader that never misses a change
		cursor = page.NextCursor
		for _, body := range page.Results {
			var e shownEvent
			if err := json.Unmarshal(body, &e); err != nil {
				t.Fatal(err)
			}
			if e.Resource.Sequence != n+2 {
				t.Errorf("change %d is followed by event %d", n, e.Resource.Sequence)
			}
			ids = append(ids, e.ID)
		}
	}
	if len(ids) != 6 || slices.IsSorted(ids) {
		t.Errorf("an order by id would do as well: %v", ids)
	}
}
