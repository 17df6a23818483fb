package limit

import (
	"strconv"

	"sellerd/v1"
)

// saleColumns are what a page shows of a sale and of its buyer, in the order of saleRow.cells.
const saleColumns = `s.id, s.item_id, s.bill_id, s.item_title, s.item_reference, s.item_category_id, s.item_sale_type, s.currency, s.quantity, s.unit_price,
 s.total_price, s.shipping_address, s.status, s.cancellation_status, s.cancellation_reason, s.cancellation_requested_at, s.cancellation_decided_at,
 s.sold_at, s.rated_at, s.created_at, s.updated_at,
 b.id, b.nickname, b.email, b.first_name, b.last_name, b.language, b.country, b.phone, b.rating_count, b.rating_sum`

// saleRow is one row of sales with its buyer, overwritten by the next.
type saleRow struct {
	id, item, bill, category, quantity, unit, total, sold, created, updated number
	requested, decided, rated                                               number
	title, kind, currency, address, status, cancellation, reference, reason text

	buyer, ratings, sum                                                number
	nickname, language, country, email, firstName, lastName, telephone text

	site  string  // of the marketplace
	now   v1.Time // of the request
	cells []column
}

func newSaleRow(site string) *saleRow {
	r := &saleRow{site: site}
	r.cells = []column{
		&r.id, &r.item, &r.bill, &r.title, &r.reference, &r.category, &r.kind, &r.currency, &r.quantity, &r.unit,
		&r.total, &r.address, &r.status, &r.cancellation, &r.reason, &r.requested, &r.decided, &r.sold, &r.rated, &r.created, &r.updated,
		&r.buyer, &r.nickname, &r.email, &r.firstName, &r.lastName, &r.language, &r.country, &r.telephone, &r.ratings, &r.sum,
	}
	return r
}

func (r *saleRow) columns() []column { return r.cells }

func (r *saleRow) position() (key, id int64) { return r.sold.n, r.id.n }

// append writes the sale as the service does, member by member.
func (r *saleRow) append(b []byte) []byte {
	b = appendQuotedInt(append(b, `{"id":`...), r.id.n)
	b = appendQuotedInt(append(b, `,"item_id":`...), r.item.n)
	b = appendText(append(b, `,"item":{"title":`...), r.title.b)
	b = appendMaybeText(append(b, `,"personal_reference":`...), r.reference)
	b = appendQuotedInt(append(b, `,"category_id":`...), r.category.n)
	b = append(append(b, `,"sale_type":"`...), r.kind.b...)
	b = append(b, `","url":"`...)
	b = append(append(b, r.site...), "/item/"...)
	b = strconv.AppendInt(b, r.item.n, 10)
	b = strconv.AppendInt(append(b, `"},"quantity":`...), r.quantity.n, 10)
	b = appendMoney(append(b, `,"unit_price":`...), r.unit, r.currency)
	b = appendMoney(append(b, `,"total_price":`...), r.total, r.currency)
	b = appendTime(append(b, `,"sold_at":`...), r.sold.n)
	b = append(append(b, `,"status":"`...), r.status.b...)
	b = append(append(b, `","cancellation":{"status":"`...), r.cancellation.b...)
	b = appendMaybeText(append(b, `","reason":`...), r.reason)
	b = appendMaybeTime(append(b, `,"requested_at":`...), r.requested)
	b = appendMaybeTime(append(b, `,"decided_at":`...), r.decided)
	b = appendQuotedInt(append(b, `},"bill_id":`...), r.bill.n)
	b = appendQuotedInt(append(b, `,"buyer":{"id":`...), r.buyer.n)
	b = appendText(append(b, `,"nickname":`...), r.nickname.b)
	b = appendMaybeText(append(b, `,"email":`...), r.email)
	b = appendMaybeText(append(b, `,"first_name":`...), r.firstName)
	b = appendMaybeText(append(b, `,"last_name":`...), r.lastName)
	b = append(append(b, `,"language":"`...), r.language.b...)
	b = append(append(b, `","country":"`...), r.country.b...)
	b = appendMaybeText(append(b, `","phone":`...), r.telephone)
	b = strconv.AppendInt(append(b, `,"rating":{"count":`...), r.ratings.n, 10)
	b = append(b, `,"percentage":`...)
	if r.ratings.n == 0 {
		b = append(b, "null"...)
	} else {
		b = strconv.AppendFloat(b, float64(r.sum.n*10/r.ratings.n)/10, 'f', -1, 64)
	}
	b = append(append(b, `}},"shipping_address":`...), r.address.b...)
	status := "unrated"
	switch {
	case !r.rated.null:
		status = "rated"
	case v1.Time(r.sold.n).Add(v1.RatingWindow) <= r.now:
		status = "expired"
	}
	b = append(append(b, `,"rating_status":"`...), status...)
	b = appendMaybeTime(append(b, `","rated_at":`...), r.rated)
	b = appendTime(append(b, `,"created_at":`...), r.created.n)
	b = appendTime(append(b, `,"updated_at":`...), r.updated.n)
	return append(b, '}')
}
