package limit

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// postgres is a pool of connections. pgx prepares each text at its first use on a connection.
type postgres struct {
	pool    *pgxpool.Pool
	texts   [queries]string
	inserts [itemsTable]string
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
	p := &postgres{pool: pool, texts: texts()}
	for i := range p.inserts {
		begin, constants := tables[i].insert()
		_, types := split(tables[i].columns)
		for n := range types {
			types[n] = fmt.Sprintf("$%d::%s[]", n+1, types[n])
		}
		p.inserts[i] = begin + "SELECT *" + constants + " FROM unnest(" + strings.Join(types, ", ") + ")"
	}
	return p, err
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

var chargeOwnerOfPostgres = strings.Replace(chargeOwner, "max(", "greatest(", 1)

// improve implements database.
func (p *postgres) improve(ctx context.Context) error {
	_, err := p.pool.Exec(ctx, strings.Replace(betterSchema, "word text", `word text COLLATE "C"`, 1))
	return err
}

// store implements database, in two round trips: the first locks and charges the owners, the second inserts and commits. Items are copied
// between them, table by table.
func (p *postgres) store(all []*charge, rows func([]*charge) written) error {
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
	for i := itemsTable; i < tableCount; i++ {
		width := tables[i].width()
		source := pgx.CopyFromSlice(len(made[i])/width, func(n int) ([]any, error) { return made[i][n*width : (n+1)*width], nil })
		if columns, _ := split(tables[i].columns); len(made[i]) > 0 {
			if _, err := conn.CopyFrom(ctx, pgx.Identifier{tables[i].name}, columns, source); err != nil {
				return err
			}
		}
	}
	for _, c := range all {
		if len(c.items) > 0 { // an array, of which no planner makes a scan of the table
			second.Queue(finishSubmissions+"= ANY($2::bigint[])", c.items[0].at, pgtype.FlatArray[int64](c.ids()))
		}
	}
	for i, text := range p.inserts {
		if len(made[i]) == 0 {
			continue
		}
		columns := make([]any, tables[i].width())
		for n := range columns {
			column := make(pgtype.FlatArray[any], 0, len(made[i])/len(columns))
			for at := n; at < len(made[i]); at += len(columns) {
				column = append(column, made[i][at])
			}
			columns[n] = column
		}
		second.Queue(text, columns...)
	}
	second.Queue("COMMIT")
	return conn.SendBatch(ctx, second).Close()
}
