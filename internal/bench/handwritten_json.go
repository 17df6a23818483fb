package main

import (
	"database/sql"
	"strconv"

	"sellerd/v1"
)

// itemRow is one row of items as the driver delivers it, overwritten by each scan.
type itemRow struct {
	id, owner, category, bids, quantity, sold, ends, created, updated       int64
	current, renewals, renewalsLeft, options, restarts, visits              int64
	price, starting, increment, reserve, firstBid, duration, starts         sql.NullInt64
	published, closed, model, weight                                        sql.NullInt64
	kind, title, currency, images, site, status                             string
	subtitle, description, reference, endDay, endTime, closeReason, closeOn sql.NullString

	targets []any
}

func newItemRow() *itemRow {
	r := &itemRow{}
	r.targets = []any{
		&r.id, &r.owner, &r.kind, &r.title, &r.subtitle, &r.description, &r.reference, &r.category, &r.currency, &r.price, &r.starting,
		&r.increment, &r.reserve, &r.current, &r.bids, &r.firstBid, &r.quantity, &r.sold, &r.duration, &r.endDay,
		&r.endTime, &r.starts, &r.ends, &r.published, &r.closed, &r.created, &r.updated, &r.renewals, &r.renewalsLeft, &r.model,
		&r.weight, &r.images, &r.options, &r.site, &r.status, &r.closeReason, &r.closeOn, &r.restarts, &r.visits,
	}
	return r
}

// append writes the item as the service does, member by member.
func (r *itemRow) append(b []byte) []byte {
	b = appendQuotedInt(append(b, `{"id":`...), r.id)
	b = append(b, `,"url":"https://www.delcampe.net/item/`...)
	b = strconv.AppendInt(b, r.id, 10)
	if r.owner%2 == 1 {
		b = append(b, `","mode":"test","submission_id":"sub_`...)
	} else {
		b = append(b, `","mode":"live","submission_id":"sub_`...)
	}
	b = strconv.AppendInt(b, r.id, 36)
	b = append(append(b, `","sale_type":"`...), r.kind...)
	b = quote(append(b, `","title":`...), r.title)
	b = maybeQuote(append(b, `,"subtitle":`...), r.subtitle)
	b = maybeQuote(append(b, `,"description":`...), r.description)
	b = maybeQuote(append(b, `,"personal_reference":`...), r.reference)
	b = appendQuotedInt(append(b, `,"category_id":`...), r.category)
	b = r.money(append(b, `,"price":`...), r.price)
	b = r.money(append(b, `,"starting_price":`...), r.starting)
	b = r.money(append(b, `,"bid_increment":`...), r.increment)
	b = r.money(append(b, `,"reserve_price":`...), r.reserve)
	b = r.money(append(b, `,"current_price":`...), sql.NullInt64{Int64: r.current, Valid: true})
	b = strconv.AppendInt(append(b, `,"bid_count":`...), r.bids, 10)
	b = maybeTime(append(b, `,"first_bid_at":`...), r.firstBid)
	b = strconv.AppendInt(append(b, `,"quantity":`...), r.quantity, 10)
	b = strconv.AppendInt(append(b, `,"quantity_available":`...), r.quantity-r.sold, 10)
	b = strconv.AppendInt(append(b, `,"quantity_sold":`...), r.sold, 10)
	b = maybeNumber(append(b, `,"duration_days":`...), r.duration)
	b = maybeQuote(append(b, `,"preferred_end_day":`...), r.endDay)
	b = maybeQuote(append(b, `,"preferred_end_time":`...), r.endTime)
	b = maybeTime(append(b, `,"starts_at":`...), r.starts)
	b = appendTime(append(b, `,"ends_at":`...), r.ends)
	b = maybeTime(append(b, `,"published_at":`...), r.published)
	b = maybeTime(append(b, `,"closed_at":`...), r.closed)
	b = appendTime(append(b, `,"created_at":`...), r.created)
	b = appendTime(append(b, `,"updated_at":`...), r.updated)
	b = strconv.AppendInt(append(b, `,"renewals":`...), r.renewals, 10)
	b = strconv.AppendInt(append(b, `,"renewals_left":`...), r.renewalsLeft, 10)
	b = append(b, `,"shipping_model_id":`...)
	if r.model.Valid {
		b = appendQuotedInt(b, r.model.Int64)
	} else {
		b = append(b, "null"...)
	}
	b = maybeNumber(append(b, `,"weight_grams":`...), r.weight)
	b = append(append(b, `,"images":`...), r.images...)
	for i, name := range optionNames {
		b = append(append(b, name...), strconv.FormatBool(r.options&(1<<i) != 0)...)
	}
	b = append(append(b, `},"site":"`...), r.site...)
	b = append(append(b, `","status":"`...), r.status...)
	b = maybeQuote(append(b, `","close_reason":`...), r.closeReason)
	b = maybeQuote(append(b, `,"close_note":`...), r.closeOn)
	b = strconv.AppendInt(append(b, `,"restart_count":`...), r.restarts, 10)
	b = strconv.AppendInt(append(b, `,"visit_count":`...), r.visits, 10)
	return append(b, '}')
}

var optionNames = [...]string{
	`,"options":{"bold_title":`, `,"colored_border":`, `,"highlight":`, `,"keep_on_renewal":`, `,"last_minute_bidding":`,
	`,"private_bidding":`, `,"subtitle":`, `,"top_category":`, `,"top_listing":`, `,"top_main":`,
}

func (r *itemRow) money(b []byte, minor sql.NullInt64) []byte {
	if !minor.Valid {
		return append(b, "null"...)
	}
	b, _ = v1.Amount(minor.Int64).AppendText(append(b, `{"amount":"`...))
	b = append(append(b, `","currency":"`...), r.currency...)
	return append(b, `"}`...)
}

func appendQuotedInt(b []byte, n int64) []byte {
	return append(strconv.AppendInt(append(b, '"'), n, 10), '"')
}

func appendTime(b []byte, micros int64) []byte {
	b, _ = v1.Time(micros).AppendText(append(b, '"'))
	return append(b, '"')
}

func maybeTime(b []byte, micros sql.NullInt64) []byte {
	if !micros.Valid {
		return append(b, "null"...)
	}
	return appendTime(b, micros.Int64)
}

func maybeNumber(b []byte, n sql.NullInt64) []byte {
	if !n.Valid {
		return append(b, "null"...)
	}
	return strconv.AppendInt(b, n.Int64, 10)
}

func maybeQuote(b []byte, s sql.NullString) []byte {
	if !s.Valid {
		return append(b, "null"...)
	}
	return quote(b, s.String)
}

const hex = "0123456789abcdef"

// quote writes a JSON string: quotes, backslashes and control characters are escaped, everything else stays.
func quote(b []byte, s string) []byte {
	b = append(b, '"')
	from := 0
	for i := range len(s) {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		from = i + 1
		if c < ' ' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			b = append(b, '\\', c)
		}
	}
	return append(append(b, s[from:]...), '"')
}
