package gate_test

import (
	"testing"

	"sellerd/changelog"
	"sellerd/conformance/gate"
)

// lastWithDefaults is the last release whose document has the defaults of nullable members of requests in the keyword default.
const lastWithDefaults = "1.4.0"

// nullableQuantity is such a member.
const nullableQuantity = itemIn + " properties quantity"

// TestADefaultOfANullableMemberMayMove compares the last document that has such defaults with today's, which has them in x-default.
func TestADefaultOfANullableMemberMayMove(t *testing.T) {
	before, after := released(t, lastWithDefaults, gate.Document), today(t)
	if before.at(nullableQuantity)["default"] != 1.0 || after.at(nullableQuantity)["default"] != nil || after.at(nullableQuantity)["x-default"] != 1.0 {
		t.Fatalf("no default has moved: %v, %v", before.at(nullableQuantity), after.at(nullableQuantity))
	}
	for _, c := range compare(t, before, after) {
		if c.Kind == changelog.Breaking {
			t.Errorf("this is said to break %s: %s", lastWithDefaults, c)
		}
	}
}

// TestNoOtherDefaultMoves changes what the gate lets through, so that it is no longer harmless.
func TestNoOtherDefaultMoves(t *testing.T) {
	// Both documents are a part of today's. prepare changes both, and mutate the newer one.
	for name, c := range map[string]struct{ prepare, mutate func(document) }{
		"it is gone":        {nil, func(d document) { d.without(nullableQuantity, "x-default") }},
		"it is another":     {nil, func(d document) { d.at(nullableQuantity)["x-default"] = 2 }},
		"of an enumeration": {nil, func(d document) { d.at(itemIn + " properties site")["x-default"] = "fr" }},
		"of a parameter": {nil, func(d document) {
			limit := d.at(items + " parameters limit schema")
			limit["x-default"] = limit["default"]
			delete(limit, "default")
		}},
		"of a nullable parameter": {
			func(d document) { d.at(items + " parameters limit schema")["type"] = []any{"integer", "null"} },
			func(d document) {
				limit := d.at(items + " parameters limit schema")
				limit["x-default"] = limit["default"]
				delete(limit, "default")
			},
		},
		"of a member that cannot be null": {
			func(d document) { stated(d, nullableQuantity, "integer") },
			func(d document) { moved(d, nullableQuantity) },
		},
		"of a member that is required": {
			func(d document) {
				stated(d, nullableQuantity, []any{"integer", "null"})
				d.add(itemIn, "required", "quantity")
			},
			func(d document) { moved(d, nullableQuantity) },
		},
		"of an answer": {
			func(d document) {
				stated(d, itemOut+" properties quantity", []any{"integer", "null"})
				d.drop(itemOut, "required", "quantity")
			},
			func(d document) { moved(d, itemOut+" properties quantity") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, after := ofItems(t), ofItems(t)
			if c.prepare != nil {
				c.prepare(before)
				c.prepare(after)
			}
			c.mutate(after)
			changes := compare(t, before, after)
			if got := gate.Verdict(changes); got != changelog.Breaking {
				t.Errorf("taken for: %s %+v", got, changes)
			}
		})
	}
}

// stated gives a member a type, and a default in the keyword.
func stated(d document, path string, kind any) {
	schema := d.at(path)
	delete(schema, "x-default")
	schema["type"], schema["default"] = kind, 1
}

// moved moves the default of a member to the extension.
func moved(d document, path string) {
	schema := d.at(path)
	schema["x-default"] = schema["default"]
	delete(schema, "default")
}
