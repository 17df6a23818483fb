package limit

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1"
)

// member is a member of an item in an answer: what stands before its value, the column of the value, and how it is written.
type member struct {
	before, column string
	write          func(b []byte, r *row, c *cell) []byte
}

// members are an item as the service shows it. A test compares both.
var members = []member{
	{`{"id":"`, "id", number},
	{`","url":"`, "id", address},
	{`","mode":"`, "owner", mode},
	{`","submission_id":"sub_`, "id", base36},
	{`","sale_type":"`, "sale_type", plain},
	{`","title":`, "title", quoted},
	{`,"subtitle":`, "subtitle", quoted},
	{`,"description":`, "description", quoted},
	{`,"personal_reference":`, "personal_reference", quoted},
	{`,"category_id":"`, "category_id", number},
	{`","price":`, "price", money},
	{`,"starting_price":`, "starting_price", money},
	{`,"bid_increment":`, "bid_increment", money},
	{`,"reserve_price":`, "reserve_price", money},
	{`,"current_price":`, "current_price", money},
	{`,"bid_count":`, "bid_count", number},
	{`,"first_bid_at":`, "first_bid_at", instant},
	{`,"quantity":`, "quantity", number},
	{`,"quantity_available":`, "quantity - quantity_sold", number},
	{`,"quantity_sold":`, "quantity_sold", number},
	{`,"duration_days":`, "duration_days", number},
	{`,"preferred_end_day":`, "preferred_end_day", quoted},
	{`,"preferred_end_time":`, "preferred_end_time", quoted},
	{`,"starts_at":`, "starts_at", instant},
	{`,"ends_at":`, "ends_at", instant},
	{`,"published_at":`, "published_at", instant},
	{`,"closed_at":`, "closed_at", instant},
	{`,"created_at":`, "created_at", instant},
	{`,"updated_at":`, "updated_at", instant},
	{`,"renewals":`, "renewals", number},
	{`,"renewals_left":`, "renewals_left", number},
	{`,"shipping_model_id":`, "shipping_model_id", quotedNumber},
	{`,"weight_grams":`, "weight_grams", number},
	{`,"images":`, "images", plain},
	{`,"options":`, "options", options},
	{`,"site":"`, "site", plain},
	{`","status":"`, "status", plain},
	{`","close_reason":`, "close_reason", quoted},
	{`,"close_note":`, "close_note", quoted},
	{`,"restart_count":`, "restart_count", number},
	{`,"visit_count":`, "visit_count", number},
}

// optionNames are the options in the order of their bits.
var optionNames = []string{
	`{"bold_title":`, `,"colored_border":`, `,"highlight":`, `,"keep_on_renewal":`, `,"last_minute_bidding":`,
	`,"private_bidding":`, `,"subtitle":`, `,"top_category":`, `,"top_listing":`, `,"top_main":`,
}

// columns are those that a statement selects, each once. The first are also read on their own.
var columns = []string{"id", "created_at", "updated_at", "currency"}

const (
	idCell = iota
	createdCell
	updatedCell
	currencyCell
)

// cellOf is the place of each member's column, and storedAt that of each column among those of a new item, less than 0 for null.
var (
	cellOf   = make([]int, len(members))
	storedAt []int
)

func init() {
	for i, m := range members {
		if cellOf[i] = slices.Index(columns, m.column); cellOf[i] < 0 {
			cellOf[i], columns = len(columns), append(columns, m.column)
		}
	}
	stored, _ := split(tables[itemsTable].columns)
	for _, column := range columns {
		name, _, _ := strings.Cut(column, " - ") // nothing is sold at first
		storedAt = append(storedAt, slices.Index(stored, name))
	}
}

// row is one row of items, overwritten by the next.
type row struct {
	site    string // what the url begins with
	cells   []cell
	targets []any // the cells, as database/sql takes them
}

func newRow(site string) *row {
	r := &row{site: site, cells: make([]cell, len(columns))}
	for i := range r.cells {
		r.targets = append(r.targets, &r.cells[i])
	}
	return r
}

// append writes the item.
func (r *row) append(b []byte) []byte {
	for i := range members {
		m, c := &members[i], &r.cells[cellOf[i]]
		if b = append(b, m.before...); c.null {
			b = append(b, "null"...)
		} else {
			b = m.write(b, r, c)
		}
	}
	return append(b, '}')
}

// cell is a number, a text or NULL.
type cell struct {
	n    int64
	b    []byte // good until the next row
	null bool
}

// Scan implements sql.Scanner, for SQLite. It copies a text into room that is used again.
func (c *cell) Scan(value any) error {
	c.null = false
	switch v := value.(type) {
	case nil:
		c.null = true
	case int64:
		c.n = v
	case string:
		c.b = append(c.b[:0], v...)
	default:
		return fmt.Errorf("expected a number or a text, got %T", value)
	}
	return nil
}

// receive takes a value as PostgreSQL sends it: binary, and nil for NULL. All its numbers have 8 bytes.
func (c *cell) receive(raw []byte, isText bool) {
	c.null = raw == nil
	if isText {
		c.b = raw
	} else if len(raw) == 8 {
		c.n = int64(binary.BigEndian.Uint64(raw))
	}
}

func number(b []byte, _ *row, c *cell) []byte  { return strconv.AppendInt(b, c.n, 10) }
func base36(b []byte, _ *row, c *cell) []byte  { return strconv.AppendInt(b, c.n, 36) }
func plain(b []byte, _ *row, c *cell) []byte   { return append(b, c.b...) }
func quoted(b []byte, _ *row, c *cell) []byte  { return appendText(b, c.b) }
func instant(b []byte, _ *row, c *cell) []byte { return appendTime(b, c.n) }
func mode(b []byte, _ *row, c *cell) []byte    { return append(b, v1.Owner(c.n).Mode()...) }

func quotedNumber(b []byte, _ *row, c *cell) []byte {
	return append(strconv.AppendInt(append(b, '"'), c.n, 10), '"')
}

func address(b []byte, r *row, c *cell) []byte {
	return strconv.AppendInt(append(append(b, r.site...), "/item/"...), c.n, 10)
}

func money(b []byte, r *row, c *cell) []byte {
	b, _ = v1.Amount(c.n).AppendText(append(b, `{"amount":"`...))
	return append(append(append(b, `","currency":"`...), r.cells[currencyCell].b...), `"}`...)
}

func options(b []byte, _ *row, c *cell) []byte {
	for i, name := range optionNames {
		b = strconv.AppendBool(append(b, name...), c.n&(1<<i) != 0)
	}
	return append(b, '}')
}

func appendTime(b []byte, micros int64) []byte {
	b, _ = v1.Time(micros).AppendText(append(b, '"'))
	return append(b, '"')
}

// appendText writes a JSON string as the service does. Its texts are UTF-8, so nothing can fail.
func appendText[T string | []byte](b []byte, text T) []byte {
	b, _ = jsontext.AppendQuote(b, text)
	return b
}
