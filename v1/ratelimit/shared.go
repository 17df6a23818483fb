package ratelimit

import (
	"cmp"
	"context"
	"database/sql"
	"time"

	"sellerd/v1/keycheck"
	"sellerd/v1/rows"
)

// sharedWindows keeps limits in a table, so that all processes on one PostgreSQL count together. Each step is one
// statement of its own; the compare-and-swap makes a transaction unnecessary.
type sharedWindows struct {
	store Store
	clock Clock
}

// get returns when all requests of a limit are back, in nanoseconds since 1970, -1 when they are, and the time.
func (w *sharedWindows) get(ctx context.Context, key string) (int64, time.Time, error) {
	now := w.clock.Now()
	value := sql.Null[int64]{}
	query, args, targets := windowQuery, []any{key, now.UnixMicro()}, []any{&value}
	claim := keycheck.From(ctx)
	claimed := claim.Open()
	if claimed {
		query = claimedWindowQuery
		args, targets = claim.First(args, targets)
	}
	found, err := w.store.Query(ctx, query, args...)
	if err != nil {
		return 0, now, err
	}
	defer found.Close()
	if found.Next() {
		err = found.Scan(targets...)
	}
	if err = cmp.Or(err, found.Err()); err == nil && claimed {
		err = claim.Confirm()
	}
	if !value.Valid {
		return -1, now, err
	}
	return value.V, now, err
}

// These queries read a limit's state, NULL if there is none. The second one also confirms a claim, so a key that has been
// revoked is not charged to its account.
var (
	windowQuery        = `SELECT (SELECT tat FROM rate_windows WHERE id = $1 AND expires_at > $2)`
	claimedWindowQuery = `SELECT ` + keycheck.FirstColumn() + `, (SELECT tat FROM rate_windows WHERE id = $4 AND expires_at > $5)`
)

// swap moves a limit on that is still as it was read. The row may go when all requests are back.
func (w *sharedWindows) swap(ctx context.Context, key string, old, value int64, lasts time.Duration) (bool, error) {
	now := w.clock.Now()
	ends := now.Add(max(lasts, time.Second)).UnixMicro()
	if old < 0 {
		n, err := rows.Affect(ctx, w.store.Reader(), `INSERT INTO rate_windows (id, tat, expires_at) VALUES ($1, $2, $3)
 ON CONFLICT (id) DO UPDATE SET tat = excluded.tat, expires_at = excluded.expires_at WHERE rate_windows.expires_at <= $4`,
			key, value, ends, now.UnixMicro())
		return n == 1, err
	}
	const moved = `UPDATE rate_windows SET tat = $1, expires_at = $2 WHERE id = $3 AND tat = $4`
	n, err := rows.Affect(ctx, w.store.Reader(), moved, value, ends, key, old)
	return n == 1, err
}
