package openapi_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/internal/proof/openapitest"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// walkDocument visits every object of a JSON document, with its JSON pointer.
func walkDocument(value any, place string, visit func(place string, object map[string]any)) {
	switch v := value.(type) {
	case map[string]any:
		visit(place, v)
		for name, member := range v {
			walkDocument(member, place+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), visit)
		}
	case []any:
		for i, element := range v {
			walkDocument(element, place+"/"+strconv.Itoa(i), visit)
		}
	}
}

func parseDocument(t *testing.T) any {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.Document(openapitest.Address)))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

func TestEveryExampleIsAsItsSchemaSays(t *testing.T) {
	document := parseDocument(t)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("openapi.json", document); err != nil {
		t.Fatal(err)
	}
	checked := 0
	walkDocument(document, "", func(place string, media map[string]any) {
		examples, _ := media["examples"].(map[string]any)
		if media["schema"] == nil {
			return
		}
		for name, e := range examples {
			schema, err := compiler.Compile("openapi.json#" + (&url.URL{Path: place + "/schema"}).EscapedPath())
			if err != nil {
				t.Fatal(err)
			}
			checked++
			if err := schema.Validate(e.(map[string]any)["value"]); err != nil {
				t.Errorf("%s, example %s: %v", place, name, err)
			}
		}
	})
	if checked == 0 {
		t.Error("there are no examples")
	}
}

func TestEveryRecordedExampleIsInTheDocument(t *testing.T) {
	file, err := os.ReadFile("examples.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string][]struct {
		Title             string
		Status            int
		Request, Response any
	}
	decoder := json.NewDecoder(bytes.NewReader(file))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&recorded); err != nil {
		t.Fatal(err)
	}
	document := openapitest.Load(t, openapi.Document)
	for name, examples := range recorded {
		i := slices.IndexFunc(v1.Operations, func(o *v1.Operation) bool { return o.Name == name })
		if i < 0 {
			t.Errorf("there is no operation %s", name)
			continue
		}
		o := v1.Operations[i]
		operation := document.Paths.Value(o.Pattern).GetOperation(o.Method)
		for _, e := range examples {
			response := operation.Responses.Status(e.Status)
			switch {
			case response == nil:
				t.Errorf("%s does not answer %d", name, e.Status)
			case response.Ref != "" || e.Response == nil:
				continue // many operations answer so, and the catalogue shows it
			}
			shown := false
			for _, example := range response.Value.Content.Get("application/json").Examples {
				shown = shown || example.Value.Summary == e.Title
			}
			if e.Request != nil && e.Status < 300 {
				shown = shown && operation.RequestBody.Value.Content.Get("application/json").Examples != nil
			}
			if !shown {
				t.Errorf("%s does not show %q", name, e.Title)
			}
		}
	}
}
