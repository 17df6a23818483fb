package openapi

import (
	"net/http"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/internal/base/pattern"
	"sellerd/v1"
)

// This file links operations in the document: from an answer with the id of an object to the operations that take that id.
// All links follow from the table of operations and from the names of members.

var inBraces = pattern.Late(`\{([a-z_]+)\}`)

// readers are the operations that read one object, by the name of the object: GetItem is the one of item.
func readers() map[string]*v1.Operation {
	out := map[string]*v1.Operation{}
	for i := range v1.Operations {
		o := v1.Operations[i]
		if noun, reads := strings.CutPrefix(o.Name, "Get"); reads && strings.Contains(o.Pattern, "{") {
			out[noun] = o
		}
	}
	return out
}

// nounOf is the object that a schema is about: Sale for SaleWithRating, BatchSummary and BatchAnswer are of Batch.
func nounOf(schema string) string {
	for _, ending := range []string{"WithRating", "Answer", "Summary"} {
		schema = strings.TrimSuffix(schema, ending)
	}
	return schema
}

// members are the name of the schema to which a reference leads, and its members.
func (g *schemas) members(schema openjson.Object) (name string, members openjson.Object) {
	reference, _ := schema.Get("$ref").(string)
	name = strings.TrimPrefix(reference, "#/components/schemas/")
	members, _ = g.components[name].Get("properties").(openjson.Object)
	return name, members
}

// links are the links of a success.
func (o operation) links(g *schemas) openjson.Object {
	var out openjson.Object
	if o.Method == http.MethodDelete { // there is nothing left to follow
		return out
	}
	name, members := g.members(g.of(o.Out, inAnswers))
	at, isList := "$response.body#/data/", false
	if page, ok := strings.CutSuffix(name, "Page"); ok {
		results, _ := members.Get("results").(openjson.Object)
		items, _ := results.Get("items").(openjson.Object)
		_, members = g.members(items)
		name, at, isList = page, at+"results/0/", true
	}
	ids := map[string]string{} // where the answer has the id of an object, by the object's pattern
	for noun, reader := range readers() {
		_, inPath := strings.CutSuffix(reader.Pattern, "}")
		if !inPath {
			continue
		}
		if noun == nounOf(name) && members.Get("id") != nil {
			ids[reader.Pattern] = at + "id"
		} else if member := snakeCase(noun) + "_id"; members.Get(member) != nil {
			ids[reader.Pattern] = at + member
		}
	}
	for i := range v1.Operations {
		target := operation{v1.Operations[i]}
		if isList && target.Method != http.MethodGet {
			continue
		}
		if parameters := o.linkTo(target, ids); parameters != nil {
			out.Set(OperationID(target.Operation), openjson.Of("operationId", OperationID(target.Operation), "parameters", parameters))
		}
	}
	return out
}

// linkTo are the parameters of a target's path, each as an expression of the request or the answer. It is nil if the
// operation has not all of them, or does not answer any of them.
func (o operation) linkTo(target operation, ids map[string]string) openjson.Object {
	pattern := strings.Replace(target.Pattern, "/test/", "/", 1)
	var parameters openjson.Object
	answers := o.Locates && o.Pattern == target.Pattern // a rating has no id of its own
	for _, place := range inBraces().FindAllStringSubmatchIndex(pattern, -1) {
		object, name := pattern[:place[1]], pattern[place[2]:place[3]]
		switch expression := ids[object]; {
		case expression != "":
			answers = true
			parameters.Set(name, expression)
		case strings.HasPrefix(strings.Replace(o.Pattern, "/test/", "/", 1), object):
			parameters.Set(name, "$request.path."+name)
		default:
			return nil
		}
	}
	if !answers || o.Operation == target.Operation {
		return nil
	}
	return parameters
}

// snakeCase is a name of Go as members write it: LegacyDrill is legacy_drill.
func snakeCase(name string) string {
	return strings.ReplaceAll(strings.ToLower(inWords(name)), " ", "_")
}
