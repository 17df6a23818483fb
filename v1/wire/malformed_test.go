package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/wire"
)

func TestAMalformedBodyIsToldWhatWasFound(t *testing.T) {
	const single, double = `there is a single quote ('), and JSON wants double quotes (")`, `and JSON wants straight double quotes (")`
	for body, want := range map[string]string{
		"\xef\xbb\xbf{}":       "at byte 0: it begins with a byte order mark, which JSON does not have: save or send the text without it.",
		"\xff\xfe{\x00}\x00":   "at byte 0: it is in UTF-16: send it in UTF-8.",
		"{\x00}\x00":           "at byte 1: it is in UTF-16 or UTF-32: send it in UTF-8.",
		"\x1f\x8b\x08\x00":     "at byte 0: it is compressed: send it uncompressed.",
		`<item/>`:              "at byte 0: it is XML or HTML.",
		`title=Card`:           "at byte 1: it looks like a form: send JSON.",
		`@item.json`:           "at byte 0: it begins with @, as if a tool should have read a file: check the command.",
		`{'a':1}`:              "at byte 1: " + single + ".",
		`{"a":'b'}`:            "at byte 5: " + single + ".",
		`{ 'a': 1}`:            "at byte 2: " + single + ".",
		`'{"a":1}'`:            "at byte 0: " + single + ".",
		`{“a”:1}`:              "at byte 1: there is a typographic quote (“), " + double + ".",
		`{"a":„b“}`:            "at byte 5: there is a typographic quote („), " + double + ".",
		`{"a":«b»}`:            "at byte 5: there is a typographic quote («), " + double + ".",
		`{\"a\":1}`:            "at byte 1: there is a quote with a backslash outside of a text: the body was quoted once too often.",
		`{"a":1,}`:             "at byte 6: there is a comma before }, and JSON has none after the last value.",
		"{\"a\":[1,2,\n ]}":    "at byte 9: there is a comma before ], and JSON has none after the last value.",
		`{"a":1,,"b":2}`:       "at byte 7: there is a comma without a value before it.",
		`{"a":1 "b":2}`:        "at byte 7: a comma or a colon is missing before it.",
		"{\"a\":1 // one\n}":   "at byte 7: there is a comment, and JSON has none.",
		`/* one */ {"a":1}`:    "at byte 0: there is a comment, and JSON has none.",
		"# one\n{}":            "at byte 0: there is a comment, and JSON has none.",
		`{"a":NaN}`:            "at byte 5: there is NaN, and JSON wants a text in quotes or null.",
		`{"a":-Infinity}`:      "at byte 6: there is -Infinity, and JSON wants a text in quotes or null.",
		`{"a":True}`:           "at byte 5: there is True, and JSON wants true.",
		`{"a":FALSE}`:          "at byte 5: there is FALSE, and JSON wants false.",
		`{"a":None}`:           "at byte 5: there is None, and JSON wants null.",
		`{"a":undefined}`:      "at byte 5: there is undefined, and JSON wants null.",
		`{"a":nil}`:            "at byte 6: there is nil, and JSON wants null.",
		`{a:1}`:                `at byte 1: there is text without quotes, and JSON wants texts and names in double quotes (").`,
		`{"a":Card}`:           `at byte 5: there is text without quotes, and JSON wants texts and names in double quotes (").`,
		`{"a"=1}`:              "at byte 4: there is an equals sign, and JSON wants a colon between a name and its value.",
		`{"a":1;"b":2}`:        "at byte 6: there is a semicolon, and JSON wants commas.",
		`{"a":.5}`:             "at byte 5: there is a number that JSON does not have, such as 01, +1 or .5: write amounts as texts in quotes.",
		`{"a":01}`:             "at byte 6: there is a number that JSON does not have, such as 01, +1 or .5: write amounts as texts in quotes.",
		"{\"a\":\"one\ntwo\"}": `at byte 9: there is a control character such as a line break, which a text has as \n or \u0000 with its number.`,
		`{"a":"C:\stamps"}`:    `at byte 8: there is a backslash that JSON does not know: write it as \\.`,
		"{\"a\":\"\xe9\"}":     "at byte 6: the text is not UTF-8.",
		`{"a":1`:               "at byte 6, where it ends: a bracket or a quote is not closed.",
		`{"a":"b`:              "at byte 7, where it ends: a bracket or a quote is not closed.",
		`{"a":1} x`:            "at byte 8: there is more behind the value.",
		`{"a":*}`:              "at byte 5.",
	} {
		want = "malformed_json: The body is not valid JSON " + want
		var into struct {
			A string `json:"a"`
		}
		got := ""
		if err := wire.BindJSON([]byte(body), &into); err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", body, diff)
		}
	}
}
