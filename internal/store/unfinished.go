package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"entgo.io/ent/dialect"

	"sellerd/internal/base/crash"
	"sellerd/internal/base/pause"
	"sellerd/internal/store/migrations"
)

// CopyTable is the table that exists in a database only while it is an unfinished copy of another one. Open refuses such a
// database, because rows are missing in it. It is there before all other tables, so that no server starts on what an interrupted copy
// leaves, and nothing is in it until the copy begins.
const CopyTable = "sellerd_copy"

// makeCopyTable is the statement that makes it.
const makeCopyTable = "CREATE TABLE IF NOT EXISTS " + CopyTable + " (name text PRIMARY KEY, state text NOT NULL)"

// has is a query for the number of tables of a name.
func has(kind, table string) string {
	if kind == dialect.Postgres {
		return "SELECT count(to_regclass('" + table + "'))"
	}
	return "SELECT count(*) FROM sqlite_schema WHERE name = '" + table + "'"
}

// look looks at a database before it is migrated. It fails with errCopying for an unfinished copy, and with errMissing if the database
// should have tables and has none. A copy without tables is marked.
func (c *Config) look(ctx context.Context, kind string, pool *sql.DB) error {
	var unfinished, migrated int
	for table, found := range map[string]*int{CopyTable: &unfinished, migrations.Table: &migrated} {
		if err := pool.QueryRowContext(ctx, has(kind, table)).Scan(found); err != nil {
			return fmt.Errorf("look for the table %s: %w", table, err)
		}
	}
	if kind == dialect.SQLite && unfinished+migrated == 0 && !c.Existing {
		if err := nobodys(ctx, pool); err != nil {
			return err
		}
	}
	if kind == dialect.Postgres && unfinished+migrated == 0 && !c.Existing {
		if err := inUTF8(ctx, pool); err != nil {
			return err
		}
	}
	switch {
	case c.copying && unfinished+migrated == 0:
		if _, err := pool.ExecContext(ctx, makeCopyTable); err != nil {
			return fmt.Errorf("mark an unfinished copy: %w", err)
		}
		crash.At(crash.AfterCopyMark)
	case !c.copying && unfinished != 0:
		return errCopying
	case c.Existing && migrated == 0: // it may belong to another program
		return errMissing
	}
	return nil
}

// inUTF8 fails with errEncoding if a new database of PostgreSQL cannot store every text. One with tables has been used as it is.
func inUTF8(ctx context.Context, pool *sql.DB) error {
	var encoding string
	if err := pool.QueryRowContext(ctx, "SELECT current_setting('server_encoding')").Scan(&encoding); err != nil {
		return fmt.Errorf("ask for the encoding: %w", err)
	}
	if encoding != "UTF8" {
		return errEncoding
	}
	return nil
}

// nobodys fails with errTables if a file that has none of this program's tables has other ones, among which ours would be made. Those of
// Litestream begin with an underscore.
func nobodys(ctx context.Context, pool *sql.DB) error {
	var table sql.NullString
	const others = "SELECT min(name) FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 1) <> '_' AND name NOT LIKE 'sqlite%'"
	if err := pool.QueryRowContext(ctx, others).Scan(&table); err != nil {
		return fmt.Errorf("look for tables: %w", err)
	}
	if table.Valid {
		return fmt.Errorf("%w, such as %s", errTables, table.String)
	}
	return nil
}

// checkOwner is nobodys for the file at a path, before anything is opened for writing. That would change the journal of another program's
// database and leave files beside it. A file that cannot be read is reported by those who open it.
func checkOwner(ctx context.Context, path string) error {
	if findFile(path) != nil {
		return nil
	}
	pool := openPool(fileName(path)+"?mode=ro&_query_only=1&_busy_timeout=1000", 1, nil)
	defer pool.Close()
	for _, table := range []string{CopyTable, migrations.Table} {
		var found int
		if err := pool.QueryRowContext(ctx, has(dialect.SQLite, table)).Scan(&found); err != nil || found > 0 {
			return nil
		}
	}
	if err := nobodys(ctx, pool); errors.Is(err, errTables) {
		return err
	}
	return nil
}

// ErrTaken says that another copy is filling the database.
var ErrTaken = errors.New("another copy to this target is running")

// takeTarget keeps other copies away from a PostgreSQL until the Bulk that it returns is closed; for a SQLite file there is none. As in the
// lock of migrations, it is a lock of a transaction, which poolers keep. A copy that has just ended may be listed a little longer.
func takeTarget(ctx context.Context, c Config) (keeper *Bulk, err error) {
	if path, err := fileOf(c.URL); err != nil || path != "" {
		return nil, err
	}
	if keeper, _, err = openBulkPostgres(ctx, c); err != nil {
		return nil, err
	}
	_, err = keeper.Conn.ExecContext(ctx, "BEGIN ISOLATION LEVEL READ COMMITTED; SELECT set_config(name, '0', true) FROM pg_settings "+
		"WHERE name IN ('idle_in_transaction_session_timeout', 'transaction_timeout')")
	for left := leaving; err == nil; left -= leavingPause {
		taken := int64(0)
		if taken, err = keeper.first(ctx, "SELECT "+announce("'"+CopyTable+"'")+"::int"); err == nil && taken == 1 {
			return keeper, nil
		}
		if err == nil && left <= 0 {
			err = ErrTaken
		}
		err = errors.Join(err, pause.For(ctx, leavingPause))
	}
	return nil, errors.Join(err, keeper.Close())
}

// createCopy makes a database file that is marked as an unfinished copy. It has another name until it is, always the same one, so that a
// kill leaves one file behind, which the next copy removes. The caller holds the start lock.
func createCopy(ctx context.Context, path string) error {
	temporary := path + ".unfinished-copy"
	if err := createAnew(temporary); err != nil {
		return err
	}
	defer os.Remove(temporary) // fails if it was renamed
	pool := openPool(fileName(temporary)+"?_synchronous=FULL", 1, nil)
	if _, err := pool.ExecContext(ctx, makeCopyTable); err != nil {
		_ = pool.Close() // nobody has seen the file
		return fmt.Errorf("mark an unfinished copy: %w", err)
	}
	if err := pool.Close(); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		return err
	}
	crash.At(crash.AfterCopyMark)
	return nil
}
