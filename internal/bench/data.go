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
	"strconv"
	"strings"

	"github.com/mattn/go-sqlite3"

	"sellerd/v1/reference"
)

// dataset is a database with items, and the keys of sellers.
type dataset struct {
	url   string // as --db takes it
	path  string // of the file, empty on PostgreSQL
	items int
	Owner int64    `json:"owner"` // the large seller, who has nearly all items
	Key   string   `json:"key"`   // of the large seller
	Keys  []string `json:"keys"`  // of further sellers without items, as many as sellersAtOnce
}

// sellersAtOnce is how many sellers submit in the cases with several.
const sellersAtOnce = 16

// recipe is part of the files' names: raise it when fill changes, so that old files are no longer used.
const recipe = 7

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

// openDataset finds the file of an earlier run or makes it: the schema by our migrations, accounts and keys by our
// commands, the items by one statement.
func openDataset(ctx context.Context, program, folder string, items int) (dataset, error) {
	d := fileOf(filepath.Join(folder, fmt.Sprintf("items-%d-r%d.db", items, recipe)))
	d.items = items
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

func fileOf(path string) dataset { return dataset{url: "sqlite:" + path, path: path} }

func (d *dataset) create(ctx context.Context, program string) error {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(d.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := command(ctx, program, "migrate", "--db", d.url); err != nil {
		return err
	}
	var owners []int64
	for i := range smallSellers + 1 + sellersAtOnce {
		made, err := createSeller(ctx, program, d.url, fmt.Sprintf("bench-%d", i))
		if err != nil {
			return err
		}
		if i < smallSellers {
			owners = append(owners, made.owner())
			continue
		}
		key, err := made.liveKey(ctx, program, d.url)
		if err != nil {
			return err
		}
		if i > smallSellers {
			d.Keys = append(d.Keys, key)
			continue
		}
		owners = append(owners, made.owner())
		d.Owner, d.Key = made.owner(), key
	}
	return fill(ctx, d.path, d.items, owners)
}

// seller is an account that the program made.
type seller struct {
	ID int64 `json:"id,string"`
}

func createSeller(ctx context.Context, program, url, name string) (made seller, err error) {
	printed, err := command(ctx, program, "accounts", "create", "--db", url, "--nickname", name, "--email", name+"@example.com")
	if err != nil {
		return made, err
	}
	return made, json.Unmarshal([]byte(printed), &made)
}

// owner is the seller's owner number in live mode.
func (s seller) owner() int64 { return s.ID * 2 }

func (s seller) liveKey(ctx context.Context, program, url string) (string, error) {
	return command(ctx, program, "keys", "create", "--db", url, "--account", fmt.Sprint(s.ID), "--mode", "live")
}

// fill makes the items, and a sale of each. The indexes are dropped before and made again after, which sorts each once
// instead of balancing it a million times. Search words are left out: no case reads them.
func fill(ctx context.Context, path string, items int, owners []int64) error {
	db, err := sql.Open(fillingDriver, "file:"+path+"?_synchronous=OFF&_cache_size=-200000&_temp_store=memory")
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
	rows, err := tx.QueryContext(ctx, `SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('items', 'sales', 'bills') AND sql IS NOT NULL`)
	if err != nil {
		return err
	}
	var before, after []string
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		before, after = append(before, "DROP INDEX "+name), append(after, text)
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return err
	}
	statements := append(before, wordTable("country", "France", "Belgique", "Schweiz", "Österreich", "Italia", "España", "Nederland", "Great Britain",
		"Deutsches Reich", "Monaco", "Luxembourg", "Danmark", "Sverige", "Norge", "Portugal", "Côte d'Ivoire", "Madagascar", "Tunisie", "Canada"),
		wordTable("colour", "black", "blue", "carmine", "orange", "green", "bistre", "violet", "vermilion", "grey", "brown", "rose"),
		wordTable("motif", "Ceres", "Napoleon III", "Sage", "Merson", "Semeuse", "Leopold", "Helvetia", "numeral", "posthorn", "coat of arms", "airmail", "Red Cross", "commemorative sheet"),
		wordTable("state", "used", "mint never hinged", "hinged", "on cover", "signed, with certificate", "first day cover", "thin spot, fair look"))
	statements = append(statements, fmt.Sprintf(fillItems, items, ownerOf(owners), beginningOf(items)),
		fillBuyers, sqlOf(fillBills), sqlOf(fillSales), fillPositions, fmt.Sprintf(fillEvents, firstItem+items-eventItems), endFeeds,
		fmt.Sprintf(`INSERT INTO number_ranges (id, next) VALUES ('item', %[1]d) ON CONFLICT (id) DO UPDATE SET next = %[1]d`, firstItem+items))
	for _, statement := range append(statements, after...) {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	return err
}

// fillingDriver is SQLite with the function search_text.
const fillingDriver = "sqlite3 with search_text"

func init() {
	sql.Register(fillingDriver, &sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error { return c.RegisterFunc("search_text", searchText, true) }})
}

// searchText is what the service keeps of an item's words, so that its first change finds them as they are to be.
func searchText(title, personalReference string) string {
	return " " + strings.Join(reference.Words(title, personalReference), " ") + " "
}

// fillItems makes varied items: %[1]d of them, with the owner %[2]s, from the second %[3]s on.
//
//go:embed items.sql
var fillItems string

// What follows the items: %[1]d is the first of them. Two neighbours go to one buyer on one bill, unless a small seller
// has one of them, and each item is sold once, in the order of their numbers.
const (
	fillBuyers = `INSERT INTO buyers (id, scope, nickname, email, first_name, last_name, language, country, phone, address, rating_count, rating_sum, created_at, updated_at)
 WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
 SELECT 70001 + i, 0, 'collector-' || i, 'collector-' || i || '@example.com', 'Léa', 'Müller-' || i, 'fr', substr('DEFRITESNLBEGBUS', i % 8 * 2 + 1, 2),
  '+32 2 555 ' || i, '', i % 40, i % 40 * 98, 0, 0 FROM n`
	billOf    = `(200001 + id - %[1]d - iif((id - %[1]d) % 50 < 4, 0, (id - %[1]d) % 2))`
	buyerOf   = `(70001 + ` + billOf + ` * 7919 % 10000)`
	addressOf = `'{"name":"Léa Müller","line1":"Rue des Collectionneurs ' || ` + billOf + ` || '","line2":null,"postal_code":"1000","city":"Bruxelles","state":null,"country":"BE","phone":"+32 2 555 0199"}'`
	fillBills = `INSERT INTO bills (id, owner, number, status, currency, buyer_id, shipping_address, subtotal, shipping_cost, payment_status, payment_method, payment_amount,
  created_at, invoiced_at, paid_at, sent_at, updated_at)
 SELECT ` + billOf + `, owner, '2026-' || id, 'sent', currency, ` + buyerOf + `, ` + addressOf + `, sum(current_price), 450, 'received', 'bank_transfer', sum(current_price) + 450,
  created_at, created_at, created_at, created_at, created_at FROM items GROUP BY 1`
	fillSales = `INSERT INTO sales (id, owner, item_id, bill_id, buyer_id, item_title, item_reference, item_category_id, item_sale_type, currency, quantity, unit_price,
  total_price, weight_grams, shipping_address, status, cancellation_status, sold_at, rated_at, created_at, updated_at, sequence)
 SELECT id - 700000, owner, id, ` + billOf + `, ` + buyerOf + `, title, personal_reference, category_id, sale_type, currency, 1, current_price, current_price, weight_grams,
  ` + addressOf + `, 'active', iif(id % 50 = 7, 'refused', 'none'), created_at + 3600000000, iif(id % 3 = 0, created_at + 7200000000, NULL), created_at + 3600000000,
  created_at + id % 900 * 1000000, 0 FROM items`
)

// fillPositions counts the rows of the lists that are read by position, as the service would have.
const fillPositions = `INSERT INTO list_positions (owner, list, level, bucket, n)
 WITH levels(level, shift) AS (VALUES (0, 27), (1, 37)),
 listed(owner, list, at) AS (
  SELECT owner, 'item/' || sale_type || iif(status = 'open', '/open', '/ended'), created_at FROM items WHERE status IN ('open', 'unsold', 'closed')
  UNION ALL SELECT owner, 'sale/' || item_sale_type, sold_at FROM sales)
 SELECT owner, list, level, at >> shift, count(*) FROM listed CROSS JOIN levels GROUP BY 1, 2, 3, 4`

// eventItems is how many items, the newest ones, have an event. All of theirs are of the last days, so the feed shows them.
const eventItems = 20_000

// fillEvents makes an event of each item from the number %[1]d on, as large as those that the service makes of such items.
const fillEvents = `INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT id, owner, 'item.published', 'item', id, 1, json_object('id', 'evt_' || id, 'type', 'item.published', 'api_version', 'v1', 'mode', 'live',
   'created_at', strftime('%%Y-%%m-%%dT%%H:%%M:%%fZ', created_at / 1000000, 'unixepoch'), 'resource_id', CAST(id AS TEXT), 'sequence', 1, 'data', json_object('item', json_object(
   'id', CAST(id AS TEXT), 'url', 'https://www.delcampe.net/item/' || id, 'mode', 'live', 'sale_type', sale_type, 'title', title, 'subtitle', subtitle, 'description', description,
   'personal_reference', personal_reference, 'category_id', CAST(category_id AS TEXT), 'price', json_object('amount', price, 'currency', currency), 'quantity', quantity,
   'images', json(images), 'status', status, 'options', json_object('bold_title', json('false'), 'colored_border', json('false'), 'highlight', json('false'), 'keep_on_renewal', json('false'),
   'last_minute_bidding', json('false'), 'private_bidding', json('false'), 'top_category', json('false'), 'top_listing', json('false'), 'top_main', json('false')),
   'renewals', renewals, 'renewals_left', renewals_left, 'weight_grams', weight_grams, 'close_reason', close_reason, 'restart_count', 0, 'visit_count', visit_count))), created_at
 FROM items WHERE id >= %[1]d`

// endFeeds says of each owner when the last change was, as the service would have: that is where after=latest begins.
const endFeeds = `UPDATE owners SET last_change_at = max(last_change_at, (SELECT max(created_at) FROM events WHERE owner = owners.id))
 WHERE id IN (SELECT owner FROM events)`

// sqlOf puts the first item's number into a statement.
func sqlOf(text string) string { return strings.ReplaceAll(text, "%[1]d", strconv.Itoa(firstItem)) }

// wordTable is a temporary table of words, numbered from 0.
func wordTable(name string, words ...string) string {
	values := make([]string, len(words))
	for i, word := range words {
		values[i] = fmt.Sprintf("(%d, '%s')", i, strings.ReplaceAll(word, "'", "''"))
	}
	return fmt.Sprintf("CREATE TEMP TABLE %s AS SELECT column1 AS n, column2 AS word FROM (VALUES %s)", name, strings.Join(values, ", "))
}

// ownerOf is the expression that gives item i its owner, the last of them most.
func ownerOf(owners []int64) string {
	b := "CASE i % 50"
	for i, owner := range owners[:smallSellers] {
		b += fmt.Sprintf(" WHEN %d THEN %d", i, owner)
	}
	return b + fmt.Sprintf(" ELSE %d END", owners[smallSellers])
}

// beginningOf is the creation time of the first item, in Unix seconds: one item every seven seconds, the last of them now.
func beginningOf(items int) string { return fmt.Sprintf("unixepoch() - %d * 7", items) }
