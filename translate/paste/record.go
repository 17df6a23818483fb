package paste

import (
	"fmt"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/capture"
)

// This file reads a request that a program recorded: HAR, a collection of Postman, a line of a log, or a request as it is
// sent. Package capture knows these formats.

// entry is an entry of a HAR alone.
var entry = pattern.Late(`^\{\s*"(?:_?\w+"\s*:\s*(?:"[^"]*"|[\d.]+|null|true|false)\s*,\s*")*request"\s*:\s*\{(?s:.*)"(?:postData|httpVersion|queryString)"`)

// preamble is what editors allow before a request as it is sent: comments, and variables.
var preamble = pattern.Late(`^(?:(?:#.*|//.*|@[\w.-]+[ \t]*=.*|[ \t]*)\n)+`)

// lineOfForm is a line break between two fields, which editors allow too.
var lineOfForm = pattern.Late(`\s*\n[ \t]*&|&[ \t]*\n\s*`)

// completed returns a record of which the request was copied alone, of a HAR or of Postman, as a whole one.
func completed(text string) string {
	has := func(name string) bool { return strings.Contains(text, `"`+name+`"`) }
	if !strings.HasPrefix(text, "{") || !has("url") || has("entries") || capture.Sniff([]byte(text)) == capture.Postman {
		return text
	}
	ofHAR := has("postData") || has("queryString")
	ofPostman := !ofHAR && (has("raw") || has("mode"))
	if !has("request") && has("method") && (ofHAR || ofPostman) {
		text = `{"request":` + text + `}`
	}
	switch {
	case ofPostman:
		text = `{"item":[` + text + `]}`
	case entry().MatchString(text):
		text = `{"log":{"entries":[` + text + `]}}`
	}
	return text
}

// readRecord reads a record with one request. It returns nil when the text is no record.
func readRecord(text string, vars *variables) (*pasted, error) {
	text = completed(text)
	kind := capture.Sniff([]byte(preamble().ReplaceAllString(text, "")))
	if kind == capture.Unknown || kind == capture.HTTP && !strings.Contains(text, "\n") {
		return nil, nil
	}
	var requests []capture.Request
	err := capture.Read(kind, strings.NewReader(text), func(r capture.Request) { requests = append(requests, r) })
	switch {
	case err != nil:
		return nil, refusePaste("request", "The record ends early, or is no JSON. Paste all of it.")
	case len(requests) == 0:
		if kind == capture.Postman {
			return nil, refusePaste("request", "The record has no request with an address. Paste one request of it: its method, its URL and its form.")
		}
		return nil, nil
	case len(requests) > 1:
		return nil, refusePaste("request", fmt.Sprintf("These are %d requests. Paste one at a time.", len(requests)))
	}
	r := requests[0]
	p := &pasted{vars: vars, method: r.Method, media: r.ContentType, address: r.Address()}
	if kind == capture.Lines && r.Body == "" && r.Method != "GET" && r.Method != "HEAD" {
		vars.note("", "A line of a log has no body. If the request had one, paste the line's method and URL, and the form as the body.")
	}
	if r.Body != "" {
		body := strings.TrimSpace(r.Body)
		if kind == capture.HTTP && !strings.HasPrefix(r.ContentType, translate.MediaMultipart) {
			body = lineOfForm().ReplaceAllString(body, "&")
		}
		p.addForm(body)
		if strings.HasPrefix(r.ContentType, translate.MediaMultipart) && !strings.Contains(r.Body, "\r\n") {
			p.form[0] = strings.ReplaceAll(p.form[0], "\n", "\r\n") // the clipboard removed the carriage returns
		}
	}
	return p, nil
}
