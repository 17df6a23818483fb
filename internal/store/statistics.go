package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"entgo.io/ent/dialect"
)

// outgrown are the tables with ten times as many pages or rows as in PostgreSQL's statistics, and with more than a minimum.
// Only a table's owner may analyze it.
const outgrown = `SELECT c.oid::regclass::text FROM pg_class c
 WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND pg_has_role(c.relowner, 'USAGE')
 AND (pg_relation_size(c.oid) / current_setting('block_size')::bigint > greatest(16, 10 * c.relpages)
 OR pg_stat_get_live_tuples(c.oid) > greatest(200, 10 * c.reltuples))
 ORDER BY 1`

// RefreshStatistics analyzes the tables that have outgrown their statistics. It is for PostgreSQL, and does nothing on
// SQLite, whose planner has none (forgetStatistics).
//
// PostgreSQL keeps a plan for as long as the statistics stay as they are. If they say that a table is empty, all indexes
// look equal, and PostgreSQL may read a whole unsuitable index for a single row. Autovacuum updates the statistics after a
// minute or more, or never if it is switched off.
func (db *DB) RefreshStatistics(ctx context.Context) error {
	if db.dialect != dialect.Postgres {
		return nil
	}
	tables, err := names(ctx, db.reader, outgrown) // quoted as far as they have to be
	if err != nil {
		return fmt.Errorf("look for tables that have outgrown their statistics: %w", Classify(err))
	}
	var failed error
	for _, table := range tables {
		// If another process analyzes it now, that is enough.
		if _, err := db.reader.ExecContext(ctx, "ANALYZE (SKIP_LOCKED) "+table); err != nil {
			failed = errors.Join(failed, fmt.Errorf("analyze %s: %w", table, Classify(err)))
		}
	}
	return failed
}

// forgetStatistics removes what ANALYZE has stored in a SQLite file. Without statistics SQLite takes the index that fits a
// query best, which is the one meant for it. With statistics of a table that had one row, it reads the whole table for each
// row of another. Connections that are open notice.
func forgetStatistics(ctx context.Context, db *sql.DB) error {
	if _, err := db.ExecContext(ctx, "DROP TABLE IF EXISTS sqlite_stat1"); err != nil {
		return fmt.Errorf("remove statistics: %w", err)
	}
	return nil
}
