package store

import (
	"context"
	"database/sql"
	"fmt"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
)

// lend makes a client of a transaction.
func lend(tx entsql.ExecQuerier, dialect string) *ent.Client {
	return ent.NewClient(ent.Driver(lentDriver{entsql.NewDriver(dialect, entsql.Conn{ExecQuerier: tx})}))
}

// readIn runs work in a transaction of a pool or of one of its connections, and ends it without a commit, because it has only
// read.
func readIn(ctx context.Context, pool interface {
	BeginTx(ctx context.Context, options *sql.TxOptions) (*sql.Tx, error)
}, dialect string, options *sql.TxOptions, work Work,
) error {
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return work(ctx, lend(tx, dialect))
}
