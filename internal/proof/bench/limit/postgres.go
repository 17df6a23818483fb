package limit

import (
	"context"
	"strings"

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
		return nil, err
	}
	config.MaxConns, config.MinConns = connections, connections
	config.ConnConfig.RuntimeParams["plan_cache_mode"] = "force_generic_plan"
	config.ConnConfig.RuntimeParams["enable_seqscan"] = "off"
	pool, err := pgxpool.NewWithConfig(ctx, config)
	return &postgres{pool, texts()}, err
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
func (p *postgres) read(q query, args []any, into *row, each func()) error {
	rows, err := p.pool.Query(context.Background(), p.texts[q], args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	fields := rows.FieldDescriptions()
	for rows.Next() {
		for i, raw := range rows.RawValues() {
			into.cells[i].receive(raw, fields[i].DataTypeOID != pgtype.Int8OID)
		}
		each()
	}
	return rows.Err()
}

// reserve implements database.
func (p *postgres) reserve(ctx context.Context) (next int64, err error) {
	err = p.pool.QueryRow(ctx, reserveNumbers).Scan(&next)
	return next, err
}

const (
	insertSubmissions = `INSERT INTO submissions (id, owner, batch_id, batch_index, personal_reference, draft, created_at, publish_deadline,
 due_at, status, errors, warnings, lease, attempts, shipping_model_id) SELECT *, 'pending', '', '', 0, 0, 0 FROM unnest($1::bigint[],
 $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::bigint[])`
	insertKeys = `INSERT INTO idempotency_keys (id, fingerprint, body, location, expires_at, status)
 SELECT *, 202 FROM unnest($1::text[], $2::bytea[], $3::text[], $4::text[], $5::bigint[])`
)

var chargeOwnerOfPostgres = strings.Replace(chargeOwner, "max(", "greatest(", 1)

// improve implements database.
func (p *postgres) improve(ctx context.Context) error {
	_, err := p.pool.Exec(ctx, strings.Replace(betterSchema, "word text", `word text COLLATE "C"`, 1))
	return err
}

// store implements database, in two round trips: the first locks and charges the owners, the second inserts and commits. Items are copied
// between them, table by table.
func (p *postgres) store(all []*charge, rows func([]*charge) published) error {
	ctx := context.Background()
	conn, err := p.pool.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release() // which closes a connection whose transaction did not end
	first, second := &pgx.Batch{}, &pgx.Batch{}
	first.Queue("BEGIN")
	for _, c := range all {
		first.Queue(chargeOwnerOfPostgres, c.args()...).QueryRow(func(row pgx.Row) error {
			var last int64
			err := row.Scan(&last)
			c.date(last)
			return err
		})
	}
	if err := conn.SendBatch(ctx, first).Close(); err != nil {
		return err
	}
	made := rows(all)
	for _, t := range []struct {
		name    string
		columns []string
		rows    [][]any
	}{{"items", itemColumns, made.items}, {"item_words", wordColumns, made.words}, {"events", eventColumns, made.events}} {
		if len(t.rows) == 0 {
			continue
		}
		if _, err := conn.CopyFrom(ctx, pgx.Identifier{t.name}, t.columns, pgx.CopyFromRows(t.rows)); err != nil {
			return err
		}
	}
	queueStatements(second, all)
	second.Queue("COMMIT")
	return conn.SendBatch(ctx, second).Close()
}

// queueStatements puts the rows of a group into one statement for each table.
func queueStatements(b *pgx.Batch, all []*charge) {
	var (
		ids, owners, created, deadlines, due, expires pgtype.FlatArray[int64]
		batches, indexes                              pgtype.FlatArray[pgtype.Int8]
		references                                    pgtype.FlatArray[*string]
		drafts, keys, bodies, locations               pgtype.FlatArray[string]
		fingerprints                                  pgtype.FlatArray[[]byte]
	)
	for _, c := range all {
		var finished pgtype.FlatArray[int64]
		for _, s := range c.items {
			finished = append(finished, s.id)
		}
		if len(finished) > 0 {
			b.Queue(finishSubmissions+"= ANY($2::bigint[])", c.items[0].at, finished)
		}
		for _, t := range c.turns {
			if t.batch != 0 {
				b.Queue(insertBatch, t.batch, t.owner, len(t.submissions), t.at)
			}
			for i, s := range t.submissions {
				ids, owners, drafts = append(ids, s.id), append(owners, t.owner), append(drafts, s.draft)
				references = append(references, s.in.PersonalReference.Ptr())
				batches = append(batches, pgtype.Int8{Int64: t.batch, Valid: t.batch != 0})
				indexes = append(indexes, pgtype.Int8{Int64: int64(i), Valid: t.batch != 0})
				created, deadlines, due = append(created, t.at), append(deadlines, t.deadline()), append(due, t.now)
			}
			if t.key != "" {
				keys, fingerprints = append(keys, t.key), append(fingerprints, t.fingerprint[:])
				bodies, locations, expires = append(bodies, string(t.data)), append(locations, t.location), append(expires, t.at+keyRetention)
			}
		}
	}
	if len(ids) > 0 {
		b.Queue(insertSubmissions, ids, owners, batches, indexes, references, drafts, created, deadlines, due)
	}
	if len(keys) > 0 {
		b.Queue(insertKeys, keys, fingerprints, bodies, locations, expires)
	}
}
