package v1_test

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// shelf is how many items the planners see; the owner asked for has half of them.
const shelf = 24_000

// fillShelf writes items and words of two owners with two statements that both databases understand.
func fillShelf(tb testing.TB, w *servertest.World) v1.Owner {
	tb.Helper()
	owner := v1.OwnerOf(w.Account, true)
	fill(tb, w, shelfRows(owner, 1, shelf)...)
	return owner
}

// shelfRows are the statements that write the items of some numbers, with their words.
func shelfRows(owner v1.Owner, first, last int64) []string {
	return []string{
		numbered(first, last) + fmt.Sprintf(`INSERT INTO items (id, owner, sale_type, title, category_id, currency, current_price, bid_count, quantity, quantity_sold,
 ends_at, created_at, updated_at, renewals, renewals_left, images, options, site, status, restart_count, visit_count, sequence, run_started_at,
 search, lease, personal_reference, shipping_model_id)
 SELECT 5000000 + i, %d + i %% 2, CASE i %% 4 WHEN 0 THEN 'auction' ELSE 'fixed_price' END, 'Stamp', 1010101 + i %% 7, CASE i %% 5 WHEN 0 THEN 'EUR' WHEN 1 THEN 'USD' WHEN 2 THEN 'GBP' WHEN 3 THEN 'CHF' ELSE 'CAD' END, 100 + i, CASE i %% 20 WHEN 0 THEN 1 ELSE 0 END, 1, 0,
 1800000000000000 + i * 7919 %% 24001, 1800000000000000 + i, 1800000000000000 + i * 104729 %% 24001, 0, 0, '[]', 0, 'net',
 CASE i %% 3 WHEN 0 THEN 'open' WHEN 1 THEN 'unsold' ELSE 'closed' END, 0, 0, 1, 0, ' stamp word1 ', 0, 'ref ' || (i %% 500), 4001 + i %% 3 FROM n`, owner),
		numbered(first, last) + fmt.Sprintf(`INSERT INTO item_words (owner, word, item_id) SELECT %d + i %% 2, 'stamp', 5000000 + i FROM n`, owner),
	}
}

// numbered begins a statement that writes a row for each number i of n.
func numbered(first, last int64) string { return plantest.Numbered(first, last) }

// fill runs statements that write the rows whose reading is explained.
func fill(tb testing.TB, w *servertest.World, statements ...string) {
	tb.Helper()
	plantest.Fill(tb, w, statements...)
}

type explainer = plantest.Explainer

// onBothPlanners checks plans on both databases, filled with rows of the owner and of another.
func onBothPlanners(t *testing.T, fill func(tb testing.TB, w *servertest.World) v1.Owner,
	check func(t *testing.T, w *servertest.World, owner v1.Owner, explain explainer),
) {
	plantest.OnAll(t, fill, check)
}

// collectors is how many buyers the planners see.
const collectors = 4000

// insertCollectors is the statement that writes them, as 70001 and on.
func insertCollectors(at int64) string {
	return numbered(1, collectors) + fmt.Sprintf(`INSERT INTO buyers (id, scope, nickname, language, country, created_at, updated_at)
 SELECT 70000 + i, 0, 'buyer ' || i, 'en', 'DE', %[1]d, %[1]d FROM n`, at)
}

// plannedList is a list whose statements are explained.
type plannedList struct {
	tables     string // that no statement may read whole, for a regular expression
	walkIndex  string // of the only sort, where it is not named after its column
	sorts      []string
	filters    []plannedFilter
	statements func(s *v1.Service, ctx context.Context, owner v1.Owner, query string, gather int) (probe.ListStatements, error)
}

// plannedFilter is a list's filter with the index that finds what it matches, and the sort for which a walk can use
// that index as well. Filters without an index are only ever walked.
type plannedFilter struct{ query, index, walksWith string }

// itemFilters are the filters of GET /v1/items.
var itemFilters = []plannedFilter{
	{"", "", ""},
	{"id=5000002,5000004", "PRIMARY KEY|items_pkey", ""},
	{"personal_reference=ref 2", "items_reference", ""},
	{"personal_reference=ref 2,ref 4", "items_reference", ""},
	{"shipping_model_id=4001", "items_shipping_model", ""},
	{"category_id=1010101", "items_category", ""},
	{"category_id=-1", "items_category", ""},
	{"price_min=1.00&price_max=2.00", "items_price", ""},
	{"price_min=1.00", "items_price", ""},
	{"q=stamp", "SEARCH item_words USING PRIMARY KEY|item_words_pkey", ""},
	{"created_from=2020-01-01T00:00:00Z", "items_created", "created_at"},
	{"updated_from=2020-01-01T00:00:00Z", "items_updated", "updated_at"},
	{"ends_from=2020-01-01T00:00:00Z&ends_to=2090-01-01T00:00:00Z", "items_ends", "ends_at"},
	{"has_bids=true", "items_bids", "created_at"},
	{"has_bids=false", "", ""},
	{"status=open", "items_status", "created_at"},
	{"status=open,closed", "", ""}, // two thirds of the rows: no driver
	{"sale_type=auction", "items_sale_type", "created_at"},
	{"currency=EUR", "items_currency", ""},
	{"status=open&q=stamp&currency=EUR", "items_status|SEARCH item_words USING PRIMARY KEY|item_words_pkey|items_currency", "created_at"},
}

var sortStep = regexp.MustCompile(`TEMP B-TREE|Sort`)

// check explains every statement of every filter in every sort: a walk follows its sort's index, or the filter's own
// where that has the sort's order, and sorts nothing; a gather and a probe take the filter's index.
func (list plannedList) check(t *testing.T, w *servertest.World, owner v1.Owner, explain explainer) {
	fullScan := regexp.MustCompile(`(Seq Scan on|SCAN) (` + list.tables + `)( |$)`)
	table, _, _ := strings.Cut(list.tables, "|")
	check := func(t *testing.T, statement probe.Statement, index string, sorts bool) {
		t.Helper()
		plan := explain(t, statement.Text, statement.Args)
		if fullScan.MatchString(plan) || !regexp.MustCompile(index).MatchString(plan) || !sorts && sortStep.MatchString(plan) {
			t.Errorf("expected %s:\n%s\n%s", index, statement.Text, plan)
		}
	}
	for _, filter := range list.filters {
		query := strings.ReplaceAll(filter.query, " ", "+")
		for _, sort := range list.sorts {
			column, _, _ := strings.Cut(sort, "_at")
			walks, err := list.statements(w.Service, t.Context(), owner, query+"&sort="+sort, probe.AlwaysWalk)
			if err != nil {
				t.Fatal(err)
			}
			gathers, err := list.statements(w.Service, t.Context(), owner, query+"&sort="+sort, probe.AlwaysGather)
			if err != nil {
				t.Fatal(err)
			}
			t.Run("a walk by "+sort+" with "+filter.query+" follows the sort's index", func(t *testing.T) {
				index := cmp.Or(list.walkIndex, table+"_"+column)
				if filter.walksWith == column+"_at" && filter.index != "" {
					index = filter.index
				}
				check(t, walks.Page, index, false)
				check(t, walks.Next, index, false)
			})
			if filter.index == "" {
				continue
			}
			if gathers.Probe.Text != "" {
				t.Run("a probe for "+sort+" with "+filter.query+" takes the filter's index", func(t *testing.T) {
					check(t, gathers.Probe, filter.index, true)
				})
			}
			if filter.walksWith != column+"_at" {
				t.Run("a gather by "+sort+" with "+filter.query+" takes the filter's index", func(t *testing.T) {
					check(t, gathers.Page, filter.index, true)
					check(t, gathers.Next, filter.index, true)
				})
			}
		}
	}
}

func TestPlansOfItemPages(t *testing.T) {
	onBothPlanners(t, fillShelf, plannedList{
		tables: "items|item_words", sorts: itemSorts, filters: itemFilters, statements: probe.Items.Statements,
	}.check)
}
