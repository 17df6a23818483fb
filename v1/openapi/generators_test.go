package openapi_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGeneratorsNeedNoOptions looks for what made options of generators necessary: those of internal/proof/clienttest work with their defaults.
func TestGeneratorsNeedNoOptions(t *testing.T) {
	document := parseDocument(t).(map[string]any)
	if diff := cmp.Diff([]string(nil), nullableWithDefault(document)); diff != "" {
		t.Errorf("openapi-typescript requires members with a default, and these may be null (-none +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string(nil), unreached(document)); diff != "" {
		t.Errorf("oapi-codegen leaves out what no path leads to (-none +got):\n%s", diff)
	}
}

func TestWhatGeneratorsStumbleOverIsFound(t *testing.T) {
	document := parseDocument(t).(map[string]any)
	schemas := document["components"].(map[string]any)["schemas"].(map[string]any)
	item := schemas["ItemInput"].(map[string]any)["properties"].(map[string]any)
	item["quantity"].(map[string]any)["default"], item["site"].(map[string]any)["default"] = 1, "net"
	found := nullableWithDefault(document)
	if diff := cmp.Diff([]string{"/components/schemas/ItemInput/properties/quantity", "/components/schemas/ItemInput/properties/site"}, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	delete(document["paths"].(map[string]any)["/v1/webhooks"].(map[string]any)["post"].(map[string]any), "callbacks")
	if found := unreached(document); !slices.Contains(found, "ItemPublishedEvent") || !slices.Contains(found, "DeliveredEvent") {
		t.Errorf("without the callback only these are not reached: %v", found)
	}
}

// nullableWithDefault are the places of schemas that accept null and have a default.
func nullableWithDefault(document map[string]any) (places []string) {
	walkDocument(document, "", func(place string, schema map[string]any) {
		types, _ := schema["type"].([]any)
		choices, _ := schema["oneOf"].([]any)
		null := slices.Contains(types, any("null")) || slices.ContainsFunc(choices, func(choice any) bool {
			one, _ := choice.(map[string]any)
			return one["type"] == "null"
		})
		if _, has := schema["default"]; has && null {
			places = append(places, place)
		}
	})
	slices.Sort(places)
	return places
}

// unreached are the components of schemas to which nothing leads that a path leads to.
func unreached(document map[string]any) (names []string) {
	const prefix = "#/components/schemas/"
	reached := map[string]bool{}
	var follow func(value any)
	follow = func(value any) {
		walkDocument(value, "", func(_ string, object map[string]any) {
			reference, _ := object["$ref"].(string)
			if reference == "" || reached[reference] {
				return
			}
			reached[reference] = true
			target := any(document)
			for part := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
				target = target.(map[string]any)[part]
			}
			follow(target)
		})
	}
	follow(document["paths"])
	for name := range maps.Keys(document["components"].(map[string]any)["schemas"].(map[string]any)) {
		if !reached[prefix+name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
