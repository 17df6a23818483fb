package openapi

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/openjson"
	"sellerd/translate"
	"sellerd/v1"
)

// This file describes answers: XML, in which every value is a text.

func text(rules ...any) openjson.Object {
	return append(openjson.Of("type", "string"), openjson.Of(rules...)...)
}

// xmlObject is an element with elements inside, all of which are there but those in optional.
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

// repeated is an element that is there as often as it takes.
func repeated(items openjson.Object) openjson.Object {
	return openjson.Of("type", "array", "items", items, "xml", openjson.Of("wrapped", false))
}

// envelope is the answer around a body. calls are those that it can name, none when no call was found.
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

// callIDs are the names of a call and of those that share its route.
func callIDs(call *translate.Call) []any {
	ids := []any{call.ID}
	for _, other := range call.Variants() {
		ids = append(ids, other.ID)
	}
	return ids
}

// answers are all answers to a call, by status.
func (d *document) answers(call *translate.Call) openjson.Object {
	out := openjson.Of("200", openjson.Of(
		"description", "OK", "headers", headers(200, nil, publishes(call)), "content", envelope(200, callIDs(call), d.body(call)),
	))
	codes := call.Codes()
	var statuses []int
	for _, code := range codes {
		statuses = append(statuses, statusOf(code))
	}
	slices.Sort(statuses)
	for _, status := range slices.Compact(statuses) {
		var at []v1.Code
		general := true
		for _, code := range codes {
			if statusOf(code) == status {
				at = append(at, code)
				general = general && slices.Contains(translate.GeneralCodes(), code)
			}
		}
		out.Set(strconv.Itoa(status), d.refusalOf(call, status, at, general))
	}
	return out
}

func statusOf(code v1.Code) int {
	info, _ := v1.LookupError(code)
	return info.Status
}

// refusalOf is a refusal of a call. Those that say nothing of a call's own are components.
func (d *document) refusalOf(call *translate.Call, status int, codes []v1.Code, general bool) openjson.Object {
	store := publishes(call) && tellsStoreLimits(status)
	if !general {
		return refusal(call, status, codes, store)
	}
	words := make([]string, len(codes))
	for i, code := range codes {
		words[i] = pascalCase(string(code))
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

// body is what stands inside body when a call succeeds.
func (d *document) body(call *translate.Call) openjson.Object {
	if call.Each != "" {
		entry := d.component(pascalCase(call.ID), bulkEntry(call))
		return xmlObject(openjson.Of(call.Element, repeated(entry)))
	}
	result, list := resultType(call)
	var elements openjson.Object
	for i := range call.Out {
		if row := &call.Out[i]; row.Dir != translate.In {
			elements.Set(row.Legacy, elementSchema(row, result))
		}
	}
	if call.Element == "" {
		return xmlObject(elements)
	}
	element := d.component(pascalCase(call.ID), xmlObject(elements))
	if !list {
		return xmlObject(openjson.Of(call.Element, element))
	}
	return xmlObject(openjson.Of(call.Element, repeated(element)), call.Element)
}

// resultType is what the rows of a call's answer lead into, and whether there may be any number of it.
func resultType(call *translate.Call) (result reflect.Type, list bool) {
	result, list = call.Target.ResultType()
	if call.Target.Result != nil {
		list = call.Element != ""
	}
	return result, list
}

// bulkEntry is what became of an entry of a bulk.
func bulkEntry(call *translate.Call) openjson.Object {
	return xmlObject(openjson.Of(
		"status", text("enum", []any{"true", "false"}),
		"data", text("const", call.Out[1].Const),
		"errorMsg", text(),
		"errorCode", text("enum", openjson.Array(call.EntryCodes()), "description", "of an entry that was refused"),
		"personal_reference", text("description", "as it was sent"),
	), "data", "errorMsg", "errorCode")
}

// writtenForms are what converters write, as far as they are no enumerations and do not write what /v1 has.
var writtenForms = map[*translate.Converter]string{
	translate.Money:         `-?[0-9]+\.[0-9]{2}`,
	translate.Integer:       `-?[0-9]+`,
	translate.Identifier:    `-?[0-9]+`,
	translate.SettingNumber: `[0-9]+`,
	translate.Boolean:       `[01]`,
	translate.LocalTime:     localPattern,
	translate.Hour:          clockPattern,
	translate.Score:         `[0-9]+`,
	translate.Activity:      `[01]`,
}

// bareForms are what values look like that are no texts in /v1.
var bareForms = map[any]string{"integer": `-?[0-9]+`, "number": `-?[0-9]+(\.[0-9]+)?`, "boolean": `true|false`}

// elementSchema is the text of a row's element. It is empty when the value is missing.
func elementSchema(row *translate.Row, result reflect.Type) openjson.Object {
	schema := text()
	if row.V1 == "" {
		schema.Set("enum", []any{row.Const})
	} else {
		value, missing := v1.ResultSchema(result, row.V1)
		c := row.Convert
		pattern := writtenForms[c]
		switch {
		case c != nil && c.Pairs != nil:
			schema.Set("enum", orMissing(writtenWords(c), missing))
		case c == nil && value.Get("type") == "string":
			if words, ok := value.Get("enum").([]any); ok {
				schema.Set("enum", orMissing(words, missing))
			}
		case c == nil:
			pattern = bareForms[value.Get("type")]
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

// writtenWords are those of an enumeration that answers show: of two that mean the same, the first.
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
