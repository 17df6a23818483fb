package guide

import (
	"fmt"
	"net/http"
	"strings"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/translate/openapi"
)

// This file makes the commands of each call: the legacy request by hand, and its twin by the tables, so that it cannot
// say anything else than /rest does. A test runs all of them.

// shownRequest is the legacy request that a section shows.
type shownRequest struct {
	path map[string]string
	form []translate.Pair
	v1   string // of calls without an operation: what to send instead, with {base}
}

// What the commands call the reader's own objects, and the numbers that stand for them while the tables translate.
var readerVariables = map[string]string{
	"$ITEM": "4000000001", "$ENDED": "4000000002", "$SOLD": "4000000003", "$SETTING": "4000000004", "$REFERENCE": "reference-of-yours",
}

var shownRequests = map[string]shownRequest{
	"login":       {form: []translate.Pair{{Name: "apikey", Text: "$KEY"}}, v1: `curl "{base}/v1/account" \` + "\n" + `  -H "X-Api-Key: $KEY"`},
	"seller":      {},
	"server-time": {v1: `curl -s -D - -o /dev/null "{base}/v1/account" \` + "\n" + `  -H "X-Api-Key: $KEY" | grep -i '^date:'`},

	"item":               {path: map[string]string{"id_item": "$ITEM"}},
	"item-by-reference":  {path: map[string]string{"personal_reference": "$REFERENCE"}},
	"auction-opened":     {form: []translate.Pair{{Name: "numberOfItems", Text: "20"}, {Name: "order", Text: "DESC"}}},
	"fixedprice-opened":  {form: []translate.Pair{{Name: "numberOfItems", Text: "20"}, {Name: "order", Text: "DESC"}}},
	"auction-closed":     {form: []translate.Pair{{Name: "numberOfItems", Text: "20"}}},
	"fixedprice-closed":  {form: []translate.Pair{{Name: "numberOfItems", Text: "20"}}},
	"categories":         {form: []translate.Pair{{Name: "language", Text: "F"}, {Name: "idParent", Text: "-1"}, {Name: "showOnlyLeaves", Text: "1"}}},
	"shipping-models":    {},
	"fields":             {path: map[string]string{"sale_type": "auction"}, v1: `curl "{base}/openapi.json"`},
	"close-reasons":      {v1: `curl "{base}/openapi.json"`},
	"notification-types": {v1: `curl "{base}/docs/webhooks"`},

	"item-create": {form: []translate.Pair{
		{Name: "title", Text: "France 1849, 20c black Ceres"},
		{Name: "id_category", Text: "1010101"},
		{Name: "personal_reference", Text: "FR-1849-20c"},
		{Name: "id_country", Text: "1"},
		{Name: "price_starting", Text: "12.5"},
		{Name: "currency", Text: "EUR"},
		{Name: "duration", Text: "7"},
		{Name: "prefered_end_day", Text: "sun"},
		{Name: "option_boldtitle", Text: "1"},
	}},
	"item-bulk": {form: []translate.Pair{
		{Name: "items[0][title]", Text: "Postcard, Ghent"},
		{Name: "items[0][id_category]", Text: "1010101"},
		{Name: "items[0][personal_reference]", Text: "PC-77"},
		{Name: "items[0][fixed_price]", Text: "4.50"},
		{Name: "items[0][currency]", Text: "EUR"},
		{Name: "items[0][qty]", Text: "10"},
		{Name: "items[1][title]", Text: "Postcard, Bruges"},
		{Name: "items[1][id_category]", Text: "1010101"},
		{Name: "items[1][personal_reference]", Text: "PC-78"},
		{Name: "items[1][fixed_price]", Text: "3"},
		{Name: "items[1][currency]", Text: "EUR"},
	}},
	"item-update":  {path: map[string]string{"id_item": "$ITEM"}, form: []translate.Pair{{Name: "fixed_price", Text: "44"}, {Name: "option_highlight", Text: "1"}}},
	"item-close":   {path: map[string]string{"id_item": "$ITEM"}, form: []translate.Pair{{Name: "reason", Text: "NotAvailableItem"}}},
	"item-restart": {path: map[string]string{"id_item": "$ENDED"}},

	"auction-sold":    {form: []translate.Pair{{Name: "numberOfItems", Text: "20"}, {Name: "order", Text: "DESC"}}},
	"fixedprice-sold": {form: []translate.Pair{{Name: "numberOfItems", Text: "20"}, {Name: "order", Text: "DESC"}}},
	"item-buyer":      {path: map[string]string{"id_item": "$SOLD"}},
	"item-feedback":   {path: map[string]string{"id_item": "$SOLD"}, form: []translate.Pair{{Name: "feedback", Text: "100"}, {Name: "comment", Text: "Fast payment"}}},

	"notification-list":   {},
	"notification-add":    {form: []translate.Pair{{Name: "notificationType", Text: "Curl_Seller_Item_Close_Sold"}, {Name: "destination", Text: "https://shop.example.com/in?token=abc"}}},
	"notification-switch": {path: map[string]string{"id_notification": "$SETTING"}},
	"notification-delete": {path: map[string]string{"id_notification": "$SETTING"}},
	"notification-test":   {form: []translate.Pair{{Name: "notificationType", Text: "Curl_Default"}}},
	"email-notification": {
		form: []translate.Pair{{Name: "notificationType", Text: "Email_Seller_Item_Add"}, {Name: "destination", Text: "seller@example.com"}},
		v1: `curl "{base}/v1/webhooks" \` + "\n" + `  -H "X-Api-Key: $KEY" \` + "\n" + `  -H "Idempotency-Key: subscribe-item.published-$ACT" \` + "\n" +
			`  -H 'Content-Type: application/json' \` + "\n" + `  -d '{"url": "https://shop.example.com/events", "events": ["item.published"]}'`,
	},
}

// commandPair is the pair of commands of a call.
func commandPair(p *translate.Plan, base string) CommandPair {
	request, ok := shownRequests[p.ID]
	if !ok {
		panic("guide: nothing shows the call " + p.ID)
	}
	pair := CommandPair{
		Legacy: legacyCommand(p, request, base), Refused: p.Target.Kind == translate.Absent, Changes: !p.Reads() && p.ID != translate.LoginID,
		V1: strings.ReplaceAll(request.v1, "{base}", base),
	}
	if p.Target.Operation() != nil {
		pair.V1 = strings.Join(twinCommands(p, request, base), "\n")
	}
	return pair
}

// legacyCommand is the request as an old program makes it: with a token, and its fields in the query or in a form.
func legacyCommand(p *translate.Plan, request shownRequest, base string) string {
	address := base + p.Pattern
	for name, text := range request.path {
		address = strings.ReplaceAll(address, "{"+name+"}", text)
	}
	if p.ID == translate.LoginID {
		return `curl "` + address + `" -d "apikey=$KEY"`
	}
	query, options := []string{}, []string{}
	for _, pair := range request.form {
		if openapi.InQuery(p.Call) {
			query = append(query, pair.Name+"="+pair.Text)
		} else {
			options = append(options, "  -d '"+pair.Name+"="+pair.Text+"'")
		}
	}
	command := `"` + address + "?" + strings.Join(append(query, "token=$TOKEN"), "&") + `"`
	if p.Method != http.MethodGet && (p.Method != http.MethodPost || len(options) == 0) {
		command = "-X " + p.Method + " " + command
	}
	command = "curl " + command
	return strings.Join(append([]string{command}, options...), " \\\n")
}

// twinCommands are the requests that the tables print, each with what it is for where there are several.
func twinCommands(p *translate.Plan, request shownRequest, base string) (commands []string) {
	stand := func(text string) string {
		if number, ok := readerVariables[text]; ok {
			return number
		}
		return text
	}
	path := map[string]string{}
	for name, text := range request.path {
		path[name] = stand(text)
	}
	fields, err := translate.NewFields(request.form)
	if err != nil {
		panic(fmt.Sprintf("guide: the request of %s: %v", p.ID, err))
	}
	means, refused := p.Decode(path, fields)
	if refused != nil {
		panic(fmt.Sprintf("guide: the request of %s is refused: %v", p.ID, refused))
	}
	requests := command.Requests(p, means)
	for i := range requests {
		step := requests[i].Step
		if len(p.Target.Steps) > 1 {
			commands = append(commands, "# "+step.Purpose)
		}
		headers, body := requests[i].Headers, ""
		for i, header := range headers {
			headers[i] = command.Quote(header)
		}
		if key := requests[i].Key; key != "" {
			headers = append(headers, `"`+command.KeyHeader+": "+key+`"`)
		}
		if requests[i].Body != "" {
			body = command.Quote(command.Readable(requests[i].Body))
		}
		commands = append(commands, withVariables(command.V1(step.Operation.Method, `"`+base+requests[i].Address+`"`, headers, body)))
	}
	return commands
}

// withVariables puts the reader's variables in the place of what stands for them.
func withVariables(line string) string {
	pairs := []string{
		"{webhook_id}", "$WEBHOOK", "{sale_id}", "$SALE", "{item_id}", "$SOLD",
		"{other_status}", "paused", command.ActPart, "$ACT",
	}
	for name, text := range readerVariables {
		pairs = append(pairs, text, name)
	}
	return strings.NewReplacer(pairs...).Replace(line)
}
