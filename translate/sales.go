package translate

import (
	"slices"
	"strings"

	"sellerd/v1"
)

// This file has the calls about sales: sold items, their buyers, and ratings of buyers.

// SoldItem is a sale together with its item. Lists of sold items consist of them.
type SoldItem struct {
	Sale    v1.Sale    `json:"sale"`
	Item    v1.Item    `json:"item"`
	Address v1.Address `json:"shipping_address"`
}

// BoughtItem is a sale with the address of its buyer, the answer to the call that finds an item's buyer.
type BoughtItem struct {
	Sale    v1.Sale    `json:"sale"`
	Address v1.Address `json:"shipping_address"`
}

// LanguageNames are languages by their English names, as /rest shows them for buyers.
var LanguageNames = enumeration("language's name", "A language by its English name for its ISO 639-1 code.",
	[2]string{"English", "en"}, [2]string{"French", "fr"}, [2]string{"German", "de"}, [2]string{"Italian", "it"}, [2]string{"Spanish", "es"}, [2]string{"Dutch", "nl"})

// buyerRows are the buyer of a sale. The address is the shipping address.
var buyerRows = []Row{
	{Legacy: "buyer_id", V1: "sale.buyer.id", Dir: Out, Convert: Identifier},
	{Legacy: "buyer_nickname", V1: "sale.buyer.nickname", Dir: Out},
	{Legacy: "buyer_email", V1: "sale.buyer.email", Dir: Out},
	{Legacy: "buyer_language", V1: "sale.buyer.language", Dir: Out, Convert: LanguageNames},
	{Legacy: "buyer_firstname", V1: "sale.buyer.first_name", Dir: Out},
	{Legacy: "buyer_surname", V1: "sale.buyer.last_name", Dir: Out},
	{Legacy: "buyer_address", V1: "shipping_address.line1", Dir: Out},
	{Legacy: "buyer_zipcode", V1: "shipping_address.postal_code", Dir: Out},
	{Legacy: "buyer_city", V1: "shipping_address.city", Dir: Out},
	{Legacy: "buyer_state", V1: "shipping_address.state", Dir: Out},
	{Legacy: "buyer_country", V1: "shipping_address.country", Dir: Out},
	{Legacy: "buyer_phone", V1: "sale.buyer.phone", Dir: Out},
	{Legacy: "buyer_rating_nbr", V1: "sale.buyer.rating.count", Dir: Out, Convert: Integer},
	{Legacy: "buyer_rating_percentage", V1: "sale.buyer.rating.percentage", Dir: Out},
}

// knownBuyerRows are a buyer with the spoken languages. The marketplace knows one of them.
var knownBuyerRows = slices.Insert(slices.Clone(buyerRows), 3,
	Row{Legacy: "buyer_spoken_languages", V1: "sale.buyer.language", Dir: Out, Convert: LanguageNames, Doc: "the one that is known"})

// soldRows are a sold item: the fields of the item, with the price and the quantity of the sale.
var soldRows = slices.Concat(changed(direction(Out, itemRows), func(row *Row) {
	switch row.Legacy {
	case "price_present":
		*row = Row{Legacy: row.Legacy, V1: "sale.unit_price.amount", Dir: Out, Convert: Money, Doc: "what a piece was sold for"}
	case "currency":
		*row = Row{Legacy: row.Legacy, V1: "sale.unit_price.currency", Dir: Out}
	case "qty":
		*row = Row{Legacy: row.Legacy, V1: "sale.quantity", Dir: Out, Convert: Integer, Doc: "how many were sold"}
	default:
		row.V1 = "item." + row.V1
	}
}), []Row{
	{Legacy: "date_sold", V1: "sale.sold_at", Dir: Out, Convert: LocalTime},
}, buyerRows)

var saleCalls = []*Call{
	soldList("auction-sold", "List auctions that sold", "/rest/item/auction/sold", v1.SaleTypeAuction),
	soldList("fixedprice-sold", "List sales at a fixed price", "/rest/item/fixedprice/sold", v1.SaleTypeFixedPrice),
	define(Call{
		ID: "item-buyer", Title: "Find an item's buyer", Method: "GET", Pattern: "/rest/item/{id_item}/buyer",
		Target: composed[BoughtItem](Step{Operation: v1.BrowseSales.Operation, Main: true, Purpose: "list the item's sales"}),
		In:     slices.Concat([]Row{{Legacy: "id_item", V1: "?item_id", Dir: In, Convert: Identifier, Required: true}}, standing), Element: "buyer",
		Out: slices.Concat([]Row{
			{Legacy: "id_item", V1: "sale.item_id", Dir: Out, Convert: Identifier},
			{Legacy: "qty", V1: "sale.quantity", Dir: Out, Convert: Integer},
		}, knownBuyerRows),
		Names:  SoldNames,
		ListOf: "id_item", Refuses: []v1.Code{v1.ItemNotFound}, Never: []Exception{convertedFirst(v1.InvalidParameter), everyNumber},
		Guide: Guidance{Phase: PhaseSales},
	}),
	define(Call{
		ID: "item-feedback", Title: "Rate an item's buyer", Method: "POST", Pattern: "/rest/item/{id_item}/feedback",
		Target: composed[v1.Rating](
			Step{
				Operation: v1.BrowseSales.Operation,
				Query:     "item_id={id_item}&rating_status=" + v1.RatingUnrated + "&cancellation_status=" + strings.Join(v1.StandingSales, ",") + "&limit=1",
				Purpose:   "find the item's sale: the oldest one that stands and is not rated yet",
			},
			Step{Operation: v1.RateBuyer.Operation, Main: true, Path: map[string]string{"id": "sale_id"}, Act: "rate-{id}", Purpose: "rate its buyer"},
		),
		In: []Row{
			{Legacy: "feedback", V1: "score", Dir: In, Convert: Score, Loss: Loss{Narrowed, "/v1 has the scores 0, 25, 50, 75 and 100."}},
			{
				Legacy: "ratingValue", V1: "score", Dir: In, Convert: Score, Unless: "feedback", Doc: "another name of feedback",
				Loss: Loss{Narrowed, "/v1 has the scores 0, 25, 50, 75 and 100."},
			},
			{Legacy: "comment", V1: "comment", Dir: In},
		},
		Out:     acknowledgement,
		Refuses: []v1.Code{v1.ItemNotFound}, Never: []Exception{convertedFirst(v1.OutOfRange), everyNumber},
		Guide: Guidance{Phase: PhaseSales},
	}),
}

// standing are filters that leave out cancelled sales.
var standing = []Row{
	{V1: "?cancellation_status", Dir: In, Const: v1.CancellationNone},
	{V1: "?cancellation_status", Dir: In, Const: v1.CancellationRequested},
	{V1: "?cancellation_status", Dir: In, Const: v1.CancellationRefused},
}

// soldList makes a call that lists the sales of one kind of sale, each with its item.
func soldList(id, title, pattern, saleType string) *Call {
	return define(Call{
		ID: id, Title: title, Method: "GET", Pattern: pattern, Paged: true,
		Target: composed[SoldItem](
			Step{Operation: v1.BrowseSales.Operation, Main: true, Purpose: "list the sales"},
			Step{Operation: v1.BrowseItems.Operation, Query: "id={item_id}", Purpose: "read the sold items, up to 100 numbers at a time"},
		),
		In: slices.Concat([]Row{{V1: "?sale_type", Dir: In, Const: saleType}}, standing), Element: "item", Out: soldRows, Names: SoldNames,
		Guide: Guidance{Phase: PhaseSales},
	})
}
