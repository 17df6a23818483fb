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
	parameters, _ := operation.Get("parameters").([]any)
	query, shown := url.Values{}, exampleObject(operation)
	for _, listed := range parameters {
		parameter := d.resolve(listed)
		switch name := text(parameter, "name"); {
		case name == "Idempotency-Key":
			r.Keyed = true
		case method == "GET" && text(parameter, "in") == "query":
			addFilter(query, name, d.resolve(parameter.Get("schema")), shown)
		}
	}
	if len(query) > 0 {
		r.URL += "?" + query.Encode()
	}
	content, _ := at(operation, "requestBody", "content").(openjson.Object)
	if len(content) > 0 {
		examples, _ := at(content[0].Value, "examples").(openjson.Object)
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

// addFilter lets the sample of a list show the size of a page and one filter: the first that finds the object which the
// list's example shows.
func addFilter(query url.Values, name string, schema, shown openjson.Object) {
	if name == "limit" {
		query.Set(name, string(openjson.Append(nil, schema.Get("default"))))
		return
	}
	if value := text(shown, name); value != "" && len(query) == 0 {
		query.Set(name, value)
	}
}

// resolve returns an object, or the component that it refers to.
func (d *description) resolve(value any) openjson.Object {
	object, _ := value.(openjson.Object)
	if place, refers := strings.CutPrefix(text(object, "$ref"), "#/"); refers {
		object, _ = at(d.document, strings.Split(place, "/")...).(openjson.Object)
	}
	return object
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
		item, _ := paths[i].Value.(openjson.Object)
		if ids[collection] == "" {
			ids[collection] = text(exampleObject(item.Get("get")), "id")
		}
	}
	return ids
}

// exampleObject is the object, or the first of the list, that the first example of an operation's success shows.
func exampleObject(operation any) openjson.Object {
	responses, _ := at(operation, "responses").(openjson.Object)
	for _, response := range responses {
		examples, _ := at(response.Value, "content", "application/json", "examples").(openjson.Object)
		if !strings.HasPrefix(response.Name, "2") || len(examples) == 0 {
			continue
		}
		data, _ := at(examples[0].Value, "value", "data").(openjson.Object)
		if results, isList := data.Get("results").([]any); isList && len(results) > 0 {
			data, _ = results[0].(openjson.Object)
		}
		return data
	}
	return nil
}
