package translate

import (
	"net/url"
	"slices"
	"strings"
)

// This file shows the calls that list, read and change items.

// Two whole items: as old programs send them, and what they are in /v1.
const (
	auctionForm = "id_country=1&id_category=01021&title=France+1849,+20c+black+Ceres&subtitle=Mint+%26+rare&personal_reference=FR-1849-20c" +
		"&description=<p>Never+hinged</p>&price_starting=12.5&price_increment=1&price_reserve=0020.00&currency=CHF" +
		"&duration=07&prefered_end_day=7&prefered_end_hour=20&renew=2&images[]=https://img.example.com/1.jpg&images[]=https://img.example.com/2.jpg" +
		"&option_boldtitle=1&option_coloredborder=0&option_highlight=true&option_keepoptionsonrenewal=1&option_lastminutebidding=1" +
		"&option_privatebidding=false&option_subtitle=1&option_topcategory=0&option_toplisting=1&option_topmain="
	auctionItem = `"site":"fr","category_id":"1021","title":"France 1849, 20c black Ceres","subtitle":"Mint & rare","personal_reference":"FR-1849-20c",` +
		`"description":"<p>Never hinged</p>","starting_price":{"amount":"12.50","currency":"CHF"},"bid_increment":{"amount":"1.00","currency":"CHF"},` +
		`"reserve_price":{"amount":"20.00","currency":"CHF"},"duration_days":7,"preferred_end_day":"sun","preferred_end_time":"20:00","renewals":2,` +
		`"images":["https://img.example.com/1.jpg","https://img.example.com/2.jpg"],` +
		`"options":{"bold_title":true,"colored_border":false,"highlight":true,"keep_on_renewal":true,"last_minute_bidding":true,` +
		`"private_bidding":false,"subtitle":true,"top_category":false,"top_listing":true,"top_main":false}}`

	fixedPriceForm = "id_category=1021&title=Postcard,+Ghent&personal_reference=PC-77&fixed_price=4.5&qty=10&date_end=2026-12-24+18:00:00"
	fixedPriceItem = `"category_id":"1021","title":"Postcard, Ghent","personal_reference":"PC-77","price":{"amount":"4.50"%s},` +
		`"ends_at":"2026-12-24T17:00:00Z","quantity":10}`
)

// fixedPriceIn is the fixed-price item with its currency, or without one.
func fixedPriceIn(currency string) string {
	if currency != "" {
		currency = `,"currency":"` + currency + `"`
	}
	return strings.Replace(fixedPriceItem, "%s", currency, 1)
}

// entry is a form as an entry of a bulk.
func entry(n, form string) string {
	pairs := strings.Split(form, "&")
	for i, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		name, brackets, _ := strings.Cut(name, "[")
		if pairs[i] = "items[" + n + "][" + name + "]"; brackets != "" {
			pairs[i] += "[" + brackets
		}
		pairs[i] += "=" + value
	}
	return strings.Join(pairs, "&")
}

var (
	referenceA   = map[string]string{"personal_reference": "A"}
	item4711     = map[string]string{"id_item": "4711"}
	itemNowhere  = Sample{Name: "a malformed number", Path: map[string]string{"id_item": "4711x"}, V1: []string{"404 item_not_found"}}
	synthesised  = "sale_type synthesised"
	noCurrency   = "currency defaulted"
	longRef      = "a-reference-of-21-let"
	badReference = Sample{
		Name: "a reference of 21 characters", Form: "personal_reference=" + longRef + "&price_starting=1",
		V1: []string{"422 invalid_value personal_reference"},
	}
)

// refusedValues are values that no amount, date, number or boolean is, in calls that take an item's fields.
func refusedValues(path map[string]string) []Sample {
	var samples []Sample
	for _, refused := range [][2]string{
		{"price_starting", "1,50"},
		{"price_starting", "1e3"},
		{"price_starting", "-1"},
		{"price_starting", "NaN"},
		{"fixed_price", "1.5.0"},
		{"fixed_price", "1."},
		{"date_end", "2026-03-29 02:30:00"},
		{"date_end", "2026-02-30 12:00:00"},
		{"date_end", "24/12/2026"},
		{"id_country", "13"},
		{"id_category", "stamps"},
		{"qty", "-1"},
		{"prefered_end_day", "8"},
		{"prefered_end_hour", "24"},
		{"option_highlight", "yes"},
	} {
		samples = append(samples, Sample{
			Name: refused[0] + " " + refused[1], Path: path, Form: "personal_reference=A&" + refused[0] + "=" + url.QueryEscape(refused[1]),
			V1: []string{"422 invalid_value " + refused[0]},
		})
	}
	return samples
}

// changed is a sample of an update that sets one thing.
func changed(name, form, body string, notes ...string) Sample {
	return Sample{Name: name, Path: item4711, Form: form, V1: []string{"PATCH /v1/items/4711", body}, Note: notes}
}

var (
	itemCreateSamples = slices.Concat([]Sample{
		{Name: "an auction", Form: auctionForm, V1: []string{"POST /v1/items", `{"sale_type":"auction",` + auctionItem}, Note: []string{synthesised}},
		{
			Name: "a lot at a fixed price", Form: fixedPriceForm,
			V1: []string{"POST /v1/items", `{"sale_type":"fixed_price",` + fixedPriceIn("EUR")}, Note: []string{synthesised, noCurrency},
		},
		{
			Name: "what PHP sends for false and null", Form: "personal_reference=A&title=B&fixed_price=3&price_starting=&qty=&currency=&option_boldtitle=&images[]=",
			V1: []string{
				"POST /v1/items",
				`{"sale_type":"fixed_price","title":"B","personal_reference":"A","price":{"amount":"3.00","currency":"EUR"},"options":{"bold_title":false}}`,
			},
			Note: []string{synthesised, noCurrency},
		},
		{
			Name: "an unknown field", Form: "personal_reference=A&price_starting=1&currency=USD&colour=red",
			V1:   []string{"POST /v1/items", `{"sale_type":"auction","personal_reference":"A","starting_price":{"amount":"1.00","currency":"USD"}}`},
			Note: []string{synthesised, "colour unknown"},
		},
		{
			Name: "a field that came twice", Form: "personal_reference=A&price_starting=1&currency=USD&title=Old&title=New",
			V1: []string{
				"POST /v1/items",
				`{"sale_type":"auction","title":"New","personal_reference":"A","starting_price":{"amount":"1.00","currency":"USD"}}`,
			},
			Note: []string{"title dropped", synthesised},
		},
		{
			Name: "both prices, which /v1 refuses", Form: "personal_reference=A&price_starting=1&fixed_price=2&currency=USD",
			V1: []string{
				"POST /v1/items",
				`{"sale_type":"auction","personal_reference":"A","starting_price":{"amount":"1.00","currency":"USD"},"price":{"amount":"2.00","currency":"USD"}}`,
			},
			Note: []string{synthesised},
		},
		{
			Name: "a currency without a price, and no kind of sale, which /v1 refuses", Form: "personal_reference=A&currency=USD",
			V1: []string{"POST /v1/items", `{"personal_reference":"A"}`}, Note: []string{"currency dropped"},
		},
		{
			Name: "a local time that comes twice", Form: "personal_reference=A&date_end=2026-10-25+02:30:00",
			V1: []string{"POST /v1/items", `{"personal_reference":"A","ends_at":"2026-10-25T00:30:00Z"}`},
		},
		{
			Name: "zeros where there is nothing", Form: "personal_reference=A&price_starting=0&fixed_price=4.50&price_increment=0.00&price_reserve=0,00" +
				"&duration=0&date_end=0000-00-00+00:00:00&renew=0&id_country=0",
			V1: []string{
				"POST /v1/items",
				`{"sale_type":"fixed_price","site":"net","personal_reference":"A","price":{"amount":"4.50","currency":"EUR"},"renewals":0}`,
			},
			Note: []string{synthesised, noCurrency},
		},
		{
			Name: "a price of zero beside a starting price", Form: "personal_reference=A&price_starting=5&fixed_price=false&currency=USD&date_end=0&duration=7",
			V1: []string{
				"POST /v1/items", `{"sale_type":"auction","personal_reference":"A","starting_price":{"amount":"5.00","currency":"USD"},"duration_days":7}`,
			},
			Note: []string{synthesised},
		},
		{
			Name: "a price of zero alone, which /v1 refuses", Form: "personal_reference=A&fixed_price=0&price_starting=&currency=USD",
			V1:   []string{"POST /v1/items", `{"sale_type":"fixed_price","personal_reference":"A","price":{"amount":"0.00","currency":"USD"}}`},
			Note: []string{synthesised},
		},
		{
			Name: "two prices of zero, which /v1 refuses", Form: "personal_reference=A&fixed_price=0&price_starting=0&currency=USD",
			V1: []string{"POST /v1/items", `{"personal_reference":"A"}`}, Note: []string{"currency dropped"},
		},
		{
			Name: "amounts of a program with floats",
			Form: "personal_reference=A&price_starting=19.989999999999998&price_increment=0.500&price_reserve=33.3333333333333&currency=USD",
			V1: []string{
				"POST /v1/items", `{"sale_type":"auction","personal_reference":"A","starting_price":{"amount":"19.99","currency":"USD"},` +
					`"bid_increment":{"amount":"0.50","currency":"USD"},"reserve_price":{"amount":"33.33","currency":"USD"}}`,
			},
			Note: []string{synthesised, "price_starting narrowed", "price_reserve narrowed"},
		},
		{
			Name: "images at http addresses", Form: "personal_reference=A&fixed_price=1.505&currency=USD&images[]=http://img.example.com/1.jpg&images[]=https://b.example/2.jpg",
			V1: []string{
				"POST /v1/items", `{"sale_type":"fixed_price","personal_reference":"A","price":{"amount":"1.51","currency":"USD"},` +
					`"images":["http://img.example.com/1.jpg","https://b.example/2.jpg"]}`,
			},
			Note: []string{synthesised, "fixed_price narrowed", "images narrowed"},
		},
		{Name: "no reference", Form: "title=B&price_starting=1", V1: []string{"422 missing_field personal_reference"}},
		{Name: "a list for a text", Form: "personal_reference=A&title[]=B&title[]=C", V1: []string{"422 invalid_type title"}},
		{Name: "brackets in brackets", Form: "personal_reference=A&images[0][url]=https://img.example.com/1.jpg", V1: []string{"422 invalid_type images"}},
		badReference,
	}, refusedValues(nil))

	itemBulkSamples = []Sample{
		{
			Name: "an auction and a lot at a fixed price", Form: entry("0", auctionForm) + "&" + entry("1", fixedPriceForm),
			V1: []string{
				"POST /v1/item-batches",
				`{"items":[{"sale_type":"auction",` + auctionItem + `,{"sale_type":"fixed_price",` + fixedPriceIn("EUR") + "]}",
			},
			Note: []string{synthesised, "items[1][currency] defaulted"},
		},
		{
			Name: "entries that say too little or too much",
			Form: "items[0][price_starting]=1&items[7][personal_reference]=" + longRef + "&items[8]=text&colour=red&title=lost",
			V1:   []string{"422 missing_field items[0][personal_reference]", "422 invalid_value items[7][personal_reference]", "422 invalid_type items[8]"},
		},
		{
			Name: "fields beside and inside the entries that mean nothing", Form: "title=lost&items[0][personal_reference]=A&items[0][colour]=red",
			V1: []string{"POST /v1/item-batches", `{"items":[{"personal_reference":"A"}]}`}, Note: []string{"title unknown", "items[0][colour] unknown"},
		},
		{Name: "no entries", Form: "", V1: []string{"422 batch_empty items"}},
		{Name: "a text for entries", Form: "items=4", V1: []string{"422 invalid_type items"}},
	}

	itemSamples = []Sample{
		{Name: "by its number", Path: item4711, V1: []string{"GET /v1/items/4711"}},
		{Name: "a field that says what the address says", Path: item4711, Form: "id_item=4712", V1: []string{"GET /v1/items/4711"}, Note: []string{"id_item dropped"}},
		itemNowhere,
	}

	itemByReferenceSamples = slices.Concat([]Sample{
		{Name: "a reference", Path: map[string]string{"personal_reference": "FR/1849 20c"}, V1: []string{"GET /v1/items?personal_reference=FR%2F1849+20c"}},
		{
			Name: "a reference with a comma", Path: map[string]string{"personal_reference": "A,B"},
			V1: []string{"GET /v1/items?personal_reference=A%2CB"}, Note: []string{"personal_reference narrowed"},
		},
		{Name: "a reference of 21 characters", Path: map[string]string{"personal_reference": longRef}, V1: []string{"422 invalid_value personal_reference"}},
		{Name: "an empty reference", Path: map[string]string{"personal_reference": ""}, V1: []string{"422 missing_field personal_reference"}},
		{Name: "a value that is neither 1 nor 0", Path: referenceA, Form: "closed=maybe", V1: []string{"422 invalid_value closed"}},
	}, eachValue("closed", referenceA, "closed=%s", []string{"GET /v1/items?personal_reference=A&status=%s"},
		"1 sold,unsold,closed", "true sold,unsold,closed", "0 open", "false open"))

	itemUpdateSamples = slices.Concat([]Sample{
		changed("everything of an auction", auctionForm, "{"+auctionItem),
		changed("everything of a lot at a fixed price", fixedPriceForm, "{"+fixedPriceIn(""), "qty narrowed"),
		changed("a price in another currency", "fixed_price=5&currency=USD", `{"price":{"amount":"5.00","currency":"USD"}}`),
		changed("an option that is not sent stays, one that is sent empty is switched off", "option_highlight=", `{"options":{"highlight":false}}`),
		changed("a currency without an amount", "title=B&currency=USD", `{"title":"B"}`, "currency dropped"),
		changed("an end and a duration of zero, which say nothing", "title=B&date_end=0000-00-00&duration=0", `{"title":"B"}`),
		changed("a price of zero, which /v1 refuses", "fixed_price=0&currency=USD", `{"price":{"amount":"0.00","currency":"USD"}}`, "fixed_price narrowed"),
		changed("images at http addresses", "images=http://img.example.com/1.jpg", `{"images":["http://img.example.com/1.jpg"]}`, "images narrowed"),
		changed("an end beside a duration, which says less", "date_end=2026-12-24+18:00:00&duration=10", `{"ends_at":"2026-12-24T17:00:00Z"}`, "duration dropped"),
		changed("nothing, which /v1 refuses", "title=", `{}`),
		{Name: "a reference of 21 characters", Path: item4711, Form: "personal_reference=" + longRef, V1: []string{"422 invalid_value personal_reference"}},
		itemNowhere,
	}, refusedValues(item4711),
		eachValue("site", item4711, "id_country=%s", []string{"PATCH /v1/items/4711", `{"site":"%s"}`},
			"0 net", "1 fr", "2 de", "3 nl", "4 it", "5 es", "6 co.uk", "7 com", "8 ch", "9 be", "10 at", "11 ca", "12 com.au"),
		eachValue("day", item4711, "prefered_end_day=%s", []string{"PATCH /v1/items/4711", `{"preferred_end_day":"%s"}`},
			"1 mon", "2 tue", "3 wed", "4 thu", "5 fri", "6 sat", "7 sun", "mon mon", "tue tue", "wed wed", "thu thu", "fri fri", "sat sat", "sun sun"),
		eachValue("hour", item4711, "prefered_end_hour=%s", []string{"PATCH /v1/items/4711", `{"preferred_end_time":"%s"}`},
			"0 00:00", "7 07:00", "18 18:00", "18:30 18:30"),
	)

	itemCloseSamples = slices.Concat([]Sample{
		{Name: "without a reason", Path: item4711, V1: []string{"POST /v1/items/4711/close"}},
		{Name: "an unknown reason", Path: item4711, Form: "reason=Bored", V1: []string{"422 invalid_value reason"}},
		itemNowhere,
	}, eachValue("because", item4711, "reason=%s", []string{"POST /v1/items/4711/close", `{"reason":"%s"}`},
		"TestItem test", "LostOrBrokenItem lost_or_broken", "NotAvailableItem not_available", "IncorrectItem incorrect"))

	itemRestartSamples = []Sample{
		{Name: "an item that did not sell", Path: item4711, V1: []string{"POST /v1/items/4711/restart"}},
		itemNowhere,
	}
)
