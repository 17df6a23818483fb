package plantest

import (
	"context"
	"database/sql"

	entsql "entgo.io/ent/dialect/sql"

	"sellerd/ent"
	"sellerd/internal/proof/servertest"
)

// Statement is one that was run.
type Statement struct {
	Text string
	Args []any
}

// recorder runs statements on a database and keeps them.
type recorder struct {
	*ent.Client
	run []Statement
}

// QueryContext implements entsql.ExecQuerier.
func (r *recorder) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.run = append(r.run, Statement{query, args})
	return r.Client.QueryContext(ctx, query, args...)
}

// Reads are the statements by which a function reads a database.
func Reads(w *servertest.World, read func(client *ent.Client) error) ([]Statement, error) {
	r := &recorder{Client: w.Store.Reader()}
	err := read(ent.NewClient(ent.Driver(entsql.NewDriver(w.Store.Dialect(), entsql.Conn{ExecQuerier: r}))))
	return r.run, err
}
