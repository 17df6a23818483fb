package copying

import (
	"context"

	"entgo.io/ent/dialect"
)

// This file looks at the target before rows are copied.

// sameServer says whether both sides are one database of PostgreSQL: the source sees a lock that the target takes.
func (c *copier) sameServer(ctx context.Context) (bool, error) {
	if c.source.Dialect != dialect.Postgres || c.target.Dialect != dialect.Postgres {
		return false, nil
	}
	if err := c.to.begin(ctx); err != nil {
		return false, err
	}
	defer c.to.rollback()
	lock, err := c.to.ask(ctx, "SELECT k, pg_advisory_xact_lock(0, k)::text FROM (SELECT floor(random() * 2147483647)::int AS k OFFSET 0) AS drawn")
	if err != nil {
		return false, err
	}
	n, err := number(c.from.ask(ctx, `SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 0 AND objid = $1 AND objsubid = 2
 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, lock[0][0]))
	return n > 0, err
}

// resume finds what earlier runs have copied, and returns how many rows. In a target without rows it begins.
func (c *copier) resume(ctx context.Context) (before int64, err error) {
	if c.counts, err = c.count(ctx, c.from); err != nil {
		return 0, ofSource(err)
	}
	if err := c.to.begin(ctx); err != nil {
		return 0, ofTarget(err)
	}
	defer c.to.rollback()
	found, source, known, err := c.readMarks(ctx)
	if err != nil {
		return 0, ofTarget(err)
	}
	if known {
		c.marks = found
		return c.compareCopied(ctx, source)
	}
	var full []string
	for _, t := range c.filled {
		some, err := c.to.ask(ctx, "SELECT 1 FROM "+quoted(t.name)+" LIMIT 1")
		if err != nil {
			return 0, ofTarget(err)
		}
		if len(some) > 0 {
			full = append(full, t.name)
		}
	}
	if len(full) > 0 {
		return 0, NotEmptyError{full}
	}
	c.marks = map[string]mark{}
	if err := begun(ctx, c.to, c.source.Name); err != nil {
		return 0, ofTarget(err)
	}
	return 0, ofTarget(c.to.commit(ctx, false))
}

// compareCopied fails unless the rows that are copied are still those of the source.
func (c *copier) compareCopied(ctx context.Context, source string) (before int64, err error) {
	for _, m := range c.marks {
		before += m.sum.rows
	}
	c.Begin("comparing what is copied", before)
	var changed []string
	for _, t := range c.read {
		m := c.marks[t.name]
		if m.key == nil {
			continue
		}
		sum, err := c.digest(ctx, c.from, t, part{upTo: m.key})
		if err != nil {
			return 0, ofSource(err)
		}
		if sum != m.sum {
			changed = append(changed, t.name)
		}
	}
	if len(changed) > 0 {
		return 0, ChangedError{changed, source}
	}
	return before, nil
}
