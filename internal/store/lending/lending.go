// Package lending is what both databases do alike with a transaction: they lend it to a caller's work as a client of ent, which
// cannot begin or end it, and count how that went.
package lending

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
)

// Work is what one Write or Snapshot does in its transaction. It uses the client and the context it is given and no
// other: the context marks the statements that belong to the transaction.
type Work func(ctx context.Context, tx *ent.Client) error

// ErrNested is returned by a Write or Snapshot that was called from inside a Write of the same database. Such a call would
// wait for itself.
var ErrNested = errors.New("store: Write or Snapshot called inside a Write: use the client it lends")

// Client makes a client of a transaction, or of anything else that runs statements.
func Client(tx entsql.ExecQuerier, dialect string) *ent.Client {
	return ent.NewClient(ent.Driver(driver{entsql.NewDriver(dialect, entsql.Conn{ExecQuerier: tx})}))
}

// Read runs work in a transaction of a pool or of one of its connections, and ends it without a commit, because it has only
// read.
func Read(ctx context.Context, pool interface {
	BeginTx(ctx context.Context, options *sql.TxOptions) (*sql.Tx, error)
}, dialect string, options *sql.TxOptions, work Work,
) error {
	tx, err := pool.BeginTx(ctx, options)
	if err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	defer func() { _ = tx.Rollback() }()
	return work(ctx, Client(tx, dialect))
}

// driver is an ent driver inside a transaction that others begin and end. ent's own transactions, which it opens around an
// insert with edges for instance, become part of it.
type driver struct{ *entsql.Driver }

// Tx implements dialect.Driver.
func (d driver) Tx(context.Context) (dialect.Tx, error) { return dialect.NopTx(d), nil }

// BeginTx shadows the driver's own, which would need a connection of its own.
func (d driver) BeginTx(context.Context, *entsql.TxOptions) (dialect.Tx, error) {
	return nil, ErrNested
}

// Close implements dialect.Driver. A borrowed client has nothing to close.
func (d driver) Close() error { return nil }
