package serve

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/command/database"
	"sellerd/internal/store"
)

// dbRead is the flag that names a standby to read from.
type dbRead struct {
	DBRead string `name:"db-read" group:"database" env:"SELLERD_DB_READ" secret:"" placeholder:"URL" help:"A standby of the PostgreSQL in --db, as postgres://USER:PASSWORD@HOST/NAME. GET requests read from it while it is up to date, and otherwise from --db. Default: none."`
}

// check rejects the flag where there can be no standby.
func (d dbRead) check(db database.URL) error {
	switch {
	case d.DBRead == "":
		return nil
	case db.Path() != "":
		return command.Wrong("--db-read names a standby, which only PostgreSQL has, but --db names the SQLite file %s: leave --db-read out", db.Path())
	case !strings.HasPrefix(d.DBRead, "postgres://") && !strings.HasPrefix(d.DBRead, "postgresql://"):
		return errReadURL
	}
	return explainRead(store.CheckURL(d.DBRead))
}

// explainRead says what to do about a URL that cannot be used.
func explainRead(err error) error {
	if problem := (*store.OpenError)(nil); errors.As(err, &problem) {
		switch problem.Problem {
		case store.ProblemURL:
			return errReadURL
		case store.ProblemSetting:
			return command.Wrong("--db-read cannot be used: %s", problem.Err)
		}
	}
	return err
}

// errReadURL does not show the URL, which may hold a password.
var errReadURL = command.Wrong("--db-read must be postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded")

// open makes the reads that may go to the standby. They are nil without the flag.
func (d dbRead) open(ctx context.Context, db *store.DB, logger *slog.Logger) (*store.Reads, error) {
	if d.DBRead == "" {
		return nil, nil
	}
	reads, err := db.ReadFrom(ctx, d.DBRead, 0, logger)
	return reads, explainRead(err)
}
