package translate

import (
	"slices"
	"strings"

	"sellerd/v1"
)

// This file has the fields of items, and the calls that list, read and change items.

// Countries are the numbers of the national sites.
var Countries = enumeration("site number", "The national site an item is shown on, 0 for none beside the .net.",
	[2]string{"0", "net"}, [2]string{"1", "fr"}, [2]string{"2", "de"}, [2]string{"3", "nl"}, [2]string{"4", "it"}, [2]string{"5", "es"},
	[2]string{"6", "co.uk"}, [2]string{"7", "com"}, [2]string{"8", "ch"}, [2]string{"9", "be"}, [2]string{"10", "at"},
	[2]string{"11", "ca"}, [2]string{"12", "com.au"})

// Days are the days of the week.
var Days = enumeration("day of the week", "The first three letters of the English name. The numbers of PHP's date('N') are understood as well, from 1 for "+
	"Monday to 7 for Sunday.",
	[2]string{"mon", "mon"}, [2]string{"tue", "tue"}, [2]string{"wed", "wed"}, [2]string{"thu", "thu"}, [2]string{"fri", "fri"}, [2]string{"sat", "sat"},
	[2]string{"sun", "sun"},
	[2]string{"1", "mon"}, [2]string{"2", "tue"}, [2]string{"3", "wed"}, [2]string{"4", "thu"}, [2]string{"5", "fri"}, [2]string{"6", "sat"}, [2]string{"7", "sun"})

// CloseReasons are the reasons why a seller takes an item off sale.
var CloseReasons = enumeration("close reason", "Why an item is taken off sale. /v1 also has sold_elsewhere and other.",
	[2]string{"TestItem", "test"}, [2]string{"LostOrBrokenItem", "lost_or_broken"},
	[2]string{"NotAvailableItem", "not_available"}, [2]string{"IncorrectItem", "incorrect"})

// Closed selects items that have ended, or items that are on sale.
var Closed = enumeration("closed or on sale", "1 for items that have ended, sold or not, and 0 for those that are on sale; without it all of them.",
	[2]string{"1", v1.ItemSold + "," + v1.ItemUnsold + "," + v1.ItemClosed}, [2]string{"0", v1.ItemOpen},
	[2]string{"true", v1.ItemSold + "," + v1.ItemUnsold + "," + v1.ItemClosed}, [2]string{"false", v1.ItemOpen})

// itemRows are an item's fields, in the order of the elements in an answer of /rest.
var itemRows = []Row{
	{Legacy: "id_item", V1: "id", Dir: Out, Convert: Identifier},
	{Legacy: "id_country", V1: "site", Convert: Countries},
	{Legacy: "id_category", V1: "category_id", Convert: Identifier},
	{Legacy: "title", V1: "title"},
	{Legacy: "subtitle", V1: "subtitle", Doc: "needs option_subtitle"},
	{Legacy: "personal_reference", V1: "personal_reference", Convert: Reference},
	{Legacy: "description", V1: "description", Convert: Markup},
	{Legacy: "price_starting", V1: "starting_price.amount", Convert: Money, Loss: inCents},
	{Legacy: "fixed_price", V1: "price.amount", Convert: Money, Loss: inCents},
	{Legacy: "price_present", V1: "current_price.amount", Dir: Out, Convert: Money},
	{Legacy: "price_increment", V1: "bid_increment.amount", Convert: Money, Loss: inCents},
	{Legacy: "price_reserve", V1: "reserve_price.amount", Convert: Money, Loss: inCents},
	{Legacy: "currency", V1: "current_price.currency", Dir: Out},
	{Legacy: "date_end", V1: "ends_at", Convert: LocalTime},
	{Legacy: "duration", V1: "duration_days", Convert: Integer, Unless: "date_end", Doc: "days"},
	{Legacy: "prefered_end_day", V1: "preferred_end_day", Convert: Days},
	{Legacy: "prefered_end_hour", V1: "preferred_end_time", Convert: Hour, Doc: "in the account's time zone"},
	{Legacy: "qty", V1: "quantity", Dir: In, Convert: Integer},
	{Legacy: "qty", V1: "quantity_available", Dir: Out, Convert: Integer, Doc: "what is left"},
	{Legacy: "renew", V1: "renewals", Convert: Integer},
	{Legacy: "bids", V1: "bid_count", Dir: Out, Convert: Integer},
	{Legacy: "images", V1: "images", Dir: In, Caution: httpsOnly, Doc: "addresses, as images[]"},
	{Legacy: "option_boldtitle", V1: "options.bold_title", Convert: Boolean},
	{Legacy: "option_coloredborder", V1: "options.colored_border", Convert: Boolean},
	{Legacy: "option_highlight", V1: "options.highlight", Convert: Boolean},
	{Legacy: "option_keepoptionsonrenewal", V1: "options.keep_on_renewal", Convert: Boolean},
	{Legacy: "option_lastminutebidding", V1: "options.last_minute_bidding", Convert: Boolean},
	{Legacy: "option_privatebidding", V1: "options.private_bidding", Convert: Boolean},
	{Legacy: "option_subtitle", V1: "options.subtitle", Convert: Boolean},
	{Legacy: "option_topcategory", V1: "options.top_category", Convert: Boolean},
	{Legacy: "option_toplisting", V1: "options.top_listing", Convert: Boolean},
	{Legacy: "option_topmain", V1: "options.top_main", Convert: Boolean},
}

// inCents is what an amount loses on its way to /v1.
var inCents = Loss{Narrowed, "Amounts have two decimals. More of them are rounded to cents, half a cent up."}

// httpsOnly is about addresses, which may begin with http:// on /rest alone.
var httpsOnly = Caution{
	func(text string) bool { return len(text) >= 7 && strings.EqualFold(text[:7], "http://") },
	"/v1 takes https addresses only. Give it the address that begins with https://.",
}

// noFreeItem is about a change of an amount to zero.
var noFreeItem = Caution{IsZero, "0 is no amount, and an amount cannot be taken away from an item. Leave it out."}

// changeRows are the fields of a change, but its currency.
var changeRows = changed(direction(In, itemRows), func(row *Row) {
	if row.Legacy == "date_end" || row.Legacy == "duration" {
		row.Zero = Always
	}
	if row.Convert == Money {
		row.Caution = noFreeItem
	}
	leaving(row)
})

// newItemRows are the fields of a new item, with the kind of sale that follows from its prices, and its currency.
var newItemRows = slices.Concat(
	[]Row{
		{V1: "sale_type", Dir: In, Const: v1.SaleTypeAuction, When: "price_starting", Loss: Loss{Synthesised, "A starting price makes an auction."}},
		{V1: "sale_type", Dir: In, Const: v1.SaleTypeFixedPrice, When: "fixed_price", Loss: Loss{Synthesised, "A fixed price makes a sale at that price."}},
	},
	changed(itemRows, func(row *Row) {
		row.Required = row.Legacy == "personal_reference"
		row.Zero = map[string]string{ // see Row.Zero
			"price_increment": Always, "price_reserve": Always, "price_starting": "fixed_price", "fixed_price": "price_starting",
			"date_end": Always, "duration": Always,
		}[row.Legacy]
	}),
	[]Row{{
		Legacy: "currency", V1: "starting_price.currency price.currency bid_increment.currency reserve_price.currency", Dir: In, Default: "EUR", Beside: true,
		Doc: "of each amount that is given",
	}},
)

// itemRef is the number of an item in a path.
var itemRef = Row{Legacy: "id_item", V1: "{id}", Dir: In, Convert: Identifier, Required: true}

// acknowledgement is the answer of a call that returns no data.
var acknowledgement = []Row{
	{Legacy: "status", Dir: Out, Const: "true"},
	{Legacy: "data", Dir: Out, Const: "Your request was taken into account!"},
}

// acknowledgedItem is an acknowledgement that names the item by the seller's own reference.
var acknowledgedItem = slices.Concat(acknowledgement, []Row{{Legacy: "personal_reference", V1: "personal_reference", Dir: Out}})

// changed returns a copy of rows, each of which was changed.
func changed(rows []Row, change func(*Row)) []Row {
	out := slices.Clone(rows)
	for i := range out {
		change(&out[i])
	}
	return out
}

// leaving changes a row so that its field means what a read shows.
func leaving(row *Row) {
	switch row.V1 {
	case "quantity":
		row.Doc = "what shall be left, as a read shows it"
		row.Caution = Caution{func(string) bool { return true }, "/v1 counts the pieces that are sold as well: add quantity_sold of the item. " +
			"Where /rest refuses a 0 because pieces are sold, this sum ends the sale for good."}
	case "ends_at":
		row.Doc = "0 counts as not sent; /v1 takes every end as chosen, so leave out one that is only sent back"
	}
}

// direction returns the rows that translate in one direction. What a row loses, it loses on the way to /v1.
func direction(d Direction, rows []Row) (out []Row) {
	for _, row := range rows {
		if row.Dir == d || row.Dir == Both {
			if d == Out && row.Dir == Both {
				row.Loss = Loss{}
			}
			row.Dir = d
			out = append(out, row)
		}
	}
	return out
}

var itemCalls = []*Call{
	define(Call{
		ID: "item-create", Title: "Put an item on sale", Method: "POST", Pattern: "/rest/item", Target: direct(v1.SubmitItem.Operation).keyed("list-{personal_reference}"),
		In: direction(In, newItemRows), Out: acknowledgedItem,
		Never: oneCurrency,
		Guide: Guidance{Phase: PhaseListing},
	}),
	define(Call{
		ID: "item-bulk", Title: "Put many items on sale", Method: "POST", Pattern: "/rest/items", Target: direct(v1.SubmitBatch.Operation).keyed("list-{personal_reference}"),
		Each: "items", In: direction(In, newItemRows), Element: "item",
		Out:   acknowledgement, // for each entry, with its reference (see AppendBulk)
		Never: oneCurrency,
		Guide: Guidance{Phase: PhaseListing},
	}),
	define(Call{
		ID: "item", Title: "Read an item", Method: "GET", Pattern: "/rest/item/{id_item}", Target: direct(v1.GetItem.Operation), Successor: true,
		In: []Row{itemRef}, Element: "item", Out: direction(Out, itemRows),
		Guide: Guidance{Phase: PhaseReading},
	}),
	define(Call{
		ID: "item-by-reference", Title: "Find items by your own reference", Method: "GET", Pattern: "/rest/item/reference/{personal_reference}",
		Target: direct(v1.BrowseItems.Operation),
		In: []Row{
			{Legacy: "personal_reference", V1: "?exact_reference", Dir: In, Convert: Reference, Required: true},
			{Legacy: "closed", V1: "?status", Dir: In, Convert: Closed},
		},
		Element: "item", Out: direction(Out, itemRows),
		ListOf: "personal_reference", Refuses: []v1.Code{v1.ItemNotFound}, Never: []Exception{convertedFirst(v1.InvalidParameter)},
		Guide: Guidance{Phase: PhaseReading},
	}),
	define(Call{
		ID: "item-update", Title: "Change an item", Method: "PUT", Pattern: "/rest/item/{id_item}", Target: direct(v1.UpdateItem.Operation),
		In: slices.Concat([]Row{itemRef}, changeRows, []Row{{
			Legacy: "currency", V1: "starting_price.currency price.currency bid_increment.currency reserve_price.currency", Dir: In, Beside: true,
			Doc: "of each amount that is given; an amount that the item already has keeps its currency without it, and a new one is rejected",
		}}),
		Out:   acknowledgedItem,
		Guide: Guidance{Phase: PhaseListing},
	}),
	define(Call{
		ID: "item-close", Title: "Take an item off sale", Method: "DELETE", Pattern: "/rest/item/{id_item}", Target: direct(v1.CloseItem.Operation).keyed("close-{id}"),
		In: []Row{itemRef, {Legacy: "reason", V1: "reason", Dir: In, Convert: CloseReasons}}, Out: acknowledgedItem,
		Never: []Exception{{[]v1.Code{v1.TooLong, v1.HTMLNotAllowed}, "no row leads to the note"}},
		Guide: Guidance{Phase: PhaseListing},
	}),
	define(Call{
		ID: "item-restart", Title: "Sell an item again", Method: "POST", Pattern: "/rest/item/{id_item}/restart",
		Target: direct(v1.RestartItem.Operation).keyed("restart-{id}"),
		In:     []Row{itemRef}, Out: acknowledgedItem,
		Guide: Guidance{Phase: PhaseListing},
	}),
	itemList("auction-opened", "List running auctions", "/rest/item/auction/opened", v1.SaleTypeAuction, v1.ItemOpen),
	itemList("fixedprice-opened", "List items on sale at a fixed price", "/rest/item/fixedprice/opened",
		v1.SaleTypeFixedPrice, v1.ItemOpen),
	itemList("auction-closed", "List auctions that ended without a sale", "/rest/item/auction/closed",
		v1.SaleTypeAuction, v1.ItemUnsold, v1.ItemClosed),
	itemList("fixedprice-closed", "List items at a fixed price that ended without a sale", "/rest/item/fixedprice/closed",
		v1.SaleTypeFixedPrice, v1.ItemUnsold, v1.ItemClosed),
}

// oneCurrency is why a new item never has amounts in several currencies.
var oneCurrency = []Exception{{[]v1.Code{v1.CurrencyMismatch}, "one field is the currency of all amounts"}}

// convertedFirst is an exception for a code of /v1 whose values the converter already rejects.
func convertedFirst(code v1.Code) Exception {
	return Exception{[]v1.Code{code}, "the converter is stricter"}
}

// everyNumber is why a number in a path is never rejected as an unknown item.
var everyNumber = Exception{[]v1.Code{v1.ItemNotFound}, "every number that the converter reads can be that of an item"}

// itemList makes a call that lists the items of one kind of sale in some states. The request has no fields, because the path
// says everything.
func itemList(id, title, pattern, saleType string, statuses ...string) *Call {
	call := define(Call{
		ID: id, Title: title, Method: "GET", Pattern: pattern, Target: direct(v1.BrowseItems.Operation), Paged: true,
		In: []Row{{V1: "?sale_type", Dir: In, Const: saleType}}, Element: "item", Out: direction(Out, itemRows),
		Guide: Guidance{Phase: PhaseReading},
	})
	for _, status := range statuses {
		call.In = append(call.In, Row{V1: "?status", Dir: In, Const: status})
	}
	return call
}
