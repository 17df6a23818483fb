package main

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"

	"sellerd/v1/reference"
)

// dataset is a database with items, and the keys of sellers.
type dataset struct {
	url   string // as --db takes it
	path  string // of the file, empty on PostgreSQL
	items int
	Key   string   `json:"key"`  // of the large seller, who has nearly all items
	Keys  []string `json:"keys"` // of further sellers without items, as many as manySellers

	pictures string // the address of the server that shows them
}

// manySellers is how many sellers have keys.
const manySellers = 100

// recipe is part of the files' names: raise it when data.sql changes, so that old files are no longer used.
const recipe = 8

// firstItem is the number of the first item. Item firstItem+i belongs to one of three small sellers when i%50 < 3, else
// to the large one; files hold a multiple of 50.
const (
	firstItem    = 1_000_001
	smallSellers = 3
)

// itemID is the number of one of the large seller's items.
func (d dataset) itemID(n int) int {
	i := n % d.items
	if i%50 < smallSellers {
		i += smallSellers
	}
	return firstItem + i
}

// changeable is the number of one of the large seller's open items at a fixed price (data.sql), another one for each n.
func (d dataset) changeable(n int) int {
	const of, first, last = 20, 3, 9 // items 3 to 9 of each 20 are such items, except those of the small sellers
	i := n/(last-first+1)*of + first + n%(last-first+1)
	return firstItem + i%d.items
}

// openDataset finds the file of an earlier run or makes it: the schema by our migrations, accounts and keys by our
// commands, the items by one script.
func openDataset(ctx context.Context, program, folder string, items int) (dataset, error) {
	path := filepath.Join(folder, fmt.Sprintf("items-%d-r%d.db", items, recipe))
	d := dataset{url: "sqlite:" + path, path: path, items: items}
	text, err := os.ReadFile(d.path + ".json")
	if err == nil {
		return d, json.Unmarshal(text, &d)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return d, err
	}
	fmt.Fprintf(os.Stderr, "making %d items in %s\n", items, d.path)
	if err := d.create(ctx, program); err != nil {
		return d, fmt.Errorf("make %s: %w", d.path, err)
	}
	if text, err = json.Marshal(d); err != nil {
		return d, err
	}
	return d, os.WriteFile(d.path+".json", text, 0o600) // last, so that an incomplete file is made again
}

// clear removes a file of before.
func (d *dataset) clear() error {
	found, err := filepath.Glob(d.path + "*")
	for _, file := range found {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

func (d *dataset) create(ctx context.Context, program string) error {
	if err := d.clear(); err != nil {
		return err
	}
	if _, err := command(ctx, program, "migrate", "--db", d.url); err != nil {
		return err
	}
	var owners []any // of the small sellers and then of the large one
	for i := range smallSellers + 1 + manySellers {
		name := fmt.Sprintf("bench-%d", i)
		printed, err := command(ctx, program, "accounts", "create", "--db", d.url, "--nickname", name, "--email", name+"@example.com")
		if err != nil {
			return err
		}
		var made struct {
			ID int64 `json:"id,string"`
		}
		if err := json.Unmarshal([]byte(printed), &made); err != nil {
			return err
		}
		if i <= smallSellers {
			owners = append(owners, made.ID*2) // in live mode
		}
		if i < smallSellers {
			continue
		}
		key, err := command(ctx, program, "keys", "create", "--db", d.url, "--account", fmt.Sprint(made.ID), "--mode", "live")
		if err != nil {
			return err
		}
		d.Keys = append(d.Keys, key)
	}
	d.Key, d.Keys = d.Keys[0], d.Keys[1:]
	return d.fill(ctx, fmt.Sprintf("CASE i %% 50 WHEN 0 THEN %d WHEN 1 THEN %d WHEN 2 THEN %d ELSE %d END", owners...))
}

// fillRows makes the rows. Search words are left out: no case reads them.
//
//go:embed data.sql
var fillRows string

// fill makes the items, and a sale of each. The indexes are dropped before and made again after, which sorts each once
// instead of balancing it a million times.
func (d *dataset) fill(ctx context.Context, owner string) error {
	db, err := sql.Open(fillingDriver, "file:"+d.path+"?_synchronous=OFF&_cache_size=-200000&_temp_store=memory")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	var before, after sql.NullString
	const indexes = `SELECT group_concat('DROP INDEX ' || name || ';', ''), group_concat(sql || ';', '')
 FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('items', 'sales', 'bills') AND sql IS NOT NULL`
	if err := tx.QueryRowContext(ctx, indexes).Scan(&before, &after); err != nil {
		return err
	}
	rows := strings.NewReplacer("{items}", fmt.Sprint(d.items), "{owner}", owner).Replace(fillRows)
	if _, err := tx.ExecContext(ctx, before.String+rows+after.String); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// fillingDriver is SQLite with the function search_text: what the service keeps of an item's words, so that its first change finds
// them as they are to be.
const fillingDriver = "sqlite3 with search_text"

func init() {
	sql.Register(fillingDriver, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
		return c.RegisterFunc("search_text", func(title, personalReference string) string {
			return " " + strings.Join(reference.Words(title, personalReference), " ") + " "
		}, true)
	}})
}

// database is one of the databases that the service runs on, with data to measure on.
type database interface {
	name() string // as people write it
	// reads is the data for cases that only read.
	reads(ctx context.Context) (dataset, error)
	// fresh is a new copy of the smaller data, for one round of writes. It replaces the copy before.
	fresh(ctx context.Context) (dataset, error)
	// cpu is the processor time that the database has used in processes of its own.
	cpu() (time.Duration, error)
	close() error
}

var databaseNames = []string{"sqlite", "postgres"}

// databaseOf is a database whose data is found or made when it is used.
func (b *bench) databaseOf(name string) database {
	if name == "sqlite" {
		return &files{b}
	}
	return &cluster{bench: b}
}

// files are SQLite's: a large one for reads, and a small one that writes copy.
type files struct{ *bench }

func (f *files) name() string                { return "SQLite" }
func (f *files) cpu() (time.Duration, error) { return 0, nil } // it runs in the server
func (f *files) close() error                { return nil }

func (f *files) reads(ctx context.Context) (dataset, error) {
	return openDataset(ctx, f.builds[0].program, f.folder, f.items)
}

// fresh implements database. The copy is on disk before it is used.
func (f *files) fresh(ctx context.Context) (data dataset, err error) {
	if data, err = openDataset(ctx, f.builds[0].program, f.folder, f.rows); err != nil {
		return data, err
	}
	small := data.path
	data.path = filepath.Join(f.scratch, "writes.db")
	data.url = "sqlite:" + data.path
	if err := data.clear(); err != nil {
		return data, err
	}
	_, err1 := command(ctx, "cp", small, data.path)
	_, err2 := command(ctx, "sync", data.path)
	return data, errors.Join(err1, err2)
}
