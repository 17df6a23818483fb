package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/prometheus/procfs"

	"sellerd/internal/proof/pgtest"
)

// cluster is a throw-away PostgreSQL. A database in it has the rows of SQLite's small file.
type cluster struct {
	*bench
	server     *pgtest.Cluster // nil before it is used
	postmaster int             // process id
	filled     dataset
}

// The databases of the cluster: the first is filled once, the second is a copy of it for a round of writes.
const (
	filledDatabase = "bench"
	copiedDatabase = "bench_writes"
)

func (c *cluster) name() string { return "PostgreSQL" }

// reads implements database. It starts the server at the first call.
func (c *cluster) reads(ctx context.Context) (dataset, error) {
	if c.server != nil {
		return c.filled, nil
	}
	small, err := openDataset(ctx, c.builds[0].program, c.folder, c.rows)
	if err != nil {
		return small, err
	}
	fmt.Fprintf(os.Stderr, "starting PostgreSQL with %d items\n", small.items)
	if c.server, err = pgtest.Start(ctx, pgtest.Options{Durable: c.durable}); err != nil {
		return small, err
	}
	c.filled = small
	c.filled.url, c.filled.path = c.server.URL(filledDatabase), ""
	if err := c.server.Execute(ctx, "CREATE DATABASE "+filledDatabase); err != nil {
		return c.filled, err
	}
	if _, err := command(ctx, c.builds[0].program, "copy", "--from", small.url, "--to", c.filled.url); err != nil {
		return c.filled, err
	}
	return c.filled, pgtest.Execute(ctx, c.filled.url, "VACUUM ANALYZE")
}

// fresh implements database.
func (c *cluster) fresh(ctx context.Context) (dataset, error) {
	data, err := c.reads(ctx)
	if err != nil {
		return data, err
	}
	data.url = c.server.URL(copiedDatabase)
	return data, c.server.Execute(ctx, "DROP DATABASE IF EXISTS "+copiedDatabase+" WITH (FORCE)",
		"CREATE DATABASE "+copiedDatabase+" TEMPLATE "+filledDatabase+" STRATEGY FILE_COPY", "CHECKPOINT")
}

// cpu implements database: that of the postmaster, which has the time of its children that have ended, and of its children.
func (c *cluster) cpu() (total time.Duration, err error) {
	if c.postmaster == 0 {
		conn, err := pgx.Connect(context.Background(), c.server.AdminURL())
		if err != nil {
			return 0, err
		}
		defer conn.Close(context.Background())
		if c.postmaster, _, _, err = cpuOf(int(conn.PgConn().PID())); err != nil {
			return 0, err
		}
	}
	all, err := procfs.AllProcs()
	for _, process := range all {
		parent, own, waited, failed := cpuOf(process.PID)
		if failed != nil {
			continue // others may end meanwhile
		}
		if parent == c.postmaster {
			total += own
		} else if process.PID == c.postmaster {
			total += own + waited
		}
	}
	return total, err
}

func (c *cluster) close() error {
	if c.server == nil {
		return nil
	}
	return c.server.Stop()
}
