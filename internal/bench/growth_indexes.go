package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// PostgreSQL adds rows many times faster to a table without indexes, and makes an index faster from all rows than row by row. So a
// growing table gets its indexes again after its rows. What a request costs is then measured with indexes that are new at every size.

// index is an index of a table with the statement that makes it.
type index struct{ name, definition string }

// withoutIndexes adds rows to a table while it has only its primary key. On SQLite the table keeps its indexes.
func (g *growing) withoutIndexes(ctx context.Context, table string, add func() error) error {
	if g.wire == nil {
		return add()
	}
	indexes, err := g.indexes(ctx, table)
	if err != nil {
		return fmt.Errorf("read the indexes: %w", err)
	}
	for _, i := range indexes {
		if err := g.execute(ctx, "DROP INDEX "+pgx.Identifier{i.name}.Sanitize()); err != nil {
			return fmt.Errorf("drop %s: %w", i.name, err)
		}
	}
	err = add()
	for _, i := range indexes {
		if made := g.execute(ctx, i.definition); made != nil {
			err = errors.Join(err, fmt.Errorf("make %s: %w", i.name, made))
		}
	}
	return err
}

// indexes are a table's indexes except those of its constraints, which cannot be dropped alone.
func (g *growing) indexes(ctx context.Context, table string) ([]index, error) {
	conn, err := pgx.Connect(ctx, g.url)
	if err != nil {
		return nil, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	rows, err := conn.Query(ctx, `SELECT c.relname, pg_get_indexdef(c.oid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indrelid = to_regclass($1) AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = c.oid) ORDER BY 1`, table)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (i index, err error) {
		return i, row.Scan(&i.name, &i.definition)
	})
}
