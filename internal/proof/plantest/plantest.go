// Package plantest fills databases with rows behind the service's back, and explains how both databases would read them.
package plantest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/store"
	"sellerd/v1"
)

// Numbered begins a statement that writes a row for each number i of n, from the first to the last.
func Numbered(first, last int64) string {
	return fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", first, last)
}

// Fill runs statements that write the rows whose reading is explained.
func Fill(tb testing.TB, w *servertest.World, statements ...string) {
	tb.Helper()
	for _, statement := range statements {
		write(tb, w, statement)
	}
}

// FillUnchecked is Fill on PostgreSQL without a check of foreign keys: with statistics of empty tables, that may read a whole index
// for each row. (The service has statistics of such tables renewed.)
func FillUnchecked(tb testing.TB, w *servertest.World, statements ...string) {
	tb.Helper()
	write(tb, w, append([]string{"SET LOCAL session_replication_role = replica"}, statements...)...)
}

// write runs statements in one transaction.
func write(tb testing.TB, w *servertest.World, statements ...string) {
	tb.Helper()
	err := w.Store.Write(context.Background(), func(ctx context.Context, tx *ent.Client) error {
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// Explainer returns a database's plan for a statement, one line for each step.
type Explainer func(t *testing.T, query string, args []any) string

// sqlite explains without statistics, as the program runs.
func sqlite(w *servertest.World) Explainer {
	return func(t *testing.T, query string, args []any) string {
		t.Helper()
		rows, err := w.Store.Reader().QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatalf("explain %s: %v", query, err)
		}
		defer rows.Close()
		var plan strings.Builder
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				t.Fatal(err)
			}
			plan.WriteString(detail + "\n")
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return plan.String()
	}
}

// postgres explains the plan that does not know the arguments, which is the one the program runs, with fresh statistics or
// with what the settings make of them.
func postgres(t *testing.T, url string, settings ...string) Explainer {
	t.Helper()
	return explainerOn(connect(t, url, append([]string{"VACUUM ANALYZE", "SET plan_cache_mode = force_generic_plan"}, settings...)...))
}

// connect is a connection to a PostgreSQL database that has run some statements.
func connect(t *testing.T, url string, statements ...string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	for _, statement := range statements {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	return conn
}

func explainerOn(conn *pgx.Conn) Explainer {
	return func(t *testing.T, query string, args []any) string {
		t.Helper()
		if _, err := conn.Exec(context.Background(), "PREPARE page AS "+query); err != nil {
			t.Fatalf("prepare %s: %v", query, err)
		}
		rows, err := conn.Query(context.Background(), "EXPLAIN "+execute("page", args))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Exec(context.Background(), "DEALLOCATE page"); err != nil {
			t.Fatal(err)
		}
		return strings.Join(lines, "\n")
	}
}

// OnBoth checks plans on both databases, filled with rows of the owner and of another.
func OnBoth(t *testing.T, fill func(tb testing.TB, w *servertest.World) v1.Owner, check func(t *testing.T, w *servertest.World, owner v1.Owner, explain Explainer)) {
	t.Run("sqlite", func(t *testing.T) {
		w := servertest.New(t, servertest.SQLite(t))
		check(t, w, fill(t, w), sqlite(w))
	})
	t.Run("postgres", func(t *testing.T) {
		url := servertest.Postgres(t)
		w := servertest.New(t, url)
		check(t, w, fill(t, w), postgres(t, url))
	})
}

// OnAll checks plans on both databases in every state of their statistics: as OnBoth does, and with those that were made before
// there were rows, or are stale.
func OnAll(t *testing.T, fill func(tb testing.TB, w *servertest.World) v1.Owner, check func(t *testing.T, w *servertest.World, owner v1.Owner, explain Explainer)) {
	OnBoth(t, fill, check)
	t.Run("postgres, analyzed while it was empty", func(t *testing.T) {
		url := servertest.Postgres(t)
		w := servertest.New(t, url)
		explain := explainerOn(OnEmptyTables(t, url, ""))
		check(t, w, fill(t, w), explain)
	})
	t.Run("postgres, stale", func(t *testing.T) {
		url := servertest.Postgres(t)
		w := servertest.New(t, url)
		check(t, w, fill(t, w), postgres(t, url, Stale, forgotten, "SET enable_seqscan = off"))
	})
	t.Run("sqlite, analyzed with one row in each table, and opened again", func(t *testing.T) {
		url := servertest.SQLite(t)
		w := servertest.New(t, url)
		owner := fill(t, w)
		Fill(t, w, "ANALYZE", "UPDATE sqlite_stat1 SET stat = '1 1 1 1 1 1'")
		again, err := store.Open(t.Context(), store.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
		check(t, w, owner, sqlite(w))
	})
}

// forgotten has PostgreSQL know nothing about the values in columns.
const forgotten = "DELETE FROM pg_statistic WHERE starelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)"

// Stale has PostgreSQL believe that tables and indexes with a page or more are empty, as old statistics may.
const Stale = "UPDATE pg_class SET relpages = 1, reltuples = 0 WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i')"

// OnEmptyTables is a connection to a PostgreSQL database whose tables were empty when their statistics were made. It plans like the
// service's own: without the arguments, and without reading whole tables. believe is a statement about the statistics, such as
// Stale; it may be empty.
func OnEmptyTables(t *testing.T, url, believe string) *pgx.Conn {
	t.Helper()
	return connect(t, url, "VACUUM ANALYZE", believe, "SET plan_cache_mode = force_generic_plan", "SET enable_seqscan = off")
}

// FillWebhooks writes subscriptions behind the service's back, and returns their numbers.
func FillWebhooks(tb testing.TB, w *servertest.World, owner v1.Owner, n int) []int64 {
	tb.Helper()
	Fill(tb, w, Numbered(1, int64(n))+fmt.Sprintf(`INSERT INTO webhooks (id, owner, url, events, events_key, format, status, secret, secret_hint, failures, breaker_level, created_at, updated_at)
 SELECT i, %d, 'https://example.com/' || i, '["*"]', '*', 'standard', 'active', '', '', 0, 0, 0, 0 FROM n`, owner))
	webhooks := make([]int64, n)
	for i := range webhooks {
		webhooks[i] = int64(i + 1)
	}
	return webhooks
}

// FillDispatches writes dispatches with their deliveries and events behind the service's back, round the webhooks, and
// returns the number of the first.
func FillDispatches(tb testing.TB, w *servertest.World, owner v1.Owner, webhooks []int64, n int, status string) int64 {
	tb.Helper()
	have := int64(w.Count(tb, "events", "1 = 1"))
	now := w.Clock.Now().UnixMicro()
	numbers := Numbered(have+1, have+int64(n))
	hook := fmt.Sprintf("%d + i %% %d", webhooks[0], len(webhooks))
	state, lease := "scheduled", 0
	if status == "leased" {
		state, lease = "sending", 1
	}
	Fill(tb, w,
		numbers+fmt.Sprintf(`INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT i, %d, 'item.published', 'item', i, 1, '{}', %d FROM n`, owner, now),
		numbers+fmt.Sprintf(`INSERT INTO dispatches (id, owner, event_id, webhook_id, delivery_id, trigger, resource, sequence, status, attempts, failures, due_at, lease, created_at, expires_at)
 SELECT i, %d, i, %s, i, 'automatic', 'item/' || i, 1, '%s', %d, 0, %d, %d, 0, %d FROM n`, owner, hook, status, lease, now, lease, now+96*3600*1e6),
		numbers+fmt.Sprintf(`INSERT INTO deliveries (id, owner, dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url, request_headers,
 response_body, response_truncated, scheduled_at, created_at)
 SELECT i, %d, i, %s, i, 'item.published', '' || i, 1, 'automatic', '%s', false, 'https://example.com/hook', '', '', false, %d, %d FROM n`, owner, hook, state, now, now),
	)
	return have + 1
}
