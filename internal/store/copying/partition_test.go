package copying

import (
	"context"
	"testing"
)

// inPartitions replaces the table of dispatches of a PostgreSQL by one in partitions, whose primary key has the time, too.
var inPartitions = []string{
	`CREATE TABLE parted (LIKE dispatches INCLUDING DEFAULTS, PRIMARY KEY (id, created_at)) PARTITION BY RANGE (created_at)`,
	`CREATE TABLE dispatches_old PARTITION OF parted FOR VALUES FROM (MINVALUE) TO (1793664000000000)`, // 3 November 2026
	`CREATE TABLE dispatches_new PARTITION OF parted FOR VALUES FROM (1793664000000000) TO (MAXVALUE)`,
	`INSERT INTO parted SELECT * FROM dispatches`,
	`DROP TABLE dispatches`,
	`ALTER TABLE parted RENAME TO dispatches`,
}

// TestATableInPartitionsIsOneTable copies from one that is whole to one in partitions, and back, in steps.
func TestATableInPartitionsIsOneTable(t *testing.T) {
	t.Parallel()
	whole, parted, back := source(t, newSQLite(t)), newPostgres(t), newSQLite(t)
	on(t, parted, func(ctx context.Context, side database) error {
		for _, statement := range inPartitions {
			if _, err := side.run(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
	for _, o := range []Options{{From: whole, To: parted, step: 7}, {From: parted, To: back, step: 7}} {
		stopped(t, o, 200)
		copied(t, o)
		if _, err := Compare(t.Context(), o); err != nil {
			t.Error(err)
		}
	}
	on(t, parted, func(ctx context.Context, side database) error {
		for _, name := range []string{"dispatches_old", "dispatches_new"} {
			if n, err := number(side.ask(ctx, "SELECT count(*) FROM "+name)); err != nil || n == 0 || n == filledRows {
				t.Errorf("%s has %d rows (%v)", name, n, err)
			}
		}
		return nil
	})
}
