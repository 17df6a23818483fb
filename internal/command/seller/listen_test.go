package seller

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"sellerd/internal/proof/servertest"
	"sellerd/v1"
)

// desk is a developer's machine: a receiver, and the command with its file and what it prints.
type desk struct {
	shop
	receiver *httptest.Server
	command  Listen
	printed  bytes.Buffer

	mu      sync.Mutex
	arrived []arrival
	answers []int // the receiver's next answers; 0 breaks the connection, and 200 follows at the end
}

type arrival struct {
	header http.Header
	body   string
}

// newDesk is a machine beside a shop whose answers are dated by the shop's clock.
func newDesk(t *testing.T, around func(http.Handler) http.Handler) *desk {
	t.Helper()
	var clock v1.Clock
	s := newShop(t, func(h http.Handler) http.Handler {
		clock := clock
		return around(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", clock.Now().Format(http.TimeFormat))
			h.ServeHTTP(w, r)
		}))
	}, func(c *v1.Config) { clock = c.Clock })
	d := &desk{shop: s}
	d.receiver = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.arrived = append(d.arrived, arrival{r.Header, string(body)})
		if len(d.answers) == 0 {
			return
		}
		status := d.answers[0]
		d.answers = d.answers[1:]
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
	}))
	t.Cleanup(d.receiver.Close)
	d.command = Listen{
		ForwardTo: d.receiver.URL, Events: []string{"*"}, BaseURL: s.url, Key: s.Key, State: filepath.Join(t.TempDir(), "listen.json"),
	}
	return d
}

// listener is one run of the command. Whenever it waits, idle is called instead.
func (d *desk) listener(t *testing.T, idle func() error) *listener {
	t.Helper()
	client, err := newAPIClient(d.command.BaseURL, d.command.Key, startPatience, d.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	client.Sleep = func(context.Context, time.Duration) error { return idle() }
	l := newListener(client, &d.command, &console{out: &d.printed})
	l.wait = 0 // the service's wait is real time
	return l
}

// begun is a listener that has begun and never has to wait.
func (d *desk) begun(t *testing.T) *listener {
	t.Helper()
	l := d.listener(t, func() error { return errors.New("there was a reason to wait") })
	if err := l.begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	return l
}

// poll forwards all that is new.
func (d *desk) poll(t *testing.T, l *listener) {
	t.Helper()
	for {
		found, err := l.poll(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if found == 0 {
			return
		}
	}
}

// took returns what has arrived since it was last called.
func (d *desk) took() []arrival {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := d.arrived
	d.arrived = nil
	return all
}

// ids are the events' ids.
func ids(arrived []arrival) []string {
	list := []string{}
	for _, a := range arrived {
		list = append(list, a.header.Get("Webhook-Id"))
	}
	return list
}

// feed has all events, the oldest first.
func (d *desk) feed(t *testing.T) (all []feedEvent) {
	t.Helper()
	for after := ""; ; {
		page := servertest.Into[eventPage](t, d.Do(t, servertest.Request{Path: "/v1/events?limit=200" + after}))
		for _, body := range page.Results {
			event := feedEvent{body: body}
			if err := json.Unmarshal(body, &event); err != nil {
				t.Fatal(err)
			}
			all = append(all, event)
		}
		if len(page.Results) == 0 {
			return all
		}
		after = "&after=" + page.NextCursor
	}
}

func (d *desk) feedIDs(t *testing.T) []string {
	t.Helper()
	list := []string{}
	for _, event := range d.feed(t) {
		list = append(list, event.ID)
	}
	return list
}

func (d *desk) post(t *testing.T, path string, body any) {
	t.Helper()
	if answer := d.Do(t, servertest.Request{Method: http.MethodPost, Path: path, Body: body}); answer.Status/100 != 2 {
		t.Fatalf("%s: %d %s", path, answer.Status, answer.Body)
	}
}

func TestListenForwardsEventsAsAWebhookWould(t *testing.T) {
	d := newDesk(t, plainly)
	l := d.begun(t)
	item := d.List(t, servertest.FixedPrice())
	d.post(t, "/v1/test/items/"+item+"/purchase", nil)
	d.List(t, servertest.Auction())
	d.poll(t, l)

	got := d.took()
	want := d.feed(t)
	if len(got) != 3 || len(want) != 3 {
		t.Fatalf("%d events were forwarded, the feed has %d, want 3", len(got), len(want))
	}
	verifier, err := standardwebhooks.NewWebhook(l.state.Secret)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		if a.body != string(want[i].body) || a.header.Get("Webhook-Id") != want[i].ID {
			t.Errorf("event %d is %s %s\nwant %s %s", i, a.header.Get("Webhook-Id"), a.body, want[i].ID, want[i].body)
		}
		if err := verifier.VerifyIgnoringTimestamp([]byte(a.body), a.header); err != nil {
			t.Errorf("event %d: %v", i, err)
		}
		if at := a.header.Get("Webhook-Timestamp"); at != fmt.Sprint(d.Clock.Now().Unix()) {
			t.Errorf("event %d was signed at %s", i, at)
		}
	}
	if lines := d.printed.String(); strings.Count(lines, "\n") != 3 || !strings.Contains(lines, "item.sold         item "+item+" #2") ||
		!strings.Contains(lines, "  200  0 ms\n") {
		t.Errorf("it prints\n%s", lines)
	}
	if d.poll(t, l); len(d.took()) != 0 {
		t.Error("a second look forwards something again")
	}
}

func TestListenForwardsABacklogInOrder(t *testing.T) {
	d := newDesk(t, plainly)
	l := d.begun(t)
	for range 5 {
		items := make([]any, 100)
		for i := range items {
			items[i] = servertest.FixedPrice()
		}
		d.post(t, "/v1/item-batches", map[string]any{"items": items})
		d.Publish(t)
		d.Clock.Advance(time.Millisecond)
	}
	d.poll(t, l)
	got := ids(d.took())
	if len(got) != 500 {
		t.Errorf("%d of 500 events were forwarded", len(got))
	}
	if diff := cmp.Diff(d.feedIDs(t), got); diff != "" {
		t.Error(diff)
	}
	d.List(t, servertest.FixedPrice())
	if d.poll(t, l); len(d.took()) != 1 {
		t.Error("after a burst, the next event is not forwarded alone")
	}
}

func TestListenGoesOnWhereItStopped(t *testing.T) {
	d := newDesk(t, plainly)
	first := d.begun(t)
	d.List(t, servertest.FixedPrice())
	d.poll(t, first)
	before := ids(d.took())
	d.Clock.Advance(time.Hour)
	d.poll(t, first) // and the state is saved
	d.List(t, servertest.FixedPrice())

	t.Run("a second run forwards the events since then, signed with the same secret", func(t *testing.T) {
		second := d.begun(t)
		d.poll(t, second)
		if diff := cmp.Diff(d.feedIDs(t), append(before, ids(d.took())...)); diff != "" {
			t.Error(diff)
		}
		if second.state.Secret != first.state.Secret {
			t.Error("the secret changed")
		}
	})
	t.Run("other events are forwarded from there on", func(t *testing.T) {
		d.command.Events = []string{"sale.*", "item.sold"}
		l := d.begun(t)
		item := d.List(t, servertest.FixedPrice())
		d.post(t, "/v1/test/items/"+item+"/purchase", nil)
		if d.poll(t, l); len(d.took()) != 1 {
			t.Error("want the sale and no other")
		}
		d.command.Events = []string{"*"}
	})
	t.Run("after a crash within a page, what was forwarded is not forwarded again", func(t *testing.T) {
		l := d.begun(t)
		d.poll(t, l)
		d.took()
		d.List(t, servertest.FixedPrice())
		d.List(t, servertest.FixedPrice())
		all := d.feedIDs(t)
		l.state.Forwarded = all[len(all)-2 : len(all)-1]
		if err := l.save(); err != nil {
			t.Fatal(err)
		}
		d.poll(t, d.begun(t))
		if diff := cmp.Diff(all[len(all)-1:], ids(d.took())); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("without its file it has a new secret and forwards what comes from now on", func(t *testing.T) {
		if err := os.Remove(d.command.State); err != nil {
			t.Fatal(err)
		}
		d.Clock.Advance(time.Hour)
		third := d.begun(t)
		if third.state.Secret == first.state.Secret {
			t.Error("want another secret")
		}
		d.List(t, servertest.FixedPrice())
		if d.poll(t, third); len(d.took()) != 1 {
			t.Error("want the new event and no other")
		}
	})
	t.Run("when events are no longer kept, it says so and goes on", func(t *testing.T) {
		fourth := d.begun(t)
		d.Clock.Advance(31 * 24 * time.Hour)
		d.List(t, servertest.FixedPrice())
		if d.poll(t, fourth); len(d.took()) != 1 || !strings.Contains(d.printed.String(), "no longer kept") {
			t.Errorf("it prints %q", d.printed.String())
		}
	})
	t.Run("its file is its owner's alone", func(t *testing.T) {
		if info, err := os.Stat(d.command.State); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v, %v", info.Mode(), err)
		}
	})
}

func TestForwardedNamesOfHeadersAreTheServicesOwn(t *testing.T) {
	d := newDesk(t, plainly)
	receiver := servertest.NewWiretap(t)
	d.command.ForwardTo = receiver.URL
	l := d.begun(t)
	d.List(t, servertest.FixedPrice())
	d.poll(t, l)
	want := []string{"Host", "User-Agent", "Content-Length", "Content-Type", "webhook-id", "webhook-signature", "webhook-timestamp", "Accept-Encoding"}
	if diff := cmp.Diff(want, receiver.HeaderNames()); diff != "" {
		t.Errorf("on the wire (-want +got):\n%s", diff)
	}
}

func TestListenLeavesEventsOut(t *testing.T) {
	d := newDesk(t, plainly)
	item := d.List(t, servertest.FixedPrice())
	second := d.NewKey(t, d.Account, "test")
	d.command.NotKeyID, d.command.Changed = []string{strings.Split(second, "_")[2]}, []string{"title", "price"}
	l := d.begun(t)
	for _, change := range []struct {
		key, body string
	}{
		{d.Key, `{"title":"Own"}`}, {d.Key, `{"personal_reference":"A-1"}`}, {second, `{"title":"Of another key"}`}, {d.Key, `{"title":"Own again"}`},
	} {
		if got := d.Do(t, servertest.Request{Method: "PATCH", Path: "/v1/items/" + item, Body: change.body, Key: change.key}); got.Status != http.StatusOK {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	d.poll(t, l)
	feed := d.feed(t) // whose first event is the publication
	if diff := cmp.Diff([]string{feed[1].ID, feed[4].ID}, ids(d.took())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	d.command.Changed = nil
	l = d.begun(t)
	const want = "belongs to other --not-key-id or --changed: give the same ones again, or delete the file"
	if _, err := l.poll(t.Context()); err == nil || !strings.HasSuffix(err.Error(), want) {
		t.Errorf("with other flags: %v", err)
	}
}
