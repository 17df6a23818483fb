// Command migratediff writes the next migration of both databases: the difference between the schema of the existing
// migrations in internal/store/migrations and ent's schema.
//
//	go run ./internal/store/migratediff add_item_colour
//	go run ./internal/store/migratediff                  (only renews the checksums, after an edit by hand)
//
// It replays the existing migrations on two throw-away databases, a SQLite file and a PostgreSQL cluster, and compares them
// with ent/migrate, so run the ent generator first. Nothing is written for a database whose schema has not changed. Read
// the result before you commit it: a person has to decide about a dropped column or a new NOT NULL column.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"ariga.io/atlas/sql/migrate"
	"ariga.io/atlas/sql/sqltool"
	"entgo.io/ent/dialect"
	entsql "entgo.io/ent/dialect/sql"
	"entgo.io/ent/dialect/sql/schema"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "github.com/mattn/go-sqlite3"    // the driver "sqlite3"

	entmigrate "sellerd/ent/migrate"
	"sellerd/internal/proof/pgtest"
)

// folder is where the store embeds the migrations from, seen from the module's root.
const folder = "internal/store/migrations"

func main() {
	log.SetFlags(0)
	flag.Parse()
	if err := run(context.Background(), flag.Arg(0)); err != nil {
		log.Fatal("migratediff: ", err)
	}
}

// run writes the migrations of both databases.
func run(ctx context.Context, name string) error {
	if _, err := os.Stat(folder); err != nil {
		return fmt.Errorf("run me from the module's root: %w", err)
	}
	for _, dev := range []struct {
		folder string
		open   func() (*entsql.Driver, func() error, error)
	}{
		{"sqlite", openSQLite},
		{"postgres", openPostgres},
	} {
		if err := diff(ctx, filepath.Join(folder, dev.folder), name, dev.open); err != nil {
			return fmt.Errorf("%s: %w", dev.folder, err)
		}
	}
	return nil
}

// diff writes one database's migration, or only its checksums if name is empty.
func diff(ctx context.Context, path, name string, open func() (*entsql.Driver, func() error, error)) (err error) {
	dir, err := sqltool.NewGooseDir(path)
	if err != nil {
		return err
	}
	if name == "" {
		sum, err := dir.Checksum()
		if err != nil {
			return err
		}
		return migrate.WriteSumFile(dir, sum)
	}
	driver, done, err := open()
	if err != nil {
		return fmt.Errorf("open a throw-away database: %w", err)
	}
	defer func() { err = errors.Join(err, done()) }()
	return entmigrate.NewSchema(driver).NamedDiff(ctx, name,
		schema.WithDir(dir),
		schema.WithMigrationMode(schema.ModeReplay),
		schema.WithFormatter(formatter{dir}),
	)
}

// openSQLite opens an empty SQLite file.
func openSQLite() (*entsql.Driver, func() error, error) {
	dir, err := os.MkdirTemp("", "migratediff")
	if err != nil {
		return nil, nil, err
	}
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(dir, "dev.db")+"?_foreign_keys=on")
	if err != nil {
		return nil, nil, err
	}
	done := func() error { return errors.Join(db.Close(), os.RemoveAll(dir)) }
	return entsql.OpenDB(dialect.SQLite, db), done, nil
}

// openPostgres starts a throw-away PostgreSQL.
func openPostgres() (*entsql.Driver, func() error, error) {
	cluster, err := pgtest.Start(context.Background(), pgtest.Options{})
	if err != nil {
		return nil, nil, err
	}
	db, err := sql.Open("pgx", cluster.AdminURL())
	if err != nil {
		return nil, nil, errors.Join(err, cluster.Stop())
	}
	done := func() error { return errors.Join(db.Close(), cluster.Stop()) }
	return entsql.OpenDB(dialect.Postgres, db), done, nil
}
