//go:build !cgo

package sqlite3

import "context"

// Included says whether SQLite is in the program.
const Included = false

// Open fails with ErrNoSQLite.
func Open(string, func(Conn) error) (Conn, error) { return nil, ErrNoSQLite }

// CodeOf returns 0: there are no errors of SQLite.
func CodeOf(error) Code { return 0 }

// Copy fails with ErrNoSQLite.
func Copy(context.Context, string, any, func(pages, all int)) error { return ErrNoSQLite }
