package openjson

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLongestMatch(t *testing.T) {
	type limit struct {
		Characters int
		Bounded    bool
	}
	for pattern, want := range map[string]limit{
		`^([01][0-9]|2[0-3]):[0-5][0-9]$`:     {5, true},
		`^([01]?[0-9]|2[0-3])(:[0-5][0-9])?$`: {5, true},
		`^[0-9]{1,15}(\.[0-9]{1,2})?$`:        {18, true},
		`^[A-Z]{2}$`:                          {2, true},
		`^é.$`:                                {2, true},
		`^-?(0|[1-9][0-9]*)$`:                 {0, false},
		`^[0-9]+$`:                            {0, false},
		`^[a-z]{2,}$`:                         {0, false},
		`[A-Z]{2}`:                            {0, false}, // not anchored
		`^a$|^b`:                              {0, false},
		`^(?<name>`:                           {0, false},
	} {
		characters, bounded := LongestMatch(pattern)
		if diff := cmp.Diff(want, limit{characters, bounded}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}

func TestLimitTexts(t *testing.T) {
	text := func(rules ...any) Object { return append(Of("type", "string"), Of(rules...)...) }
	given := Of("type", "object", "properties", Of(
		"free", text(),
		"short", text("maxLength", 5),
		"time", text("pattern", `^\d\d:\d\d$`),
		"nullable", Of("type", []any{"string", "null"}),
		"chosen", text("enum", []any{"a"}),
		"list", Of("type", "array", "items", text()),
		"either", Of("oneOf", []any{text(), Reference("schemas", "Other")}),
	), "additionalProperties", false)
	want := Of("type", "object", "properties", Of(
		"free", text("maxLength", 100),
		"short", text("maxLength", 5),
		"time", text("pattern", `^\d\d:\d\d$`, "maxLength", 5),
		"nullable", Of("type", []any{"string", "null"}, "maxLength", 100),
		"chosen", text("enum", []any{"a"}),
		"list", Of("type", "array", "items", text("maxLength", 100)),
		"either", Of("oneOf", []any{text("maxLength", 100), Reference("schemas", "Other")}),
	), "additionalProperties", false)
	before := string(Append(nil, given))
	if diff := cmp.Diff(string(Append(nil, want)), string(Append(nil, LimitTexts(given, 100)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, string(Append(nil, given))); diff != "" {
		t.Errorf("the schema itself has changed:\n%s", diff)
	}
}

func TestFormatIntegers(t *testing.T) {
	number := func(rules ...any) Object { return append(Of("type", "integer"), Of(rules...)...) }
	in := func(schemas Object) Object {
		return Of("components", Of("schemas", schemas), "examples", Of("schema", Of("type", "integer")))
	}
	given := in(Of(
		"any", number(), "one", number("const", 200), "some", number("enum", []any{1, 1 << 31}), "few", number("enum", []any{0, 7}),
		"within", number("minimum", 0, "maximum", 1000), "half", number("minimum", 0), "nullable", Of("type", []any{"integer", "null"}),
		"text", Of("type", "string"),
	))
	want := in(Of(
		"any", number("format", "int64"), "one", number("const", 200, "format", "int32"), "some", number("enum", []any{1, 1 << 31}, "format", "int64"),
		"few", number("enum", []any{0, 7}, "format", "int32"), "within", number("minimum", 0, "maximum", 1000, "format", "int32"),
		"half", number("minimum", 0, "format", "int64"), "nullable", Of("type", []any{"integer", "null"}, "format", "int64"),
		"text", Of("type", "string"),
	))
	if diff := cmp.Diff(string(Append(nil, want)), string(Append(nil, FormatIntegers(given)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
