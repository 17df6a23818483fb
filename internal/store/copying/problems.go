package copying

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"sellerd/internal/store"
)

// Problems that a person can correct, besides store.OpenError.
var (
	// ErrSame: the source and the target are one database.
	ErrSame = errors.New("the source and the target are the same database")
	// ErrServed: a server uses the target.
	ErrServed = errors.New("a server is running on the target")
	// ErrTaken: another copy to the target is running.
	ErrTaken = store.ErrTaken
)

// NotEmptyError says that the target has rows, and is no unfinished copy.
type NotEmptyError struct{ Tables []string }

// Error implements error.
func (e NotEmptyError) Error() string {
	return "the target has rows in " + strings.Join(e.Tables, ", ")
}

// ChangedError says that rows of the source that were copied have changed since, or that it is not the source of the
// unfinished copy.
type ChangedError struct {
	Tables []string
	Source string // of the unfinished copy, without a user and a password
}

// Error implements error.
func (e ChangedError) Error() string {
	return fmt.Sprintf("rows that were copied from %s are not those of the source now, in %s", e.Source, strings.Join(e.Tables, ", "))
}

// DifferentError says that the rows of two databases differ.
type DifferentError struct{ Tables []string }

// Error implements error.
func (e DifferentError) Error() string {
	return "the databases differ in " + strings.Join(e.Tables, ", ")
}

// SideError is an error of one of the databases.
type SideError struct {
	Target bool // and not the source
	Err    error
}

// Error implements error.
func (e SideError) Error() string { return e.Err.Error() }

// Unwrap gives the error itself.
func (e SideError) Unwrap() error { return e.Err }

func ofSource(err error) error { return sided(false, err) }
func ofTarget(err error) error { return sided(true, err) }

func sided(target bool, err error) error {
	if err == nil {
		return nil
	}
	return SideError{target, err}
}

// number is the number that a query returns.
func number(answer [][]string, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	if len(answer) != 1 || len(answer[0]) != 1 {
		return 0, errors.New("a query for a number returned none")
	}
	return strconv.ParseInt(answer[0][0], 10, 64)
}
