package openjson_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"sellerd/internal/base/openjson"
)

func TestYAMLLooksLikeThis(t *testing.T) {
	got, err := openjson.YAML([]byte(`{"openapi":"3.1.0","x":{"no":1,"on/off":-1.5e3,"$ref":"#/a","/v1/items/{id}":{"get":{}},"200":null,"":"","é: a":"ü\n\"é\\"},
		"list":["a",1,[],[[true],{"a":{"b":[]},"c":"d"}],{"a":[{"b":"c"}],"d":false}],"empty":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := `openapi: "3.1.0"
x:
  "no": 1
  on/off: -1.5e3
  $ref: "#/a"
  /v1/items/{id}:
    get: {}
  "200": null
  "": ""
  "é: a": "ü\n\"é\\"
list:
  - "a"
  - 1
  - []
  - - - true
    - a:
        b: []
      c: "d"
  - a:
      - b: "c"
    d: false
empty: {}
`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestYAMLMeansTheSameAsJSON(t *testing.T) {
	for _, text := range []string{`{"y":["yes","~","0x1","1e3","2026-11-26","- a","# b","","true"],"null":{"Off":null}}`, `[1,"a"]`, `"a"`, `{}`, `[]`} {
		var want, got any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatal(err)
		}
		printed, err := openjson.YAML([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		var read any
		if err := yaml.Unmarshal(printed, &read); err != nil {
			t.Fatalf("%v in %s", err, printed)
		}
		again, err := json.Marshal(read)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(again, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", printed, diff)
		}
	}
}

func TestYAMLIsMadeOfJSONAlone(t *testing.T) {
	for _, text := range []string{"", "{", `{"a"}`, `{"a":}`, `[1,`, "a: 1"} {
		if got, err := openjson.YAML([]byte(text)); err == nil {
			t.Errorf("%q became %q", text, got)
		}
	}
}
