package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sellerd/ent"
	"sellerd/ent/event"
	"sellerd/ent/idempotencykey"
	"sellerd/ent/item"
	"sellerd/ent/submission"
)

// The rows that a database grows by are copies of one that the service has written, with numbers and instants of their own.

const (
	// grownID is the number of the first item that is added.
	grownID = 100_000_000
	// grownEvent is that of the first event.
	grownEvent = 1_000_000_000
	// grownSpan is how far back their instants reach. Events are kept for a little longer.
	grownSpan = 29 * 24 * time.Hour
	// growAtOnce is how many rows one statement adds.
	growAtOnce = 50_000
)

// copied is a table that grows: the columns in which a copy differs from its row, where i is the number of the copy.
type copied struct {
	table   string
	columns []string
	differs map[string]string
}

// grow adds items with all that belongs to each, and events, until there are so many.
func (g *growing) grow(ctx context.Context, items, events int) error {
	first := g.now.Add(-grownSpan).UnixMicro()
	// Every row has another instant, and all of them together cover the span, at every size.
	at := fmt.Sprintf("(%d + (CAST(i AS bigint) * 7919 * 1000003) %% %d)", first, grownSpan.Microseconds())
	number, event_ := fmt.Sprintf("%d + i", grownID), fmt.Sprintf("%d + i", grownEvent)
	for _, t := range []struct {
		copied
		from, to int
	}{
		{copied{item.Table, item.Columns, map[string]string{
			item.FieldID: number, item.FieldCreatedAt: at, item.FieldUpdatedAt: at, item.FieldPersonalReference: "'G-' || i",
		}}, g.items, items},
		{copied{submission.Table, submission.Columns, map[string]string{submission.FieldID: number, submission.FieldCreatedAt: at}}, g.items, items},
		{copied{idempotencykey.Table, idempotencykey.Columns, map[string]string{idempotencykey.FieldID: "'grown/' || i"}}, g.items, items},
		{copied{event.Table, event.Columns, map[string]string{
			event.FieldID: event_, event.FieldCreatedAt: at, event.FieldResourceID: fmt.Sprintf("%d + i %% %d", grownID, max(items, 1)), event.FieldSequence: "2 + i",
		}}, g.events, events},
	} {
		err := g.withoutIndexes(ctx, t.table, func() error {
			for from := t.from; from < t.to; from += growAtOnce {
				if err := g.copy(ctx, t.copied, from, min(from+growAtOnce, t.to)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("add rows to %s: %w", t.table, err)
		}
	}
	g.items, g.events = max(items, g.items), max(events, g.events)
	return g.settleDown(ctx)
}

// copy adds the copies of a table's first row with some numbers.
func (g *growing) copy(ctx context.Context, t copied, from, to int) error {
	values := make([]string, len(t.columns))
	for i, column := range t.columns {
		values[i] = "t." + column
		if value, differs := t.differs[column]; differs {
			values[i] = value
		}
	}
	statement := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT CAST(%d AS bigint) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d) INSERT INTO %s (%s) SELECT %s FROM n, (SELECT * FROM %[3]s ORDER BY id LIMIT 1) t",
		from, to, t.table, strings.Join(t.columns, ", "), strings.Join(values, ", "))
	if g.wire == nil {
		return g.db.Write(ctx, func(ctx context.Context, tx *ent.Client) error {
			_, err := tx.ExecContext(ctx, statement)
			return err
		})
	}
	return g.execute(ctx, statement)
}

// settleDown lets the database finish what the new rows are followed by, so that no request is followed by it.
func (g *growing) settleDown(ctx context.Context) error {
	if g.wire == nil {
		return nil
	}
	return g.execute(ctx, "VACUUM ANALYZE", "CHECKPOINT")
}
