package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"sellerd/internal/store"
)

// explain adds to an error in opening the database or a file beside it what to do, if that is known. It shows no password.
func (d databaseURL) explain(err error) error {
	var (
		problem *store.OpenError
		file    *fs.PathError
	)
	switch {
	case errors.As(err, &problem):
		return d.explainProblem(problem)
	case errors.As(err, &file):
		return d.cannotUse(file)
	}
	return err
}

func (d databaseURL) explainProblem(e *store.OpenError) error {
	path := d.path()
	postgres := path == ""
	switch e.Problem {
	case store.ProblemURL:
		return wrong("--db must be sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME, and special characters of the password percent-encoded")
	case store.ProblemMissing:
		if postgres {
			return fmt.Errorf("the database %s at %s has no tables of sellerd: start the server once or run `sellerd migrate`, or is --db mistyped?", e.Name, e.Server)
		}
		return fmt.Errorf("there is no database at %s: start the server once or run `sellerd migrate`, or is --db mistyped?", path)
	case store.ProblemServed:
		return fmt.Errorf("another server is running on %s: stop it first, or name another file with --db; several servers share a PostgreSQL (%s)", path, last(e.Err))
	case store.ProblemLocked:
		return fmt.Errorf("another program has locked %s: end it, and try again", path)
	case store.ProblemForeign:
		return fmt.Errorf("%s is no SQLite database: is --db mistyped?", path)
	case store.ProblemFiles:
		var file *fs.PathError
		if errors.As(e.Err, &file) {
			return d.cannotUse(file)
		}
		return fmt.Errorf("cannot write %s: may this user write the file and its folder? (%w)", path, e.Err)
	case store.ProblemUnreachable:
		return fmt.Errorf("no PostgreSQL answers at %s: does it run, and is --db right? (%s)", e.Server, reason(e.Err))
	case store.ProblemLogin:
		return fmt.Errorf("PostgreSQL at %s refuses the user %s: check the name and the password in --db", e.Server, e.User)
	case store.ProblemNoDatabase:
		return fmt.Errorf("PostgreSQL at %[1]s has no database %[2]s: make it with `createdb %[2]s`, or is --db mistyped?", e.Server, e.Name)
	case store.ProblemPooled:
		return fmt.Errorf("the pooler at %s gives each transaction another session, and the tables must be made or changed first: run `sellerd migrate` "+
			"once with a --db that leads to PostgreSQL itself", e.Server)
	case store.ProblemShared:
		return fmt.Errorf("the pooler at %s gives each transaction another session: add the parameter default_query_exec_mode=exec to --db, or let the "+
			"pooler keep sessions (pool_mode=session)", e.Server)
	case store.ProblemParameter:
		return fmt.Errorf("PostgreSQL at %s, or the pooler before it, does not take a parameter in --db: leave it out, or let the pooler ignore it (%s)",
			e.Server, reason(e.Err))
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

// reason is the innermost error, the operating system's or the network's; of several, the first one's.
func reason(err error) error {
	for {
		inner := errors.Unwrap(err)
		if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
			inner = several.Unwrap()[0]
		}
		if inner == nil {
			return err
		}
		err = inner
	}
}

// cannotUse says which file or folder the operating system refuses, and why.
func (d databaseURL) cannotUse(e *fs.PathError) error {
	if errors.Is(e, syscall.EISDIR) && d.path() != "" {
		return wrong("--db names the folder %s: name a file in it, such as sqlite:%s", d.path(), filepath.Join(d.path(), "sellerd.db"))
	}
	advice := "choose a folder that this user may write with --db"
	if d.path() == "" {
		advice = "the secret and the operator's token are kept there unless --secret and --operator-token are given"
	}
	return fmt.Errorf("cannot %s %s: %w; %s", e.Op, e.Path, e.Err, advice)
}
