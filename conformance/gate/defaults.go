package gate

import (
	"encoding/json"
	"slices"
)

// This file lets a document say what stands for an absent member of a request in x-default, and not in default. Generators of
// clients take a member with a default for one that is always there, and require it of requests. JSON Schema gives the keyword no
// effect on what is accepted, so the move is harmless where programs may leave the member out and may send null: then the schema
// never claimed that the default is there. Elsewhere, and without the same x-default, the loss of a default is breaking as before.

// movedDefault is the extension that takes the place of default.
const movedDefault = "x-default"

// withDefaults is a document in which the defaults of such members stand in default again. Both documents of a comparison are read
// so, and the comparison itself needs no exception: another x-default is another default.
func withDefaults(document []byte) ([]byte, error) {
	d := requests{seen: map[string]bool{}}
	if err := json.Unmarshal(document, &d.document); err != nil {
		return nil, err
	}
	for path := range member(d.document, "paths") {
		for method := range member(member(d.document, "paths"), path) {
			body, _ := resolve(d.document, member(member(member(d.document, "paths"), path), method)["requestBody"])
			for _, media := range member(body, "content") {
				if content, ok := media.(object); ok {
					d.schema(content["schema"])
				}
			}
		}
	}
	return json.Marshal(d.document)
}

// requests walks the schemas of requests.
type requests struct {
	document object
	seen     map[string]bool // components
}

func (d *requests) schema(value any) {
	schema, name := resolve(d.document, value)
	if schema == nil || name != "" && d.seen[name] {
		return
	}
	d.seen[name] = true
	required, _ := schema["required"].([]any)
	for name, property := range member(schema, "properties") {
		own, _ := property.(object)
		if moved, ok := own[movedDefault]; ok && own["default"] == nil && isNullable(own) && !slices.Contains(required, any(name)) {
			own["default"] = moved
		}
		d.schema(property)
	}
	d.schema(schema["items"])
	d.schema(schema["additionalProperties"])
	for _, list := range []string{"oneOf", "anyOf", "allOf"} {
		choices, _ := schema[list].([]any)
		for _, choice := range choices {
			d.schema(choice)
		}
	}
}

// isNullable says whether a schema accepts null, in one of the two forms that the documents have.
func isNullable(schema object) bool {
	types, _ := schema["type"].([]any)
	choices, _ := schema["oneOf"].([]any)
	return slices.Contains(types, any("null")) || slices.ContainsFunc(choices, func(choice any) bool {
		o, _ := choice.(object)
		return o["type"] == "null"
	})
}
