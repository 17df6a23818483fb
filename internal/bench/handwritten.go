package main

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// handwritten is the server to compare with, written only to answer these six requests fast. It prepares its statements
// once, appends its JSON, and shares commits between writers. It checks the key and decodes the body. It does not validate,
// limit, count or log.
type handwritten struct {
	auth, item, first, next *sql.Stmt
	sales                   map[string]*sql.Stmt // by order and whether there is a cursor

	ids     atomic.Int64 // the last submission's number
	batches atomic.Int64
	writer  *groupWriter
}

// handwrittenPragmas are those of the service (internal/store).
const (
	handwrittenReads  = "?mode=ro&_query_only=1&_busy_timeout=5000&_foreign_keys=on&_stmt_cache_size=64"
	handwrittenWrites = "?_journal_mode=WAL&_synchronous=FULL&_busy_timeout=5000&_txlock=immediate&_foreign_keys=on&_stmt_cache_size=128"
)

const (
	authText = `SELECT k.secret_sha256, k.test, k.expires_at, k.revoked_at, k.last_used_at, a.id, a.status, a.time_zone, a.currency,
 a.limit_requests_per_minute, a.limit_open_items, a.limit_new_items_per_day
 FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = ?`
	itemColumns = `id, owner, sale_type, title, subtitle, description, personal_reference, category_id, currency, price, starting_price,
 bid_increment, reserve_price, current_price, bid_count, first_bid_at, quantity, quantity_sold, duration_days, preferred_end_day,
 preferred_end_time, starts_at, ends_at, published_at, closed_at, created_at, updated_at, renewals, renewals_left, shipping_model_id,
 weight_grams, images, options, site, status, close_reason, close_note, restart_count, visit_count`
	itemText = "SELECT " + itemColumns + " FROM items WHERE id = ? AND owner = ?"
	pageText = "SELECT " + itemColumns + " FROM items WHERE owner = ?%s ORDER BY created_at, id LIMIT 51"
)

// serveHandwritten is the hidden subcommand that runs the yardstick.
func serveHandwritten(ctx context.Context, args []string) error {
	debug.SetGCPercent(400) // as the program does
	flags := flag.NewFlagSet("handwritten", flag.ContinueOnError)
	path, addr, operator := flags.String("db", "", ""), flags.String("addr", "", ""), flags.String("operator-addr", "", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	h, closeAll, err := openHandwritten(ctx, *path)
	if err != nil {
		return err
	}
	defer closeAll()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/items/{id}", h.getItem)
	mux.HandleFunc("GET /v1/items", h.browse)
	mux.HandleFunc("GET /v1/sales", h.browseSales)
	mux.HandleFunc("POST /v1/items", h.submit)
	mux.HandleFunc("POST /v1/item-batches", h.submitBatch)
	return serveBoth(ctx, *addr, mux, *operator, http.HandlerFunc(allocationMetric))
}

// allocationMetric is the service's metric of the same name.
func allocationMetric(w http.ResponseWriter, _ *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	text := fmt.Sprintf("# allocations so far\ngo_memstats_mallocs_total %d\n", m.Mallocs)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	_, _ = w.Write([]byte(text))
}

// serveBoth serves until the context ends.
func serveBoth(ctx context.Context, addr string, public http.Handler, operatorAddr string, operator http.Handler) error {
	failed := make(chan error, 2)
	for address, handler := range map[string]http.Handler{addr: public, operatorAddr: operator} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return err
		}
		server := &http.Server{Handler: handler}
		defer server.Close()
		go func() { failed <- server.Serve(listener) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

func openHandwritten(ctx context.Context, path string) (h *handwritten, closeAll func(), err error) {
	reads, err := sql.Open("sqlite3", "file:"+path+handwrittenReads)
	if err != nil {
		return nil, nil, err
	}
	reads.SetMaxOpenConns(4)
	reads.SetMaxIdleConns(4)
	writes, err := sql.Open("sqlite3", "file:"+path+handwrittenWrites)
	if err != nil {
		return nil, nil, err
	}
	writes.SetMaxOpenConns(1)
	h = &handwritten{}
	for _, s := range []struct {
		into **sql.Stmt
		text string
	}{
		{&h.auth, authText},
		{&h.item, itemText},
		{&h.first, fmt.Sprintf(pageText, "")},
		{&h.next, fmt.Sprintf(pageText, " AND (created_at, id) > (?, ?)")},
	} {
		if *s.into, err = reads.PrepareContext(ctx, s.text); err != nil {
			return nil, nil, err
		}
	}
	if err := h.prepareSales(ctx, reads); err != nil {
		return nil, nil, err
	}
	var next int64
	if err := reads.QueryRowContext(ctx, "SELECT next FROM number_ranges WHERE id = 'item'").Scan(&next); err != nil {
		return nil, nil, err
	}
	h.ids.Store(next)
	if h.writer, err = newGroupWriter(ctx, writes); err != nil {
		return nil, nil, err
	}
	return h, func() { h.writer.close(); reads.Close(); writes.Close() }, nil
}

var errKey = errors.New("invalid_api_key")

// caller is the owner whose key the request carries.
func (h *handwritten) caller(r *http.Request) (owner int64, err error) {
	key := r.Header.Get("X-Api-Key")
	parts := strings.Split(key, "_")
	if len(parts) != 4 || len(parts[3]) < 6 {
		return 0, errKey
	}
	var (
		secret                    sql.RawBytes
		test                      bool
		expires, revoked, used    sql.NullInt64
		account                   int64
		status, zone, currency    string
		limitRate, limitO, limitD sql.NullInt64
	)
	rows, err := h.auth.QueryContext(r.Context(), parts[2])
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if !rows.Next() {
		return 0, errors.Join(errKey, rows.Err())
	}
	if err := rows.Scan(&secret, &test, &expires, &revoked, &used, &account, &status, &zone, &currency, &limitRate, &limitO, &limitD); err != nil {
		return 0, err
	}
	sum := sha256.Sum256([]byte(key[:len(key)-6])) // without the checksum
	if subtle.ConstantTimeCompare(secret, sum[:]) != 1 || revoked.Valid || status == "suspended" {
		return 0, errKey
	}
	owner = account * 2
	if test {
		owner++
	}
	return owner, nil
}

var rowPool = sync.Pool{New: func() any { return newItemRow() }}

func (h *handwritten) getItem(w http.ResponseWriter, r *http.Request) {
	owner, err := h.caller(r)
	if err != nil {
		refuse(w, err)
		return
	}
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		refuse(w, err)
		return
	}
	rows, err := h.item.QueryContext(r.Context(), id, owner)
	if err != nil {
		refuse(w, err)
		return
	}
	defer rows.Close()
	row := rowPool.Get().(*itemRow)
	defer rowPool.Put(row)
	if !rows.Next() {
		refuse(w, errors.Join(sql.ErrNoRows, rows.Err()))
		return
	}
	if err := rows.Scan(row.targets...); err != nil {
		refuse(w, err)
		return
	}
	w.Header().Set("ETag", `"`+strconv.FormatInt(row.updated, 36)+`"`)
	answer(w, 200, func(b []byte) []byte { return row.append(b) })
}

func (h *handwritten) browse(w http.ResponseWriter, r *http.Request) {
	owner, err := h.caller(r)
	if err != nil {
		refuse(w, err)
		return
	}
	var rows *sql.Rows
	if after := r.URL.Query().Get("after"); after == "" {
		rows, err = h.first.QueryContext(r.Context(), owner)
	} else {
		created, id, _ := strings.Cut(after, ".")
		key, err1 := strconv.ParseInt(created, 10, 64)
		last, err2 := strconv.ParseInt(id, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			refuse(w, err)
			return
		}
		rows, err = h.next.QueryContext(r.Context(), owner, key, last)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	defer rows.Close()
	row := rowPool.Get().(*itemRow)
	defer rowPool.Put(row)
	answer(w, 200, func(b []byte) []byte {
		b = append(b, `{"results":[`...)
		n := 0
		for ; rows.Next() && n < 50; n++ {
			if err = rows.Scan(row.targets...); err != nil {
				return b
			}
			if n > 0 {
				b = append(b, ',')
			}
			b = row.append(b)
		}
		if n < 50 {
			return append(b, `],"next_cursor":null}`...)
		}
		b = append(b, `],"next_cursor":"`...)
		b = append(strconv.AppendInt(b, row.created, 10), '.')
		return append(strconv.AppendInt(b, row.id, 10), `"}`...)
	})
}

var answerPool = sync.Pool{New: func() any { b := make([]byte, 0, 64<<10); return &b }}

// answer writes the envelope around data.
func answer(w http.ResponseWriter, status int, data func([]byte) []byte) {
	buffer := answerPool.Get().(*[]byte)
	defer answerPool.Put(buffer)
	b := append((*buffer)[:0], `{"status_code":`...)
	b = append(strconv.AppendInt(b, int64(status), 10), `,"data":`...)
	*buffer = append(data(b), "}\n"...)
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(*buffer)))
	w.WriteHeader(status)
	_, _ = w.Write(*buffer)
}

func refuse(w http.ResponseWriter, err error) {
	http.Error(w, err.Error(), http.StatusInternalServerError)
}
