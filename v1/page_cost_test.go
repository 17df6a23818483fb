package v1_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
)

// costedList is a list whose pages have a price.
type costedList struct {
	name    string
	sorts   []string
	filters []plannedFilter
	middle  int64                         // of the sorts
	before  func(owner v1.Owner) []string // what the rows name
	rows    func(owner v1.Owner, first, last int64) []string
	page    func(s *v1.Service, owner v1.Owner, query string, middle int64) (*probe.PageStatements, error)
}

func costedLists() []costedList {
	const named = 2100 // items that are sold
	start, items := servertest.Start.UnixMicro(), int64(1800000000000000)
	nothing := func(v1.Owner) []string { return nil }
	sold := func(owner v1.Owner) []string { return append(shelfRows(owner, 1, named), billedCollectors(owner)...) }
	billed := func(owner v1.Owner) []string { return append(shelfRows(owner, 1, named), insertCollectors(start)) }
	return []costedList{
		{"items", []string{"created_at_asc", "created_at_desc", "updated_at_desc"}, itemFilters, items + 500, nothing, shelfRows, probe.Items.PageStatements},
		{"sales", []string{"sold_at_asc", "sold_at_desc"}, saleFilters, start, sold, func(owner v1.Owner, first, last int64) []string {
			return []string{saleRows(owner, first, last)}
		}, probe.Sales.PageStatements},
		{"bills", []string{"created_at_asc", "created_at_desc"}, billFilters, start + 500, billed, billRows, probe.Bills.PageStatements},
		{"deliveries", []string{""}, deliveryFilters, start + 500, nothing, func(owner v1.Owner, first, last int64) []string {
			return []string{deliveryRows(owner, first, last)}
		}, probe.Deliveries.PageStatements},
	}
}

// gathered is the line of a plan that says how many rows a gather has found.
var gathered = regexp.MustCompile(`CTE Scan on hits .*\(actual rows=([0-9]+)`)

// A page of a list costs the same however many rows there are, and whatever PostgreSQL believes about them. A probe meets no more
// rows of a filter than it counts, and a gather no more than it has found.
func TestAPageCostsNoMoreWhenThereAreMoreRows(t *testing.T) {
	const few, many, counted = 2000, 20_000, probe.UsualPlan + 1
	for _, list := range costedLists() {
		t.Run(list.name, func(t *testing.T) {
			plantest.EachBelief(t, func(t *testing.T, w *servertest.World, costs *plantest.Costs) {
				owner := v1.OwnerOf(w.Account, true)
				pages := map[string]*probe.PageStatements{}
				for _, filter := range list.filters {
					for _, sort := range list.sorts {
						query := strings.ReplaceAll(filter.query, " ", "+")
						if sort != "" {
							query += "&sort=" + sort
						}
						page, err := list.page(w.Service, owner, query, list.middle)
						if err != nil {
							t.Fatalf("%s: %v", query, err)
						}
						pages[query] = page
						for _, statement := range append([]probe.Statement{page.Probe, page.Walk, page.Next}, page.Gathers...) {
							if statement.Text != "" {
								costs.Prepare(t, query+statement.Text, statement.Text, statement.Args)
							}
						}
					}
				}
				plantest.FillUnchecked(t, w, list.before(owner)...)
				plantest.FillUnchecked(t, w, list.rows(owner, 1, few)...)
				costs.Filled(t)
				before := map[string]int{}
				for query, page := range pages {
					for _, statement := range []probe.Statement{page.Walk, page.Next} {
						_, before[query+statement.Text] = costs.Of(t, query+statement.Text)
					}
				}
				plantest.FillUnchecked(t, w, list.rows(owner, few+1, many)...)
				costs.Filled(t)
				for query, page := range pages {
					measure := func(text string, most func(plan string) int) {
						t.Helper()
						if plan, met := costs.Of(t, query+text); met > most(plan) {
							t.Errorf("%s: meets %d pages of %d rows, and at most %d are expected:\n%s\n%s", query, met, many, most(plan), text, plan)
						}
					}
					if page.Probe.Text != "" {
						measure(page.Probe.Text, func(string) int { return strings.Count(page.Probe.Text, "count(*)") * (counted + counted/3) })
					}
					chosen, err := page.Chosen(t.Context())
					switch {
					case err != nil:
						t.Fatal(err)
					case chosen == "":
					case chosen == page.Walk.Text:
						for _, text := range []string{page.Walk.Text, page.Next.Text} {
							// Each of the page's rows may lie on a page of its own now, and an index be deeper by a page.
							measure(text, func(string) int {
								return max(before[query+text], before[query+page.Walk.Text])*13/10 + 2*(v1.DefaultPageSize+1)
							})
						}
					default:
						measure(chosen, func(plan string) int {
							found := gathered.FindStringSubmatch(plan)
							if found == nil {
								t.Fatalf("no gather:\n%s", plan)
							}
							hits, err := strconv.Atoi(found[1])
							if err != nil {
								t.Fatal(err)
							}
							return 10*hits + 60
						})
					}
				}
			})
		})
	}
}
