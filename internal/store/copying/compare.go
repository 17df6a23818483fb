package copying

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"sellerd/internal/base/each"
	"sellerd/internal/store"
)

// Compare compares two databases by the count and the digest of each table, and changes neither. A DifferentError names the
// tables that differ. The errors are otherwise those of Copy.
func Compare(ctx context.Context, o Options) (_ Report, err error) {
	c := &copier{Options: o.complete()}
	if err := c.openSource(ctx); err != nil {
		return Report{}, err
	}
	defer func() { c.from.rollback(); err = errors.Join(err, ofSource(c.source.Close())) }()
	if c.target, err = store.OpenBulkReader(ctx, store.Config{URL: c.To, Logger: c.Logger}); err != nil {
		return Report{}, ofTarget(err)
	}
	c.to = over(c.target)
	defer func() { c.to.rollback(); err = errors.Join(err, ofTarget(c.target.Close())) }()
	if err := c.lookAtBoth(ctx); err != nil {
		return Report{}, err
	}
	read, err := c.count(ctx, c.from)
	if err != nil {
		return Report{}, err
	}
	filled, err := c.count(ctx, c.to)
	if err != nil {
		return Report{}, err
	}
	c.Begin("comparing", total(read)+total(filled))
	return c.compare(ctx, func(ctx context.Context, i int) (digest, error) {
		sum, err := c.digest(ctx, c.from, c.read[i], part{})
		return sum, ofSource(err)
	})
}

// count counts the rows of each table of a database.
func (c *copier) count(ctx context.Context, side database) (map[string]int64, error) {
	counts := map[string]int64{}
	for _, t := range c.read {
		n, err := number(side.ask(ctx, "SELECT CAST(count(*) AS text) FROM "+quoted(t.name)))
		if err != nil {
			return nil, err
		}
		counts[t.name] = n
	}
	return counts, nil
}

func total(counts map[string]int64) (n int64) {
	for _, of := range counts {
		n += of
	}
	return n
}

// lookAtBoth begins to read both databases.
func (c *copier) lookAtBoth(ctx context.Context) (err error) {
	if err := c.from.look(ctx); err != nil {
		return ofSource(err)
	}
	if c.read, err = c.from.tables(ctx); err != nil {
		return ofSource(err)
	}
	if err := c.to.look(ctx); err != nil {
		return ofTarget(err)
	}
	if c.filled, err = c.to.tables(ctx); err != nil {
		return ofTarget(err)
	}
	if err := agree(c.read, c.filled); err != nil {
		return err
	}
	// The order of the target counts, since its foreign keys do. Both have the same tables.
	c.read = each.Of(c.filled, func(t *table) *table {
		return c.read[slices.IndexFunc(c.read, func(r *table) bool { return r.name == t.name })]
	})
	return nil
}

// compare reads the whole target, and compares it with what the source has, by the number of the table. Both are read at the same time.
func (c *copier) compare(ctx context.Context, ofSource func(ctx context.Context, i int) (digest, error)) (Report, error) {
	report := Report{From: c.source.Name, To: c.target.Name}
	var different []string
	for i, t := range c.filled {
		var want, got digest
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) {
			want, err = ofSource(ctx, i)
			return err
		})
		group.Go(func() (err error) {
			got, err = c.digest(ctx, c.to, t, part{})
			return ofTarget(err)
		})
		if err := group.Wait(); err != nil {
			return report, fmt.Errorf("read %s: %w", t.name, err)
		}
		if got != want {
			different = append(different, t.name)
		}
		report.Tables = append(report.Tables, Copied{t.name, got.rows, got.text()})
		report.Rows += got.rows
	}
	if len(different) > 0 {
		return report, DifferentError{different}
	}
	return report, nil
}

// digest reads a part of a table.
func (c *copier) digest(ctx context.Context, side database, t *table, p part) (sum digest, err error) {
	var encoded []byte
	told := int64(0)
	err = side.read(ctx, t, p, func(row []any) error {
		encoded = encode(encoded[:0], row)
		sum.add(encoded)
		if sum.rows-told == stepRows {
			c.Add(stepRows)
			told = sum.rows
		}
		return nil
	})
	c.Add(sum.rows - told)
	return sum, err
}
