package guide

import (
	"cmp"
	"fmt"
	"strings"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/translate/openapi"
)

// This file makes the commands of each call. The legacy request is the call's example, and the request of /v1 is made of it by
// the tables, so both have the same meaning. A test runs all of them.

// Variables of the reader's objects, and the numbers that replace them while the tables translate.
var readerVariables = map[string]string{
	"$ITEM": "4000000001", "$ENDED": "4000000002", "$SOLD": "4000000003", "$SETTING": "4000000004", "$REFERENCE": "reference-of-yours",
}

// commandPair returns the two commands of a call.
func commandPair(p *translate.Plan, base string) CommandPair {
	pair := CommandPair{
		Legacy: legacyCommand(p, base), Refused: p.Target.Kind == translate.Absent, Changes: !p.Reads() && !p.TakesKey,
		V1: strings.ReplaceAll(p.Guide.Example.V1, "{base}", base),
	}
	if p.Target.Operation() != nil {
		pair.V1 = strings.Join(v1Commands(p, base), "\n")
	}
	return pair
}

// legacyCommand returns the request of an old program: with a token, and with its fields in the query or in a form.
func legacyCommand(p *translate.Plan, base string) string {
	address := base + p.Pattern
	for name, text := range p.Guide.Example.Path {
		address = strings.ReplaceAll(address, "{"+name+"}", text)
	}
	if p.TakesKey {
		return `curl "` + address + `" -d "apikey=$KEY"`
	}
	var query, fields []string
	for _, pair := range p.Guide.Example.Form {
		if field := pair.Name + "=" + pair.Text; openapi.InQuery(p.Call) {
			query = append(query, field)
		} else {
			fields = append(fields, field)
		}
	}
	return command.Rest(p.Method, address+"?"+strings.Join(append(query, "token=$TOKEN"), "&"), fields)
}

// v1Commands returns the requests that the tables print. When there are several, each has its purpose as a comment.
func v1Commands(p *translate.Plan, base string) (commands []string) {
	path := map[string]string{}
	for name, text := range p.Guide.Example.Path {
		path[name] = cmp.Or(readerVariables[text], text)
	}
	fields, err := translate.NewFields(p.Guide.Example.Form)
	if err != nil {
		panic(fmt.Sprintf("guide: the request of %s: %v", p.ID, err))
	}
	means, refused := p.Decode(path, fields)
	if refused != nil {
		panic(fmt.Sprintf("guide: the request of %s is refused: %v", p.ID, refused))
	}
	requests := command.Requests(p, means)
	for i := range requests {
		step := requests[i].Step
		if len(p.Target.Steps) > 1 {
			commands = append(commands, "# "+step.Purpose)
		}
		headers, body := requests[i].Headers, ""
		for i, header := range headers {
			headers[i] = command.Quote(header)
		}
		if key := requests[i].Key; key != "" {
			headers = append(headers, `"`+command.KeyHeader+": "+key+`"`)
		}
		if requests[i].Body != "" {
			body = command.Quote(command.Readable(requests[i].Body))
		}
		commands = append(commands, withVariables(command.V1(step.Operation.Method, `"`+base+requests[i].Address+`"`, headers, body)))
	}
	return commands
}

// withVariables replaces numbers and placeholders by the reader's variables.
func withVariables(line string) string {
	pairs := []string{
		"{webhook_id}", "$WEBHOOK", "{sale_id}", "$SALE", "{item_id}", "$SOLD",
		"{other_status}", "paused", command.ActPart, "$ACT",
	}
	for name, text := range readerVariables {
		pairs = append(pairs, text, name)
	}
	return strings.NewReplacer(pairs...).Replace(line)
}
