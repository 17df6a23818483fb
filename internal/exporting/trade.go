package exporting

import (
	"strconv"
	"strings"
)

// buyer and address have what a key without buyers:read does not see: it is null, and so empty.
type buyer struct {
	ID          string `json:"id"`
	Nickname    string `json:"nickname"`
	Email       string `json:"email"`
	FirstName   string `json:"first_name"`
	LastName    string `json:"last_name"`
	Phone       string `json:"phone"`
	Language    string `json:"language"`
	Country     string `json:"country"`
	ForgottenAt string `json:"forgotten_at"`
}

type address struct {
	Name       string `json:"name"`
	Line1      string `json:"line1"`
	Line2      string `json:"line2"`
	PostalCode string `json:"postal_code"`
	City       string `json:"city"`
	State      string `json:"state"`
	Country    string `json:"country"`
	Phone      string `json:"phone"`
}

// parties are who bought, and where the parcel goes.
type parties struct {
	Buyer   buyer   `json:"buyer"`
	Address address `json:"shipping_address"`
}

// check notes that buyers' data are hidden.
func (p *parties) check(e *Exporter) {
	b := p.Buyer
	e.Hidden = e.Hidden || b.ForgottenAt == "" && b.Email+b.FirstName+b.LastName+b.Phone == "" && p.Address == address{}
}

type sale struct {
	parties
	ID   string `json:"id"`
	Item struct {
		Title             string `json:"title"`
		PersonalReference string `json:"personal_reference"`
		CategoryID        string `json:"category_id"`
		SaleType          string `json:"sale_type"`
	} `json:"item"`
	ItemID       string `json:"item_id"`
	Quantity     int    `json:"quantity"`
	UnitPrice    money  `json:"unit_price"`
	TotalPrice   money  `json:"total_price"`
	SoldAt       string `json:"sold_at"`
	Status       string `json:"status"`
	Cancellation struct {
		Status    string `json:"status"`
		Reason    string `json:"reason"`
		DecidedAt string `json:"decided_at"`
	} `json:"cancellation"`
	BillID       string `json:"bill_id"`
	RatingStatus string `json:"rating_status"`
}

func (s *sale) note(e *Exporter) error {
	s.check(e)
	return e.sums.add("total_price", s.TotalPrice, s.Status == "cancelled")
}

func (s *sale) parts() *parties { return &s.parties }

type bill struct {
	parties
	ID           string `json:"id"`
	Number       string `json:"number"`
	Status       string `json:"status"`
	Sales        []line `json:"sales"`
	Subtotal     money  `json:"subtotal"`
	ShippingCost money  `json:"shipping_cost"`
	Total        money  `json:"total"`
	Payment      struct {
		Status     string `json:"status"`
		Method     string `json:"method"`
		Amount     money  `json:"amount"`
		ReceivedAt string `json:"received_at"`
	} `json:"payment"`
	Trackings []struct {
		Number string `json:"number"`
	} `json:"trackings"`
	CreatedAt   string `json:"created_at"`
	PaidAt      string `json:"paid_at"`
	SentAt      string `json:"sent_at"`
	CancelledAt string `json:"cancelled_at"`
}

// line is a sale on a bill.
type line struct {
	ID                string `json:"id"`
	PersonalReference string `json:"personal_reference"`
	Title             string `json:"title"`
	Quantity          int    `json:"quantity"`
}

func (b *bill) note(e *Exporter) error {
	b.check(e)
	return e.sums.add("total", b.Total, b.Status == "cancelled")
}

func (b *bill) parts() *parties { return &b.parties }

func (b *bill) pieces() string {
	n := 0
	for _, sale := range b.Sales {
		n += sale.Quantity
	}
	return strconv.Itoa(n)
}

// each is a part of each sale, with a comma and a blank between two.
func (b *bill) each(of func(line) string) string {
	var all []string
	for _, sale := range b.Sales {
		if text := of(sale); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, ", ")
}

func (b *bill) trackings() string {
	var numbers []string
	for _, tracking := range b.Trackings {
		numbers = append(numbers, tracking.Number)
	}
	return strings.Join(numbers, ", ")
}

// partyColumns are the columns of the buyer and of the parcel's address.
func partyColumns[T any, P interface {
	*T
	parts() *parties
}]() []column[T] {
	ofBuyer := func(name string, width float64, of func(*buyer) string) column[T] {
		return words("buyer_"+name, width, func(object *T) string { return of(&P(object).parts().Buyer) })
	}
	ofAddress := func(name string, width float64, of func(*address) string) column[T] {
		return words("shipping_"+name, width, func(object *T) string { return of(&P(object).parts().Address) })
	}
	return []column[T]{
		ofBuyer("id", 12, func(b *buyer) string { return b.ID }),
		ofBuyer("nickname", 18, func(b *buyer) string { return b.Nickname }),
		ofBuyer("country", 0, func(b *buyer) string { return b.Country }),
		ofBuyer("language", 0, func(b *buyer) string { return b.Language }),
		ofBuyer("email", 25, func(b *buyer) string { return b.Email }),
		ofBuyer("first_name", 18, func(b *buyer) string { return b.FirstName }),
		ofBuyer("last_name", 18, func(b *buyer) string { return b.LastName }),
		ofBuyer("phone", 18, func(b *buyer) string { return b.Phone }),
		ofAddress("name", 25, func(a *address) string { return a.Name }),
		ofAddress("line1", 25, func(a *address) string { return a.Line1 }),
		ofAddress("line2", 18, func(a *address) string { return a.Line2 }),
		ofAddress("postal_code", 0, func(a *address) string { return a.PostalCode }),
		ofAddress("city", 18, func(a *address) string { return a.City }),
		ofAddress("state", 0, func(a *address) string { return a.State }),
		ofAddress("country", 0, func(a *address) string { return a.Country }),
		ofAddress("phone", 18, func(a *address) string { return a.Phone }),
	}
}

// saleColumns have one row for each sale, cancelled ones too.
var saleColumns = append([]column[sale]{
	words("sale_id", 14, func(s *sale) string { return s.ID }),
	at("sold_at", func(s *sale) string { return s.SoldAt }),
	words("status", 0, func(s *sale) string { return s.Status }),
	words("item_id", 14, func(s *sale) string { return s.ItemID }),
	words("personal_reference", 20, func(s *sale) string { return s.Item.PersonalReference }),
	words("title", 50, func(s *sale) string { return s.Item.Title }),
	words("category_id", 0, func(s *sale) string { return s.Item.CategoryID }),
	words("sale_type", 0, func(s *sale) string { return s.Item.SaleType }),
	whole("quantity", func(s *sale) string { return strconv.Itoa(s.Quantity) }),
	cash("unit_price", func(s *sale) money { return s.UnitPrice }),
	cash("total_price", func(s *sale) money { return s.TotalPrice }),
	words("currency", 0, func(s *sale) string { return s.TotalPrice.Currency }),
	words("bill_id", 14, func(s *sale) string { return s.BillID }),
	words("cancellation_status", 0, func(s *sale) string { return s.Cancellation.Status }),
	words("cancellation_reason", 0, func(s *sale) string { return s.Cancellation.Reason }),
	at("cancellation_decided_at", func(s *sale) string { return s.Cancellation.DecidedAt }),
	words("rating_status", 0, func(s *sale) string { return s.RatingStatus }),
}, partyColumns[sale]()...)

// billColumns have one row for each bill, cancelled ones too.
var billColumns = append([]column[bill]{
	words("bill_id", 14, func(b *bill) string { return b.ID }),
	words("number", 14, func(b *bill) string { return b.Number }),
	words("status", 18, func(b *bill) string { return b.Status }),
	at("created_at", func(b *bill) string { return b.CreatedAt }),
	at("paid_at", func(b *bill) string { return b.PaidAt }),
	at("sent_at", func(b *bill) string { return b.SentAt }),
	at("cancelled_at", func(b *bill) string { return b.CancelledAt }),
	cash("subtotal", func(b *bill) money { return b.Subtotal }),
	cash("shipping_cost", func(b *bill) money { return b.ShippingCost }),
	cash("total", func(b *bill) money { return b.Total }),
	words("currency", 0, func(b *bill) string { return b.Total.Currency }),
	words("payment_status", 0, func(b *bill) string { return b.Payment.Status }),
	words("payment_method", 0, func(b *bill) string { return b.Payment.Method }),
	cash("payment_amount", func(b *bill) money { return b.Payment.Amount }),
	at("payment_received_at", func(b *bill) string { return b.Payment.ReceivedAt }),
	whole("pieces", (*bill).pieces),
	words("sale_ids", 20, func(b *bill) string { return b.each(func(l line) string { return l.ID }) }),
	words("personal_references", 20, func(b *bill) string { return b.each(func(l line) string { return l.PersonalReference }) }),
	words("titles", 50, func(b *bill) string { return b.each(func(l line) string { return l.Title }) }),
	words("tracking_numbers", 20, (*bill).trackings),
}, partyColumns[bill]()...)
