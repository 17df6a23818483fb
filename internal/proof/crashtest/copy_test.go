package crashtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/crash"
	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/pgtest"
)

// TestACopyThatIsKilledGoesOn kills `sellerd copy` before it makes the tables, behind that, in the middle of a step, behind one, and in the
// middle of another. The next run goes on, and at the end both databases have the same digests. Until then no server starts on the copy.
// Then one does, and for its callers nothing has changed.
func TestACopyThatIsKilledGoesOn(t *testing.T) {
	program := blackbox.DyingProgram(t, crash.Variable, crash.ClockVariable)
	sqlite := func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "sellerd.db") }
	postgres := func(t *testing.T) string { return pgtest.URL(t, nil) }
	for _, direction := range []struct {
		name     string
		from, to func(*testing.T) string
	}{{"SQLite to PostgreSQL", sqlite, postgres}, {"PostgreSQL to SQLite", postgres, sqlite}, {"SQLite to SQLite", sqlite, sqlite}} {
		t.Run(direction.name, func(t *testing.T) {
			t.Parallel()
			from, to := direction.from(t), direction.to(t)
			s := newCopyStage(t, program, from)
			before := s.view(t)
			s.server.Stop(t)

			deaths := []struct {
				point crash.Point
				count int
			}{{crash.AfterCopyMark, 1}, {crash.AfterCopySchema, 1}, {crash.AfterCopySchema, 1}, {crash.MidCopy, 3}, {crash.AfterCopyStep, 5}, {crash.MidCopy, 4}}
			for _, d := range deaths {
				s.server.DieAt(t, string(d.point), d.count)
				if _, err := s.server.Command("copy", "--from", from, "--to", to); !blackbox.Killed(err) {
					t.Fatalf("the copy was not killed, but ended with: %v", err)
				}
				s.server.Live(t)
				said := blackbox.NewServer(t, to).StartToFail(t)
				if !strings.Contains(said, "the database in --db is an unfinished copy") {
					t.Errorf("a server on an unfinished copy said: %s", said)
				}
			}
			out, err := s.server.Command("copy", "--from", from, "--to", to)
			if err != nil {
				t.Fatalf("the last run: %v", err)
			}
			rows, resumed := 0, 0
			for line := range strings.Lines(string(out)) {
				_, _ = fmt.Sscanf(line, "%d rows of", &rows)
				_, _ = fmt.Sscanf(line, "an earlier run had copied %d", &resumed)
			}
			if rows == 0 || resumed == 0 || resumed >= rows {
				t.Errorf("the last run did not go on, but said:\n%s", out)
			}
			if out, err := s.server.Command("copy", "--compare", "--from", from, "--to", to); err != nil {
				t.Errorf("the databases are compared once more: %v\n%s", err, out)
			}
			s.goOn(t, to, before)
			blackbox.Record(t, blackbox.Figure{
				Number: "F8", What: fmt.Sprintf("`sellerd copy` killed %d times, %s", len(deaths), direction.name),
				Aim:      "resumes, hashes equal, and for callers nothing has changed",
				Measured: fmt.Sprintf("%d of %d rows were there before the last run, all tables equal", resumed, rows),
				Reached:  !t.Failed(),
			})
		})
	}
}

// copyStage is a seller whose database is copied.
type copyStage struct {
	server   *blackbox.Server
	seller   *blackbox.Seller
	receiver *blackbox.Receiver
	items    []string
	cursor   string // in the middle of the feed of events
}

// firstKey is the idempotency key of a request before the copy.
const firstKey = "before-the-copy"

func newCopyStage(t *testing.T, program, database string) *copyStage {
	t.Helper()
	s := &copyStage{receiver: blackbox.NewReceiver(t, nil), server: blackbox.NewServer(t, database).Of(program)}
	s.server.Start(t)
	s.seller = blackbox.NewSeller(t, s.server, "mover")
	s.seller.Fresh = true
	s.seller.Subscribe(t, s.receiver, "all")
	s.items = s.seller.Publish(t, 120)
	for _, item := range s.items[:20] {
		s.buy(t, s.server, item)
	}
	if first := s.list(t); first.Replayed {
		t.Error("the first request was replayed")
	}
	s.settle(t)
	page := blackbox.Call[struct {
		NextCursor string `json:"next_cursor"`
	}](t, s.seller.Client, http.MethodGet, "/v1/events?limit=50", nil)
	s.cursor = page.NextCursor
	return s
}

// list submits an item under the same key each time.
func (s *copyStage) list(t *testing.T) blackbox.Answer {
	t.Helper()
	body, err := json.Marshal(blackbox.Item("keyed"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.seller.Do(http.MethodPost, "/v1/items", firstKey, body)
	if err != nil || got.Status != http.StatusAccepted {
		t.Fatalf("submit an item: %d %s %v", got.Status, got.Errors, err)
	}
	return got
}

func (s *copyStage) buy(t *testing.T, server *blackbox.Server, item string) {
	t.Helper()
	blackbox.Operate[struct{ ID string }](t, server, http.MethodPost, "/operator/items/"+item+"/purchases", map[string]any{
		"buyer": map[string]any{"nickname": "carl", "country": "BE"},
	})
}

// settle waits until nothing is left to be published or delivered.
func (s *copyStage) settle(t *testing.T) {
	t.Helper()
	blackbox.Eventually(t, stageLimit, "everything is published", func() bool {
		for item := range blackbox.Walk[item](t, s.seller.Client, "/v1/items?limit=200") {
			if item.Reference == "keyed" {
				return true
			}
		}
		return false
	})
	s.seller.AwaitDelivered(t, stageLimit)
}

// itemPage begins the address of a test item.
var itemPage = regexp.MustCompile(`http://localhost:[0-9]+/item/`)

// view is what a caller sees of everything.
func (s *copyStage) view(t *testing.T) map[string][]string {
	t.Helper()
	view := map[string][]string{}
	for _, path := range []string{
		"/v1/items?limit=50", "/v1/sales?limit=50", "/v1/bills?limit=50", "/v1/webhooks?limit=50", "/v1/webhook-deliveries?limit=200",
		"/v1/items?limit=50&q=ceres", "/v1/events?limit=50&after=" + url.QueryEscape(s.cursor),
	} {
		if strings.Contains(path, "after=") { // one page, of a cursor of the source
			page := blackbox.Call[struct{ Results []json.RawMessage }](t, s.seller.Client, http.MethodGet, path, nil)
			for _, row := range page.Results {
				view[path] = append(view[path], string(row))
			}
			continue
		}
		for row := range blackbox.Walk[json.RawMessage](t, s.seller.Client, path) {
			view[path] = append(view[path], string(row))
		}
	}
	for path, rows := range view {
		if len(rows) == 0 {
			t.Errorf("%s shows nothing", path)
		}
		for i := range rows { // test items lead to a page of the server, and the copy has another server
			rows[i] = itemPage.ReplaceAllString(rows[i], "$$BASE/item/")
		}
	}
	return view
}

// goOn starts a server on the copy, and expects that nothing has changed for callers and that everything goes on.
func (s *copyStage) goOn(t *testing.T, database string, before map[string][]string) {
	t.Helper()
	server := blackbox.NewServer(t, database)
	server.Start(t)
	s.seller.Server = server
	if diff := cmp.Diff(before, s.view(t)); diff != "" {
		t.Errorf("what callers see (-source +copy):\n%s", diff)
	}
	if again := s.list(t); !again.Replayed {
		t.Error("a key of the source does not replay its answer")
	}
	arrived := len(s.receiver.Receipts())
	added := s.seller.Publish(t, 3)
	for _, id := range added {
		if slices.Contains(s.items, id) {
			t.Errorf("the number %s was given twice", id)
		}
	}
	s.buy(t, server, s.items[0])
	s.settle(t)
	blackbox.Eventually(t, 10*time.Second, "the webhook gets the events of the copy", func() bool { return len(s.receiver.Receipts()) >= arrived+4 })
	checkOrder(t, s.receiver.Receipts())
}
