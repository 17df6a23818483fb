package limit

import (
	"strconv"

	"sellerd/v1"
)

// itemColumns are what an answer shows of an item, in the order of itemRow.cells.
const itemColumns = `id, owner, sale_type, title, subtitle, description, personal_reference, category_id, currency, price, starting_price,
 bid_increment, reserve_price, current_price, bid_count, first_bid_at, quantity, quantity_sold, duration_days, preferred_end_day,
 preferred_end_time, starts_at, ends_at, published_at, closed_at, created_at, updated_at, renewals, renewals_left, shipping_model_id,
 weight_grams, images, options, site, status, close_reason, close_note, restart_count, visit_count`

// itemRow is one row of items, overwritten by the next.
type itemRow struct {
	id, owner, category, bids, quantity, sold, ends, created, updated       number
	current, renewals, renewalsLeft, options, restarts, visits              number
	price, starting, increment, reserve, firstBid, duration, starts         number
	published, closed, model, weight                                        number
	kind, title, currency, images, place, status                            text
	subtitle, description, reference, endDay, endTime, closeReason, closeOn text

	site  string // of the marketplace
	cells []column
}

func newItemRow(site string) *itemRow {
	r := &itemRow{site: site}
	r.cells = []column{
		&r.id, &r.owner, &r.kind, &r.title, &r.subtitle, &r.description, &r.reference, &r.category, &r.currency, &r.price, &r.starting,
		&r.increment, &r.reserve, &r.current, &r.bids, &r.firstBid, &r.quantity, &r.sold, &r.duration, &r.endDay,
		&r.endTime, &r.starts, &r.ends, &r.published, &r.closed, &r.created, &r.updated, &r.renewals, &r.renewalsLeft, &r.model,
		&r.weight, &r.images, &r.options, &r.place, &r.status, &r.closeReason, &r.closeOn, &r.restarts, &r.visits,
	}
	return r
}

func (r *itemRow) columns() []column { return r.cells }

func (r *itemRow) position() (key, id int64) { return r.created.n, r.id.n }

// append writes the item as the service does, member by member.
func (r *itemRow) append(b []byte) []byte {
	b = appendQuotedInt(append(b, `{"id":`...), r.id.n)
	b = append(append(append(b, `,"url":"`...), r.site...), "/item/"...)
	b = strconv.AppendInt(b, r.id.n, 10)
	if v1.Owner(r.owner.n).Test() {
		b = append(b, `","mode":"test","submission_id":"sub_`...)
	} else {
		b = append(b, `","mode":"live","submission_id":"sub_`...)
	}
	b = strconv.AppendInt(b, r.id.n, 36)
	b = append(append(b, `","sale_type":"`...), r.kind.b...)
	b = appendText(append(b, `","title":`...), r.title.b)
	b = appendMaybeText(append(b, `,"subtitle":`...), r.subtitle)
	b = appendMaybeText(append(b, `,"description":`...), r.description)
	b = appendMaybeText(append(b, `,"personal_reference":`...), r.reference)
	b = appendQuotedInt(append(b, `,"category_id":`...), r.category.n)
	b = appendMoney(append(b, `,"price":`...), r.price, r.currency)
	b = appendMoney(append(b, `,"starting_price":`...), r.starting, r.currency)
	b = appendMoney(append(b, `,"bid_increment":`...), r.increment, r.currency)
	b = appendMoney(append(b, `,"reserve_price":`...), r.reserve, r.currency)
	b = appendMoney(append(b, `,"current_price":`...), r.current, r.currency)
	b = strconv.AppendInt(append(b, `,"bid_count":`...), r.bids.n, 10)
	b = appendMaybeTime(append(b, `,"first_bid_at":`...), r.firstBid)
	b = strconv.AppendInt(append(b, `,"quantity":`...), r.quantity.n, 10)
	b = strconv.AppendInt(append(b, `,"quantity_available":`...), r.quantity.n-r.sold.n, 10)
	b = strconv.AppendInt(append(b, `,"quantity_sold":`...), r.sold.n, 10)
	b = appendMaybeNumber(append(b, `,"duration_days":`...), r.duration)
	b = appendMaybeText(append(b, `,"preferred_end_day":`...), r.endDay)
	b = appendMaybeText(append(b, `,"preferred_end_time":`...), r.endTime)
	b = appendMaybeTime(append(b, `,"starts_at":`...), r.starts)
	b = appendTime(append(b, `,"ends_at":`...), r.ends.n)
	b = appendMaybeTime(append(b, `,"published_at":`...), r.published)
	b = appendMaybeTime(append(b, `,"closed_at":`...), r.closed)
	b = appendTime(append(b, `,"created_at":`...), r.created.n)
	b = appendTime(append(b, `,"updated_at":`...), r.updated.n)
	b = strconv.AppendInt(append(b, `,"renewals":`...), r.renewals.n, 10)
	b = strconv.AppendInt(append(b, `,"renewals_left":`...), r.renewalsLeft.n, 10)
	b = appendMaybeID(append(b, `,"shipping_model_id":`...), r.model)
	b = appendMaybeNumber(append(b, `,"weight_grams":`...), r.weight)
	b = append(append(b, `,"images":`...), r.images.b...)
	for i, name := range optionNames {
		b = append(append(b, name...), strconv.FormatBool(r.options.n&(1<<i) != 0)...)
	}
	b = append(append(b, `},"site":"`...), r.place.b...)
	b = append(append(b, `","status":"`...), r.status.b...)
	b = appendMaybeText(append(b, `","close_reason":`...), r.closeReason)
	b = appendMaybeText(append(b, `,"close_note":`...), r.closeOn)
	b = strconv.AppendInt(append(b, `,"restart_count":`...), r.restarts.n, 10)
	b = strconv.AppendInt(append(b, `,"visit_count":`...), r.visits.n, 10)
	return append(b, '}')
}

var optionNames = [...]string{
	`,"options":{"bold_title":`, `,"colored_border":`, `,"highlight":`, `,"keep_on_renewal":`, `,"last_minute_bidding":`,
	`,"private_bidding":`, `,"subtitle":`, `,"top_category":`, `,"top_listing":`, `,"top_main":`,
}
