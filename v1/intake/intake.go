// Package intake has the statements that store new submissions of many sellers in one transaction: with one statement it
// locks and charges their owners, with another it stores the submissions and the answers to their Idempotency-Keys. It knows
// what differs between the two databases and none of the rules: which submissions are stored, and what is answered, is decided
// between the two.
package intake

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sellerd/ent"
	"sellerd/internal/base/wrap"
	"sellerd/v1/keycheck"
	"sellerd/v1/rows"
)

// Request is what Charge has to know of one new submission.
type Request struct {
	Owner int64
	Key   string // its name in idempotency_keys, empty without one

	// Remembered is the row of the caller's API key if it has yet to be confirmed that the row is still the same.
	Remembered *keycheck.Row
}

// Outcome says whether a request is charged, or why not.
type Outcome int

// The outcomes, by the numbers that chargeSet gives them.
const (
	Charged Outcome = iota
	Changed         // the remembered row of the API key is no longer as it was
	Held            // another transaction works with the key
	Known           // the key has an answer
	Busy            // another transaction holds the row of the owner, there is none, or the owner's test data is being removed
)

// Charge is what the database says to a Request.
type Charge struct {
	Outcome Outcome

	// Of a request that is charged: the state of the owner's row after this request, as if all were charged one after another
	// in their order.
	LastChange  int64 // in microseconds; larger than those of all earlier changes of the owner
	Open, Daily int   // units, those of this request included
}

// Intake runs the statements on one kind of database.
type Intake struct{ postgres bool }

// For is the intake of PostgreSQL, which has many writers, or of SQLite, which has one.
func For(manyWriters bool) Intake { return Intake{postgres: manyWriters} }

// microsecondsPerDay is the length of a day in owners.day, which counts the days since 1970.
const microsecondsPerDay = 24 * 60 * 60 * 1_000_000

// Charge locks the owners of the requests until the transaction ends, advances their clocks by one for each request and
// charges it one unit. It takes the locks on the keys as store.Announce does, and never waits for another transaction. The
// keys must differ. now is the time of the clock in microseconds.
func (i Intake) Charge(ctx context.Context, tx *ent.Client, now int64, requests []Request) ([]Charge, error) {
	charges := make([]Charge, len(requests))
	charge := i.chargeOneByOne
	if i.postgres {
		charge = i.chargeAtOnce
	}
	if err := charge(ctx, tx, now, requests, charges); err != nil {
		return nil, fmt.Errorf("charge owners: %w", err)
	}
	after := make(map[int64]int, 1)
	for n := len(charges) - 1; n >= 0; n-- { // the row has the state after the owner's last request
		if c := &charges[n]; c.Outcome == Charged {
			later := after[requests[n].Owner]
			after[requests[n].Owner]++
			c.LastChange, c.Open, c.Daily = c.LastChange-int64(later), c.Open-later, c.Daily-later
		}
	}
	return charges, nil
}

// Await waits until this transaction holds the row of an owner, up to the limit of the database for such waits. Before that
// it takes the locks on the keys, so that others can see what the transaction is for. On SQLite there is nothing to wait for.
func (i Intake) Await(ctx context.Context, tx *ent.Client, owner int64, keys []string) error {
	if !i.postgres {
		return nil
	}
	err := rows.Query(ctx, tx, `SELECT id FROM owners WHERE id = $1 AND
 (SELECT count(pg_try_advisory_xact_lock(hashtextextended(key, 0))) FROM unnest($2::text[]) AS given(key) WHERE key <> '') >= 0
 FOR UPDATE`, []any{owner, keys}, func(*sql.Rows) error { return nil })
	return wrap.Err(err, "wait for owner %d", owner)
}

// chargeSet is the statement for PostgreSQL: the clock, the day, for each request its owner, its key and the number of its
// remembered row (from 1, or 0 if it has none), and the remembered rows. A key is looked
// up by its name alone. With its end among the conditions, a plan that was made for an empty table would read all keys that
// have not expired, in each group.
var chargeSet = `WITH request AS MATERIALIZED (
 SELECT owner, place, remembered > 0 AND NOT (ARRAY(
 SELECT coalesce(` + keycheck.SetColumn("given") + `, false) FROM unnest($6::bytea[], $7::text[], $8::text[]) WITH ORDINALITY AS given(secret, state, id, n) ORDER BY n
 ))[remembered] AS changed,
 CASE WHEN key <> '' THEN NOT pg_try_advisory_xact_lock(hashtextextended(key, 0)) ELSE false END AS held,
 coalesce((SELECT expires_at > $1 FROM idempotency_keys WHERE id = key), false) AS known
 FROM unnest($3::bigint[], $4::text[], $5::bigint[]) WITH ORDINALITY AS given(owner, key, remembered, place)
), locked AS MATERIALIZED (
 SELECT id FROM owners WHERE id = ANY($3::bigint[]) AND resetting_since IS NULL ORDER BY id FOR UPDATE SKIP LOCKED
), charged AS (
 UPDATE owners SET
 last_change_at = CASE WHEN last_change_at >= $1 THEN last_change_at + n ELSE $1 + n - 1 END,
 open_count = open_count + n,
 day_count = CASE WHEN day = $2 THEN day_count + n ELSE n END,
 day = $2
 FROM (SELECT owner, count(*) AS n FROM request WHERE NOT changed AND NOT held AND NOT known GROUP BY owner) AS units
 WHERE id = owner AND id = ANY(ARRAY(SELECT id FROM locked))
 RETURNING id, last_change_at, open_count, day_count
)
SELECT CASE WHEN changed THEN 1 WHEN held THEN 2 WHEN known THEN 3 WHEN id IS NULL THEN 4 ELSE 0 END,
 coalesce(last_change_at, 0), coalesce(open_count, 0), coalesce(day_count, 0)
 FROM request LEFT JOIN charged ON id = owner ORDER BY place`

// chargeAtOnce charges all requests with one statement.
func (Intake) chargeAtOnce(ctx context.Context, tx *ent.Client, now int64, requests []Request, charges []Charge) error {
	owners, keys, numbers := make([]int64, len(requests)), make([]string, len(requests)), make([]int64, len(requests))
	remembered := rememberedBy(requests)
	for n, r := range requests {
		owners[n], keys[n], numbers[n] = r.Owner, r.Key, int64(slices.Index(remembered, r.Remembered)+1)
	}
	secrets, states, ids := make([][]byte, len(remembered)), make([]string, len(remembered)), make([]string, len(remembered))
	for n, row := range remembered {
		secrets[n], states[n], ids[n] = row.Args()
	}
	n := 0
	args := []any{now, now / microsecondsPerDay, owners, keys, numbers, secrets, states, ids}
	err := rows.Query(ctx, tx, chargeSet, args, func(r *sql.Rows) error {
		c := &charges[n]
		n++
		return r.Scan(&c.Outcome, &c.LastChange, &c.Open, &c.Daily)
	})
	if err == nil && n != len(charges) {
		err = fmt.Errorf("%d of %d requests came back", n, len(charges))
	}
	return err
}

// rememberedBy returns the remembered rows of requests, each once. They are few, because sellers submit many items.
func rememberedBy(requests []Request) (remembered []*keycheck.Row) {
	for _, r := range requests {
		if r.Remembered != nil && !slices.Contains(remembered, r.Remembered) {
			remembered = append(remembered, r.Remembered)
		}
	}
	return remembered
}

var knownKeys = rows.NewSet(`SELECT idempotency_keys.id FROM given JOIN idempotency_keys ON idempotency_keys.id = given.id
 WHERE idempotency_keys.expires_at > given.now`, "id text", "now bigint")

// chargeOwner charges one owner: the clock, the units, the day and the owner.
const chargeOwner = `UPDATE owners SET
 last_change_at = CASE WHEN last_change_at >= $1 THEN last_change_at + $2 ELSE $1 + $2 - 1 END,
 open_count = open_count + $2,
 day_count = CASE WHEN day = $3 THEN day_count + $2 ELSE $2 END,
 day = $3
 WHERE id = $4 AND resetting_since IS NULL RETURNING last_change_at, open_count, day_count`

// chargeOneByOne charges each owner with a statement of its own, which costs little where there is no network. No other
// transaction runs meanwhile.
func (Intake) chargeOneByOne(ctx context.Context, tx *ent.Client, now int64, requests []Request, charges []Charge) error {
	for _, row := range rememberedBy(requests) {
		holds, err := row.Holds(ctx, tx)
		if err != nil {
			return err
		}
		for n, r := range requests {
			if r.Remembered == row && !holds {
				charges[n].Outcome = Changed
			}
		}
	}
	keys := make([]any, 0, 2*len(requests))
	byKey := make(map[string]int, len(requests))
	for n, r := range requests {
		if r.Key != "" {
			keys, byKey[r.Key] = append(keys, r.Key, now), n
		}
	}
	err := knownKeys.Query(ctx, tx, keys, func(r *sql.Rows) error {
		var key string
		err := r.Scan(&key)
		if c := &charges[byKey[key]]; c.Outcome == Charged {
			c.Outcome = Known
		}
		return err
	})
	if err != nil {
		return err
	}
	units := make(map[int64]int, 1)
	for n, r := range requests {
		if charges[n].Outcome == Charged {
			units[r.Owner]++
		}
	}
	for owner, count := range units {
		charged := Charge{Outcome: Busy}
		err := rows.Query(ctx, tx, chargeOwner, []any{now, count, now / microsecondsPerDay, owner}, func(r *sql.Rows) error {
			charged.Outcome = Charged
			return r.Scan(&charged.LastChange, &charged.Open, &charged.Daily)
		})
		if err != nil {
			return err
		}
		for n, r := range requests {
			if r.Owner == owner && charges[n].Outcome == Charged {
				charges[n] = charged
			}
		}
	}
	return nil
}
