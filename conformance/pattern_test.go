package conformance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPatternIsMetByWhatItMeansAndByNothingElse(t *testing.T) {
	for _, test := range []struct {
		name, pattern, answer string
		met                   bool
	}{
		{"what stands there literally", `{"a": 1, "b": null}`, `{"b": null, "a": 1}`, true},
		{"a member more", `{"a": 1}`, `{"a": 1, "b": 2}`, true},
		{"a member less", `{"a": 1, "b": 2}`, `{"a": 1}`, false},
		{"another type", `{"a": 1}`, `{"a": "1"}`, false},
		{"a number", `{"a": "$NUMBER"}`, `{"a": 1.5}`, true},
		{"a text that looks like a number", `{"a": "$NUMBER"}`, `{"a": "1"}`, false},
		{"a date", `"$TIME"`, `"2026-10-05T00:00:00Z"`, true},
		{"a date of another time zone", `"$TIME"`, `"2026-10-05T02:00:00+02:00"`, false},
		{"a count", `"$NUMBER left"`, `"3 left"`, true},
		{"a count below zero", `"$NUMBER left"`, `"-3 left"`, false},
		{"null for a date", `"$TIME"`, `null`, false},
		{"null where it may be", `"null or $TIME"`, `null`, true},
		{"a date where null may be", `"null or $TIME"`, `"2026-10-05T00:00:00Z"`, true},
		{"neither", `"null or $TIME"`, `"soon"`, false},
		{"one name for one value", `["$a", "$a"]`, `["x", "x"]`, true},
		{"one name for two values", `["$a", "$a"]`, `["x", "y"]`, false},
		{"a list with one more", `[1]`, `[1, 2]`, false},
		{"others around", `["$OTHERS", 2, "$OTHERS"]`, `[1, 2, 3, 4]`, true},
		{"no others", `["$OTHERS", 2, "$OTHERS"]`, `[2]`, true},
		{"others alone", `["$OTHERS"]`, `[]`, true},
		{"only others", `["$OTHERS", 2]`, `[2, 3]`, false},
		{"the first that would do is not the one", `["$OTHERS", "$a", "$a"]`, `["x", "y", "y"]`, true},
		{"in another order", `["$OTHERS", 2, "$OTHERS", 1, "$OTHERS"]`, `[1, 2]`, false},
		{"errors in another order", `{"errors": [{"code": "a"}, {"code": "b"}]}`, `{"errors": [{"code": "b"}, {"code": "a"}]}`, true},
		{"an error more", `{"errors": [{"code": "a"}]}`, `{"errors": [{"code": "b"}, {"code": "a"}]}`, false},
		{"an error less", `{"errors": [{"code": "a"}, {"code": "a"}]}`, `{"errors": [{"code": "a"}]}`, false},
		{"one error twice", `{"errors": [{"code": "a"}, {"code": "a"}]}`, `{"errors": [{"code": "a"}, {"code": "b"}]}`, false},
		{"other errors too", `{"errors": ["$OTHERS", {"code": "a"}, "$OTHERS"]}`, `{"errors": [{"code": "b"}, {"code": "a"}]}`, true},
		{"JSON in a text", `{"$JSON": {"a": "$NUMBER"}}`, `"{\"a\":1,\"b\":2}"`, true},
		{"other JSON in a text", `{"$JSON": {"a": 2}}`, `"{\"a\":1}"`, false},
		{"JSON that is in no text", `{"$JSON": {"a": 1}}`, `{"a": 1}`, false},
		{"a text without JSON", `{"$JSON": {"a": 1}}`, `"a"`, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			want, err := parseJSON(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseJSON(test.answer)
			if err != nil {
				t.Fatal(err)
			}
			found := differences("body", want, got, map[string]string{})
			if met := len(found) == 0; met != test.met {
				t.Errorf("met is %v: %s", met, strings.Join(found, "; "))
			}
		})
	}
}

func TestAnEditByHandSurvivesTheNextRecording(t *testing.T) {
	const edited = `{
  "list": [
    "$OTHERS",
    {
      "z": "$NUMBER",
      "a": "null or $TIME"
    }
  ],
  "request_body": {
    "$JSON": {
      "b": "$ANY",
      "a": 1
    }
  }
}`
	got := recordJSON(`{"list":[1,{"z":2,"a":null}],"request_body":"{\"b\":\"x\",\"a\":1}"}`, edited, nil)
	if diff := cmp.Diff(edited, got); diff != "" {
		t.Errorf("recorded anew (-edited +recorded):\n%s", diff)
	}
	got = recordJSON(`{"list":[1],"request_body":"x"}`, edited, nil)
	if diff := cmp.Diff("{\n  \"list\": [\n    1\n  ],\n  \"request_body\": \"x\"\n}", got); diff != "" {
		t.Errorf("what does not fit any more (-want +got):\n%s", diff)
	}
}
