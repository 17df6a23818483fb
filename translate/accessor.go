package translate

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"sellerd/v1"
)

// This file reads the values of results. A page has some thousand of them. So Compile finds out once what follows from the type
// of a value, and reading a value allocates no memory.

// accessor reads the text at a path of a result.
type accessor struct {
	steps []accessStep
	form  accessForm
	inner *accessor // of a list, whose texts are joined: the accessor of one entry
}

// accessStep leads to a field of a struct. If the field is a v1.Opt, it leads to the value inside.
type accessStep struct {
	field    int
	optional bool
}

// accessForm says how a value is read.
type accessForm int

const (
	formString accessForm = iota
	formBool
	formInt
	formFloat
	formID
	formAmount
	formTime
	formLocalTime // a time that is written as LocalTime converts it
	formText      // any other type that implements encoding.TextAppender
	formList
)

// isPlain says whether texts of a form never need escaping in XML.
func (f accessForm) isPlain() bool {
	return f != formString && f != formText && f != formList
}

// resolveResult resolves a row's path in the type of a result.
func resolveResult(t reflect.Type, path string) (*accessor, error) {
	a := &accessor{}
	for rest, deeper := path, path != ""; deeper; {
		var name string
		name, rest, deeper = strings.Cut(rest, ".")
		field, ok := member(t, strings.TrimSuffix(name, "[]"))
		if !ok {
			return nil, fmt.Errorf("%s has no member %q of %q", t, name, path)
		}
		for _, i := range field.Index {
			if t.Kind() != reflect.Struct {
				return nil, fmt.Errorf("%q of %q lies behind a pointer", name, path)
			}
			a.steps = append(a.steps, accessStep{field: i})
			t = t.Field(i).Type
		}
		if t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(textAppender) && isOptional(t) {
			a.steps[len(a.steps)-1].optional = true
			t = t.Field(0).Type
		}
		if strings.HasSuffix(name, "[]") {
			if t.Kind() != reflect.Slice {
				return nil, fmt.Errorf("%q of %q is not a list", name, path)
			}
			inner, err := resolveResult(t.Elem(), rest)
			a.form, a.inner = formList, inner
			return a, err
		}
	}
	form, ok := formOf(t)
	if !ok {
		return nil, fmt.Errorf("%q is a %s, not a value with a text", path, t)
	}
	a.form = form
	return a, nil
}

// The forms of types and of kinds. The types that fill most of a page are read without an interface.
var (
	formsOfTypes = map[reflect.Type]accessForm{
		reflect.TypeFor[v1.ID](): formID, reflect.TypeFor[v1.Amount](): formAmount, reflect.TypeFor[v1.Time](): formTime,
		reflect.TypeFor[v1.Currency](): formString, // its text is the currency code
	}
	formsOfKinds = map[reflect.Kind]accessForm{
		reflect.String: formString, reflect.Bool: formBool, reflect.Int: formInt, reflect.Int64: formInt, reflect.Float64: formFloat,
	}
)

// formOf returns how values of a type are read.
func formOf(t reflect.Type) (accessForm, bool) {
	if form, ok := formsOfTypes[t]; ok {
		return form, true
	}
	if reflect.PointerTo(t).Implements(textAppender) {
		return formText, true
	}
	form, ok := formsOfKinds[t.Kind()]
	return form, ok
}

// readable returns a result in which paths can be followed. It must have the type that the paths were resolved in. A result
// without an address is copied, because some types write their text through a pointer.
func readable(v reflect.Value, t reflect.Type) reflect.Value {
	if v.Type() != t {
		panic(fmt.Sprintf("translate: the result is of type %s, not %s", v.Type(), t))
	}
	if v.CanAddr() {
		return v
	}
	c := reflect.New(t).Elem()
	c.Set(v)
	return c
}

// find follows the path to the value. ok is false when the value is missing.
func (a *accessor) find(v reflect.Value) (value reflect.Value, ok bool) {
	for _, step := range a.steps {
		v = v.Field(step.field)
		if step.optional {
			if !v.Field(1).Bool() {
				return v, false
			}
			v = v.Field(0)
		}
	}
	return v, true
}

// append writes /v1's text of a value.
func (a *accessor) append(b []byte, v reflect.Value) []byte {
	switch a.form {
	case formBool:
		b = strconv.AppendBool(b, v.Bool())
	case formInt:
		b = strconv.AppendInt(b, v.Int(), 10)
	case formFloat:
		b = strconv.AppendFloat(b, v.Float(), 'f', -1, 64)
	case formID:
		b, _ = v1.ID(v.Int()).AppendText(b)
	case formAmount:
		b, _ = v1.Amount(v.Int()).AppendText(b)
	case formTime:
		b, _ = v1.Time(v.Int()).AppendText(b)
	case formLocalTime:
		b = appendLocalTime(b, v1.Time(v.Int()))
	case formText:
		b, _ = v.Addr().Interface().(encoding.TextAppender).AppendText(b)
	case formList:
		b = a.appendList(b, v)
	default:
		b = append(b, v.String()...)
	}
	return b
}

func (a *accessor) appendList(b []byte, list reflect.Value) []byte {
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ListSeparator...)
		}
		if v, ok := a.inner.find(list.Index(i)); ok {
			b = a.inner.append(b, v)
		}
	}
	return b
}
