package server_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/servertest"
	"sellerd/translate/guide"
)

// This file looks for the values of /v1 where the migration guide says that they stand, and sends texts in Latin-1 as the
// guide says.

// TestValuesStandWhereTheGuideSays asks for every object of every call, and follows all paths that begin with it.
func TestValuesStandWhereTheGuideSays(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.SQLite(t))
	item := strings.TrimSpace(mustSay(t, r, "echo $ITEM"))
	followed := 0
	for _, call := range r.guide.Calls {
		if call.Acknowledges {
			continue // the guide's commands show what /v1 answers
		}
		objects := map[string]any{}
		for _, object := range call.Objects {
			objects[object.Name] = r.object(t, object, item)
		}
		for i := range call.Elements {
			f := &call.Elements[i]
			for _, path := range append(strings.Fields(f.Path), f.Also...) {
				name, rest, _ := strings.Cut(path, ".")
				if err := follow(objects[name], rest); err != nil {
					t.Errorf("%s: %s is not at %s: %v", call.ID, f.Legacy, path, err)
				}
				followed++
			}
		}
	}
	if followed < 150 {
		t.Errorf("only %d paths were followed", followed)
	}
}

// object asks for an object as the guide describes it.
func (r *reader) object(t *testing.T, object guide.Object, item string) any {
	t.Helper()
	found := regexp.MustCompile("`GET (/v1/[^`]+)`$").FindStringSubmatch(object.Is)
	if found == nil {
		t.Fatalf("the guide does not say where %s is: %s", object.Name, object.Is)
	}
	request := httptest.NewRequest("GET", strings.Replace(found[1], "{id}", item, 1), nil)
	request.Header.Set("X-Api-Key", r.w.Key)
	recorder := httptest.NewRecorder()
	r.w.Server.Public.ServeHTTP(recorder, request)
	var answer struct{ Data any }
	if err := json.Unmarshal(recorder.Body.Bytes(), &answer); err != nil || recorder.Code != 200 {
		t.Fatalf("%s: %d %v", found[1], recorder.Code, err)
	}
	if !strings.HasPrefix(object.Is, "each entry of `data.results`") {
		return answer.Data
	}
	results, _ := answer.Data.(map[string]any)["results"].([]any)
	if len(results) == 0 {
		t.Fatalf("%s has no entries", found[1])
	}
	// an entry has what others may lack: prefer the last one with a path, such as that of a leaf among categories
	return results[len(results)-1]
}

// follow goes along a path. null ends it well: the value is missing there.
func follow(value any, path string) error {
	for name := range strings.SplitSeq(path, ".") {
		if value == nil {
			return nil
		}
		name, list := strings.CutSuffix(name, "[]")
		object, ok := value.(map[string]any)
		if !ok {
			return fmt.Errorf("there is no object that could have %s", name)
		}
		if value, ok = object[name]; !ok {
			return fmt.Errorf("there is no %s", name)
		}
		if entries, isList := value.([]any); isList != list {
			return fmt.Errorf("%s is a list: %v", name, isList)
		} else if list {
			if value = nil; len(entries) > 0 {
				value = entries[0]
			}
		}
	}
	return nil
}

func TestAWrongPathIsNotFollowed(t *testing.T) {
	sale := map[string]any{"item": map[string]any{"title": "A", "personal_reference": nil}, "sales": []any{map[string]any{"id": "1"}}}
	for path, want := range map[string]bool{
		"item.title": true, "item.personal_reference": true, "sales[].id": true, "title": false, "item.titel": false, "sales.id": false, "item[].title": false,
		"item.title.text": false,
	} {
		if got := follow(sale, path) == nil; got != want {
			t.Errorf("%s is there: %v", path, got)
		}
	}
}

// mustSay runs commands that succeed, and returns what they say.
func mustSay(t *testing.T, r *reader, commands string) string {
	t.Helper()
	said, code := r.shell(t, commands)
	if code != 0 {
		t.Fatalf("the commands ended with %d:\n%s\n%s", code, commands, said)
	}
	return said
}

// TestTheGuideSendsLatin1 runs the commands of the guide for programs in Latin-1, and those that it warns of.
func TestTheGuideSendsLatin1(t *testing.T) {
	servertest.EachDatabase(t, func(t *testing.T, database func(testing.TB) string) {
		r := newReader(t, database(t))
		setup := r.guide.Latin1.Setup
		if len(setup) != 3 {
			t.Fatalf("the guide has %d commands", len(setup))
		}
		title := func() string {
			said := mustSay(t, r, `curl "`+r.guide.BaseURL+`/v1/items/$ITEM" -H "X-Api-Key: $KEY"`)
			return regexp.MustCompile(`"title":"[^"]*"`).FindString(said)
		}
		const want = `"title":"Café de Flore"`
		for i, command := range setup[1:] {
			other := fmt.Sprintf(`curl -X PATCH "%s/v1/items/$ITEM" -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' -d '{"title": "Other %d"}'`, r.guide.BaseURL, i)
			mustSay(t, r, other)
			mustSay(t, r, setup[0].Commands+"\n"+command.Commands)
			if diff := cmp.Diff(want, title()); diff != "" {
				t.Errorf("after the command %d (-want +got):\n%s", i+1, diff)
			}
		}
		for name, test := range map[string]struct{ commands, refusal string }{
			"a form without its character set": {strings.Replace(setup[1].Commands, "; charset=windows-1252", "", 1), "422 invalid_value"},
			"Latin-1 in the query": {
				`curl -X PUT "` + r.guide.BaseURL + `/rest/item/$ITEM?title=Caf%E9&token=$TOKEN" -H 'Content-Type: application/x-www-form-urlencoded; charset=windows-1252'`,
				"422 invalid_value",
			},
			"JSON with other bytes": {
				`printf '{"title": "%s"}' "$TITLE" | curl -X PATCH "` + r.guide.BaseURL + `/v1/items/$ITEM" -H "X-Api-Key: $KEY" -H 'Content-Type: application/json' -d @-`,
				"400 malformed_json",
			},
		} {
			said, code := r.shell(t, setup[0].Commands+"\n"+strings.Replace(test.commands, "curl ", "curl -w '%{http_code}' ", 1))
			status, refusal, _ := strings.Cut(test.refusal, " ")
			if code == 0 || !strings.HasSuffix(said, status) || !strings.Contains(said, refusal) {
				t.Errorf("%s is not refused with %s: %s", name, test.refusal, said)
			}
		}
		if text := strings.Join(r.guide.Latin1.Text, "\n"); !strings.Contains(text, "400 `malformed_json`") || !strings.Contains(text, "422 `invalid_value`") {
			t.Errorf("the guide says otherwise: %s", text)
		}
	})
}

// TestTheLoopOfTheFileRuns runs the loop of docs/rest/migration.md, where BASE is a variable of the reader.
func TestTheLoopOfTheFileRuns(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.SQLite(t))
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "rest", "migration.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	i := slices.IndexFunc(blocks, func(block []string) bool { return strings.Contains(block[1], "php <<'PHP'") })
	if i < 0 {
		t.Fatal("the file has no loop")
	}
	said := mustSay(t, r, "BASE="+r.guide.BaseURL+"\n"+blocks[i][1]+"\n"+blocks[i+1][1])
	if want := "Both list the same items.\n"; said != want {
		t.Errorf("it says %q, not %q", said, want)
	}
}
