package legacy_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate"
	"sellerd/translate/command"
)

// TestASampleAndItsTwinLeaveEqualDatabases runs every sample of every call through /rest in one world, and what the tables
// say it means through /v1 in another one. Both must have done the same.
func TestASampleAndItsTwinLeaveEqualDatabases(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		expectParity(t, table, newStage(t, newWorld(t, database(t))), newStage(t, newWorld(t, database(t))))
	})
}

// answersOtherwise are calls whose status may differ from their twin's, as the guide says: a bulk answers for each entry
// even when all are refused, and a reference that nothing carries is an empty list in /v1.
var answersOtherwise = map[string]bool{"item-bulk": true, "item-by-reference": true}

func expectParity(t *testing.T, table *translate.Table, old, twin *stage) {
	t.Helper()
	changed := 0
	for _, plan := range table.Plans {
		if plan.Target.Operation() == nil || plan.ID == "notification-test" { // which sends a sample to each setting of its type
			continue
		}
		for _, sample := range plan.Samples {
			name := plan.ID + ", " + sample.Name
			form, path := old.staged(sample.Form), map[string]string{}
			for part, text := range sample.Path {
				path[part] = old.staged(text)
			}
			pairs, err := translate.ParseForm(form)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			fields, err := translate.NewFields(pairs)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			means, refused := plan.Decode(path, fields)
			if refused != nil || len(means.Cautions) > 0 {
				continue // nothing is left of it, or /v1 does not take it
			}
			before := old.rows(t)
			rest := old.rest(t, plan, path, form)
			var lines []string
			for _, request := range command.Requests(plan, means) {
				lines = append(lines, request.Lines()...)
			}
			meant := twin.perform(t, lines)
			if ok := rest.Status < 400; ok != (meant < 400) && !answersOtherwise[plan.ID] {
				t.Errorf("%s: /rest answers %d %s, /v1 %d", name, rest.Status, rest.Text("body/errorMsg"), meant)
			}
			after := old.rows(t)
			if diff := cmp.Diff(after, twin.rows(t)); diff != "" {
				t.Fatalf("%s leaves other databases (-rest +v1):\n%s", name, diff)
			}
			if !cmp.Equal(before, after) {
				changed++
			}
		}
	}
	if changed < 10 {
		t.Errorf("only %d samples changed anything", changed)
	}
}

// stage is a world with a seller who has an auction with a bid, a lot of which a part is sold in more sales than there are
// samples that rate a buyer, a sold auction, one that ended without a bid, and a plain item.
type stage struct {
	w           *servertest.World
	plain, sold string
	acts        int // that commands were followed for
}

func newStage(t *testing.T, w *servertest.World) *stage {
	t.Helper()
	unsold, sold, auction := w.List(t, servertest.Auction()), w.List(t, servertest.Auction()), w.List(t, servertest.Auction())
	lot, plain := w.List(t, servertest.FixedPrice(map[string]any{"quantity": 50})), w.List(t, servertest.FixedPrice())
	purchase := servertest.Request{Path: "/v1/test/items/" + lot + "/purchase", Body: `{"quantity":3}`}
	for _, step := range append([]servertest.Request{
		{Path: "/v1/test/items/" + unsold + "/end", Body: "{}"},
		{Path: "/v1/test/items/" + sold + "/bids", Body: "{}"},
		{Path: "/v1/test/items/" + sold + "/end", Body: "{}"},
		{Path: "/v1/test/items/" + auction + "/bids", Body: "{}"},
	}, slices.Repeat([]servertest.Request{purchase}, 10)...) {
		if r := w.Do(t, step); r.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", step.Path, r.Status, r.Body)
		}
	}
	return &stage{w: w, plain: plain, sold: lot}
}

// staged puts the stage's own items, category and pictures in the place of a sample's.
func (s *stage) staged(text string) string {
	for _, pair := range [][2]string{
		{"id_category]=1021", "id_category]=" + servertest.Category},
		{"id_category=1021", "id_category=" + servertest.Category},
		{"id_category=01021", "id_category=" + servertest.Category},
		{"id_category]=01021", "id_category]=" + servertest.Category},
	} {
		text = strings.ReplaceAll(text, pair[0], pair[1])
	}
	if text == "4711" {
		return s.plain
	}
	return text
}

// rest makes a sample's legacy request.
func (s *stage) rest(t *testing.T, plan *translate.Plan, path map[string]string, form string) servertest.RestAnswer {
	t.Helper()
	address := plan.Address(&translate.Sample{Path: path})
	if plan.Pattern == "/rest/item/{id_item}/feedback" {
		address = strings.ReplaceAll(address, s.plain, s.sold)
	}
	return s.w.Rest(t, plan.Method, address, form, "X-Api-Key", s.w.Key)
}

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// perform makes the /v1 requests that the tables print, and answers the last one's status. What a step learns from the
// one before it takes from that one's first result.
func (s *stage) perform(t *testing.T, lines []string) (status int) {
	t.Helper()
	status = http.StatusOK
	var first struct{ ID, ItemID string }
	for i, line := range lines {
		method, address, request := strings.Cut(line, " ")
		if !request || strings.HasPrefix(line, "{") || strings.HasSuffix(method, ":") {
			continue // a header or a body
		}
		address = strings.NewReplacer("{sale_id}", first.ID, "{webhook_id}", first.ID, "{item_id}", first.ItemID).Replace(address)
		if strings.Contains(address, "/rating") || strings.Contains(address, "/v1/sales?item_id=") {
			address = strings.ReplaceAll(address, s.plain, s.sold)
		}
		if placeholder.MatchString(address) || strings.HasSuffix(address, "=") {
			continue // there was no result to go on with
		}
		asked := servertest.Request{Method: method, Path: address, Header: map[string]string{}}
		for _, next := range lines[i+1:] {
			name, value, header := strings.Cut(next, ": ")
			switch {
			case strings.HasPrefix(next, "{"):
				asked.Body = json.RawMessage(strings.ReplaceAll(next, "{other_status}", "paused"))
			case header && !strings.Contains(name, " "):
				asked.Header[name] = value
				continue
			}
			break
		}
		answer := s.w.Do(t, asked)
		status = answer.Status
		var page struct {
			Results []struct {
				ID     string `json:"id"`
				ItemID string `json:"item_id"`
			} `json:"results"`
		}
		if json.Unmarshal(answer.Data, &page) == nil && len(page.Results) > 0 {
			first.ID, first.ItemID = page.Results[0].ID, page.Results[0].ItemID
		}
	}
	return status
}

// compared are the tables that a call can change, with the columns that differ by their nature: secrets, and what is
// made of a node's number.
var compared = []struct{ table, columns, order string }{
	{"submissions", "id, owner, batch_index, personal_reference, status, draft, errors, warnings", "id"},
	{"items", "*", "id"},
	{"sales", "*", "id"},
	{"bills", "*", "id"},
	{"ratings", "*", "id"},
	{"webhooks", "owner, url, events, events_key, format, status, failures", "url, events_key"},
	{"events", "owner, type, resource_type, sequence", "created_at, id"},
	{"list_positions", "owner, list, level, bucket, n", "owner, list, level, bucket"},
	{"owners", "*", "id"},
}

// rows are the rows of those tables.
func (s *stage) rows(t *testing.T) (rows []string) {
	t.Helper()
	for _, c := range compared {
		found, err := s.w.Store.Reader().QueryContext(t.Context(), "SELECT "+c.columns+" FROM "+c.table+" ORDER BY "+c.order)
		if err != nil {
			t.Fatal(err)
		}
		names, err := found.Columns()
		if err != nil {
			t.Fatal(err)
		}
		for found.Next() {
			values := make([]any, len(names))
			for i := range values {
				values[i] = new(any)
			}
			if err := found.Scan(values...); err != nil {
				t.Fatal(err)
			}
			row := c.table
			for i, name := range names {
				row += fmt.Sprintf(" %s=%v", name, *values[i].(*any))
			}
			rows = append(rows, row)
		}
		if err := found.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return rows
}
