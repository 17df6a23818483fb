package database

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"sellerd/internal/command"
	"sellerd/internal/store"
	"sellerd/internal/store/copying"
)

// Explain adds to an error in opening the database or a file beside it what to do, if that is known. It shows no password.
func (d URL) Explain(err error) error { return d.explainFor("--db", err) }

// explainFor is Explain for a command whose flag has another name.
func (d URL) explainFor(flag string, err error) error {
	var (
		problem *store.OpenError
		file    *fs.PathError
	)
	switch {
	case errors.Is(err, context.Canceled): // it was stopped, whatever the database did
		return err
	case errors.As(err, &problem) && !store.Full(err):
		return d.explainProblem(flag, problem)
	case errors.As(err, &file):
		return d.cannotUse(flag, file)
	}
	return d.explainDisk(err)
}

// explainDisk says of an error that means a full disk whose disk it is, of a damaged file and of locks what to do, and returns others as they
// are.
func (d URL) explainDisk(err error) error {
	switch {
	case store.Full(err):
		return errFull{cmp.Or(d.Path(), "the PostgreSQL server")}
	case store.Damaged(err):
		return fmt.Errorf("%s is damaged: stop the server, and restore a backup as docs/operator/backup.md says (%w)", d.Path(), reason(err))
	case store.Busy(err):
		return fmt.Errorf("another session has a lock on the same rows, or changed them: run the command again (%w)", reason(err))
	}
	return err
}

// errFull means that a disk is full.
type errFull struct{ of string }

// Error implements error.
func (e errFull) Error() string {
	return "the disk of " + e.of + " is full: make room, and run the command again"
}

// explainProblem says what to do about a database that cannot be opened.
func (d URL) explainProblem(flag string, e *store.OpenError) error {
	path := d.Path()
	postgres := path == ""
	switch e.Problem {
	case store.ProblemURL:
		return command.Wrong("%s must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded", flag)
	case store.ProblemSetting:
		return command.Wrong("%s cannot be used: %s", flag, e.Err)
	case store.ProblemMissing:
		if postgres {
			return fmt.Errorf("the database %s at %s has no tables of sellerd: start the server once or run `sellerd migrate`, or is %s mistyped?", e.Name, e.Server, flag)
		}
		return fmt.Errorf("there is no database at %s: start the server once or run `sellerd migrate`, or is %s mistyped?", path, flag)
	case store.ProblemBuild:
		return fmt.Errorf("%s: name a PostgreSQL with %s, or build sellerd with CGO_ENABLED=1 and a C compiler", last(e.Err), flag)
	case store.ProblemServed:
		return fmt.Errorf("another server is running on %s: stop it first, or name another file with %s; several servers share a PostgreSQL (%s)", path, flag, last(e.Err))
	case store.ProblemLocked:
		return fmt.Errorf("another program has locked %s: end it, and try again", path)
	case store.ProblemForeign:
		return fmt.Errorf("%s is no SQLite database: is %s mistyped?", path, flag)
	case store.ProblemTables:
		return fmt.Errorf("%s is the database of another program: name a file of its own with %s (%s)", path, flag, last(e.Err))
	case store.ProblemFiles:
		var file *fs.PathError
		if errors.As(e.Err, &file) {
			return d.cannotUse(flag, file)
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return d.namesFolder(flag)
		}
		return fmt.Errorf("cannot write %s: may this user write the file and its folder? (%w)", path, e.Err)
	case store.ProblemFolder:
		if strings.HasPrefix(path, "~") {
			return command.Wrong("nothing replaces the ~ in %s %s: write the path of your home folder out", flag, d.DB)
		}
		return fmt.Errorf("there is no folder %s: make it first, or is %s mistyped?", filepath.Dir(path), flag)
	case store.ProblemLinked:
		return fmt.Errorf("%s has another name, too (a hard link): two programs that use different names of a SQLite file destroy it. Remove the other "+
			"names, which `find / -samefile %s` shows, or name a copy of the file with %s", path, path, flag)
	case store.ProblemUnfinished:
		return fmt.Errorf("the database in %s is an unfinished copy, in which rows are missing: run `sellerd copy` again with the same --from, or remove it", flag)
	}
	return d.explainPostgres(flag, e)
}

// explainPostgres is explainProblem for the problems that only PostgreSQL has.
func (URL) explainPostgres(flag string, e *store.OpenError) error {
	switch e.Problem {
	case store.ProblemUnreachable:
		switch refusal := reason(e.Err).Error(); refusal {
		case withoutTLS:
			return fmt.Errorf("PostgreSQL at %s has no TLS, which sslmode in %s asks for: let it have a certificate, or change sslmode", e.Server, flag)
		case "read only connection":
			return fmt.Errorf("PostgreSQL at %s accepts no changes: is a standby about to be promoted, or does %s name the wrong machine?", e.Server, flag)
		default:
			return fmt.Errorf("no PostgreSQL answers at %s: does it run, and is %s right? (%s)", e.Server, flag, refusal)
		}
	case store.ProblemRefused:
		return fmt.Errorf("PostgreSQL at %s refuses the connection: %s", e.Server, reason(e.Err))
	case store.ProblemReadOnly:
		return fmt.Errorf("PostgreSQL at %s takes no changes from %s: is default_transaction_read_only on, or does %s name a standby?", e.Server, e.User, flag)
	case store.ProblemRights:
		return fmt.Errorf("PostgreSQL at %[1]s refuses the user %[2]s (%[3]s): make it the owner of the database, with "+
			"`ALTER DATABASE \"%[4]s\" OWNER TO \"%[2]s\"`, and of the tables in it", e.Server, e.User, store.Denied(e.Err), e.Name)
	case store.ProblemEncoding:
		return fmt.Errorf("the database %[1]s at %[2]s does not store texts in UTF-8: make another, such as `createdb -E UTF8 -T template0 %[1]s-utf8`, "+
			"and name it in %[3]s", e.Name, e.Server, flag)
	case store.ProblemLogin:
		return fmt.Errorf("PostgreSQL at %s refuses the user %s: check the name and the password in %s", e.Server, e.User, flag)
	case store.ProblemNoDatabase:
		return fmt.Errorf("PostgreSQL at %[1]s has no database %[2]s: make it with `createdb %[2]s`, or is %[3]s mistyped?", e.Server, e.Name, flag)
	case store.ProblemPooled:
		return fmt.Errorf("the pooler at %s gives each transaction another session, and the tables must be made or changed first: run `sellerd migrate` "+
			"once with a %s that leads to PostgreSQL itself", e.Server, flag)
	case store.ProblemShared:
		return fmt.Errorf("the pooler at %s gives each transaction another session: add the parameter default_query_exec_mode=exec to %s, or let the "+
			"pooler keep sessions (pool_mode=session)", e.Server, flag)
	case store.ProblemParameter:
		return fmt.Errorf("PostgreSQL at %s, or the pooler before it, does not take a parameter in %s: leave it out, or let the pooler ignore it (%s)",
			e.Server, flag, reason(e.Err))
	}
	return e
}

// last is the text of an error after its last colon: the cause alone.
func last(err error) string {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 {
		return text[i+len(": "):]
	}
	return text
}

// withoutTLS is the driver's error for a server without TLS. It then tries without, unless sslmode demands TLS.
const withoutTLS = "server refused TLS connection"

// reason is the innermost error, the operating system's or the network's; of several, the first one that is not about a try with TLS.
func reason(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
		first := reason(several.Unwrap()[0])
		for _, other := range several.Unwrap()[1:] {
			if first.Error() == withoutTLS {
				first = reason(other)
			}
		}
		return first
	}
	if inner := errors.Unwrap(err); inner != nil {
		return reason(inner)
	}
	return err
}

// namesFolder is the error for a folder in place of a SQLite file.
func (d URL) namesFolder(flag string) error {
	return command.Wrong("%s names the folder %s: name a file in it, such as sqlite:%s", flag, d.Path(), filepath.Join(d.Path(), "sellerd.db"))
}

// cannotUse says which file or folder the operating system refuses, and why.
func (d URL) cannotUse(flag string, e *fs.PathError) error {
	if info, err := os.Stat(d.Path()); errors.Is(e, syscall.EISDIR) && err == nil && info.IsDir() {
		return d.namesFolder(flag)
	}
	advice := "choose a folder that this user may write with " + flag
	_, found := os.Stat(e.Path)
	switch {
	case errors.Is(e, syscall.EISDIR):
		advice = "it must be a file"
	case errors.Is(e, fs.ErrPermission) && found == nil && e.Path != filepath.Dir(d.Path()):
		advice = "it must belong to this user, who must be able to read and write it: see chown and chmod"
	case d.Path() == "":
		advice = "the secret and the operator's token are kept there unless --secret and --operator-token are given"
	}
	return fmt.Errorf("cannot %s %s: %w; %s", e.Op, e.Path, e.Err, advice)
}

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
	case errors.As(side.Err, &open) && open.Problem != store.ProblemRefused && open.Problem != store.ProblemRights:
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
