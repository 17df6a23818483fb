package reference

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/openjson"
)

func TestAnExampleThatIsMissingIsAMistake(t *testing.T) {
	const server = `"info": {}, "servers": [{"url": "https://api.example.com"}]`
	for name, test := range map[string]struct{ document, want string }{
		"a document that is no JSON":  {`{`, "parse JSON"},
		"a document without a server": {`{"info": {}, "paths": {}}`, "no server"},
		"an id that no example shows": {
			`{` + server + `, "paths": {"/v1/items/{id}": {"get": {"operationId": "getItem"}}}}`,
			"getItem: no example shows an id",
		},
		"a body without an example": {`{` + server + `, "paths": {"/v1/items": {"post": {"operationId": "submitItem", "requestBody": {"content": {"application/json": {}}}}}}}`, "submitItem: the body has no example"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New([]byte(test.document))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q, got %v", test.want, err)
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

// TestAFieldSaysWhatItsSchemaAllows reads members as the document writes them.
func TestAFieldSaysWhatItsSchemaAllows(t *testing.T) {
	const components = `{"components": {"schemas": {
		"Money": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "string", "pattern": "^[0-9]+(\\.[0-9]{1,2})?$"}}},
		"ItemStatus": {"type": "string", "enum": ["open"], "x-enum-since": {"open": "1.2.0"}}
	}}}`
	document, err := openjson.Parse([]byte(components))
	if err != nil {
		t.Fatal(err)
	}
	d := description{document: object(document)}
	for name, test := range map[string]struct {
		schema string
		want   Field
	}{
		"a text": {
			`{"type": ["string", "null"], "minLength": 1, "maxLength": 64, "x-default": "a", "examples": ["b"], "description": "your own", "x-since": "1.2.0"}`,
			Field{Type: "string", Nullable: true, Limits: []string{"1 to 64 characters"}, Default: `"a"`, Example: `"b"`, Text: "your own", Since: "1.2.0"},
		},
		"an id":                     {`{"type": "string", "pattern": "^sub_[0-9a-z]+$", "maxLength": 17}`, Field{Type: "string", Limits: []string{"begins with sub_"}}},
		"a limit of whole requests": {`{"type": "string", "maxLength": 2097152}`, Field{Type: "string"}},
		"an amount, or nothing": {`{"oneOf": [{"$ref": "#/components/schemas/Money"}, {"type": "null"}]}`, Field{
			Type: "object", Nullable: true,
			Fields: []Field{{Name: "amount", Type: "string", Limits: []string{"a decimal number in a text"}, Required: true, Text: texts()["Money.amount"]}},
		}},
		"a list of states": {`{"type": "array", "items": {"$ref": "#/components/schemas/ItemStatus"}, "maxItems": 100}`, Field{
			Type: "array of strings", Limits: []string{"at most 100 elements"}, Values: []Value{{"open", texts()["ItemStatus=open"], "1.2.0"}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			schema, err := openjson.Parse([]byte(test.schema))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, d.field("", object(schema), nil)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
