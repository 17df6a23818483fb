package servertest

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"sellerd/translate/openapi"
)

// This file compares every exchange through /rest with its OpenAPI document. The interface stays as it is, so a test fails
// on an element that the document does not name, as on a status or a header.

var describedRest = sync.OnceValue(func() *description { return describe("openapi-rest.json", openapi.Document("/")) })

// checkRest fails the test when an answer of /rest is not as described.
func checkRest(tb testing.TB, r *http.Request, answer *httptest.ResponseRecorder) {
	tb.Helper()
	for _, found := range FindingsOfRest(r, answer) {
		tb.Errorf("%s %s answered %d, which is not as the OpenAPI document of /rest describes it: %s\n%s", r.Method, r.URL, answer.Code, found.Text, answer.Body)
	}
}

// FindingsOfRest compares an exchange through /rest with its document. Paths and methods without a call are not described.
func FindingsOfRest(r *http.Request, answer *httptest.ResponseRecorder) []Finding {
	d := describedRest()
	template, operation := d.operation(r)
	if operation == nil {
		return nil
	}
	place, response := d.resolve(pointer("paths", template, strings.ToLower(methodOf(r)), "responses", strconv.Itoa(answer.Code)))
	if response == nil {
		return undescribedStatus(answer.Code)
	}
	found := d.headerFindings(response, answer.Header())
	if r.Method != http.MethodHead {
		found = append(found, d.xmlFindings(place, response, answer)...)
	}
	return found
}

func (d *description) xmlFindings(place string, response map[string]any, answer *httptest.ResponseRecorder) []Finding {
	const media = "application/xml"
	content, _ := response["content"].(map[string]any)
	if sent := answer.Header().Get("Content-Type"); content[media] == nil || sent != media+"; charset=utf-8" {
		return undescribedMedia(sent)
	}
	root, err := readElement(answer.Body.String())
	if err != nil {
		return []Finding{{wrongBody, err.Error()}}
	}
	place, schema := d.resolve(place + pointer("content", media, "schema"))
	if name := schema["xml"].(map[string]any)["name"]; name != root.XMLName.Local {
		return []Finding{{wrongBody, "the root is " + root.XMLName.Local}}
	}
	if err := d.schema(place).Validate(d.xmlValue(schema, root)); err != nil {
		return []Finding{{wrongBody, err.Error()}}
	}
	return nil
}

// xmlValue is an element as its schema sees it: an object of the elements inside, each a list where there may be several, or
// a text.
func (d *description) xmlValue(schema map[string]any, e *Element) any {
	if reference, ok := schema["$ref"].(string); ok {
		_, schema = d.resolve(strings.TrimPrefix(reference, "#"))
	}
	properties, _ := schema["properties"].(map[string]any)
	if properties == nil {
		return e.Text
	}
	object := map[string]any{}
	for _, child := range e.Inner {
		property, _ := properties[child.XMLName.Local].(map[string]any)
		if property["type"] != "array" {
			object[child.XMLName.Local] = d.xmlValue(property, child)
			continue
		}
		list, _ := object[child.XMLName.Local].([]any)
		object[child.XMLName.Local] = append(list, d.xmlValue(property["items"].(map[string]any), child))
	}
	return object
}
