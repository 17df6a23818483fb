package limit

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5"

	"sellerd/v1"
)

// This file changes the prices of a hundred items in one call: it reads the items, sets the prices with one statement, and stores an
// event of each with the item as it is then.

// priceChanges are the changes of a turn, and their events once the items are read.
type priceChanges struct {
	ids, prices []int64
	wanted      map[int64]int64 // the prices by the ids
	row         *itemRow
	at          func() int64 // the instant of the turn
	nextEvent   func() int64

	events, items, sequences []int64
	bodies                   []string
	room                     []byte
}

// submittedChanges are changes decoded, their values unchecked.
type submittedChanges struct {
	Changes []struct {
		ItemID string `json:"item_id"`
		Patch  struct {
			Price submittedMoney `json:"price"`
		} `json:"patch"`
	} `json:"changes"`
}

func (h *Handler) changePrices(w http.ResponseWriter, r *http.Request, owner int64) error {
	t, body, err := h.newTurn(r, owner)
	if err != nil {
		return err
	}
	var in submittedChanges
	if err := json.Unmarshal(body, &in); err != nil {
		return err
	}
	if len(in.Changes) != v1.MaxBatch {
		return errors.New("the measured requests have a hundred changes")
	}
	row := h.items.Get().(*itemRow)
	defer h.items.Put(row)
	c := &priceChanges{row: row, wanted: make(map[int64]int64, v1.MaxBatch), at: func() int64 { return t.at }, nextEvent: func() int64 { return h.events.Add(1) }}
	for _, change := range in.Changes {
		id, err := strconv.ParseInt(change.ItemID, 10, 64)
		var price v1.Amount
		if err := errors.Join(err, price.UnmarshalText([]byte(change.Patch.Price.Amount))); err != nil {
			return err
		}
		c.ids, c.prices = append(c.ids, id), append(c.prices, int64(price))
		c.wanted[id] = int64(price)
	}
	t.changes, t.status = c, http.StatusOK
	t.write = func(t *turn) { t.data = t.appendChanges(nil) }
	return h.finish(w, t)
}

// take makes the event of the item that the row holds.
func (c *priceChanges) take(sequence int64) {
	r, was := c.row, c.row.price
	r.price.n, r.current.n, r.updated.n = c.wanted[r.id.n], c.wanted[r.id.n], c.at()
	id := c.nextEvent()
	b := strconv.AppendInt(append(c.room[:0], `{"id":"evt_`...), id, 36)
	b = appendTime(append(b, `","type":"item.updated","api_version":"v1","created_at":`...), r.updated.n)
	owner := v1.Owner(r.owner.n)
	b = append(append(b, `,"mode":"`...), owner.Mode()...)
	b = strconv.AppendInt(append(b, `","account_id":"`...), owner.Account(), 10)
	b = strconv.AppendInt(append(b, `","resource":{"type":"item","id":"`...), r.id.n, 10)
	b = strconv.AppendInt(append(b, `","sequence":`...), sequence+1, 10)
	b = r.append(append(b, `},"data":{"item":`...))
	b = appendMoney(append(b, `,"previous":{"price":`...), was, r.currency)
	b = append(appendMoney(append(b, `,"current_price":`...), was, r.currency), `}}}`...)
	c.room = b
	c.events, c.items, c.sequences, c.bodies = append(c.events, id), append(c.items, r.id.n), append(c.sequences, sequence+1), append(c.bodies, string(b))
}

// complete says whether all items were there.
func (c *priceChanges) complete() error {
	if len(c.events) != len(c.ids) {
		return fmt.Errorf("of %d items there are %d", len(c.ids), len(c.events))
	}
	return nil
}

// receive takes the items as PostgreSQL sends them.
func (c *priceChanges) receive(rows pgx.Rows) error {
	var sequence number
	for rows.Next() {
		for i, raw := range rows.RawValues() {
			into := column(&sequence)
			if i < len(c.row.cells) {
				into = c.row.cells[i]
			}
			if err := into.receive(raw); err != nil {
				return err
			}
		}
		c.take(sequence.n)
	}
	return errors.Join(rows.Err(), c.complete())
}

var (
	changedOfSQLite = `SELECT ` + itemColumns + `, sequence FROM items WHERE owner = ? AND id IN (?` + strings.Repeat(", ?", v1.MaxBatch-1) + `)`
	pricesOfSQLite  = `WITH given(id, price) AS (VALUES (?, ?)` + strings.Repeat(", (?, ?)", v1.MaxBatch-1) + `)
 UPDATE items SET price = given.price, current_price = given.price, sequence = sequence + 1, updated_at = ? FROM given WHERE items.id = given.id`
)

// changePrices stores the changes of a turn in the transaction that is open.
func (s *sqlite) changePrices(ctx context.Context, t *turn) error {
	c := t.changes
	args := append(s.args[:0], t.owner)
	for _, id := range c.ids {
		args = append(args, id)
	}
	found, err := s.changed.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	var sequence number
	targets := make([]any, 0, len(c.row.cells)+1)
	for _, cell := range c.row.cells {
		targets = append(targets, cell)
	}
	targets = append(targets, &sequence)
	for found.Next() {
		if err := found.Scan(targets...); err != nil {
			return err
		}
		c.take(sequence.n)
	}
	if err := errors.Join(found.Err(), c.complete()); err != nil {
		return err
	}
	args = args[:0]
	for i, id := range c.ids {
		args = append(args, id, c.prices[i])
	}
	if _, err := s.prices.ExecContext(ctx, append(args, t.at)...); err != nil {
		return err
	}
	args = args[:0]
	for i, event := range c.events {
		args = append(args, event, t.owner, c.items[i], c.sequences[i], c.bodies[i], t.at)
	}
	s.args = args
	return insertRows(ctx, s.events, args, 6)
}

func (t *turn) appendChanges(b []byte) []byte {
	b = strconv.AppendInt(append(b, `{"changed_count":`...), int64(len(t.changes.ids)), 10)
	b = append(b, `,"refused_count":0,"results":[`...)
	for i, id := range t.changes.ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(append(b, `{"index":`...), int64(i), 10)
		b = appendQuotedInt(append(b, `,"item_id":`...), id)
		b = strconv.AppendInt(append(b, `,"personal_reference":null,"status_code":200,"etag":"\"`...), t.at, 36)
		b = append(b, `\"","errors":[]}`...)
	}
	return append(b, `]}`...)
}
