package reference

import (
	"fmt"
	"net/url"
	"strings"

	"sellerd/internal/base/openjson"
)

// request is the request of an operation's samples, in every language.
type request struct {
	Method    string
	URL       string
	MediaType string // of the body
	Body      any    // nil without one
	Keyed     bool   // takes an Idempotency-Key
}

// description is the document from which the samples are made.
type description struct {
	document openjson.Object
	baseURL  string
	ids      map[string]string // an id for each collection, by its path's last part: items
}

// request is the usual request of an operation: its first example, on an object that other examples show.
func (d *description) request(method, path string, operation openjson.Object) (request, error) {
	r := request{Method: method}
	address, err := d.fillPath(path)
	if err != nil {
		return r, err
	}
	r.URL = d.baseURL + address
	query, shown := url.Values{}, exampleObject(operation)
	for _, listed := range list(operation.Get("parameters")) {
		parameter := d.resolve(listed)
		switch name := text(parameter, "name"); {
		case name == "Idempotency-Key":
			r.Keyed = true
		case method == "GET" && text(parameter, "in") == "query":
			// The sample of a list shows the size of a page, and the first filter that finds the object which the list's example shows.
			if name == "limit" {
				query.Set(name, number(d.resolve(parameter.Get("schema")).Get("default")))
			} else if value := text(shown, name); value != "" && len(query) == 0 {
				query.Set(name, value)
			}
		}
	}
	if len(query) > 0 {
		r.URL += "?" + query.Encode()
	}
	content := object(at(operation, "requestBody", "content"))
	if len(content) > 0 {
		examples := object(at(content[0].Value, "examples"))
		if len(examples) == 0 {
			return r, fmt.Errorf("the body has no example")
		}
		r.MediaType, r.Body = content[0].Name, at(examples[0].Value, "value")
	}
	return r, nil
}

// fillPath puts ids into a path's parameters: that of /v1/test/items/{id}/bids is one of an item.
func (d *description) fillPath(path string) (string, error) {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if !strings.HasPrefix(part, "{") {
			continue
		}
		id := d.ids[parts[i-1]]
		if id == "" {
			return "", fmt.Errorf("no example shows an id for %s", path)
		}
		parts[i] = url.PathEscape(id)
	}
	return strings.Join(parts, "/"), nil
}

// resolve returns an object, or the component that it refers to.
func (d *description) resolve(value any) openjson.Object {
	found := object(value)
	if place, refers := strings.CutPrefix(text(found, "$ref"), "#/"); refers {
		found = object(at(d.document, strings.Split(place, "/")...))
	}
	return found
}

// exampleIDs finds an id for each collection in the example answers of reading it or one of its objects. All examples are
// about the same few objects, so the first id is enough.
func exampleIDs(paths openjson.Object) map[string]string {
	ids := map[string]string{}
	for i := range paths {
		collection := paths[i].Name
		if cut := strings.LastIndex(collection, "/{"); cut >= 0 && strings.HasSuffix(collection, "}") {
			collection = collection[:cut]
		}
		collection = collection[strings.LastIndex(collection, "/")+1:]
		if ids[collection] == "" {
			ids[collection] = text(exampleObject(at(paths[i].Value, "get")), "id")
		}
	}
	return ids
}

// exampleObject is the object, or the first of the list, that the first example of an operation's success shows.
func exampleObject(operation any) openjson.Object {
	for _, response := range object(at(operation, "responses")) {
		examples := object(at(response.Value, "content", "application/json", "examples"))
		if !strings.HasPrefix(response.Name, "2") || len(examples) == 0 {
			continue
		}
		data := object(at(examples[0].Value, "value", "data"))
		if results := list(data.Get("results")); len(results) > 0 {
			return object(results[0])
		}
		return data
	}
	return nil
}
