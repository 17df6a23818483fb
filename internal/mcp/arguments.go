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

// arguments are the arguments of a call, by name.
type arguments map[string]jsontext.Value

// readArguments reads the arguments of a tool. An argument that the tool does not have is an error that names those it has.
func readArguments(given []byte, t *tool) (arguments, error) {
	args := arguments{}
	if len(given) > 0 && string(bytes.TrimSpace(given)) != "null" {
		if err := json.Unmarshal(given, &args); err != nil {
			return nil, argumentProblem(v1.MalformedJSON, "arguments", "The arguments are not a JSON object with each name once.")
		}
	}
	var names []string
	for _, m := range t.properties {
		names = append(names, m.Name)
	}
	var problems problems
	for _, name := range slices.Sorted(maps.Keys(args)) {
		if !slices.Contains(names, name) {
			problems = append(problems, problem{
				Code: string(v1.UnknownParameter), Field: short(name), Message: "The tool has no such argument. It has " + strings.Join(names, ", ") + ".",
			})
		} else if args[name].Kind() == 'n' {
			delete(args, name) // null is the same as absent
		}
	}
	if problems != nil {
		return nil, problems
	}
	return args, nil
}

// argumentProblem is an error about an argument, with a code of the service.
func argumentProblem(code v1.Code, field, message string) error {
	return problems{{Code: string(code), Field: field, Message: message}}
}

// text is an argument that is a string, empty without one.
func (a arguments) text(name string) (string, error) {
	value, given := a[name]
	switch {
	case !given:
		return "", nil
	case value.Kind() == '0': // agents write ids as numbers
		return string(value), nil
	case value.Kind() != '"':
		return "", argumentProblem(v1.InvalidParameter, name, "It must be a string.")
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err
}

// flag is an argument that is true or false.
func (a arguments) flag(name string, without bool) (bool, error) {
	value, given := a[name]
	if !given {
		return without, nil
	}
	var flag bool
	if json.Unmarshal(value, &flag) != nil {
		return false, argumentProblem(v1.InvalidParameter, name, "It must be true or false.")
	}
	return flag, nil
}

// number is an argument that is a whole number from 0 on, 0 without one.
func (a arguments) number(name string) (int, error) {
	value, given := a[name]
	if !given {
		return 0, nil
	}
	n, err := strconv.Atoi(string(value))
	if err != nil || n < 0 {
		return 0, argumentProblem(v1.InvalidParameter, name, "It must be a whole number from 0 on.")
	}
	return n, nil
}

// reader reads arguments one after another, and keeps the first error.
type reader struct {
	arguments
	err error
}

func (r *reader) text(name string) string { return valueOf(r, r.arguments.text, name) }
func (r *reader) number(name string) int  { return valueOf(r, r.arguments.number, name) }

func (r *reader) flag(name string, without bool) bool {
	return valueOf(r, func(name string) (bool, error) { return r.arguments.flag(name, without) }, name)
}

func valueOf[T any](r *reader, read func(string) (T, error), name string) T {
	value, err := read(name)
	r.err = cmp.Or(r.err, err)
	return value
}

// known is the operation that a call names if the tool has it, for the log.
func (a arguments) known(t *tool) string {
	if name, err := a.text(argOperation); err == nil && slices.Contains(t.operationIDs(), name) {
		return name
	}
	return ""
}

// request converts the arguments of a call to a request of /v1. Its error lists every wrong argument.
func (a arguments) request(o *operation) (client.Request, error) {
	r := client.Request{Method: o.Method, Path: o.Pattern, Query: url.Values{}, Header: map[string][]string{}}
	var wrong problems
	note := func(err error) {
		var of problems
		if errors.As(err, &of) {
			wrong = append(wrong, of...)
		}
	}
	used := []string{argOperation, argKey, argOffset, argShowSecret, argLanguage}
	for _, p := range o.path {
		value, err := a.text(p.name)
		note(err)
		if err == nil && value == "" {
			note(argumentProblem(v1.MissingParameter, p.name, "It is part of the path "+o.Pattern+"."))
		}
		r.Path = strings.ReplaceAll(r.Path, "{"+p.name+"}", url.PathEscape(value))
		used = append(used, p.name)
	}
	for _, p := range o.query {
		if value, given := a[p.name]; given && !slices.Contains(used, p.name) {
			values, err := queryValues(p.name, value)
			note(err)
			r.Query[p.name] = values
		}
		used = append(used, p.name)
	}
	if o.body != nil {
		body, err := a.object(argBody)
		note(err)
		if err == nil && body == nil && o.bodyRequired {
			note(argumentProblem(v1.MissingParameter, argBody, "The operation "+o.id+" needs a body: the tool guide with operation "+o.id+" shows its members."))
		}
		if body != nil {
			r.Body = []byte(body)
		}
		used = append(used, argBody)
	}
	if o.Conditional() {
		note(a.header(&r, argIfMatch, "If-Match"))
		used = append(used, argIfMatch)
	}
	note(a.header(&r, argLanguage, "Accept-Language"))
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if !slices.Contains(used, name) {
			note(argumentProblem(v1.UnknownParameter, name, "The operation "+o.id+" does not take it."))
		}
	}
	if wrong != nil {
		return client.Request{}, wrong
	}
	return r, nil
}

// header adds a header to a request if the call has an argument for it.
func (a arguments) header(r *client.Request, argument, name string) error {
	text, err := a.visible(argument)
	if err == nil && text != "" {
		r.Header[name] = []string{text}
	}
	return err
}

// visible is an argument that becomes a header, empty without one.
func (a arguments) visible(name string) (string, error) {
	text, err := a.text(name)
	if err == nil && strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		err = argumentProblem(v1.InvalidParameter, name, "It must be visible ASCII characters.")
	}
	return text, err
}

// object is an argument that is a JSON object, nil without one. A string that holds an object is taken for it: some hosts pass
// objects so.
func (a arguments) object(name string) (jsontext.Value, error) {
	value, given := a[name]
	if !given {
		return nil, nil
	}
	if value.Kind() == '"' {
		var text string
		if err := json.Unmarshal(value, &text); err != nil {
			return nil, err
		}
		value = jsontext.Value(strings.TrimSpace(text))
	}
	if value.Kind() != '{' || !value.IsValid() {
		return nil, argumentProblem(v1.InvalidParameter, name, "It must be a JSON object.")
	}
	return value, nil
}

// queryValues are the values of a parameter: those of a list, or one.
func queryValues(name string, value jsontext.Value) ([]string, error) {
	parsed, err := openjson.Parse(value)
	if err != nil {
		return nil, err
	}
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
			return nil, argumentProblem(v1.InvalidParameter, name, "It must be a string, a number, true, false, or a list of these.")
		}
	}
	return out, nil
}

// short is the beginning of a text that the caller sent, for messages.
func short(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strings.ToValidUTF8(text, "�")
}
