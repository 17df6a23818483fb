package server_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"sellerd/internal/base/httplog"
	"sellerd/internal/proof/servertest"
	"sellerd/internal/server"
)

// TestTheEdgesHoldUnderAttack sends hostile paths, headers, cursors and bodies over real connections. No answer is 5xx, every answer has
// the form of its stack and an id, and the log has only entries, without what was sent.
func TestTheEdgesHoldUnderAttack(t *testing.T) {
	servertest.Alone(t, func(t *testing.T, w *servertest.World) {
		logged := &servertest.Log{}
		logger := httplog.NewLogger(logged, slog.LevelInfo, httplog.JSON)
		before := log.Writer()
		httplog.TakeOver(logger) // as the program does
		defer log.SetOutput(before)
		s, err := server.New(server.Config{Service: w.Service, Logger: logger, BaseURL: "http://sellerd.test"})
		if err != nil {
			t.Fatal(err)
		}
		item := w.List(t, servertest.FixedPrice()) // before the server's own workers run
		public, _ := running(t, s)
		sent := 0
		for _, request := range hostileRequests(w.Key, item) {
			sent++
			status, header, body, err := exchangeRaw(public, request)
			if err != nil {
				t.Errorf("%.120q: %v", request, err)
				continue
			}
			switch {
			case status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported:
				t.Errorf("%.120q: %d %s", request, status, body)
			case header.Get("X-Request-Id") == "":
				t.Errorf("%.120q: %d without an id", request, status)
			case status >= 400 && !inEnvelope(status, header, body):
				t.Errorf("%.120q: %d is not in an envelope: %.200s", request, status, body)
			}
		}
		if sent < 700 {
			t.Errorf("only %d requests", sent)
		}
		if status, _, body, err := exchangeRaw(public, "GET /v1/items/"+item+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Api-Key: "+w.Key+"\r\n\r\n"); err != nil || status != 200 {
			t.Errorf("afterwards: %d %v %s", status, err, body)
		}
		for line := range strings.Lines(logged.String()) {
			var entry map[string]any
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				t.Errorf("the log has a line that is no entry: %s", line)
			}
			for _, secret := range []string{w.Key[20:], oldKey, "evil", "127.0.0.1:"} {
				if strings.Contains(line, secret) {
					t.Errorf("the log has %s: %s", secret, line)
				}
			}
		}
	})
}

// hostile are texts that have broken programs: control characters, half of a character, other spellings, and much of something.
var hostile = []string{
	"%00", "%0A", "%0D%0A", "%09", "%1B[31m", "%7F", "%80", "%FF", "%C0%80", "%C3", "%ED%A0%80", "%E2%80%AE", "%EF%BB%BF", "%EF%BF%BF", "%F4%90%80%80",
	"%2e%2e%2f", "..%2F..%2Fevil", "%2e", "%2F", "%5C", "%25", "%2561", "%252e%252e", "%3B", "%26", "%23", "%3F", "%22", "%27", "%60", "%3Cevil%3E", "%7B%7D",
	"%24%7Bevil%7D", "%27%20OR%201=1--", "*", "~", ";", "a;b=c", "+", "-1", "0", "00", "1e9", "99999999999999999999999", "null", "undefined", "NaN", "true",
	"%D9%A1%D9%A2", "%EF%BC%91", "%F0%9F%98%80", strings.Repeat("a", 300), strings.Repeat("%C3%A9", 200), strings.Repeat("../", 50), strings.Repeat("%2e%2e/", 50),
}

// hostileRequests are whole requests.
func hostileRequests(key, item string) (all []string) {
	const end = "Connection: close\r\n\r\n"
	signed := "Host: sellerd.test\r\nX-Api-Key: " + key + "\r\n"
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	for _, text := range hostile {
		for _, line := range []string{
			"GET /v1/items/%s", "GET /v1/%s", "GET /%s", "GET /v1/items?after=%s", "GET /v1/items?q=%s", "GET /v1/items?%s=1", "GET /v1/events?after=%s",
			"GET /v1/items?limit=%s", "DELETE /v1/webhooks/%s", "GET /docs/%s", "GET /errors/%s", "GET /rest/item/%s", "GET /rest/item/reference/%s",
			"GET /rest/seller?token=%s", "GET /rest/%s", "OPTIONS /v1/items/%s", "GET /migration/%s", "GET /search?q=%s",
		} {
			add(line+" HTTP/1.1\r\n"+signed+end, text)
		}
	}
	for _, value := range []string{
		"\x01", "a\tb", "\xff\xfe", "\xc3\xa9", "\"", ",", ",,,", "W/", `W/"`, `"a`, "*, *", "evil\x7f", "q=", "fr;q=9", ";q=1", strings.Repeat("fr,", 2000), strings.Repeat("a", 9000),
		"bytes=0-1", "gzip;q=0", "application/json; charset=\"", "application/json; charset=utf-7", "text/html, */*;q=evil", "100-continue, evil", "{}", "%00", "\u00a0",
	} {
		for _, name := range []string{
			"If-Match", "If-None-Match", "Accept-Language", "Idempotency-Key", "X-Request-Id", "Content-Type", "Accept", "Content-Encoding", "X-Forwarded-For", "Forwarded",
			"X-Api-Key", "Authorization", "Legacy-Drill", "Cookie", "Origin", "Range",
		} {
			add("PATCH /v1/items/%s HTTP/1.1\r\nHost: sellerd.test\r\nX-Api-Key: %s\r\nContent-Length: 14\r\n%s: %s\r\n%s{\"title\":\"ok\"}", item, key, name, value, end)
		}
	}
	for _, body := range []string{
		"\xef\xbb\xbf{}", "\xff\xfe{\x00}\x00", "{'a':1}", "{“a”:1}", "{\"a\":1,}", "// evil\n{}", "{\"a\":NaN}", "\x00", "\x1f\x8b\x08", strings.Repeat("[", 5000), strings.Repeat("{\"a\":", 100),
		"{\"title\":\"\\ud800\"}", "{\"title\":\"\\u0000\"}", "{\"title\":\"\xff\"}", "{\"title\":\"a\nb\"}", `{"title":"a","title":"b"}`, `{"\u0000":1}`, `{"evil\u001b":1}`, "null", "[]", "1e999", `"evil"`,
		"title=evil", "<item/>", "@evil", `{"price":{"amount":"1e9","currency":"EUR"}}`, `{"quantity":1e400}`, `{"quantity":-0}`, "{}{}", " ", "\t\r\n",
		strings.Repeat(" ", 70000) + "{}", `{"images":[` + strings.Repeat(`"",`, 9000) + `""]}`,
	} {
		for _, path := range []string{"POST /v1/items", "POST /v1/item-batches", "PATCH /v1/items/" + item, "POST /v1/webhooks", "POST /migration/translate", "POST /rest/item", "POST /v1/nothing", "PUT /v1/items"} {
			add("%s HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d\r\n%s%s", path, signed, len(body), end, body)
		}
	}
	return append(all,
		"GET /v1/%zz HTTP/1.1\r\n"+signed+end, "GET /v1/items HTTP/9.9\r\n"+signed+end, "GET  /v1/items HTTP/1.1\r\n"+signed+end, "GET evil HTTP/1.1\r\n"+signed+end,
		"BREW /v1/items HTTP/1.1\r\n"+signed+end, "GET /v1/items HTTP/1.1\r\n"+end, "GET /v1/items HTTP/1.1\r\nHost: a\r\nHost: b\r\n"+end,
		"GET /v1/items HTTP/1.1\r\nHost: evil\x00\r\n"+end, "OPTIONS * HTTP/1.1\r\n"+signed+end, "GET http://evil.example/v1/items HTTP/1.1\r\n"+signed+end,
		"POST /v1/items HTTP/1.1\r\n"+signed+"Transfer-Encoding: evil\r\n"+end, "POST /v1/items HTTP/1.1\r\n"+signed+"Content-Length: -1\r\n"+end,
		"POST /v1/items HTTP/1.1\r\n"+signed+"Content-Length: 1\r\nContent-Length: 2\r\n"+end+"{}", "POST /v1/items HTTP/1.1\r\n"+signed+"Expect: evil\r\nContent-Length: 2\r\n"+end+"{}",
		"GET /v1/items?a;b HTTP/1.1\r\n"+signed+end, "GET /search?q=a;b HTTP/1.1\r\n"+signed+end, "GET /v1/items HTTP/1.1\r\n"+signed+strings.Repeat("A: b\r\n", 5000)+end,
		"GET /v1/items HTTP/1.1\r\n"+signed+"X-Api-Key: evil\r\n"+end, "CONNECT evil.example:443 HTTP/1.1\r\n"+signed+end,
		// What could be logged as it was sent: the method, and an id.
		"evil /v1/items HTTP/1.1\r\n"+signed+end, key+" /v1/items HTTP/1.1\r\n"+signed+end,
		"GET /v1/items HTTP/1.1\r\n"+signed+"X-Request-Id: "+key+"\r\n"+end, "GET /v1/items HTTP/1.1\r\n"+signed+"X-Request-Id: "+oldKey+"\r\n"+end,
		"GET /rest/seller HTTP/1.1\r\nHost: sellerd.test\r\nX-Request-Id: job-"+oldKey+"\r\n"+end, "POST /rest/seller HTTP/1.1\r\nHost: sellerd.test\r\nContent-Length: 71\r\n"+
			"Content-Type: application/x-www-form-urlencoded\r\nX-Request-Id: "+oldKey+"\r\n"+end+"apikey="+oldKey,
	)
}

// oldKey has the form of a key of /rest.
var oldKey = strings.Repeat("oLdKeY99", 8)

// exchangeRaw sends bytes as they are and reads the final answer.
func exchangeRaw(address, request string) (status int, header http.Header, body string, err error) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		return 0, nil, "", err
	}
	defer connection.Close()
	_ = connection.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(connection, request); err != nil {
		return 0, nil, "", err
	}
	method, _, _ := strings.Cut(request, " ")
	answer, err := http.ReadResponse(bufio.NewReader(connection), &http.Request{Method: method})
	if err != nil {
		return 0, nil, "", err
	}
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(text), err
}

// inEnvelope says whether an error has the form of /v1, of /rest, or of a page.
func inEnvelope(status int, header http.Header, body string) bool {
	switch media, _, _ := strings.Cut(header.Get("Content-Type"), ";"); media {
	case "application/json":
		var envelope struct {
			Status int `json:"status_code"`
			Errors []struct{ Code, Message string }
		}
		return json.Unmarshal([]byte(body), &envelope) == nil && envelope.Status == status && len(envelope.Errors) > 0 && envelope.Errors[0].Code != "" && envelope.Errors[0].Message != ""
	case "application/xml":
		return strings.Contains(body, fmt.Sprintf("<headers><status>%d</status>", status)) && strings.Contains(body, "<errorCode>")
	case "text/html":
		return strings.HasPrefix(body, "<!doctype html>") && status == http.StatusNotFound
	}
	return false
}
