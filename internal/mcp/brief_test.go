package mcp

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"sellerd/internal/base/openjson"
)

// TestAnAgentSeesEveryMemberOfABody compares the list of tools with the bodies of the OpenAPI document: each member is in the schema of the
// tool or in that of new items, with its type, and each value that it allows is in the list.
func TestAnAgentSeesEveryMemberOfABody(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	var all strings.Builder
	properties := map[string]openjson.Object{}
	for _, one := range s.tools {
		text, err := json.Marshal(one.described())
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
		properties[one.name] = one.properties
	}
	items := object(object(object(properties[createItems].Get("items")).Get("items")).Get("properties"))
	for _, o := range s.operations {
		if o.body == nil || o.id == "submitBatch" { // create_items makes the batch
			continue
		}
		listed := items
		if o.tool != createItems {
			listed = slices.Concat(object(object(properties[o.tool].Get(argBody)).Get("properties")), items)
		}
		for _, member := range object(o.body.Get("properties")) {
			schema := object(listed.Get(member.Name))
			if want, got := brief(object(member.Value)).Get("type"), schema.Get("type"); got == nil || got != want {
				t.Errorf("%s of %s has the type %v, want %v", member.Name, o.id, got, want)
			}
		}
		text := string(openjson.Append(nil, o.body))
		for _, enum := range regexp.MustCompile(`"enum":\[([^\]]*)\]`).FindAllStringSubmatch(text, -1) {
			for value := range strings.SplitSeq(enum[1], ",") {
				if !strings.Contains(all.String(), strings.Trim(value, `"`)) {
					t.Errorf("%s allows %s, which no tool names", o.id, value)
				}
			}
		}
	}
}

func TestRequiredMembersAreMarked(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	for _, one := range s.tools {
		about, _ := object(one.properties.Get(argOperation)).Get("description").(string)
		for _, o := range one.operations {
			if one.name == createItems || o.body == nil {
				continue
			}
			for _, name := range list(o.body.Get("required")) {
				if !regexp.MustCompile(`(?m)^` + o.id + ` \(.*\b` + name.(string) + `\*`).MatchString(about) {
					t.Errorf("%s does not say that %s needs %v:\n%s", one.name, o.id, name, about)
				}
			}
		}
	}
}

// TestWhatIsNamedIsShown follows the words "as … of …" and "the body of …" to what they name.
func TestWhatIsNamedIsShown(t *testing.T) {
	s, _ := newServer(t, Config{BaseURL: "https://api.example.com", Key: testKey}, func() {})
	found := 0
	for _, one := range s.tools {
		text := string(openjson.Append(nil, one.properties))
		for _, named := range regexp.MustCompile(`[";] ?as (\w+) of (?:\w+ of )*(\w+)[",]`).FindAllStringSubmatch(text, -1) {
			found++
			in := one // in which another member has it, unless a tool of the name has
			if i := slices.IndexFunc(s.tools, func(other *tool) bool { return other.name == named[2] }); i >= 0 {
				in = s.tools[i]
			}
			if !strings.Contains(string(openjson.Append(nil, in.properties)), `"`+named[1]+`":{`) {
				t.Errorf("%s says %q, which is nowhere", one.name, named[0])
			}
		}
		for _, named := range regexp.MustCompile(`the body of (\w+)`).FindAllStringSubmatch(text, -1) {
			found++
			if !slices.Contains(one.operationIDs(), named[1]) {
				t.Errorf("%s says %q, and has no such operation", one.name, named[0])
			}
		}
	}
	if found < 5 {
		t.Errorf("only %d are named", found)
	}
}
