package openapi

import (
	"reflect"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/wire"
)

// This file gives the schemas of single fields to translate/openapi and translate/guide, which describe the fields of the
// deprecated interface by the fields of /v1 that they lead to.

// InputSchema is the schema of what an operation's request says at a path: {id}, ?status or price.amount, a member of the
// body. It says too whether every request must have it.
func InputSchema(o *v1.Operation, path string) (schema openjson.Object, required bool) {
	g := newFieldSchemas()
	name := strings.Trim(path, "{?}")
	for i := range o.In.NumField() {
		field := o.In.Field(i)
		switch {
		case path[0] == '{' && field.Tag.Get("path") == name:
			return g.of(field.Type, inBodies), true
		case path[0] == '?' && field.Tag.Get("query") == name:
			return queryParameter(g, field).Get("schema").(openjson.Object), false
		case path[0] != '{' && path[0] != '?' && field.Tag.Get("body") != "":
			schema, _, required = g.field(field.Type, path, inBodies)
			return schema, required
		}
	}
	panic(o.Name + " has no " + path)
}

// ResultSchema is the schema of what a result has at a path, and whether that may be missing.
func ResultSchema(result reflect.Type, path string) (schema openjson.Object, missing bool) {
	schema, missing, _ = newFieldSchemas().field(result, path, inAnswers)
	return schema, missing
}

// newFieldSchemas makes schemas of which only one is wanted, so the names of their components do not matter.
func newFieldSchemas() *schemas { return &schemas{components: map[string]openjson.Object{}} }

// field follows a path through the members of a type.
func (g *schemas) field(t reflect.Type, path string, at side) (schema openjson.Object, missing, required bool) {
	required = true
	var field reflect.StructField
	for name := range strings.SplitSeq(path, ".") {
		members := wire.Members(within(t))
		i := slices.IndexFunc(members, func(field reflect.StructField) bool { return memberName(field) == strings.TrimSuffix(name, "[]") })
		if i < 0 {
			panic(t.String() + " has no " + path)
		}
		field = members[i]
		t = field.Type
		missing = missing || t.Implements(wire.OptionalType)
		required = required && isRequired(field, at)
	}
	if t.Implements(wire.OptionalType) {
		t = wire.PlanOf(t).Elem.Type
	}
	schema = g.of(t, at)
	describe(&schema, field, at)
	return schema, missing, required
}

// within is the struct whose members a path goes on with.
func within(t reflect.Type) reflect.Type {
	for {
		switch p := wire.PlanOf(t); p.Form {
		case wire.FormRaw:
			t = rawHolds(t)
		case wire.FormOpt, wire.FormSlice, wire.FormPatch:
			t = p.Elem.Type
		default:
			return t
		}
	}
}
