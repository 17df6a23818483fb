package translate

import (
	"fmt"
	"net/http"
	"strings"
)

// This file makes the commands of each call: the legacy request by hand, and its twin by the tables, so that it cannot
// say anything else than /rest does. A test runs all of them.

// guideRequest is the legacy request that a section shows.
type guideRequest struct {
	path map[string]string
	form []Pair
	v1   string // of calls without an operation: what to send instead, with {base}
}

// What the commands call the reader's own objects, and the numbers that stand for them while the tables translate.
var guideVariables = map[string]string{
	"$ITEM": "4000000001", "$ENDED": "4000000002", "$SOLD": "4000000003", "$SETTING": "4000000004", "$REFERENCE": "reference-of-yours",
}

var guideRequests = map[string]guideRequest{
	"login":       {form: []Pair{{"apikey", "$KEY"}}, v1: `curl "{base}/v1/account" \` + "\n" + `  -H "X-Api-Key: $KEY"`},
	"seller":      {},
	"server-time": {v1: `curl -s -D - -o /dev/null "{base}/v1/account" \` + "\n" + `  -H "X-Api-Key: $KEY" | grep -i '^date:'`},

	"item":               {path: map[string]string{"id_item": "$ITEM"}},
	"item-by-reference":  {path: map[string]string{"personal_reference": "$REFERENCE"}},
	"auction-opened":     {form: []Pair{{"numberOfItems", "20"}, {"order", "DESC"}}},
	"fixedprice-opened":  {form: []Pair{{"numberOfItems", "20"}, {"order", "DESC"}}},
	"auction-closed":     {form: []Pair{{"numberOfItems", "20"}}},
	"fixedprice-closed":  {form: []Pair{{"numberOfItems", "20"}}},
	"categories":         {form: []Pair{{"language", "F"}, {"idParent", "-1"}, {"showOnlyLeaves", "1"}}},
	"shipping-models":    {},
	"fields":             {path: map[string]string{"sale_type": "auction"}, v1: `curl "{base}/openapi.json"`},
	"close-reasons":      {v1: `curl "{base}/openapi.json"`},
	"notification-types": {v1: `curl "{base}/docs/webhooks"`},

	"item-create": {form: []Pair{
		{"title", "France 1849, 20c black Ceres"},
		{"id_category", "1010101"},
		{"personal_reference", "FR-1849-20c"},
		{"id_country", "1"},
		{"price_starting", "12.5"},
		{"currency", "EUR"},
		{"duration", "7"},
		{"prefered_end_day", "sun"},
		{"option_boldtitle", "1"},
	}},
	"item-bulk": {form: []Pair{
		{"items[0][title]", "Postcard, Ghent"},
		{"items[0][id_category]", "1010101"},
		{"items[0][personal_reference]", "PC-77"},
		{"items[0][fixed_price]", "4.50"},
		{"items[0][currency]", "EUR"},
		{"items[0][qty]", "10"},
		{"items[1][title]", "Postcard, Bruges"},
		{"items[1][id_category]", "1010101"},
		{"items[1][personal_reference]", "PC-78"},
		{"items[1][fixed_price]", "3"},
		{"items[1][currency]", "EUR"},
	}},
	"item-update":  {path: map[string]string{"id_item": "$ITEM"}, form: []Pair{{"fixed_price", "44"}, {"option_highlight", "1"}}},
	"item-close":   {path: map[string]string{"id_item": "$ITEM"}, form: []Pair{{"reason", "NotAvailableItem"}}},
	"item-restart": {path: map[string]string{"id_item": "$ENDED"}},

	"auction-sold":    {form: []Pair{{"numberOfItems", "20"}, {"order", "DESC"}}},
	"fixedprice-sold": {form: []Pair{{"numberOfItems", "20"}, {"order", "DESC"}}},
	"item-buyer":      {path: map[string]string{"id_item": "$SOLD"}},
	"item-feedback":   {path: map[string]string{"id_item": "$SOLD"}, form: []Pair{{"feedback", "100"}, {"comment", "Fast payment"}}},

	"notification-list":   {},
	"notification-add":    {form: []Pair{{"notificationType", "Curl_Seller_Item_Close_Sold"}, {"destination", "https://shop.example.com/in?token=abc"}}},
	"notification-switch": {path: map[string]string{"id_notification": "$SETTING"}},
	"notification-delete": {path: map[string]string{"id_notification": "$SETTING"}},
	"notification-test":   {form: []Pair{{"notificationType", "Curl_Default"}}},
	"email-notification": {
		form: []Pair{{"notificationType", "Email_Seller_Item_Add"}, {"destination", "seller@example.com"}},
		v1: `curl "{base}/v1/webhooks" \` + "\n" + `  -H "X-Api-Key: $KEY" \` + "\n" + `  -H "Idempotency-Key: subscribe-item.published-$ACT" \` + "\n" +
			`  -H 'Content-Type: application/json' \` + "\n" + `  -d '{"url": "https://shop.example.com/events", "events": ["item.published"]}'`,
	},
}

// guideExample is the pair of commands of a call.
func guideExample(p *Plan, base string) CommandPair {
	request, ok := guideRequests[p.ID]
	if !ok {
		panic("guide: nothing shows the call " + p.ID)
	}
	pair := CommandPair{
		Legacy: legacyCommand(p, request, base), Refused: p.Target.Kind == Absent, Changes: !p.Reads() && p.ID != loginID,
		V1: strings.ReplaceAll(request.v1, "{base}", base),
	}
	if p.Target.Operation() != nil {
		pair.V1 = strings.Join(twinCommands(p, request, base), "\n")
	}
	return pair
}

// legacyCommand is the request as an old program makes it: with a token, and its fields in the query or in a form.
func legacyCommand(p *Plan, request guideRequest, base string) string {
	address := base + p.Pattern
	for name, text := range request.path {
		address = strings.ReplaceAll(address, "{"+name+"}", text)
	}
	if p.ID == loginID {
		return `curl "` + address + `" -d "apikey=$KEY"`
	}
	query, options := []string{}, []string{}
	for _, pair := range request.form {
		if asked(p.Call) {
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
func twinCommands(p *Plan, request guideRequest, base string) (commands []string) {
	stand := func(text string) string {
		if number, ok := guideVariables[text]; ok {
			return number
		}
		return text
	}
	path := map[string]string{}
	for name, text := range request.path {
		path[name] = stand(text)
	}
	fields, err := NewFields(request.form)
	if err != nil {
		panic(fmt.Sprintf("guide: the request of %s: %v", p.ID, err))
	}
	means, refused := p.Decode(path, fields)
	if refused != nil {
		panic(fmt.Sprintf("guide: the request of %s is refused: %v", p.ID, refused))
	}
	requests := printRequests(p, means)
	for i := range requests {
		step := requests[i].Step
		if len(p.Target.Steps) > 1 {
			commands = append(commands, "# "+step.Purpose)
		}
		headers, body := requests[i].Headers, ""
		for i, header := range headers {
			headers[i] = singleQuoted(header)
		}
		if key := requests[i].Key; key != "" {
			headers = append(headers, `"`+keyHeader+": "+key+`"`)
		}
		if requests[i].Body != "" {
			body = singleQuoted(readable(requests[i].Body))
		}
		commands = append(commands, withVariables(curlCommand(step.Operation.Method, `"`+base+requests[i].Address+`"`, headers, body)))
	}
	return commands
}

// withVariables puts the reader's variables in the place of what stands for them.
func withVariables(command string) string {
	pairs := []string{
		"{webhook_id}", "$WEBHOOK", "{sale_id}", "$SALE", "{item_id}", "$SOLD",
		"{other_status}", "paused", actPart, "$ACT",
	}
	for name, text := range guideVariables {
		pairs = append(pairs, text, name)
	}
	return strings.NewReplacer(pairs...).Replace(command)
}
