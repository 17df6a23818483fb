package limit

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"strings"

	"github.com/mattn/go-sqlite3"
)

// sqlite is a database file: four connections that read and one that writes, used by one transaction at a time.
type sqlite struct {
	reading *sql.DB
	writing *sql.DB
	conn    *sql.Conn
	queries [queries]*sql.Stmt

	owner       *sql.Stmt
	batch       *sql.Stmt
	submissions []rowsOfSQLite
	keys        []rowsOfSQLite
	events      []rowsOfSQLite
	changed     *sql.Stmt // reads the items of a call with changes
	prices      *sql.Stmt // sets their prices
	args        []any     // room for the arguments of an insert
}

// The pragmas of the service (internal/store), and for readers what makes them as fast as they can be.
const (
	readerPragmas = "?mode=ro&_query_only=1&_busy_timeout=5000&_mutex=no&_cache_size=-16000"
	readerMapping = "PRAGMA mmap_size = 8589934592"
	writerPragmas = "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_foreign_keys=on&_mutex=no"
)

func queriesOf(sales string) (texts [queries]string) {
	const items = "SELECT " + itemColumns + " FROM items WHERE "
	texts[oneItem] = items + "id = $1 AND owner = $2"
	for list, text := range map[query]string{
		itemPage:       items + "owner = $1{ AND (created_at, id) > ($2, $3)} ORDER BY created_at, id LIMIT 51",
		openPage:       items + "owner = $1 AND sale_type = 'fixed_price' AND status = 'open'{ AND (created_at, id) > ($2, $3)} ORDER BY created_at, id LIMIT 51",
		salePage:       sales + " WHERE s.owner = $1{ AND (s.sold_at, s.id) > ($2, $3)} ORDER BY s.sold_at, s.id LIMIT 51",
		eventPage:      "SELECT " + eventColumns + " FROM events WHERE owner = $1 AND resource_type <> 'sample'{ AND (created_at, id) > ($2, $3)} ORDER BY created_at, id LIMIT 201",
		newestSalePage: sales + " WHERE s.owner = $1{ AND (s.sold_at, s.id) < ($2, $3)} ORDER BY s.sold_at DESC, s.id DESC LIMIT 51",
	} {
		before, rest, _ := strings.Cut(text, "{")
		condition, end, _ := strings.Cut(rest, "}")
		texts[list], texts[list+after] = before+end, before+condition+end
	}
	return texts
}

func openSQLite(ctx context.Context, path string) (_ *sqlite, err error) {
	s := &sqlite{
		reading: sql.OpenDB(connector{&sqlite3.SQLiteDriver{ConnectHook: func(c *sqlite3.SQLiteConn) error {
			_, err := c.Exec(readerMapping, nil)
			return err
		}}, "file:" + path + readerPragmas}),
		writing: sql.OpenDB(connector{&sqlite3.SQLiteDriver{}, "file:" + path + writerPragmas}),
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("limit: open %s: %w", path, err), s.close())
		}
	}()
	s.reading.SetMaxOpenConns(4)
	s.reading.SetMaxIdleConns(4)
	texts := queriesOf("SELECT " + saleColumns + " FROM sales s CROSS JOIN buyers b ON b.id = s.buyer_id")
	for q, text := range texts {
		if text == "" {
			continue
		}
		if s.queries[q], err = s.reading.PrepareContext(ctx, text); err != nil {
			return nil, err
		}
	}
	if s.conn, err = s.writing.Conn(ctx); err != nil {
		return nil, err
	}
	return s, s.prepareWrites(ctx)
}

// connector opens connections with a hook, without a driver registered for the whole program.
type connector struct {
	driver *sqlite3.SQLiteDriver
	name   string
}

// Connect implements driver.Connector.
func (c connector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.name) }

// Driver implements driver.Connector.
func (c connector) Driver() driver.Driver { return c.driver }

func (s *sqlite) close() error {
	err := s.reading.Close()
	if s.conn != nil {
		err = errors.Join(err, s.conn.Close())
	}
	return errors.Join(err, s.writing.Close())
}

const keyText = `SELECT k.secret_sha256, k.account_id * 2 + CASE WHEN k.test THEN 1 ELSE 0 END
 FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1 AND k.revoked_at IS NULL AND a.status <> 'suspended'`

func (s *sqlite) key(ctx context.Context, id string) (known knownKey, err error) {
	var hash []byte
	err = s.reading.QueryRowContext(ctx, keyText, id).Scan(&hash, &known.owner)
	copy(known.hash[:], hash)
	return known, err
}

// read implements database. Its context never ends, see the package's comment.
func (s *sqlite) read(q query, args []any, into []column, each func()) error {
	rows, err := s.queries[q].QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	var room [64]any
	targets := room[:len(into)]
	for i, c := range into {
		targets[i] = c
	}
	for rows.Next() {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		each()
	}
	return rows.Err()
}
