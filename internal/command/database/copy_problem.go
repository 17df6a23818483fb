package database

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sellerd/internal/command"
	"sellerd/internal/store"
	"sellerd/internal/store/copying"
)

// goOn is the advice after an error that passes.
const goOn = "run the same command again, and it goes on where it stopped"

// explain says what to do about an error, if that is known. It shows no password.
func (c *Copy) explain(ctx context.Context, err error) error {
	var (
		notEmpty  copying.NotEmptyError
		changed   copying.ChangedError
		different copying.DifferentError
		side      copying.SideError
	)
	switch {
	case ctx.Err() != nil:
		return c.resumable("stopped")
	case errors.Is(err, copying.ErrSame):
		return command.Wrong("--from and --to name the same database")
	case errors.Is(err, copying.ErrServed):
		return errors.New("a server is running on the database in --to: stop it first, or name another database")
	case errors.Is(err, copying.ErrTaken):
		return errors.New("another `sellerd copy` is filling the database in --to: let it finish")
	case errors.As(err, &notEmpty):
		return fmt.Errorf("the database in --to has rows in %s: a copy needs one without rows, so name a new one; are --from and --to swapped? "+
			"If an earlier run copied everything and then failed, check the copy with --compare", few(notEmpty.Tables))
	case errors.As(err, &changed):
		return fmt.Errorf("the database in --to is an unfinished copy of %s, and the rows copied to it are not those in --from now (%s): the source has "+
			"changed since, or is another. Stop the source's servers, remove the unfinished copy, and copy again", changed.Source, few(changed.Tables))
	case errors.As(err, &different) && c.Compare:
		return fmt.Errorf("the databases differ in %s", few(different.Tables))
	case errors.As(err, &different):
		return fmt.Errorf("the copy differs from the source in %s, and is not used: another program has changed the database in --to meanwhile. Remove it, and "+
			"copy again", few(different.Tables))
	case errors.As(err, &side):
		return c.explainSide(side)
	}
	return err
}

// explainSide is explain for an error of one of the databases.
func (c *Copy) explainSide(side copying.SideError) error {
	flag, d := "--from", URL{DB: c.From}
	if side.Target {
		flag, d = "--to", URL{DB: c.To}
	}
	var (
		open *store.OpenError
		away interface{ Unavailable() bool }
	)
	switch {
	case errors.As(side.Err, &open):
		return d.explainCopied(flag, !side.Target, open)
	case store.Full(side.Err):
		return c.resumable("the disk of the database in " + flag + " is full: make room")
	case errors.As(store.Classify(side.Err), &away) && away.Unavailable():
		return c.resumable(fmt.Sprintf("the database in %s cannot work: %s", flag, side.Err))
	}
	if denied := store.Denied(side.Err); denied != "" {
		return fmt.Errorf("PostgreSQL refuses the user in %s (%s): the user must be the owner of the tables, or of an empty database", flag, denied)
	}
	return fmt.Errorf("%s: %w", flag, d.explainFor(flag, side.Err))
}

// explainCopied says what to do about a database that cannot be opened for a copy. One that is copied is its source.
func (d URL) explainCopied(flag string, source bool, e *store.OpenError) error {
	switch {
	case e.Problem == store.ProblemMissing && d.Path() != "":
		return fmt.Errorf("there is no database at %s: is %s mistyped?", d.Path(), flag)
	case e.Problem == store.ProblemMissing:
		return fmt.Errorf("the database in %s has no tables of sellerd: is %s mistyped?", flag, flag)
	case e.Problem == store.ProblemFiles && source:
		return fmt.Errorf("cannot read %s (%w): this user must be allowed to read the file, and to write its folder, where SQLite makes files while it reads", d.Path(), reason(e.Err))
	case e.Problem == store.ProblemOlder && source:
		return fmt.Errorf("the database in %s has the schema of an older release: stop its servers, and run `sellerd migrate` on it with this program (%w)", flag, e.Err)
	case e.Problem == store.ProblemNewer && source:
		return fmt.Errorf("the database in %s has the schema of a newer release: copy it with the program of that release (%w)", flag, e.Err)
	case e.Problem == store.ProblemOlder, e.Problem == store.ProblemNewer:
		return fmt.Errorf("the database in --to has the schema of another release: name a new database (%w)", e.Err)
	case e.Problem == store.ProblemUnfinished && source:
		return fmt.Errorf("the database in %s is an unfinished copy itself, in which rows are missing: finish that one first", flag)
	case e.Problem == store.ProblemServed:
		return fmt.Errorf("a server is running on %s: stop it first, or name another file with %s (%s)", d.Path(), flag, last(e.Err))
	}
	return d.explainProblem(flag, e)
}

// few names the first of many tables.
func few(tables []string) string {
	if more := len(tables) - 3; more > 0 {
		return strings.Join(tables[:3], ", ") + fmt.Sprintf(" and %d more tables", more)
	}
	return strings.Join(tables, ", ")
}

// resumable is an error after which another run goes on.
func (c *Copy) resumable(what string) error {
	if c.Compare {
		return errors.New(what)
	}
	return errors.New(what + "; " + goOn)
}
