//go:build npm

package server_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate/openapi"
	v1openapi "sellerd/v1/openapi"
)

// checkedAt is where the documents that are checked say the service is. Checkers take example.com for a mistake.
const checkedAt = "https://api.sellers.example.org"

// finding is what a checker has to say about a place of a document.
type finding struct {
	rule  string // with the checker's name before it
	place []string
}

// installCheckers returns the folder in which the checkers are.
func installCheckers(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS("testdata/openapilint")); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return folder
}

// findings are those of both checkers.
func findings(t *testing.T, folder string, document []byte) []finding {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, "openapi.json"), document, 0o600); err != nil {
		t.Fatal(err)
	}
	var redocly struct {
		Totals   struct{ Errors, Warnings int }
		Problems []struct {
			RuleID   string `json:"ruleId"`
			Location []struct{ Pointer string }
		}
	}
	check(t, folder, &redocly, "redocly", "lint", "--config", "redocly.yaml", "--format", "json", "--max-problems", "100000", "openapi.json")
	var found []finding
	for _, p := range redocly.Problems {
		place := strings.Split(strings.TrimPrefix(p.Location[0].Pointer, "#/"), "/")
		for i := range place {
			place[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(place[i])
		}
		found = append(found, finding{"redocly " + p.RuleID, place})
	}
	var spectral []struct {
		Code string
		Path []any
	}
	check(t, folder, &spectral, "spectral", "lint", "--ruleset", "spectral.yaml", "--format", "json", "--fail-severity", "hint", "openapi.json")
	for _, p := range spectral {
		var place []string
		for _, step := range p.Path {
			place = append(place, strings.Trim(string(encodeJSON(t, step)), `"`))
		}
		found = append(found, finding{"spectral " + p.Code, place})
	}
	return found
}

func encodeJSON(t *testing.T, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// check runs a checker and reads what it prints. It ends with an error when it has found something.
func check(t *testing.T, folder string, into any, name string, arguments ...string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), filepath.Join(folder, "node_modules", ".bin", name), arguments...)
	command.Dir, command.Stdout, command.Stderr = folder, &stdout, &stderr
	command.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	err := command.Run()
	if readErr := json.Unmarshal(stdout.Bytes(), into); readErr != nil {
		t.Fatalf("%s: %v, %v\n%s%s", name, err, readErr, &stdout, &stderr)
	}
}

// checkedDocument is a document with what waivers ask of it.
type checkedDocument struct {
	content map[string]any
	taken   map[string]bool // the schemas of what the service takes, by their names
}

func newCheckedDocument(t *testing.T, text []byte) *checkedDocument {
	t.Helper()
	d := &checkedDocument{taken: map[string]bool{}}
	if err := json.Unmarshal(text, &d.content); err != nil {
		t.Fatal(err)
	}
	for _, item := range d.content["paths"].(map[string]any) {
		for _, operation := range item.(map[string]any) {
			o := operation.(map[string]any)
			d.take(o["parameters"])
			d.take(o["requestBody"])
		}
	}
	return d
}

// take notes the schemas to which a part of a request refers.
func (d *checkedDocument) take(part any) {
	switch v := part.(type) {
	case map[string]any:
		for name, inner := range v {
			reference, _ := inner.(string)
			if schema, ok := strings.CutPrefix(reference, "#/components/schemas/"); ok && name == "$ref" && !d.taken[schema] {
				d.taken[schema] = true
				inner = d.at([]string{"components", "schemas", schema})
			}
			d.take(inner)
		}
	case []any:
		for _, inner := range v {
			d.take(inner)
		}
	}
}

// at is what stands at a place.
func (d *checkedDocument) at(place []string) any {
	value := any(d.content)
	for _, step := range place {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			for i := range v {
				if string(encodeIndex(i)) == step {
					value = v[i]
				}
			}
		}
	}
	return value
}

func encodeIndex(i int) []byte {
	text, _ := json.Marshal(i)
	return text
}

// isSent says whether a place is of what the service sends, and not of what it takes.
func (d *checkedDocument) isSent(place []string) bool {
	switch {
	case place[0] == "webhooks", slices.Contains(place, "responses"):
		return true
	case place[0] == "components" && place[1] == "schemas":
		return !d.taken[place[2]]
	default:
		return place[0] == "components" && place[1] == "headers"
	}
}

// unwaived are the findings for which no waiver stands. A waiver that nothing needs is a mistake, too.
func unwaived(t *testing.T, d *checkedDocument, waivers []waiver, found []finding) []string {
	t.Helper()
	used := make([]bool, len(waivers))
	var rest []string
	for _, f := range found {
		i := slices.IndexFunc(waivers, func(w waiver) bool {
			return w.rule == f.rule && (w.where == nil || w.where(d, f.place))
		})
		if i < 0 {
			rest = append(rest, f.rule+" "+strings.Join(f.place, " "))
			continue
		}
		used[i] = true
	}
	for i := range waivers {
		if !used[i] {
			t.Errorf("nothing breaks %s any more where it is waived because: %s", waivers[i].rule, waivers[i].why)
		}
	}
	slices.Sort(rest)
	return slices.Compact(rest)
}

// TestNPMCheckersOfDocuments lets Redocly with its strict rules, and Spectral with its own and OWASP's, read the
// documents. It needs the network, so it stands behind a build tag: make npm
func TestNPMCheckersOfDocuments(t *testing.T) {
	folder := installCheckers(t)
	for name, test := range map[string]struct {
		document []byte
		waivers  []waiver
	}{
		"v1":       {v1openapi.Document(checkedAt), append(slices.Clone(commonWaivers), v1Waivers...)},
		"operator": {v1openapi.OperatorDocument(checkedAt), append(slices.Clone(commonWaivers), operatorWaivers...)},
		"rest":     {openapi.Document(checkedAt), append(slices.Clone(commonWaivers), restWaivers...)},
	} {
		t.Run(name, func(t *testing.T) {
			rest := unwaived(t, newCheckedDocument(t, test.document), test.waivers, findings(t, folder, test.document))
			if diff := cmp.Diff([]string(nil), rest); diff != "" {
				t.Errorf("the checkers find, and no waiver says why it stays:\n%s", strings.Join(rest, "\n"))
			}
		})
	}
	t.Run("and they find mistakes", func(t *testing.T) {
		document := v1openapi.Document(checkedAt)
		for mistake, right := range map[string]string{
			`"license": {`:                          `"x-license": {`,
			`"contact": {`:                          `"x-contact": {`,
			`"maxLength": 120000`:                   `"minLength": 0`,
			`"maximum": 100000,`:                    ``,
			`"format": "int64"`:                     `"x-format": "int64"`,
			`"operationId": "getLimits"`:            `"operationId": "getAccount"`,
			`"x-internal": false`:                   `"x-external": true`,
			`"url": "` + checkedAt + `",` + "\n":    `"url": "http://api.sellers.example.org",` + "\n",
			`"#/components/responses/RouteNotFound`: `"#/components/responses/ItemNotFound`,
		} {
			if !bytes.Contains(document, []byte(mistake)) {
				t.Errorf("there is no %s in which to make a mistake", mistake)
			}
			document = bytes.ReplaceAll(document, []byte(mistake), []byte(right))
		}
		waivers := append(slices.Clone(commonWaivers), v1Waivers...)
		var rules []string
		for _, f := range unwaived(t, newCheckedDocument(t, document), waivers, findings(t, folder, document)) {
			checker, rest, _ := strings.Cut(f, " ")
			rule, _, _ := strings.Cut(rest, " ")
			rules = append(rules, checker+" "+rule)
		}
		slices.Sort(rules)
		want := []string{
			"redocly info-license",
			"redocly operation-operationId-unique",
			"spectral info-contact",
			"spectral oas3-unused-component",
			"spectral operation-operationId-unique",
			"spectral owasp:api4:2023-integer-format",
			"spectral owasp:api4:2023-integer-limit",
			"spectral owasp:api4:2023-string-limit",
			"spectral owasp:api8:2023-no-server-http",
			"spectral owasp:api9:2023-inventory-access",
		}
		if diff := cmp.Diff(want, slices.Compact(rules)); diff != "" {
			t.Errorf("the checkers find (-want +got):\n%s", diff)
		}
	})
}
