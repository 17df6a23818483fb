package paste

import (
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

// This file prints the meaning of a paste as commands of a shell. A value stays a value, whatever it contains: everything is in
// single quotes but the variables of the paste, and the variables for values that a step finds.

// placeholder matches a value that the step before finds.
var placeholder = pattern.Late(`\{([a-z_]+)\}`)

// print adds the requests of a decoded request to a translation.
func (p *pasted) print(out *Meaning, plan *translate.Plan, request *translate.Request, baseURL string) {
	requests := command.Requests(plan, request)
	batches := 0
	for i := range requests {
		if requests[i].Step.Main {
			batches++
		}
	}
	var script strings.Builder
	if slices.ContainsFunc(requests, func(r command.Request) bool { return r.Key != "" }) {
		script.WriteString(p.shell.SetAct())
	}
	for i := range requests {
		requests[i].Key = p.vars.numbersOnly(requests[i].Key)
		step := p.step(plan, &requests[i], baseURL)
		if batches > 1 {
			first := len(out.Steps)*v1.MaxBatch + 1
			step.Purpose = fmt.Sprintf("submit entries %d to %d of %d", first, min(first+v1.MaxBatch-1, len(request.Entries)), len(request.Entries))
		}
		if learned := p.learnedNames(&requests[i]); len(learned) > 0 {
			step.Purpose += "; " + inList(learned, "and") + " follows from the step before"
		}
		if len(requests) > 1 {
			fmt.Fprintln(&script, p.shell.Comment(fmt.Sprintf("%d. %s", i+1, step.Purpose)))
		}
		script.WriteString(step.Curl + "\n")
		if requests[i].Step.Main && !out.V1.Set {
			out.V1 = v1.Some(V1Request{step.Method, step.Path, step.Query, step.Headers, step.Body})
		}
		out.Steps = append(out.Steps, step)
	}
	out.Curl = v1.Some(strings.TrimSuffix(script.String(), "\n"))
}

// step returns a request with its command. A body has placeholders only if it is the template of a step. Braces in an address or in a key
// are always placeholders.
func (p *pasted) step(plan *translate.Plan, printed *command.Request, baseURL string) V1Step {
	path, query, _ := strings.Cut(printed.Address, "?")
	step := V1Step{
		Purpose: printed.Step.Purpose, Method: printed.Step.Operation.Method,
		Path: p.vars.restore(path), Query: p.vars.restore(query), Headers: []V1Header{},
	}
	if step.Purpose == "" {
		step.Purpose = strings.ToLower(plan.Title[:1]) + plan.Title[1:]
	}
	var headers []command.Header
	add := func(name, value string, placeholders bool) {
		step.Headers = append(step.Headers, V1Header{name, p.vars.restore(value)})
		headers = append(headers, command.Header{Name: name, Value: p.word(value, placeholders)})
	}
	for _, header := range printed.Headers {
		name, value, _ := strings.Cut(header, ": ")
		add(name, value, false)
	}
	if printed.Key != "" {
		add(command.KeyHeader, printed.Key, true)
	}
	var body command.Word
	if printed.Body != "" {
		step.Body = v1.Some(v1.Raw[struct{}]{Text: p.vars.restoreJSON(printed.Body)})
		body = p.word(command.Readable(jsonControls(printed.Body)), printed.Step.Body != "")
	}
	step.Curl = p.shell.Print(step.Method, p.word(baseURL+printed.Address, true), headers, body)
	return step
}

// learnedNames returns the variables of a command whose values the step before finds.
func (p *pasted) learnedNames(r *command.Request) (names []string) {
	for _, found := range placeholder().FindAllStringSubmatch(r.Address+" "+r.Step.Body, -1) {
		names = append(names, p.learned(found[1]))
	}
	return names
}

// learned returns the variable for a {placeholder}. No variable of the paste has the same name, in capitals or small letters.
func (p *pasted) learned(name string) string {
	for slices.ContainsFunc(p.vars.names, func(given string) bool { return strings.EqualFold(given, name) }) {
		name += "_2"
	}
	return strings.ToUpper(name)
}

// word returns a text as a word of a shell. Variables of the paste are expanded in it, and so are {placeholders} if it has
// any.
func (p *pasted) word(text string, placeholders bool) (word command.Word) {
	add := func(text string, variable bool) { word = append(word, command.Part{Text: text, Variable: variable}) }
	parts := p.vars.split(text)
	for i, part := range parts {
		if i%2 == 1 {
			add(part, true)
			continue
		}
		if placeholders {
			for at := placeholder().FindStringSubmatchIndex(part); at != nil; at = placeholder().FindStringSubmatchIndex(part) {
				add(part[:at[0]], false)
				add(p.learned(part[at[2]:at[3]]), true)
				part = part[at[1]:]
			}
		}
		add(part, false)
	}
	return word
}

// variable returns a variable as the command has it.
func (p *pasted) variable(name string) string {
	word := p.shell.Word(command.Word{{Text: name, Variable: true}})
	return strings.TrimSuffix(strings.TrimPrefix(word, `^"`), `^"`)
}

// jsonControls escapes control characters that JSON allows and terminals interpret.
func jsonControls(text string) string {
	var b strings.Builder
	for _, r := range text {
		if isControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isControl(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
