package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/jackc/pgx/v5"
)

// This file asks a growing database what it has written, beside the service that works on it.

// calm lets a server write to its log only what requests make it write: neither images of whole pages, of which there are more
// the longer ago the last checkpoint was, nor what autovacuum does. It lets the server make indexes quickly. Then it makes the database.
func calm(ctx context.Context, adminURL string) error {
	conn, err := pgx.Connect(ctx, adminURL)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range []string{
		"ALTER SYSTEM SET full_page_writes = off", "ALTER SYSTEM SET autovacuum = off", "ALTER SYSTEM SET fsync = off", "ALTER SYSTEM SET max_wal_size = '8GB'",
		"ALTER SYSTEM SET maintenance_work_mem = '1GB'",
		"SELECT pg_reload_conf()", "CREATE DATABASE growth",
	} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// written is how many bytes the database has written so far, or will have as soon as the log is flushed.
func (g *growing) written(ctx context.Context) (n int64, err error) {
	if g.wire == nil {
		text, err := os.ReadFile("/proc/self/io") // SQLite writes in this process, in which little else does
		if err != nil {
			return 0, err
		}
		return number(string(text), "wchar:", 1)
	}
	return g.ask(ctx, "SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
}

// size is how many bytes the database has.
func (g *growing) size(ctx context.Context) (int64, error) {
	if g.wire == nil {
		info, err := os.Stat(strings.TrimPrefix(g.url, "sqlite:"))
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	return g.ask(ctx, "SELECT pg_database_size(current_database())")
}

// ask asks PostgreSQL for a number, beside the service.
func (g *growing) ask(ctx context.Context, query string) (n int64, err error) {
	conn, err := pgx.Connect(ctx, g.url)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, query).Scan(&n)
	return n, err
}

// execute runs statements on PostgreSQL beside the service, which gives no statement of its own so much time.
func (g *growing) execute(ctx context.Context, statements ...string) error {
	conn, err := pgx.Connect(ctx, g.url)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
