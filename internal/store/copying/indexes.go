package copying

import (
	"context"
	"fmt"

	"sellerd/internal/store"
)

// PostgreSQL makes an index of all rows at once for a fraction of what it costs to add each row to it, and likewise checks a foreign
// key. So an unfinished copy on PostgreSQL has neither, only primary keys and unique constraints. The statements that make them are
// in store.CopyTable, each until it has run.

// What a kind of thing is called in store.CopyTable, before its name. Tables are not called so.
const (
	indexMark      = "index "
	foreignKeyMark = "reference "
)

// lateOfPostgres finds indexes and foreign keys: the name in store.CopyTable, the statement that makes it, and the one that drops it.
// Those of partitioned tables and their partitions stay as they are.
const lateOfPostgres = `SELECT '` + indexMark + `' || x.relname, pg_get_indexdef(i.indexrelid), 'DROP INDEX ' || i.indexrelid::regclass
 FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_class x ON x.oid = i.indexrelid
 WHERE c.relkind = 'r' AND NOT c.relispartition AND c.relnamespace = current_schema()::regnamespace
 AND NOT i.indisprimary AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = i.indexrelid)
UNION ALL
SELECT '` + foreignKeyMark + `' || k.conname || ' of ' || c.relname,
 'ALTER TABLE ' || k.conrelid::regclass || ' ADD CONSTRAINT ' || quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid),
 'ALTER TABLE ' || k.conrelid::regclass || ' DROP CONSTRAINT ' || quote_ident(k.conname)
 FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class r ON r.oid = k.confrelid
 WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
 AND c.relkind = 'r' AND NOT c.relispartition AND r.relkind = 'r' AND NOT r.relispartition`

// postpone implements database.
func (p *postgres) postpone(ctx context.Context) error {
	found, err := p.ask(ctx, lateOfPostgres)
	if err != nil {
		return err
	}
	for _, line := range found {
		if _, err := p.run(ctx, "INSERT INTO "+store.CopyTable+" (name, state) VALUES ($1, $2)", line[0], line[1]); err != nil {
			return err
		}
		if _, err := p.run(ctx, line[2]); err != nil {
			return err
		}
	}
	return nil
}

// makePostponed makes what was postponed and is not made yet, each in a transaction of its own. Indexes come first.
func (p *postgres) makePostponed(ctx context.Context) error {
	found, err := p.ask(ctx, "SELECT name, state FROM "+store.CopyTable+" WHERE name LIKE '"+indexMark+"%' OR name LIKE '"+foreignKeyMark+"%' ORDER BY name")
	if err != nil {
		return err
	}
	for _, line := range found {
		if err := p.makeOne(ctx, line[0], line[1]); err != nil {
			return fmt.Errorf("make the %s: %w", line[0], err)
		}
	}
	return nil
}

func (p *postgres) makeOne(ctx context.Context, name, statement string) error {
	if err := p.begin(ctx); err != nil {
		return err
	}
	defer p.rollback()
	n, err := p.run(ctx, "DELETE FROM "+store.CopyTable+" WHERE name = $1", name)
	if err != nil {
		return err
	}
	if n != 1 {
		return ErrTaken
	}
	for _, text := range []string{"SET LOCAL maintenance_work_mem = '256MB'", statement} {
		if _, err := p.run(ctx, text); err != nil {
			return err
		}
	}
	return p.commit(ctx, false)
}
