package paste

import (
	"fmt"
	"regexp"
	"strings"

	"sellerd/translate"
	"sellerd/translate/capture"
)

// This file reads a request that a program recorded: HAR, a collection of Postman, a line of a log, or a request as it is
// sent. Package capture knows these formats.

// braces is a variable of Postman.
var braces = regexp.MustCompile(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)

// readRecord reads a record with one request. It returns nil when the text is no record.
func readRecord(text string, vars *variables) (*pasted, error) {
	kind := capture.Sniff([]byte(text))
	if kind == capture.Unknown || kind == capture.HTTP && !strings.Contains(text, "\n") {
		return nil, nil
	}
	var requests []capture.Request
	err := capture.Read(kind, strings.NewReader(text), func(r capture.Request) { requests = append(requests, r) })
	switch {
	case err != nil:
		return nil, refusePaste("request", "The record ends early, or is no JSON. Paste all of it.")
	case len(requests) == 0:
		return nil, nil
	case len(requests) > 1:
		return nil, refusePaste("request", fmt.Sprintf("These are %d requests. Paste one at a time.", len(requests)))
	}
	r := requests[0]
	p := &pasted{vars: vars, method: r.Method, media: r.ContentType}
	p.address = braces.ReplaceAllStringFunc(r.Address(), func(found string) string { return vars.mark(braces.FindStringSubmatch(found)[1]) })
	if r.Body != "" {
		p.addForm(strings.TrimSpace(r.Body))
		if strings.HasPrefix(r.ContentType, translate.MediaMultipart) && !strings.Contains(r.Body, "\r\n") {
			p.form[0] = strings.ReplaceAll(p.form[0], "\n", "\r\n") // the clipboard removed the carriage returns
		}
	}
	return p, nil
}
