//go:build cgo

package sqlite3

import (
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
