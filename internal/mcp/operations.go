package mcp

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// operation is an operation of the table, as the OpenAPI document describes it.
type operation struct {
	*v1.Operation
	id           string // its name in the document: submitItem
	tool         string // the name of the tool that calls it, empty if none does with this key
	parameters   []parameter
	body         openjson.Object // the schema with everything that it refers to, nil without a body
	bodyRequired bool
}

// parameter is a part of the path or of the query.
type parameter struct {
	name, about string
	inPath      bool
	schema      openjson.Object
}

// document is the OpenAPI document. What is read of it does not depend on the address of the service.
var document = sync.OnceValues(func() (openjson.Object, error) {
	parsed, err := openjson.Parse(openapi.Document("/"))
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	return object(parsed), nil
})

// describedOperations are the operations of /v1, but those that change the key that asks: an agent must not end the key that it works with,
// and what it reads of a new one would stay in its transcript. The document is made by this program, so an error is a mistake in it.
func describedOperations() ([]*operation, error) {
	document, err := document()
	if err != nil {
		return nil, err
	}
	paths, schemas := object(document.Get("paths")), components{object(object(document.Get("components")).Get("schemas"))}
	var all []*operation
	for _, o := range v1.Operations {
		if o.OnKey {
			continue
		}
		described := object(object(paths.Get(o.Pattern)).Get(strings.ToLower(o.Method)))
		if described == nil {
			return nil, fmt.Errorf("the OpenAPI document has no %s %s", o.Method, o.Pattern)
		}
		all = append(all, newOperation(o, described, schemas))
	}
	return all, nil
}

func newOperation(o *v1.Operation, described openjson.Object, schemas components) *operation {
	out := &operation{Operation: o, id: openapi.OperationID(o)}
	for _, one := range list(described.Get("parameters")) {
		p := object(one)
		name, _ := p.Get("name").(string)
		about, _ := p.Get("description").(string)
		if in := p.Get("in"); in == "path" || in == "query" {
			out.parameters = append(out.parameters, parameter{name, about, in == "path", schemas.inlined(object(p.Get("schema")), false)})
		}
	}
	if request := object(described.Get("requestBody")); request != nil {
		schema := object(object(object(request.Get("content")).Get("application/json")).Get("schema"))
		out.body = schemas.inlined(schema, false)
		out.bodyRequired, _ = request.Get("required").(bool)
	}
	return out
}

// takes says whether the operation has a parameter of the query.
func (o *operation) takes(name string) bool {
	return slices.ContainsFunc(o.parameters, func(p parameter) bool { return p.name == name && !p.inPath })
}

// components are the schemas that others refer to.
type components struct{ schemas openjson.Object }

// referred is the name of the schema that a schema refers to, empty if it does not.
func referred(schema openjson.Object) string {
	reference, _ := schema.Get("$ref").(string)
	return strings.TrimPrefix(reference, "#/components/schemas/")
}

// longestTold is the largest maxLength in the schemas for agents. Larger values limit whole bodies.
const longestTold = 20_000

// tells says whether a member of a schema helps to write a value. The others are for generators and validators.
func tells(m openjson.Member) bool {
	switch m.Name {
	case "x-since", "x-newer", "examples":
		return false
	case "format":
		return m.Value == "date-time"
	case "maxLength":
		number, _ := m.Value.(jsontext.Value)
		n, err := strconv.Atoi(string(number))
		return err == nil && n <= longestTold
	}
	return true
}

// inlined is a schema without references. In a body, null is the same as an absent member, so it is left out; in a patch it clears a
// member, and stays.
func (c components) inlined(schema openjson.Object, patch bool) openjson.Object {
	if name := referred(schema); name != "" {
		out := c.inlined(object(c.schemas.Get(name)), patch || strings.HasSuffix(name, "Patch"))
		for _, m := range schema {
			if m.Name != "$ref" && tells(m) {
				out.Set(m.Name, m.Value)
			}
		}
		return out
	}
	var out openjson.Object
	for _, m := range schema {
		switch {
		case !tells(m):
			continue
		case m.Name == "properties":
			var properties openjson.Object
			for _, property := range object(m.Value) {
				properties.Set(property.Name, c.inlined(object(property.Value), patch))
			}
			m.Value = properties
		case m.Name == "items" || m.Name == "additionalProperties" && object(m.Value) != nil:
			m.Value = c.inlined(object(m.Value), patch)
		case m.Name == "oneOf" || m.Name == "anyOf":
			var choices []any
			for _, choice := range list(m.Value) {
				choices = append(choices, c.inlined(object(choice), patch))
			}
			m.Value = choices
		}
		out = append(out, m)
	}
	if !patch {
		out = withoutNull(out)
	}
	return out
}

// withoutNull is a schema that allows no null.
func withoutNull(schema openjson.Object) openjson.Object {
	if types := list(schema.Get("type")); len(types) == 2 && types[1] == "null" {
		schema.Set("type", types[0])
	}
	choices := list(schema.Get("oneOf"))
	if len(choices) != 2 || object(choices[1]).Get("type") != "null" {
		return schema
	}
	out := slices.Clone(object(choices[0]))
	for _, m := range schema.Without("oneOf") {
		out.Set(m.Name, m.Value)
	}
	return out
}

// object is a value of the document that is an object, nil if it is something else.
func object(value any) openjson.Object {
	o, _ := value.(openjson.Object)
	return o
}

// list is a value of the document that is an array, nil if it is something else.
func list(value any) []any {
	l, _ := value.([]any)
	return l
}
