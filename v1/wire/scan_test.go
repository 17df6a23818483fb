package wire

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/refusal"
)

func TestMalformedBodiesAreRefusedWithTheirPlace(t *testing.T) {
	deep := `{"a":` + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + `}`
	for body, want := range map[string]string{
		"":                             "The body is empty.",
		" ":                            "The body is empty.",
		"{} x":                         "The body is not valid JSON at byte 3: there is more behind the value.",
		"{}{}":                         "The body holds more than one JSON value.",
		"{}]":                          "The body is not valid JSON at byte 2: there is more behind the value.",
		`{"a":}`:                       "The body is not valid JSON at byte 5.",
		`{"a" 1}`:                      "The body is not valid JSON at byte 5: a comma or a colon is missing before it.",
		`{"title":"a",}`:               "The body is not valid JSON at byte 12: there is a comma before }, and JSON has none after the last value.",
		`{"title":"a" "subtitle":"b"}`: "The body is not valid JSON at byte 13: a comma or a colon is missing before it.",
		`{"quantity":01}`:              "The body is not valid JSON at byte 13: there is a number that JSON does not have, such as 01, +1 or .5: write amounts as texts in quotes.",
		`{"options":tru}`:              "The body is not valid JSON at byte 14.",
		`{"title":"`:                   "The body is not valid JSON at byte 10, where it ends: a bracket or a quote is not closed.",
		`{"title":"\`:                  "The body is not valid JSON at byte 10, where it ends: a bracket or a quote is not closed.",
		`{"title":"\"}`:                "The body is not valid JSON at byte 13, where it ends: a bracket or a quote is not closed.",
		`{"images":["a"`:               "The body is not valid JSON at byte 14, where it ends: a bracket or a quote is not closed.",
		`{"images":[,"a"]}`:            "The body is not valid JSON at byte 11: there is a comma without a value before it.",
		`{"title":"x","t\u0069tle":1}`: `The body names "title" twice.`,
		`{"x":{"b":1,"b":2}}`:          `The body names "b" twice.`,
		"\ufeff{}":                     "The body is not valid JSON at byte 0: it begins with a byte order mark, which JSON does not have: save or send the text without it.",
		"{\"title\":\"\n\"}":           "The body is not valid JSON at byte 10: there is a control character such as a line break, which a text has as \\n or \\u0000 with its number.",
		"{\"title\":\"\xff\"}":         "The body is not valid JSON at byte 10: the text is not UTF-8.",
		`{"title":"\ud800"}`:           `The body is not valid JSON at byte 10: there is a \u without the four digits of a character, or with half of one.`,
		`{"title":"\x"}`:               "The body is not valid JSON at byte 10: there is a backslash that JSON does not know: write it as \\\\.",
		"{":                            "The body is not valid JSON at byte 1, where it ends: a bracket or a quote is not closed.",
		"[1 2]":                        "The body is not valid JSON at byte 3: a comma or a colon is missing before it.",
		deep:                           "The body nests deeper than 32 levels.",
	} {
		var (
			in       struct{}
			problems refusal.Problems
			refused  refusal.Errors
		)
		if err := BindInto([]byte(body), &in, &problems); !errors.As(err, &refused) || len(refused) != 1 {
			t.Errorf("%s was answered %v", body, err)
			continue
		}
		if diff := cmp.Diff([]string{string(refusal.MalformedJSON), want}, []string{string(refused[0].Code), refused[0].Message}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", body, diff)
		}
	}
}

func TestTheScannerFindsTokens(t *testing.T) {
	s := scanner{text: " {\"a\\\"}\" : [ 1 ,-2.5e3,true\n],\"\\\\\":{ \"x\":[{}] , \"y\" :null}} "}
	var got []string
	for s.peek() != 0 {
		if got = append(got, s.token()); got[len(got)-1] == `"\\"` {
			got = append(got, s.value())
		}
	}
	want := []string{"{", `"a\"}"`, "[", "1", "-2.5e3", "true", "]", `"\\"`, `{ "x":[{}] , "y" :null}`, "}"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tokens (-want +got):\n%s", diff)
	}
}

// TestBracketsInTextsAreNotDeep has texts full of brackets, quotes and backslashes.
func TestBracketsInTextsAreNotDeep(t *testing.T) {
	brackets := strings.Repeat("[{", maxDepth)
	for _, text := range []string{`["` + brackets + `"]`, `["\"` + brackets + `\\"]`, `["\\\"` + brackets + `","` + brackets + `"]`, `["` + brackets} {
		if deeperThan(text, maxDepth) {
			t.Errorf("%s nests deep", text)
		}
	}
	if !deeperThan(`["\\"`+brackets, maxDepth) {
		t.Error("brackets behind a text do not nest")
	}
}
