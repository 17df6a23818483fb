package paste_test

import (
	"encoding/json"
	"strings"
	"testing"

	"sellerd/translate"
	"sellerd/translate/paste"
)

// recordKey is the credential of each record. No translation contains it.
const recordKey = "s3cr3t-0123456789-token"

func TestARecordOfARequestIsTranslated(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ record, call, path, body string }{
		"a HAR": {
			`{"log": {"version": "1.2", "entries": [{"request": {"method": "PUT", "url": "https://rest.delcampe.net/item/4711?token=` + recordKey + `",
			"postData": {"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "qty", "value": "2"}]}}, "response": {"status": 200}}]}}`,
			"item-update", "/v1/items/4711", `{"quantity":2}`,
		},
		"a collection of Postman": {
			`{"info": {"schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}, "item": [{"request": {"method": "DELETE",
			"url": {"raw": "{{base}}/item/{{id}}?token=` + recordKey + `"}, "body": {"mode": "urlencoded", "urlencoded": [{"key": "reason", "value": "TestItem"}]}}}]}`,
			"item-close", "/v1/items/$id/close", `{"reason":"test"}`,
		},
		"a request of Postman with its name": {
			`{"name": "price", "request": {"method": "PUT", "url": {"raw": "{{base}}/item/{{lot}}", "host": ["{{base}}"], "path": ["item", "{{lot}}"]},
			"body": {"mode": "urlencoded", "urlencoded": [{"key": "subtitle", "value": "Box {{box}}"}]}}}`,
			"item-update", "/v1/items/$lot", `{"subtitle":"Box $box"}`,
		},
		"a request of Postman alone, on one line": {
			`{"method":"DELETE","url":"https://rest.delcampe.net/item/4711","body":{"mode":"raw","raw":"reason={{why}}"}}`,
			"item-close", "/v1/items/4711/close", `{"reason":"$why"}`,
		},
		"a line of a combined log": {
			`203.0.113.9 - - [12/Mar/2026:06:25:24 +0100] "GET /rest/item/4711?token=` + recordKey + ` HTTP/1.1" 200 512 "-" "curl/7.88"`,
			"item", "/v1/items/4711", "",
		},
		"a line of JSON": {
			`{"time": "2026-03-12T06:25:24Z", "host": "rest.delcampe.net", "method": "POST", "path": "/item/4711/restart?token=` + recordKey + `", "status": 200}`,
			"item-restart", "/v1/items/4711/restart", "",
		},
		"a recording of the bridge": {
			`{"at":"2027-11-01T10:00:00Z","call":"item","method":"GET","path":"/rest/item/4711","status":200,"ms":3,"v1":[],"lossy":[]}`,
			"item", "/v1/items/4711", "",
		},
		"a request as it is sent": {
			"DELETE /item/4711 HTTP/1.1\r\nHost: rest.delcampe.net\r\nX-Api-Key: " + recordKey + "\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\nreason=TestItem&token=" + recordKey,
			"item-close", "/v1/items/4711/close", `{"reason":"test"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := paste.Translate(table, paste.Input{Request: test.record, BaseURL: "https://api.example.com"})
			if err != nil {
				t.Fatal(err)
			}
			if got := out.V1.V; out.Call != test.call || got.Path != test.path || got.Body.V.Text != test.body {
				t.Errorf("it is %s, %s %s with %s, not %s, %s with %s", out.Call, got.Method, got.Path, got.Body.V.Text, test.call, test.path, test.body)
			}
			if text, err := json.Marshal(out); err != nil || strings.Contains(string(text), recordKey) {
				t.Errorf("the translation has the token: %v\n%s", err, text)
			}
		})
	}
}

func TestARecordThatCannotBeTranslatedIsRefused(t *testing.T) {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	entry := `{"request": {"method": "GET", "url": "https://rest.delcampe.net/seller"}}`
	for name, test := range map[string]struct{ record, want string }{
		"a HAR with two requests": {`{"log": {"entries": [` + entry + `, ` + entry + `]}}`, "These are 2 requests. Paste one at a time."},
		"half a HAR":              {`{"log": {"entries": [` + entry, "The record ends early, or is no JSON. Paste all of it."},
		"a HAR without a request": {`{"log": {"entries": []}}`, "No request of /rest can be read"},
		"a line about another host's path": {
			`{"host": "jira.example.com", "method": "GET", "path": "/rest/api/2/issue/1"}`, "The old interface has no call at this address.",
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := paste.Translate(table, paste.Input{Request: test.record, BaseURL: "https://api.example.com"})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, not %s", err, test.want)
			}
		})
	}
}
