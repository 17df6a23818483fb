package limit

import (
	"context"
	"database/sql"
	"errors"
	"strings"
)

// This file stores submissions on SQLite: one statement for each owner's row, and inserts of many rows at once.

// rowsOfSQLite is a prepared insert of a fixed number of rows.
type rowsOfSQLite struct {
	rows int
	*sql.Stmt
}

// insertSizes are the numbers of rows for which inserts are prepared, the largest first. Any number is a sum of few.
func insertSizes() []int { return []int{64, 16, 4, 1} }

const (
	ownerOfSQLite = `UPDATE owners SET last_change_at = max(last_change_at + 1, ?1) + ?2, open_count = open_count + ?3,
 day_count = CASE WHEN day = ?4 THEN day_count + ?3 ELSE ?3 END, day = ?4 WHERE id = ?5 RETURNING last_change_at`
)

func (s *sqlite) prepareWrites(ctx context.Context) (err error) {
	if s.changed, err = s.conn.PrepareContext(ctx, changedOfSQLite); err != nil {
		return err
	}
	if s.prices, err = s.conn.PrepareContext(ctx, pricesOfSQLite); err != nil {
		return err
	}
	if s.owner, err = s.conn.PrepareContext(ctx, ownerOfSQLite); err != nil {
		return err
	}
	s.batch, err = s.conn.PrepareContext(ctx, `INSERT INTO batches (id, owner, accepted_count, rejected_count, created_at) VALUES (?, ?, ?, 0, ?)`)
	if err != nil {
		return err
	}
	for _, insert := range []struct {
		into        *[]rowsOfSQLite
		text, tuple string
	}{
		{&s.submissions, `INSERT INTO submissions (status, errors, warnings, lease, attempts, shipping_model_id, id, owner, batch_id, batch_index, personal_reference, draft,
 created_at, publish_deadline, due_at) VALUES `, `('pending', '', '', 0, 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)`},
		{&s.keys, `INSERT INTO idempotency_keys (id, fingerprint, status, body, location, expires_at) VALUES `, `(?, ?, ?, ?, ?, ?)`},
		{&s.events, `INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at) VALUES `, `(?, ?, 'item.updated', 'item', ?, ?, ?, ?)`},
	} {
		for _, n := range insertSizes() {
			text := insert.text + strings.TrimSuffix(strings.Repeat(insert.tuple+", ", n), ", ")
			statement, err := s.conn.PrepareContext(ctx, text)
			if err != nil {
				return err
			}
			*insert.into = append(*insert.into, rowsOfSQLite{n, statement})
		}
	}
	return nil
}

// reserve implements database.
func (s *sqlite) reserve(ctx context.Context) (next int64, err error) {
	err = s.conn.QueryRowContext(ctx, reserveNumbers).Scan(&next)
	return next - reserved - 1, err
}

// store implements database. Only one goroutine calls it.
func (s *sqlite) store(turns []*turn) error {
	ctx := context.Background()
	if _, err := s.conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	if err := s.insert(ctx, turns); err != nil {
		_, rollback := s.conn.ExecContext(ctx, "ROLLBACK")
		return errors.Join(err, rollback)
	}
	_, err := s.conn.ExecContext(ctx, "COMMIT")
	return err
}

func (s *sqlite) insert(ctx context.Context, turns []*turn) error {
	for _, c := range charges(turns) {
		var last int64
		if err := s.owner.QueryRowContext(ctx, c.latest, len(c.turns)-1, c.units, c.latest/microsADay, c.owner).Scan(&last); err != nil {
			return err
		}
		c.date(last)
	}
	args := s.args[:0]
	for _, t := range turns {
		var batch any
		if t.batch != 0 {
			batch = t.batch
			if _, err := s.batch.ExecContext(ctx, t.batch, t.owner, len(t.submissions), t.at); err != nil {
				return err
			}
		}
		for i := range t.submissions {
			var index, reference any
			if t.batch != 0 {
				index = int64(i)
			}
			if t.submissions[i].reference != nil {
				reference = *t.submissions[i].reference
			}
			args = append(args, t.submissions[i].id, t.owner, batch, index, reference, t.submissions[i].draft, t.at, t.deadline(), t.now)
		}
	}
	if err := insertRows(ctx, s.submissions, args, 9); err != nil {
		return err
	}
	for _, t := range turns {
		if t.changes != nil {
			if err := s.changePrices(ctx, t); err != nil {
				return err
			}
		}
	}
	args = args[:0]
	for _, t := range turns {
		if t.key != "" {
			args = append(args, t.key, t.fingerprint[:], t.status, string(t.data), t.location, t.at+keyRetention)
		}
	}
	s.args = args
	return insertRows(ctx, s.keys, args, 6)
}

// insertRows inserts rows of so many arguments each.
func insertRows(ctx context.Context, inserts []rowsOfSQLite, args []any, columns int) error {
	for _, insert := range inserts {
		for n := insert.rows * columns; len(args) >= n; args = args[n:] {
			if _, err := insert.ExecContext(ctx, args[:n]...); err != nil {
				return err
			}
		}
	}
	return nil
}
