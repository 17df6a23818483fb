package copying

import (
	"context"
	"slices"
	"strings"
)

// sqlite is a file.
type sqlite struct{ session }

func (s *sqlite) look(ctx context.Context) error {
	if err := s.control(ctx, "BEGIN DEFERRED", true); err != nil {
		return err
	}
	_, err := s.ask(ctx, "SELECT count(*) FROM sqlite_schema") // from here on nothing changes
	return err
}

func (s *sqlite) begin(ctx context.Context) error { return s.control(ctx, "BEGIN IMMEDIATE", true) }

// commit implements database. SQLite in this mode makes all commits durable at a checkpoint.
func (s *sqlite) commit(ctx context.Context, durable bool) error {
	if err := s.control(ctx, "COMMIT", false); err != nil {
		return err
	}
	if !durable {
		return nil
	}
	_, err := s.ask(ctx, "PRAGMA wal_checkpoint(FULL)")
	return err
}

const (
	columnsOfSQLite = `SELECT t.name, c.name, lower(c.type), c.pk, c.pk = 1 AND t.sql LIKE '%AUTOINCREMENT%'
 FROM sqlite_schema t, pragma_table_info(t.name) c
 WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'`
	referencesOfSQLite = `SELECT DISTINCT t.name, k."table" FROM sqlite_schema t, pragma_foreign_key_list(t.name) k
 WHERE t.type = 'table' AND k."table" <> t.name`
)

func (s *sqlite) tables(ctx context.Context) ([]*table, error) {
	return s.session.tables(ctx, columnsOfSQLite, referencesOfSQLite)
}

const (
	mostArguments = 16_000 // of a statement, half of what SQLite takes
	mostInserted  = 100    // rows of a statement, whose text the driver keeps prepared
)

func (s *sqlite) insert(ctx context.Context, t *table, rows [][]any) error {
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ") + ")"
	for part := range slices.Chunk(rows, min(mostInserted, mostArguments/len(t.columns))) {
		if err := ctx.Err(); err != nil {
			return err
		}
		statement := "INSERT INTO " + quoted(t.name) + " (" + list(t.columns) + ") VALUES " +
			strings.TrimSuffix(strings.Repeat(row+", ", len(part)), ", ")
		// With a context that can end, the driver would start a goroutine each time.
		if _, err := s.conn.ExecContext(context.Background(), statement, slices.Concat(part...)...); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlite) next(ctx context.Context, t *table) (int64, error) {
	return number(s.ask(ctx, "SELECT CAST(coalesce(max(seq), 0) + 1 AS text) FROM sqlite_sequence WHERE name = $1", t.name))
}

func (s *sqlite) setNext(ctx context.Context, t *table, next int64) error {
	if _, err := s.run(ctx, "DELETE FROM sqlite_sequence WHERE name = $1", t.name); err != nil {
		return err
	}
	if next <= 1 { // as if there had never been a row
		return nil
	}
	_, err := s.run(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES ($1, $2)", t.name, next-1)
	return err
}

// postpone implements database.
func (s *sqlite) postpone(context.Context) error { return nil }

// finish implements database. The store keeps no statistics in a file.
func (s *sqlite) finish(context.Context) error { return nil }
