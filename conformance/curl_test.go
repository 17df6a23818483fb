package conformance

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRequestsAreReadAsCurlReadsThem(t *testing.T) {
	vars := map[string]string{"BASE": "http://sellerd.test", "KEY": "dk_test_1", "item": "4711"}
	usual := `curl "$BASE/v1/items/$item?limit=1" -H "X-Api-Key: $KEY" -H "If-Match: \"1\""`
	for name, c := range map[string]struct{ command, want, err string }{
		"a GET":                         {usual, "GET http://sellerd.test/v1/items/4711?limit=1 If-Match: \"1\", X-Api-Key: dk_test_1; ", ""},
		"a body makes it a POST":        {`curl "$BASE/x" --json '{"a": 1}'`, `POST http://sellerd.test/x Content-Type: application/json; {"a": 1}`, ""},
		"unless it says otherwise":      {`curl -X PATCH "$BASE/x" --json '{}'`, `PATCH http://sellerd.test/x Content-Type: application/json; {}`, ""},
		"a form is joined":              {`curl "$BASE/x" -d a=1 -d b=2`, `POST http://sellerd.test/x Content-Type: application/x-www-form-urlencoded; a=1&b=2`, ""},
		"a HEAD":                        {`curl -I "$BASE/x"`, "HEAD http://sellerd.test/x ; ", ""},
		"the usual one":                 {`curl ...`, "GET http://sellerd.test/v1/items/4711?limit=1 If-Match: \"1\", X-Api-Key: dk_test_1; ", ""},
		"without one of its headers":    {`curl ... -H "X-Api-Key:"`, "GET http://sellerd.test/v1/items/4711?limit=1 If-Match: \"1\"; ", ""},
		"with another header":           {`curl ... -H "x-api-key: 2"`, "GET http://sellerd.test/v1/items/4711?limit=1 If-Match: \"1\", X-Api-Key: 2; ", ""},
		"with a parameter more":         {`curl ... --url-query "a=b"`, "GET http://sellerd.test/v1/items/4711?limit=1&a=b If-Match: \"1\", X-Api-Key: dk_test_1; ", ""},
		"a name that nothing has":       {`curl "$BASE/$sale"`, "", "nothing is called sale"},
		"an option that we do not know": {`curl --insecure "$BASE/x"`, "", "transcripts do not use --insecure"},
		"an option without its value":   {`curl "$BASE/x" -H`, "", "-H has no value"},
		"a quote that is left open":     {`curl "$BASE/x`, "", "without closing quote"},
		"a command inside":              {`curl "$(id)"`, "", "command substitution"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := read(c.command, vars, usual)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("%v instead of %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, inShort(t, got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatCountsAsADifference(t *testing.T) {
	for name, c := range map[string]struct {
		want, got string
		problems  []string
	}{
		"nothing":                   {`{"a": 1, "b": [null, true]}`, `{"b": [null, true], "a": 1}`, nil},
		"a member more does not":    {`{"a": 1}`, `{"a": 1, "b": 2}`, nil},
		"a member that is missing":  {`{"a": null}`, `{}`, []string{"body.a is missing"}},
		"null is no empty text":     {`{"a": null}`, `{"a": ""}`, []string{`body.a: want null, got ""`}},
		"a number is no text":       {`{"a": 1}`, `{"a": "1"}`, []string{`body.a: want 1, got "1"`}},
		"a text is no number":       {`{"a": "1"}`, `{"a": 1}`, []string{`body.a: want "1", got 1`}},
		"the spelling of a number":  {`{"a": 1}`, `{"a": 1.0}`, []string{`body.a: want 1, got 1.0`}},
		"any number":                {`{"a": "$NUMBER"}`, `{"a": 17}`, nil},
		"any number is no text":     {`{"a": "$NUMBER"}`, `{"a": "17"}`, []string{`body.a: want "$NUMBER", got "17"`}},
		"an element more":           {`[1]`, `[1, 2]`, []string{`body: want a list of 1, got [1,2]`}},
		"another order":             {`[1, 2]`, `[2, 1]`, []string{`body[0]: want 1, got 2`, `body[1]: want 2, got 1`}},
		"an object that is a list":  {`{"a": {}}`, `{"a": []}`, []string{`body.a: want an object, got []`}},
		"the same name twice":       {`["$x", "$x"]`, `["1", "2"]`, []string{`body[1]: want "$x", got "2"`}},
		"null where it may be null": {`{"a": "null or $TIME"}`, `{"a": null}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := parseJSON(c.want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := parseJSON(c.got)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.problems, differences("body", want, got, map[string]string{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
