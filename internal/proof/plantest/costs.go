package plantest

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/proof/servertest"
)

// Costs are statements on PostgreSQL whose plans were made while the tables were empty, as the service's own may be. It says
// what they cost when there are rows.
type Costs struct {
	mu    sync.Mutex // guards the connection, which is kept awake
	conn  *pgx.Conn
	fresh bool
	runs  map[string]string // EXECUTE, by the statement's name
}

// EachBelief runs a test for each state of PostgreSQL's statistics: plans that are older than all rows, statistics that
// still say that the tables are empty, and fresh ones.
func EachBelief(t *testing.T, test func(t *testing.T, w *servertest.World, costs *Costs)) {
	for _, state := range []struct {
		name, believe string
		fresh         bool
	}{
		{name: "the plan is older than the rows"},
		{name: "the statistics are stale", believe: Stale},
		{name: "the statistics are fresh", fresh: true},
	} {
		t.Run(state.name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			costs := &Costs{conn: OnEmptyTables(t, url, state.believe), fresh: state.fresh, runs: map[string]string{}}
			defer costs.keepAwake(t)()
			test(t, w, costs)
		})
	}
}

// keepAwake has the connection ask for something all the time, until the test calls what it returns. An idle connection of a busy server
// misses what the server tells all connections, and then discards its plans; they would be made anew when there are rows.
func (c *Costs) keepAwake(t *testing.T) (end func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil {
			c.mu.Lock()
			_, err := c.conn.Exec(t.Context(), "SELECT pg_sleep(0.005)")
			c.mu.Unlock()
			if err != nil {
				t.Errorf("keep the connection awake: %v", err)
				return
			}
		}
	}()
	return func() {
		cancel()
		<-ended
	}
}

// Prepare has PostgreSQL make the plan of a statement now, unless it has one by this name.
func (c *Costs) Prepare(t *testing.T, name, text string, args []any) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
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

// Filled is called after rows were written. It makes fresh statistics where those are what is tested.
func (c *Costs) Filled(t *testing.T) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.fresh {
		return
	}
	if _, err := c.conn.Exec(t.Context(), "ANALYZE"); err != nil {
		t.Fatal(err)
	}
}

// pagesMet is the first line of a plan about pages: that of the whole statement.
var pagesMet = regexp.MustCompile(`Buffers: shared(?: hit=([0-9]+))?(?: read=([0-9]+))?`)

// Of runs a statement, undoes what it did, and returns its plan with the number of pages that it met.
func (c *Costs) Of(t *testing.T, name string) (plan string, pages int) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
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
