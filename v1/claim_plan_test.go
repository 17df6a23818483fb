package v1_test

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/servertest"
	"sellerd/v1"
)

// fillQueues writes submissions and items that a claim can take.
func fillQueues(tb testing.TB, w *servertest.World, rows int64) {
	tb.Helper()
	owner, due := v1.OwnerOf(w.Account, true), servertest.Start.UnixMicro()
	fill(tb, w,
		numbered(1, rows)+fmt.Sprintf(`INSERT INTO submissions (id, owner, status, draft, created_at, publish_deadline, due_at)
 SELECT 7000000 + i, %d, 'pending', '{}', %d, %d, %d FROM n`, owner, due, due+1e12, due),
		numbered(1, rows)+fmt.Sprintf(`INSERT INTO items (id, owner, sale_type, title, category_id, currency, current_price, bid_count, quantity, quantity_sold,
 ends_at, created_at, updated_at, renewals, renewals_left, images, options, site, status, restart_count, visit_count, sequence, run_started_at,
 search, lease, images_due_at)
 SELECT 5000000 + i, %d, 'fixed_price', 'Stamp', 1010101, 'EUR', 100, 0, 1, 0, %[2]d, %[2]d, %[2]d, 0, 0, '[]', 0, 'net', 'open', 0, 0, 1, 0, '', 0, %[2]d FROM n`,
			owner, due))
}

var (
	scanned = regexp.MustCompile(`Scan.*\(actual rows=([0-9]+)[.0-9]* loops=([0-9]+)\)`)
	removed = regexp.MustCompile(`Rows Removed by [A-Za-z ]+: ([0-9]+)`)
)

// rowsRead is how many rows the scans of a plan that was run have met.
func rowsRead(t *testing.T, plan string) (rows int) {
	t.Helper()
	loops := 1
	for _, line := range strings.Split(plan, "\n") {
		if found := scanned.FindStringSubmatch(line); found != nil {
			n, err1 := strconv.Atoi(found[1])
			times, err2 := strconv.Atoi(found[2])
			if err1 != nil || err2 != nil {
				t.Fatal(line)
			}
			loops = times
			rows += n * loops
		}
		if found := removed.FindStringSubmatch(line); found != nil {
			n, err := strconv.Atoi(found[1])
			if err != nil {
				t.Fatal(line)
			}
			rows += n * loops
		}
	}
	return rows
}

// A plan that PostgreSQL made for an empty table stays in use while that fills. Every index looks alike to it then, even
// one that is read from end to end for each row.
func TestClaimsFromATableThatPostgresTakesToBeEmptyReadWhatTheyTake(t *testing.T) {
	const rows = 2000
	for _, test := range []struct{ name, believe string }{
		{"the plan is older than the rows", "SELECT 1"},
		{"the statistics are", "UPDATE pg_class SET relpages = 1, reltuples = 0 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			conn, err := pgx.Connect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close(context.Background()) })
			exec := func(text string) {
				t.Helper()
				if _, err := conn.Exec(t.Context(), text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			exec("VACUUM ANALYZE")
			exec(test.believe)
			exec("SET plan_cache_mode = force_generic_plan")
			exec("SET enable_seqscan = off")
			claims := map[string]string{}
			for name, statement := range w.Service.LeaseStatements(v1.TimeOf(w.Clock.Now())) {
				exec("PREPARE " + name + " AS " + statement.Text)
				claims[name] = fmt.Sprintf("EXECUTE "+name+"(%d, %d, %d)", statement.Args...)
				exec(claims[name])
			}
			fillQueues(t, w, rows)
			for name, execute := range claims {
				found, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF) "+execute)
				if err != nil {
					t.Fatal(err)
				}
				lines, err := pgx.CollectRows(found, pgx.RowTo[string])
				if err != nil {
					t.Fatal(err)
				}
				plan := strings.Join(lines, "\n")
				if n := rowsRead(t, plan); n == 0 || n > 400 { // each of at most a hundred is met by a scan or two and by those of the set
					t.Errorf("the claim of %s meets %d rows:\n%s", name, n, plan)
				}
			}
		})
	}
}
