// Package openapi describes the deprecated interface /rest for programs, as an OpenAPI document made of the tables of
// package translate.
package openapi

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/internal/base/openjson"
	"sellerd/translate"
	"sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

// Document returns the OpenAPI 3.1 document of the deprecated interface. baseURL is the address of the service. The file
// openapi.json is the document for "/".
func Document(baseURL string) []byte {
	d := &document{baseURL: strings.TrimSuffix(baseURL, "/"), components: map[string]string{}}
	paths := d.paths()
	d.responses.Set("RouteNotFound", refusal(nil, 404, []v1.Code{v1.RouteNotFound}, false))
	d.responses.Set("MethodNotAllowed", refusal(nil, 405, []v1.Code{v1.MethodNotAllowed}, false))
	return openjson.Print(openjson.FormatIntegers(openjson.Of(
		"openapi", "3.1.0",
		"info", v1openapi.Info("Seller API, deprecated interface", about, baseURL),
		"externalDocs", openjson.Of("description", "The migration guide", "url", d.baseURL+translate.GuidePath),
		"servers", v1openapi.Servers(baseURL),
		"security", credentials,
		"paths", paths,
		"components", openjson.Of(
			"securitySchemes", openjson.Of(
				"SessionToken", openjson.Of("type", "apiKey", "in", "query", "name", "token",
					"description", "What POST /rest/seller answers, good for "+strconv.Itoa(translate.SessionMinutes)+" minutes. It may stand among the fields "+
						"of a form as well."),
				"ApiKey", openjson.Of("type", "apiKey", "in", "header", "name", "X-Api-Key", "description", "The key itself, as /v1 takes it: a program can "+
					"change this first."),
			),
			"parameters", parameterComponents(),
			"headers", headerComponents(),
			"responses", d.responses,
			"schemas", d.schemas,
		),
		"x-deprecated-since", translate.Deprecated.Format(time.RFC3339),
		"x-sunset", translate.Sunset.Format(time.RFC3339),
		"x-converters", converters(),
		v1openapi.Elsewhere, v1openapi.ElsewhereAnswers(),
	)))
}

// credentials are the two ways to authenticate a call.
var credentials = []any{openjson.Of("SessionToken", []any{}), openjson.Of("ApiKey", []any{})}

const about = "The interface under /rest is deprecated: /v1 has taken its place, and every answer says so in Deprecation, Sunset and Link. From the sunset " +
	"(x-sunset) on everything here answers 410. Until then it stays as it is.\n\n" +
	"A request consists of fields, in the query or in a form, for every method; lists are named as PHP names them: images[], items[0][title]. A " +
	"field that a call does not have is ignored, with a warning in the answer. A field that is sent empty counts as not sent, but for booleans, " +
	"where it is false.\n\n" +
	"An answer is XML. Elements without a value are there and empty. A success has the status 200, whatever it did. Every GET answers HEAD too, " +
	"and every path answers OPTIONS with Allow. What is not described here is answered as the responses RouteNotFound and MethodNotAllowed say.\n\n" +
	"x-v1 is where in /v1 a field leads, x-successor which operations of /v1 take a call's place, and x-loss what does not come through."

// document collects the components while the document is made.
type document struct {
	baseURL    string // without a trailing slash
	responses  openjson.Object
	schemas    openjson.Object
	components map[string]string // names of schemas by their text
}

// component adds a schema to the components, once, and returns a reference to it.
func (d *document) component(name string, schema openjson.Object) openjson.Object {
	text := string(openjson.Append(nil, schema))
	known, ok := d.components[text]
	if !ok {
		known = name
		d.components[text] = name
		d.schemas.Set(name, schema)
	}
	return openjson.Reference("schemas", known)
}

func (d *document) paths() openjson.Object {
	var paths openjson.Object
	for _, call := range translate.Calls {
		if call.Match != (translate.Match{}) {
			continue // described as a variant of the other call of its route
		}
		item, _ := paths.Get(call.Pattern).(openjson.Object)
		item.Set(strings.ToLower(call.Method), d.operation(call))
		paths.Set(call.Pattern, item)
	}
	return paths
}

func (d *document) operation(call *translate.Call) openjson.Object {
	out := openjson.Of(
		"operationId", camelCase(call.ID),
		"summary", call.Title,
	)
	out.Set("description", strings.Join(call.Notes, "\n\n"))
	out.Set("externalDocs", openjson.Of("description", "This call in the migration guide", "url", d.baseURL+translate.GuidePath+"#"+call.ID))
	out.Set("deprecated", true)
	switch {
	case call.TakesKey:
		out = append(out, openjson.Member{Name: "security", Value: []any{}})
	case call.Open:
		out.Set("security", append([]any{openjson.Object{}}, credentials...))
	}
	out.Set("parameters", parameters(call))
	out.Set("requestBody", form(call))
	out.Set("responses", d.answers(call))
	out.Set("x-call", call.ID)
	out.Set("x-sunset", translate.Sunset.Format(time.RFC3339))
	describeTarget(&out, call)
	var others []any
	for _, other := range call.Variants() {
		variant := openjson.Of("x-call", other.ID, "summary", other.Title, "field", other.Match.Field, "prefix", other.Match.Prefix)
		describeTarget(&variant, other)
		others = append(others, variant)
	}
	out.Set("x-variants", others)
	return out
}

// describeTarget adds what replaces a call.
func describeTarget(out *openjson.Object, call *translate.Call) {
	out.Set("x-kind", string(call.Target.Kind))
	var successors, steps []any
	for _, step := range call.Target.Steps {
		if !slices.Contains(successors, any(v1openapi.OperationID(step.Operation))) {
			successors = append(successors, v1openapi.OperationID(step.Operation))
		}
		if step.Purpose != "" {
			steps = append(steps, openjson.Of("operationId", v1openapi.OperationID(step.Operation), "purpose", step.Purpose))
		}
	}
	out.Set("x-successor", successors)
	out.Set("x-steps", steps)
	out.Set("x-why", call.Target.Why)
	out.Set("x-instead", call.Target.Instead)
}

// converters describes the converters that the descriptions of fields name.
func converters() openjson.Object {
	var out openjson.Object
	for _, c := range translate.Converters {
		example := openjson.Of("legacy", c.Example[0], "v1", strings.ReplaceAll(c.Example[1], translate.ListSeparator, " "))
		converter := openjson.Of("description", c.Doc, "law", string(c.Law), "example", example)
		var pairs []any
		for _, pair := range c.Pairs {
			pairs = append(pairs, openjson.Of("legacy", pair[0], "v1", pair[1]))
		}
		converter.Set("pairs", pairs)
		out.Set(c.Name, converter)
	}
	return out
}

// camelCase makes the id of an operation of that of a call: item-by-reference is itemByReference.
func camelCase(id string) string {
	name := v1openapi.PascalCase(id)
	return strings.ToLower(name[:1]) + name[1:]
}
