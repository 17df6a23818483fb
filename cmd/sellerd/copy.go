package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"sellerd/internal/store"
	"sellerd/internal/store/copying"
	"sellerd/v1"
)

type copyCmd struct {
	From    string `required:"" group:"database" env:"SELLERD_COPY_FROM" placeholder:"URL" help:"The database to copy: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME."`
	To      string `required:"" group:"database" env:"SELLERD_COPY_TO" placeholder:"URL" help:"The database to fill, which has no rows or is not there yet, or is an unfinished copy."`
	Compare bool   `help:"Copy nothing, and compare the two databases."`
}

// Run copies or compares, and prints each table.
func (c *copyCmd) Run(ctx context.Context) error {
	now := v1.SystemClock{}.Now
	shown := newProgress(os.Stderr, now, "rows")
	var applied bytes.Buffer
	log := io.Writer(os.Stderr)
	if shown.terminal {
		log = &applied // lines in the middle of the bar would break it
	}
	work, verb := copying.Copy, "copied and compared"
	if c.Compare {
		work, verb = copying.Compare, "compared"
	}
	start := now()
	report, err := work(ctx, copying.Options{
		From: c.From, To: c.To,
		Logger: newLogger(log, slog.LevelWarn),
		Begin:  func(phase string, rows int64) { shown.begin(phase, int(rows)) },
		Add:    func(rows int64) { shown.add(int(rows)) },
		Notice: func(text string) { fmt.Fprintln(os.Stderr, "sellerd:", text) },
	})
	shown.end()
	_, _ = applied.WriteTo(os.Stderr)
	if err != nil {
		return c.explain(ctx, err)
	}
	for _, t := range report.Tables {
		fmt.Printf("%-20s %12d rows  %s\n", t.Name, t.Rows, t.Digest[:16])
	}
	if report.Before > 0 {
		fmt.Printf("an earlier run had copied %d of the rows\n", report.Before)
	}
	if !c.Compare {
		fmt.Println(sameSecret)
	}
	fmt.Printf("%d rows of %d tables %s in %s: %s\n", report.Rows, len(report.Tables), verb, now().Sub(start).Round(100*time.Millisecond), equal(report, start))
	return nil
}

// equal says of which moment two databases are equal.
func equal(report copying.Report, start time.Time) string {
	text := fmt.Sprintf("%s and %s are equal", report.From, report.To)
	was := "was running"
	switch report.Served {
	case store.NotServed:
		return text
	case store.MaybeServed:
		was = "may have been running"
	}
	return text + fmt.Sprintf(" as of a moment after %s. A server %s on the source meanwhile: what it has changed since that moment is not in the copy",
		start.Format(time.RFC3339), was)
}

// sameSecret is what the operator has to know of every copy.
const sameSecret = "The copy belongs to the same secret as the source: give its servers that secret with --secret or SELLERD_SECRET, or as the file sellerd.secret."

// goOn is the advice after an error that passes.
const goOn = "run the same command again, and it goes on where it stopped"

// explain says what to do about an error, if that is known. It shows no password.
func (c *copyCmd) explain(ctx context.Context, err error) error {
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
		return wrong("--from and --to name the same database")
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
func (c *copyCmd) explainSide(side copying.SideError) error {
	flag, d := "--from", databaseURL{DB: c.From}
	if side.Target {
		flag, d = "--to", databaseURL{DB: c.To}
	}
	var (
		open *store.OpenError
		away interface{ Unavailable() bool }
	)
	switch {
	case errors.As(side.Err, &open):
		return d.explainCopied(flag, open)
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

// explainCopied says what to do about a database that cannot be opened for a copy.
func (d databaseURL) explainCopied(flag string, e *store.OpenError) error {
	source := flag == "--from"
	switch {
	case e.Problem == store.ProblemMissing && d.path() != "":
		return fmt.Errorf("there is no database at %s: is %s mistyped?", d.path(), flag)
	case e.Problem == store.ProblemMissing:
		return fmt.Errorf("the database in %s has no tables of sellerd: is %s mistyped?", flag, flag)
	case e.Problem == store.ProblemFiles && source:
		return fmt.Errorf("cannot read %s (%w): this user must be allowed to read the file, and to write its folder, where SQLite makes files while it reads", d.path(), reason(e.Err))
	case e.Problem == store.ProblemOlder && source:
		return fmt.Errorf("the database in --from has the schema of an older release: stop its servers, and run `sellerd migrate` on it with this program (%w)", e.Err)
	case e.Problem == store.ProblemNewer && source:
		return fmt.Errorf("the database in --from has the schema of a newer release: copy it with the program of that release (%w)", e.Err)
	case e.Problem == store.ProblemOlder, e.Problem == store.ProblemNewer:
		return fmt.Errorf("the database in --to has the schema of another release: name a new database (%w)", e.Err)
	case e.Problem == store.ProblemUnfinished && source:
		return errors.New("the database in --from is an unfinished copy itself, in which rows are missing: finish that one first")
	case e.Problem == store.ProblemServed:
		return fmt.Errorf("a server is running on %s: stop it first, or name another file with %s (%s)", d.path(), flag, last(e.Err))
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
func (c *copyCmd) resumable(what string) error {
	if c.Compare {
		return errors.New(what)
	}
	return errors.New(what + "; " + goOn)
}
