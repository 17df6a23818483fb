package translate

import (
	"encoding"
	"fmt"
	"reflect"
	"strings"

	"sellerd/v1"
)

// This file resolves the paths of rows in /v1's Go types, by the same tags that /v1 uses.

// place is the position of a value in a /v1 request.
type place struct {
	where byte     // '{' path, '?' query, '@' header, '.' body
	path  []string // of the body: the names of the members, outermost first; else one name
	bare  bool     // its text is a number or a boolean in JSON
	list  bool

	missing v1.Code // the code for a part of the path that is not valid
}

// resolveInput resolves a row's path in the input of an operation.
func resolveInput(in reflect.Type, path string) (place, error) {
	switch path[0] {
	case '{', '?':
		tag, name := "path", strings.Trim(path, "{}")
		if path[0] == '?' {
			tag, name = "query", path[1:]
		}
		for i := range in.NumField() {
			if in.Field(i).Tag.Get(tag) == name {
				return place{
					where: path[0], path: []string{name}, list: in.Field(i).Type.Kind() == reflect.Slice,
					missing: v1.Code(in.Field(i).Tag.Get("missing")),
				}, nil
			}
		}
		return place{}, fmt.Errorf("%s has no %s parameter %q", in, tag, name)
	case '@':
		return place{where: '@', path: []string{path[1:]}}, nil
	}
	for i := range in.NumField() {
		if in.Field(i).Tag.Get("body") == "" {
			continue
		}
		t, err := typeAt(in.Field(i).Type, path)
		if err != nil {
			return place{}, err
		}
		p := place{where: '.', path: strings.Split(path, ".")}
		t = plain(t)
		if t.Kind() == reflect.Slice {
			p.list, t = true, plain(t.Elem())
		}
		p.bare = !reflect.PointerTo(t).Implements(textUnmarshaler) && t.Kind() != reflect.String && t.Kind() != reflect.Struct
		return p, nil
	}
	return place{}, fmt.Errorf("%s has no body for %q", in, path)
}

// typeAt returns the type at a path of members. [] stands behind lists alone, and leads to their entries.
func typeAt(t reflect.Type, path string) (reflect.Type, error) {
	for name := range strings.SplitSeq(path, ".") {
		name, list := strings.CutSuffix(name, "[]")
		field, ok := member(t, name)
		if !ok {
			return nil, fmt.Errorf("%s has no member %q of %q", t, name, path)
		}
		if t = field.Type; list {
			if t = plain(t); t.Kind() != reflect.Slice {
				return nil, fmt.Errorf("%q of %q is not a list", name, path)
			}
			t = t.Elem()
		}
	}
	return t, nil
}

var (
	textUnmarshaler = reflect.TypeFor[encoding.TextUnmarshaler]()
	textAppender    = reflect.TypeFor[encoding.TextAppender]()
)

// plain unwraps optional values and patches.
func plain(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(textAppender) {
		switch {
		case isOptional(t), isPatch(t):
			t = t.Field(0).Type
		default:
			return t
		}
	}
	return t
}

func isOptional(t reflect.Type) bool {
	return t.NumField() == 2 && t.Field(0).Name == "V" && t.Field(1).Name == "Set"
}

func isPatch(t reflect.Type) bool {
	return t.NumField() == 2 && t.Field(0).Name == "To" && t.Field(1).Name == "Fields"
}

// member returns the field of a struct that has a name in JSON. Fields of embedded structs count as the struct's own.
func member(t reflect.Type, name string) (reflect.StructField, bool) {
	t = plain(t)
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	for at := range t.NumField() {
		field := t.Field(at)
		if tag, _, _ := strings.Cut(field.Tag.Get("json"), ","); tag == name {
			return field, true
		}
		if !field.Anonymous {
			continue
		}
		if inner, ok := member(field.Type, name); ok {
			inner.Index = append([]int{at}, inner.Index...)
			return inner, true
		}
	}
	return reflect.StructField{}, false
}
