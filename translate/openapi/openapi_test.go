package openapi

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"sellerd/internal/base/openjson"
	"sellerd/internal/proof/openapitest"
	"sellerd/translate"
	v1 "sellerd/v1"
	v1openapi "sellerd/v1/openapi"
)

func newTable(t testing.TB) *translate.Table {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTheOpenAPIFileIsWhatTheTablesSay(t *testing.T) {
	openapitest.CompareFile(t, Document)
}

func TestTheOpenAPIDocumentIsValid(t *testing.T) {
	document := openapitest.Load(t, Document)
	err := document.Validate(t.Context(), openapi3.IsOpenAPI31OrLater(), openapi3.EnableSchemaFormatValidation())
	if err != nil {
		t.Errorf("validate: %v", err)
	}
	if document.OpenAPI != "3.1.0" || document.Servers[0].URL != openapitest.Address || document.Extensions["x-sunset"] != "2027-10-05T00:00:00Z" {
		t.Errorf("it describes OpenAPI %s at %s, sunset %s", document.OpenAPI, document.Servers[0].URL, document.Extensions["x-sunset"])
	}
}

// TestTheOpenAPIDocumentHasTheCalls compares the operations described with the calls, both ways. That the server's routes
// are the calls is a test of package legacy.
func TestTheOpenAPIDocumentHasTheCalls(t *testing.T) {
	want, got := map[string]string{}, map[string]string{}
	for _, call := range translate.Calls {
		want[call.ID] = call.Method + " " + call.Pattern
	}
	for path, item := range openapitest.Load(t, Document).Paths.Map() {
		for method, operation := range item.Operations() {
			got[operation.Extensions["x-call"].(string)] = method + " " + path
			others, _ := operation.Extensions["x-variants"].([]any)
			for _, other := range others {
				got[other.(map[string]any)["x-call"].(string)] = method + " " + path
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-calls +document):\n%s", diff)
	}
}

func TestEveryCallSaysThatItEndsAndWhatFollows(t *testing.T) {
	operations := map[string]bool{}
	for _, o := range v1.Operations {
		operations[v1openapi.OperationID(o)] = true
	}
	document := openapitest.Load(t, Document)
	for _, call := range translate.Calls {
		operation := document.Paths.Value(call.Pattern).GetOperation(call.Method)
		if !operation.Deprecated || operation.Extensions["x-sunset"] != translate.Sunset.Format(time.RFC3339) || operation.Summary == "" {
			t.Errorf("%s does not say that it ends", call.ID)
		}
		for _, status := range []string{"200", "401", "410", "429", "500", "503"} {
			if operation.Responses.Value(status) == nil {
				t.Errorf("%s does not describe %s", call.ID, status)
			}
		}
		said := operation.Extensions
		for _, variant := range call.Variants() {
			if call.Match != (translate.Match{}) {
				others := operation.Extensions["x-variants"].([]any)
				said = others[0].(map[string]any)
			}
			if variant == call {
				t.Errorf("%s is its own variant", call.ID)
			}
		}
		successors, _ := said["x-successor"].([]any)
		for _, id := range successors {
			if !operations[id.(string)] {
				t.Errorf("%s is followed by %s, which is no operation", call.ID, id)
			}
		}
		if (len(successors) == 0) != (said["x-why"] != nil && said["x-instead"] != nil) {
			t.Errorf("%s says neither what follows nor why nothing does: %v", call.ID, slices.Sorted(maps.Keys(said)))
		}
	}
}

// TestEveryRowIsDescribed looks for the fields and elements of all rows.
func TestEveryRowIsDescribed(t *testing.T) {
	document := string(Document("/"))
	for _, call := range translate.Calls {
		schema, _ := fields(call)
		for i := range call.In {
			row := &call.In[i]
			name := row.Legacy
			switch {
			case name == "" || strings.Contains(call.Pattern, "{"+name+"}"):
				continue
			case name == "images":
				name = translate.ImagesField
			}
			if property := propertyOf(schema, name); property == nil || property.Get("type") == nil {
				t.Errorf("%s does not describe %s", call.ID, row.Legacy)
			}
		}
		for i := range call.Out {
			if name := call.Out[i].Legacy; !strings.Contains(document, `"`+name+`": {`) {
				t.Errorf("%s does not describe the element %s", call.ID, name)
			}
		}
	}
}

func propertyOf(schema openjson.Object, name string) openjson.Object {
	properties, _ := schema.Get("properties").(openjson.Object)
	property, _ := properties.Get(name).(openjson.Object)
	return property
}

func TestFieldsHaveTheRulesOfBothSides(t *testing.T) {
	table := newTable(t)
	for _, test := range []struct{ call, field, want string }{
		{"item-create", "title", `{"type":"string","minLength":1,"maxLength":120,"x-v1":"title"}`},
		{"item-create", "personal_reference", `{"type":"string","minLength":1,"maxLength":20,"description":"personal reference","x-v1":"personal_reference"}`},
		{"item-create", "qty", `{"type":"integer","minimum":1,"maximum":50000,"default":1,"description":"whole number","x-v1":"quantity"}`},
		{"item-create", "renew", `{"type":"integer","minimum":0,"enum":[0,1,2,3,4,5,10,99],"default":0,"description":"whole number","x-v1":"renewals"}`},
		{"item-update", "renew", `{"type":"integer","minimum":0,"enum":[0,1,2,3,4,5,10,99],"description":"whole number","x-v1":"renewals"}`},
		{
			"item-close", "reason",
			`{"type":"string","enum":["TestItem","LostOrBrokenItem","NotAvailableItem","IncorrectItem"],"description":"close reason","x-v1":"reason"}`,
		},
		{"categories", "showOnlyLeaves", `{"type":"string","enum":["1","0","true","false",""],"default":"0","description":"boolean","x-v1":"?leaves_only"}`},
		{
			"item-feedback", "feedback",
			`{"type":"integer","minimum":0,"maximum":100,"description":"score","x-v1":"score",` +
				`"x-loss":{"kind":"narrowed","why":"/v1 has the scores 0, 25, 50, 75 and 100."}}`,
		},
	} {
		schema, _ := fields(table.Lookup(test.call).Call)
		if diff := cmp.Diff(test.want, string(openjson.Append(nil, propertyOf(schema, test.field)))); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", test.call, test.field, diff)
		}
	}
	_, required := fields(table.Lookup("item-create").Call)
	if diff := cmp.Diff([]any{"id_category", "title", "personal_reference"}, required); diff != "" {
		t.Errorf("a new item needs (-want +got):\n%s", diff)
	}
}

// TestOpenCallsAreDescribedAsOpen: a call that needs no key says so, and no other one does.
func TestOpenCallsAreDescribedAsOpen(t *testing.T) {
	document := openapitest.Load(t, Document)
	token, key := openapi3.SecurityRequirement{"SessionToken": {}}, openapi3.SecurityRequirement{"ApiKey": {}}
	open := 0
	for _, call := range translate.Calls {
		var want *openapi3.SecurityRequirements // what the document says of all calls
		switch {
		case call.Open:
			open++
			want = &openapi3.SecurityRequirements{{}, token, key}
		case call.TakesKey:
			want = &openapi3.SecurityRequirements{}
		}
		operation := document.Paths.Value(call.Pattern).GetOperation(call.Method)
		if call.Match == (translate.Match{}) {
			if diff := cmp.Diff(want, operation.Security); diff != "" && operation.Extensions["x-call"] == call.ID {
				t.Errorf("the security of %s (-want +got):\n%s", call.ID, diff)
			}
		}
	}
	if open == 0 {
		t.Error("no call is open")
	}
}

// TestAnswersAreDescribedAsTheyAreWritten holds what of an answer is narrower than of a request.
func TestAnswersAreDescribedAsTheyAreWritten(t *testing.T) {
	for _, test := range []struct{ call, element, pattern string }{
		{"notification-list", translate.SettingField, `^([0-9]+)$`}, // /v1 has no such member
		{"item", "prefered_end_hour", `^(|([01][0-9]|2[0-3]):[0-5][0-9])$`},
	} {
		plan := newTable(t).Lookup(test.call)
		result, _ := plan.Target.ResultType()
		found := false
		for i := range plan.Out {
			if row := &plan.Out[i]; row.Legacy == test.element {
				found = true
				if got := elementSchema(row, result).Get("pattern"); got != test.pattern {
					t.Errorf("%s of %s has the pattern %v, not %s", test.element, test.call, got, test.pattern)
				}
			}
		}
		if !found {
			t.Errorf("%s has no element %s", test.call, test.element)
		}
	}
}
