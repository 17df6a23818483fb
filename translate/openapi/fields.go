package openapi

import (
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// This file describes the fields of requests: as parameters for calls that usually have them in the query, and as a form for
// the others. A field accepts what its converter reads and what /v1 accepts in its place.

func parameterComponents() openjson.Object {
	return openjson.Of(
		"LegacyDrill", openjson.Of("name", translate.DrillHeader, "in", "header",
			"description", "Rehearses the sunset: the answer is the one that everybody gets from then on.",
			"schema", openjson.Of("type", "string", "enum", []any{"sunset"})),
		"RequestID", v1openapi.RequestIDParameter(),
	)
}

// parameters describes the parts of the path, the fields of the query, and the headers that all calls read.
func parameters(call *translate.Call) []any {
	var out []any
	for _, name := range translate.PathParts(call.Pattern) {
		schema, words := pathPart(call, name)
		parameter := openjson.Of("name", name, "in", "path", "required", true)
		parameter.Set("description", words)
		parameter.Set("schema", openjson.LimitTexts(schema, v1.HeadLimit))
		out = append(out, parameter)
	}
	if InQuery(call) {
		schema, required := fields(call)
		for _, m := range schema.Get("properties").(openjson.Object) {
			out = append(out, queryParameter(m.Name, m.Value.(openjson.Object), slices.Contains(required, any(m.Name))))
		}
	}
	return append(out, openjson.Reference("parameters", "LegacyDrill"), openjson.Reference("parameters", "RequestID"))
}

// InQuery says whether a call has fields, and usually has them in the query.
func InQuery(call *translate.Call) bool {
	schema, _ := fields(call)
	return schema != nil && (call.Method == "GET" || call.Method == "DELETE")
}

func queryParameter(name string, property openjson.Object, required bool) openjson.Object {
	parameter := openjson.Of("name", name, "in", "query")
	if required {
		parameter.Set("required", true)
	}
	for _, own := range []string{"description", "x-v1", "x-loss"} { // keywords of the parameter, not of its schema
		parameter.Set(own, orEmpty(property.Get(own)))
		property = property.Without(own)
	}
	parameter.Set("schema", property)
	return parameter
}

// orEmpty returns "" in place of nil: setting a member to "" sets nothing.
func orEmpty(value any) any {
	if value == nil {
		return ""
	}
	return value
}

// pathPart describes a part of the path. A part without a row is the number in the query of the first step, or the kind of
// sale.
func pathPart(call *translate.Call, name string) (schema openjson.Object, words string) {
	for i := range call.In {
		if row := &call.In[i]; row.Legacy == name {
			return fieldSchema(call, row), meaning(row)
		}
	}
	if name == translate.SettingField {
		return openjson.Of("type", "string", "pattern", "^[0-9]+$"), "setting number"
	}
	if name == "sale_type" {
		return openjson.Of("type", "string", "enum", []any{"auction", "fixedprice"}), ""
	}
	return formSchema(translate.Identifier.Reads), translate.Identifier.Name
}

// form describes the body of a call whose fields are not in the query, nil when it has no fields.
func form(call *translate.Call) openjson.Object {
	schema, required := fields(call)
	if schema == nil || InQuery(call) {
		return nil
	}
	if call.Each != "" {
		list := openjson.Of("type", "array", "minItems", 1, "maxItems", translate.MaxBulk, "items", schema, "description", call.Each+"[0][title] and so on")
		schema, required = openjson.Of("type", "object", "required", []any{call.Each}, "properties", openjson.Of(call.Each, list)), []any{call.Each}
	}
	media := openjson.Of("schema", schema)
	if properties := schema.Get("properties").(openjson.Object); properties.Get(translate.ImagesField) != nil {
		media.Set("encoding", openjson.Of(translate.ImagesField, openjson.Of("style", "form", "explode", true)))
	}
	return openjson.Of("required", len(required) > 0, "content", openjson.Of("application/x-www-form-urlencoded", media, "multipart/form-data", media))
}

// fields describes all fields of a call but those of its path, as an object; nil when there are none.
func fields(call *translate.Call) (schema openjson.Object, required []any) {
	var properties openjson.Object
	var kinds []any
	for i := range call.In {
		row := &call.In[i]
		if row.When != "" {
			kinds = append(kinds, openjson.Of("required", []any{row.When}))
		}
		if row.Legacy == "" || strings.Contains(call.Pattern, "{"+row.Legacy+"}") {
			continue
		}
		name, property := row.FormName(), fieldSchema(call, row)
		property.Set("description", meaning(row))
		property.Set("x-v1", row.V1)
		setLoss(&property, row.Loss)
		properties.Set(name, property)
		if row.Required || Required(call, row) {
			required = append(required, name)
		}
	}
	if call.TakesKey {
		properties.Set("apikey", openjson.Of("type", "string", "description", "your key: one of /v1, or an old one that was taken over"))
		required = []any{"apikey"}
	}
	if call.Paged {
		properties = append(properties, pagingProperties()...)
	}
	if properties == nil {
		return nil, nil
	}
	schema = openjson.Of("type", "object")
	schema.Set("required", required)
	schema.Set("properties", properties)
	schema = openjson.LimitTexts(schema, int(call.BodyLimit()))
	if len(kinds) > 1 {
		schema.Set("oneOf", kinds)
	}
	return schema, required
}

// Required says whether /v1 requires the value of a row and the row has no default.
func Required(call *translate.Call, row *translate.Row) bool {
	o := call.Target.Operation()
	if o == nil || o.Method == "PATCH" || row.V1 == "" || row.Beside || row.V1[0] == '@' || row.Default != "" {
		return false
	}
	_, required := v1openapi.InputSchema(o, inputPath(call, row))
	return required
}

// meaning describes what a field holds, "" when the row says nothing about it.
func meaning(row *translate.Row) string {
	if row.Convert == nil && row.Doc == "" {
		return ""
	}
	return row.Meaning()
}

// inputPath returns the first path of a row, in the input of the operation.
func inputPath(call *translate.Call, row *translate.Row) string {
	path := strings.Fields(row.V1)[0]
	if call.Each != "" && !strings.ContainsAny(path[:1], "{?@") {
		return call.Each + "." + path
	}
	return path
}

// pagingProperties describes the fields that select a part of a list.
func pagingProperties() openjson.Object {
	return openjson.Of(
		"startingItem",
		openjson.Of("type", "integer", "minimum", 0, "maximum", translate.MaxStart, "default", 0, "description", "how many to pass over", "x-v1", "?after"),
		"numberOfItems",
		openjson.Of("type", "integer", "minimum", 1, "maximum", translate.MaxWindow, "default", translate.DefaultWindow,
			"description", "how many to answer", "x-v1", "?limit"),
		"order", openjson.Of("type", "string", "enum", []any{"ASC", "DESC"}, "default", "ASC", "description", "oldest or newest first, in any case", "x-v1", "?sort"),
	)
}

// formSchema describes the texts that a converter reads. It is nil when these are the texts that /v1 accepts.
func formSchema(form translate.Form) openjson.Object {
	switch {
	case form.Words != nil:
		return text("enum", openjson.Array(form.Words))
	case form.Whole && form.Max > 0:
		return openjson.Of("type", "integer", "minimum", 0, "maximum", form.Max)
	case form.Whole:
		return openjson.Of("type", "integer", "minimum", 0)
	case form.Length > 0:
		return text("minLength", 1, "maxLength", form.Length)
	case form.Pattern != "":
		return text("pattern", "^"+form.Pattern+"$")
	default:
		return nil
	}
}

// fieldSchema describes what a field accepts.
func fieldSchema(call *translate.Call, row *translate.Row) openjson.Object {
	var accepted openjson.Object // by /v1
	if o := call.Target.Operation(); o != nil && row.V1 != "" && row.V1[0] != '@' {
		accepted, _ = v1openapi.InputSchema(o, inputPath(call, row))
		if o.Method == "PATCH" {
			accepted = accepted.Without("default") // a field that is not sent stays as it is
		}
	}
	c := row.Convert
	var schema openjson.Object
	switch {
	case row.Legacy == "images":
		url, _ := v1openapi.InputSchema(call.Target.Operation(), inputPath(call, row)+".url")
		image := openjson.Of("type", "string", "format", "uri", "maxLength", url.Get("maxLength"))
		schema = openjson.Of("type", "array", "items", image, "maxItems", accepted.Get("maxItems"))
	case c == nil:
		schema = accepted.Without("examples")
	case c.Pairs != nil:
		schema = openjson.Of("type", "string", "enum", legacyWords(c))
	default:
		if schema = formSchema(c.Reads); schema == nil {
			schema = accepted.Without("examples")
		}
		if c == translate.Integer {
			for _, rule := range []string{"minimum", "maximum", "enum"} {
				schema.Set(rule, orEmpty(accepted.Get(rule)))
			}
		}
	}
	switch otherwise := accepted.Get("default").(type) {
	case nil, []any:
	case int:
		schema.Set("default", otherwise)
	default:
		if word := string(toLegacy(c, fmt.Sprint(otherwise))); c == nil || c.Pairs == nil || slices.Contains(legacyWords(c), any(word)) {
			schema.Set("default", word) // unless /rest has no word for it
		}
	}
	if row.Default != "" {
		schema.Set("default", string(toLegacy(c, row.Default)))
	}
	return schema
}

// Default returns the value that /rest uses for a field that is not sent, "" when there is none.
func Default(call *translate.Call, row *translate.Row) string {
	return fmt.Sprint(orEmpty(fieldSchema(call, row).Get("default")))
}

// toLegacy returns the legacy text of a /v1 text.
func toLegacy(c *translate.Converter, text string) []byte {
	if c == nil {
		return []byte(text)
	}
	return c.AppendLegacy(nil, []byte(text))
}

// legacyWords returns the legacy words of an enumeration.
func legacyWords(c *translate.Converter) []any {
	words := make([]any, len(c.Pairs))
	for i, pair := range c.Pairs {
		words[i] = pair[0]
	}
	return words
}

func setLoss(schema *openjson.Object, loss translate.Loss) {
	if loss.Kind != translate.None {
		schema.Set("x-loss", openjson.Of("kind", string(loss.Kind), "why", loss.Why))
	}
}
