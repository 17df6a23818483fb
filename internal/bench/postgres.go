package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"sellerd/internal/pgtest"
)

// cluster is a throw-away PostgreSQL. A database in it has the rows of SQLite's small file.
type cluster struct {
	server     *pgtest.Cluster
	postmaster int // process id
	filled     dataset
}

// The databases of the cluster: the first is filled once, the second is a copy of it for a round of writes.
const (
	filledDatabase = "bench"
	copiedDatabase = "bench_writes"
)

func (b *bench) startPostgres(ctx context.Context, from dataset) (_ *cluster, err error) {
	fmt.Fprintf(os.Stderr, "starting PostgreSQL with %d items\n", from.items)
	c := &cluster{}
	if c.server, err = pgtest.Start(ctx, pgtest.Options{Durable: b.durable}); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
		}
	}()
	if err := c.execute(ctx, "CREATE DATABASE "+filledDatabase); err != nil {
		return nil, err
	}
	c.filled = from
	c.filled.url, c.filled.path = c.server.URL(filledDatabase), ""
	if _, err := command(ctx, b.builds[0].program, "migrate", "--db", c.filled.url); err != nil {
		return nil, err
	}
	if err := c.fill(ctx, from.path); err != nil {
		return nil, fmt.Errorf("copy the rows of %s to PostgreSQL: %w", from.path, err)
	}
	return c, nil
}

func (c *cluster) name() string   { return "PostgreSQL" }
func (c *cluster) reads() dataset { return c.filled }
func (c *cluster) close() error   { return c.server.Stop() }

// fresh implements database.
func (c *cluster) fresh(ctx context.Context) (dataset, error) {
	data := c.filled
	data.url = c.server.URL(copiedDatabase)
	err := c.execute(ctx, "DROP DATABASE IF EXISTS "+copiedDatabase+" WITH (FORCE)",
		"CREATE DATABASE "+copiedDatabase+" TEMPLATE "+filledDatabase+" STRATEGY FILE_COPY", "CHECKPOINT")
	return data, err
}

// cpu implements database. The postmaster has the time of its children that have ended.
func (c *cluster) cpu() (time.Duration, error) { return familyCPU(c.postmaster) }

// execute runs statements in the admin database.
func (c *cluster) execute(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, c.server.AdminURL())
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	if c.postmaster == 0 {
		c.postmaster, err = parentOf(int(conn.PgConn().PID()))
	}
	return err
}

// fill copies all tables of a SQLite file.
func (c *cluster) fill(ctx context.Context, path string) error {
	from, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := pgx.Connect(ctx, c.filled.url)
	if err != nil {
		return err
	}
	defer to.Close(context.WithoutCancel(ctx))
	if _, err := to.Exec(ctx, "SET session_replication_role = replica"); err != nil { // tables come in any order
		return err
	}
	tables, err := to.Query(ctx, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'goose%'")
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(tables, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if _, err := to.Exec(ctx, `TRUNCATE "`+strings.Join(names, `", "`)+`"`); err != nil {
		return err
	}
	for _, name := range names {
		if err := copyTable(ctx, from, to, name); err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
	}
	if err := advanceSequences(ctx, to); err != nil {
		return err
	}
	_, err = to.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// advanceSequences puts the sequences of columns behind the numbers that were copied.
func advanceSequences(ctx context.Context, conn *pgx.Conn) error {
	rows, err := conn.Query(ctx, `SELECT format('SELECT setval(pg_get_serial_sequence(%L, %L), max(%I) + 1) FROM %I', table_name, column_name, column_name, table_name)
 FROM information_schema.columns WHERE table_schema = 'public' AND table_name NOT LIKE 'goose%' AND (is_identity = 'YES' OR column_default LIKE 'nextval%')`)
	if err != nil {
		return err
	}
	statements, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func copyTable(ctx context.Context, from *sql.DB, to *pgx.Conn, table string) error {
	rows, err := from.QueryContext(ctx, `SELECT * FROM "`+table+`"`)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	copied := copiedRows{Rows: rows, flags: make([]bool, len(columns))}
	empty, err := to.Query(ctx, `SELECT "`+strings.Join(columns, `", "`)+`" FROM "`+table+`" LIMIT 0`)
	if err != nil {
		return err
	}
	for i, column := range empty.FieldDescriptions() {
		copied.flags[i] = column.DataTypeOID == pgtype.BoolOID
	}
	empty.Close()
	_, err = to.CopyFrom(ctx, pgx.Identifier{table}, columns, copied)
	return err
}

// copiedRows are rows of SQLite as pgx copies them.
type copiedRows struct {
	*sql.Rows
	flags []bool // the columns that are numbers in SQLite and flags in PostgreSQL
}

// Values is the row.
func (r copiedRows) Values() ([]any, error) {
	values, targets := make([]any, len(r.flags)), make([]any, len(r.flags))
	for i := range values {
		targets[i] = &values[i]
	}
	err := r.Scan(targets...)
	for i, isFlag := range r.flags {
		if n, ok := values[i].(int64); ok && isFlag {
			values[i] = n != 0
		}
	}
	return values, err
}
