// Package command writes requests as commands of curl: those of /v1 that a decoded request means, and samples of /rest as
// old programs send them. The guide and the translator print them.
package command

import (
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/translate"
)

// V1 returns a request of /v1 as a command of curl, one option a line. Address, headers and body must be words of a shell
// already.
func V1(method, address string, headers []string, body string) string {
	lines := []string{"curl " + address, `-H "X-Api-Key: $KEY"`}
	usual := http.MethodGet
	if body != "" {
		usual = http.MethodPost
	}
	if method != usual {
		lines[0] = "curl -X " + method + " " + address
	}
	for _, header := range headers {
		lines = append(lines, "-H "+header)
	}
	if body != "" {
		lines = append(lines, "-H 'Content-Type: application/json'", "-d "+body)
	}
	return strings.Join(lines, " \\\n  ")
}

// Quote returns a text as a word of a POSIX shell, in single quotes.
func Quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// Readable formats JSON: on one line when it is short, and else on several. A text that is no JSON stays as it is.
func Readable(body string) string {
	const short = 72
	text := jsontext.Value(body)
	format := []jsontext.Options{jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true)}
	if len(body) > short {
		format = []jsontext.Options{jsontext.WithIndentPrefix("  "), jsontext.WithIndent("  ")}
	}
	if err := text.Format(format...); err != nil {
		return body
	}
	return string(text)
}

// Legacy returns a sample as the command of an old program that calls the old host.
func Legacy(p *translate.Plan, sample *translate.Sample) string {
	address := translate.OldHost + strings.TrimPrefix(p.Address(sample), "/"+translate.Root) + "?token=$TOKEN"
	var fields []string
	if p.Method == http.MethodGet && sample.Form != "" {
		address += "&" + sample.Form
	} else if sample.Form != "" {
		fields = strings.Split(strings.ReplaceAll(sample.Form, "'", "%27"), "&")
	}
	return Rest(p.Method, address, fields)
}

// Rest returns a request of /rest as a command of curl. The address may have variables of the shell, the fields of the form no apostrophes.
func Rest(method, address string, fields []string) string {
	command := "curl "
	if method != http.MethodGet && (method != http.MethodPost || len(fields) == 0) {
		command += "-X " + method + " "
	}
	command += `"` + address + `"`
	for _, field := range fields {
		command += " \\\n  -d '" + field + "'"
	}
	return command
}
