package openapi

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file makes JSON Schemas of Go types. Besides the tags that package wire reads, and by which
// the service acts, it reads some that only describe:
//
//	doc:"text"               what the member is
//	example:"text"           a value that it may have
//	default:"text"           the value that stands for an absent one
//	enum:"a b"               the values that an answer may show
//	catalogue:"events"       the same, of a catalogue: events, event patterns, permissions
//	least:"1"                of a list that is given: how many entries it must have
//	required:"true"          of a list: it must be given
//	target:"true"            a URL that the service calls, which CheckOutboundURL looks at
//	fixed:"true"             it cannot change, so patches do not have it
//	clear:"no"               a patch cannot set it to null
//	since:"1.1.0"            the release in which it came, if not in the first one
//	newer:"a=1.2.0"          the same of some of its values
//	partial:"true"           an object of which only some members are there
//	personal:"true"          null for a key that may not read personal data of buyers

// side says which side of the wire a schema is for.
type side int

const (
	inAnswers side = iota // every member is there, and later releases may add others
	inBodies              // members without omitnil are required; null is the same as absent; others are refused
	inPatches             // nothing is required, and null clears
)

// schemas gathers the schemas of struct types as components.
type schemas struct {
	components map[string]openjson.Object
	answered   map[reflect.Type]bool  // the struct types that answers show
	named      map[string]namedValues // the enumerations, by their values
	baseURL    string                 // without a trailing slash
	operator   bool                   // they are for the document of the operator API
}

func newSchemas(operations []*v1.Operation) *schemas {
	g := &schemas{components: map[string]openjson.Object{}, answered: map[reflect.Type]bool{}}
	for _, o := range operations {
		g.markAnswered(o.Out)
		if o.MayOut != nil {
			g.markAnswered(o.MayOut)
		}
	}
	g.markAnswered(reflect.TypeFor[v1.Event]())
	g.nameValues()
	return g
}

// markAnswered notes a type and all that it holds as part of answers.
func (g *schemas) markAnswered(t reflect.Type) {
	p := wire.PlanOf(t)
	switch p.Form {
	case wire.FormRaw:
		g.markAnswered(rawHolds(t))
	case wire.FormOpt, wire.FormSlice:
		g.markAnswered(p.Elem.Type)
	case wire.FormStruct:
		if !g.answered[t] {
			g.answered[t] = true
			for _, field := range wire.Members(t) {
				g.markAnswered(field.Type)
			}
		}
	}
}

// rawHolds is the type that a Raw documents.
func rawHolds(t reflect.Type) reflect.Type {
	return reflect.Zero(reflect.PointerTo(t)).Interface().(wire.RawText).Holds()
}

func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

func omittedWhenEmpty(field reflect.StructField) bool {
	return strings.HasSuffix(field.Tag.Get("json"), ",omitempty")
}

// componentName is how the schema of a struct type is called: by its Go name, or by that of fullNames. Page[Item] is ItemPage; what is sent
// otherwise than it is answered ends in Input, and patches end in Patch.
func (g *schemas) componentName(t reflect.Type, at side) string {
	name := TypeName(t)
	switch {
	case at == inPatches:
		return strings.TrimSuffix(strings.TrimSuffix(name, "Input"), "Patch") + "Patch"
	case at == inBodies && g.answered[t]:
		return name + "Input"
	default:
		return name
	}
}

// fullNames are the names of types whose Go names say too little without those of their packages.
var fullNames = map[string]string{
	"sellerd/v1/shipping.Model": "ShippingModel", "sellerd/v1/shipping.ModelInput": "ShippingModelInput",
	"sellerd/v1/shipping.Zone": "ShippingZone", "sellerd/v1/shipping.ZoneInput": "ShippingZoneInput",
	"sellerd/v1/shipping.Rate": "ShippingRate", "sellerd/v1/shipping.RateInput": "ShippingRateInput",
	"sellerd/v1/shipping.Charge": "ShippingCost",
}

// TypeName is the name of a type in the documents: its Go name, or that of fullNames.
func TypeName(t reflect.Type) string {
	outer, inner, generic := strings.Cut(strings.TrimSuffix(t.Name(), "]"), "[")
	if !generic {
		return fullName(t.PkgPath() + "." + outer)
	}
	if outer == "Deleted" { // it holds no more than the id
		return outer + strings.TrimSuffix(fullName(inner), "ID")
	}
	return fullName(inner) + outer
}

// fullName is the name of a type in the documents, given the Go name with the package's path.
func fullName(name string) string {
	if full, found := fullNames[name]; found {
		return full
	}
	return name[strings.LastIndexByte(name, '.')+1:]
}

// component makes the schema of a struct type, once, and refers to it.
func (g *schemas) component(t reflect.Type, at side) openjson.Object {
	name := g.componentName(t, at)
	for _, values := range g.named {
		if values.name == name {
			panic("the type " + name + " has the name of an enumeration")
		}
	}
	if _, known := g.components[name]; !known {
		g.components[name] = nil // a type that holds itself refers to what is being made
		g.components[name] = g.object(t, at)
	}
	return openjson.Reference("schemas", name)
}

// part makes the schema of some of a struct type's members, as answers show them.
func (g *schemas) part(t reflect.Type) openjson.Object {
	name := "Partial" + TypeName(t)
	g.components[name] = g.object(t, inAnswers).Without("required")
	return openjson.Reference("schemas", name)
}

// object is the schema of a struct type.
func (g *schemas) object(t reflect.Type, at side) openjson.Object {
	var properties openjson.Object
	var required []any
	alone := openjson.Object(nil)
	for _, field := range wire.Members(t) {
		if at == inPatches && field.Tag.Get("fixed") == "true" {
			continue
		}
		schema := g.member(field, at)
		properties.Set(memberName(field), schema)
		if isRequired(field, at) {
			required = append(required, memberName(field))
		}
		if field.Tag.Get("alone") == "true" {
			alone = schema
		}
	}
	schema := openjson.Of("type", "object")
	schema.Set("required", required)
	schema.Set("properties", properties)
	if at != inAnswers {
		schema.Set("additionalProperties", false)
	}
	if alone != nil {
		return openjson.Of("oneOf", []any{alone, schema})
	}
	return schema
}

func isRequired(field reflect.StructField, at side) bool {
	switch at {
	case inAnswers:
		return !omittedWhenEmpty(field)
	case inPatches:
		return false
	default:
		return wire.IsRequired(field)
	}
}

// isNullable says whether null may stand in the place of a member.
func isNullable(field reflect.StructField, at side) bool {
	optional := field.Type.Implements(wire.OptionalType)
	switch at {
	case inAnswers:
		return optional && !omittedWhenEmpty(field)
	case inPatches:
		return !isRequired(field, inBodies) && field.Tag.Get("clear") != "no"
	default:
		return !isRequired(field, inBodies)
	}
}

// value is the schema of a field's values by their type alone.
func (g *schemas) value(field reflect.StructField, at side) openjson.Object {
	t := field.Type
	if t.Implements(wire.OptionalType) {
		t = wire.PlanOf(t).Elem.Type
	}
	if field.Tag.Get("partial") == "true" {
		return g.part(rawHolds(t))
	}
	return g.of(t, at)
}

// member is the schema of a struct's field with all that its tags say. The default of a member that may be null stands in words
// and in an extension: generators of clients take a member with a default for one that is always there, and require it.
func (g *schemas) member(field reflect.StructField, at side) openjson.Object {
	schema := g.value(field, at)
	words := describe(&schema, field, at)
	schema = g.byName(schema)
	if isNullable(field, at) {
		schema = orNull(schema)
		if value := schema.Get("default"); value != nil {
			schema = schema.Without("default")
			schema.Set("x-default", value)
			words = strings.TrimPrefix(words+"; absent or null is "+field.Tag.Get("default"), "; ")
		}
	}
	if field.Tag.Get("personal") == "true" && at == inAnswers && !g.operator {
		words = strings.TrimPrefix(words+"; null for a key without buyers:read", "; ")
	}
	schema.Set("description", words)
	if since := field.Tag.Get("since"); since != "" {
		markSince(&schema, since, v1.FirstRelease)
	}
	return schema
}

// orNull lets null stand for a schema's values. It is never one of an enumeration's values: generators make a constant of
// each of these, and cannot make one of null.
func orNull(schema openjson.Object) openjson.Object {
	if name, typed := schema.Get("type").(string); typed && schema.Get("enum") == nil && schema.Get("const") == nil {
		schema = slices.Clone(schema)
		schema.Set("type", []any{name, "null"})
		return schema
	}
	values := schema.Without("default").Without("examples")
	out := openjson.Of("oneOf", []any{values, openjson.Of("type", "null")})
	for _, name := range []string{"default", "examples"} {
		if note := schema.Get(name); note != nil {
			out.Set(name, note)
		}
	}
	return out
}

// Patterns of texts that have a form.
const (
	numberPattern = `^-?(0|[1-9][0-9]*)$`
	amountPattern = `^[0-9]+(\.[0-9]{1,2})?$`
)

// of is the schema of a type by itself.
func (g *schemas) of(t reflect.Type, at side) openjson.Object {
	if text, ok := textSchemas[t]; ok {
		return slices.Clone(text)
	}
	if t == reflect.TypeFor[refusal.Code]() {
		g.components["Code"] = codeSchema()
		return openjson.Reference("schemas", "Code")
	}
	p := wire.PlanOf(t)
	switch p.Form {
	case wire.FormString:
		return openjson.Of("type", "string")
	case wire.FormBool:
		return openjson.Of("type", "boolean")
	case wire.FormInt:
		return openjson.Of("type", "integer")
	case wire.FormFloat:
		return openjson.Of("type", "number")
	case wire.FormRaw:
		return g.of(rawHolds(t), at)
	case wire.FormOpt:
		return orNull(g.of(p.Elem.Type, at))
	case wire.FormSlice:
		if at == inPatches {
			at = inBodies // lists replace as a whole
		}
		return openjson.Of("type", "array", "items", g.of(p.Elem.Type, at))
	case wire.FormStruct:
		return g.component(t, at)
	case wire.FormPatch:
		return g.component(p.Elem.Type, inPatches)
	}
	if t.Kind() == reflect.Map && (t.Elem().Kind() == reflect.String || t.Elem().Kind() == reflect.Int) {
		return openjson.Of("type", "object", "additionalProperties", g.of(t.Elem(), at))
	}
	return openjson.Of("type", "object")
}

// sorted are the components by name.
func (g *schemas) sorted() openjson.Object {
	var out openjson.Object
	for _, name := range slices.Sorted(maps.Keys(g.components)) {
		out = append(out, openjson.Member{Name: name, Value: g.components[name]})
	}
	return out
}
