package v1

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/openjson"
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
			schema.Set("items", items)
		} else {
			allowOnly(schema, values)
		}
	}
	for pair := range strings.FieldsSeq(field.Tag.Get("newer")) {
		value, release, _ := strings.Cut(pair, "=")
		later, _ := schema.Get("x-enum-since").(openjson.Object)
		later.Set(value, release)
		schema.Set("x-enum-since", later)
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
	schema.Set("enum", typedValues(*schema, values))
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
		for _, e := range EventTypes {
			values = append(values, e.Name)
		}
	case "event patterns":
		values = eventPatterns()
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

func typedValues(schema openjson.Object, texts []string) []any {
	values := make([]any, len(texts))
	for i, text := range texts {
		values[i] = typedValue(schema, text)
	}
	return values
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

// bodyCodes are the codes with which a body of a type is refused by its tags and types alone.
func bodyCodes(t reflect.Type, add func(...Code)) {
	p := wire.PlanOf(t)
	switch p.Form {
	case wire.FormString:
		add(InvalidValue) // U+0000
	case wire.FormInt:
		add(OutOfRange) // more digits than any number has
	case wire.FormText:
		add(InvalidValue)
		switch t {
		case reflect.TypeFor[Currency]():
			add(UnsupportedCurrency)
		case reflect.TypeFor[Amount](), reflect.TypeFor[CostAmount](), reflect.TypeFor[TotalAmount]():
			add(OutOfRange)
		}
	case wire.FormOpt, wire.FormSlice, wire.FormPatch:
		bodyCodes(p.Elem.Type, add)
	case wire.FormStruct:
		for _, field := range membersOf(t) {
			bodyCodes(field.Type, add)
			memberCodes(field, add)
		}
	}
}

// memberCodes are those with which a member is refused that breaks the rules of its tags.
func memberCodes(field reflect.StructField, add func(...Code)) {
	if isRequired(field, inBodies) && field.Tag.Get("alone") == "" && field.Tag.Get("required") == "" {
		add(MissingField)
	}
	if field.Tag.Get("least") != "" && field.Tag.Get("required") == "" {
		add(TooShort)
	}
	value := wire.PlanOf(field.Type)
	if value.Form == wire.FormOpt {
		value = value.Elem
	}
	table := wire.NumberRules
	switch value.Form {
	case wire.FormString, wire.FormText:
		table = wire.StringRules
	case wire.FormSlice:
		table = wire.ListRules
	}
	for rule := range strings.SplitSeq(field.Tag.Get("validate"), ",") {
		name, _, _ := strings.Cut(rule, "=")
		if broken, ok := wire.AnyRules[name]; ok && name != "required" {
			add(broken.Code)
		} else if broken, ok := table[name]; ok {
			add(broken.Code)
		}
	}
}

// Codes are all codes that the operation can refuse with, in the order of the catalogue: those that follow from what it
// is (who may call it, how its input looks), and those that its line in the table declares.
func (o *Operation) Codes() []Code {
	can := map[Code]bool{}
	add := func(codes ...Code) {
		for _, code := range codes {
			can[code] = true
		}
	}
	add(MissingAPIKey, InvalidAPIKey, AccountSuspended, UnknownParameter, InvalidParameter, RateLimited, InternalError, ServiceUnavailable)
	if o.TestOnly {
		add(TestKeyOnly)
	}
	input := wire.InputOf(o.In)
	for _, field := range input.Path {
		add(field.Missing)
	}
	if _, pages := input.ByName["after"]; pages {
		add(InvalidCursor, CursorMismatch)
	}
	if o.Method != "GET" {
		add(MalformedJSON, PayloadTooLarge, UnsupportedMediaType, UnknownField, InvalidType)
	}
	if o.Method == "POST" {
		add(InvalidIdempotencyKey, IdempotencyKeyInProgress, IdempotencyKeyReused)
	}
	if o.Conditional() {
		add(InvalidHeader)
	}
	if o.HasBody() {
		bodyCodes(o.In.Field(input.Body).Type, add)
	}
	add(o.refusals...)
	var codes []Code
	for _, info := range ErrorCatalogue {
		if can[info.Code] {
			codes = append(codes, info.Code)
		}
	}
	return codes
}

// beforeItems are the codes that refuse a batch as a whole, before its items are looked at.
var beforeItems = []Code{UnknownParameter, InvalidParameter, IdempotencyKeyReused, BatchEmpty, BatchTooLarge}

// codesAt are the codes that an answer with a status may hold.
func (o *Operation) codesAt(status int) []Code {
	return slices.DeleteFunc(o.Codes(), func(code Code) bool {
		at := refusal.InfoOf(code).Status
		besideLimit := o.Batch && at == 422 && (status == 409 || status == 429) && !slices.Contains(beforeItems, code)
		return at != status && !besideLimit
	})
}
