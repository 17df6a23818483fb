package translate

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unsafe"

	"sellerd/v1"
)

// This file reads results where they lie in memory. A page has some thousand values, and going to each through reflect
// took most of the time of writing it. It is safe because
//   - offsets and types come from reflect when the table is compiled, so they are those of the compiler;
//   - addressOf lets only values of the type through that they were taken from;
//   - the steps of a path stay inside the result (no pointer is followed), so the address of the result, which is a
//     pointer that the garbage collector knows, keeps all of it alive;
//   - each form is read as the very kind or type that resolveResult saw.

// address is where a result or a value of one lies.
type address = unsafe.Pointer

// accessor reads the text at a path of a result.
type accessor struct {
	offset  uintptr   // of the value
	present []uintptr // of what says whether it is there, for each v1.Opt on the way
	form    accessForm
	value   reflect.Type
	inner   *accessor // of a list, whose texts are joined: what is read of each entry
}

// accessForm is how a value is read.
type accessForm int

const (
	formString accessForm = iota
	formBool
	formInt
	formInt64
	formFloat
	formID
	formAmount
	formTime
	formLocalTime // a time, as LocalTime converts it
	formText      // any other type with a text
	formList
)

// isPlain says whether the texts of a form have nothing that means something in XML.
func (f accessForm) isPlain() bool {
	return f != formString && f != formText && f != formList
}

// resolveResult finds a row's path in a result.
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
			a.offset += t.Field(i).Offset
			t = t.Field(i).Type
		}
		if t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(textAppender) && isOptional(t) {
			a.present = append(a.present, a.offset+t.Field(1).Offset)
			t = t.Field(0).Type
		}
		if strings.HasSuffix(name, "[]") {
			if t.Kind() != reflect.Slice {
				return nil, fmt.Errorf("%q of %q is not a list", name, path)
			}
			inner, err := resolveResult(t.Elem(), rest)
			a.form, a.value, a.inner = formList, t, inner
			return a, err
		}
	}
	form, ok := formOf(t)
	if !ok {
		return nil, fmt.Errorf("%q is a %s, not a value with a text", path, t)
	}
	a.form, a.value = form, t
	return a, nil
}

// formOf is how values of a type are read. Those that pages are full of are read without an interface.
func formOf(t reflect.Type) (accessForm, bool) {
	switch {
	case t == reflect.TypeFor[v1.ID]():
		return formID, true
	case t == reflect.TypeFor[v1.Amount]():
		return formAmount, true
	case t == reflect.TypeFor[v1.Time]():
		return formTime, true
	case t == reflect.TypeFor[v1.Currency]():
		return formString, true // its text is the code itself
	case reflect.PointerTo(t).Implements(textAppender):
		return formText, true
	}
	switch t.Kind() {
	case reflect.String:
		return formString, true
	case reflect.Bool:
		return formBool, true
	case reflect.Int:
		return formInt, true
	case reflect.Int64:
		return formInt64, true
	case reflect.Float64:
		return formFloat, true
	default:
		return 0, false
	}
}

// addressOf is where a result lies, which must be of the type that paths were resolved in.
func addressOf(v reflect.Value, t reflect.Type) address {
	if v.Type() != t {
		panic(fmt.Sprintf("translate: the result is a %s, not a %s", v.Type(), t))
	}
	if !v.CanAddr() {
		c := reflect.New(t)
		c.Elem().Set(v)
		return c.UnsafePointer()
	}
	return v.Addr().UnsafePointer()
}

// find goes to the value, which may be missing.
func (a *accessor) find(result address) (address, bool) {
	for _, present := range a.present {
		if !*(*bool)(unsafe.Add(result, present)) {
			return nil, false
		}
	}
	return unsafe.Add(result, a.offset), true
}

func readString(at address) string { return *(*string)(at) }
func readBool(at address) bool     { return *(*bool)(at) }

// append writes /v1's text of the value at an address.
func (a *accessor) append(b []byte, at address) []byte {
	switch a.form {
	case formBool:
		b = strconv.AppendBool(b, readBool(at))
	case formInt:
		b = strconv.AppendInt(b, int64(*(*int)(at)), 10)
	case formInt64:
		b = strconv.AppendInt(b, *(*int64)(at), 10)
	case formFloat:
		b = strconv.AppendFloat(b, *(*float64)(at), 'f', -1, 64)
	case formID:
		b, _ = (*v1.ID)(at).AppendText(b)
	case formAmount:
		b, _ = (*v1.Amount)(at).AppendText(b)
	case formTime:
		b, _ = (*v1.Time)(at).AppendText(b)
	case formLocalTime:
		b = appendLocalTime(b, *(*v1.Time)(at))
	case formText:
		b, _ = reflect.NewAt(a.value, at).Interface().(encoding.TextAppender).AppendText(b)
	case formList:
		b = a.appendList(b, reflect.NewAt(a.value, at).Elem())
	default:
		b = append(b, readString(at)...)
	}
	return b
}

func (a *accessor) appendList(b []byte, list reflect.Value) []byte {
	for i := range list.Len() {
		if i > 0 {
			b = append(b, ListSeparator...)
		}
		if at, ok := a.inner.find(list.Index(i).Addr().UnsafePointer()); ok {
			b = a.inner.append(b, at)
		}
	}
	return b
}
