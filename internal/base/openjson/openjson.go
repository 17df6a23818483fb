// Package openjson builds and prints the OpenAPI documents. They are made of plain values whose members keep their order,
// so that the same program always prints the same bytes: Object, []any, strings, bool, int, nil, and JSON that was
// written elsewhere.
package openjson

import (
	"fmt"
	"reflect"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Object is a JSON object whose members keep their order.
type Object []Member

// Member is a member of an object.
type Member struct {
	Name  string
	Value any
}

// Of makes an object of alternating names and values.
func Of(pairs ...any) Object {
	o := make(Object, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		o = append(o, Member{pairs[i].(string), pairs[i+1]})
	}
	return o
}

// Get finds a member's value, nil without one.
func (o Object) Get(name string) any {
	for i := range o {
		if o[i].Name == name {
			return o[i].Value
		}
	}
	return nil
}

// Set gives a member a value, adding it at the end when it is new. An empty value adds nothing.
func (o *Object) Set(name string, value any) {
	switch v := value.(type) {
	case Object:
		if len(v) == 0 {
			return
		}
	case []any:
		if len(v) == 0 {
			return
		}
	case string:
		if v == "" {
			return
		}
	}
	for i := range *o {
		if (*o)[i].Name == name {
			(*o)[i].Value = value
			return
		}
	}
	*o = append(*o, Member{name, value})
}

// Without is the object without a member.
func (o Object) Without(name string) Object {
	out := make(Object, 0, len(o))
	for _, m := range o {
		if m.Name != name {
			out = append(out, m)
		}
	}
	return out
}

// Array is a JSON array of any values.
func Array[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// Reference refers to a component of a kind (schemas, headers, …) by its name.
func Reference(kind, name string) Object { return Of("$ref", "#/components/"+kind+"/"+name) }

// Append writes a value without white space.
func Append(b []byte, value any) []byte {
	switch v := value.(type) {
	case Object:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(append(appendText(b, m.Name), ':'), m.Value)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, element := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = Append(b, element)
		}
		return append(b, ']')
	case jsontext.Value:
		return append(b, v...)
	case string:
		return appendText(b, v)
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case nil:
		return append(b, "null"...)
	}
	if v := reflect.ValueOf(value); v.Kind() == reflect.String { // codes, currencies
		return appendText(b, v.String())
	}
	panic(fmt.Sprintf("a document holds a %T", value))
}

// appendText writes a string. All texts come from the program, so a text that is not UTF-8 is a mistake in it.
func appendText(b []byte, text string) []byte {
	b, err := jsontext.AppendQuote(b, text)
	if err != nil {
		panic(err)
	}
	return b
}

// Print writes a document for people, two spaces a level, and ends with a line feed.
func Print(value any) []byte {
	text := jsontext.Value(Append(nil, value))
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err) // only JSON written elsewhere can be wrong
	}
	return append(text, '\n')
}
