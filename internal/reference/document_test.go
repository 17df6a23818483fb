package reference

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/openjson"
)

func TestOnlySamplesBadgesAndTheIntroductionAreAdded(t *testing.T) {
	openAPI, err := os.ReadFile("../../v1/openapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	made, err := Document(openAPI, "Read this first.", "Read this, too.")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := openjson.Parse(made)
	if err != nil {
		t.Fatal(err)
	}
	document := parsed.(openjson.Object)
	paths := document.Get("paths").(openjson.Object)
	for _, path := range paths {
		item := path.Value.(openjson.Object)
		for i, operation := range item {
			described := operation.Value.(openjson.Object)
			var labels []string
			for _, sample := range described.Get("x-codeSamples").([]any) {
				labels = append(labels, text(sample.(openjson.Object), "label"))
			}
			if diff := cmp.Diff([]string{"curl", "Go", "Python", "JavaScript", "PHP"}, labels); diff != "" {
				t.Errorf("%s %s has samples in (-want +got):\n%s", operation.Name, path.Name, diff)
			}
			described = described.Without("x-codeSamples").Without("x-badges")
			if described.Get("operationId") == "submitItem" {
				described.Set("responses", inOrder(t, described.Get("responses").(openjson.Object)))
			}
			item[i].Value = described
		}
	}
	info := document.Get("info").(openjson.Object)
	description, introduced := strings.CutSuffix(text(info, "description"), "\n\nRead this, too.")
	description, led := strings.CutPrefix(description, "Read this first.\n\n")
	if !introduced || !led {
		t.Errorf("the description is %q", description)
	}
	info.Set("description", description)
	if diff := cmp.Diff(string(openAPI), string(openjson.Print(document))); diff != "" {
		t.Errorf("more was changed (-before +after):\n%s", diff)
	}
}

// inOrder undoes what the page needs: the success that only some requests get is the last answer there, and the second in the document.
func inOrder(t *testing.T, responses openjson.Object) openjson.Object {
	t.Helper()
	last := len(responses) - 1
	if responses[0].Name != "202" || responses[last].Name != "or 200" {
		t.Errorf("the first answer is %s, the last one %s", responses[0].Name, responses[last].Name)
	}
	return slices.Concat(responses[:1], openjson.Object{{Name: "200", Value: responses[last].Value}}, responses[1:last])
}

func TestAnExampleThatIsMissingIsAMistake(t *testing.T) {
	const server = `"info": {}, "servers": [{"url": "https://api.example.com"}]`
	for name, test := range map[string]struct{ document, want string }{
		"a document that is no JSON":  {`{`, "parse JSON"},
		"a document without a server": {`{"info": {}, "paths": {}}`, "no server"},
		"an id that no example shows": {
			`{` + server + `, "paths": {"/v1/items/{id}": {"get": {"operationId": "getItem"}}}}`,
			"a sample of getItem: no example shows an id",
		},
		"a body of which none is thought": {`{` + server + `, "paths": {"/v1/items": {"post": {"operationId": "submitItem", "requestBody": {"content": {"application/json": {}}}}}}}`, "a sample of submitItem: the body has no example"},
	} {
		t.Run(name, func(t *testing.T) {
			made, err := Document([]byte(test.document), "", "")
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q, got %v and %s", test.want, err, made)
			}
		})
	}
}

func TestASampleSendsWhatTheExamplesShow(t *testing.T) {
	const document = `{
		"info": {}, "servers": [{"url": "https://api.example.com/"}],
		"paths": {
			"/v1/items": {"get": {
				"parameters": [
					{"name": "q", "in": "query", "schema": {"type": "string"}},
					{"$ref": "#/components/parameters/Status"},
					{"name": "title", "in": "query", "schema": {"type": "string"}},
					{"name": "limit", "in": "query", "schema": {"type": "integer", "default": 50}},
					{"name": "X-Request-Id", "in": "header"}
				],
				"responses": {"200": {"content": {"application/json": {"examples": {"one": {"value": {"data": {"results": [{"id": "7", "status": "open", "title": "a b"}]}}}}}}}}
			}},
			"/v1/test/items/{id}/purchase": {"post": {
				"parameters": [{"name": "validate_only", "in": "query", "schema": {"type": "boolean"}}, {"name": "Idempotency-Key", "in": "header"}],
				"requestBody": {"content": {"application/json": {"examples": {"one": {"value": {"quantity": 2}}}}}}
			}}
		},
		"components": {"parameters": {"Status": {"name": "status", "in": "query", "schema": {"type": "string"}}}}
	}`
	parsed, err := openjson.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	paths := at(parsed, "paths").(openjson.Object)
	d := description{document: parsed.(openjson.Object), baseURL: "https://api.example.com", ids: exampleIDs(paths)}
	for _, test := range []struct {
		name, method, path string
		want               request
	}{
		{"a list filters by what its example shows", "GET", "/v1/items", request{Method: "GET", URL: "https://api.example.com/v1/items?limit=50&status=open"}},
		{"a change is one of the object in the list", "POST", "/v1/test/items/{id}/purchase", request{
			Method: "POST", URL: "https://api.example.com/v1/test/items/7/purchase", Keyed: true, MediaType: "application/json",
			Body: `{"quantity":2}`,
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := d.request(test.method, test.path, at(paths, test.path, strings.ToLower(test.method)).(openjson.Object))
			if err != nil {
				t.Fatal(err)
			}
			if got.Body != nil {
				got.Body = string(openjson.Append(nil, got.Body))
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadges(t *testing.T) {
	for name, test := range map[string]struct{ operation, want string }{
		"what came with the first release has none": {`{"operationId": "getItem"}`, `[]`},
		"what came later says so":                   {`{"x-since": "1.2.0"}`, `[{"name":"since 1.2.0"}]`},
		"what needs a test key says so":             {`{"x-test-keys-only": true}`, `[{"name":"test keys only"}]`},
		"what needs a permission names it":          {`{"x-permission": "items:read"}`, `[{"name":"needs items:read"}]`},
	} {
		t.Run(name, func(t *testing.T) {
			operation, err := openjson.Parse([]byte(test.operation))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, string(openjson.Append(nil, badgesOf(operation.(openjson.Object))))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
