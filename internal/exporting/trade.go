package exporting

import (
	"slices"
	"strconv"
	"strings"
)

// hidesBuyer says whether buyers' data are missing from a sale or a bill although its buyer was not forgotten. What a key without buyers:read
// does not see is null, and so empty.
func hidesBuyer(from object) bool {
	address, _ := from["shipping_address"].(map[string]any)
	for part := range address {
		if object(address).text(part) != "" {
			return false
		}
	}
	return !slices.ContainsFunc([]string{"forgotten_at", "email", "first_name", "last_name", "phone"}, func(name string) bool {
		return from.text("buyer."+name) != ""
	})
}

// pieces is the number of pieces on a bill.
func pieces(bill object) string {
	n := 0
	for _, quantity := range bill.texts("sales", "quantity") {
		pieces, _ := strconv.Atoi(quantity) // a number
		n += pieces
	}
	return strconv.Itoa(n)
}

// each is a column with a member of each object in a list, with a bar between two: titles have commas.
func (c column) each(list, member string) column {
	return c.by(func(from object) string {
		return strings.Join(slices.DeleteFunc(from.texts(list, member), func(text string) bool { return text == "" }), " | ")
	})
}

// partyColumns are the columns of the buyer and of the parcel's address.
var partyColumns = []column{
	words("buyer_id", 12).from("buyer.id"),
	words("buyer_nickname", 18).from("buyer.nickname"),
	words("buyer_country", 0).from("buyer.country"),
	words("buyer_language", 0).from("buyer.language"),
	words("buyer_email", 25).from("buyer.email"),
	words("buyer_first_name", 18).from("buyer.first_name"),
	words("buyer_last_name", 18).from("buyer.last_name"),
	words("buyer_phone", 18).from("buyer.phone"),
	words("shipping_name", 25).from("shipping_address.name"),
	words("shipping_line1", 25).from("shipping_address.line1"),
	words("shipping_line2", 18).from("shipping_address.line2"),
	words("shipping_postal_code", 0).from("shipping_address.postal_code"),
	words("shipping_city", 18).from("shipping_address.city"),
	words("shipping_state", 0).from("shipping_address.state"),
	words("shipping_country", 0).from("shipping_address.country"),
	words("shipping_phone", 18).from("shipping_address.phone"),
}

// saleColumns have one row for each sale, cancelled ones too.
var saleColumns = append([]column{
	words("sale_id", 14).from("id"),
	at("sold_at"),
	words("status", 0),
	words("item_id", 14),
	words("personal_reference", 20).from("item.personal_reference"),
	words("title", 50).from("item.title"),
	words("category_id", 0).from("item.category_id"),
	words("sale_type", 0).from("item.sale_type"),
	whole("quantity"),
	cash("unit_price"),
	cash("total_price"),
	words("currency", 0).from("total_price.currency"),
	words("bill_id", 14),
	words("cancellation_status", 0).from("cancellation.status"),
	words("cancellation_reason", 0).from("cancellation.reason"),
	at("cancellation_decided_at").from("cancellation.decided_at"),
	words("rating_status", 0),
}, partyColumns...)

// billColumns have one row for each bill, cancelled ones too.
var billColumns = append([]column{
	words("bill_id", 14).from("id"),
	words("number", 14),
	words("status", 18),
	at("created_at"),
	at("paid_at"),
	at("sent_at"),
	at("cancelled_at"),
	cash("subtotal"),
	cash("shipping_cost"),
	cash("total"),
	words("currency", 0).from("total.currency"),
	words("payment_status", 0).from("payment.status"),
	words("payment_method", 0).from("payment.method"),
	cash("payment_amount").from("payment.amount.amount"),
	at("payment_received_at").from("payment.received_at"),
	whole("pieces").by(pieces),
	words("sale_ids", 20).each("sales", "id"),
	words("personal_references", 20).each("sales", "personal_reference"),
	words("titles", 50).each("sales", "title"),
	words("tracking_numbers", 20).each("trackings", "number"),
}, partyColumns...)
