package gate_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/changelog"
	"sellerd/conformance/gate"
	"sellerd/translate/openapi"
	v1openapi "sellerd/v1/openapi"
)

// document is an OpenAPI document for changing.
type document map[string]any

func today(t *testing.T) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(v1openapi.Document("/"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// ofItems is the part of today's document about items, events and the account, which is compared in a fraction of the time.
func ofItems(t *testing.T) document {
	t.Helper()
	d := today(t)
	kept := []string{"/v1/items", "/v1/items/{id}", "/v1/account", "/v1/events", "/v1/webhooks", "/v1/webhook-deliveries"}
	maps.DeleteFunc(d.at("paths"), func(path string, _ any) bool { return !slices.Contains(kept, path) })
	maps.DeleteFunc(d.at("webhooks"), func(event string, _ any) bool { return event != "item.closed" && event != "sale.cancelled" })
	return d
}

// legacyDocument is the document of /rest.
func legacyDocument(t *testing.T) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(openapi.Document("/"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// at goes down a path of names, given with spaces between.
func (d document) at(path string) document {
	value := any(map[string]any(d))
	for name := range strings.FieldsSeq(path) {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			value = nil
			for _, element := range v { // parameters are found by name
				if object, ok := element.(map[string]any); ok && object["name"] == name {
					value = object
				}
			}
		}
	}
	object, ok := value.(map[string]any)
	if !ok {
		panic("nothing is at " + path)
	}
	return object
}

func (d document) without(path, name string) {
	object := d.at(path)
	if _, ok := object[name]; !ok {
		panic(path + " has no " + name)
	}
	delete(object, name)
}

// drop takes a text out of a list.
func (d document) drop(path, list, text string) {
	object := d.at(path)
	var kept []any
	for _, element := range object[list].([]any) {
		if element != text {
			kept = append(kept, element)
		}
	}
	if len(kept) == len(object[list].([]any)) {
		panic(path + " has no " + text)
	}
	object[list] = kept
}

// add puts something at the end of a list.
func (d document) add(path, list string, value any) {
	object := d.at(path)
	elements, _ := object[list].([]any)
	object[list] = append(elements, value)
}

const (
	items   = "paths /v1/items get"
	item    = "paths /v1/items/{id} get responses 200"
	itemOut = "components schemas Item"
	itemIn  = "components schemas ItemInput"
)

// TestEachMutationIsCaught changes the contract in the ways in which contracts are changed by mistake.
func TestEachMutationIsCaught(t *testing.T) {
	for name, mutate := range map[string]func(document){
		"another default":  func(d document) { d.at(items + " parameters limit schema")["default"] = 20 },
		"a lower maximum":  func(d document) { d.at(items + " parameters limit schema")["maximum"] = 100 },
		"a header is gone": func(d document) { d.without(item+" headers", "ETag") },
		"an optional member is gone": func(d document) {
			d.without(itemOut+" properties", "visit_count")
			d.drop(itemOut, "required", "visit_count")
		},
		"a member may be missing":          func(d document) { d.drop(itemOut, "required", "status") },
		"a member may be null":             func(d document) { d.at(itemOut + " properties bid_count")["type"] = []any{"integer", "null"} },
		"a member has another type":        func(d document) { d.at(itemOut + " properties bid_count")["type"] = "string" },
		"a member of requests is required": func(d document) { d.add(itemIn, "required", "description") },
		"a parameter is required":          func(d document) { d.at(items + " parameters sort")["required"] = true },
		"a required parameter more": func(d document) {
			d.add(items, "parameters", map[string]any{"name": "reason", "in": "query", "required": true, "schema": map[string]any{"type": "string"}})
		},
		"a parameter is gone": func(d document) {
			d.without(items+" parameters sort", "name")
			d.at(items)["parameters"] = d.at(items)["parameters"].([]any)[1:]
		},
		"a code has another name":       func(d document) { rename(d, "item_not_found", "item_missing") },
		"a state has another name":      func(d document) { rename(d, "unsold", "not_sold") },
		"a state more":                  func(d document) { d.add(itemOut+" properties status", "enum", "withdrawn") },
		"a status is gone":              func(d document) { d.without("paths /v1/items/{id} get responses", "404") },
		"a success has another status":  func(d document) { r := d.at("paths /v1/items post responses"); r["200"] = r["202"]; delete(r, "202") },
		"an operation is gone":          func(d document) { d.without("paths /v1/items/{id}", "patch") },
		"an operation has another name": func(d document) { d.at("paths /v1/items/{id} get")["operationId"] = "readItem" },
		"a media type is gone": func(d document) {
			d.without("paths /v1/items/{id} patch requestBody content", "application/merge-patch+json")
		},
		"an event is gone":                func(d document) { d.without("webhooks", "sale.cancelled") },
		"a shorter title":                 func(d document) { d.at(itemIn + " properties title")["maxLength"] = 80 },
		"a key is sent in another header": func(d document) { d.at("components securitySchemes ApiKey")["name"] = "Authorization" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant := ofItems(t)
			mutate(mutant)
			changes := compare(t, ofItems(t), mutant)
			if got := gate.Verdict(changes); got != changelog.Breaking {
				t.Errorf("taken for: %s %+v", got, changes)
			}
		})
	}
}

// TestAdditionsAreLetThrough proves that the gate accepts additions.
func TestAdditionsAreLetThrough(t *testing.T) {
	for name, c := range map[string]struct {
		mutate func(document)
		want   changelog.Kind
	}{
		"nothing": {func(document) {}, changelog.Fix},
		"an optional parameter more": {func(d document) {
			d.add(items, "parameters", map[string]any{"name": "colour", "in": "query", "schema": map[string]any{"type": "string"}})
		}, changelog.Addition},
		"a member more": {func(d document) {
			d.at(itemOut + " properties")["watchers"] = map[string]any{"type": "integer"}
			d.add(itemOut, "required", "watchers")
		}, changelog.Addition},
		"an operation more": {func(d document) { d.at("paths")["/v1/shops"] = map[string]any{"get": d.at("paths /v1/account get")} }, changelog.Addition},
		"an event more": {func(d document) {
			d.add("components schemas EventType", "enum", "bill.sent")
			d.add("components schemas EventPattern", "enum", "bill.sent")
			d.add("components schemas EventPattern", "enum", "bill.*")
		}, changelog.Addition},
		"a higher limit":  {func(d document) { d.at(itemIn + " properties title")["maxLength"] = 200 }, changelog.Addition},
		"no least length": {func(d document) { delete(d.at(itemIn+" properties title"), "minLength") }, changelog.Addition},
		"an operation will end": {func(d document) {
			d.at("paths /v1/account get")["deprecated"] = true
			d.at("paths /v1/account get")["x-sunset"] = "2030-01-01"
		}, changelog.Deprecation},
		"a sentence is better": {func(d document) { d.at("paths /v1/account get")["description"] = "Better." }, changelog.Fix},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mutant := ofItems(t)
			c.mutate(mutant)
			changes := compare(t, ofItems(t), mutant)
			if diff := cmp.Diff(c.want, gate.Verdict(changes)); diff != "" {
				t.Errorf("%s%+v", diff, changes)
			}
		})
	}
}

func compare(t *testing.T, before, after document) []gate.Change {
	t.Helper()
	changes, err := gate.Compare(encode(t, before), encode(t, after))
	if err != nil {
		t.Fatal(err)
	}
	return changes
}

func encode(t *testing.T, d document) []byte {
	t.Helper()
	text, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// rename writes a value of enumerations differently, everywhere.
func rename(value any, from, to string) any {
	switch v := value.(type) {
	case document:
		rename(map[string]any(v), from, to)
	case map[string]any:
		for name, member := range v {
			v[name] = rename(member, from, to)
		}
	case []any:
		for i, element := range v {
			v[i] = rename(element, from, to)
		}
	case string:
		if v == from {
			return to
		}
	}
	return value
}
