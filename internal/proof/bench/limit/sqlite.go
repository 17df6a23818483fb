package limit

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"

	_ "github.com/mattn/go-sqlite3" // registers sqlite3
)

// sqlite is a database file: four connections that read and one that writes, used by one transaction at a time.
type sqlite struct {
	reading, writing *sql.DB
	conn             *sql.Conn // that writes
	queries          [queries]*sql.Stmt
	owner, batch     *sql.Stmt
	finish           *sql.Stmt
	submissions      inserts
	keys             inserts
	items, words     inserts
	events           inserts
	args             []any // room for the arguments of an insert
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
	if s.batch, err = s.conn.PrepareContext(ctx, insertBatch); err != nil {
		return nil, err
	}
	if s.finish, err = s.conn.PrepareContext(ctx, finishSubmissions+"IN (SELECT value FROM json_each($2))"); err != nil {
		return nil, err
	}
	if s.submissions, err = s.prepareInserts(ctx, `submissions (status, errors, warnings, lease, attempts, shipping_model_id, id, owner, batch_id,
 batch_index, personal_reference, draft, created_at, publish_deadline, due_at)`, `('pending', '', '', 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`); err != nil {
		return nil, err
	}
	s.keys, err = s.prepareInserts(ctx, `idempotency_keys (status, id, fingerprint, body, location, expires_at)`, `(202, ?, ?, ?, ?, ?)`)
	return s, err
}

// improve implements database.
func (s *sqlite) improve(ctx context.Context) error {
	if _, err := s.conn.ExecContext(ctx, betterSchema+" WITHOUT ROWID"); err != nil {
		return err
	}
	for _, t := range []struct {
		table   string
		columns []string
		into    *inserts
	}{{"items", itemColumns, &s.items}, {"item_words", wordColumns, &s.words}, {"events", eventColumns, &s.events}} {
		var err error
		tuple := "(?" + strings.Repeat(", ?", len(t.columns)-1) + ")"
		if *t.into, err = s.prepareInserts(ctx, t.table+" ("+strings.Join(t.columns, ", ")+")", tuple); err != nil {
			return err
		}
	}
	return nil
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

// inserts are inserts of fixed numbers of rows into one table, the largest first. Any number is a sum of few.
type inserts struct {
	columns int // arguments of a row
	sizes   []int
	texts   []*sql.Stmt
}

func (s *sqlite) prepareInserts(ctx context.Context, into, tuple string) (all inserts, err error) {
	all = inserts{columns: strings.Count(tuple, "?"), sizes: []int{64, 16, 4, 1}}
	for _, n := range all.sizes {
		text, err := s.conn.PrepareContext(ctx, "INSERT INTO "+into+" VALUES "+tuple+strings.Repeat(", "+tuple, n-1)) //nolint:sqlclosecheck // they end with the pool
		if err != nil {
			return all, err
		}
		all.texts = append(all.texts, text)
	}
	return all, nil
}

func (i *inserts) insert(ctx context.Context, args []any) error {
	for at, size := range i.sizes {
		for n := size * i.columns; len(args) >= n; args = args[n:] {
			if _, err := i.texts[at].ExecContext(ctx, args[:n]...); err != nil {
				return err
			}
		}
	}
	return nil
}

// store implements database. Only one goroutine calls it.
func (s *sqlite) store(all []*charge, rows func([]*charge) published) error {
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
func (s *sqlite) insert(ctx context.Context, all []*charge, rows func([]*charge) published) error {
	submissions, keys := s.args[:0], []any{}
	for _, c := range all {
		var last int64
		if err := s.owner.QueryRowContext(ctx, c.args()...).Scan(&last); err != nil {
			return err
		}
		c.date(last)
		if len(c.items) > 0 {
			if _, err := s.finish.ExecContext(ctx, last, idList(c.items)); err != nil {
				return err
			}
		}
		for _, t := range c.turns {
			var batch any
			if t.batch != 0 {
				batch = t.batch
				if _, err := s.batch.ExecContext(ctx, t.batch, t.owner, len(t.submissions), t.at); err != nil {
					return err
				}
			}
			for i, submitted := range t.submissions {
				var index any
				if t.batch != 0 {
					index = int64(i)
				}
				submissions = append(submissions, submitted.id, t.owner, batch, index, text(submitted.in.PersonalReference), submitted.draft, t.at,
					t.deadline(), t.now)
			}
			if t.key != "" {
				keys = append(keys, t.key, t.fingerprint[:], string(t.data), t.location, t.at+keyRetention)
			}
		}
	}
	s.args = submissions
	err := errors.Join(s.submissions.insert(ctx, submissions), s.keys.insert(ctx, keys))
	made := rows(all)
	slices.SortFunc(made.words, func(a, b []any) int { // so that neighbours in the tree come one after another
		return cmp.Or(cmp.Compare(a[0].(int64), b[0].(int64)), cmp.Compare(a[1].(string), b[1].(string)), cmp.Compare(a[2].(int64), b[2].(int64)))
	})
	return errors.Join(err, s.items.insert(ctx, slices.Concat(made.items...)), s.words.insert(ctx, slices.Concat(made.words...)),
		s.events.insert(ctx, slices.Concat(made.events...)))
}

// idList is the numbers of items as JSON.
func idList(items []*submission) string {
	b := []byte{'['}
	for i, s := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, s.id, 10)
	}
	return string(append(b, ']'))
}
