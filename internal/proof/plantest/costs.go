package plantest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/servertest"
)

// Costs are statements on PostgreSQL whose plans were made while the tables were empty, as the service's own may be. It says
// what they cost when there are rows.
type Costs struct {
	conn   *pgx.Conn
	filled string            // what is run after rows were written
	runs   map[string]string // EXECUTE, by the statement's name
}

// EachBelief runs a test for each state of PostgreSQL's statistics: plans that are older than all rows, statistics that
// still say that the tables are empty, and fresh ones.
func EachBelief(t *testing.T, test func(t *testing.T, w *servertest.World, costs *Costs)) {
	for _, state := range []struct {
		name, believe, filled string
	}{
		{name: "the plan is older than the rows", filled: "SELECT"},
		{name: "the statistics are stale", believe: Stale, filled: "DISCARD PLANS"}, // as a busy server does by itself now and then
		{name: "the statistics are fresh", filled: "ANALYZE"},
	} {
		t.Run(state.name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			test(t, w, &Costs{conn: OnEmptyTables(t, url, state.believe), filled: state.filled, runs: map[string]string{}})
		})
	}
}

// Prepare has PostgreSQL make the plan of a statement now, unless it has one by this name.
func (c *Costs) Prepare(t *testing.T, name, text string, args []any) {
	t.Helper()
	if c.runs[name] != "" {
		return
	}
	prepared := fmt.Sprintf("statement_%d", len(c.runs))
	run := execute(prepared, args)
	for _, text := range []string{"PREPARE " + prepared + " AS " + text, "BEGIN", run, "ROLLBACK"} {
		if _, err := c.conn.Exec(t.Context(), text); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
	}
	c.runs[name] = run
}

// execute runs a prepared statement with arguments.
func execute(prepared string, args []any) string {
	if len(args) == 0 {
		return "EXECUTE " + prepared
	}
	literals := make([]string, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case string:
			literals[i] = "'" + strings.ReplaceAll(arg, "'", "''") + "'"
		case nil:
			literals[i] = "NULL"
		default:
			literals[i] = fmt.Sprint(arg)
		}
	}
	return "EXECUTE " + prepared + "(" + strings.Join(literals, ", ") + ")"
}

// Filled is called after rows were written. It brings about what is tested: fresh statistics, or plans that are made again with stale ones.
func (c *Costs) Filled(t *testing.T) {
	t.Helper()
	if _, err := c.conn.Exec(t.Context(), c.filled); err != nil {
		t.Fatal(err)
	}
}

// pagesMet is the first line of a plan about pages: that of the whole statement.
var pagesMet = regexp.MustCompile(`Buffers: shared(?: hit=([0-9]+))?(?: read=([0-9]+))?`)

// Of runs a statement, undoes what it did, and returns its plan with the number of pages that it met.
func (c *Costs) Of(t *testing.T, name string) (plan string, pages int) {
	t.Helper()
	tx, err := c.conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = tx.Rollback(t.Context()) }()
	found, err := tx.Query(t.Context(), "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) "+c.runs[name])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	lines, err := pgx.CollectRows(found, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	plan = strings.Join(lines, "\n")
	counts := pagesMet.FindStringSubmatch(plan)
	if counts == nil {
		t.Fatalf("%s: no pages in\n%s", name, plan)
	}
	for _, count := range counts[1:] {
		n, err := strconv.Atoi(count)
		if err != nil && count != "" {
			t.Fatal(err)
		}
		pages += n
	}
	return plan, pages
}
