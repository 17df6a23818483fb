package mcp

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sellerd/v1"
	"sellerd/v1/openapi"
)

// mostTools is how many tools an agent can choose between.
const mostTools = 12

// mostListed is the largest list of tools in bytes: every agent reads all of it. The filters of 1.6.0 took 700 more, and
// the members of items that one of them names 300.
const mostListed = 16_300

func TestThereAreFewTools(t *testing.T) {
	a := offline(t)
	if len(a.tools) > mostTools {
		t.Errorf("there are %d tools", len(a.tools))
	}
	text, err := json.Marshal(slices.Collect(maps.Values(a.tools)))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("their list has %d bytes", len(text))
	if len(text) > mostListed {
		t.Errorf("their list has %d bytes", len(text))
	}
}

// offered are the operations that tools show, with the tools.
func offered(t *testing.T, a *agent) map[string][]string {
	t.Helper()
	tools := map[string][]string{"submitItem": {"create_items"}, "submitBatch": {"create_items"}}
	for name, tool := range a.tools {
		var schema struct {
			Properties struct {
				Operation struct {
					Enum []string `json:"enum"`
				} `json:"operation"`
			} `json:"properties"`
		}
		text, err := json.Marshal(tool.InputSchema)
		if err == nil {
			err = json.Unmarshal(text, &schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, operation := range schema.Properties.Operation.Enum {
			tools[operation] = append(tools[operation], name)
		}
	}
	return tools
}

func TestEveryOperationBelongsToOneTool(t *testing.T) {
	got := offered(t, offline(t))
	want := map[string]bool{}
	for _, o := range v1.Operations {
		want[openapi.OperationID(o)] = true
	}
	for _, own := range []string{"rotateKey", "revokeKey"} { // an agent must not end the key that it works with, nor read another
		delete(want, own)
	}
	for operation, tools := range got {
		if !want[operation] || len(tools) != 1 {
			t.Errorf("%s belongs to %v, and is in the table: %v", operation, tools, want[operation])
		}
		delete(want, operation)
	}
	if len(want) > 0 {
		t.Errorf("no tool has %v", slices.Sorted(maps.Keys(want)))
	}
}

// destroys and reachesOthers are what hints say that may be missing.
func destroys(h *sdk.ToolAnnotations) bool {
	return !h.ReadOnlyHint && (h.DestructiveHint == nil || *h.DestructiveHint)
}

func reachesOthers(h *sdk.ToolAnnotations) bool { return h.OpenWorldHint == nil || *h.OpenWorldHint }

// hinted are hints as words.
func hinted(h *sdk.ToolAnnotations) string {
	var words []string
	for word, is := range map[string]bool{"reads": h.ReadOnlyHint, "destroys": destroys(h), "repeats": h.IdempotentHint, "open": reachesOthers(h)} {
		if is {
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return strings.Join(words, " ")
}

func TestHintsFollowFromTheOperations(t *testing.T) {
	a := offline(t)
	got := map[string]string{}
	for name, tool := range a.tools {
		got[name] = hinted(tool.Annotations)
	}
	want := map[string]string{
		"browse": "open reads repeats", "read": "open reads repeats",
		"create_items": "open repeats",
		"change":       "destroys open repeats", "ship": "destroys open repeats", "rate": "destroys open repeats", "rehearse": "destroys open repeats", "sandbox": "destroys open repeats",
		"webhooks":  "destroys open", // each call may make a new secret
		"translate": "reads repeats", "guide": "reads repeats", "errors": "reads repeats",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// The same from the table: a tool that has a method but GET does not only read, and one that has PATCH or DELETE may destroy.
	for operation, tools := range offered(t, a) {
		i := slices.IndexFunc(v1.Operations, func(o *v1.Operation) bool { return openapi.OperationID(o) == operation })
		o, hints := v1.Operations[i], a.tools[tools[0]].Annotations
		if o.Method != "GET" && hints.ReadOnlyHint || (o.Method == "PATCH" || o.Method == "DELETE") && !destroys(hints) {
			t.Errorf("%s has %s %s, and the hints %s", tools[0], o.Method, o.Pattern, hinted(hints))
		}
	}
}

func TestHintsOfOneOperation(t *testing.T) {
	all, err := describedOperations()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, o := range all {
		got[o.id] = hinted((&tool{operations: []*operation{o}}).hints())
	}
	for id, want := range map[string]string{
		"getItem": "open reads repeats", "submitItem": "open repeats", "updateItem": "destroys open repeats", "closeItem": "destroys open repeats",
		"removeTracking": "destroys open repeats", "addTracking": "open repeats", "createWebhook": "open repeats", "updateWebhook": "destroys open",
	} {
		if got[id] != want {
			t.Errorf("%s: %q, want %q", id, got[id], want)
		}
	}
}

// TestThePageHasTheTools compares the table of docs/seller/mcp.md with the tools and their hints.
func TestThePageHasTheTools(t *testing.T) {
	page, err := os.ReadFile("../../docs/seller/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| .* \\| (.*) \\|$").FindAllStringSubmatch(string(page), -1) {
		got[row[1]] = row[2]
	}
	want := map[string]string{}
	for name, tool := range offline(t).tools {
		h := tool.Annotations
		words := "may change or end something"
		switch {
		case h.ReadOnlyHint && reachesOthers(h):
			words = "only reads"
		case h.ReadOnlyHint:
			words = "only reads, on this machine"
		case !destroys(h):
			words = "only adds"
		}
		if !h.ReadOnlyHint && h.IdempotentHint {
			words += ", may be repeated"
		}
		want[name] = words
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-tools +page):\n%s", diff)
	}
}

func TestArgumentsThatAreWrongAreNamed(t *testing.T) {
	a := offline(t)
	for name, test := range map[string]struct {
		tool, arguments string
		want            []string
	}{
		"no operation":                  {"change", `{}`, []string{"missing_parameter operation"}},
		"an operation of another tool":  {"change", `{"operation":"getItem","id":"1"}`, []string{"invalid_parameter operation"}},
		"no such operation":             {"read", `{"operation":"getEverything"}`, []string{"invalid_parameter operation"}},
		"an argument of no tool":        {"read", `{"operation":"getItem","id":"1","colour":"red","size":2}`, []string{"unknown_parameter colour", "unknown_parameter size"}},
		"an argument that guide lacks":  {"guide", `{"chapter":"errors"}`, []string{"unknown_parameter chapter"}},
		"an argument of other calls":    {"browse", `{"operation":"browseWebhooks","q":"penny"}`, []string{"unknown_parameter q"}},
		"no id":                         {"change", `{"operation":"closeItem"}`, []string{"missing_parameter id"}},
		"no body":                       {"rate", `{"operation":"rateBuyer","id":"1"}`, []string{"missing_parameter body"}},
		"a body that is not an object":  {"rate", `{"operation":"rateBuyer","id":"1","body":[1]}`, []string{"invalid_parameter body"}},
		"an id that is a list":          {"read", `{"operation":"getItem","id":["1"]}`, []string{"invalid_parameter id"}},
		"a filter that is an object":    {"browse", `{"operation":"browseItems","status":{"a":1}}`, []string{"invalid_parameter status"}},
		"a header with a line feed":     {"change", `{"operation":"updateItem","id":"1","body":{},"if_match":"a\nb"}`, []string{"invalid_parameter if_match"}},
		"a name twice":                  {"guide", `{"section":"errors","section":"new"}`, []string{"malformed_json arguments"}},
		"arguments that are a list":     {"guide", `["errors"]`, []string{"malformed_json arguments"}},
		"no items":                      {"create_items", `{"items":[]}`, []string{"invalid_parameter items"}},
		"items that are texts":          {"create_items", `{"items":["a"]}`, []string{"invalid_parameter items"}},
		"a flag that is a number":       {"create_items", `{"items":[{}],"validate_only":1}`, []string{"invalid_parameter validate_only"}},
		"too many items":                {"create_items", `{"items":[` + strings.Repeat("{},", 100) + `{}]}`, []string{"invalid_parameter items"}},
		"an offset behind the end":      {"guide", `{"section":"values","offset":99999999}`, []string{"invalid_parameter offset"}},
		"an offset below 0":             {"guide", `{"section":"values","offset":-1}`, []string{"invalid_parameter offset"}},
		"a section that is not there":   {"guide", `{"section":"nowhere"}`, []string{"invalid_parameter section"}},
		"an operation without a page":   {"guide", `{"operation":"nowhere"}`, []string{"invalid_parameter operation"}},
		"a code that is not there":      {"errors", `{"code":"nowhere"}`, []string{"invalid_parameter code"}},
		"an operation without errors":   {"errors", `{"operation":"nowhere"}`, []string{"invalid_parameter operation"}},
		"a call that was never there":   {"translate", `{"request":"GET /rest/nowhere"}`, []string{"route_not_found request"}},
		"a request that is not one":     {"translate", `{"request":""}`, []string{"missing_field request"}},
		"an old call with a wrong body": {"translate", `{"request":"POST /rest/item","body":"title="}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text, failed := a.callAnyhow(t, test.tool, rawJSON(test.arguments))
			got := read(t, text)
			if !failed || len(got.Errors) == 0 {
				t.Fatalf("it answers %s", text)
			}
			if name == "an argument of other calls" && !strings.Contains(text, "It takes ") {
				t.Errorf("it does not say what it takes: %s", text)
			}
			if diff := cmp.Diff(test.want, got.codes()); diff != "" && test.want != nil {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
