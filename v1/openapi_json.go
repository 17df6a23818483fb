package v1

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// The OpenAPI document is built of plain values whose members keep their order, so that the same program always prints
// the same bytes: object, []any, string, bool, int and nil.

// object is a JSON object.
type object []objectMember

type objectMember struct {
	name  string
	value any
}

// obj makes an object of names and values by turns.
func obj(pairs ...any) object {
	o := make(object, 0, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		o = append(o, objectMember{pairs[i].(string), pairs[i+1]})
	}
	return o
}

// get finds a member's value, nil without one.
func (o object) get(name string) any {
	for i := range o {
		if o[i].name == name {
			return o[i].value
		}
	}
	return nil
}

// set gives a member a value, adding it at the end when it is new. An empty value adds nothing.
func (o *object) set(name string, value any) {
	switch v := value.(type) {
	case object:
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
		if (*o)[i].name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, objectMember{name, value})
}

// anys is a list of any values.
func anys[T any](values []T) []any {
	out := make([]any, len(values))
	for i, v := range values {
		out[i] = v
	}
	return out
}

// appendDocument prints a value without white space.
func appendDocument(b []byte, value any) []byte {
	switch v := value.(type) {
	case object:
		b = append(b, '{')
		for i, m := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendDocument(append(appendString(b, m.name), ':'), m.value)
		}
		return append(b, '}')
	case []any:
		b = append(b, '[')
		for i, element := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendDocument(b, element)
		}
		return append(b, ']')
	case string:
		return appendString(b, v)
	case Code:
		return appendString(b, string(v))
	case Currency:
		return appendString(b, string(v))
	case bool:
		return strconv.AppendBool(b, v)
	case int:
		return strconv.AppendInt(b, int64(v), 10)
	case nil:
		return append(b, "null"...)
	default:
		panic(fmt.Sprintf("a document holds a %T", value))
	}
}

// printDocument prints a value for people, two spaces a level, and ends with a line feed.
func printDocument(value any) []byte {
	text := jsontext.Value(appendDocument(nil, value))
	if err := text.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err) // appendDocument writes JSON
	}
	return append(text, '\n')
}
