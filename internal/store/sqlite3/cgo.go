//go:build cgo

package sqlite3

import (
	"context"
	"errors"

	mattn "github.com/mattn/go-sqlite3"
)

// Included says whether SQLite is in the program.
const Included = true

// Open opens one connection. each may be nil.
func Open(name string, each func(Conn) error) (Conn, error) {
	d := mattn.SQLiteDriver{}
	if each != nil {
		d.ConnectHook = func(c *mattn.SQLiteConn) error { return each(c) }
	}
	opened, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	return opened.(*mattn.SQLiteConn), nil
}

// CodeOf returns the code of an error of SQLite, and 0 for other errors.
func CodeOf(err error) Code {
	if e := (mattn.Error{}); errors.As(err, &e) {
		return Code(e.Code)
	}
	return 0
}

// copiedAtOnce is how many pages are copied before the context is asked again.
const copiedAtOnce = 4096

// Copy copies the database of a connection, which Open has made, to a file by SQLite's own means. A transaction that is open on the
// connection decides what is copied. added may be nil.
func Copy(ctx context.Context, to string, source any, added func(pages, all int)) (err error) {
	opened, err := (&mattn.SQLiteDriver{}).Open(to)
	if err != nil {
		return err
	}
	target := opened.(*mattn.SQLiteConn)
	defer func() { err = errors.Join(err, target.Close()) }()
	backup, err := target.Backup("main", source.(*mattn.SQLiteConn), "main")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, backup.Finish()) }()
	for done := false; !done; {
		if err := ctx.Err(); err != nil {
			return err
		}
		before := backup.Remaining()
		if done, err = backup.Step(copiedAtOnce); err != nil {
			return err
		}
		if added != nil {
			all := backup.PageCount()
			if before == 0 {
				before = all
			}
			added(before-backup.Remaining(), all)
		}
	}
	return nil
}
