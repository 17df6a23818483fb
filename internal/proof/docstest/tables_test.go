package docstest

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sellerd/internal/proof/installed"
)

// folders is the page with the table of folders.
const folders = "docs/developer/architecture-folders.md"

// The pages with the tables of settings and metrics.
const (
	settings = "docs/operator/operating-install.md"
	metrics  = "docs/operator/operating-monitoring.md"
)

// TestTables compares what these pages list, and what the README shows, with what the program has.
func TestTables(t *testing.T) {
	installed.Require(t, "THE TABLES IN THE DOCUMENTS WERE NOT COMPARED", needed...)
	r := makeRun(t)

	t.Run("every flag of serve is described with its variable", func(t *testing.T) {
		help := exec.Command(filepath.Join(r.folder, "bin", "sellerd"), "serve", "--help")
		text, err := help.Output()
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, pair := range regexp.MustCompile(`(?s)\n +(--[a-z-]+).*?\((?:[^()]*\()?\$(SELLERD_[A-Z_]+)[,)]`).FindAllStringSubmatch(string(text), -1) {
			want = append(want, pair[1]+" "+pair[2])
		}
		var got []string
		for _, row := range regexp.MustCompile("(?m)^\\| `(--[a-z-]+)`, `(SELLERD_[A-Z_]+)` \\|").FindAllStringSubmatch(read(t, settings), -1) {
			got = append(got, row[1]+" "+row[2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("the README shows what make run prints", func(t *testing.T) {
		shown := blocks("README.md", read(t, "README.md"))
		i := slices.IndexFunc(shown, func(b block) bool { return b.firstLine() == "make run" })
		if i < 0 || shown[i].output == "" {
			t.Fatal("the README does not show what make run prints")
		}
		said, err := os.ReadFile(r.said)
		if err != nil {
			t.Fatal(err)
		}
		_, port, err := net.SplitHostPort(r.public)
		if err != nil {
			t.Fatal(err)
		}
		printed := masked(strings.NewReplacer("localhost:"+port, "localhost:8080", r.operator, "127.0.0.1:8081").Replace(string(said)))
		if want := masked(shown[i].output); !strings.Contains(strings.Join(printed, "\n"), strings.Join(want, "\n")) {
			t.Error(cmp.Diff(want, printed))
		}
	})

	t.Run("every metric is described", func(t *testing.T) {
		r.get(t, "http://"+r.public+"/healthz") // so that there is a request to count
		name := regexp.MustCompile(`(?m)^# TYPE (sellerd_\w+)`)
		if diff := cmp.Diff(unique(name, r.get(t, "http://"+r.operator+"/metrics")),
			unique(regexp.MustCompile("(?m)^\\| `(sellerd_\\w+)"), read(t, metrics))); diff != "" {
			t.Error(diff)
		}
	})

	t.Run("every folder of the table is there", func(t *testing.T) {
		rows := regexp.MustCompile("(?m)^\\| `([a-z0-9/]+/)`").FindAllStringSubmatch(read(t, folders), -1)
		if len(rows) == 0 {
			t.Fatal("there is no table of folders")
		}
		for _, row := range rows {
			if info, err := os.Stat(filepath.Join(root, row[1])); err != nil || !info.IsDir() {
				t.Errorf("there is no folder %s", row[1])
			}
		}
	})

	t.Run("the table has every folder of packages", func(t *testing.T) {
		list := exec.Command("go", "list", "./...")
		list.Dir = root
		packages, err := list.Output()
		if err != nil {
			t.Fatal(err)
		}
		// What is below a folder of the table belongs to it, as ent/schema to ent.
		text := read(t, folders)
		for _, folder := range strings.Fields(string(packages)) {
			folder = strings.TrimPrefix(folder, "sellerd/") + "/"
			parts := strings.SplitAfter(folder, "/")
			top := parts[0]
			if top == "internal/" || top == "cmd/" {
				top += parts[1]
			}
			if !strings.Contains(text, "\n| `"+top+"` |") {
				t.Errorf("the table of folders has no %s", top)
			}
		}
	})

	t.Run("the table names every command", func(t *testing.T) {
		help, err := exec.Command(filepath.Join(r.folder, "bin", "sellerd"), "--help").Output()
		if err != nil {
			t.Fatal(err)
		}
		row := regexp.MustCompile("(?m)^\\| `cmd/sellerd/` \\| (.*)$").FindString(read(t, folders))
		want := unique(regexp.MustCompile(`(?m)^  ([a-z]+)(?: [a-z-]+)?   `), string(help))
		got := unique(regexp.MustCompile("`([a-z]+)`"), row)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

func TestEveryLinkLeadsSomewhere(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	fenced := regexp.MustCompile("(?ms)^```.*?^```$") // code may look like a link
	for _, name := range append(documents(t), "v1/DECISIONS.md") {
		for _, found := range link.FindAllStringSubmatch(fenced.ReplaceAllString(read(t, name), ""), -1) {
			target, fragment := name, found[2]
			if found[1] != "" {
				target = filepath.Join(filepath.Dir(name), found[1])
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
				continue
			}
			if fragment != "" && !slices.Contains(anchors(read(t, target)), fragment) {
				t.Errorf("%s links to #%s, which %s does not have", name, fragment, target)
			}
		}
	}
}

// anchors are what links to a page can lead to: its own <a id="…">, and its headings, in lower case, without signs, with
// dashes for spaces.
func anchors(page string) []string {
	var names []string
	for _, anchor := range regexp.MustCompile(`<a id="([^"]+)">`).FindAllStringSubmatch(page, -1) {
		names = append(names, anchor[1])
	}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		name := strings.ReplaceAll(strings.ToLower(heading[1]), " ", "-")
		names = append(names, regexp.MustCompile(`[^a-z0-9_-]`).ReplaceAllString(name, ""))
	}
	return names
}

func TestAnchors(t *testing.T) {
	got := anchors("# Is it well?\ntext # no\n<a id=\"end\"></a>\n## The deprecated interface, /rest\n")
	want := []string{"end", "is-it-well", "the-deprecated-interface-rest"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// unique returns what a pattern's group found, sorted, each once.
func unique(pattern *regexp.Regexp, text string) []string {
	var found []string
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, strings.TrimSpace(match[1]))
	}
	slices.Sort(found)
	return slices.Compact(found)
}
