package paste

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"mvdan.cc/sh/v3/shell"

	"sellerd/v1"
)

// Requests as the samples of item-close and item-create have them.
var (
	closed  = []string{"POST /v1/items/4711/close", `{"reason":"test"}`}
	created = []string{"POST /v1/items", `{"sale_type":"fixed_price","title":"Ghent & Bruges","personal_reference":"A","price":{"amount":"3.00","currency":"USD"}}`}
)

func TestWhatPeoplePaste(t *testing.T) {
	table := newTable(t)
	const form = "title=Ghent+%26+Bruges&personal_reference=A&fixed_price=3&currency=USD"
	var parts string // whose boundary is --X
	for _, part := range [][2]string{{"title", "Ghent & Bruges"}, {"personal_reference", "A"}, {"fixed_price", "3"}, {"currency", "USD"}} {
		parts += "----X\nContent-Disposition: form-data; name=\"" + part[0] + "\"\n\n" + part[1] + "\n"
	}
	parts += "----X--\n"
	for name, test := range map[string]struct {
		request, body string
		want          []string
	}{
		"the old host":            {"DELETE http://rest.delcampe.net/item/4711", "reason=TestItem", closed},
		"the old host over https": {"DELETE https://rest.delcampe.net/item/4711?token=abc&reason=TestItem", "", closed},
		"a path on no host":       {"DELETE /rest/item/4711?reason=TestItem", "", closed},
		"a path without /rest":    {"DELETE /item/4711?reason=TestItem", "", closed},
		"a host without a scheme": {"DELETE localhost:8080/rest/item/4711?reason=TestItem", "", closed},
		"a prefix before /rest":   {"DELETE https://proxy.example/delcampe/rest/item/4711?reason=TestItem", "", closed},
		"a small method":          {"delete /rest/item/4711?reason=TestItem", "", closed},
		"the line of an HTTP log": {"DELETE /rest/item/4711?reason=TestItem HTTP/1.1", "", closed},
		"a quoted URL":            {"DELETE 'https://rest.delcampe.net/item/4711?reason=TestItem'", "", closed},
		"a doubled slash":         {"DELETE http://rest.delcampe.net//rest/item/4711?reason=TestItem", "", closed},
		"a cookie with the name of a field": {"curl /rest/item -b 'title=x; currency=abcdefgh' -d title=Ghent+%26+Bruges -d " +
			"'personal_reference=A&fixed_price=3&currency=USD'", "", created},
		"a fragment":                       {"DELETE /rest/item/4711?reason=TestItem#top", "", closed},
		"a user in the URL":                {"DELETE https://me:secret@rest.delcampe.net/item/4711?reason=TestItem", "", closed},
		"a prompt":                         {"$ curl -X DELETE /rest/item/4711 -d reason=TestItem", "", closed},
		"a path to curl":                   {"/usr/bin/curl -X DELETE /rest/item/4711 -d reason=TestItem", "", closed},
		"a method behind -X without space": {"curl -sSXDELETE /rest/item/4711 -dreason=TestItem", "", closed},
		"long options":                     {"curl --silent --request DELETE --url /rest/item/4711 --data reason=TestItem --max-time 5 --location", "", closed},
		"options with an equals sign":      {"curl --request=DELETE --url=/rest/item/4711 --data=reason=TestItem", "", closed},
		"options that do not matter": {"curl -v -k -o out.xml -A 'my shop' -e x --retry 3 -m 10 -c jar -b jar -w '%{http_code}' -X DELETE " +
			"/rest/item/4711 -d reason=TestItem", "", closed},
		"lines that go on":            {"curl \\\n  -X DELETE \\\n  /rest/item/4711 \\\n  -d reason=TestItem \\", "", closed},
		"spaces behind a backslash":   {"curl -X DELETE \\  \n /rest/item/4711 -d reason=TestItem", "", closed},
		"lines of Windows":            {"curl -X DELETE \\\r\n /rest/item/4711 \\\r\n -d reason=TestItem\r\n", "", closed},
		"a pipe and redirections":     {"curl -X DELETE /rest/item/4711 -d reason=TestItem 2>/dev/null | xmllint --format - > out.xml", "", closed},
		"an ampersand without quotes": {"curl -X DELETE http://localhost/rest/item/4711?token=$TOKEN&reason=TestItem", "", closed},
		"variables that are set before": {"export KEY=dk_live_x\nTOKEN=$(curl -s /rest/seller -d apikey=$KEY | sed 's/)//')\ncurl -X DELETE /rest/item/4711 " +
			"-d reason=TestItem", "", closed},
		"a comment":        {"# take it off sale\ncurl -X DELETE /rest/item/4711 -d reason=TestItem # done", "", closed},
		"a form in pieces": {"curl /rest/item -d 'title=Ghent %26 Bruges' -d personal_reference=A -d \"fixed_price=3\" -d currency=USD", "", created},
		"a form that curl encodes": {"curl /rest/item --data-urlencode 'title=Ghent & Bruges' --data-urlencode personal_reference=A -d " +
			"'fixed_price=3&currency=USD'", "", created},
		"a multipart form": {
			`curl /rest/item -F 'title="Ghent & Bruges"' -F personal_reference=A -F 'fixed_price=3;type=text/plain' --form-string currency=USD`, "", created,
		},
		"a body as browsers copy it": {
			"curl /rest/item -H 'Content-Type: multipart/form-data; boundary=--X' --data-raw $'" + strings.ReplaceAll(parts, "\n", "\\r\\n") + "'", "", created,
		},
		"a body as it is shown":            {"curl /rest/item -H 'Content-Type: multipart/form-data; boundary=--X' --data-binary @form.txt", parts, created},
		"a form in the body and the query": {"POST /rest/item?title=Ghent+%26+Bruges&personal_reference=A", "fixed_price=3&currency=USD", created},
		"a file beside its content":        {"curl /rest/item --data @item.txt", form, created},
		"escapes": {
			`curl /rest/item -d $'title=Ghent \x2526 Bru\147es' -d "personal_reference=\A" -d fixed_price\=3 -d $'curr\u0065ncy=USD'`, "",
			[]string{"POST /v1/items", `{"sale_type":"fixed_price","title":"Ghent & Bruges","personal_reference":"\\A","price":{"amount":"3.00","currency":"USD"}}`},
		},
		"the command prompt of Windows": {
			"curl ^\"https://rest.delcampe.net/item^\" ^\r\n  -H ^\"Accept: */*^\" ^\r\n  --data-raw " +
				"^\"title=Ghent^%^20^%^26+Bruges^&personal_reference=A^&fixed_price=3^&currency=USD^\"", "", created,
		},
		"the command prompt of Windows, older": {"curl -X DELETE \"https://rest.delcampe.net/item/4711\" ^\n --data \"reason=TestItem\"", "", closed},
		"Latin-1 that says so": {"curl -X PUT /rest/item/4711 -H 'Content-Type: application/x-www-form-urlencoded; charset=ISO-8859-1' -d " +
			"title=Caf%E9", "", []string{"PATCH /v1/items/4711", `{"title":"Café"}`}},
		"curl -I":                          {"curl -I /rest/item/4711", "", []string{"GET /v1/items/4711"}},
		"a number in a variable":           {"curl \"$BASE/rest/item/$ID\" -d title=\"${TITLE}!\" -X PUT", "", []string{"PATCH /v1/items/{id}", `{"title":"{title}!"}`}},
		"a number in a variable, in a URL": {"GET /rest/item/${ID}", "", []string{"GET /v1/items/{id}"}},
		"a quote in a value": {
			"curl -X PUT /rest/item/4711 -d \"title=it's \\$(rm -rf /) \\`x\\` \\\"y\\\"\"", "",
			[]string{"PATCH /v1/items/4711", `{"title":"it's $(rm -rf /) ` + "`x`" + ` \"y\""}`},
		},
		"line breaks in a value": {
			"curl -X PUT /rest/item/4711 -d 'description=<p>a</p>\n<p>b</p>'", "", []string{"PATCH /v1/items/4711", `{"description":"<p>a</p>\n<p>b</p>"}`},
		},
		"a variable that is text": {"curl -X PUT /rest/item/4711 -d 'title=$TITLE'", "", []string{"PATCH /v1/items/4711", `{"title":"$TITLE"}`}},
		"an amount in a variable": {`curl -X PUT /rest/item/4711 -d "fixed_price=$P&currency=GBP"`, "", []string{"PATCH /v1/items/4711", `{"price":{"amount":"{p}","currency":"GBP"}}`}},
		"a reference of variables": {
			`curl -X PUT /rest/item/4711 -d "personal_reference=$YEAR-$MONTH-$DAY-$BOX-$SHEET"`, "",
			[]string{"PATCH /v1/items/4711", `{"personal_reference":"{year}-{month}-{day}-{box}-{sheet}"}`},
		},
		"the end of a list in a variable": {"curl \"/rest/item/auction/closed?numberOfItems=$N&order=DESC\"", "", []string{
			"GET /v1/items?sale_type=auction&status=unsold,closed&sort=created_at_desc&limit=100",
		}},
		"prices of a bulk in variables": {
			`curl /rest/items -d "items[0][personal_reference]=A&items[0][fixed_price]=$P&items[1][personal_reference]=B&items[1][fixed_price]=3"`, "",
			[]string{"POST /v1/item-batches", `{"items":[{"sale_type":"fixed_price","personal_reference":"A","price":{"amount":"{p}","currency":"EUR"}},` +
				`{"sale_type":"fixed_price","personal_reference":"B","price":{"amount":"3.00","currency":"EUR"}}]}`},
		},
		"braces of Postman in curl":        {"curl -X PUT {{host}}/item/{{lot}} -d 'title=Lot {{ nr }}&fixed_price={{price}}'", "", []string{"PATCH /v1/items/{lot}", `{"title":"Lot {nr}","price":{"amount":"{price}"}}`}},
		"braces in a body beside":          {"PUT /rest/item/4711", "title={{title}}", []string{"PATCH /v1/items/4711", `{"title":"{title}"}`}},
		"braces in JSON":                   {`curl -X PUT /rest/item/4711 --json '{"title": "{{title}}"}'`, "", []string{"PATCH /v1/items/4711", `{"title":"{title}"}`}},
		"a number as manuals write it":     {"DELETE /rest/item/{id_item}?reason=TestItem", "", []string{"POST /v1/items/{id_item}/close", `{"reason":"test"}`}},
		"a number behind a colon":          {"curl -X DELETE /rest/item/:lot -d reason=TestItem", "", []string{"POST /v1/items/{lot}/close", `{"reason":"test"}`}},
		"a number between angles":          {"curl -X DELETE '/rest/item/<LOT>' -d reason=TestItem", "", []string{"POST /v1/items/{lot}/close", `{"reason":"test"}`}},
		"a number of a file for an editor": {"DELETE {{host}}/item/{{lot}}?reason=TestItem", "", []string{"POST /v1/items/{lot}/close", `{"reason":"test"}`}},
		"a reference as manuals write it":  {"GET /rest/item/reference/{ref}", "", []string{"GET /v1/items?exact_reference={ref}"}},
		"a setting in a variable":          {"curl -X DELETE /rest/notification/$N", "", []string{"GET /v1/webhooks", "DELETE /v1/webhooks/{webhook_id}"}},
		"a function that reads":            {"$xml = file_get_contents('https://rest.delcampe.net/item/4711?token=T');", "", []string{"GET /v1/items/4711"}},
		"a function of Python":             {`xml = urllib.request.urlopen("https://rest.delcampe.net/item/4711").read()`, "", []string{"GET /v1/items/4711"}},
		"an address set apart":             {"<https://rest.delcampe.net/item/4711>", "", []string{"GET /v1/items/4711"}},
		"curl in a folder of Windows":      {`C:\Windows\System32\curl.exe -X DELETE "https://rest.delcampe.net/item/4711" -d "reason=TestItem"`, "", closed},
		"curl in a folder with blanks": {
			`"C:\Program Files\Git\bin\curl.exe" -X DELETE "https://rest.delcampe.net/item/4711" -d "reason=TestItem"`, "", closed,
		},
		"the request of a HAR alone": {
			`{"method": "DELETE", "url": "https://rest.delcampe.net/item/4711", "headers": [], ` +
				`"postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "reason", "value": "TestItem"}]}}`, "", closed,
		},
		"a comma in a reference": {"GET /rest/item/reference/A%2FB", "", []string{"GET /v1/items?exact_reference=A%2FB"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, lines, _ := translated(t, table, Input{Request: test.request, Body: test.body})
			if diff := cmp.Diff(test.want, lines); diff != "" {
				t.Errorf("%s (-want +got):\n%s", test.request, diff)
			}
		})
	}
}

func TestWhatCannotBeTranslatedSaysWhatToDo(t *testing.T) {
	table := newTable(t)
	for name, test := range map[string]struct {
		request, body string
		want          string // code, field and a part of the message
	}{
		"nothing":            {" \n", "", "missing_field request: Paste a request"},
		"bare words":         {"please list my items", "", "invalid_value request: No request of /rest can be read"},
		"one word":           {"hello", "", "invalid_value request: No request of /rest can be read"},
		"HTML":               {"<html><body>curl is a program</body></html>", "", "invalid_value request: "},
		"a tag":              {"<html>", "", "invalid_value request: No request of /rest can be read"},
		"an FTP URL":         {"ftp://rest.delcampe.net/item/4711", "", "invalid_value request: Its address begins with another scheme"},
		"an FTP URL of curl": {"curl ftp://rest.delcampe.net/item/4711", "", "invalid_value request: Its address begins with another scheme"},
		"an https address in a program": {
			`var r = HttpRequest.newBuilder(URI.create("https://rest.delcampe.net/item/4711")).DELETE().build()`, "", "invalid_value request: No request of /rest can be read",
		},
		"a link of Markdown":       {"[items](https://rest.delcampe.net/item/4711)", "", "invalid_value request: No request of /rest can be read"},
		"no URL":                   {"curl -X DELETE -d reason=TestItem", "", "invalid_value request: The command has no address."},
		"two URLs":                 {"curl /rest/item/1 /rest/item/2", "", "invalid_value request: It has more than one address"},
		"two requests":             {"curl /rest/item/1; curl /rest/item/2", "", "invalid_value request: These are 2 requests."},
		"two requests with --next": {"curl /rest/item/1 --next /rest/item/2", "", "invalid_value request: These are several requests."},
		"another command":          {"rm -rf /; curl /rest/item/1", "", "invalid_value request: There are other commands beside curl."},
		"a command inside": {"curl /rest/item -d \"title=$(rm -rf /)\" -d personal_reference=A", "", "invalid_value request: It takes the output " +
			"of a command"},
		"a command inside, older": {"curl /rest/item/`rm -rf /`", "", "invalid_value request: It takes the output of a command"},
		"an open quote":           {"curl '/rest/item/1", "", "invalid_value request: The command cannot be read: a quote is not closed."},
		"an open double quote":    {"curl \"/rest/item/1", "", "invalid_value request: The command cannot be read: a quote is not closed."},
		"an open bracket":         {"curl /rest/item/$(x", "", "invalid_value request: The command cannot be read: a quote is not closed."},
		"a here-document": {"curl /rest/item -d @- <<EOF\ntitle=A\nEOF", "", "invalid_value request: The command cannot be read: it reads from a " +
			"here-document"},
		"a file":                     {"curl /rest/item --data-binary @item.txt", "", "invalid_value body: The command sends a file"},
		"a file of an encoded field": {"curl /rest/item --data-urlencode title@item.txt", "", "invalid_value body: The command sends a file"},
		"a picture":                  {"curl /rest/item -F images[]=@photo.jpg", "", "invalid_value images[]: is a file."},
		"a field from a file":        {"curl /rest/item -F 'title=<title.txt'", "", "invalid_value request: It reads a field from a file."},
		"JSON without a member":      {"curl -X PUT /rest/item/4711 --json '{}'", "", "invalid_value request: None of the fields"},
		"half of JSON":               {"POST /rest/item", `{"title":"A"`, "invalid_value body: It is no form."},
		"two objects of JSON":        {"POST /rest/item", `{"title":"A"} {"title":"B"}`, "invalid_value body: It is no form."},
		"a content type of JSON":     {"curl /rest/item -H 'content-type: application/json' -d title=A", "", "invalid_value request: Its Content-Type is none"},
		"another character set": {
			"curl /rest/item -H 'content-type: application/x-www-form-urlencoded; charset=utf-16' -d title=A", "",
			"invalid_value request: Its character set is none that the old interface takes",
		},
		"a form in place of multipart": {"curl /rest/item -H 'content-type: multipart/form-data; boundary=X' -d title=A", "", "invalid_value body: It is not " +
			"encoded as multipart/form-data"},
		"multipart in place of a form": {"curl /rest/item -H 'content-type: application/x-www-form-urlencoded' -F title=A", "", "invalid_value request: It " +
			"sends parts with -F, and its Content-Type is not multipart/form-data."},
		"an encoded part":             {"curl /rest/item -F 'title=A;encoder=base64'", "", "invalid_value request: One of its parts has encoder="},
		"a part with headers":         {"curl /rest/item -F 'title=A;headers=\"X: y\"'", "", "invalid_value request: One of its parts has headers="},
		"a key in the name of a file": {"curl /rest/item -F 'dk_live_abc=A;filename=a.txt'", "", "invalid_value [removed]: is a file."},
		"a compressed body": {"curl /rest/item -H 'content-encoding: gzip' --data-binary @item.gz", "title=A", "invalid_value request: Its body is " +
			"compressed"},
		"an unknown option":            {"curl --frobnicate /rest/item/1", "", "invalid_value request: One of its options is not known"},
		"an unknown letter":            {"curl -@ /rest/item/1", "", "invalid_value request: One of its options is not known"},
		"an option without its value":  {"curl /rest/item/1 -H", "", "invalid_value request: Its last option has no value"},
		"a long one without its value": {"curl /rest/item/1 --header", "", "invalid_value request: Its last option has no value"},
		"a request of /v1":             {"curl https://api.example/v1/items/4711", "", "invalid_value request: This is a request of /v1 already."},
		"a path without a call":        {"GET /rest/itmes/4711", "", "route_not_found request: The old interface has no call at this address. The nearest are"},
		"the nearest calls":            {"GET /rest/item/auction/openend", "", "nearest are GET /rest/item/auction/opened"},
		"fopen that may send":          {"$fp = fopen('https://rest.delcampe.net/item/4711', 'r', false, $context);", "", "invalid_value request: "},
		"a stream that may send":       {"$r = file_get_contents('https://rest.delcampe.net/item/4711', false, $context);", "", "invalid_value request: "},
		"the root":                     {"https://rest.delcampe.net/", "", "route_not_found request: "},
		"a method that nothing says":   {"/rest/item/4711", "reason=TestItem", "invalid_value request: This address takes DELETE, GET or PUT"},
		"a method that there is not":   {"curl -X PATCH /rest/item/4711", "", "invalid_value request: This address takes DELETE, GET or PUT"},
		"curl's own method":            {"curl /rest/item/4711 -d reason=TestItem", "", "invalid_value request: This address takes DELETE, GET or PUT"},
		"a call that is gone": {"POST /rest/notification/settings", "notificationType=Email_Seller_Item_Add", "invalid_value notificationType: " +
			"Notifications are not sent by e-mail any more. Create a webhook"},
		"what /rest refuses":           {"POST /rest/item", "title=A", "missing_field personal_reference: is required"},
		"a number that is none":        {"GET /rest/item/abc", "", "item_not_found id_item: must be a number"},
		"braces of JSON":               {`{"name":"https://rest.delcampe.net/item/4711"}`, "", "invalid_value request: No request of /rest can be read"},
		"a slash at the end":           {"GET /rest/item/4711/", "", "The nearest are GET /rest/item/{id_item}"},
		"slashes too many":             {"PUT https://rest.delcampe.net//rest//item/4711?qty=2", "", "The nearest are PUT /rest/item/{id_item}"},
		"an odd escape in the query":   {"GET /rest/item/4711?a=%zz", "", "invalid_value request: The query of its address"},
		"an odd escape in the path":    {"GET /rest/item/%zz", "", "invalid_value request: Its address is not encoded"},
		"an odd escape in the body":    {"POST /rest/item", "title=100%", "invalid_value body: It is not encoded as forms are"},
		"brackets that do not close":   {"POST /rest/items", "items[0=1", "invalid_value body: The brackets"},
		"NUL":                          {"GET /rest/item/4711\x00", "", "invalid_value request: must be text in UTF-8"},
		"NUL in the body":              {"POST /rest/item", "title=\x00", "invalid_value body: must be text in UTF-8"},
		"an escaped NUL in the path":   {"GET /rest/item/reference/%00", "", "invalid_value personal_reference: must be text in UTF-8"},
		"what is not UTF-8":            {"GET /rest/item/\xff", "", "invalid_value request: must be text in UTF-8"},
		"Latin-1 that does not say so": {"POST /rest/item?title=Caf%E9", "", "invalid_value title: is not UTF-8."},
		"too much": {"GET /rest/item/4711", strings.Repeat("a", MaxBytes), "payload_too_large: The request and its body have more than 64 " +
			"KiB together."},
		"too many variables": {"curl /rest/item/4711 " + variablesUpTo(101), "", "invalid_value request: It has more than 100 variables."},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Translate(table, Input{Request: test.request, Body: test.body, BaseURL: base})
			var refused v1.Errors
			if !errors.As(err, &refused) {
				t.Fatalf("not refused: %v, %v", out, err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q in %q", test.want, err)
			}
		})
	}
}

func variablesUpTo(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "-H $V%d ", i)
	}
	return b.String()
}

func TestABulkBeyondABatchBecomesSeveral(t *testing.T) {
	var form strings.Builder
	for i := range 250 {
		form.WriteString("items[" + strings.Repeat("0", 3) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + "][personal_reference]=A&")
	}
	out, err := Translate(newTable(t), Input{Request: "POST /rest/items", Body: form.String(), BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	var purposes []string
	entries := 0
	for _, step := range out.Steps {
		purposes = append(purposes, step.Purpose)
		entries += strings.Count(step.Body.V.Text, "personal_reference")
	}
	want := []string{"submit entries 1 to 100 of 250", "submit entries 101 to 200 of 250", "submit entries 201 to 250 of 250"}
	if diff := cmp.Diff(want, purposes); diff != "" || entries != 250 {
		t.Errorf("%d entries, purposes (-want +got):\n%s", entries, diff)
	}
}

// TestWordsAreThoseOfAShell compares with a shell's own parser where both understand a text.
func TestWordsAreThoseOfAShell(t *testing.T) {
	for _, text := range []string{
		`curl a b`, `curl 'a b' "c d" e\ f`, `curl "a\"b\\c\d"`, `curl 'it'\''s'`, `curl ''  ""`, "curl a \\\n b", `curl $'a\nb\t\x41\u00e9\'\\ \101'`,
		`curl a"b"'c'$'d'`, `curl "$A" x${B}y`, "curl \"a\\\nb\"", `curl a#b`, `curl "a'b" 'c"d'`, `curl é"ü"`,
	} {
		want, err := shell.Fields(text, func(name string) string { return map[string]string{"A": "$A", "B": "$B"}[name] })
		if err != nil {
			t.Fatal(err)
		}
		vars := newVariables(text)
		commands, err := shellCommands(text, vars)
		if err != nil || len(commands) != 1 {
			t.Fatalf("%s: %v, %v", text, commands, err)
		}
		got := commands[0].words
		for i := range got {
			got[i] = vars.restore(got[i])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-shell +ours):\n%s", text, diff)
		}
	}
}

// FuzzPaste pastes anything, with a key in one of the places where keys stand. Nothing panics, what is printed is one
// command a step for a shell, and the key is nowhere in it.
func FuzzPaste(f *testing.F) {
	table := newTable(f)
	const key = "dk_live_WvQ3xT7nZk2LrB8yPd5FhJ9c"
	places := []func(request, body string) Input{
		func(request, body string) Input { return Input{Request: request, Body: "apikey=" + key + "&" + body} },
		func(request, body string) Input { return Input{Request: request, Body: body + "&token=" + key} },
		func(request, body string) Input {
			return Input{Request: request + " -H 'X-Api-Key: " + key + "'", Body: body}
		},
		func(request, body string) Input {
			return Input{Request: "curl -u 'me:" + key + "' -b \"session=" + key + "\" " + request, Body: body}
		},
		func(request, body string) Input { return Input{Request: "GET /rest/item/" + key + request, Body: body} },
		func(request, body string) Input {
			return Input{Request: "https://me:" + key + "@host/" + request, Body: body}
		},
		func(request, body string) Input { return Input{Request: request + key, Body: body} },
		func(request, body string) Input { return Input{Request: request, Body: body + key} },
		func(request, body string) Input { return Input{Request: request, Body: key + body} },
	}
	for i := range places {
		for _, seed := range [][2]string{
			{"curl -X PUT /rest/item/4711 -d title=A", "qty=1"},
			{"GET /rest/item/4711?x=", ""},
			{"POST /rest/item", "personal_reference=A&price_starting=1&title="},
			{"curl ^\"http://h/rest/items^\" ^\n -d ^\"items[0][title]=", "items[0][personal_reference]="},
			{"curl $'\\x41' \"$A\" `b` $(c) <d >e |f &g ;h #i", "%"},
			{"fetch(`https://h/rest/item/${a}`, {method: 'PUT', body: new URLSearchParams({title: \"A\" + b, x: [1, {y: f(2)}]})}) // ", "title=B"},
			{"$ch = curl_init('http://h/rest/item'); curl_setopt($ch, CURLOPT_POSTFIELDS, array('title' => \"A{$b['c']}\" . d(1)));", "title=B"},
			{"$b = @{ title = \"A$([char]233)`\"\"; x = 1 }\nirm -Method Put http://h/rest/item/4711 `\n -Body $b", "title=B"},
			{"requests.put(f'http://h/rest/item/{i}', data={'title': 'A%s' % b}, headers=[('a', 'b')])", "title=B"},
			{"> $ sudo -u x wget --method=PUT --body-data “title=A” http://h/rest/item/4711", "title=B"},
			{"```\nhttp -f PUT :80/rest/item/4711 title:=1 a==b c:d\n```", "title=B"},
			{"POST /rest/item/4711/feedback", "feedback=88&comment=' \"$x"},
			{"curl -X PUT /rest/item/4711 -F 'title=A;type=text/plain; charset=latin1' -F x=", "qty=1"},
			{"curl -X PUT /rest/item/4711 -H 'Content-Type: multipart/form-data; boundary=X; charset=latin1'", "--X\nContent-Disposition: form-data; " +
				"name=\"title\"; filename=\"\"\n\nA\n--X--"},
		} {
			f.Add(uint8(i), seed[0], seed[1])
		}
	}
	f.Fuzz(func(t *testing.T, place uint8, request, body string) {
		paste := places[int(place)%len(places)](request, body)
		paste.BaseURL = base
		out, err := Translate(table, paste)
		said := ""
		if err != nil {
			var refused v1.Errors
			if !errors.As(err, &refused) {
				t.Fatalf("%q: %v", paste, err)
			}
			said = err.Error()
		} else {
			said = string(v1.EncodeJSON(nil, out))
			if !json.Valid([]byte(said)) {
				t.Errorf("%q is no JSON", said)
			}
			for _, step := range out.Steps {
				if step.Body.Set && !json.Valid([]byte(step.Body.V.Text)) {
					t.Errorf("the body %q is no JSON", step.Body.V.Text)
				}
				if lines := executed(t, step.Curl); !strings.HasPrefix(lines[0], step.Method+" /v1/") {
					t.Errorf("%q is the request %q", step.Curl, lines)
				}
			}
		}
		if strings.Contains(said, key[len("dk_live_"):]) {
			t.Errorf("%q shows the key: %s", paste, said)
		}
	})
}
