package translate

import "slices"

// This file shows the calls that list items and sales, and those about an item's buyer.

// pages are the samples of a list: its first page, other windows, and windows that there cannot be. first is the /v1
// request without limit and sort, then what /v1 reads for a sold item, if anything.
func pages(first, newest string, then ...string) []Sample {
	request := func(more string) []string { return slices.Concat([]string{first + more}, then) }
	return []Sample{
		{Name: "the first page", V1: request("&limit=100")},
		{Name: "fields that are sent empty", Form: "startingItem=&numberOfItems=&order=", V1: request("&limit=100")},
		{Name: "the newest first", Form: "startingItem=0&numberOfItems=20&order=DESC", V1: request("&sort=" + newest + "&limit=20")},
		{Name: "the oldest first", Form: "numberOfItems=200&order=asc", V1: request("&limit=200")},
		{
			Name: "a window of 1000 in the middle", Form: "startingItem=3000&numberOfItems=1000&order=ASC",
			V1: request("&limit=200"), Note: []string{"startingItem narrowed", "numberOfItems narrowed"},
		},
		{Name: "the largest start", Form: "startingItem=1000000000", V1: request("&limit=100"), Note: []string{"startingItem narrowed"}},
		{Name: "invalid windows", Form: "startingItem=-1&numberOfItems=1001&order=random", V1: []string{
			"422 invalid_parameter startingItem", "422 invalid_parameter numberOfItems", "422 invalid_parameter order",
		}},
		{Name: "a start that is too far away, and no items", Form: "startingItem=1000000001&numberOfItems=0", V1: []string{
			"422 invalid_parameter startingItem", "422 invalid_parameter numberOfItems",
		}},
		{Name: "values that are not numbers", Form: "startingItem[]=1&startingItem[]=2&numberOfItems=1e3", V1: []string{
			"422 invalid_parameter startingItem", "422 invalid_parameter numberOfItems",
		}},
		{Name: "an unknown field", Form: "page=2", V1: request("&limit=100"), Note: []string{"page unknown"}},
	}
}

// standingOnly leaves cancelled sales out of a list.
const standingOnly = "&cancellation_status=none,requested,refused"

// The requests of a rating: the first one finds the sale.
const (
	unratedSale = "GET /v1/sales?item_id=4711&rating_status=unrated" + standingOnly + "&limit=1"
	rateSale    = "POST /v1/sales/{sale_id}/rating"
)

const soldItemsOf = "GET /v1/items?id={item_id}"

var (
	auctionOpenedSamples    = pages("GET /v1/items?sale_type=auction&status=open", "created_at_desc")
	fixedpriceOpenedSamples = pages("GET /v1/items?sale_type=fixed_price&status=open", "created_at_desc")
	auctionClosedSamples    = pages("GET /v1/items?sale_type=auction&status=unsold,closed", "created_at_desc")
	fixedpriceClosedSamples = pages("GET /v1/items?sale_type=fixed_price&status=unsold,closed", "created_at_desc")
	auctionSoldSamples      = pages("GET /v1/sales?sale_type=auction"+standingOnly, "sold_at_desc", soldItemsOf)
	fixedpriceSoldSamples   = pages("GET /v1/sales?sale_type=fixed_price"+standingOnly, "sold_at_desc", soldItemsOf)
	itemBuyerSamples        = []Sample{
		{Name: "of an item that sold", Path: item4711, V1: []string{"GET /v1/sales?item_id=4711" + standingOnly}},
		{Name: "a malformed number", Path: map[string]string{"id_item": "x"}, V1: []string{"422 invalid_value id_item"}},
		{Name: "an empty number", Path: map[string]string{"id_item": ""}, V1: []string{"422 missing_field id_item"}},
	}

	itemFeedbackSamples = slices.Concat(
		[]Sample{
			{
				Name: "praise", Path: item4711, Form: "feedback=0100&comment=Fast+payment",
				V1: []string{unratedSale, rateSale, `{"score":100,"comment":"Fast payment"}`},
			},
			{
				Name: "a neutral comment", Path: item4711, Form: "feedback=&comment=Thanks",
				V1: []string{unratedSale, rateSale, `{"comment":"Thanks"}`},
			},
			{
				Name: "a score between two", Path: item4711, Form: "feedback=88",
				V1:   []string{unratedSale, rateSale, `{"score":100}`},
				Note: []string{"feedback narrowed"},
			},
			{Name: "a score that is too high", Path: item4711, Form: "feedback=101", V1: []string{"422 invalid_value feedback"}},
		},
		[]Sample{
			{
				Name: "the score by its other name", Path: item4711, Form: "ratingValue=100",
				V1: []string{unratedSale, rateSale, `{"score":100}`},
			},
			{
				Name: "the score by both names", Path: item4711, Form: "feedback=100&ratingValue=0",
				V1:   []string{unratedSale, rateSale, `{"score":100}`},
				Note: []string{"ratingValue dropped"},
			},
		},
		eachValue("score", item4711, "feedback=%s", []string{unratedSale, rateSale, `{"score":%s}`},
			"0 0", "25 25", "50 50", "75 75", "100 100"),
	)
)
