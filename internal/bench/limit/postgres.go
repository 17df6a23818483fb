package limit

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgres is a pool of connections. pgx prepares each text at its first use on a connection.
type postgres struct {
	pool  *pgxpool.Pool
	texts [queries]string
}

// connections is how many connections the pool has: enough to keep two cores of a server busy, and the disk.
const connections = 8

func openPostgres(ctx context.Context, address string) (*postgres, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	config.MaxConns, config.MinConns = connections, connections
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	config.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("limit: %w", err)
	}
	// The buyer is looked up for each sale: OFFSET 0 keeps PostgreSQL from reading all buyers for a hash join.
	sales := "SELECT " + saleColumns + " FROM sales s CROSS JOIN LATERAL (SELECT * FROM buyers WHERE id = s.buyer_id OFFSET 0) b"
	return &postgres{pool: pool, texts: queriesOf(sales)}, nil
}

func (p *postgres) close() error {
	p.pool.Close()
	return nil
}

func (p *postgres) key(ctx context.Context, id string) (known knownKey, err error) {
	var hash []byte
	err = p.pool.QueryRow(ctx, keyText, id).Scan(&hash, &known.owner)
	copy(known.hash[:], hash)
	return known, err
}

// read implements database.
func (p *postgres) read(q query, args []any, into []column, each func()) error {
	rows, err := p.pool.Query(context.Background(), p.texts[q], args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		for i, raw := range rows.RawValues() {
			if err := into[i].receive(raw); err != nil {
				return err
			}
		}
		each()
	}
	return rows.Err()
}

// reserve implements database.
func (p *postgres) reserve(ctx context.Context) (next int64, err error) {
	err = p.pool.QueryRow(ctx, reserveNumbers).Scan(&next)
	return next - reserved - 1, err
}

const (
	ownerOfPostgres = `UPDATE owners SET last_change_at = greatest(last_change_at + 1, $1) + $2, open_count = open_count + $3,
 day_count = CASE WHEN day = $4 THEN day_count + $3 ELSE $3 END, day = $4 WHERE id = $5 RETURNING last_change_at`
	submissionsOfPostgres = `INSERT INTO submissions (id, owner, batch_id, batch_index, personal_reference, draft, created_at, publish_deadline, due_at,
 status, errors, warnings, lease, attempts, shipping_model_id)
 SELECT *, 'pending', '', '', 0, 0, 0 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[])`
	keysOfPostgres = `INSERT INTO idempotency_keys (id, fingerprint, body, location, expires_at, status)
 SELECT * FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])`
	changedOfPostgres = `SELECT ` + itemColumns + `, sequence FROM items WHERE owner = $1 AND id = ANY($2::bigint[])`
	pricesOfPostgres  = `UPDATE items SET price = given.price, current_price = given.price, sequence = sequence + 1, updated_at = $3
 FROM unnest($1::bigint[], $2::bigint[]) AS given(id, price) WHERE items.id = given.id`
	eventsOfPostgres = `INSERT INTO events (id, owner, type, resource_type, resource_id, sequence, body, created_at)
 SELECT id, $5, 'item.updated', 'item', item, sequence, body, $6 FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::text[]) AS given(id, item, sequence, body)`
	batchOfPostgres = `INSERT INTO batches (id, owner, accepted_count, rejected_count, created_at) VALUES ($1, $2, $3, 0, $4)`
)

// store implements database, in two round trips: the first locks and charges the owners, the second inserts and commits.
func (p *postgres) store(turns []*turn) error {
	turns, later := apart(turns)
	if err := p.storeTogether(turns); err != nil || len(later) == 0 {
		return err
	}
	return p.store(later)
}

// apart separates the turns that change an item which an earlier turn changes, because they read what that one leaves.
func apart(turns []*turn) (first, later []*turn) {
	taken := map[int64]bool{}
	for _, t := range turns {
		if t.changes != nil && slices.ContainsFunc(t.changes.ids, func(id int64) bool { return taken[id] }) {
			later = append(later, t)
			continue
		}
		first = append(first, t)
		if t.changes != nil {
			for _, id := range t.changes.ids {
				taken[id] = true
			}
		}
	}
	return first, later
}

func (p *postgres) storeTogether(turns []*turn) error {
	ctx := context.Background()
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // which closes a connection whose transaction did not end
	all := charges(turns)
	first := &pgx.Batch{}
	first.Queue("BEGIN")
	for i := range all {
		c := &all[i]
		first.Queue(ownerOfPostgres, c.latest, int64(len(c.turns)-1), c.units, c.latest/microsADay, c.owner).QueryRow(func(row pgx.Row) error {
			var last int64
			if err := row.Scan(&last); err != nil {
				return err
			}
			c.date(last)
			return nil
		})
	}
	for _, t := range turns {
		if t.changes != nil {
			first.Queue(changedOfPostgres, t.owner, t.changes.ids).Query(t.changes.receive)
		}
	}
	if err := conn.SendBatch(ctx, first).Close(); err != nil {
		return err
	}
	second := &pgx.Batch{}
	queueInserts(second, turns)
	second.Queue("COMMIT")
	return conn.SendBatch(ctx, second).Close()
}

// queueInserts puts the rows of a group into one statement for each table.
func queueInserts(b *pgx.Batch, turns []*turn) {
	var (
		ids, owners, created, deadlines, due, expires pgtype.FlatArray[int64]
		batches, indexes                              pgtype.FlatArray[pgtype.Int8]
		references                                    pgtype.FlatArray[pgtype.Text]
		drafts, keys, bodies, locations               pgtype.FlatArray[string]
		fingerprints                                  pgtype.FlatArray[[]byte]
		statuses                                      pgtype.FlatArray[int64]
	)
	for _, t := range turns {
		if t.changes != nil {
			c := t.changes
			b.Queue(pricesOfPostgres, c.ids, c.prices, t.at)
			b.Queue(eventsOfPostgres, c.events, c.items, c.sequences, c.bodies, t.owner, t.at)
		}
		if t.batch != 0 {
			b.Queue(batchOfPostgres, t.batch, t.owner, len(t.submissions), t.at)
		}
		for i, s := range t.submissions {
			ids, owners, drafts = append(ids, s.id), append(owners, t.owner), append(drafts, s.draft)
			batches = append(batches, pgtype.Int8{Int64: t.batch, Valid: t.batch != 0})
			indexes = append(indexes, pgtype.Int8{Int64: int64(i), Valid: t.batch != 0})
			reference := pgtype.Text{}
			if s.reference != nil {
				reference = pgtype.Text{String: *s.reference, Valid: true}
			}
			references = append(references, reference)
			created, deadlines, due = append(created, t.at), append(deadlines, t.deadline()), append(due, t.now)
		}
		if t.key != "" {
			keys, fingerprints = append(keys, t.key), append(fingerprints, t.fingerprint[:])
			statuses = append(statuses, int64(t.status))
			bodies, locations, expires = append(bodies, string(t.data)), append(locations, t.location), append(expires, t.at+keyRetention)
		}
	}
	if len(ids) > 0 {
		b.Queue(submissionsOfPostgres, ids, owners, batches, indexes, references, drafts, created, deadlines, due)
	}
	if len(keys) > 0 {
		b.Queue(keysOfPostgres, keys, fingerprints, bodies, locations, expires, statuses)
	}
}
