package limit

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"sellerd/v1"
)

// Handler answers the requests that are measured: an item, pages of items, a submission and a batch, which it may publish.
type Handler struct {
	db  database
	now func() time.Time

	keys    sync.Map  // the id of an API key seen before → knownKey
	rows    sync.Pool // of *row
	answers sync.Pool // of *[]byte

	numbers atomic.Int64 // the last submission's
	ordered atomic.Int64 // the last id of a batch or an event
	queue   chan *turn
	images  *v1.ImageFetcher // nil unless it publishes
	fetched chan *submission // whose pictures are here
	made    *row             // the last item; the cells of others may lie in what PostgreSQL sent
	ended   sync.WaitGroup
}

// database is what differs between the two databases.
type database interface {
	// key finds an API key by the id in it.
	key(ctx context.Context, id string) (knownKey, error)
	// read runs a query and calls each after every row that it has put into the cells, until there are no more.
	read(q query, args []any, into *row, each func()) error
	// store stores a group in one transaction, durable when it returns. It makes the rows once the charges are dated.
	store(all []*charge, rows func([]*charge) written) error
	// improve changes the schema to the one in which a handler publishes.
	improve(ctx context.Context) error
	// reserve takes a range of item numbers that no other process gets, and returns the number after the last.
	reserve(ctx context.Context) (int64, error)
	close() error
}

// knownKey is what is remembered of an API key.
type knownKey struct {
	hash  [sha256.Size]byte
	owner int64
}

// keyText is the query for a key.
const keyText = `SELECT k.secret_sha256, k.account_id * 2 + CASE WHEN k.test THEN 1 ELSE 0 END
 FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.id = $1 AND k.revoked_at IS NULL AND a.status <> 'suspended'`

// query names a query: that of one item, or of a page: its first row in all items, or in the open ones at a fixed price, and the same
// after a position.
type query int

const (
	oneItem query = iota
	anyItems
	anyItemsAfter
	openItems
	openItemsAfter
	queries
)

// pageSize is how many rows a page has. The statements ask for one more, which says whether the list goes on.
const pageSize = 50

// texts are the queries.
func texts() [queries]string {
	const open, after = " AND sale_type = 'fixed_price' AND status = 'open'", " AND (created_at, id) > ($2, $3)"
	const order = " ORDER BY created_at, id LIMIT 51"
	items := "SELECT " + strings.Join(columns, ", ") + " FROM items WHERE "
	all := items + "owner = $1"
	return [queries]string{items + "id = $1 AND owner = $2", all + order, all + after + order, all + open + order, all + open + after + order}
}

// Open makes a handler on a database that the service has migrated. The address is as in store.Config; site is what the urls of
// items begin with: the address of the marketplace's site in live mode, and of the service in test mode. Close ends the handler. If it
// publishes, it changes the schema, and the database serves it alone from then on.
func Open(ctx context.Context, address, site string, publishes bool) (h *Handler, err error) {
	h = &Handler{now: time.Now, queue: make(chan *turn, largestGroup), fetched: make(chan *submission)}
	if path, isFile := strings.CutPrefix(address, "sqlite:"); isFile {
		h.db, err = openSQLite(ctx, path)
	} else {
		h.db, err = openPostgres(ctx, address)
	}
	if err != nil {
		return nil, fmt.Errorf("limit: open %s: %w", address, err)
	}
	next, err := h.db.reserve(ctx)
	if publishes && err == nil {
		h.images, err = newFetcher(), h.db.improve(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, h.db.close())
	}
	h.numbers.Store(next - reserved - 1)
	h.ordered.Store(time.Now().UnixMicro() << 10)
	h.made, h.rows.New = newRow(site), func() any { return newRow(site) }
	h.answers.New = func() any { b := make([]byte, 0, 64<<10); return &b }
	h.ended.Go(h.write)
	return h, nil
}

// Close ends the handler after its last request, when all is published.
func (h *Handler) Close() error {
	close(h.queue)
	h.ended.Wait()
	return h.db.close()
}

// ServeHTTP implements http.Handler. No measured request gets an error.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.serve(w, r); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}

func (h *Handler) serve(w http.ResponseWriter, r *http.Request) error {
	owner, err := h.caller(r)
	if err != nil {
		return err
	}
	id, isItem := strings.CutPrefix(r.URL.Path, "/v1/items/")
	switch {
	case r.Method == http.MethodPost:
		return h.submit(w, r, owner)
	case isItem:
		return h.item(w, id, owner)
	case r.URL.Path == "/v1/items":
		return h.page(w, r.URL.RawQuery, owner)
	}
	return fmt.Errorf("there is no %s", r.URL.Path)
}

// checksum is the number of letters at the end of a key that are not part of its hash.
const checksum = 6

// caller is the owner whose key the request carries.
func (h *Handler) caller(r *http.Request) (owner int64, err error) {
	key := r.Header.Get("X-Api-Key")
	_, rest, _ := strings.Cut(key, "_")
	_, rest, _ = strings.Cut(rest, "_")
	id, secret, _ := strings.Cut(rest, "_")
	if len(secret) < checksum {
		return 0, errors.New("invalid_api_key")
	}
	known, seen := h.keys.Load(id)
	if !seen {
		row, err := h.db.key(r.Context(), id)
		if err != nil {
			return 0, err
		}
		known, _ = h.keys.LoadOrStore(strings.Clone(id), row)
	}
	row := known.(knownKey)
	sum := sha256.Sum256([]byte(key[:len(key)-checksum]))
	if subtle.ConstantTimeCompare(row.hash[:], sum[:]) != 1 {
		return 0, errors.New("invalid_api_key")
	}
	return row.owner, nil
}

func (h *Handler) item(w http.ResponseWriter, number string, owner int64) error {
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return err
	}
	row := h.rows.Get().(*row)
	defer h.rows.Put(row)
	return h.answer(w, http.StatusOK, func(b []byte) ([]byte, error) {
		found := false
		err := h.db.read(oneItem, []any{id, owner}, row, func() {
			found = true
			b = row.append(b)
		})
		if err == nil && !found {
			err = errors.New("item_not_found")
		}
		w.Header().Set("ETag", `"`+strconv.FormatInt(row.cells[updatedCell].n, 36)+`"`)
		return b, err
	})
}

// openParameters are what the measured requests for open items begin with. The cursor is their last parameter.
const openParameters = "sale_type=" + v1.SaleTypeFixedPrice + "&status=" + v1.ItemOpen

// page answers a page. Its cursor is the position of its last row in clear.
func (h *Handler) page(w http.ResponseWriter, parameters string, owner int64) error {
	list, args := anyItems, []any{owner}
	if strings.HasPrefix(parameters, openParameters) {
		list = openItems
	}
	if _, cursor, found := strings.Cut(parameters, "&after="); found {
		key, id, _ := strings.Cut(cursor, ".")
		from, err1 := strconv.ParseInt(key, 10, 64)
		last, err2 := strconv.ParseInt(id, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		list, args = list+1, append(args, from, last)
	}
	row := h.rows.Get().(*row)
	defer h.rows.Put(row)
	return h.answer(w, http.StatusOK, func(b []byte) ([]byte, error) {
		b = append(b, `{"results":[`...)
		var n int
		var key, id int64
		err := h.db.read(list, args, row, func() {
			n++
			if n > pageSize {
				return
			}
			if n > 1 {
				b = append(b, ',')
			}
			b = row.append(b)
			key, id = row.cells[createdCell].n, row.cells[idCell].n
		})
		if n <= pageSize {
			return append(b, `],"next_cursor":null}`...), err
		}
		b = append(strconv.AppendInt(append(b, `],"next_cursor":"`...), key, 10), '.')
		return append(strconv.AppendInt(b, id, 10), `"}`...), err
	})
}

// answer writes the envelope around data.
func (h *Handler) answer(w http.ResponseWriter, status int, data func([]byte) ([]byte, error)) error {
	buffer := h.answers.Get().(*[]byte)
	defer h.answers.Put(buffer)
	b := append((*buffer)[:0], `{"status_code":`...)
	b, err := data(append(strconv.AppendInt(b, int64(status), 10), `,"data":`...))
	*buffer = append(b, "}\n"...)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(*buffer)))
	w.WriteHeader(status)
	_, _ = w.Write(*buffer) // if this fails, the caller has disconnected
	return nil
}
