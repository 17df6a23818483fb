package scan_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/scan"
)

// TestPlacesInManyManners has one place in each file, in a manner of its own.
func TestPlacesInManyManners(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"form.php":         {"<form method=\"post\" action=\"https://rest.delcampe.net/item?token=<?= $t ?>\"><input name=\"title\"></form>\n", "1 item-create"},
		"click.html":       {"<p>x</p>\n<button onclick=\"fetch('https://rest.delcampe.net/item/4711', {method: 'DELETE'})\">x</button>\n", "2 item-close"},
		"click.vue":        {"<template><a @click=\"open('https://rest.delcampe.net/item/4711/buyer')\"/></template>\n", "1 item-buyer"},
		"flow.json":        {`[{"func":"msg.n = 1;\nmsg.url = 'https://rest.delcampe.net/item/4711/buyer';"}]`, "1 item-buyer"},
		"concat.sql":       {"SET @url = CONCAT('https://rest.delcampe.net/item/', @id, '/buyer?token=', @t)\n", "1 item-buyer"},
		"goes/on.vb":       {"u = \"https://rest.delcampe.net/item/\" & id.ToString() & _\r\n    \"/restart\"\r\n", "1 item-restart"},
		"sales.pq":         {"// Web.Contents(\"https://rest.delcampe.net/seller\")\nx = Web.Contents(\"https://rest.delcampe.net/item/\" & id & \"/buyer\")\n", "2 item-buyer"},
		"squid.log":        {"1614676447.120 88 10.0.0.14 TCP_MISS/200 412 POST http://rest.delcampe.net/seller - HIER_DIRECT/192.0.2.8 text/xml\n", "1 login"},
		"one/line.json":    {`{"url":"https://rest.delcampe.net/item/4711"}`, "1 item"},
		"one/method.json":  {`{"url":"https://rest.delcampe.net/item/4711","method":"delete"}`, "1 item-close"},
		"one/list.json":    {`[{"method":"PUT","url":"https://rest.delcampe.net/item/{id}"}]`, "1 item-update"},
		"one/package.json": {`{"scripts":{"sold":"curl https://rest.delcampe.net/item/auction/sold"}}`, "1 auction-sold"},
		"top/level.json":   {"{\n \"url\": \"https://rest.delcampe.net/item/{{ id }}\",\n \"method\": \"PUT\"\n}\n", "2 item-update"},
		"n8n.json":         {`{"nodes":[{"parameters":{"url":"=https://rest.delcampe.net/item/{{ $json.id }}","requestMethod":"DELETE"}}]}`, "1 item-close"},
		"make.json":        {`{"flow":[{"mapper":{"url":"https://rest.delcampe.net/notification/{{1.id}}","method":"put"}}]}`, "1 notification-switch"},
		"insomnia4.json":   {`{"_type":"export","resources":[{"_type":"request","method":"POST","url":"https://rest.delcampe.net/item/1/restart"}]}`, "1 item-restart"},
		"insomnia5.yaml":   {"collection:\n  - url: https://rest.delcampe.net/item/4711\n    name: x\n    method: DELETE\n", "2 item-close"},
		"a.bru":            {"delete {\n  url: https://rest.delcampe.net/item/{{id}}\n}\n", "2 item-close"},
		"blanks.http":      {"### x\nDELETE https://rest.delcampe.net/item/{{ id }} HTTP/1.1\n", "2 item-close"},
		"variables.http":   {"@base = https://rest.delcampe.net\n\nPUT {{base}}/item/{{id}}\n\nqty=1\n", "3 item-update"},
		"wget.php":         {`<?php exec("wget -q --method=PUT https://rest.delcampe.net/item/$id");`, "1 item-update"},
		"curl.php":         {`<?php exec('curl -X ' . escapeshellarg('DELETE') . ' ' . escapeshellarg("https://rest.delcampe.net/item/$id"));`, "1 item-close"},
		"run.py":           {"subprocess.run([\"wget\", \"--method=DELETE\", f\"https://rest.delcampe.net/item/{i}\"])\n", "1 item-close"},
		"join.py":          {"B = \"https://rest.delcampe.net\"\nrequests.post(\"/\".join((B, \"item\", str(7), \"restart\")))\n", "2 item-restart"},
		"yarl.py":          {"B = \"https://rest.delcampe.net\"\nrequests.put(str(URL(B) / \"item\" / \"7\"))\n", "2 item-update"},
		"slim.php":         {"<?php\n$b = 'https://rest.delcampe.net';\n$app->get('/item/{id}', function ($q, $r, $a) use ($http, $b) {\n  return $http->get($b . '/item/' . $a['id']);\n});\n", "4 item"},
		"append.php":       {"<?php\n$b = 'https://rest.delcampe.net';\n$u = $b; $u .= '/item'; $u .= '/' . $id; $u .= '/restart';\n", "3 item-restart"},
		"Dockerfile":       {"FROM alpine\nCMD [\"sh\", \"-c\", \"wget --method=DELETE https://rest.delcampe.net/item/4711\"]\n", "2 item-close"},
		"a.vue":            {"<template><a href=\"/item/1\"/></template>\n<script setup>\nawait $fetch(`https://rest.delcampe.net/item/${id}`, { method: 'PUT' })\n</script>\n", "3 item-update"},
		"a.html":           {"<script>fetch('https://rest.delcampe.net/item/' + id, {method: 'DELETE'})</script>\n", "1 item-close"},
		"main.tf":          {"provisioner \"local-exec\" {\n  command = \"curl -X DELETE https://rest.delcampe.net/item/${var.id}\"\n}\n", "2 item-close"},
		"crontab-sync.php": {
			"<?php $url = \"https://rest.delcampe.net/item/$id\";\n$c = curl_init($url);\ncurl_setopt($c, CURLOPT_CUSTOMREQUEST, 'DELETE');\n", "1 item-close",
		},
		"crontab":            {"*/5 * * * * curl -s https://rest.delcampe.net/item/fixedprice/sold?token=x >> /tmp/x\n", "1 fixedprice-sold"},
		"ansible.yml":        {"- uri:\n    url: \"https://rest.delcampe.net/item/{{ lot }}\"\n    method: DELETE\n", "2 item-close"},
		"spring.yml":         {"market:\n  base: https://rest.delcampe.net\n  sold: /item/auction/sold\n", "3 auction-sold"},
		"u_ex26.log":         {"#Fields: date time cs-method cs-uri-stem cs-uri-query c-ip\n2026-11-20 10:00:00 PUT /rest/item/4711 token=x 192.0.2.1\n", "2 item-update"},
		"plan.jmx":           {"<a>\n<p name=\"HTTPSampler.domain\">rest.delcampe.net</p>\n<p name=\"HTTPSampler.path\">/item/auction/sold</p>\n</a>\n", "3 auction-sold"},
		"Market.swift":       {"var r = URLRequest(url: URL(string: \"https://rest.delcampe.net/item/\\(id)\")!)\nr.httpMethod = \"DELETE\"\n", "1 item-close"},
		"main.rs":            {"const B: &str = \"https://rest.delcampe.net\";\nc.delete(format!(\"{}/item/{}\", B, id)).send();\n", "2 item-close"},
		"U.pas":              {"const R = 'https://rest.delcampe.net';\nIdHTTP1.Delete(Format('%s/item/%d', [R, Id]));\n", "2 item-close"},
		"a.dart":             {"http.delete(Uri.parse('https://rest.delcampe.net/item/$id'));\n", "1 item-close"},
		"host/index.js":      {"https.get({ host: 'rest.delcampe.net', path: '/item/closeReasons' }, f);\n", "1 close-reasons"},
		"client/axios.ts":    {"const api = axios.create({ baseURL: 'https://rest.delcampe.net' });\napi.delete(`/item/${id}`);\n", "2 item-close"},
		"wrapped/market.php": {"<?php\nconst B = 'https://rest.delcampe.net';\nfunction c($m, $p) { return f($m, B . $p); }\nc('DELETE', \"/item/$id\");\n", "4 item-close"},
		"member.pl":          {"my $s = { base => 'https://rest.delcampe.net', ua => U->new };\n$s->{ua}->delete($s->{base} . \"/item/$id\");\n", "2 item-close"},
		"table.pl":           {"my $b = 'https://rest.delcampe.net';\nmy %p = (time => '/server/time');\ncall(GET => $p{time});\ncall('GET', \"$p{time}?x=1\");\n", "2 server-time, 3 server-time, 4 server-time"},
		"table.rb":           {"B = 'https://rest.delcampe.net'\nP = { sold: '/item/fixedprice/sold' }.freeze\nget P.fetch(:sold), x\n", "2 fixedprice-sold, 3 fixedprice-sold"},
		"Table.java":         {"class A { String b = \"https://rest.delcampe.net\";\nstatic { P.put(\"TYPES\", \"/notification/types\"); }\nvoid x() { open(\"GET\", P.get(\"TYPES\") + q); } }\n", "2 notification-types, 3 notification-types"},
		"function.ts":        {"const B = 'https://rest.delcampe.net';\nconst E = { buyer: (id: number) => `/item/${id}/buyer` };\nhttp.get(E.buyer(7));\n", "2 item-buyer, 3 item-buyer"},
		"kin.php":            {"<?php $b = 'https://rest.delcampe.net';\n$this->remote(\"item/$id\");\n$this->remote('category', $x);\n$map->take('category');\n", "2 item, 3 categories, 4 categories"},
		"kin.sh":             {"B=https://rest.delcampe.net\nfetchit item/$k/sold x\nfetchit category > y\n", "2 auction-sold, 2 fixedprice-sold, 3 categories"},
		"scheme.js":          {"const c = { protocol: 'https', host: 'rest.delcampe.net' };\nconst base = c.protocol + '://' + c.host;\nrequest.post({ url: base + '/item' });\n", "3 item-create"},
		"said.java":          {"class A { void x() { System.out.println(\"GET /item/auction/sold \" + exec(new HttpGet(\"https://rest.delcampe.net/item/auction/sold\"))); } }\n", "1 auction-sold"},
		"Async.cs":           {"const string B = \"https://rest.delcampe.net\";\nawait c.GetAsync(new RestRequest(\"item/{id}\"));\nx.Method = Method.Post;\n", "2 item"},
		"context.php":        {"<?php\n$o = ['http' => ['method' => 'PUT', 'content' => $b]];\n$x = file_get_contents('https://rest.delcampe.net/item/' . $id, false, stream_context_create($o));\n", "3 item-update"},
		"contents.php":       {"<?php\n$o = ['http' => ['method' => 'PUT', 'content' => $b]];\n$x = file_get_contents('https://rest.delcampe.net/item/' . $id);\n", "3 item"},
		"concat.min.js":      {"var B=\"https://rest.delcampe.net\";function u(e,t){return fetch(\"\".concat(B,\"/item/\").concat(e,\"?token=\").concat(t),{method:\"PUT\"})}", "1 item-update"},
		"concat.js":          {"const BASE = 'https://rest.delcampe.net'\nhttp.delete(BASE.concat('/item/', id))\nq(all.concat(more), [1].concat(2, 3))\n", "2 item-close"},
		"Concat.java":        {"String B = \"https://rest.delcampe.net\";\nc.get(B.concat(\"/item/\").concat(id).concat(\"/buyer\"));\n", "2 item-buyer"},
		"uri.dart": {
			"final b = Uri.parse('https://rest.delcampe.net');\nhttp.get(Uri.https('rest.delcampe.net', '/shippingModels', {'token': t}));\nhttp.get(b.resolve('item/auction/sold'));\n",
			"2 shipping-models, 3 auction-sold",
		},
		"shop.ipynb": {
			"{\n \"cells\": [\n  {\n   \"cell_type\": \"code\",\n   \"source\": [\n    \"B = 'https://rest.delcampe.net'\\n\",\n    \"requests.put(B + \\\"/item/%d\\\" % i)\\n\",\n" +
				"    \"# requests.get(B + '/seller')\\n\",\n    \"!curl -X DELETE 'https://rest.delcampe.net/item/1'\"\n   ]\n  }\n ]\n}\n",
			"7 item-update, 9 item-close",
		},
		"colab.ipynb": {
			`{"cells":[{"cell_type":"markdown","source":["# Shop"]},{"cell_type":"code","source":["B = 'https://rest.delcampe.net' # the host\n","# requests.get(B + '/seller')\n",` +
				`"requests.put(B + \"/item/1\", data={'title': '#1'}) # now\n","x()"]},{"source":"!curl -X DELETE 'https://rest.delcampe.net/item/1'"}]}`,
			"1 item-close, 1 item-update",
		},
		"opened.vbs": {"u = \"https://rest.delcampe.net/item/\" & id\nx.Open \"DELETE\", u, False\n", "1 item-close"},
		"opened.js":  {"var u = 'https://rest.delcampe.net/item/' + id;\nvar x = new XMLHttpRequest();\nx.open('PUT', u, true);\n", "1 item-update"},
		"Opened.cs":  {"var u = \"https://rest.delcampe.net/item/\" + id;\nvar c = new HttpClient();\nvar r = await c.DeleteAsync(u);\n", "1 item-close"},
		"apart.vbs":  {"u = \"https://rest.delcampe.net/item/\" & id\nx.Open \"DELETE\", other, False\n", "1 item"},
		"lb.log": {
			"https 2026-11-12T23:39:43.9Z app/x 192.0.2.1:2817 10.0.0.1:80 0.086 0.048 200 200 0 57 \"DELETE https://rest.delcampe.net:443/item/4711 HTTP/1.1\" \"PHP\" - -\n" +
				"Nov 12 10:11:12 web nginx[7]: 192.0.2.1 - - [12/Nov/2026:10:11:12 +0100] \"PUT /rest/item/4711 HTTP/1.1\" 200 5\n",
			"1 item-close, 2 item-update",
		},
		"slash.pl":            {"my $b = 'https://rest.delcampe.net';\nmy $k = do { local (@ARGV, $/) = '/etc/key'; <> };\n$ua->request(POST \"$b/seller\", [apikey => $k]);\n", "3 login"},
		"words.php":           {"<?php $b = 'https://rest.delcampe.net';\nconst ITEM = 'item';\n$x = $b . settings('shop/url') . '/item/reference/' . $r;\n", "2 item-create, 3 item-by-reference"},
		"tail.ts":             {"const b = 'https://rest.delcampe.net/item'\nhttp.get(`${this.url}/${type}/opened`)\n", "1 item-create, 2 auction-opened, 2 fixedprice-opened"},
		"quotes.pl":           {"my $b = 'https://rest.delcampe.net';\n$r = HTTP::Request->new(PUT => qq{$b/item/$id});\nfetch(qw(GET /shippingModels));\n", "2 item-update, 3 shipping-models"},
		"percent.rb":          {"B = 'https://rest.delcampe.net'\nTyphoeus.get(%(#{B}/category), x)\n", "2 categories"},
		"format.py":           {"B = 'https://rest.delcampe.net'\napi.delete('/item/{}'.format(lot), data={'reason': why})\n", "2 item-close"},
		"define.c":            {"#define ITEM_URL \"https://rest.delcampe.net/item/%s\"\nsnprintf(b, n, ITEM_URL, id);\n", "1 item, 2 item"},
		"socket.php":          {"<?php\nfputs($f, \"DELETE /item/$id HTTP/1.0\\r\\nHost: rest.delcampe.net\\r\\n\\r\\n\");\n", "2 item-close"},
		"path.scala":          {"val b = url(\"https://rest.delcampe.net\")\ndef drop(id: Int) = Http((b / \"item\" / id).DELETE)\n", "2 item-close"},
		"shop.tcl":            {"set base https://rest.delcampe.net\nproc upd {id} { http::geturl $base/item/$id -method PUT }\n", "2 item-update"},
		"reference.rs":        {"const B: &str = \"https://rest.delcampe.net\";\nh.put(&[B, \"/item/\", &id.to_string()].concat());\n", "2 item-update"},
		"beginning.sh":        {"B=https://rest.delcampe.net\nU=\"$B/notification\"\n", "2 notification-types"},
		"printed.rb":          {"B = 'https://rest.delcampe.net'\ndef show(id) = puts(B[\"item/#{id}\"].get)\n", "2 item"},
		"constant/market.php": {"<?php\nconst HOST = 'https://rest.delcampe.net';\nconst SOLD = '/item/auction/sold';\nget(HOST . SOLD);\n", "3 auction-sold, 4 auction-sold"},
		"xpath.bas":           {"Const B = \"https://rest.delcampe.net\"\nx.Load B & \"/item/\" & d.selectSingleNode(\"//lot/id_item\").Text & \"/buyer\"\n", "2 item-buyer"},
		"XPath.cs":            {"c.DownloadString(\"https://rest.delcampe.net/item/\" + d.SelectSingleNode(\"./item/id\").InnerText + \"/sold\");\n", "1 auction-sold, 1 fixedprice-sold"},
		"xpath.php":           {"<?php $b = 'https://rest.delcampe.net';\nget($b . '/item/reference/' . $x->xpath('/items/item/ref')[0]);\n$http->delete($b . '/notification/' . basename('/lots/' . $n));\n", "2 item-by-reference, 3 notification-delete"},
		"xpath.py":            {"requests.put('https://rest.delcampe.net/item/' + x.find('.//item').text, data=d)\n", "1 item-update"},
		"jquery.js":           {"var b = 'https://rest.delcampe.net';\n$.ajax({ url: b + '/item/' + $('#lot').val(), type: 'PUT' });\n$.get(b + '/item/' + $('.lot').text() + '/buyer', show);\n", "2 item-update, 3 item-buyer"},
		"market.ahk": {
			"; of https://rest.delcampe.net/item/1\n#NoEnv\nmarket := \"https://rest.delcampe.net\"\nreq.Open(\"DELETE\", market \"/item/\" lot \"?token=\" t, false)\n" +
				"UrlDownloadToFile, %market%/item/fixedprice/closed?token=%t%, %A_Temp%\\closed.xml\nurl := market . \"/item/\" . lot . \"/buyer\" ; of the sale\n",
			"4 item-close, 5 fixedprice-closed, 6 item-buyer",
		},
		"market.cfm": {
			"<!--- <cfhttp url=\"https://rest.delcampe.net/item/1\"> --->\n<cfset market = \"https://rest.delcampe.net\">\n<cfhttp url=\"#market#/item/#form.lot#/restart\" method=\"post\">\n" +
				"<cfhttp url=\"#market#/item/#lot#\" method=\"put\" result=\"b\">\n<cfscript>new http(url = market & \"/item/\" & lot & \"/buyer\");</cfscript>\n<p style=\"color: #fff\">don't</p>\n",
			"3 item-restart, 4 item-update, 5 item-buyer",
		},
		"market.robot": {
			"*** Variables ***\n${MARKET}    https://rest.delcampe.net\n*** Test Cases ***\nA lot can't be sold\n    # GET    ${MARKET}/item/1\n" +
				"    ${answer}=    DELETE    ${MARKET}/item/${lot}    data=reason=x\n    ${sold}=    GET On Session    market    /item/fixedprice/sold\n",
			"6 item-close, 7 fixedprice-sold",
		},
		"market.rex": {
			"call fetch https://rest.delcampe.net/item/fixedprice/opened, 'x'\n" +
				"x = get(https://rest.delcampe.net/item/4711/buyer)\n",
			"1 fixedprice-opened, 2 item-buyer",
		},
		"copy.old": {
			"$b = 'https://rest.delcampe.net';\n$r = get($b . '/item/' . $n . '/buyer');\n" +
				"  x\n    .get('/item/reference/' . $n)\n",
			"2 item-buyer, 4 item-by-reference",
		},
		"enum.ts": {
			"const enum K { Note = 'notification' }\nconst b = 'https://rest.delcampe.net';\n" +
				"this.ask('DELETE', [K.Note, n]);\nhttp.put(`${b}/${K.Note}/${n}`);\n",
			"3 notification-delete, 4 notification-switch",
		},
		"Kind.php": {
			"<?php\n$b = 'https://rest.delcampe.net';\nclass A { private $thing = 'item'; const NOTE = 'notification';\n" +
				"function a($n) { $this->ask('put', \"$this->thing/$n\"); }\n" +
				"function b($n) { $this->ask('delete', self::NOTE . '/' . $n); } }\n",
			"3 item-update, 4 item-update, 5 notification-delete",
		},
		"sprintf.php": {
			"<?php\nconst B = 'https://rest.delcampe.net', LOT = '/item';\n$h->put(sprintf('%s/%d?token=%s', LOT, $n, $t));\n" +
				"$h->get(sprintf('%s/shippingModels', B));\n",
			"2 item-update, 3 item-update, 4 shipping-models",
		},
		"Format.pas": {"const LOT = 'https://rest.delcampe.net/item';\nH.Delete(Format('%s/%d', [LOT, n]));\n", "1 item-close, 2 item-close"},
		"Root.cs": {
			"var c = new RestClient(\"https://api.example.org/rest\");\nvar r = new RestRequest(\"item/{id}\", Method.DELETE);\n" +
				"c.Get(new RestRequest(\"/seller\"));\n" +
				"var x = \"https://api.example.org/rest/item/1\";\n",
			"2 item-close, 3 seller",
		},
		"named.java": {
			"class A { static final String B = \"https://rest.delcampe.net\";\nstatic final String LOGIN = \"/seller\", LOT = \"/item/\";\n" +
				"void a() { call(\"POST\", B + LOGIN, key); }\nvoid b() { call(\"PUT\", B + LOT + id, map); }\n" +
				"void c() { call(\"DELETE\", B + LOT + id, why); } }\n",
			"2 item-close, 2 item-update, 2 login, 3 login, 4 item-update, 5 item-close",
		},
		"statement.php": {"<?php\n$b = 'https://rest.delcampe.net';\n$db->query('SELECT * FROM item WHERE id = 1');\nf($b . '/item/' . $id);\n", "4 item"},
		"list.yml": {
			"- url: https://rest.delcampe.net/category\n- method: DELETE\n  url: https://rest.delcampe.net/item/2\n",
			"1 categories, 3 item-close",
		},
		"ends.js": {
			"const b = process.env.B; // https://rest.delcampe.net\nfetch(b + '/item/' + id + '.json');\nfetch(`${b}/item/reference/ab.cde`);\n",
			"2 item, 3 item-by-reference",
		},
		"back.js": {
			"const b = 'https://rest.delcampe.net';\nget(b + '/item/' + id, function (r) { $.ajax({ method: 'PUT', url: other }); });\n" +
				"api.get('/item/' + id + '/buyer', { signal: abortController.signal });\nload({ url: c.base + '/item/' + id + '/buyer', element: box });\n",
			"2 item, 3 item-buyer, 4 item-buyer",
		},
		"generic.ts": {"const b = 'https://rest.delcampe.net';\nthis.http.get<RouteItem>(cfg.base + '/item/' + id + '/buyer');\n", "2 item-buyer"},
		"fill.php":   {"<?php // https://rest.delcampe.net\n$this->get(str_replace('{id}', $id, '/item/{id}/buyer'));\n", "2 item-buyer"},
		"shorter.js": {"const B = \"https://api.example.org/rest\";\n$.post(B + \"/item\", fields);\n", "2 item-create"},
		"same/A.java": {
			"class A { static final String B = \"https://rest.delcampe.net\", RESOURCE = \"/item/\"; void a() { put(B + RESOURCE + id); } }\n" +
				"class C { void a() { delete(B + \"/notification/\" + id); } }\n",
			"1 item-update, 2 notification-delete",
		},
		"typed.ts": {
			"const BASE: string = \"https://rest.delcampe.net\";\nconst LOT: string = \"/item\";\n" +
				"fetch(BASE + LOT + \"/\" + id, {method: \"DELETE\"});\n",
			"2 item-close, 3 item-close",
		},
		"Typed.bas": {
			"Const BASE As String = \"https://rest.delcampe.net\"\nConst SOLD As String = \"/item/auction/sold\"\nhttp.Open \"GET\", BASE & SOLD, False\n",
			"2 auction-sold, 3 auction-sold",
		},
		"Endpoint.java": {
			"enum Endpoint { CLOSE(\"/item/{id}\", HttpMethod.DELETE); }\nclass C { String b = \"https://rest.delcampe.net\";\n" +
				"void x() { rest.exchange(b + Endpoint.CLOSE.getPath(), Endpoint.CLOSE.getMethod(), e); } }\n",
			"1 item-close, 3 item",
		},
		"functions.php": {
			"<?php\nfunction up($id) { $url1 = \"https://rest.delcampe.net/item/$id\"; $this->c->put($url1, $d); }\n" +
				"function rm($id) { $url1 = \"https://rest.delcampe.net/item/$id\"; $this->c->delete($url1); }\n",
			"2 item-update, 3 item-close",
		},
		"member.js": {"https.request({ hostname: \"rest.delcampe.net\", path: \"/item/\" + id, method: \"DELETE\", component: \"x\" });\n", "1 item-close"},
		"abort.js":  {"const B = \"https://rest.delcampe.net\";\nconst r = api.get(\"/item/auction/sold\", abortController.signal);\n", "2 auction-sold"},
		"options.js": {
			"const B = \"https://rest.delcampe.net\";\nvar login = B + \"/seller\", opts = { method: \"PUT\", body: d };\nfetch(B + \"/item/\" + id, opts);\n",
			"2 seller, 3 item-update",
		},
		"Route.jsx": {
			"const b = 'https://rest.delcampe.net';\nconst r = <Route path=\"/notification/settings\" element={<N />} />;\n" +
				"get(`${b}/item/${id}`);\n",
			"3 item",
		},
		"flows.json": {`[{"url":"https://rest.delcampe.net/item/{{{id}}}/buyer"}]`, "1 item-buyer"},
		"phoenix.ex": {
			"@base \"https://rest.delcampe.net\"\nget \"/item/:id/restart\", ItemController, :restart\nget(@base <> \"/item/\" <> id)\n",
			"3 item",
		},
		"before.ps1": {
			"$b = 'https://rest.delcampe.net'\n$l = Ask -Path '/seller' -Method Post -Fields @{ apikey = $k }\n" +
				"$me = (Ask \"$b/seller?token=$t\").body\n",
			"2 login, 3 seller",
		},
		"With.bas": {"b = \"https://rest.delcampe.net\"\nSend \"PUT\", b & \"/item/\" & .Cells(z, 4).Value, x\n", "2 item-update"},
		"part.js": {
			"const b = 'https://rest.delcampe.net';\nconst list = name => get(`${b}/item/${name}`);\nlist('auction/opened');\n",
			"2 item, 3 auction-opened",
		},
		"lister.au3": {
			"; Local $a = Ask(\"GET\", \"/item/auction/closed\")\n$b = \"https://rest.delcampe.net\"\n" +
				"Ask(\"DELETE\", $b & \"/item/\" & $id)\n",
			"3 item-close",
		},
		"settings/a.json": {`{"base":"https://rest.delcampe.net","login":"seller"}`, "1 seller"},
		"format.rs":       {"const B: &str = \"https://rest.delcampe.net\";\nc.put(format!(\"{}/item/{}\", B, n)).send();\n", "2 item-update"},
		"others.sh": {
			"B=https://rest.delcampe.net\ndate -I\ncurl -s -X DELETE \"$B/item/$id\" -d reason=x\nls -G /var/spool\ncurl -s -G -d a=b \"$B/item/auction/sold\"\n",
			"3 item-close, 5 auction-sold",
		},
		"arguments.yml": {"args:\n  - -s\n  - -X\n  - DELETE\n  - https://rest.delcampe.net/item/4711\n", "5 item-close"},
		"rows.php":      {"<?php\nfunction b($t, $rows) { // and not yet /v1\n  return post(\"https://rest.delcampe.net/items?token=$t\", array('items' => xml($rows, array('sale_type' => 'kind')))); }\n", "3 item-bulk"},
		"twohosts.py":   {"HOSTS = {'v1': 'https://rest.delcampe.net/v1', 'rest': 'https://rest.delcampe.net/rest'}\nget('%s/item/%s/buyer' % (HOSTS['rest'], i))\n", "2 item-buyer"},
		"Brackets.java": {"class A { void x() { http.put(\"https://rest.delcampe.net/item/\" + (string), body); } }\n", "1 item-update"},
		"cast.php": {
			"<?php\n$c = curl_init(\"https://rest.delcampe.net/item/\" . (int)$id . \"/feedback?token=$t\");\ncurl_setopt($c, CURLOPT_POSTFIELDS, 'feedback=100');\n",
			"2 item-feedback",
		},
		"Cast.cs":    {"c.DownloadString(\"https://rest.delcampe.net/item/\" + (long) id + \"/buyer\");\n", "1 item-buyer"},
		"market.clj": {"(def base \"https://rest.delcampe.net\")\n(http/put (str base \"/item/\" lot))\n", "2 item-update"},
	} {
		t.Run(name, func(t *testing.T) {
			root := folder(t, map[string]string{name: test.text})
			var got []string
			for _, place := range places(scanned(t, nil, root), filepath.ToSlash(root)) {
				got = append(got, strings.TrimPrefix(place, name+":"))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestACallInAStatementThatServesIsFound has calls of the service in statements that begin with a word of routes, or of answers in a test.
func TestACallInAStatementThatServesIsFound(t *testing.T) {
	files := map[string]string{
		"a.py": "H = 'https://rest.delcampe.net'\nresponses.append(session.get('https://rest.delcampe.net/item/fixedprice/opened'))\nhandle(session.delete(H + f'/item/{n}'))\n" +
			"controller.show('https://rest.delcampe.net/shippingModels')\nresponses.append(session.get(f'{conf.market}/item/{n}/buyer'))\n",
		"b.php": "<?php\n$responses[$n] = $client->put('https://rest.delcampe.net/item/' . $n, $x);\n" +
			"Route::post('/mine', fn () => Http::post('https://rest.delcampe.net/item', $x));\n",
		"c.js":     "router.post('/mine', async (q, s) => s.send(await axios.get('https://rest.delcampe.net/category')));\nthis.responses.push(await this.http.get(`/item/${n}/buyer`));\n",
		"d.yml":    "route_buyer: https://rest.delcampe.net/item/4711/buyer\n",
		"e.ini":    "location = https://rest.delcampe.net/server/time\n",
		"f.conf":   "location = /types { proxy_pass https://rest.delcampe.net/notification/types; }\nRewriteRule ^/item/(.*)/mine https://rest.delcampe.net/item/$1/restart [P]\n",
		"g.rb":     "get 'https://rest.delcampe.net/shippingModels' do |answer|\n  show answer\nend\n",
		"mock.py":  "responses.add(responses.GET, 'https://rest.delcampe.net/item/4711')\nrespx.get(f'https://rest.delcampe.net/item/{n}').mock()\n",
		"mock.js":  "nock('https://rest.delcampe.net').delete('/item/4711').reply(200)\ncy.intercept({ url: 'https://rest.delcampe.net/item/4711' }, x)\n",
		"mock.rb":  "stub_request :get, 'https://rest.delcampe.net/item/4711'\nstub_request(:get, 'https://rest.delcampe.net/item/4711').to_return(x)\n",
		"urls.py":  "urlpatterns = [path('item/<int:n>/buyer', show), re_path('^item/auction/sold', http.sold)]\n",
		"mux.go":   "package m\nfunc f() { mux.Handle(\"/item/auction/sold\", http.StripPrefix(\"/item/auction/sold\", h)) }\n",
		"Ktor.kt":  "fun Route.lots() {\n  get(\"/item/{n}/buyer\") { call.respondText(\"x\") }\n}\nfun ask(n: Int) = client.get(\"/item/$n/buyer\") { header(\"a\", \"b\") }\n",
		"serve.js": "router.get('/item/:n/buyer', async (q, s) => s.send(await show(q)))\n",
	}
	root := folder(t, files)
	want := []string{
		"Ktor.kt:4 item-buyer", "a.py:2 fixedprice-opened", "a.py:3 item-close", "a.py:4 shipping-models", "a.py:5 item-buyer", "b.php:2 item-update", "b.php:3 item-create",
		"c.js:1 categories", "c.js:2 item-buyer", "d.yml:1 item-buyer", "e.ini:1 server-time", "f.conf:1 notification-types", "f.conf:2 item-restart", "g.rb:1 shipping-models",
	}
	if diff := cmp.Diff(want, places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
}

// TestWhatIsServedSaidOrAnothersIsLeftOut has paths of the tables that are no calls, beside a file that knows the service.
func TestWhatIsServedSaidOrAnothersIsLeftOut(t *testing.T) {
	files := map[string]string{
		"host.php": "<?php define('MARKET', 'https://rest.delcampe.net');\n",
		"a.php": "<?php\n// delete('https://rest.delcampe.net/item/4711')\n/* POST https://rest.delcampe.net/items */\n" +
			"$x = \"https://images.delcampe.net/item/large/1.jpg\";\n$r = $other->get('https://api.example.org/item/4711/buyer');\n" +
			"echo 'Call POST https://rest.delcampe.net/item to list an item';\nlog_error(\"GET https://rest.delcampe.net/item/$id failed\");\n" +
			"$allowed = ['rest.delcampe.net'];\n",
		"nuxt.ts":      "export default c({ base: 'https://rest.delcampe.net' });\nconst answer = await get(url);\n",
		"token.sh":     "B=https://rest.delcampe.net\nT=$(cat key)\nx() { curl \"$B$1?token=$T\"; }\n",
		"laravel.php":  "<?php Route::get('/item/{id}/buyer', [ItemController::class, 'buyer']);\n",
		"slim.php":     "<?php $app->get('/item/{id}/buyer', function ($a, $b) { return $b; });\n",
		"symfony.php":  "<?php class C { #[Route('/item/{id}/restart', methods: ['POST'])] public function r() {} }\n",
		"ex.js":        "router.delete('/item/:id', h);\napp.get('/item/:id', (q, r) => r.send(1));\n",
		"test.spec.js": "nock('https://rest.delcampe.net').get('/item/4711').reply(200);\n",
		"flask.py":     "@app.route('/item/<id>/buyer')\ndef b(id): pass\n",
		"django.py":    "urlpatterns = [path('item/<int:id>/buyer', v.buyer)]\n",
		"m.go":         "package m\nfunc f() { mux.HandleFunc(\"GET /item/{id}/buyer\", h); r.Get(\"/item/{id}/buyer\", h) }\n",
		"S.java":       "class C { @GetMapping(\"/item/{id}/buyer\") String b() { return \"\"; } }\n",
		"routes.rb":    "Rails.application.routes.draw do\n  get '/item/:id/buyer', to: 'items#buyer'\nend\n",
	}
	root := folder(t, files)
	if diff := cmp.Diff([]string(nil), places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
		t.Errorf("the findings (-want +got):\n%s", diff)
	}
}

// TestWhatWasMovedIsNotFound has calls of the new interface that look like one of the old one: alone, and beside a program that is not moved
// yet.
func TestWhatWasMovedIsNotFound(t *testing.T) {
	moved := map[string]string{
		"axios.js":   "const api = axios.create({ baseURL: 'https://api.example.com/v1', headers: h });\nawait api.post('/items', lot);\n",
		"guzzle.php": "<?php\n$c = new Client(['base_uri' => 'https://api.example.com/v1/']);\n$c->post('items', ['json' => ['title' => $t, 'sale_type' => 'fixed_price']]);\n",
		"base.py":    "BASE = 'https://api.example.com/v1'\nrequests.post('%s/items' % BASE, json={'title': t})\n",
		"own.php": "<?php\nclass V1 { function call($m, $p, $b) { $c = curl_init(getenv('BASE').'/v1'.$p); curl_setopt($c, CURLOPT_CUSTOMREQUEST, $m); } }\n" +
			"$v->call('POST', '/items', array('sale_type' => 'fixed_price', 'title' => $t, 'personal_reference' => $r));\n",
		"plus.ts": "const V1 = 'https://api.example.com/v1';\nfetch(V1 + '/items', { method: 'POST', body: JSON.stringify({ title, sale_type: 'auction' }) });\n",
	}
	hosts := []string{"api.example.com"}
	alone := folder(t, moved)
	if diff := cmp.Diff([]string(nil), places(scanned(t, hosts, alone), filepath.ToSlash(alone))); diff != "" {
		t.Errorf("alone (-want +got):\n%s", diff)
	}
	moved["old.php"] = "<?php\n$c = new Client(['base_uri' => 'https://api.example.com/rest/']);\n$c->post('items', ['form_params' => $f]);\n"
	half := folder(t, moved)
	if diff := cmp.Diff([]string{"old.php:3 item-bulk"}, places(scanned(t, hosts, half), filepath.ToSlash(half))); diff != "" {
		t.Errorf("beside an old one (-want +got):\n%s", diff)
	}
}

// TestConstantsAreKnownInAllFilesOfAProgram has paths as constants, and files that use them and have no word of the tables.
func TestConstantsAreKnownInAllFilesOfAProgram(t *testing.T) {
	files := map[string]string{
		"conf/paths.py": "HOST = 'https://rest.delcampe.net'\nSOLD_PATH = '/item/auction/sold'\nITEM = '/item'\nONE_PATH = ITEM + '/{x}'\n",
		"src/calls.py":  "get(HOST + SOLD_PATH)\nput(HOST + ONE_PATH.format(x=1))\n",
	}
	several := []string{"conf/paths.py:2 auction-sold", "conf/paths.py:3 item-create", "conf/paths.py:4 item"}
	root := folder(t, files)
	if diff := cmp.Diff(several, places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
		t.Errorf("two programs (-want +got):\n%s", diff)
	}
	for _, name := range []string{"main.py", "package.json", "Makefile"} {
		files[name] = "\n"
		root := folder(t, files)
		one := append(slices.Clone(several), "src/calls.py:1 auction-sold", "src/calls.py:2 item-update")
		if diff := cmp.Diff(one, places(scanned(t, nil, root), filepath.ToSlash(root))); diff != "" {
			t.Errorf("one program with %s (-want +got):\n%s", name, diff)
		}
		delete(files, name)
	}
}

// TestWhatIsWrittenNamedOrComparedIsPossible has lines with paths that are messages, names and comparisons, beside calls that look like
// them.
func TestWhatIsWrittenNamedOrComparedIsPossible(t *testing.T) {
	const call, no = "const b = 'https://rest.delcampe.net';\n", "possible"
	for name, test := range map[string]struct{ text, want string }{
		"log.js":      {call + "console.log(`item/${id}/restart`);\n", no},
		"login.js":    {call + "api.login('/item/closeReasons');\n", "certain"},
		"compared.js": {call + "if (req.url === '/item/closeReasons') { x() }\n", no},
		"print.pl":    {"$b = 'https://rest.delcampe.net';\n$ua->get($b);\nprint \"/item/$id/restart\";\n", no},
		"name.yml":    {"base: https://rest.delcampe.net\n\n- name: POST notification/settings\n", no},
		"uri.yml":     {"base: https://rest.delcampe.net\n\n- uri: POST /notification/settings\n", "certain"},
		"name.json":   {"{\"base\": \"https://rest.delcampe.net\",\n\"name\": \"/item/auction/sold\"}\n", no},
		"path.json":   {"{\"base\": \"https://rest.delcampe.net\",\n\"path\": \"/item/auction/sold\"}\n", "certain"},
		"field.sh":    {"REST=https://rest.delcampe.net\ncurl -d title=$t -d apikey=$k \"$REST/item\"\n", "certain"},
		"named.scala": {"val b = \"https://rest.delcampe.net\"\nval x = xml \\\\ \"/item/closeReasons\"\n", no},
		"goes/on.py":  {"x = 1\nurl = \\\n  \"https://rest.delcampe.net/item/4711/buyer\"\n", "certain"},
		"echo.php":    {"<?php\necho file_get_contents(\"https://rest.delcampe.net/item/$id/buyer\");\n", "certain"},
		"form.php":    {"<form\naction=\"<?php echo file_get_contents('https://rest.delcampe.net/item/' . $id . '/buyer') ?>\">\n", "certain"},
	} {
		report := scanned(t, nil, folder(t, map[string]string{name: test.text}))
		best := ""
		for i := range report.Findings {
			if f := &report.Findings[i]; f.Line > 1 {
				best = string(f.Confidence)
			}
		}
		if best != test.want {
			t.Errorf("%s is %q, want %s", name, best, test.want)
		}
	}
}

// TestATextThatSaysAnAddressIsNoCall quotes addresses in sentences.
func TestATextThatSaysAnAddressIsNoCall(t *testing.T) {
	report := scanned(t, nil, folder(t, map[string]string{
		"a.php": "<?php throw new Exception(\"The call to 'https://rest.delcampe.net/item/4711/buyer' failed again\");\n",
		"b.js":  "alert(\"Please open 'https://rest.delcampe.net/item/4711/buyer' in your browser\");\n",
	}))
	if n := len(report.Findings); n != 0 {
		t.Errorf("%d findings: %v", n, report.Findings)
	}
}

// TestOnlyLeavesOutWhatIsLessSure scans a file with findings of each confidence.
func TestOnlyLeavesOutWhatIsLessSure(t *testing.T) {
	root := folder(t, map[string]string{
		"a.php": "<?php\n$u = 'https://rest.delcampe.net/item/1';\n$this->client->put(\"/item/$id\");\n$x = $path . '/item/' . $id;\n",
	})
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	all := []scan.Confidence{scan.Certain, scan.Likely, scan.Possible}
	for only, want := range map[scan.Confidence][]scan.Confidence{scan.Certain: all[:1], scan.Likely: all[:2]} {
		report, err := scan.Run(t.Context(), table, scan.Options{Paths: []string{root}, BaseURL: baseURL, Only: only})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range report.Findings {
			if !slices.Contains(want, f.Confidence) {
				t.Errorf("with %s there is a finding that is %s", only, f.Confidence)
			}
		}
		if len(report.Findings) == 0 || report.Summary.Calls["item"] == 0 {
			t.Errorf("with %s there is nothing", only)
		}
	}
}
