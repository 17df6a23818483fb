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
		"{} x":                         "The body is not valid JSON at byte 3.",
		"{}{}":                         "The body holds more than one JSON value.",
		"{}]":                          "The body is not valid JSON at byte 2.",
		`{"a":}`:                       "The body is not valid JSON at byte 5.",
		`{"a" 1}`:                      "The body is not valid JSON at byte 5.",
		`{"title":"a",}`:               "The body is not valid JSON at byte 12.",
		`{"title":"a" "subtitle":"b"}`: "The body is not valid JSON at byte 13.",
		`{"quantity":01}`:              "The body is not valid JSON at byte 13.",
		`{"options":tru}`:              "The body is not valid JSON at byte 14.",
		`{"title":"`:                   "The body is not valid JSON at byte 10.",
		`{"title":"\`:                  "The body is not valid JSON at byte 10.",
		`{"title":"\"}`:                "The body is not valid JSON at byte 13.",
		`{"images":["a"`:               "The body is not valid JSON at byte 14.",
		`{"images":[,"a"]}`:            "The body is not valid JSON at byte 11.",
		`{"title":"x","t\u0069tle":1}`: `The body names "title" twice.`,
		`{"x":{"b":1,"b":2}}`:          `The body names "b" twice.`,
		"\ufeff{}":                     "The body is not valid JSON at byte 0.",
		"{\"title\":\"\n\"}":           "The body is not valid JSON at byte 10.",
		"{\"title\":\"\xff\"}":         "The body is not valid JSON at byte 10.",
		`{"title":"\ud800"}`:           "The body is not valid JSON at byte 10.",
		`{"title":"\x"}`:               "The body is not valid JSON at byte 10.",
		"{":                            "The body is not valid JSON at byte 1.",
		"[1 2]":                        "The body is not valid JSON at byte 3.",
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
