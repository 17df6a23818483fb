package v1_test

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"sellerd/ent"
	"sellerd/internal/proof/plantest"
	"sellerd/internal/proof/servertest"
	v1 "sellerd/v1"
	"sellerd/v1/probe"
	"sellerd/v1/rows"
)

// fillQueues writes submissions and items that a claim can take, from the first number to the last, all of one owner but
// every thousandth.
func fillQueues(tb testing.TB, w *servertest.World, first, last int64) {
	tb.Helper()
	const most = 20_000 // at once: a statement has a deadline
	for ; last-first >= most; first += most {
		fillQueues(tb, w, first, first+most-1)
	}
	owner, due := v1.OwnerOf(w.Account, true), servertest.Start.UnixMicro()
	of := fmt.Sprintf("CASE i %% 1000 WHEN 0 THEN %d + i / 1000 ELSE %[1]d END", owner)
	fill(tb, w,
		numbered(first, last)+fmt.Sprintf(`INSERT INTO submissions (id, owner, status, draft, created_at, publish_deadline, due_at)
 SELECT 7000000 + i, %s, 'pending', '{}', %d, %d + i %% 2 * 1000000000000, %d FROM n`, of, due, due, due),
		numbered(first, last)+fmt.Sprintf(`INSERT INTO items (id, owner, sale_type, title, category_id, currency, current_price, bid_count, quantity, quantity_sold,
 ends_at, created_at, updated_at, renewals, renewals_left, images, options, site, status, restart_count, visit_count, sequence, run_started_at,
 search, lease, images_due_at)
 SELECT 5000000 + i, %s, 'fixed_price', 'Stamp', 1010101, 'EUR', 100, 0, 1, 0, %[2]d, %[2]d, %[2]d, 0, 0, '[]', 0, 'net', 'open', 0, 0, 1, 0, '', 0, %[2]d FROM n`,
			of, due))
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
// one that is read from end to end for each row. And whatever the statistics say, a claim costs the same whatever waits.
func TestClaimsOnPostgresReadWhatTheyTakeWhateverTheStatisticsSay(t *testing.T) {
	const few, many = 1000, 100_000
	for _, test := range []struct{ name, believe, after string }{
		{"the plan is older than the rows", "SELECT 1", "SELECT 1"},
		{"the statistics are", plantest.Stale, "SELECT 1"},
		{"the statistics are fresh", "SELECT 1", "ANALYZE"},
	} {
		t.Run(test.name, func(t *testing.T) {
			url := servertest.Postgres(t)
			w := servertest.New(t, url)
			conn := plantest.OnEmptyTables(t, url, test.believe)
			exec := func(text string) {
				t.Helper()
				if _, err := conn.Exec(t.Context(), text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			claims := map[string]string{}
			for name, statement := range probe.LeaseStatements(w.Service, v1.OwnerOf(w.Account, true), v1.TimeOf(w.Clock.Now())) {
				exec("PREPARE " + name + " AS " + statement.Text)
				claims[name] = "EXECUTE " + name + strings.ReplaceAll(strings.Replace(fmt.Sprint(statement.Args), "[", "(", 1), " ", ", ")
				claims[name] = strings.Replace(claims[name], "]", ")", 1)
				exec(claims[name])
			}
			explain := func(name string) (plan string, read int) {
				exec("BEGIN")
				found, err := conn.Query(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF) "+claims[name])
				if err != nil {
					t.Fatal(err)
				}
				lines, err := pgx.CollectRows(found, pgx.RowTo[string])
				if err != nil {
					t.Fatal(err)
				}
				exec("ROLLBACK")
				plan = strings.Join(lines, "\n")
				return plan, rowsRead(t, plan)
			}
			fillQueues(t, w, 1, few)
			exec(test.after)
			before := map[string]int{}
			for name := range claims {
				plan, read := explain(name)
				if read == 0 || read > 500 { // each of at most a hundred is met by a scan or two and by those of the set
					t.Errorf("the claim of %s meets %d rows:\n%s", name, read, plan)
				}
				before[name] = read
			}
			fillQueues(t, w, few+1, many)
			exec(test.after)
			for name := range claims {
				plan, read := explain(name)
				most := before[name] + before[name]/3
				if strings.HasPrefix(name, "owners") {
					most = 8 * (many/1000 + 1) // it meets owners, of which there are more now
				}
				if read > most {
					t.Errorf("the claim of %s meets %d rows of %d, and %d of %d:\n%s", name, before[name], few, read, many, plan)
				}
			}
		})
	}
}

func TestClaimsOnSQLiteReadWhatTheyTake(t *testing.T) {
	w := servertest.New(t, servertest.SQLite(t))
	fillQueues(t, w, 1, 2000)
	want := map[string]string{
		"submissions":           `SEARCH submissions USING INDEX submissions_owner_due \(owner=\? AND due_at<\?\)`,
		"late_submissions":      `SEARCH submissions USING INDEX submissions_deadline \(publish_deadline<\?\)`,
		"items":                 `SEARCH items USING COVERING INDEX items_owner_images_due \(owner=\? AND images_due_at>\? AND images_due_at<\?\)`,
		"owners_of_submissions": `(?s)SEARCH q USING INDEX submissions_owner_due \(owner>\?\).*\(owner>\?\).*\(owner=\?\)`,
		"owners_of_items":       `(?s)SEARCH q USING COVERING INDEX items_owner_images_due \(owner>\?\).*\(owner>\?\).*\(owner=\? AND images_due_at>\?\)`,
	}
	for name, statement := range probe.LeaseStatements(w.Service, v1.OwnerOf(w.Account, true), v1.TimeOf(w.Clock.Now())) {
		var plan strings.Builder
		err := w.Store.Write(t.Context(), func(ctx context.Context, tx *ent.Client) error {
			plan.Reset()
			return rows.Query(ctx, tx, "EXPLAIN QUERY PLAN "+statement.Text, statement.Args, func(rows *sql.Rows) error {
				var id, parent, unused int
				var step string
				err := rows.Scan(&id, &parent, &unused, &step)
				plan.WriteString(step + "\n")
				return err
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		if !regexp.MustCompile(want[name]).MatchString(plan.String()) || regexp.MustCompile(`SCAN (submissions|items|q)|TEMP B-TREE`).MatchString(plan.String()) {
			t.Errorf("the plan of %s is\n%s", name, plan.String())
		}
	}
}

// While an owner has enough in flight, the others' submissions are claimed from behind its own, and its own only when their
// deadlines have passed.
func TestABusyOwnerIsPassedOver(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		fillQueues(t, w, 1, 3001) // three are of others, half of all are late
		busy := v1.OwnerOf(w.Account, true)
		w.Clock.Advance(-time.Microsecond)
		if n, err := probe.ClaimSubmissions(w.Service, t.Context(), busy); n != 0 || err != nil {
			t.Fatalf("claimed %d before they were due: %v", n, err)
		}
		exec := func(text string) { fill(t, w, text) }
		exec("UPDATE submissions SET publish_deadline = publish_deadline + 1000000000000")
		w.Clock.Advance(time.Microsecond)
		if n, err := probe.ClaimSubmissions(w.Service, t.Context(), busy); n != 3 || err != nil {
			t.Fatalf("claimed %d of the 3 of others: %v", n, err)
		}
		if n, err := probe.ClaimSubmissions(w.Service, t.Context(), busy); n != 0 || err != nil {
			t.Fatalf("claimed %d once more: %v", n, err)
		}
		exec(fmt.Sprintf("UPDATE submissions SET publish_deadline = %d WHERE id IN (7000010, 7000011)", w.Clock.Now().UnixMicro()))
		if n, err := probe.ClaimSubmissions(w.Service, t.Context(), busy); n != 2 || err != nil {
			t.Fatalf("claimed %d of the 2 that are late: %v", n, err)
		}
	})
}

// Owners have turns: one with many submissions is not claimed from a second time before all others had theirs.
func TestOwnersHaveTurns(t *testing.T) {
	servertest.Each(t, func(t *testing.T, w *servertest.World) {
		fillQueues(t, w, 1, 3001)
		for range 2 {
			if _, err := probe.ClaimSubmissions(w.Service, t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		others := w.Count(t, "submissions", fmt.Sprintf("status = 'processing' AND owner <> %d", v1.OwnerOf(w.Account, true)))
		if all := w.Count(t, "submissions", "status = 'processing'"); others != 3 || all > 203 {
			t.Errorf("two claims have taken %d, of which %d of the 3 of others", all, others)
		}
	})
}
