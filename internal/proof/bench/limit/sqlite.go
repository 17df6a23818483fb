package limit

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"strings"

	_ "github.com/mattn/go-sqlite3" // registers sqlite3
)

// sqlite is a database file: four connections that read and one that writes, used by one transaction at a time.
type sqlite struct {
	reading, writing *sql.DB
	conn             *sql.Conn // that writes
	queries          [queries]*sql.Stmt
	owner, finish    *sql.Stmt
	inserts          [tableCount][]*sql.Stmt // of as many rows as insertSizes
}

// The pragmas of the service (internal/store), and for readers what makes them as fast as they can be.
const (
	readerPragmas = "?mode=ro&_query_only=1&_busy_timeout=5000&_mutex=no&_cache_size=-16000"
	readerMapping = "PRAGMA mmap_size = 8589934592"
	readers       = 4 // connections
	writerPragmas = "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_foreign_keys=on&_mutex=no"
)

func openSQLite(ctx context.Context, path string) (_ *sqlite, err error) {
	s := &sqlite{}
	if s.reading, err = sql.Open("sqlite3", "file:"+path+readerPragmas); err != nil {
		return nil, err
	}
	if s.writing, err = sql.Open("sqlite3", "file:"+path+writerPragmas); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	s.reading.SetMaxOpenConns(readers)
	s.reading.SetMaxIdleConns(readers)
	if err := s.mapReaders(ctx); err != nil {
		return nil, err
	}
	for q, text := range texts() {
		if s.queries[q], err = s.reading.PrepareContext(ctx, text); err != nil { //nolint:sqlclosecheck // they end with the pool
			return nil, err
		}
	}
	if s.conn, err = s.writing.Conn(ctx); err != nil {
		return nil, err
	}
	if s.owner, err = s.conn.PrepareContext(ctx, chargeOwner); err != nil {
		return nil, err
	}
	if s.finish, err = s.conn.PrepareContext(ctx, finishSubmissions+"IN (SELECT value FROM json_each($2))"); err != nil {
		return nil, err
	}
	return s, s.prepareInserts(ctx, batchesTable, itemsTable)
}

// improve implements database. Fewer checkpoints write a page once that many sets change.
func (s *sqlite) improve(ctx context.Context) error {
	if _, err := s.conn.ExecContext(ctx, betterSchema+" WITHOUT ROWID; PRAGMA wal_autocheckpoint = 8000"); err != nil {
		return err
	}
	return s.prepareInserts(ctx, itemsTable, tableCount)
}

// mapReaders sets what cannot be set in the address, on each connection.
func (s *sqlite) mapReaders(ctx context.Context) error {
	for range readers {
		conn, err := s.reading.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close() // gives it back once all are open
		if _, err := conn.ExecContext(ctx, readerMapping); err != nil {
			return err
		}
	}
	return nil
}

func (s *sqlite) close() error {
	err := s.reading.Close()
	if s.conn != nil {
		err = errors.Join(err, s.conn.Close())
	}
	return errors.Join(err, s.writing.Close())
}

func (s *sqlite) key(ctx context.Context, id string) (known knownKey, err error) {
	var hash []byte
	err = s.reading.QueryRowContext(ctx, keyText, id).Scan(&hash, &known.owner)
	copy(known.hash[:], hash)
	return known, err
}

// read implements database. Its context never ends, see the package's comment.
func (s *sqlite) read(q query, args []any, into *row, each func()) error {
	rows, err := s.queries[q].QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(into.targets...); err != nil {
			return err
		}
		each()
	}
	return rows.Err()
}

// reserve implements database.
func (s *sqlite) reserve(ctx context.Context) (next int64, err error) {
	err = s.conn.QueryRowContext(ctx, reserveNumbers).Scan(&next)
	return next, err
}

// insertSizes are how many rows an insert has, the largest first. Any number is a sum of few.
var insertSizes = []int{64, 16, 4, 1}

func (s *sqlite) prepareInserts(ctx context.Context, from, to int) error {
	for at := from; at < to; at++ {
		begin, constants := tables[at].insert()
		tuple := "(?" + strings.Repeat(", ?", tables[at].width()-1) + constants + ")"
		for _, n := range insertSizes {
			text, err := s.conn.PrepareContext(ctx, begin+"VALUES "+tuple+strings.Repeat(", "+tuple, n-1)) //nolint:sqlclosecheck // they end with the pool
			if err != nil {
				return err
			}
			s.inserts[at] = append(s.inserts[at], text)
		}
	}
	return nil
}

// store implements database. Only one goroutine calls it.
func (s *sqlite) store(all []*charge, rows func([]*charge) written) error {
	ctx := context.Background()
	if _, err := s.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := s.insert(ctx, all, rows); err != nil {
		_, rollback := s.conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, rollback)
	}
	_, err := s.conn.ExecContext(ctx, "COMMIT")
	return err
}

// insert stores with a statement or two for each owner, and inserts of many rows at once.
func (s *sqlite) insert(ctx context.Context, all []*charge, rows func([]*charge) written) error {
	for _, c := range all {
		var last int64
		if err := s.owner.QueryRowContext(ctx, c.args()...).Scan(&last); err != nil {
			return err
		}
		c.date(last)
		if len(c.items) > 0 {
			ids, _ := json.Marshal(c.ids()) // numbers can be written
			if _, err := s.finish.ExecContext(ctx, last, string(ids)); err != nil {
				return err
			}
		}
	}
	for table, left := range rows(all) {
		for i, size := range insertSizes {
			for n := size * tables[table].width(); len(left) >= n; left = left[n:] {
				if _, err := s.inserts[table][i].ExecContext(ctx, left[:n]...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
