package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"sellerd/ent/delivery"
	"sellerd/ent/event"
	"sellerd/internal/pgtest"
	"sellerd/internal/store"
)

// The case partitions compares what the service's statements about attempts and events cost on tables that are kept whole, as they
// are, with what they would cost on tables in partitions by time; and what deleting old rows costs with what dropping a partition
// costs. It says whether partitions would be worth it (docs/developer/engineering.md, Why no table is partitioned by time).

// What is compared: copies of a table, filled with the same rows, of some weeks.
const (
	copyWhole, copyApart = "whole", "apart"
	apartWeeks           = 5 // and a partition before them and one behind
	apartSpan            = int64(apartWeeks) * 7 * 24 * 3600 * 1_000_000
	apartBegins          = int64(1_790_000_000_000_000) // microseconds
	apartEpoch           = int64(1_767_225_600_000)     // of the ids, in milliseconds
)

// comparison is a statement on both copies of a table, which it calls %[1]s. Its arguments are those for the n-th row of many.
type comparison struct {
	name, table string
	text        string
	apart       string // the text on partitions, if it is another
	args        func(n, of int64) []any
}

// comparisons are statements as the service has them. Outcomes are found by places (v1/rows/given.go) or by ids.
func comparisons() []comparison {
	at := func(n, of int64) int64 { return apartBegins + n*(apartSpan/of) }
	id := func(n, of int64) int64 { return idOf(at(n, of)) }
	const (
		outcome = `WITH given(id, status) AS (VALUES (CAST($1 AS bigint), CAST($2 AS text))) UPDATE %[1]s SET status = given.status FROM given WHERE `
		place   = `%[1]s.ctid = ANY(ARRAY(SELECT (SELECT x.ctid FROM %[1]s x WHERE x.id >= given.id AND x.id <= given.id ORDER BY x.id LIMIT 1) FROM given)) AND %[1]s.id + 0 = given.id`
		still   = ` AND %[1]s.status || '' = 'succeeded'`
	)
	settled := func(n, of int64) []any { return []any{id(n, of), "succeeded"} }
	return []comparison{
		{"store an outcome, by place", delivery.Table, outcome + place + still, "", settled},
		{"store an outcome, by id if in partitions", delivery.Table, outcome + place + still, outcome + `%[1]s.id = given.id` + still, settled},
		{"page of 50 attempts", delivery.Table, `SELECT * FROM %[1]s WHERE owner = $1 AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT 51`, "", func(n, of int64) []any {
			return []any{n % 50 * 2, at(n, of), id(n, of)}
		}},
		{"get an attempt", delivery.Table, `SELECT * FROM %[1]s WHERE id = $1 AND owner = $2`, "", func(n, of int64) []any { return []any{id(n, of), n % 50 * 2} }},
		{
			"page of 50 events", event.Table, `SELECT created_at, id, body FROM %[1]s WHERE owner = $1 AND (created_at, id) > ($2, $3) ORDER BY created_at, id LIMIT 51`,
			`SELECT created_at, id, body FROM %[1]s WHERE owner = $1 AND (created_at, id) > ($2, $3) AND created_at >= $2 ORDER BY created_at, id LIMIT 51`,
			func(n, of int64) []any { return []any{n % 50 * 2, at(n, of), id(n, of)} },
		},
		{"get an event", event.Table, `SELECT type, body FROM %[1]s WHERE id = $1 AND owner = $2 AND created_at >= $3`, "", func(n, of int64) []any {
			return []any{id(n, of), n % 50 * 2, apartBegins}
		}},
	}
}

// idOf is the least id of an instant.
func idOf(at int64) int64 { return (at/1000 - apartEpoch) << 22 }

// measurePartitions makes a database of its own, fills the copies and prints the comparisons.
func (b *bench) measurePartitions(ctx context.Context, out io.Writer) (err error) {
	server, err := pgtest.Start(ctx, pgtest.Options{Durable: b.durable})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Stop()) }()
	if err := calm(ctx, server.AdminURL()); err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{URL: server.URL("growth")})
	if err != nil {
		return err
	}
	if err := db.Close(); err != nil {
		return err
	}
	conn, err := pgx.Connect(ctx, server.URL("growth"))
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range append(copies(b.rows), "VACUUM ANALYZE", "SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan") {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%.80s: %w", statement, err)
		}
	}
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\n%d rows\tCPU µs, whole\tin %d partitions\tlocks, whole\tin partitions\t\n", b.rows, apartWeeks+2)
	for _, c := range comparisons() {
		costs, err := b.compare(ctx, conn, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(t, "%s\t%.0f\t%.0f\t%d\t%d\t\n", c.name, micros(costs[0].cpu), micros(costs[1].cpu), costs[0].locks, costs[1].locks)
	}
	_ = t.Flush()
	return b.compareRetention(ctx, conn, out)
}

// copies are the statements that make and fill the copies of both tables: attempts in partitions by id, events by time.
func copies(rows int) (statements []string) {
	step := apartSpan / int64(rows)
	for _, t := range []struct {
		table, key, columns, values string
		bound                       func(int64) int64
		rest                        []string // of the primary key
	}{
		{
			delivery.Table, delivery.FieldID,
			"dispatch_id, webhook_id, event_id, event_type, resource_id, attempt, trigger, status, final, url, request_headers, response_body, response_truncated, scheduled_at, started_at",
			"i, i % 50, i, 'item.published', (1000000 + i)::text, 1, 'automatic', 'succeeded', true, 'https://example.com/hooks/of/the/seller', repeat('h', 420), '', false, i, i", idOf, nil,
		},
		{
			event.Table, event.FieldCreatedAt, "type, resource_type, resource_id, sequence, body", "'item.published', 'item', 1000000 + i, 1, repeat('b', 900)",
			func(at int64) int64 { return at },
			[]string{event.FieldCreatedAt},
		},
	} {
		whole, apart := t.table+"_"+copyWhole, t.table+"_"+copyApart
		statements = append(statements, fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING ALL)", whole, t.table),
			fmt.Sprintf("CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS) PARTITION BY RANGE (%s)", apart, t.table, t.key),
			fmt.Sprintf("ALTER TABLE %s ADD PRIMARY KEY (%s)", apart, strings.Join(append([]string{"id"}, t.rest...), ", ")),
			fmt.Sprintf(`DO $$ DECLARE d text; BEGIN FOR d IN SELECT indexdef FROM pg_indexes WHERE tablename = '%s' AND indexname NOT LIKE '%%_pkey' AND indexname <> 'events_sequence'
 LOOP EXECUTE regexp_replace(d, 'INDEX [a-z_]+ ON [a-z_.]+', 'INDEX ON %s'); END LOOP; END $$`, t.table, apart))
		from := "MINVALUE"
		for week := range apartWeeks + 2 {
			until := "MAXVALUE"
			if week <= apartWeeks {
				until = fmt.Sprint(t.bound(apartBegins + int64(week)*(apartSpan/apartWeeks)))
			}
			statements = append(statements, fmt.Sprintf("CREATE TABLE %s_%d PARTITION OF %s FOR VALUES FROM (%s) TO (%s)", apart, week, apart, from, until))
			from = until
		}
		for _, copied := range []string{whole, apart} {
			statements = append(statements, fmt.Sprintf(`INSERT INTO %s (id, owner, created_at, %s) SELECT ((%d + i * %d) / 1000 - %d) << 22, i %% 50 * 2, %[3]d + i * %[4]d, %[6]s
 FROM generate_series(0::bigint, %[7]d) i`, copied, t.columns, apartBegins, step, apartEpoch, t.values, rows-1))
		}
	}
	return statements
}

// statementCost is what one run of a statement costs.
type statementCost struct {
	cpu   time.Duration // of its process of PostgreSQL
	locks int           // that its transaction holds then
}

// compare runs a statement on the whole copy and on the one in partitions, in turn, and takes medians.
func (b *bench) compare(ctx context.Context, conn *pgx.Conn, c comparison) (costs [2]statementCost, err error) {
	texts := [2]string{fmt.Sprintf(c.text, c.table+"_"+copyWhole), fmt.Sprintf(c.text, c.table+"_"+copyApart)}
	if c.apart != "" {
		texts[1] = fmt.Sprintf(c.apart, c.table+"_"+copyApart)
	}
	var times [2][]time.Duration
	for range b.rounds {
		for i, text := range texts {
			took, err := b.runOften(ctx, conn, text, c.args)
			if err != nil {
				return costs, err
			}
			times[i] = append(times[i], took)
		}
	}
	for i, text := range texts {
		costs[i].cpu = median(times[i])
		err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
			if _, err := tx.Exec(ctx, text, c.args(7, int64(b.rows))...); err != nil {
				return err
			}
			return tx.QueryRow(ctx, "SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND relation IS DISTINCT FROM 'pg_locks'::regclass").Scan(&costs[i].locks)
		})
		if err != nil {
			return costs, err
		}
	}
	return costs, nil
}

// runOften runs a statement with the arguments of many rows, and says how much CPU one run took.
func (b *bench) runOften(ctx context.Context, conn *pgx.Conn, text string, args func(n, of int64) []any) (time.Duration, error) {
	process := int(conn.PgConn().PID())
	before, err := readProcess(process)
	if err != nil {
		return 0, err
	}
	times, rows := 25*b.requests, int64(b.rows)
	for n := range int64(times) {
		if _, err := conn.Exec(ctx, text, args(n*7919%rows, rows)...); err != nil {
			return 0, err
		}
	}
	after, err := readProcess(process)
	return (after.own - before.own) / time.Duration(times), err
}

// compareRetention deletes the attempts of the first weeks in steps, as the purger does, and drops a partition.
func (b *bench) compareRetention(ctx context.Context, conn *pgx.Conn, out io.Writer) error {
	until := apartBegins + apartSpan*2/5
	deletion := fmt.Sprintf(`DO $$ DECLARE a bigint := 0; u bigint; BEGIN LOOP
 SELECT max(id) INTO u FROM (SELECT id FROM %[1]s WHERE id > a ORDER BY id LIMIT 1000) x; EXIT WHEN u IS NULL OR a >= %[2]d;
 DELETE FROM %[1]s WHERE ctid = ANY(ARRAY(SELECT ctid FROM %[1]s WHERE id > a AND id <= u AND created_at < %[3]d ORDER BY id FOR UPDATE SKIP LOCKED)); a := u; COMMIT; END LOOP; END $$`,
		delivery.Table+"_"+copyWhole, idOf(until), until)
	drop := fmt.Sprintf("DROP TABLE %s_%s_1", delivery.Table, copyApart)
	for _, s := range []struct {
		what, statement string
		rows            int
	}{
		{"delete in steps of 1,000", deletion, b.rows * 2 / apartWeeks},
		{"vacuum after it", "VACUUM " + delivery.Table + "_" + copyWhole, b.rows * 2 / apartWeeks},
		{"drop a partition", drop, b.rows / apartWeeks},
	} {
		var before, after int64
		const lsn = "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint"
		if err := conn.QueryRow(ctx, lsn).Scan(&before); err != nil {
			return err
		}
		began := time.Now()
		if _, err := conn.Exec(ctx, s.statement); err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
		took := time.Since(began)
		if err := conn.QueryRow(ctx, lsn).Scan(&after); err != nil {
			return err
		}
		fmt.Fprintf(out, "%s: %d rows in %s, %.1f µs and %.1f bytes of log each\n", s.what, s.rows, took.Round(time.Millisecond),
			micros(took)/float64(s.rows), float64(after-before)/float64(s.rows))
	}
	return nil
}
