package openapi_test

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"sellerd/internal/proof/openapitest"
	"sellerd/v1/openapi"
)

// Where enumerations may stand without a name of their own: refusals list the codes that they hold, and headers are
// not read into types.
var nameless = regexp.MustCompile(`/properties/errors/items/allOf/1/properties/code$|^/components/headers/`)

func TestEveryEnumerationIsDefinedOnceUnderAName(t *testing.T) {
	names := map[string]string{}
	walkDocument(parseDocument(t), "", func(place string, schema map[string]any) {
		values, isEnumeration := schema["enum"].([]any)
		if !isEnumeration || nameless.MatchString(place) {
			return
		}
		name, isComponent := strings.CutPrefix(place, "/components/schemas/")
		if !isComponent || strings.Contains(name, "/") {
			t.Errorf("%s repeats %v", place, values)
		}
		text, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		if other := names[string(text)]; other != "" {
			t.Errorf("%s and %s have the same values", name, other)
		}
		names[string(text)] = name
	})
	if len(names) == 0 {
		t.Error("there are no enumerations")
	}
}

func TestEveryEnumerationHasValuesOfOneType(t *testing.T) {
	walkDocument(parseDocument(t), "", func(place string, schema map[string]any) {
		values, isEnumeration := schema["enum"].([]any)
		if !isEnumeration {
			return
		}
		for _, value := range values {
			_, isText := value.(string)
			_, isNumber := value.(json.Number)
			if isText != (schema["type"] == "string") || isNumber != (schema["type"] == "integer") || isText == isNumber {
				t.Errorf("%s: %v is no value of type %v", place, value, schema["type"])
			}
		}
	})
}

// TestPatchesHaveNoDefaults keeps clients from sending what a seller did not change: many fill in what is absent.
func TestPatchesHaveNoDefaults(t *testing.T) {
	document := openapitest.Load(t, openapi.Document)
	patches := 0
	for name, schema := range document.Components.Schemas {
		if !strings.HasSuffix(name, "Patch") {
			continue
		}
		patches++
		for member, property := range schema.Value.Properties {
			if _, beside := property.Extensions["default"]; beside || property.Value.Default != nil {
				t.Errorf("%s.%s has a default", name, member)
			}
		}
	}
	if patches == 0 {
		t.Error("there are no patches")
	}
}
