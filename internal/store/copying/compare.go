package copying

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

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
	total := int64(0)
	for i := range c.read {
		for _, side := range []database{c.from, c.to} {
			n, err := number(side.ask(ctx, "SELECT CAST(count(*) AS text) FROM "+quoted(c.read[i].name)))
			if err != nil {
				return Report{}, err
			}
			total += n
		}
	}
	c.Begin("comparing", total)
	return c.compareTables(ctx)
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
	ordered := make([]*table, len(c.filled))
	for i, t := range c.filled {
		ordered[i] = c.read[slices.IndexFunc(c.read, func(r *table) bool { return r.name == t.name })]
	}
	c.read = ordered
	return nil
}

// compareTables reads both databases at the same time.
func (c *copier) compareTables(ctx context.Context) (Report, error) {
	report := Report{From: c.source.Name, To: c.target.Name}
	var different []string
	for i := range c.read {
		var sums [2]digest
		group, ctx := errgroup.WithContext(ctx)
		group.Go(func() (err error) {
			sums[0], err = c.digest(ctx, c.from, c.read[i], part{})
			return ofSource(err)
		})
		group.Go(func() (err error) {
			sums[1], err = c.digest(ctx, c.to, c.filled[i], part{})
			return ofTarget(err)
		})
		if err := group.Wait(); err != nil {
			return report, fmt.Errorf("read %s: %w", c.read[i].name, err)
		}
		if sums[0] != sums[1] {
			different = append(different, c.read[i].name)
		}
		report.Tables = append(report.Tables, Copied{c.read[i].name, sums[0].rows, sums[0].text()})
		report.Rows += sums[0].rows
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
