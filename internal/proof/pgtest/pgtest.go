package pgtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
)

// The environment variables of this package.
const (
	// EnvAdminURL holds the address of an admin database (one from which others are created) of the server to use
	// instead of starting one. With the value None tests run as if no PostgreSQL were installed.
	EnvAdminURL = "SELLERD_TEST_POSTGRES"
	// None is that value.
	None = "none"
	// EnvPooler holds the address of a pooler before that server. Tests that begin with a template reach their databases through it.
	EnvPooler = "SELLERD_TEST_POOLER"
	// EnvIsolation holds the default isolation level of all servers that are started here.
	EnvIsolation = "SELLERD_TEST_ISOLATION"
	// EnvEngine holds the name of the server, for the verdict of a test run.
	EnvEngine = "SELLERD_TEST_ENGINE"
	// EnvRequire is 1 where a test must fail, and not be skipped, for want of PostgreSQL.
	EnvRequire = "SELLERD_REQUIRE_POSTGRES"
)

// URL creates a database for one test and returns its address. The database is dropped when the test ends.
//
// template prepares a database at the address it is given, and closes its connections; it runs once a process, and each
// test gets a copy of its work, which is much faster than doing it again. It has to be a named function, because one
// function stands for one prepared database. With nil the database is empty.
//
// A pooler of EnvPooler is between the test and its copy. An empty database has its tables made by the test, which needs
// the server itself.
func URL(tb testing.TB, template func(url string) error) string {
	tb.Helper()
	direct, pooler := Direct(tb, template), os.Getenv(EnvPooler)
	if u, err := url.Parse(direct); err == nil && pooler != "" && template != nil {
		return databaseAt(pooler, strings.TrimPrefix(u.Path, "/"))
	}
	return direct
}

// Direct is URL without a pooler, for tests of connections.
func Direct(tb testing.TB, template func(url string) error) string {
	tb.Helper()
	s, err := shared()
	if Skip(tb, err) {
		return ""
	}
	name, err := s.create(template)
	if err != nil {
		tb.Fatal("pgtest: ", err)
	}
	tb.Cleanup(func() {
		if err := s.drop(name); err != nil {
			tb.Error("pgtest: ", err)
		}
	})
	return s.url(name)
}

// Own starts a cluster for one test alone, which may interrupt it, and stops it when the test ends.
func Own(tb testing.TB, options Options) *Cluster {
	tb.Helper()
	c, err := Start(tb.Context(), options)
	if Skip(tb, err) {
		return nil
	}
	c.endWith(tb)
	return c
}

// Skip ends the test if there is no server: as skipped if none is installed and none is required, else as failed.
func Skip(tb testing.TB, err error) bool {
	tb.Helper()
	if err == nil {
		return false
	}
	if errors.Is(err, ErrNotInstalled) && os.Getenv(EnvRequire) != "1" {
		tb.Skipf("NOT TESTED ON POSTGRESQL: %v. Install it, or set %s to the address of an admin database.", err, EnvAdminURL)
		return true
	}
	tb.Fatal("pgtest: ", err)
	return true
}

// server is where this process creates databases. It has one connection, which all tests share in turn.
type server struct {
	// cluster is kept from the garbage collector, which would close the pipe to its guardian. It is nil if this process did
	// not start the server.
	cluster *Cluster

	mu        sync.Mutex
	admin     *pgx.Conn
	key       int64
	how       string // the end of the statement that copies a database
	made      int
	templates map[uintptr]string
}

// shared returns the server of this process, started or connected to at the first call.
var shared = sync.OnceValues(func() (*server, error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if address := os.Getenv(EnvAdminURL); address != "" && address != None {
		return connect(ctx, address)
	}
	// The end of the process stops this cluster.
	cluster, err := Start(ctx, Options{})
	if err != nil {
		return nil, err
	}
	s, err := connect(ctx, cluster.AdminURL())
	if err != nil {
		return nil, errors.Join(err, cluster.Stop())
	}
	s.cluster = cluster
	return s, nil
})

// connect prepares a server for use, and removes what killed tests have left there.
//
// The names of a process's databases hold a random number, and its connection holds an advisory lock on that number for as
// long as the process lives. So if a database's number can be locked, its process has ended.
func connect(ctx context.Context, address string) (*server, error) {
	admin, err := pgx.Connect(ctx, address)
	if err != nil {
		return nil, fmt.Errorf("connect to the admin database: %w", err)
	}
	s := &server{admin: admin, key: rand.Int64(), templates: map[uintptr]string{}}
	if _, err := admin.Exec(ctx, "SELECT pg_advisory_lock($1)", s.key); err != nil {
		return nil, fmt.Errorf("lock the number of this process: %w", err)
	}
	if err := admin.QueryRow(ctx, copying).Scan(&s.how); err != nil {
		return nil, fmt.Errorf("choose how to copy databases: %w", err)
	}
	rows, err := admin.Query(ctx, `SELECT datname FROM pg_database WHERE datname LIKE 'pgtest\_%'`)
	if err != nil {
		return nil, fmt.Errorf("list databases: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("list databases: %w", err)
	}
	for _, name := range names {
		if err := s.dropOrphan(ctx, name); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// copying chooses how databases are copied. Servers from version 15 on write a copy to their log unless they are told to copy
// files. That takes half of the processor time where nothing is synced to a disk, and longer where it is.
const copying = `SELECT CASE WHEN current_setting('server_version_num')::int >= 150000 AND current_setting('fsync', true) = 'off'
	THEN ' STRATEGY FILE_COPY' ELSE '' END`

// dropOrphan drops a database if the process that made it is gone.
func (s *server) dropOrphan(ctx context.Context, name string) error {
	key, err := strconv.ParseInt(strings.Split(name, "_")[1], 10, 64)
	if err != nil || key == s.key {
		return nil //nolint:nilerr // a database of another name belongs to somebody else
	}
	var orphan bool
	if err := s.admin.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", key).Scan(&orphan); err != nil || !orphan {
		return err
	}
	_, err = s.admin.Exec(ctx, "DROP DATABASE IF EXISTS "+name+" WITH (FORCE)")
	_, unlockErr := s.admin.Exec(ctx, "SELECT pg_advisory_unlock($1)", key)
	return errors.Join(err, unlockErr)
}

// create makes a database, a copy of what template prepared.
func (s *server) create(template func(url string) error) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if template == nil {
		return s.copyOf("template0")
	}
	source, err := s.prepare(template)
	if err != nil {
		return "", fmt.Errorf("prepare a template: %w", err)
	}
	return s.copyOf(source)
}

// prepare runs template, once a process.
func (s *server) prepare(template func(url string) error) (string, error) {
	id := reflect.ValueOf(template).Pointer()
	if name, done := s.templates[id]; done {
		return name, nil
	}
	name, err := s.copyOf("template0")
	if err != nil {
		return "", err
	}
	if err := template(s.url(name)); err != nil {
		return "", err
	}
	s.templates[id] = name
	return name, nil
}

// copyOf creates a database as a copy of another.
func (s *server) copyOf(source string) (string, error) {
	s.made++
	name := fmt.Sprintf("pgtest_%d_%d", s.key, s.made)
	return name, s.exec("CREATE DATABASE " + name + " TEMPLATE " + source + s.how)
}

// drop removes a test's database and ends its connections.
func (s *server) drop(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.exec("DROP DATABASE " + name + " WITH (FORCE)")
}

// exec runs one statement. The names in it are our own and need no quotes.
func (s *server) exec(statement string) error {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if _, err := s.admin.Exec(ctx, statement); err != nil {
		return fmt.Errorf("%s: %w", statement, err)
	}
	return nil
}

// url returns the address of a database on the server.
func (s *server) url(name string) string { return databaseAt(s.admin.Config().ConnString(), name) }

// databaseAt returns the address of another database of a server. It always has parameters, so that tests can add theirs.
func databaseAt(address, name string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic("pgtest: the address of the admin database is not a URL")
	}
	u.Path = "/" + name
	if u.RawQuery == "" {
		u.RawQuery = "sslmode=prefer"
	}
	return u.String()
}
