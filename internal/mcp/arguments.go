package mcp

import (
	"bytes"
	"cmp"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	v1 "sellerd/v1"
	"sellerd/v1/client"
)

// arguments are the arguments of a call, and what is wrong with those that were read.
type arguments struct {
	values map[string]jsontext.Value
	wrong  problems
}

// readArguments reads the arguments of a tool. An argument that the tool does not have is an error that names those it has.
func readArguments(given []byte, t *tool) (*arguments, error) {
	a := &arguments{values: map[string]jsontext.Value{}}
	if len(given) > 0 && string(bytes.TrimSpace(given)) != "null" {
		if err := json.Unmarshal(given, &a.values); err != nil {
			return nil, argumentProblem(v1.MalformedJSON, "arguments", "The arguments are not a JSON object with each name once.")
		}
	}
	var names []string
	for _, m := range t.properties {
		names = append(names, m.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		if !slices.Contains(names, name) {
			a.fail(v1.UnknownParameter, short(name), "The tool has no such argument. It has "+strings.Join(names, ", ")+".")
		} else if a.values[name].Kind() == 'n' {
			delete(a.values, name) // null is the same as absent
		}
	}
	if a.wrong != nil {
		return nil, a.wrong
	}
	return a, nil
}

// argumentProblem is an error about an argument, with a code of the service.
func argumentProblem(code v1.Code, field, message string) error {
	return problems{{Code: string(code), Field: field, Message: message}}
}

// fail notes what is wrong with an argument.
func (a *arguments) fail(code v1.Code, name, message string) {
	a.wrong = append(a.wrong, problem{Code: string(code), Field: name, Message: message})
}

// first is the first error of the arguments that were read.
func (a *arguments) first() error {
	if a.wrong == nil {
		return nil
	}
	return a.wrong[:1]
}

// text is an argument that is a string, empty without one.
func (a *arguments) text(name string) (text string) {
	switch value, given := a.values[name]; {
	case !given:
	case value.Kind() == '0': // agents write ids as numbers
		return string(value)
	case json.Unmarshal(value, &text) != nil:
		a.fail(v1.InvalidParameter, name, "It must be a string.")
	}
	return text
}

// flag is an argument that is true or false.
func (a *arguments) flag(name string, without bool) bool {
	flag := without
	if value, given := a.values[name]; given && json.Unmarshal(value, &flag) != nil {
		a.fail(v1.InvalidParameter, name, "It must be true or false.")
	}
	return flag
}

// number is an argument that is a whole number from 0 on, 0 without one.
func (a *arguments) number(name string) int {
	value, given := a.values[name]
	if !given {
		return 0
	}
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 0 {
		a.fail(v1.InvalidParameter, name, "It must be a whole number from 0 on.")
	}
	return n
}

// visible is an argument that becomes a header, empty without one.
func (a *arguments) visible(name string) string {
	text := a.text(name)
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		a.fail(v1.InvalidParameter, name, "It must be visible ASCII characters.")
	}
	return text
}

// object is an argument that is a JSON object. A string that holds an object is taken for it: some hosts pass objects so.
func (a *arguments) object(name string) jsontext.Value {
	value := a.values[name]
	if value.Kind() == '"' {
		value = jsontext.Value(strings.TrimSpace(a.text(name)))
	}
	if value.Kind() != '{' || !value.IsValid() {
		a.fail(v1.InvalidParameter, name, "It must be a JSON object.")
	}
	return value
}

// list is an argument that is a value, or a list of values, as texts.
func (a *arguments) list(name string) []string {
	parsed, err := openjson.Parse(a.values[name])
	values, isList := parsed.([]any)
	if !isList {
		values = []any{parsed}
	}
	out := make([]string, len(values))
	for i, one := range values {
		switch one := one.(type) {
		case string:
			out[i] = one
		case bool:
			out[i] = strconv.FormatBool(one)
		case jsontext.Value:
			out[i] = string(one)
		default:
			err = errors.New("an object, a list or null")
		}
	}
	if err != nil {
		a.fail(v1.InvalidParameter, name, "It must be a string, a number, true, false, or a list of these.")
	}
	return out
}

// known is the operation that a call names if the tool has it, for the log.
func (a *arguments) known(t *tool) string {
	var name string
	if json.Unmarshal(a.values[argOperation], &name) == nil && slices.Contains(t.operationIDs(), name) {
		return name
	}
	return ""
}

// request converts the arguments of a call to a request of /v1. Its error lists every wrong argument.
func (a *arguments) request(o *operation) (client.Request, error) {
	r := client.Request{Method: o.Method, Path: o.Pattern, Query: url.Values{}, Header: map[string][]string{}}
	general := []string{argOperation, argKey, argOffset, argShowSecret, argLanguage}
	used := slices.Clone(general)
	for _, p := range o.parameters {
		if p.inPath {
			before := len(a.wrong)
			value := a.text(p.name)
			if value == "" && len(a.wrong) == before {
				a.fail(v1.MissingParameter, p.name, "It is part of the path "+o.Pattern+".")
			}
			r.Path = strings.ReplaceAll(r.Path, "{"+p.name+"}", url.PathEscape(value))
		} else if a.values[p.name] != nil && !slices.Contains(used, p.name) {
			r.Query[p.name] = a.list(p.name)
		}
		used = append(used, p.name)
	}
	if o.body != nil {
		if a.values[argBody] != nil {
			r.Body = []byte(a.object(argBody))
		} else if o.bodyRequired {
			a.fail(v1.MissingParameter, argBody,
				"The operation "+o.id+" needs a body: the tool guide with operation "+o.id+" shows its members.")
		}
		used = append(used, argBody)
	}
	headers := [][2]string{{argLanguage, "Accept-Language"}}
	if o.Conditional() {
		headers = [][2]string{{argIfMatch, "If-Match"}, headers[0]}
		used = append(used, argIfMatch)
	}
	for _, header := range headers {
		if text := a.visible(header[0]); text != "" {
			r.Header[header[1]] = []string{text}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.values)) {
		if !slices.Contains(used, name) {
			takes := cmp.Or(strings.Join(used[len(general):], ", "), "no argument of its own")
			a.fail(v1.UnknownParameter, name, "The operation "+o.id+" does not take it. It takes "+takes+".")
		}
	}
	if a.wrong != nil {
		return client.Request{}, a.wrong
	}
	return r, nil
}

// short is the beginning of a text that the caller sent, for messages.
func short(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strings.ToValidUTF8(text, "�")
}
