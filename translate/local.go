package translate

import (
	"slices"
	"strings"

	"sellerd/v1"
)

// This file answers the calls that need no operation, from the tables.

// CloseReasonWords is the answer to close-reasons.
func CloseReasonWords() []Word { return words(CloseReasons.Pairs) }

// NotificationTypeWords is the answer to notification-types.
func NotificationTypeWords() []Word {
	return words(slices.DeleteFunc(slices.Clone(TypeEvents.Pairs), isRead))
}

func words(pairs [][2]string) []Word {
	out := make([]Word, len(pairs))
	for i, pair := range pairs {
		out[i] = Word{pair[0]}
	}
	return out
}

// legacySaleTypes are the kinds of sale by their names in legacy paths.
var legacySaleTypes = map[string]string{"auction": v1.SaleTypeAuction, "fixedprice": v1.SaleTypeFixedPrice}

// fieldsOfOneKind are the fields that only one kind of sale has.
var fieldsOfOneKind = map[string]string{
	"price_starting": v1.SaleTypeAuction, "price_increment": v1.SaleTypeAuction, "price_reserve": v1.SaleTypeAuction,
	"fixed_price": v1.SaleTypeFixedPrice, "qty": v1.SaleTypeFixedPrice,
}

// mandatoryFields are the fields that a new item of their kind must have.
var mandatoryFields = map[string]bool{
	"id_category": true, "title": true, "personal_reference": true, "price_starting": true, "fixed_price": true,
}

// FormFields is the answer to fields. kind is auction or fixedprice; ok is false for any other text.
func FormFields(kind string) ([]FormField, bool) {
	saleType, ok := legacySaleTypes[kind]
	if !ok {
		return nil, false
	}
	var fields []FormField
	for _, row := range direction(In, newItemRows) {
		if only := fieldsOfOneKind[row.Legacy]; row.Legacy == "" || only != "" && only != saleType {
			continue
		}
		fields = append(fields, FormField{row.Legacy, mandatoryFields[row.Legacy], row.Meaning()})
	}
	return fields, true
}

// Meaning describes in a few words what a field holds.
func (r *Row) Meaning() string {
	var parts []string
	if r.Convert != nil {
		parts = append(parts, r.Convert.Name)
	}
	if r.Doc != "" {
		parts = append(parts, r.Doc)
	}
	if len(parts) == 0 {
		return "text"
	}
	return strings.Join(parts, ", ")
}
