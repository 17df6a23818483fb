package arazzotest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/proof/blackbox"
	"sellerd/internal/proof/generated"
	"sellerd/internal/proof/installed"
	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/translate/guide"
)

func TestMain(m *testing.M) { blackbox.Main(m) }

const (
	root = "../../.."
	act  = "act-of-this-walk"
)

// demo is a running program with the demo seller.
type demo struct {
	*blackbox.Server
	key string
}

func newDemo(t *testing.T) demo {
	t.Helper()
	folder := t.TempDir()
	s := blackbox.NewServer(t, "sqlite:"+filepath.Join(folder, "sellerd.db")).With("--demo")
	s.Start(t)
	var keys struct{ Test string }
	blackbox.Eventually(t, 30e9, "the demo seller has keys", func() bool {
		text, err := os.ReadFile(filepath.Join(folder, "demo-keys.json"))
		return err == nil && json.Unmarshal(text, &keys) == nil && !strings.Contains(string(text), "unfinished")
	})
	return demo{s, keys.Test}
}

// TestTheArazzoFileIsWhatTheWalksDo takes each walk as its reader would, with a shell, and compares what they do with the
// Arazzo file about them.
func TestTheArazzoFileIsWhatTheWalksDo(t *testing.T) {
	installed.Require(t, "THE WALKS OF THE ARAZZO FILE WERE NOT TAKEN", "bash", "curl", "sed", "grep")
	workflows := make([]any, len(walks))
	if t.Run("walks", func(t *testing.T) {
		for i, each := range walks {
			t.Run(each.id, func(t *testing.T) {
				t.Parallel()
				d := newDemo(t)
				r := newRecorder(t, d.URL())
				w := each.take(t, d, r)
				w.id, w.base, w.kept = each.id, r.URL, r.kept
				w.inputs["key"] = d.key
				workflows[i] = describe(t, w)
			})
		}
	}) && !slices.Contains(workflows, nil) { // a walk that was not asked for is missing
		generated.Compare(t, filepath.Join(root, documentPath), document(workflows))
	}
}

// walks are the walks in the order of their workflows, whose ids they have.
var walks = []struct {
	id   string
	take func(*testing.T, demo, *recorder) walk
}{
	{"first-requests", firstRequests},
	{"first-sale", firstSale},
	{"migration", migration},
}

func firstRequests(t *testing.T, d demo, r *recorder) walk {
	_, section, _ := strings.Cut(readFile(t, "README.md"), "\n## First requests\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var commands string
	for i, part := range strings.Split(section, "```") {
		if i%2 == 1 {
			commands += strings.TrimPrefix(part, "sh")
		}
	}
	run(t, r, "KEY="+d.key+"\n"+strings.ReplaceAll(commands, "KEY=$(grep", ": $(true"))
	return walk{
		summary: "First requests", inputs: map[string]string{}, printed: commands,
		description: "The first requests of README.md: list an item, find it, and check another one without listing it.",
	}
}

func firstSale(t *testing.T, d demo, r *recorder) walk {
	script := readFile(t, "docs/examples/first-sale.sh")
	run(t, r, "export BASE_URL="+r.URL+" SELLERD_KEY="+d.key+"\n(\n"+script+"\n)")
	return walk{
		summary: "A first sale", inputs: map[string]string{}, printed: script,
		description: "What docs/examples/first-sale.sh does: list an item, wait for its publication, sell it in the sandbox, rate the buyer, " +
			"send two parcels, cancel another sale, and find all of this in the lists.",
	}
}

// migration follows the commands for /v1 of the migration guide, as its page prints them.
func migration(t *testing.T, d demo, r *recorder) walk {
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	page := guide.New(table, r.URL)
	w := walk{
		summary: "From /rest to /v1", inputs: map[string]string{"act": act},
		description: "The requests of /v1 that the migration guide shows in place of each call of /rest, in the guide's order. They need a seller that has " +
			"items and sales, such as the demo's.",
	}
	var begin strings.Builder
	for _, setup := range page.Begin {
		begin.WriteString(setup.Commands + "\n")
		w.printed += setup.Commands
	}
	commands := strings.NewReplacer("'dk_test_...'", d.key, command.SetAct, "ACT="+act).Replace(begin.String())
	if !strings.Contains(commands, "KEY="+d.key) || !strings.Contains(commands, "ACT="+act) {
		t.Fatalf("the guide does not say where the key and the act go:\n%s", commands)
	}
	r.begin("Before you begin")
	variables := run(t, r, commands+"\ndeclare -p KEY ACT ITEM REFERENCE ENDED SALE SOLD WEBHOOK; declare -f first")
	for _, call := range page.Calls {
		r.begin(call.Title + " (" + call.Legacy.Method + " " + call.Legacy.Path + ")")
		run(t, r, variables+"\n"+call.Example.V1)
		w.printed += call.Example.V1
	}
	w.printed = strings.ReplaceAll(w.printed, r.URL, documentedAt)
	return w
}

// run runs commands, a request that is refused being one that fails, and returns what they say.
func run(t *testing.T, r *recorder, commands string) string {
	t.Helper()
	const prelude = "set -euo pipefail\ncurl() { command curl --no-progress-meter --fail-with-body \"$@\"; }\n"
	shell := exec.CommandContext(t.Context(), "bash")
	shell.Dir = t.TempDir()
	shell.Stdin = strings.NewReader(prelude + strings.ReplaceAll(commands, documentedAt, r.URL) + "\n")
	out, err := shell.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, commands, out)
	}
	return string(out)
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
