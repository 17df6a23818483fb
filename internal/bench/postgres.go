package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/jackc/pgx/v5"

	"sellerd/internal/pgtest"
)

// The case postgres walks through the large seller's open items at a fixed price once more, on PostgreSQL. It has a cluster
// of its own, which gets a copy of these items and of the counters of their positions.

func (b *bench) measurePostgres(ctx context.Context, out io.Writer) (err error) {
	cluster, err := pgtest.Start(ctx, pgtest.Options{Durable: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	url := cluster.AdminURL()
	if _, err := command(ctx, b.program, "migrate", "--db", url); err != nil {
		return err
	}
	seller, err := createSeller(ctx, b.program, url, "bench")
	if err != nil {
		return err
	}
	key, err := seller.liveKey(ctx, b.program, url)
	if err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "copying the items to PostgreSQL")
	if err := b.copyOpenItems(ctx, url, seller.owner()); err != nil {
		return fmt.Errorf("copy the items: %w", err)
	}
	opened, err := openService(ctx, url)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, opened.db.Close()) }()
	cost, err := b.measureWalk(ctx, opened.public, key)
	if err != nil {
		return fmt.Errorf("walk: %w", err)
	}
	printWalk(out, "PostgreSQL", cost)
	return nil
}

// copyOpenItems copies what the walk reads from the large file, for another owner.
func (b *bench) copyOpenItems(ctx context.Context, url string, owner int64) error {
	from, err := sql.Open("sqlite3", "file:"+b.large.path+"?mode=ro")
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer to.Close(context.WithoutCancel(ctx))
	for table, query := range map[string]string{
		"items":          "SELECT * FROM items WHERE owner = ? AND sale_type = 'fixed_price' AND status = 'open'",
		"list_positions": "SELECT owner, list, level, bucket, n FROM list_positions WHERE owner = ? AND list = 'item/fixed_price/open'",
	} {
		rows, err := from.QueryContext(ctx, query, b.large.Owner)
		if err != nil {
			return err
		}
		columns, err := rows.Columns()
		if err != nil {
			return errors.Join(err, rows.Close())
		}
		_, err = to.CopyFrom(ctx, pgx.Identifier{table}, columns, &givenAway{Rows: rows, columns: columns, owner: owner})
		if err := errors.Join(err, rows.Close()); err != nil {
			return err
		}
	}
	_, err = to.Exec(ctx, "VACUUM ANALYZE")
	return err
}

// givenAway is rows with another owner, as pgx copies them.
type givenAway struct {
	*sql.Rows
	columns []string
	owner   int64
}

// Values is the row.
func (g *givenAway) Values() ([]any, error) {
	values, targets := make([]any, len(g.columns)), make([]any, len(g.columns))
	for i := range values {
		targets[i] = &values[i]
	}
	err := g.Scan(targets...)
	values[slices.Index(g.columns, "owner")] = g.owner
	return values, err
}
