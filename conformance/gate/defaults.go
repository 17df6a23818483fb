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
	for _, path := range member(d.document, "paths") {
		methods, _ := path.(object)
		for method := range methods {
			d.restore(member(methods, method)["requestBody"])
		}
	}
	return json.Marshal(d.document)
}

// requests walks what describes requests.
type requests struct {
	document object
	seen     map[string]bool // components
}

// restore puts the defaults into their place, in a part of the document and below it.
func (d *requests) restore(part any) {
	list, _ := part.([]any)
	for _, element := range list {
		d.restore(element)
	}
	schema, name := resolve(d.document, part)
	if schema == nil || name != "" && d.seen[name] {
		return
	}
	d.seen[name] = true
	required, _ := schema["required"].([]any)
	for name := range member(schema, "properties") {
		own := member(member(schema, "properties"), name)
		if moved, ok := own[movedDefault]; ok && own["default"] == nil && isNullable(own) && !slices.Contains(required, any(name)) {
			own["default"] = moved
		}
	}
	for _, inner := range schema {
		d.restore(inner)
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
