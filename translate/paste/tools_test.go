package paste

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// updated is the request of /v1 that most of the pastes below mean.
var updated = []string{"PATCH /v1/items/4711", `{"title":"Café & Bar","price":{"amount":"4.50","currency":"EUR"}}`}

const encodedForm = "title=Caf%C3%A9+%26+Bar&fixed_price=4.50&currency=EUR"

// TestWhatToolsCopy pastes what browsers, tools and people copy. A ¬ stands for a backtick.
func TestWhatToolsCopy(t *testing.T) {
	table := newTable(t)
	for name, test := range map[string]struct {
		request string
		want    []string
	}{
		// The command prompt of Windows.
		"Chrome, cmd": {`curl ^"https://rest.delcampe.net/item/4711?token=abc^" ^
  -X ^"PUT^" ^
  -H ^"sec-ch-ua: ^\^"Chromium^\^";v=^\^"120^\^"^" ^
  --data-raw ^"title=Caf^%^C3^%^A9+^%^26+Bar^&fixed_price=4.50^&currency=EUR^"`, updated},
		"Chrome, cmd, before 2023": {`curl "https://rest.delcampe.net/item/4711?token=abc^&lang=fr" -X PUT -H "sec-ch-ua: ^\^"Chromium^\^"" ` +
			`--data "title=Caf^%^C3^%^A9+^%^26+Bar^&fixed_price=4.50^&currency=EUR" --compressed`, updated},
		"a caret in a value of cmd": {"curl -X PUT \"https://rest.delcampe.net/item/4711\" ^\n -d \"title=a^b\"", []string{"PATCH /v1/items/4711", `{"title":"a^b"}`}},
		"a variable of cmd":         {`curl -X DELETE "https://rest.delcampe.net/item/4711?token=%TOKEN%" -d reason=TestItem`, closed},
		"cmd with single quotes":    {"curl -X DELETE 'https://rest.delcampe.net/item/4711' ^\n  -d 'reason=TestItem' ^", closed},
		"a prompt of Windows":       {`C:\Users\anna>curl -X DELETE "https://rest.delcampe.net/item/4711" -d reason=TestItem`, closed},
		"continuations of cmd":      {"C:\\>curl -X DELETE ^\nMore? \"https://rest.delcampe.net/item/4711\" ^\nMore? -d reason=TestItem", closed},

		// PowerShell.
		"Chrome, PowerShell": {`$session = New-Object Microsoft.PowerShell.Commands.WebRequestSession
$session.UserAgent = "Mozilla/5.0 (Windows NT 10.0)"
$session.Cookies.Add((New-Object System.Net.Cookie("id", "a/b", "/", "rest.delcampe.net")))
Invoke-WebRequest -UseBasicParsing -Uri "https://rest.delcampe.net/item/4711?token=abc" ¬
-Method "PUT" ¬
-WebSession $session ¬
-Headers @{
"Accept"="*/*"
  "sec-ch-ua"="¬"Chromium¬";v=¬"120¬""
} ¬
-ContentType "application/x-www-form-urlencoded; charset=UTF-8" ¬
-Body ([System.Text.Encoding]::UTF8.GetBytes("title=Caf$([char]233) %26 Bar&fixed_price=4.50&currency=EUR"))`, updated},
		"Invoke-RestMethod with a hashtable": {"irm https://rest.delcampe.net/item/4711 -Method Put -Body @{ title = 'Café & Bar'; fixed_price = 4.50\n currency=\"EUR\" }", updated},
		"a hashtable in a variable": {`$body = @{
    title = "Café & Bar"
    fixed_price = '4.50'
    currency = 'EUR'
}
$r = Invoke-RestMethod -Method PUT -Uri "$base/rest/item/4711?token=$token" -Body $body
$r.Delcampe_Notification`, updated},
		"splatting": {`PS C:\shop> $params = @{
  Uri         = 'https://rest.delcampe.net/item/4711'
  Method      = 'Delete'
  Body        = @{ reason = 'TestItem' }
}
Invoke-RestMethod @params`, closed},
		"curl.exe in PowerShell":             {"PS C:\\Users\\anna> curl.exe -X DELETE ¬\n>> \"https://rest.delcampe.net/item/4711\" ¬\n>>   -d \"reason=TestItem\"", closed},
		"Invoke-WebRequest with few letters": {"iwr -M DELETE -U \"https://rest.delcampe.net/item/4711?token=$($t.token)\" -B 'reason=TestItem' | Select -Expand Content", closed},

		"ConvertTo-Json": {`$body = @{ title = "Café & Bar"; fixed_price = 4.5 } + @{ currency = "EUR" }
Invoke-RestMethod -Uri https://rest.delcampe.net/item/4711 -Method Put -ContentType 'application/json; charset=utf-8' -Body ($body | ConvertTo-Json -Depth 3)`, updated},
		"ConvertTo-Json before": {`$json = ConvertTo-Json -Compress @{ reason = "TestItem" }
irm -Method Delete -Uri "https://rest.delcampe.net/item/4711?token=$t" -Headers @{ "X-Api-Key" = $key; Accept = "text/xml" } -Body $json`, closed},
		"splatting, with headers": {`$h = @{ Accept = 'application/xml' }
$p = [ordered]@{ Method = 'DELETE'; Headers = $h; Body = @{ reason = 'TestItem' } | ConvertTo-Json }
$p.Uri = "https://rest.delcampe.net/item/4711"
$answer = irm @p -Verbose`, closed},
		"the environment in PowerShell": {
			"irm -Method Put \"$env:SHOP/rest/item/$env:ITEM\" -Headers @{ 'X-Api-Key' = $env:KEY; Accept = '*/*' } -Body @{ title = $global:title }",
			[]string{"PATCH /v1/items/{item}", `{"title":"{global_title}"}`},
		},
		"a cast of PowerShell": {`[xml]$x = (iwr -Method Delete "https://rest.delcampe.net/item/4711?reason=TestItem").Content`, closed},

		// Commands of a shell.
		"a fence of Markdown":     {"```bash\n$ curl -X DELETE \\\n  https://rest.delcampe.net/item/4711 \\\n  -d reason=TestItem\n```", closed},
		"text around a fence":     {"This is how we do it:\n\n```sh\ncurl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem\n```\nand then wait.", closed},
		"code in a line":          {"`DELETE https://rest.delcampe.net/item/4711?reason=TestItem`", closed},
		"a quotation":             {"> curl -X DELETE \\\n>   https://rest.delcampe.net/item/4711 \\\n>   -d reason=TestItem", closed},
		"a prompt with a host":    {"anna@shop:~/bin$ curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem", closed},
		"the prompt of root":      {"# curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem", closed},
		"the prompt of a line":    {"$ curl -X DELETE \\\n> https://rest.delcampe.net/item/4711 \\\n> -d reason=TestItem", closed},
		"sudo, time and env":      {"sudo -u www time env TOKEN=abc LANG=C curl -X DELETE https://rest.delcampe.net/item/4711?token=$TOKEN -d reason=TestItem", closed},
		"an output in a variable": {"ANSWER=$(curl -s -X DELETE \"https://rest.delcampe.net/item/4711?token=$TOKEN\" -d reason=TestItem)", closed},
		"typographic quotes":      {"curl –X PUT “https://rest.delcampe.net/item/4711” –-data-urlencode ‘title=Café & Bar’ —data “fixed_price=4.50&currency=EUR”", updated},
		"typographic quotes in a value": {
			"curl -X PUT https://rest.delcampe.net/item/4711 -d 'title=L’été “bleu” – 1905'",
			[]string{"PATCH /v1/items/4711", `{"title":"L’été “bleu” – 1905"}`},
		},
		"an apostrophe between typographic quotes": {
			"curl -X PUT https://rest.delcampe.net/item/4711 -d “title=L’été d'or”",
			[]string{"PATCH /v1/items/4711", `{"title":"L’été d'or"}`},
		},
		"spaces that do not break": {"curl\u00a0-X\u00a0DELETE https://rest.delcampe.net/item/4711 \\\r\n\u00a0-d reason=TestItem", closed},
		"a folder before":          {"cd ~/shop && curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem", closed},

		"lines whose backslashes are lost": {"curl -X PUT https://rest.delcampe.net/item/4711\n  --data-urlencode 'title=Café & Bar'\n  -d 'fixed_price=4.50&currency=EUR'", updated},
		"a command with its answer":        {"$ curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem\n<?xml version=\"1.0\"?>\n<Delcampe_Notification/>", closed},
		"a command with its headers":       {"anna@shop:~$ curl -i -X DELETE 'https://rest.delcampe.net/item/4711?reason=TestItem'\nHTTP/2 200\ndate: x\n\n<a/>", closed},
		"a form with a brace in its line":  {"$ curl -X PUT https://rest.delcampe.net/item/4711 -d 'description=a\n{b}'", []string{"PATCH /v1/items/4711", `{"description":"a\n{b}"}`}},
		"a crontab":                        {"5 4 * * 1-5 /usr/bin/curl -s -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem >/dev/null", closed},
		"a batch file with its own folder": {"@echo off\nsetlocal\nset ID=4711\n\"C:\\curl bin\\curl.exe\" -X DELETE \"https://rest.delcampe.net/item/4711\" -d \"reason=TestItem\"\nif errorlevel 1 exit /b 1\nendlocal", closed},

		// JSON, which is read as a form.
		"JSON of curl":      {`curl --json '{"title": "Café & Bar", "fixed_price": 4.50, "currency": "EUR", "subtitle": null}' -X PUT https://rest.delcampe.net/item/4711`, updated},
		"JSON of curl, old": {`curl -X PUT https://rest.delcampe.net/item/4711 -H 'Content-Type: application/json' -d '{"title":"Caf\u00e9 & Bar","fixed_price":"4.5","currency":"EUR"}'`, updated},
		"JSON of fetch":     {`fetch("https://rest.delcampe.net/item/4711", {method: "PUT", body: JSON.stringify({title: "Café & Bar", fixed_price: 4.5, currency: "EUR"})})`, updated},
		"JSON of requests":  {`requests.put("https://rest.delcampe.net/item/4711", json={"title": "Café & Bar", "fixed_price": 4.5, "currency": "EUR"})`, updated},
		"JSON of PHP": {"curl_setopt_array($c, [CURLOPT_URL => 'https://rest.delcampe.net/item/4711', CURLOPT_CUSTOMREQUEST => 'DELETE', " +
			"CURLOPT_POSTFIELDS => json_encode(['reason' => 'TestItem'])]);", closed},
		"JSON of a request as it is sent": {"DELETE /item/4711 HTTP/1.1\nHost: rest.delcampe.net\nContent-Type: application/json\n\n{\n  \"reason\": \"TestItem\"\n}", closed},
		"characters in two escapes":       {`curl -X PUT https://rest.delcampe.net/item/4711 --data-raw $'title=A \ud83d\ude00 \ud83d'`, []string{"PATCH /v1/items/4711", "{\"title\":\"A 😀 \ufffd\"}"}},
		"JSON with lists": {
			`curl https://rest.delcampe.net/items --json '{"items": [{"title": "Ghent & Bruges", "personal_reference": "A", "fixed_price": 3, "currency": "USD"}]}'`,
			[]string{"POST /v1/item-batches", `{"items":[` + created[1] + `]}`},
		},

		// Other programs.
		"wget":                     {`wget -qO- --method=PUT --header="Content-Type: application/x-www-form-urlencoded" --body-data="` + encodedForm + `" 'https://rest.delcampe.net/item/4711'`, updated},
		"wget with spaces":         {"wget --quiet -O - --method DELETE --timeout=0 --body-data 'reason=TestItem' https://rest.delcampe.net/item/4711", closed},
		"wget --post-data":         {"wget --post-data 'title=Ghent %26 Bruges&personal_reference=A&fixed_price=3&currency=USD' -O answer.xml https://rest.delcampe.net/item", created},
		"HTTPie":                   {"http -f PUT https://rest.delcampe.net/item/4711 token==abc 'title=Café & Bar' fixed_price=4.50 currency=EUR X-Test:1", updated},
		"HTTPie without --form":    {"$ http --ignore-stdin DELETE :8080/rest/item/4711 reason=TestItem", closed},
		"HTTPie behind a pipe":     {"echo -n 'reason=TestItem' | http DELETE https://rest.delcampe.net/item/4711", closed},
		"curl behind a pipe":       {"echo reason=TestItem | curl -X DELETE --data @- https://rest.delcampe.net/item/4711", closed},
		"HTTPie with raw fields":   {"https --form PUT rest.delcampe.net/item/4711 title='Café & Bar' fixed_price:='4.50' currency=EUR --timeout 5", updated},
		"curl -v, as it prints it": {"> DELETE /item/4711?token=abc HTTP/1.1\n> Host: rest.delcampe.net\n> Content-Type: application/x-www-form-urlencoded\n>\n> reason=TestItem", closed},
		"a request as it is sent":  {"PUT /item/4711?token=abc HTTP/1.1\nHost: rest.delcampe.net\nContent-Type: application/x-www-form-urlencoded\n\n" + encodedForm, updated},
		"parts as they are sent": {"PUT /item/4711 HTTP/1.1\r\nHost: rest.delcampe.net\r\nContent-Type: multipart/form-data; boundary=xx\r\n\r\n--xx\r\n" +
			"Content-Disposition: form-data; name=\"title\"\r\n\r\nCafé & Bar\r\n--xx\r\nContent-Disposition: form-data; name=\"fixed_price\"\r\n\r\n4.50\r\n--xx\r\n" +
			"Content-Disposition: form-data; name=\"currency\"\r\n\r\nEUR\r\n--xx--\r\n", updated},

		"a file of requests for an editor": {
			"@host = https://rest.delcampe.net\n@token = abc\n\n### a price\n# @name change\nPUT {{host}}/item/4711?token={{token}} HTTP/1.1\n" +
				"Content-Type: application/x-www-form-urlencoded\n\ntitle=Caf%C3%A9+%26+Bar\n&fixed_price=4.50\n  &currency=EUR\n",
			updated,
		},
		"fields on lines of their own": {"PUT /item/4711 HTTP/1.1\r\nHost: rest.delcampe.net\r\n\r\ntitle=Caf%C3%A9+%26+Bar&\r\nfixed_price=4.50&\r\ncurrency=EUR\r\n", updated},
		"a variable in its form":       {"// x\nDELETE /item/4711\nHost: rest.delcampe.net\n\nreason=TestItem\n&token={{ token }}", closed},
		"a line of a load balancer": {
			`https 2026-11-12T23:39:43.9Z app/x 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 200 200 0 57 "DELETE https://api.example.com:443/rest/item/4711?reason=TestItem HTTP/1.1" "PHP" - -`, closed,
		},
		"a line of syslog": {`Nov 12 10:11:12 web nginx[7]: 192.0.2.1 - - [12/Nov/2026:10:11:12 +0100] "DELETE /rest/item/4711?reason=TestItem HTTP/1.1" 200 5`, closed},
		"a path alone":     {"DELETE item/4711?reason=TestItem", closed},

		// JavaScript.
		"fetch of a browser": {`fetch("https://rest.delcampe.net/item/4711?token=abc", {
  "headers": {
    "accept": "*/*",
    "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
    "sec-ch-ua": "\"Chromium\";v=\"120\""
  },
  "referrer": "https://shop.example.com/",
  "body": "` + encodedForm + `",
  "method": "PUT",
  "mode": "cors",
  "credentials": "include"
});`, updated},
		"fetch of Node": {`const res = await fetch(¬https://rest.delcampe.net/item/${id}?token=${encodeURIComponent(token)}¬, {
  method: 'DELETE',
  body: new URLSearchParams({ reason: 'TestItem' }), // why
});
console.log(await res.text());`, []string{"POST /v1/items/{id}/close", `{"reason":"test"}`}},
		"fetch of Postman": {`const myHeaders = new Headers();
myHeaders.append("Content-Type", "application/x-www-form-urlencoded");

const urlencoded = new URLSearchParams();
urlencoded.append("title", "Café & Bar");
urlencoded.append("fixed_price", "4.50");
urlencoded.append("currency", "EUR");

const requestOptions = {
  method: "PUT",
  headers: myHeaders,
  body: urlencoded,
  redirect: "follow"
};

fetch("https://rest.delcampe.net/item/4711", requestOptions)
  .then((response) => response.text())
  .then((result) => console.log(result))
  .catch((error) => console.error(error));`, updated},
		"axios of Postman": {`const axios = require('axios');
const qs = require('qs');
let data = qs.stringify({
  'title': 'Café & Bar',
  'fixed_price': '4.50',
  'currency': 'EUR' 
});

let config = {
  method: 'put',
  maxBodyLength: Infinity,
  url: 'https://rest.delcampe.net/item/4711',
  headers: { 
    'Content-Type': 'application/x-www-form-urlencoded'
  },
  data : data
};

axios.request(config)
.then((response) => {
  console.log(JSON.stringify(response.data));
})`, updated},
		"axios in a line":           {"axios.put('https://rest.delcampe.net/item/4711?token=' + token, new URLSearchParams({title: 'Café & Bar', fixed_price: 4.5, currency: 'EUR'}))", updated},
		"axios with a base address": {"axios({method: 'delete', baseURL: 'https://rest.delcampe.net', url: '/item/4711', params: {token}, data: 'reason=TestItem'}).then(r => r.data)", closed},
		"axios.delete":              {"await axios.delete(`https://rest.delcampe.net/item/4711`, { params: { reason: 'TestItem', token } });", closed},
		"jQuery": {
			"$.ajax({ url: 'https://rest.delcampe.net/item/4711', type: 'PUT', data: { title: 'Café & Bar', fixed_price: '4.50', currency: \"EUR\" }, success: function (x) { alert(x); } });",
			updated,
		},

		// Python.
		"requests of Postman": {`import requests

url = "https://rest.delcampe.net/item/4711"

payload = '` + encodedForm + `'
headers = {
  'Content-Type': 'application/x-www-form-urlencoded'
}

response = requests.request("PUT", url, headers=headers, data=payload)

print(response.text)`, updated},
		"requests in a line":     {`requests.put("https://rest.delcampe.net/item/4711", params={"token": token}, data={"title": "Café & Bar", "fixed_price": 4.5, "currency": "EUR"}, timeout=30)`, updated},
		"requests with a format": {`r = session.delete(f"{BASE}/rest/item/{item_id}?token={token}", data=dict(reason="TestItem"))`, []string{"POST /v1/items/{item_id}/close", `{"reason":"test"}`}},
		"requests with a prompt": {">>> requests.delete('https://rest.delcampe.net/item/%s' % 4711, data={'reason': 'TestItem'}).text", closed},

		"Guzzle with its base": {
			`$client = new \GuzzleHttp\Client(['base_uri' => 'https://rest.delcampe.net/']);
$client->request('PUT', 'item/4711', ['form_params' => ['title' => 'Café & Bar', 'fixed_price' => '4.50', 'currency' => 'EUR']]);`, updated,
		},
		"axios with its base": {
			`const api = axios.create({ baseURL: 'https://rest.delcampe.net' });
await api.delete('item/4711', { data: new URLSearchParams({ reason: 'TestItem' }) });`, closed,
		},

		"an address with parameters": {`const u = new URL('/item/4711', 'https://rest.delcampe.net');
u.searchParams.set('reason', 'TestItem');
u.searchParams.append("token", token);
fetch(u.toString(), { method: 'DELETE' });`, closed},
		"a client with its own options": {`const shop = axios.create({ baseURL: "https://rest.delcampe.net/", params: { reason: "TestItem" }, timeout: 1000 });
await shop.delete("/item/4711");`, closed},
		"a session with its own options": {"s = requests.Session()\ns.params.update({'reason': 'TestItem'})\ns.headers.update({'Accept': '*/*'})\ns.delete('https://rest.delcampe.net/item/4711')", closed},
		"a client of httpx":              {"client = httpx.Client(base_url='https://rest.delcampe.net', params={'token': t})\nclient.request('DELETE', '/item/4711', data={'reason': 'TestItem'})", closed},
		"Python in quotes of a shell":    {`python3 -c "import requests; requests.delete('https://rest.delcampe.net/item/4711', data={'reason': 'TestItem'})"`, closed},
		"an answer that is read":         {"tree = ET.fromstring(requests.delete('https://rest.delcampe.net/item/4711', data={'reason': 'TestItem'}).content)", closed},
		"urlopen with a form":            {"urlopen('https://rest.delcampe.net/item?token=' + t, urlencode({'title': 'Ghent & Bruges', 'personal_reference': 'A', 'fixed_price': 3, 'currency': 'USD'}).encode())", created},
		"a chain of calls":               {"requests.Session().delete('https://rest.delcampe.net/item/4711', data={'reason': 'TestItem'})", closed},
		"got":                            {"const x = await got.delete('https://rest.delcampe.net/item/4711', { form: { reason: 'TestItem' } }).text();", closed},

		// PHP.
		"a stream context": {`$context = stream_context_create(['http' => ['method' => 'PUT', 'ignore_errors' => true,
    'header' => "Content-Type: application/x-www-form-urlencoded\r\nX-Api-Key: $key\r\n",
    'content' => http_build_query(['title' => 'Café & Bar', 'fixed_price' => 4.5, 'currency' => 'EUR'])]]);
$xml = simplexml_load_string(file_get_contents("https://rest.delcampe.net/item/4711?token=$token", false, $context));`, updated},
		"a stream context in variables": {`$data = array('reason' => 'TestItem');
$options = array('http' => array('header' => array('Content-type: application/x-www-form-urlencoded'), 'method' => 'DELETE', 'content' => http_build_query($data)));
$fp = fopen('https://rest.delcampe.net/item/4711', 'r', false, stream_context_create($options));`, closed},
		"a file beside a stream": {"$title = file_get_contents('php://stdin');\n$o = ['http' => ['method' => 'PUT', 'content' => http_build_query(['title' => $title])]];\n" +
			"readfile('https://rest.delcampe.net/item/4711', false, stream_context_create($o));", []string{"PATCH /v1/items/4711", `{"title":"{file_get_contents}"}`}},
		"an address that is joined": {`$xml = simplexml_load_file('https://rest.delcampe.net/item/4711?token=' . $token);`, []string{"GET /v1/items/4711"}},
		"a client of Laravel":       {"Http::withHeaders(['Accept' => 'text/xml'])->asForm()->put('https://rest.delcampe.net/item/4711', ['title' => 'Café & Bar', 'fixed_price' => 4.5, 'currency' => 'EUR'])->body();", updated},
		"a function of WordPress":   {"$r = wp_remote_request('https://rest.delcampe.net/item/4711', ['method' => 'DELETE', 'body' => ['reason' => 'TestItem'], 'timeout' => 15]);", closed},
		"a post of WordPress":       {"wp_remote_post( $base . '/rest/item', array( 'body' => array( 'title' => 'Ghent & Bruges', 'personal_reference' => 'A', 'fixed_price' => '3', 'currency' => 'USD' ) ) );", created},
		"Guzzle with parts": {`$client = new Client(['base_uri' => 'https://rest.delcampe.net', 'http_errors' => false]);
$client->put('/item/4711', ['multipart' => [['name' => 'title', 'contents' => 'Café & Bar'], ['name' => 'fixed_price', 'contents' => '4.5'], ['name' => 'currency', 'contents' => 'EUR']]]);`, updated},
		"PHP of Postman": {`<?php

$curl = curl_init();

curl_setopt_array($curl, array(
  CURLOPT_URL => 'https://rest.delcampe.net/item/4711?token=abc',
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_CUSTOMREQUEST => 'PUT',
  CURLOPT_POSTFIELDS => '` + encodedForm + `',
  CURLOPT_HTTPHEADER => array(
    'Content-Type: application/x-www-form-urlencoded'
  ),
));

$response = curl_exec($curl);`, updated},
		"PHP of an old program": {`$ch = curl_init("https://rest.delcampe.net/item/" . $id . "?token=$token");
curl_setopt($ch, CURLOPT_CUSTOMREQUEST, "DELETE"); // off sale
curl_setopt($ch, CURLOPT_POSTFIELDS, http_build_query(array('reason' => 'TestItem')));
curl_exec($ch);`, []string{"POST /v1/items/{id}/close", `{"reason":"test"}`}},
		"Guzzle": {`$client->request('PUT', 'https://rest.delcampe.net/item/4711', ['form_params' => ['title' => 'Café & Bar', 'fixed_price' => '4.50', 'currency' => 'EUR']]);`, updated},
		"a client of http.client": {"conn = http.client.HTTPSConnection(\"rest.delcampe.net\")\npayload = 'reason=TestItem'\nheaders = {}\n" +
			"conn.request(\"DELETE\", \"/item/4711?token=abc\", payload, headers)", closed},
		"urllib": {"data = urllib.parse.urlencode({'reason': 'TestItem'}).encode()\nreq = urllib.request.Request('https://rest.delcampe.net/item/4711', data=data, " +
			"method='DELETE')\nurllib.request.urlopen(req)", closed},
		"XMLHttpRequest": {"xhr = new XMLHttpRequest();\nxhr.open('DELETE', 'https://rest.delcampe.net/item/4711');\nxhr.send('reason=TestItem');", closed},
		"Guzzle, of Postman": {"$options = ['form_params' => ['reason' => 'TestItem']];\n$request = new Request('DELETE', 'https://rest.delcampe.net/item/4711', $headers);\n" +
			"$res = $client->sendAsync($request, $options)->wait();", closed},
		"a function in JavaScript": {"async function close(id) {\n  const body = new URLSearchParams();\n  body.set('reason', 'TestItem');\n  const { data } = " +
			"await fetch('https://rest.delcampe.net/item/' + id.toString(), {\n    method: 'DELETE',\n    body,\n  });\n}", []string{"POST /v1/items/{id}/close", `{"reason":"test"}`}},
		"a condition of a shell": {"if ! curl -fsS -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem; then echo failed; exit 1; fi", closed},
		"a loop of a shell": {
			"for id in 1 2; do curl -X DELETE \"https://rest.delcampe.net/item/$id\" -d reason=TestItem; done",
			[]string{"POST /v1/items/{id}/close", `{"reason":"test"}`},
		},
		"HTML":                      {"<pre><code>curl -X DELETE &quot;https://rest.delcampe.net/item/4711?token=abc&amp;x=1&quot; -d reason=TestItem</code></pre>", closed},
		"a batch file":              {"@echo off\nset TOKEN=abc\ncurl -X DELETE \"https://rest.delcampe.net/item/4711?token=%TOKEN%\" -d \"reason=TestItem\"\npause", closed},
		"a line of PowerShell":      {"$b = 'reason=TestItem'; irm -Method:Delete -Uri:https://rest.delcampe.net/item/4711 -Body $b", closed},
		"quotes of PowerShell":      {"curl.exe -X PUT \"https://rest.delcampe.net/item/4711\" -d \"title=a \\¬\"b\\¬\"\"", []string{"PATCH /v1/items/4711", `{"title":"a \"b\""}`}},
		"the prompt of a new shell": {"~ » curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem", closed},
		"quotes around all":         {"“curl -X DELETE https://rest.delcampe.net/item/4711 -d reason=TestItem”", closed},
		"images in a list": {
			`$.post("https://rest.delcampe.net/item", {personal_reference: "A", fixed_price: 3, currency: "USD", title: "Ghent & Bruges", images: ["https://a.example/1.jpg", "https://a.example/2.jpg"]})`,
			[]string{"POST /v1/items", `{"sale_type":"fixed_price","title":"Ghent & Bruges","personal_reference":"A","price":{"amount":"3.00","currency":"USD"},` +
				`"images":["https://a.example/1.jpg","https://a.example/2.jpg"]}`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, lines, _ := translated(t, table, Input{Request: strings.ReplaceAll(test.request, "¬", "`")})
			if diff := cmp.Diff(test.want, lines); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestAChangeToZeroIsNoted has amounts that neither interface takes.
func TestAChangeToZeroIsNoted(t *testing.T) {
	const request = "curl -X PUT https://rest.delcampe.net/item/4711 -d title=A -d price_reserve=0 -d price_increment=0.00 -d fixed_price=4.50"
	out, err := Translate(newTable(t), Input{Request: request, BaseURL: base})
	if err != nil {
		t.Fatal(err)
	}
	var noted []string
	for _, note := range out.Notes {
		noted = append(noted, note.Field+" "+string(note.Kind))
	}
	if diff := cmp.Diff([]string{"price_increment narrowed", "price_reserve narrowed"}, noted); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestWhatToolsSendThatTheInterfaceDoesNotTake says what to paste instead.
func TestWhatToolsSendThatTheInterfaceDoesNotTake(t *testing.T) {
	table := newTable(t)
	for name, test := range map[string]struct{ request, want string }{
		"a list in JSON":        {`requests.put("https://rest.delcampe.net/item/4711", data='[{"title": "A"}]')`, "It is no form. Legacy calls take fields such as title=Postcard"},
		"JSON in many maps":     {"curl -X PUT https://rest.delcampe.net/item/4711 -d '" + strings.Repeat(`{"a":`, 13) + "1" + strings.Repeat("}", 13) + "'", "It is no form."},
		"a number of JSON":      {`curl -X PUT https://rest.delcampe.net/item/4711 --json '{"qty": 1e1}'`, "invalid_value qty: must be a whole number"},
		"JSON that is none":     {"curl -X PUT https://rest.delcampe.net/item/4711 -d '{title: A}'", "It is no form. Legacy calls take fields such as title=Postcard"},
		"JSON inside of a form": {`fetch("https://rest.delcampe.net/item/4711", {method: "PUT", body: "data=" + JSON.stringify({title: "A"})})`, "What it sends is changed by what is joined"},
		"a context elsewhere":   {"file_get_contents('https://rest.delcampe.net/item/4711', false, $context);", "What it sends is in $context, which is not here."},
		"a part that is a file": {"$c->put('https://rest.delcampe.net/item/4711', ['multipart' => [['name' => 'images[]', 'contents' => fopen('a.jpg', 'r'), 'filename' => 'a.jpg']]]);", "is a file"},
		"a file of wget":        {"wget --method=PUT --body-file=form.txt https://rest.delcampe.net/item/4711", "Paste what is in it as the body"},
		"a file of HTTPie":      {"http -f PUT https://rest.delcampe.net/item/4711 description=@text.html", "Put the field's value into the command"},
		"fields in a variable":  {"fetch('https://rest.delcampe.net/item/4711', o)", "What it sends is in $o, which is not here."},
		"a program without one": {"const x = require('axios');\nfunction list() { return 1 }", "Paste one: a command"},
		"a command of Windows":  {"certutil -urlcache https://rest.delcampe.net/item/4711", "Paste one: a command"},
		"a block of Kotlin":     {"client.put(\"https://rest.delcampe.net/item/4711\") { setBody(FormDataContent(parameters)) }", "so nothing would be asked"},
		"Ruby": {
			"req = Net::HTTP::Put.new(URI('https://rest.delcampe.net/item/4711'))\nreq.set_form_data('title' => 'A')\nNet::HTTP.start(h, 443) { |http| http.request(req) }",
			"Paste one: a command",
		},
		"no address": {"Invoke-RestMethod -Method Delete -Body @{reason='TestItem'}", "Paste one: a command"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := Translate(table, Input{Request: test.request, BaseURL: base})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q in %v, %+v", test.want, err, out)
			}
		})
	}
}
