package fuzzhttp_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// This file reads the documents as the program serves them.

// operation is one operation of a document.
type operation struct {
	id, method, path string
	node             map[string]any
	parameters       []map[string]any // of the path and the query
	body             map[string]any   // the schema of the request's body, nil for none
	bodyPlace        string           // where the schema stands in the document
	media            []string         // the media types of bodies, in alphabetical order
	examples         []any            // bodies that were followed
	methods          map[string]bool  // all methods of the path
	rest             bool
}

// document is a document with its operations in a fixed order.
type document struct {
	root       map[string]any
	operations []*operation
	known      map[string][]any // values in examples, by the name of their member
}

func readDocument(t *testing.T, handler http.Handler, path string) *document {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	d := &document{known: map[string][]any{}}
	decoder := json.NewDecoder(bytes.NewReader(recorder.Body.Bytes()))
	decoder.UseNumber()
	if err := decoder.Decode(&d.root); err != nil {
		t.Fatalf("%s answers %d: %v", path, recorder.Code, err)
	}
	paths := d.root["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path].(map[string]any)
		for _, method := range slices.Sorted(maps.Keys(item)) {
			if node, ok := item[method].(map[string]any); ok && node["operationId"] != nil {
				o := d.operation(path, method, node)
				for name := range item {
					o.methods[strings.ToUpper(name)] = true
				}
				d.operations = append(d.operations, o)
			}
		}
	}
	return d
}

func (d *document) operation(path, method string, node map[string]any) *operation {
	o := &operation{
		id: node["operationId"].(string), method: strings.ToUpper(method), path: path, node: node,
		methods: map[string]bool{}, rest: strings.HasPrefix(path, "/rest/"),
	}
	list, _ := node["parameters"].([]any)
	for _, p := range list {
		if parameter := d.resolve(p); parameter["in"] != "header" {
			o.parameters = append(o.parameters, parameter)
		}
	}
	body, _ := node["requestBody"].(map[string]any)
	content, _ := body["content"].(map[string]any)
	o.media = slices.Sorted(maps.Keys(content))
	for _, name := range o.media {
		media := content[name].(map[string]any)
		o.body, o.bodyPlace = media["schema"].(map[string]any), pointer("paths", path, method, "requestBody", "content", name, "schema")
		examples, _ := media["examples"].(map[string]any)
		o.examples = nil
		for _, title := range slices.Sorted(maps.Keys(examples)) {
			value := examples[title].(map[string]any)["value"]
			o.examples = append(o.examples, value)
			d.learn("", value)
		}
	}
	return o
}

// learn keeps the values of members, so that generated bodies have some that lead further.
func (d *document) learn(name string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, member := range slices.Sorted(maps.Keys(v)) {
			d.learn(member, v[member])
		}
	case []any:
		for _, element := range v {
			d.learn(name, element)
		}
		return
	}
	d.known[name] = append(d.known[name], value)
}

// resolve follows a reference to a component.
func (d *document) resolve(value any) map[string]any {
	object, _ := value.(map[string]any)
	reference, ok := object["$ref"].(string)
	if !ok {
		return object
	}
	var at any = d.root
	for name := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		at = at.(map[string]any)[name]
	}
	return d.resolve(at)
}

// links are those of an answer.
func (d *document) links(o *operation, status string) map[string]any {
	responses, _ := o.node["responses"].(map[string]any)
	links, _ := d.resolve(responses[status])["links"].(map[string]any)
	return links
}

func pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}
