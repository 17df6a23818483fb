package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"sellerd/v1"
)

// The yardstick's page of sales: one statement with the buyers joined to it.

const salesText = `SELECT s.id, s.item_id, s.bill_id, s.item_title, s.item_reference, s.item_category_id, s.item_sale_type, s.currency, s.quantity, s.unit_price,
 s.total_price, s.shipping_address, s.status, s.cancellation_status, s.cancellation_reason, s.cancellation_requested_at, s.cancellation_decided_at,
 s.sold_at, s.rated_at, s.created_at, s.updated_at,
 b.id, b.nickname, b.email, b.first_name, b.last_name, b.language, b.country, b.phone, b.rating_count, b.rating_sum
 FROM sales s CROSS JOIN buyers b WHERE s.owner = ? AND b.id = s.buyer_id`

func (h *handwritten) prepareSales(ctx context.Context, reads *sql.DB) error {
	h.sales = map[string]*sql.Stmt{}
	for name, rest := range map[string]string{
		"first asc": " ORDER BY s.sold_at, s.id LIMIT 51", "next asc": " AND (s.sold_at, s.id) > (?, ?) ORDER BY s.sold_at, s.id LIMIT 51",
		"first desc": " ORDER BY s.sold_at DESC, s.id DESC LIMIT 51", "next desc": " AND (s.sold_at, s.id) < (?, ?) ORDER BY s.sold_at DESC, s.id DESC LIMIT 51",
	} {
		var err error
		if h.sales[name], err = reads.PrepareContext(ctx, salesText+rest); err != nil {
			return err
		}
	}
	return nil
}

// saleRow is one row of the page as the driver delivers it, overwritten by each scan.
type saleRow struct {
	id, item, bill, category, quantity, unit, total, sold, created, updated int64
	title, kind, currency, address, status, cancellation                    string
	reference, reason                                                       sql.NullString
	requested, decided, rated                                               sql.NullInt64

	buyer, ratings, sum                   int64
	nickname, language, country           string
	email, firstName, lastName, telephone sql.NullString

	targets []any
}

var saleRowPool = sync.Pool{New: func() any {
	r := &saleRow{}
	r.targets = []any{
		&r.id, &r.item, &r.bill, &r.title, &r.reference, &r.category, &r.kind, &r.currency, &r.quantity, &r.unit,
		&r.total, &r.address, &r.status, &r.cancellation, &r.reason, &r.requested, &r.decided, &r.sold, &r.rated, &r.created, &r.updated,
		&r.buyer, &r.nickname, &r.email, &r.firstName, &r.lastName, &r.language, &r.country, &r.telephone, &r.ratings, &r.sum,
	}
	return r
}}

func (h *handwritten) browseSales(w http.ResponseWriter, r *http.Request) {
	owner, err := h.caller(r)
	if err != nil {
		refuse(w, err)
		return
	}
	query := r.URL.Query()
	order := "asc"
	if query.Get("sort") == "sold_at_desc" {
		order = "desc"
	}
	var rows *sql.Rows
	if after := query.Get("after"); after == "" {
		rows, err = h.sales["first "+order].QueryContext(r.Context(), owner)
	} else {
		sold, id, _ := strings.Cut(after, ".")
		key, err1 := strconv.ParseInt(sold, 10, 64)
		last, err2 := strconv.ParseInt(id, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			refuse(w, err)
			return
		}
		rows, err = h.sales["next "+order].QueryContext(r.Context(), owner, key, last)
	}
	if err != nil {
		refuse(w, err)
		return
	}
	defer rows.Close()
	row := saleRowPool.Get().(*saleRow)
	defer saleRowPool.Put(row)
	now := v1.TimeOf(v1.SystemClock{}.Now())
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
			b = row.append(b, now)
		}
		if n < 50 {
			return append(b, `],"next_cursor":null}`...)
		}
		b = append(b, `],"next_cursor":"`...)
		b = append(strconv.AppendInt(b, row.sold, 10), '.')
		return append(strconv.AppendInt(b, row.id, 10), `"}`...)
	})
}

// append writes the sale as the service does, member by member.
func (r *saleRow) append(b []byte, now v1.Time) []byte {
	b = appendQuotedInt(append(b, `{"id":`...), r.id)
	b = appendQuotedInt(append(b, `,"item_id":`...), r.item)
	b = quote(append(b, `,"item":{"title":`...), r.title)
	b = maybeQuote(append(b, `,"personal_reference":`...), r.reference)
	b = appendQuotedInt(append(b, `,"category_id":`...), r.category)
	b = append(append(b, `,"sale_type":"`...), r.kind...)
	b = append(b, `","url":"https://www.delcampe.net/item/`...)
	b = strconv.AppendInt(b, r.item, 10)
	b = strconv.AppendInt(append(b, `"},"quantity":`...), r.quantity, 10)
	b = r.money(append(b, `,"unit_price":`...), r.unit)
	b = r.money(append(b, `,"total_price":`...), r.total)
	b = appendTime(append(b, `,"sold_at":`...), r.sold)
	b = append(append(b, `,"status":"`...), r.status...)
	b = append(append(b, `","cancellation":{"status":"`...), r.cancellation...)
	b = maybeQuote(append(b, `","reason":`...), r.reason)
	b = maybeTime(append(b, `,"requested_at":`...), r.requested)
	b = maybeTime(append(b, `,"decided_at":`...), r.decided)
	b = appendQuotedInt(append(b, `},"bill_id":`...), r.bill)
	b = appendQuotedInt(append(b, `,"buyer":{"id":`...), r.buyer)
	b = quote(append(b, `,"nickname":`...), r.nickname)
	b = maybeQuote(append(b, `,"email":`...), r.email)
	b = maybeQuote(append(b, `,"first_name":`...), r.firstName)
	b = maybeQuote(append(b, `,"last_name":`...), r.lastName)
	b = append(append(b, `,"language":"`...), r.language...)
	b = append(append(b, `","country":"`...), r.country...)
	b = maybeQuote(append(b, `","phone":`...), r.telephone)
	b = strconv.AppendInt(append(b, `,"rating":{"count":`...), r.ratings, 10)
	b = append(b, `,"percentage":`...)
	if r.ratings == 0 {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendFloat(b, float64(r.sum*10/r.ratings)/10, 'f', -1, 64)
	}
	b = append(append(b, `}},"shipping_address":`...), r.address...)
	status := "unrated"
	switch {
	case r.rated.Valid:
		status = "rated"
	case v1.Time(r.sold).Add(v1.RatingWindow) <= now:
		status = "expired"
	}
	b = append(append(b, `,"rating_status":"`...), status...)
	b = maybeTime(append(b, `","rated_at":`...), r.rated)
	b = appendTime(append(b, `,"created_at":`...), r.created)
	b = appendTime(append(b, `,"updated_at":`...), r.updated)
	return append(b, '}')
}

func (r *saleRow) money(b []byte, minor int64) []byte {
	b, _ = v1.Amount(minor).AppendText(append(b, `{"amount":"`...))
	b = append(append(b, `","currency":"`...), r.currency...)
	return append(b, `"}`...)
}
