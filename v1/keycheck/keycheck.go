// Package keycheck reads the row of an API key together with its account, and saves most reads a statement for it.
//
// A process remembers the rows of valid keys. A read does not trust what is remembered: its own statement also returns
// whether the row of the key is still the same (Claim), in the same view of the database as the data. If it is not, the
// data are dropped, and the read starts again with the row as it is now. A submission confirms the row in the transaction that
// stores it. So the state of a key and of its account, with
// its limits, counts on the next request of every process, no matter which process changed it.
package keycheck

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"sync"

	"sellerd/v1/permission"
	"sellerd/v1/rows"
)

// Row is what every request needs to know of its key.
type Row struct {
	Secret                     rows.Hash
	Test                       bool
	Expires, Revoked, LastUsed *int64 // microseconds since 1970
	Account                    int64
	Status, Zone, Currency     string // of the account
	Requests, Open, Daily      *int64 // the account's own limits
	Permissions                permission.Set
	Succeeds                   bool // it took the place of another key

	state   string // all of the row but the hash, as one text
	claim   []any  // arguments of the column of a claim
	targets []any
}

// These are the columns of a Row, of a key k and its account a.
const (
	columns = `k.secret_sha256, k.test, k.expires_at, k.revoked_at, k.last_used_at, ` + OfAccount + `, k.permissions, k.predecessor_id IS NOT NULL, ` + state
	// OfAccount are the columns of the account.
	OfAccount = `a.id, a.status, a.time_zone, a.currency, a.limit_requests_per_minute, a.limit_open_items, a.limit_new_items_per_day`

	state = `a.status || '|' || a.time_zone || '|' || a.currency || '|' || CAST(a.id AS text) || '|' || CAST(k.test AS text)` +
		` || '|' || coalesce(CAST(k.expires_at AS text), '') || '|' || coalesce(CAST(k.revoked_at AS text), '') || '|' || coalesce(CAST(k.last_used_at AS text), '')` +
		` || '|' || coalesce(CAST(a.limit_requests_per_minute AS text), '') || '|' || coalesce(CAST(a.limit_open_items AS text), '')` +
		` || '|' || coalesce(CAST(a.limit_new_items_per_day AS text), '') || '|' || coalesce(k.permissions, '*')`

	from  = ` FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = `
	query = `SELECT ` + columns + from + `$1`
)

// NewRow makes an empty row.
func NewRow() *Row {
	r := &Row{}
	r.targets = []any{&r.Secret, &r.Test}
	for _, field := range []any{
		&r.Expires, &r.Revoked, &r.LastUsed, &r.Account, &r.Status, &r.Zone, &r.Currency, &r.Requests, &r.Open, &r.Daily,
		&r.Permissions, &r.Succeeds, &r.state,
	} {
		r.targets = append(r.targets, rows.Target(field))
	}
	return r
}

// Read fills the row of the key with an id. If there is none, the hash is zero. It is compared all the same, so the time
// does not reveal which ids exist.
func (r *Row) Read(ctx context.Context, reader rows.Querier, id string) (found bool, err error) {
	return r.ReadBy(ctx, reader, query, id)
}

// ReadBy is Read with a query of its own, for keys in another table. Its columns are those of a Row, and one more text.
func (r *Row) ReadBy(ctx context.Context, reader rows.Querier, query string, args ...any) (found bool, err error) {
	r.Secret = rows.Hash{}
	answer, err := reader.Query(ctx, query, args...)
	if err != nil {
		return false, err
	}
	defer answer.Close()
	if !answer.Next() {
		return false, answer.Err()
	}
	return true, answer.Scan(r.targets...)
}

// Is compares the hash of a secret with that of the key, in a time that does not depend on them.
func (r *Row) Is(hash *[sha256.Size]byte) bool {
	return subtle.ConstantTimeCompare(r.Secret[:], hash[:]) == 1
}

// Copy is the row of the key with an id as it can be kept: no query fills it again.
func (r *Row) Copy(id string) *Row {
	kept := *r
	kept.targets = nil
	for _, p := range []**int64{&kept.Expires, &kept.Revoked, &kept.LastUsed, &kept.Requests, &kept.Open, &kept.Daily} {
		if *p != nil {
			n := **p
			*p = &n
		}
	}
	kept.claim = []any{kept.Secret[:], kept.state, id}
	return &kept
}

// same says whether two rows are equal.
func (r *Row) same(other *Row) bool { return r.state == other.state && r.Secret == other.Secret }

// most is how many keys a process remembers, about 1 KB each.
const most = 10_000

// Memory remembers the rows of valid keys. It is safe for concurrent use. Its rows are not changed.
type Memory struct {
	mu   sync.RWMutex
	rows map[string]*Row
}

// Find returns the remembered row of a key, or nil.
func (m *Memory) Find(id string) *Row {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.rows[id]
}

// Keep remembers a row that Copy made. It first forgets all rows if there are too many.
func (m *Memory) Keep(id string, row *Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows == nil || len(m.rows) >= most {
		m.rows = map[string]*Row{}
	}
	m.rows[id] = row
}

// Forget forgets the row of a key, if it is still this one.
func (m *Memory) Forget(id string, row *Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.rows[id] == row {
		delete(m.rows, id)
	}
}
