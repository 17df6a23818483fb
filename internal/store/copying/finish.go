package copying

import (
	"context"

	"sellerd/internal/store"
)

// finish does what comes after the rows, compares, and makes the target a database like any other.
func (c *copier) finish(ctx context.Context) (Report, error) {
	if err := c.setCounters(ctx); err != nil {
		return Report{}, err
	}
	if err := c.to.finish(ctx); err != nil {
		return Report{}, ofTarget(err)
	}
	if err := c.to.look(ctx); err != nil {
		return Report{}, ofTarget(err)
	}
	c.Begin("comparing", total(c.counts))
	report, err := c.compare(ctx, func(_ context.Context, i int) (digest, error) {
		name := c.filled[i].name
		return digest{c.counts[name], c.stored[name].sum.sum}, nil
	})
	c.to.rollback()
	if err != nil {
		return Report{}, err
	}
	if err := c.to.begin(ctx); err != nil {
		return Report{}, ofTarget(err)
	}
	if _, err := c.to.run(ctx, "DROP TABLE "+store.CopyTable); err != nil {
		return Report{}, ofTarget(err)
	}
	return report, ofTarget(c.to.commit(ctx, true))
}

// setCounters makes the target go on where the source would have.
func (c *copier) setCounters(ctx context.Context) error {
	if err := c.to.begin(ctx); err != nil {
		return ofTarget(err)
	}
	defer c.to.rollback()
	for i, t := range c.filled {
		if t.counter == "" {
			continue
		}
		last, err := number(c.to.ask(ctx, "SELECT CAST(coalesce(max("+quoted(t.counter)+"), 0) AS text) FROM "+quoted(t.name)))
		if err != nil {
			return ofTarget(err)
		}
		next := int64(1)
		if c.read[i].counter != "" {
			if next, err = c.from.next(ctx, c.read[i]); err != nil {
				return ofSource(err)
			}
		}
		if err := c.to.setNext(ctx, t, max(next, last+1)); err != nil {
			return ofTarget(err)
		}
	}
	return ofTarget(c.to.commit(ctx, false))
}
