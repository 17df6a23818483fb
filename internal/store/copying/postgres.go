package copying

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"sellerd/internal/base/each"
)

// postgres is a database of a server.
type postgres struct{ session }

// boundless are the settings of all transactions: a role may have limits for requests. Only locks are not waited for for
// long, because other programs should not use the database now.
const boundless = "; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0; SET LOCAL lock_timeout = '30s'"

func (p *postgres) look(ctx context.Context) error {
	return p.control(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"+boundless, true)
}

// begin implements database. Commits need not be durable one by one: after a crash of the server some of the last ones are
// missing, with their marks.
func (p *postgres) begin(ctx context.Context) error {
	return p.control(ctx, "BEGIN"+boundless+"; SET LOCAL synchronous_commit = off", true)
}

func (p *postgres) commit(ctx context.Context, durable bool) error {
	statement := "COMMIT"
	if durable {
		statement = "SET LOCAL synchronous_commit = on; COMMIT"
	}
	return p.control(ctx, statement, false)
}

// Tables that are partitioned count as one, and their partitions not at all.
const (
	columnsOfPostgres = `SELECT c.relname, a.attname, format_type(a.atttypid, NULL), coalesce(k.place, 0), (pg_get_serial_sequence(quote_ident(c.relname), a.attname) IS NOT NULL)::int
 FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
 LEFT JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place) ON k.attnum = a.attnum
 WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace`
	referencesOfPostgres = `SELECT DISTINCT c.relname, r.relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
 WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace AND NOT c.relispartition AND NOT r.relispartition AND c.oid <> r.oid`
)

func (p *postgres) tables(ctx context.Context) ([]*table, error) {
	return p.session.tables(ctx, columnsOfPostgres, referencesOfPostgres)
}

func (p *postgres) read(ctx context.Context, t *table, wanted part, each func(row []any) error) error {
	// Sorted rows come from the index of the key, without a sort of what is left of the table at every step.
	method := "on"
	if wanted.sorted {
		method = "off"
	}
	if err := p.control(ctx, "SET LOCAL enable_seqscan = "+method+"; SET LOCAL enable_sort = "+method, true); err != nil {
		return err
	}
	return p.session.read(ctx, t, wanted, each)
}

func (p *postgres) insert(ctx context.Context, t *table, rows [][]any) error {
	names := each.Of(t.columns, func(c column) string { return c.name })
	return p.conn.Raw(func(conn any) error {
		_, err := conn.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{t.name}, names, pgx.CopyFromRows(rows))
		return err
	})
}

// sequence is the sequence behind a counter, as SQL takes it.
func (p *postgres) sequence(ctx context.Context, t *table) (string, error) {
	answer, err := p.ask(ctx, "SELECT pg_get_serial_sequence(quote_ident($1::text), $2::text)", t.name, t.counter)
	if err != nil || len(answer) != 1 {
		return "", errors.Join(fmt.Errorf("find the sequence of %s", t.name), err)
	}
	return answer[0][0], nil
}

func (p *postgres) next(ctx context.Context, t *table) (int64, error) {
	sequence, err := p.sequence(ctx, t)
	if err != nil {
		return 0, err
	}
	return number(p.ask(ctx, "SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END FROM "+sequence))
}

func (p *postgres) setNext(ctx context.Context, t *table, next int64) error {
	sequence, err := p.sequence(ctx, t)
	if err != nil {
		return err
	}
	_, err = p.ask(ctx, "SELECT setval($1::regclass, $2::bigint, false)", sequence, next)
	return err
}

// finish implements database: it makes what was postponed, and gives the planner its statistics, which otherwise say that the tables
// are empty.
func (p *postgres) finish(ctx context.Context) error {
	if err := p.makePostponed(ctx); err != nil {
		return err
	}
	tables, err := p.tables(ctx)
	if err != nil {
		return err
	}
	names := each.Of(tables, func(t *table) string { return quoted(t.name) })
	_, err = p.run(ctx, "SET statement_timeout = 0; ANALYZE "+strings.Join(names, ", ")+"; RESET statement_timeout")
	return err
}
