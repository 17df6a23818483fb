package openjson

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatIsParsedIsPrintedAsItWas(t *testing.T) {
	const text = `{"z":[1,2.50,-3e2,{}],"a":null,"b":{"true":true,"false":false,"text":"\"é\"\n"},"empty":[]}`
	value, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(Append(nil, value))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestATextThatIsNoJSONIsNotParsed(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                         "",
		"an object without an end":        `{"a": 1`,
		"an array without an end":         `[1, 2`,
		"a member without a value":        `{"a"}`,
		"a member that is there twice":    `{"a": 1, "a": 2}`,
		"a word that is not one of JSON":  `[none]`,
		"an element with another's comma": `[1,,2]`,
		"a second value":                  `{} {}`,
		"an end that is there twice":      `{}}`,
	} {
		t.Run(name, func(t *testing.T) {
			if value, err := Parse([]byte(text)); err == nil {
				t.Errorf("it is %v", value)
			}
		})
	}
}
