package openapi_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/internal/proof/openapitest"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// escaped is the most that a character takes in a body: \u and four digits. Characters beyond U+FFFF take two of these. They count as
// two characters here in short texts only: the long ones are an address, which is written in percent-encoding, and a
// description, of which all but 10,000 characters are tags.
const escaped = len(`\u0000`)

// TestABodyWithinItsLimitsFits adds up the limits of the members of every body: if each keeps to its own, the body must keep to its.
func TestABodyWithinItsLimitsFits(t *testing.T) {
	t.Run("of sellers", func(t *testing.T) {
		d := bodySizes{parseDocument(t).(map[string]any)}
		d.check(t)
		for name, limit := range map[string]int{"ItemInput": 2 << 20, "ItemChange": 2 << 20} {
			if most := d.size(map[string]any{"$ref": "#/components/schemas/" + name}) + len(`{"changes":[]}`); most > limit {
				t.Errorf("a list of one %s can have %d bytes, and its limit is %d", name, most, limit)
			}
		}
	})
	t.Run("of the operator", func(t *testing.T) {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(openapi.OperatorDocument(openapitest.Address)))
		if err != nil {
			t.Fatal(err)
		}
		bodySizes{document.(map[string]any)}.check(t)
		bodySizes{document.(map[string]any)}.check(t)
	})
}

// check reports bodies whose limits are below what their members can have.
func (d bodySizes) check(t *testing.T) {
	for path, item := range d.document["paths"].(map[string]any) {
		for method, operation := range item.(map[string]any) {
			body := d.at(operation, "requestBody")
			if body == nil || d.at(operation, "operationId") == "submitBatch" || d.at(operation, "operationId") == "changeItems" {
				continue // a list holds 100 ordinary entries, and each of the largest alone
			}
			limit := number(d.at(body, "x-body-limit"))
			for kind, content := range d.at(body, "content").(map[string]any) {
				if most := d.size(d.at(content, "schema")); most > limit {
					t.Errorf("%s %s: a body of %s can have %d bytes, and its limit is %d", method, path, kind, most, limit)
				}
			}
		}
	}
}

// bodySizes finds the largest JSON texts of the schemas of a document.
type bodySizes struct{ document map[string]any }

func (d bodySizes) at(value any, name string) any {
	part, _ := value.(map[string]any)
	return part[name]
}

func (d bodySizes) size(value any) (most int) {
	schema := value.(map[string]any)
	if ref, ok := schema["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/components/schemas/")
		return d.size(d.at(d.at(d.document["components"], "schemas"), name))
	}
	for _, choice := range []string{"oneOf", "anyOf"} {
		choices, _ := schema[choice].([]any)
		for _, one := range choices {
			most = max(most, d.size(one))
		}
	}
	values, _ := schema["enum"].([]any)
	for _, one := range append(values, schema["const"]) {
		most = max(most, len(fmt.Sprint(one))+len(`""`))
	}
	switch properties, _ := schema["properties"].(map[string]any); {
	case len(values) > 0 || schema["const"] != nil || schema["oneOf"] != nil || schema["anyOf"] != nil:
		return most
	case properties != nil:
		most = len("{}")
		for name, property := range properties {
			most += len(`"":,`) + len(name) + d.size(property)
		}
		return most
	case schema["items"] != nil:
		return len("[]") + number(schema["maxItems"])*(d.size(schema["items"])+len(","))
	}
	switch characters := number(schema["maxLength"]); {
	case characters == 0, bits.OnesCount(uint(characters)) == 1 && characters >= v1.BodyLimit: // a number, a truth value, null, or an amount or a date, which only the body bounds, by a power of two
		return len(`"9999-12-31T23:59:59.999999999+23:59"`)
	case schema["pattern"] != nil: // letters and digits
		return len(`""`) + characters
	case characters < 1000:
		return len(`""`) + characters*2*escaped
	default:
		return len(`""`) + characters*escaped
	}
}

// number is a whole number of a document, 0 if there is none.
func number(value any) int {
	n, _ := value.(json.Number)
	whole, _ := n.Int64()
	return int(whole)
}
