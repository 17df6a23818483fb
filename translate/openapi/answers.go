package openapi

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// This file describes answers: XML, in which every value is a text.

func text(rules ...any) openjson.Object {
	return append(openjson.Of("type", "string"), openjson.Of(rules...)...)
}

// xmlObject describes an element with child elements. All of them are required but those in optional.
func xmlObject(properties openjson.Object, optional ...string) openjson.Object {
	var required []any
	for _, m := range properties {
		if !slices.Contains(optional, m.Name) {
			required = append(required, m.Name)
		}
	}
	out := openjson.Of("type", "object")
	out.Set("required", required)
	return append(out, openjson.Member{Name: "properties", Value: properties})
}

// repeated describes an element that occurs any number of times.
func repeated(items openjson.Object) openjson.Object {
	return openjson.Of("type", "array", "items", items, "xml", openjson.Of("wrapped", false))
}

// envelope describes the answer around a body. calls are the calls that it can name, nil when no call was found.
func envelope(status int, calls []any, body openjson.Object) openjson.Object {
	if calls == nil {
		calls = []any{""}
	}
	root := xmlObject(openjson.Of(
		"Notification_Token", text("const", ""),
		"Notification_Datetime", text("format", "date-time"),
		"Notification_Type", text("enum", calls, "description", "the call"),
		"Notification_Data", xmlObject(openjson.Of(
			"headers", xmlObject(openjson.Of(
				"status", text("const", strconv.Itoa(status)),
				"warning", repeated(text("description", "what of the request meant nothing, or less than it seems")),
			), "warning"),
			"body", body,
		)),
	))
	root.Set("xml", openjson.Of("name", "Delcampe_Notification"))
	return openjson.Of("application/xml", openjson.Of("schema", root))
}

// callIDs returns the ids of a call and of the other calls of its route.
func callIDs(call *translate.Call) []any {
	ids := []any{call.ID}
	for _, other := range call.Variants() {
		ids = append(ids, other.ID)
	}
	return ids
}

// answers describes all answers of a call, by status.
func (d *document) answers(call *translate.Call) openjson.Object {
	out := openjson.Of("200", openjson.Of(
		"description", "OK", "headers", headers(200, nil, publishes(call)), "content", envelope(200, callIDs(call), d.body(call)),
	))
	codes := call.Codes()
	for _, status := range v1openapi.Statuses(codes) {
		var at []v1.Code
		general := true
		for _, code := range codes {
			if (v1.Errors{{Code: code}}).Status() == status {
				at = append(at, code)
				general = general && slices.Contains(translate.SharedCodes(), code)
			}
		}
		out.Set(strconv.Itoa(status), d.refusalOf(call, status, at, general))
	}
	return out
}

// refusalOf describes a refusal of a call. A refusal that is the same for all calls, or for all that need a permission, is a
// component.
func (d *document) refusalOf(call *translate.Call, status int, codes []v1.Code, general bool) openjson.Object {
	store := publishes(call) && hasStoreLimits(status)
	if !general {
		return refusal(call, status, codes, store)
	}
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = v1openapi.PascalCase(string(code))
	}
	name := strings.Join(words, "Or")
	if store {
		name += "WithStoreLimits"
	}
	if d.responses.Get(name) == nil {
		d.responses.Set(name, refusal(nil, status, codes, store))
	}
	return openjson.Reference("responses", name)
}

// body describes the inside of body when a call succeeds.
func (d *document) body(call *translate.Call) openjson.Object {
	if call.Each != "" {
		entry := d.component(v1openapi.PascalCase(call.ID), bulkEntry(call))
		return xmlObject(openjson.Of(call.Element, repeated(entry)))
	}
	result, list := call.Target.ResultType()
	if call.Target.Result != nil {
		list = call.Element != "" // any number of it
	}
	var elements openjson.Object
	for i := range call.Out {
		if row := &call.Out[i]; row.Dir != translate.In {
			elements.Set(row.Legacy, elementSchema(row, result))
		}
	}
	if call.Element == "" {
		return xmlObject(elements)
	}
	element := d.component(v1openapi.PascalCase(call.ID), xmlObject(elements))
	if !list {
		return xmlObject(openjson.Of(call.Element, element))
	}
	return xmlObject(openjson.Of(call.Element, repeated(element)), call.Element)
}

// bulkEntry describes the outcome of an entry of a bulk.
func bulkEntry(call *translate.Call) openjson.Object {
	return xmlObject(openjson.Of(
		"status", text("enum", []any{"true", "false"}),
		"data", text("const", call.Out[1].Const),
		"errorMsg", text(),
		"errorCode", text("enum", openjson.Array(call.EntryCodes()), "description", "of an entry that was refused"),
		"personal_reference", text("description", "as it was sent"),
	), "data", "errorMsg", "errorCode")
}

// bareForms are patterns of values that are no strings in /v1, by their JSON type.
var bareForms = map[any]string{"integer": `-?[0-9]+`, "number": `-?[0-9]+(\.[0-9]+)?`, "boolean": `true|false`}

// elementSchema describes the text of a row's element. It is empty when the value is missing.
func elementSchema(row *translate.Row, result reflect.Type) openjson.Object {
	schema := text()
	if row.V1 == "" {
		schema.Set("enum", []any{row.Const})
	} else {
		value, missing := v1openapi.ResultSchema(result, row.V1)
		missing = missing && row.Default == ""
		c := row.Convert
		pattern := ""
		switch {
		case c != nil && c.Pairs != nil:
			schema.Set("enum", orMissing(writtenWords(c), missing))
		case c == nil && value.Get("type") == "string":
			if words, ok := value.Get("enum").([]any); ok {
				schema.Set("enum", orMissing(words, missing))
			}
		case c == nil:
			pattern = bareForms[value.Get("type")]
		default:
			pattern = c.Writes
		}
		if pattern != "" && missing {
			pattern = "|" + pattern
		}
		if pattern != "" {
			schema.Set("pattern", "^("+pattern+")$")
		}
		schema.Set("description", meaning(row))
		schema.Set("x-v1", row.V1)
	}
	setLoss(&schema, row.Loss)
	return schema
}

// writtenWords returns the words of an enumeration that answers contain: of two with the same meaning, the first.
func writtenWords(c *translate.Converter) []any {
	var words []any
	for _, pair := range c.Pairs {
		if string(c.AppendLegacy(nil, []byte(pair[1]))) == pair[0] {
			words = append(words, pair[0])
		}
	}
	return words
}

func orMissing(words []any, missing bool) []any {
	if missing {
		return append(slices.Clone(words), "")
	}
	return words
}
