package guide

import (
	"fmt"
	"strconv"

	"sellerd/translate"
	"sellerd/v1"
)

// This file has what the guide says once for all calls. TestWhatTheGuideSaysOfAllCallsIsSo checks the part that can be
// executed.

func differences(base string) []Difference {
	return []Difference{
		{"Address", "`" + base + "/rest`", "`" + base + "/v1`. A path with a trailing slash is not found."},
		{
			"Who asks",
			"`POST /rest/seller` with your key answers a token, good for " + strconv.Itoa(translate.SessionMinutes) + " minutes, which the other calls pass as " +
				"`token`. `X-Api-Key` is taken as " +
				"well. A call that needs neither says so.",
			"Your key in the header `X-Api-Key` of every call, and nowhere else: a key in the query is refused.",
		},
		{
			"Request", "Fields in the query or in a form, whatever the method. A field that the call does not have is ignored, with a `warning` in the answer.",
			fmt.Sprintf("A JSON body with `Content-Type: application/json`; filters in the query. What is unknown is refused: `%s`, `%s`.",
				v1.UnknownField, v1.UnknownParameter),
		},
		{
			"Characters", "A form in UTF-8, or in the character set that `Content-Type` names: [ISO-8859-1 or Windows-1252](#latin-1).",
			"UTF-8, and nothing else.",
		},
		{
			"Empty fields", "A field that is sent empty counts as not sent, but for booleans, where it means false.",
			"What is absent stays as it is; in a `PATCH`, `null` clears.",
		},
		{
			"Answer", "XML in the element `Delcampe_Notification`. Every success has the status 200.",
			"JSON: `status_code` beside `data`. A success has the status 200, 201 (made) or 202 (accepted, and done soon). A list is `data.results`.",
		},
		{"Missing values", "The element is there and empty.", "The member is there and `null`; an empty list is `[]`."},
		{
			"Refusals", "`errorMsg` holds all that is wrong in one text, `errorCode` the code of the first.",
			"`errors` instead of `data`: for each problem `errors[].code`, `errors[].message` and `errors[].field`. Statuses and codes are [the same](#errors).",
		},
		{"Ids", "Digits.", "The same digits, as a JSON string. Submissions, batches, trackings, webhooks, events and deliveries have a prefix, such as `wh_`."},
		{
			"Money", "`12.00`, and the currency in an element of its own. A new item without a currency is in EUR.",
			"`{\"amount\": \"12.00\", \"currency\": \"EUR\"}`: a string and never a number, each with its currency. All amounts of an item have the same one.",
		},
		{"Dates", "`Y-m-d H:i:s` without a zone, which is " + translate.LegacyZone + ".", "RFC 3339 in UTC, with fractions of a second where there are any: " +
			"`2026-11-20T13:23:23Z`. You may send any offset."},
		{"Booleans", "`1` and `0`; `true` and `false` are understood.", "`true` and `false`."},
		{
			"Paging",
			fmt.Sprintf("`startingItem` and `numberOfItems`: %d entries unless you ask for more, at most %d. `order` is `ASC` or `DESC`.",
				translate.DefaultWindow, translate.MaxWindow),
			fmt.Sprintf("`limit`: %d entries unless you ask for more, at most %d. Pass the `data.next_cursor` of a page as `after` of the next one, with the same "+
				"filters and the same `sort`, until it is `null`.", v1.DefaultPageSize, v1.MaxPageSize),
		},
		{
			"Repeated requests",
			"The same request for new items, with the same API key and the same fields, lists them once within " + strconv.Itoa(translate.RepeatHours) + " hours.",
			"An `Idempotency-Key` of your own makes any `POST` repeatable, for 30 days. A replayed answer says `Idempotent-Replayed: true`.",
		},
		{
			"Limits", "One request for each call, whatever it takes behind the scenes.",
			"One request for each request, from the same budget as `/rest`. `X-RateLimit-Remaining` says what is left; 429 says in `Retry-After` when to go on.",
		},
		{"Caching", "None.", "Reads of one object and of reference data have an `ETag`; `If-None-Match` saves reading them again, and `If-Match` keeps a change " +
			"from overwriting another one."},
	}
}
