package wire

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// FuzzCanonical compares the canonical form with the library's: of whatever the library accepts, and of nothing else.
func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, `{}`, `[]`, `[ ]`, `"x"`, ` true `, `0`, `-0`, `-1`, `1.0`, `1e2`, `123456789012345`, `1234567890123456`, `9007199254740993`, `1e400`, `0.1`, `-12`,
		`{"b":1,"a":2}`, `{"a":1,"b":2}`, `{"a!":1,"a":2,"a ":3,"aa":4}`, `{"":1,"a":{"d":[{"f":1,"e":{}}],"c":null}}`, `{"é":1,"z":2}`, `{"\u0061":1,"B":2}`, `{"a":1,"a":2}`,
		`{"b":{"y":1,"x":2},"a":{"q":[1,{"s":1,"r":2}],"p":""}}`, `["\u0041\/\n\u001f\"\\","é\u00e9","\ud83d\ude00"]`, "[\"\u2028<&>\x7f\"]", `{"x":"{\"b\":1,\"a\":2}"}`,
		"[1,\n 2 ,\t3]\r\n", `[1 2]`, `{"a"}`, `{"😀":1,"￿":2}`, `[1]]`, `[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		library := jsontext.Value(append([]byte(nil), body...))
		accepted := library.Canonicalize() == nil && !deeperThan(string(body), maxDepth)
		given := string(body)
		for _, known := range []bool{false, true} {
			if known && !accepted {
				return
			}
			called := false
			err := Canonical(body, known, func(canonical []byte) {
				called = true
				if diff := cmp.Diff(string(library), string(canonical)); accepted && diff != "" {
					t.Fatalf("%s (-library +ours):\n%s", body, diff)
				}
			})
			if called != accepted || called != (err == nil) {
				t.Fatalf("%s: the library accepts it: %t, and the error is %v", body, accepted, err)
			}
		}
		if string(body) != given {
			t.Fatalf("%s was changed", given)
		}
	})
}
