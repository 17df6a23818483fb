package paste

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestNothingOfAPasteIsDropped pastes what was once left out silently. Each paste is translated whole, or has a note, or is refused
// with what to paste instead.
func TestNothingOfAPasteIsDropped(t *testing.T) {
	table := newTable(t)
	const (
		item = "https://rest.delcampe.net/item/4711"
		head = "import requests\ndata = {'title': 'A'}\n"
		put  = "requests.put('" + item + "', data=data)"
		js   = "const data = new URLSearchParams({title: 'A', description: 'D'});\n"
		send = "fetch('" + item + "', {method: 'PUT', body: data})"
		php  = "<?php\n$ch = curl_init('" + item + "');\ncurl_setopt($ch, CURLOPT_CUSTOMREQUEST, 'PUT');\n"
	)
	titled := func(title string) string { return "PATCH /v1/items/4711 " + `{"title":"` + title + `"}` }
	closing := strings.Join(closed, " ")
	const notHere, notUnderstood, condition = "which is not here", "which is not understood here", "under a condition"
	for name, test := range map[string]struct{ request, want, note string }{
		// Arguments and options.
		"a form of http.client":          {"c = http.client.HTTPSConnection('rest.delcampe.net')\nc.request('DELETE', '/item/4711', urlencode({'reason': 'TestItem'}))", closing, ""},
		"a map of http.client":           {"d = {'reason': 'TestItem'}\nc.request('DELETE', '/item/4711', d, {'X-A': 'b'})", closing, ""},
		"an argument too many":           {"c.request('DELETE', '/item/4711', 'reason=TestItem', {}, 'x=1')", notUnderstood, ""},
		"an unknown option":              {"requests.put('" + item + "', data={'title': 'A'}, fieldz={'currency': 'EUR'})", titled("A"), "fieldz: This option"},
		"JSON as the third argument":     {"requests.put('" + item + "', None, {'title': 'A'})", titled("A"), "It sends JSON"},
		"a callback of jQuery":           {"$.post('https://rest.delcampe.net/item', {title: 'Ghent & Bruges', personal_reference: 'A', fixed_price: 3, currency: 'USD'}, function(d){ alert(d) }, 'json')", strings.Join(created, " "), ""},
		"an object of axios":             {"axios.put('" + item + "', {title: 'A'})", titled("A"), "axios sends an object as JSON"},
		"urllib2 with get_method":        {"req = urllib2.Request('" + item + "', urllib.urlencode({'reason': 'TestItem'}))\nreq.get_method = lambda: 'DELETE'\nurllib2.urlopen(req)", closing, ""},
		"a method in a variable":         {"fetch('" + item + "', {method: m, body: 'title=A'})", notHere, ""},
		"the body of a request later":    {"req = Request('" + item + "', method='PUT')\nreq.data = urlencode({'title': 'A'})", titled("A"), ""},
		"superagent":                     {"request.put('" + item + "').send({title: 'A'})", notUnderstood, ""},
		"an address in a variable":       {"requests.delete(url, data={'reason': 'TestItem'})", notHere, ""},
		"a spread that is not here":      {"fetch('" + item + "', {method: 'PUT', body: new URLSearchParams({...base, title: 'A'})})", notUnderstood, ""},
		"keywords that are not here":     {"requests.put('" + item + "', data=dict(title='A', **extra))", notUnderstood, ""},
		"options that are not here, php": {php + "curl_setopt_array($ch, $options);", "not here", ""},

		"the content of a file":      {"requests.put('" + item + "', {'title': 'A', 'description': open('d.html').read()})", `{"title":"A","description":"{open}"}`, ""},
		"fields one by one":          {"call('PUT', '/item/4711', 'A', 5)\ncall('GET', '/item/4711', '')", "PATCH /v1/items/4711 {}", "None of the fields"},
		"a file":                     {"requests.put('" + item + "', data={'title': 'A'}, files={'images[]': open('a.jpg', 'rb')})", "is a file", ""},
		"an address by its name":     {"requests.put(url='" + item + "', data={'title': 'A'})", titled("A"), ""},
		"a request in fetch":         {"fetch(new Request('" + item + "', {method: 'DELETE', body: 'reason=TestItem'}))", closing, ""},
		"another method in a header": {"curl -X PUT " + item + " -d title=A -H 'X-HTTP-Method-Override: DELETE'", titled("A"), "This header is not read"},

		// PHP.
		"a function in PHP":             {php + "curl_setopt($ch, CURLOPT_POSTFIELDS, fieldsOf($item));", notHere, ""},
		"a variable in PHP":             {php + "curl_setopt($ch, CURLOPT_POSTFIELDS, $fields);", notHere, ""},
		"a query of a variable in PHP":  {php + "curl_setopt($ch, CURLOPT_POSTFIELDS, http_build_query($fields));", notHere, ""},
		"JSON in PHP":                   {php + "curl_setopt($ch, CURLOPT_POSTFIELDS, json_encode(['title' => 'A']));", titled("A"), "It sends JSON"},
		"a file in PHP":                 {php + "curl_setopt($ch, CURLOPT_INFILE, $f);", notUnderstood, ""},
		"subscripts in PHP":             {php + "curl_setopt($ch, CURLOPT_POSTFIELDS, ['title' => $row['title'], 'description' => $row['text']]);", `{"title":"{row_title}","description":"{row_text}"}`, ""},
		"a key in a variable":           {php + "$f = ['title' => 'A'];\n$f[$k] = 'B';\ncurl_setopt($ch, CURLOPT_POSTFIELDS, $f);", notUnderstood, ""},
		"an array that a function gets": {php + "$f = ['title' => 'A'];\naddPrice($f);\ncurl_setopt($ch, CURLOPT_POSTFIELDS, $f);", notUnderstood, ""},
		"a field that is unset":         {php + "$f = ['title' => 'A', 'qty' => 1];\nunset($f['qty']);\ncurl_setopt($ch, CURLOPT_POSTFIELDS, $f);", notUnderstood, ""},

		// Python and JavaScript.
		"subscripts in Python":     {"requests.put('" + item + "', data={'title': row['title'], 'description': row['text']})", `{"title":"{row_title}","description":"{row_text}"}`, ""},
		"members of two objects":   {"fetch('" + item + "', {method: 'PUT', body: new URLSearchParams({title: a.text, description: b.text})})", `{"title":"{text}","description":"{b_text}"}`, ""},
		"update":                   {head + "data.update(currency='EUR')\n" + put, notUnderstood, ""},
		"|=":                       {head + "data |= {'title': 'B'}\n" + put, titled("B"), ""},
		"|= what is not here":      {head + "data |= extra\n" + put, notUnderstood, ""},
		"pop":                      {head + "data.pop('title')\n" + put, notUnderstood, ""},
		"setdefault":               {head + "data.setdefault('qty', 1)\n" + put, notUnderstood, ""},
		"del":                      {head + "del data['title']\n" + put, notUnderstood, ""},
		"a field that is replaced": {head + "data['title'] = 'B'\n" + put, titled("B"), ""},
		"a loop over fields":       {head + "for k, v in extra.items():\n    data[k] = v\n" + put, notUnderstood, ""},
		"delete":                   {js + "data.delete('title');\n" + send, notUnderstood, ""},
		"assign":                   {"const data = {title: 'A'};\nObject.assign(data, more);\naxios.put('" + item + "', data)", notUnderstood, ""},
		"a changed text":           {"requests.put('" + item + "', data={'title': 'a'.upper()})", notUnderstood, ""},
		"a choice in Python":       {"requests.put('" + item + "', data={'title': 'A' if x else 'B'})", notUnderstood, ""},
		"a choice in JavaScript":   {"const t = x ? 'A' : 'B';\nfetch('" + item + "', {method: 'PUT', body: 'title=' + t})", notUnderstood, ""},
		"a calculation":            {"requests.put('" + item + "', data={'title': 'A', 'qty': 2 * n})", notUnderstood, ""},
		"a condition in Python":    {head + "if sold:\n    data['title'] = 'B'\n" + put, titled("B"), condition},
		"two branches":             {"if sold:\n    data = {'title': 'A'}\nelse:\n    data = {'title': 'B'}\n" + put, titled("B"), condition},
		"a condition in JS":        {js + "if (sold) {\ndata.set('title', 'B');\n}\n" + send, `{"title":"B","description":"D"}`, condition},
		"a condition before":       {"if not token:\n    exit()\n" + head + put, titled("A"), ""},

		// Commands.
		"a configuration of curl":      {"curl -K put.cfg " + item, "It reads options from a file", ""},
		"a long name of it":            {"curl --config put.cfg -X PUT " + item + " -d title=A", "It reads options from a file", ""},
		"a default":                    {"curl -X DELETE https://rest.delcampe.net/item/${ID:-4711} -d reason=TestItem", `POST /v1/items/{id}/close {"reason":"test"}`, "The shell changes $ID"},
		"an ending that is cut":        {"curl -X PUT " + item + ` -d "title=${T%.jpg}"`, titled("{t}"), "The shell changes $T"},
		"a form in a variable":         {"curl -X PUT " + item + ` -d "$DATA"`, "None of the fields", ""},
		"a file that HTTPie reads":     {"http -f PUT " + item + " < form.txt", "Paste what is in it as the body", ""},
		"a program that HTTPie reads":  {"cat form.txt | http -f PUT " + item, "other commands", ""},
		"an escaped ampersand":         {"DELETE " + item + "?token=abcdefgh&amp;reason=TestItem", closing, "reason: The paste has &amp;"},
		"a list of addresses for wget": {"wget -i list.txt --method=PUT --body-data=title=A " + item, "It reads addresses from a file", ""},

		// Records.
		"a collection without a schema": {`{"info": {"name": "x"}, "item": [{"name": "y", "request": {"method": "PUT", "url": {"raw": "` + item +
			`"}, "body": {"mode": "urlencoded", "urlencoded": [{"key": "title", "value": "A"}]}}}]}`, titled("A"), ""},
		"an entry of a HAR": {`{"startedDateTime": "2026-01-01", "request": {"method": "PUT", "url": "` + item + `", "httpVersion": "HTTP/1.1", "postData": {"mimeType": ` +
			`"application/x-www-form-urlencoded", "params": [{"name": "title", "value": "Caf%C3%A9+A"}]}}}`, titled("Café A"), ""},
		"a line of JSON with a body": {`{"method": "PUT", "url": "` + item + `", "body": "title=A"}`, titled("A"), ""},
		"a line of a log":            {`1.2.3.4 - - [12/Mar/2026:06:25:24 +0100] "DELETE /item/4711?reason=TestItem HTTP/1.1" 200 5`, closing, "A line of a log has no body"},
	} {
		t.Run(name, func(t *testing.T) {
			in := Input{Request: test.request, BaseURL: base}
			out, err := Translate(table, in)
			if err != nil {
				if !strings.Contains(err.Error(), test.want) || strings.Contains(test.want, "/v1") {
					t.Errorf("it is refused, and not %s: %v", test.want, err)
				}
				return
			}
			_, lines, _ := translated(t, table, in)
			if got := strings.Join(lines, " "); !strings.HasSuffix(got, test.want) {
				t.Errorf("(-want +got):\n%s", cmp.Diff(test.want, got))
			}
			noted := ""
			for _, note := range out.Notes {
				noted += note.Field + ": " + note.Text + "\n"
			}
			if !strings.Contains(noted, test.note) || test.note == "" && strings.Contains(noted, condition) {
				t.Errorf("want %q in the notes %q", test.note, noted)
			}
		})
	}
}
