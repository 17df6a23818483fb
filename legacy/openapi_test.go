package legacy_test

import (
	"bytes"
	"net/http"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/translate"
)

// TestEveryGoldenIsAsTheOpenAPIDocumentSays compares the recorded exchanges with the description of /rest: their
// statuses, headers and XML. What is not described fails.
func TestEveryGoldenIsAsTheOpenAPIDocumentSays(t *testing.T) {
	d := newDescription(t)
	for _, g := range goldens {
		t.Run(g.call+", "+g.name, func(t *testing.T) {
			file := filepath.Join("testdata", "exchanges", g.call, strings.ReplaceAll(g.name, " ", "-")+".txt")
			recorded, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, answer, _ := strings.Cut(string(recorded), "\nHTTP ")
			head, body, _ := strings.Cut(answer, "\n\n")
			status, lines, _ := strings.Cut(head, "\n")
			place, response := d.response(t, g.call, status)
			d.checkHeaders(t, response, lines)
			d.checkBody(t, place, body)
		})
	}
}

// description is the document, with its objects closed: the interface stays as it is, so nothing may come.
type description struct {
	document map[string]any
	compiler *jsonschema.Compiler
}

func newDescription(t *testing.T) *description {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(translate.OpenAPI("/")))
	if err != nil {
		t.Fatal(err)
	}
	closeObjects(parsed)
	d := &description{document: parsed.(map[string]any), compiler: jsonschema.NewCompiler()}
	d.compiler.AssertFormat()
	if err := d.compiler.AddResource("openapi.json", parsed); err != nil {
		t.Fatal(err)
	}
	return d
}

func closeObjects(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["type"] == "object" && v["properties"] != nil {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeObjects(member)
		}
	case []any:
		for _, element := range v {
			closeObjects(element)
		}
	}
}

// resolve finds what stands at names, following the references on the way, and where it stands in the end.
func (d *description) resolve(names ...string) (place []string, value map[string]any) {
	value = d.document
	for _, name := range names {
		place = append(place, name)
		value, _ = value[name].(map[string]any)
		if reference, ok := value["$ref"].(string); ok {
			place, value = d.resolve(strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
		}
	}
	return place, value
}

func (d *description) response(t *testing.T, id, status string) (place []string, response map[string]any) {
	t.Helper()
	i := slices.IndexFunc(translate.Calls, func(call *translate.Call) bool { return call.ID == id })
	call := translate.Calls[i]
	place, response = d.resolve("paths", call.Pattern, strings.ToLower(call.Method), "responses", status)
	if response == nil {
		t.Fatalf("the status %s is not described", status)
	}
	return place, response
}

func (d *description) validate(place []string, value any) error {
	pointer := ""
	for _, name := range place {
		pointer += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
	}
	schema, err := d.compiler.Compile("openapi.json#" + (&url.URL{Path: pointer}).EscapedPath())
	if err != nil {
		return err
	}
	return schema.Validate(value)
}

func (d *description) checkHeaders(t *testing.T, response map[string]any, lines string) {
	t.Helper()
	described := response["headers"].(map[string]any)
	carried := map[string]bool{}
	for line := range strings.SplitSeq(lines, "\n") {
		name, value, _ := strings.Cut(line, ": ")
		if name == "Content-Type" {
			if value != "application/xml; charset=utf-8" || response["content"].(map[string]any)["application/xml"] == nil {
				t.Errorf("%s is not described", line)
			}
			continue
		}
		for known := range described {
			if textproto.CanonicalMIMEHeaderKey(known) != name {
				continue
			}
			carried[name] = true
			place, header := d.resolve("components", "headers", known)
			var parsed any = value
			if n, err := strconv.ParseInt(value, 10, 64); err == nil && header["schema"].(map[string]any)["type"] == "integer" {
				parsed = n
			}
			if err := d.validate(append(place, "schema"), parsed); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
		if !carried[name] {
			t.Errorf("the header %s is not described", name)
		}
	}
	for _, name := range []string{"Deprecation", "Sunset", "Link", "Cache-Control", "WWW-Authenticate", "Allow"} {
		if described[name] != nil && !carried[http.CanonicalHeaderKey(name)] {
			t.Errorf("the header %s is missing", name)
		}
	}
}

func (d *description) checkBody(t *testing.T, response []string, body string) {
	t.Helper()
	root, err := readXML(strings.NewReader(strings.ReplaceAll(body, "…", "1"))) // what differs from world to world
	if err != nil {
		t.Fatal(err)
	}
	place := append(slices.Clone(response), "content", "application/xml", "schema")
	_, schema := d.resolve(place...)
	if name := schema["xml"].(map[string]any)["name"]; name != root.name {
		t.Errorf("the root is %s", root.name)
	}
	if err := d.validate(place, d.value(schema, root)); err != nil {
		t.Errorf("%v\n%s", err, body)
	}
}

// value is an element as its schema sees it: an object of the elements inside, each a list where there may be several, or
// a text.
func (d *description) value(schema map[string]any, e *element) any {
	if reference, ok := schema["$ref"].(string); ok {
		_, schema = d.resolve(strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
	}
	properties, _ := schema["properties"].(map[string]any)
	if properties == nil {
		return e.chars
	}
	object := map[string]any{}
	for _, child := range e.children {
		property, _ := properties[child.name].(map[string]any)
		if property["type"] != "array" {
			object[child.name] = d.value(property, child)
			continue
		}
		list, _ := object[child.name].([]any)
		object[child.name] = append(list, d.value(property["items"].(map[string]any), child))
	}
	return object
}
