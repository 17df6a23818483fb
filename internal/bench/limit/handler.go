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

// Handler answers the requests that are measured: an item, pages of items, sales and events, a submission, a batch and changes of
// prices.
type Handler struct {
	db   database
	site string
	now  func() time.Time

	keys    sync.Map // the id of an API key seen before → knownKey
	items   sync.Pool
	sales   sync.Pool
	feeds   sync.Pool // of *eventRow
	answers sync.Pool // of *[]byte

	numbers atomic.Int64 // the last submission's
	batches atomic.Int64
	events  atomic.Int64
	writer  *groupWriter
}

// database is what differs between the two databases.
type database interface {
	// key finds an API key by the id in it.
	key(ctx context.Context, id string) (knownKey, error)
	// read runs a prepared query and calls each after every row that it has put into the columns, until there are no more.
	read(q query, args []any, into []column, each func()) error
	// store stores submissions in one transaction, durable when it returns.
	store(turns []*turn) error
	// reserve takes a range of item numbers that no other process gets, and returns the one before its first.
	reserve(ctx context.Context) (int64, error)
	close() error
}

// knownKey is what is remembered of an API key.
type knownKey struct {
	hash  [sha256.Size]byte
	owner int64
}

// query names a prepared query.
type query int

const (
	oneItem query = iota
	itemPage
	openPage // of open items at a fixed price
	salePage
	newestSalePage
	eventPage
	after   // added to a page: the one after a position
	queries = 2 * after
)

// Open makes a handler on a database that the service has migrated. The address is as in store.Config; site is what the urls of
// items begin with: the address of the marketplace's site in live mode, and of the service in test mode. Close ends the handler.
func Open(ctx context.Context, address, site string) (h *Handler, err error) {
	h = &Handler{site: site, now: time.Now}
	scheme, rest, _ := strings.Cut(address, ":")
	switch scheme {
	case "sqlite":
		h.db, err = openSQLite(ctx, rest)
	case "postgres":
		h.db, err = openPostgres(ctx, address)
	default:
		err = fmt.Errorf("limit: there is no database %q", scheme)
	}
	if err != nil {
		return nil, err
	}
	last, err := h.db.reserve(ctx)
	if err != nil {
		return nil, errors.Join(err, h.db.close())
	}
	h.numbers.Store(last)
	h.batches.Store(time.Now().UnixMicro() << 10)
	h.events.Store(time.Now().UnixMicro() << 10)
	h.items.New = func() any { return newItemRow(site) }
	h.sales.New = func() any { return newSaleRow(site) }
	h.feeds.New = func() any { return newEventRow() }
	h.answers.New = func() any { b := make([]byte, 0, 64<<10); return &b }
	h.writer = newGroupWriter(h.db.store)
	return h, nil
}

// Close ends the handler after its last request.
func (h *Handler) Close() error {
	h.writer.close()
	return h.db.close()
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	owner, err := h.caller(r)
	if err != nil {
		fail(w, err)
		return
	}
	path := r.URL.Path
	switch {
	case r.Method == http.MethodPost && path == "/v1/items":
		err = h.submit(w, r, owner)
	case r.Method == http.MethodPost && path == "/v1/item-batches":
		err = h.submitBatch(w, r, owner)
	case r.Method == http.MethodPost && path == "/v1/item-changes":
		err = h.changePrices(w, r, owner)
	case path == "/v1/items":
		err = h.browse(w, r, owner)
	case path == "/v1/sales":
		err = h.browseSales(w, r, owner)
	case path == "/v1/events":
		err = h.browseEvents(w, r, owner)
	case strings.HasPrefix(path, "/v1/items/"):
		err = h.item(w, path[len("/v1/items/"):], owner)
	default:
		err = fmt.Errorf("there is no %s", path)
	}
	if err != nil {
		fail(w, err)
	}
}

// fail answers an error. No measured request gets one.
func fail(w http.ResponseWriter, err error) {
	http.Error(w, err.Error(), http.StatusInternalServerError)
}

var errKey = errors.New("invalid_api_key")

// checksum is the number of letters at the end of a key that are not part of its hash.
const checksum = 6

// caller is the owner whose key the request carries.
func (h *Handler) caller(r *http.Request) (owner int64, err error) {
	header := r.Header["X-Api-Key"]
	if len(header) != 1 {
		return 0, errKey
	}
	key := header[0]
	_, rest, _ := strings.Cut(key, "_")
	_, rest, _ = strings.Cut(rest, "_")
	id, secret, found := strings.Cut(rest, "_")
	if !found || len(secret) < checksum {
		return 0, errKey
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
		return 0, errKey
	}
	return row.owner, nil
}

func (h *Handler) item(w http.ResponseWriter, number string, owner int64) error {
	id, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return err
	}
	row := h.items.Get().(*itemRow)
	defer h.items.Put(row)
	return h.answer(w, http.StatusOK, func(b []byte) ([]byte, error) {
		found := false
		err := h.db.read(oneItem, []any{id, owner}, row.cells, func() {
			found = true
			b = row.append(b)
		})
		if err == nil && !found {
			err = errors.New("item_not_found")
		}
		w.Header().Set("ETag", `"`+strconv.FormatInt(row.updated.n, 36)+`"`)
		return b, err
	})
}

func (h *Handler) browse(w http.ResponseWriter, r *http.Request, owner int64) error {
	row := h.items.Get().(*itemRow)
	defer h.items.Put(row)
	list := itemPage
	if parameter(r.URL.RawQuery, "status") == v1.ItemOpen && parameter(r.URL.RawQuery, "sale_type") == v1.SaleTypeFixedPrice {
		list = openPage
	}
	return h.page(w, r, owner, list, row)
}

func (h *Handler) browseSales(w http.ResponseWriter, r *http.Request, owner int64) error {
	row := h.sales.Get().(*saleRow)
	defer h.sales.Put(row)
	row.now = v1.Time(h.now().UnixMicro())
	list := salePage
	if parameter(r.URL.RawQuery, "sort") == "sold_at_desc" {
		list = newestSalePage
	}
	return h.page(w, r, owner, list, row)
}

func (h *Handler) browseEvents(w http.ResponseWriter, r *http.Request, owner int64) error {
	row := h.feeds.Get().(*eventRow)
	defer h.feeds.Put(row)
	return h.page(w, r, owner, eventPage, row)
}

// These are how many rows a page has, and a page of events. The statements ask for one more, which says whether the list goes on.
const (
	pageSize = 50
	feedSize = 200
)

// page answers a page. Its cursor is the position of its last row in clear.
func (h *Handler) page(w http.ResponseWriter, r *http.Request, owner int64, list query, row row) error {
	args, size := []any{owner}, pageSize
	if list == eventPage {
		size = feedSize
	}
	if cursor := parameter(r.URL.RawQuery, "after"); cursor != "" {
		key, id, _ := strings.Cut(cursor, ".")
		from, err1 := strconv.ParseInt(key, 10, 64)
		last, err2 := strconv.ParseInt(id, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		list, args = list+after, append(args, from, last)
	}
	return h.answer(w, http.StatusOK, func(b []byte) ([]byte, error) {
		b = append(b, `{"results":[`...)
		var n int
		var key, id int64
		err := h.db.read(list, args, row.columns(), func() {
			n++
			if n > size {
				return
			}
			if n > 1 {
				b = append(b, ',')
			}
			b = row.append(b)
			key, id = row.position()
		})
		if n <= size && size == pageSize {
			return append(b, `],"next_cursor":null}`...), err
		}
		b = append(b, `],"next_cursor":"`...)
		b = append(strconv.AppendInt(b, key, 10), '.')
		b = append(strconv.AppendInt(b, id, 10), '"')
		if size == feedSize {
			b = strconv.AppendBool(append(b, `,"has_more":`...), n > size)
		}
		return append(b, '}'), err
	})
}

// parameter finds a parameter of a query. The values of the measured requests need no decoding.
func parameter(query, name string) string {
	for query != "" {
		var pair string
		pair, query, _ = strings.Cut(query, "&")
		if key, value, _ := strings.Cut(pair, "="); key == name {
			return value
		}
	}
	return ""
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
