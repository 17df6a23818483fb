// Package sqlite3 opens files of SQLite. SQLite is written in C: a program that is built without cgo does not have it, serves PostgreSQL
// only, and says so.
package sqlite3

import (
	"context"
	"database/sql/driver"
	"errors"
)

// ErrNoSQLite says that the program was built without SQLite.
var ErrNoSQLite = errors.New("this program was built without cgo, so SQLite is not in it")

// Conn is a connection to a file.
type Conn interface {
	driver.Conn
	driver.ExecerContext
	// RegisterRollbackHook names a function that is called after each transaction that was rolled back.
	RegisterRollbackHook(func())
}

// Code is a primary result code of SQLite (https://www.sqlite.org/rescode.html).
type Code int

// The codes that this program tells apart. They are about the file and its disk, and not about the statement.
const (
	Perm     Code = 3
	Busy     Code = 5
	Locked   Code = 6
	Nomem    Code = 7
	Readonly Code = 8
	IOErr    Code = 10
	Corrupt  Code = 11
	Full     Code = 13
	CantOpen Code = 14
	Protocol Code = 15
	NotADB   Code = 26
)

// Connector opens connections of one name, without a driver that is registered for the whole program.
type Connector struct {
	// Name is the file as SQLite takes it, with its settings.
	Name string
	// Each sees each new connection. Optional.
	Each func(Conn) error
}

// Connect implements driver.Connector.
func (c Connector) Connect(context.Context) (driver.Conn, error) { return Open(c.Name, c.Each) }

// Driver implements driver.Connector.
func (c Connector) Driver() driver.Driver { return c }

// Open implements driver.Driver.
func (c Connector) Open(name string) (driver.Conn, error) { return Open(name, c.Each) }
