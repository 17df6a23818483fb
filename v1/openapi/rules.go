package openapi

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/each"
	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/outbound"
	"sellerd/v1/refusal"
	"sellerd/v1/wire"
)

// This file reads the tags of members and parameters: what they say of a schema, and with which codes the service
// refuses what does not keep to them.

// ruleWords say what JSON Schema has no keyword for.
var ruleWords = map[string]string{
	"plaintext": "without markup",
	"oneline":   "a single line",
	"notblank":  "not blank",
}

// describe puts into a schema what the tags of its field say, and returns what they say in words. The rules are those of
// what is sent: answers show what they let through.
func describe(schema *openjson.Object, field reflect.StructField, at side) string {
	var words []string
	if text := field.Tag.Get("doc"); text != "" {
		words = append(words, text)
	}
	if at != inAnswers {
		words = append(words, restrictAll(schema, field.Tag)...)
	}
	if values := valuesOf(field.Tag); len(values) > 0 {
		if items, ok := schema.Get("items").(openjson.Object); ok {
			items = slices.Clone(items)
			allowOnly(&items, values)
			markNewer(&items, field.Tag)
			schema.Set("items", items)
		} else {
			allowOnly(schema, values)
			markNewer(schema, field.Tag)
		}
	}
	if text, ok := field.Tag.Lookup("default"); ok && at == inPatches { // where what is absent stays as it is
		words = append(words, "null is "+text)
	} else if ok {
		schema.Set("default", typedValue(*schema, text))
	}
	if text := field.Tag.Get("example"); text != "" {
		schema.Set("examples", []any{typedValue(*schema, text)})
	}
	return strings.Join(words, "; ")
}

// allowOnly lets a schema have no values but these.
func allowOnly(schema *openjson.Object, values []string) {
	if len(values) == 1 {
		schema.Set("const", typedValue(*schema, values[0]))
		return
	}
	schema.Set("enum", each.Of(values, func(text string) any { return typedValue(*schema, text) }))
}

// markNewer puts into a schema in which releases some of its values came.
func markNewer(schema *openjson.Object, tag reflect.StructTag) {
	for pair := range strings.FieldsSeq(tag.Get("newer")) {
		value, release, _ := strings.Cut(pair, "=")
		later, _ := schema.Get("x-enum-since").(openjson.Object)
		later.Set(value, release)
		schema.Set("x-enum-since", later)
	}
}

// restrictAll puts all rules of a field into a schema, and returns those in words for which it has no keyword.
func restrictAll(schema *openjson.Object, tag reflect.StructTag) []string {
	var words []string
	for rule := range strings.SplitSeq(tag.Get("validate"), ",") {
		name, parameter, _ := strings.Cut(rule, "=")
		restrict(schema, name, parameter)
		if text := ruleWords[name]; text != "" {
			words = append(words, text)
		}
	}
	if least := tag.Get("least"); least != "" {
		restrict(schema, "min", least)
	}
	if tag.Get("target") == "true" {
		restrict(schema, "max", strconv.Itoa(outbound.MaxURLLength))
	}
	return words
}

// valuesOf are the only values that a field may have, nil for any.
func valuesOf(tag reflect.StructTag) []string {
	values := strings.Fields(tag.Get("enum"))
	switch tag.Get("catalogue") {
	case "events":
		values = each.Of(v1.EventTypes, func(e v1.EventType) string { return e.Name })
	case "event patterns":
		values = v1.EventPatterns()
	case "item members":
		values = each.Of(wire.PlanOf(reflect.TypeFor[v1.Item]()).Fields, func(f wire.Field) string { return f.Name })
	case "permissions":
		values = v1.AllPermissions.Names()
	}
	return values
}

// typedValue reads a tag's text as a value of a schema's type.
func typedValue(schema openjson.Object, text string) any {
	switch schema.Get("type") {
	case "integer":
		if n, err := strconv.Atoi(text); err == nil {
			return n
		}
		panic("the number " + text + " of a tag cannot be read")
	case "boolean":
		return text == "true"
	case "array":
		return openjson.Array(strings.Fields(text))
	}
	return text
}

// restrict puts one rule of a validate tag into a schema.
func restrict(schema *openjson.Object, rule, parameter string) {
	switch n, _ := strconv.Atoi(parameter); rule {
	case "min", "max", "images":
		if rule == "images" {
			rule = "max"
		}
		schema.Set(map[any]map[string]string{
			"string":  {"min": "minLength", "max": "maxLength"},
			"integer": {"min": "minimum", "max": "maximum"},
			"number":  {"min": "minimum", "max": "maximum"},
			"array":   {"min": "minItems", "max": "maxItems"},
		}[schema.Get("type")][rule], n)
	case "oneof":
		allowOnly(schema, strings.Fields(parameter))
	case "clock":
		schema.Set("pattern", wire.ClockTime.String())
	case "email":
		schema.Set("format", "email")
	case "iso3166_1_alpha2":
		schema.Set("pattern", "^[A-Z]{2}$")
	}
}

// beforeItems are the codes that refuse a batch as a whole, before its items are looked at.
var beforeItems = []refusal.Code{
	refusal.UnknownParameter, refusal.InvalidParameter, refusal.IdempotencyKeyReused, refusal.BatchEmpty,
	refusal.BatchTooLarge,
}

// codesAt are the codes that an answer with a status may hold.
func (o operation) codesAt(status int) []refusal.Code {
	return slices.DeleteFunc(o.Codes(), func(code refusal.Code) bool {
		at := o.StatusOf(code)
		besideLimit := o.Batch && at == 422 && (status == 409 || status == 429) && !slices.Contains(beforeItems, code)
		return at != status && !besideLimit
	})
}

// refusalStatuses are the statuses of all answers that refuse a request, in ascending order and each once.
func (o operation) refusalStatuses() []int {
	statuses := each.Of(o.Codes(), o.StatusOf)
	slices.Sort(statuses)
	return slices.Compact(statuses)
}
