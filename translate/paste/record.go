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

// braces is a variable of Postman.
var braces = pattern.Late(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// entry is an entry of a HAR alone.
var entry = pattern.Late(`^\{\s*"(?:_?\w+"\s*:\s*(?:"[^"]*"|[\d.]+|null|true|false)\s*,\s*")*request"\s*:\s*\{(?s:.*)"(?:postData|httpVersion|queryString)"`)

// preamble is what editors allow before a request as it is sent: comments, and variables.
var preamble = pattern.Late(`^(?:(?:#.*|//.*|@[\w.-]+[ \t]*=.*|[ \t]*)\n)+`)

// lineOfForm is a line break between two fields, which editors allow too.
var lineOfForm = pattern.Late(`\s*\n[ \t]*&|&[ \t]*\n\s*`)

// isRequest says whether a text is the request of such an entry alone.
func isRequest(text string) bool {
	has := func(name string) bool { return strings.Contains(text, `"`+name+`"`) }
	return strings.HasPrefix(text, "{") && has("method") && has("url") && (has("postData") || has("queryString")) && !has("request") && !has("entries")
}

// readRecord reads a record with one request. It returns nil when the text is no record.
func readRecord(text string, vars *variables) (*pasted, error) {
	if isRequest(text) {
		text = `{"request":` + text + `}`
	}
	if entry().MatchString(text) {
		text = `{"log":{"entries":[` + text + `]}}`
	}
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
	p := &pasted{vars: vars, method: r.Method, media: r.ContentType}
	marked := func(found string) string { return vars.mark(braces().FindStringSubmatch(found)[1]) }
	p.address = braces().ReplaceAllStringFunc(r.Address(), marked)
	if kind == capture.Lines && r.Body == "" && r.Method != "GET" && r.Method != "HEAD" {
		vars.note("", "A line of a log has no body. If the request had one, paste the line's method and URL, and the form as the body.")
	}
	if r.Body != "" {
		body := strings.TrimSpace(r.Body)
		if kind == capture.HTTP && !strings.HasPrefix(r.ContentType, translate.MediaMultipart) {
			body = braces().ReplaceAllStringFunc(lineOfForm().ReplaceAllString(body, "&"), marked)
		}
		p.addForm(body)
		if strings.HasPrefix(r.ContentType, translate.MediaMultipart) && !strings.Contains(r.Body, "\r\n") {
			p.form[0] = strings.ReplaceAll(p.form[0], "\n", "\r\n") // the clipboard removed the carriage returns
		}
	}
	return p, nil
}
