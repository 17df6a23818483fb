package reference

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/openjson"
)

func TestLiterals(t *testing.T) {
	value, err := openjson.Parse([]byte(`{"text": "it's \"$5\\n\" é", "number": 2.50, "list": [true, false, null], "none": [], "nothing": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		language string
		literals *literals
		want     string
	}{
		{"Python", &pythonLiterals, `{
    "text": "it's \"$5\\n\" é",
    "number": 2.50,
    "list": [
        True,
        False,
        None,
    ],
    "none": [],
    "nothing": {},
}`},
		{"PHP", &phpLiterals, `[
    'text' => 'it\'s "$5\\n" é',
    'number' => 2.50,
    'list' => [
        true,
        false,
        null,
    ],
    'none' => [],
    'nothing' => new stdClass(),
]`},
	} {
		t.Run("in "+test.language, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.literals.write(value, 0)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestQuotes(t *testing.T) {
	for _, test := range []struct{ name, want, got string }{
		{"a shell's word keeps its apostrophe", `'it'\''s $5'`, shellQuoted("it's $5")},
		{"Go's raw string keeps its back quote as JSON writes it", "`{\"a\": \"\\u0060\"}`", goQuoted("{\"a\": \"`\"}")},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
