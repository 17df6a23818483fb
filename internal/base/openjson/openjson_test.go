package openjson

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestADocumentKeepsItsOrder(t *testing.T) {
	type code string
	document := Of("z", 1, "a", []any{true, nil, code("rate_limited")}, "raw", jsontext.Value(`{"y":1,"b":[]}`))
	document.Set("z", 2)
	document.Set("quoted", "\"é\"\n")
	for _, empty := range []any{"", Object{}, []any{}} {
		document.Set("empty", empty)
	}
	want := `{
  "z": 2,
  "a": [
    true,
    null,
    "rate_limited"
  ],
  "raw": {
    "y": 1,
    "b": []
  },
  "quoted": "\"é\"\n"
}
`
	if diff := cmp.Diff(want, string(Print(document))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAMemberIsFoundAndLeftOut(t *testing.T) {
	document := Of("one", 1, "two", 2)
	if got := document.Get("two"); got != 2 {
		t.Errorf("two is %v", got)
	}
	if got := document.Without("two").Get("two"); got != nil {
		t.Errorf("two is still %v", got)
	}
	if document.Get("two") != 2 {
		t.Error("leaving a member out of a copy changed the object")
	}
}

func TestAValueThatIsNoJSONIsAMistake(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a float was printed")
		}
	}()
	Append(nil, 1.5)
}
