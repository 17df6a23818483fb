package guide

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sellerd/internal/proof/generated"
	"sellerd/translate"
	v1 "sellerd/v1"
)

// testBase is where the committed guide says that the service is.
const testBase = "https://api.example.com"

// committed is the guide for readers of the repository: its commands begin at $BASE, which they set once.
func committed(markdown []byte) []byte {
	var b strings.Builder
	commands := false
	for line := range strings.Lines(string(markdown)) {
		if strings.HasPrefix(line, "```") {
			commands = !commands
		}
		if commands {
			line = strings.ReplaceAll(line, "'"+testBase, "getenv('BASE') . '") // in PHP
			line = strings.ReplaceAll(line, testBase, "$BASE")
			line = strings.Replace(line, "export KEY\n", "export BASE KEY\n", 1)
		}
		if strings.HasPrefix(line, "KEY=") {
			b.WriteString("BASE='" + testBase + "'    # where your service is\n")
		}
		b.WriteString(line)
	}
	return []byte(b.String())
}

func newPage(t *testing.T) *Page {
	t.Helper()
	return New(newTable(t), testBase)
}

func newTable(t testing.TB) *translate.Table {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestTheGuideFilesAreWhatTheTablesSay(t *testing.T) {
	for path, want := range map[string][]byte{
		filepath.Join("..", "..", "docs", "rest", "migration.md"): committed(newPage(t).Markdown()),
		"schema.json": Schema(testBase),
	} {
		generated.Compare(t, path, want)
	}
}

func TestTheGuideIsAsItsSchemaSays(t *testing.T) {
	text, err := newPage(t).JSON()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(testBase)))
	if err != nil {
		t.Fatal(err)
	}
	closeAll(schema)
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(SchemaPath, schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile(SchemaPath)
	if err != nil {
		t.Fatal(err)
	}
	guide, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(guide); err != nil {
		t.Error(err)
	}
	guide.(map[string]any)["surprise"] = true
	if compiled.Validate(guide) == nil {
		t.Error("a member that the schema does not name is accepted, so the test shows nothing")
	}
}

// closeAll lets no object have members that the schema does not name. The schema for readers allows more, because a later release may add
// some.
func closeAll(value any) {
	switch v := value.(type) {
	case map[string]any:
		if v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, member := range v {
			closeAll(member)
		}
	case []any:
		for _, member := range v {
			closeAll(member)
		}
	}
}

func TestTheGuideHasEveryCallInOnePhase(t *testing.T) {
	want := map[string]int{}
	for _, call := range translate.Calls {
		want[call.ID] = 1
	}
	got := map[string]int{}
	for _, phase := range newPage(t).Phases {
		for _, id := range phase.Calls {
			got[id]++
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-calls +phases):\n%s", diff)
	}
}

// TestTheGuideGivesEveryPostAKey reads the commands as they are printed. Each key is of one act alone.
func TestTheGuideGivesEveryPostAKey(t *testing.T) {
	guide := newPage(t)
	texts := map[string]string{}
	for _, call := range guide.Calls {
		texts[call.ID] = call.Example.V1
	}
	setups := slices.Concat(guide.Begin, guide.Latin1.Setup)
	for i := range guide.Phases {
		setups = append(setups, guide.Phases[i].Setup...)
	}
	for _, setup := range setups {
		texts["setup: "+setup.Text] = setup.Commands
	}
	posts, acts := 0, map[string]string{}
	for id, text := range texts {
		for _, command := range strings.Split(strings.ReplaceAll(text, "\\\n", ""), "\n") {
			sends := strings.Contains(command, " -d ") || strings.Contains(command, "-X POST")
			if !strings.Contains(command, "/v1/") || !sends || strings.Contains(command, "-X PATCH") {
				continue
			}
			posts++
			found := regexp.MustCompile(`-H "Idempotency-Key: ([A-Za-z0-9._$-]+-\$ACT)"`).FindStringSubmatch(command)
			switch {
			case found == nil:
				t.Errorf("%s posts without a key: %s", id, command)
			case acts[found[1]] != "":
				t.Errorf("%s has the key of %s: %s", id, acts[found[1]], found[1])
			default:
				acts[found[1]] = id
			}
		}
	}
	if posts < 9 {
		t.Errorf("there are only %d commands that post", posts)
	}
	if !strings.Contains(guide.Begin[0].Commands, "\nACT=$(date +%s%N)") {
		t.Errorf("the guide does not say where the variable of the keys comes from:\n%s", guide.Begin[0].Commands)
	}
}

func TestTheGuideHasEveryRow(t *testing.T) {
	guide := newPage(t)
	for _, call := range translate.Calls {
		section := guide.Call(call.ID)
		for _, rows := range []struct {
			what string
			rows []translate.Row
			said []Field
			as   string

			member func(path string) string
		}{
			{"field", call.In, section.Fields, section.FieldsAs, func(path string) string { return path }},
			{"element", call.Out, section.Elements, section.ElementsAs, func(path string) string { member, _, _ := memberOf(call, path); return member }},
		} {
			for i := range rows.rows {
				row := &rows.rows[i]
				name := row.Legacy
				if name == "images" {
					name = translate.ImagesField
				}
				said := slices.ContainsFunc(rows.said, func(f Field) bool {
					return f.Legacy == name && f.V1 == rows.member(row.V1) && (f.Value+f.Words != "" || call.Target.Kind == translate.Local) &&
						saysAll(f.Words, row.Const, row.Loss.Why, row.Doc)
				})
				if !said {
					t.Errorf("%s does not say all about the %s %s, %s", call.ID, rows.what, row.Legacy, row.V1)
				}
			}
			if rows.as != "" && guide.Call(rows.as) == nil {
				t.Errorf("%s refers to the call %s, which is not there", call.ID, rows.as)
			}
		}
	}
}

// saysAll says whether a text holds others, whatever is marked as code in it.
func saysAll(text string, others ...string) bool {
	plain := strings.ReplaceAll(text, "`", "")
	return !slices.ContainsFunc(others, func(other string) bool { return !strings.Contains(plain, strings.ReplaceAll(other, "`", "")) })
}

func TestTheGuideHasEveryConverterAndEveryValue(t *testing.T) {
	guide := newPage(t)
	tables := map[string]int{}
	for _, call := range guide.Calls {
		for _, table := range call.Values {
			tables[table.ID] += len(table.Pairs)
		}
	}
	for _, c := range translate.Converters {
		if c.Pairs != nil && tables[c.Anchor] != len(c.Pairs) {
			t.Errorf("the values of %s are there %d times", c.Name, tables[c.Anchor]/len(c.Pairs))
		}
		if c.Anchor == "" || c.Pairs == nil && c.Becomes == "" {
			t.Errorf("no row can say what becomes of a %s", c.Name)
		}
	}
}

func TestTheGuideHasEveryNotificationAndEveryNewOperation(t *testing.T) {
	guide := newPage(t)
	var want, got []string
	for _, n := range translate.NotificationTypes {
		want = append(want, n.Type+" "+n.Event)
	}
	for _, e := range guide.Notifications {
		got = append(got, e.Type+" "+e.Event)
	}
	if diff := cmp.Diff(append(want, translate.TypeDefault+" "+translate.EveryEvent), got); diff != "" {
		t.Error(diff)
	}
	shown := map[string]int{}
	for _, call := range guide.Calls {
		for _, step := range call.V1 {
			shown[step.Method+" "+step.Path] = 1
		}
	}
	for _, group := range guide.New {
		for _, o := range group.Operations {
			shown[o.Method+" "+o.Path]++
		}
	}
	for _, o := range v1.Operations {
		if shown[o.Method+" "+o.Pattern] != 1 {
			t.Errorf("%s %s is shown %d times", o.Method, o.Pattern, shown[o.Method+" "+o.Pattern])
		}
	}
}

// TestTheGuideSaysWhichCallsAreOpen: a call that needs no key says so, and no other one does.
func TestTheGuideSaysWhichCallsAreOpen(t *testing.T) {
	guide, open := newPage(t), 0
	for _, call := range translate.Calls {
		said := slices.ContainsFunc(guide.Call(call.ID).Notes, func(note string) bool { return strings.HasPrefix(note, "The call needs neither key nor token.") })
		if said != call.Open {
			t.Errorf("the guide says that %s is open: %t", call.ID, said)
		}
		if said {
			open++
		}
	}
	if open == 0 {
		t.Error("no call is open")
	}
}

func TestTheGuideTellsHowElementsAreWritten(t *testing.T) {
	found := false
	for _, f := range newPage(t).Call("item").Elements {
		if f.Legacy == "prefered_end_hour" {
			found = true
			if want := "`18:00` → `18:00`"; !strings.Contains(f.Value, want) {
				t.Errorf("the guide does not say %s of prefered_end_hour: %s", want, f.Value)
			}
		}
	}
	if !found {
		t.Error("an item has no element prefered_end_hour")
	}
}

func TestEveryCallSaysWhatSetsItsKey(t *testing.T) {
	guide := newPage(t)
	for _, call := range guide.Calls {
		says := slices.ContainsFunc(call.Notes, func(note string) bool { return strings.Contains(note, "`ACT=$(date +%s%N)` sets") })
		if uses := strings.Contains(call.Example.V1, "$ACT"); says != uses {
			t.Errorf("%s uses ACT: %v, says what sets it: %v", call.ID, uses, says)
		}
	}
}
