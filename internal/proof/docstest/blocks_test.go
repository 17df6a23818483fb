package docstest

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the module's root, seen from here.
const root = "../../.."

// block is one fenced block of shell commands in a document.
type block struct {
	place  string // README.md:12, the line of its first command
	text   string
	output string // what the document shows in the block ```output after it, empty when it shows nothing
}

// notRun are the blocks that the test does not run, by their first line, with the reason.
var notRun = map[string]string{
	"make test": "CI runs it together with this test",
	"make test PART=all DATABASE='postgres://tester:PASSWORD@db.example.com/postgres'": "this test is a part of it; internal/proof/pgtest/cmd runs one test so",
	"make dist VERSION=$(make -s version)":                                             "it builds seven programs; internal/downloads/dist makes one archive of them so",
	"sellerd serve --downloads bin/dist":                                               "it needs that folder; internal/downloads/dist gets the program from such a server, by the commands of the pages",
	"make run":                                                                         "the test runs it before any other block of the document",
	"sudo mkdir -p /usr/local/bin":                                                     needsMac,
	"launchctl load ~/Library/LaunchAgents/sellerd-bridge.plist":                       needsMac,
	"sudo install -m 0755 seller /usr/local/bin/seller":                                needsSystemd,
	"SELLERD_KEY=$KEY bin/seller listen --forward-to http://localhost:3000/hook": "it runs until it is stopped; the one of " +
		"docs/seller/webhook-receiver.md is ended by the test",
	"litestream replicate -config /etc/litestream.yml":                                                  needsBucket,
	"litestream restore -config /etc/litestream.yml -o restored/sellerd.db /var/lib/sellerd/sellerd.db": needsBucket,
	"make image":                                       needsDocker,
	"cp .env.example .env":                             needsDocker,
	"initdb --auth=scram-sha-256 --pwprompt":           needsMachines,
	`./follow.sh "$PGDATA" db-1.example.com 5432 db_2`: needsMachines,
	`./follow.sh "$PGDATA" db-2.example.com 5432 db_1`: needsMachines,
	"psql -f synchronous.sql":                          needsMachines,
	"psql -c 'SELECT pg_promote()'":                    needsMachines,
	`psql -c "ALTER SYSTEM RESET synchronous_standby_names" -c "SELECT pg_reload_conf()"`: needsMachines,
	"docker compose build && docker compose run --rm migrate":                             needsDocker,
	"useradd --system --home-dir /var/lib/sellerd --shell /usr/sbin/nologin sellerd":      needsSystemd,
	"cd /var/lib/sellerd":                        needsSystemd,
	"systemctl disable --now postgresql":         needsThree,
	"patronictl -c /etc/patroni/config.yml list": needsThree,
	"pgbackrest --stanza=sellerd stanza-create":  needsArchive,
	"pgbackrest --stanza=sellerd --type=time --target='2026-11-27 10:15:01+00' --target-action=promote --archive-mode=off restore": needsArchive,
}

const (
	needsBucket   = "it needs a bucket in an object store"
	needsDocker   = "it needs Docker, and images from the network; docs/deploy tests what can be tested without"
	needsMachines = "it needs two machines with PostgreSQL; TestStandby of internal/proof/outagetest does the same with the same files"
	needsThree    = "it needs three machines; TestPatroni of internal/proof/outagetest runs the same files, and make soak-failover runs it"
	needsArchive  = "it needs the files of root; TestPointInTime of internal/proof/outagetest runs these very commands"
	needsMac      = "it needs macOS; cmd/seller tests the flags"
	needsSystemd  = "it changes the machine, which has to run systemd; docs/deploy tests what can be tested without"
)

// onWindows are the blocks for the shells of Windows, by their first line, with the reason why they are not run.
var onWindows = map[string]string{
	`$env:SELLERD_BASE_URL = 'http://localhost:8080'`:           needsWindows,
	`C:\sellerd\seller.exe bridge --to https://api.example.com`: needsWindows,
	`$run = New-ScheduledTaskAction -Execute C:\sellerd\seller.exe -Argument 'bridge --to https://api.example.com --state C:\sellerd\state'`: needsWindows,
	`icacls C:\sellerd\keys.txt /inheritance:r /grant:r 'NT AUTHORITY\LocalService:R'`:                                                       needsWindows,
}

const needsWindows = "it needs Windows; cmd/seller tests the flags"

// TestCommandsForWindowsAreListed demands the reason for each block that no test runs because of its shell.
func TestCommandsForWindowsAreListed(t *testing.T) {
	var got []string
	for _, name := range documents(t) {
		for _, match := range regexp.MustCompile("(?m)^```(?:bat|powershell)\n(.*)$").FindAllStringSubmatch(read(t, name), -1) {
			got = append(got, match[1])
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(slices.Sorted(maps.Keys(onWindows)), got); diff != "" {
		t.Errorf("blocks for Windows (-listed +in the documents):\n%s", diff)
	}
}

// notRunHere are the documents whose blocks another test runs, with the reason.
var notRunHere = map[string]string{
	"docs/rest/migration.md": "both commands of a pair do the same thing, so each needs a world of its own: internal/server/migration_pairs_test.go runs them all",
}

// blocks returns the blocks of a document that begin with ```sh. A block that begins with ```output belongs to the one
// before it. A block of Python whose first line names a file, such as # feed.py, is a command that writes the file.
func blocks(name, text string) (found []block) {
	var into *string
	text = pythonFile.ReplaceAllString(text, "```sh\ncat > $1 <<'PYTHON'\n${2}PYTHON\n```\n")
	for i, line := range strings.Split(text, "\n") {
		switch fence := strings.TrimSpace(line); {
		case into == nil && fence == "```sh":
			found = append(found, block{place: fmt.Sprintf("%s:%d", name, i+2)})
			into = &found[len(found)-1].text
		case into == nil && fence == "```output" && len(found) > 0:
			into = &found[len(found)-1].output
		case into == nil:
		case fence == "```":
			into = nil
		default:
			*into += line + "\n"
		}
	}
	return found
}

var pythonFile = regexp.MustCompile("(?s)```python\n# ([a-z]+\\.py)\n(.*?)```\n")

func (b block) firstLine() string {
	line, _, _ := strings.Cut(b.text, "\n")
	return line
}

// onPostgres says whether a block needs a PostgreSQL server.
func (b block) onPostgres() bool { return strings.Contains(b.text, "postgres://") }

func TestBlocks(t *testing.T) {
	got := blocks("a.md", "# Title\n```sh\nmake\nmake test\n```\ntext\n```json\n{}\n```\n```sh\nls\n```\nshows\n```output\na.md\n```\n```python\n# a.py\npass\n```\n")
	want := []block{{"a.md:3", "make\nmake test\n", ""}, {"a.md:11", "ls\n", "a.md\n"}, {"a.md:18", "cat > a.py <<'PYTHON'\npass\nPYTHON\n", ""}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(block{})); diff != "" {
		t.Error(diff)
	}
}

func TestNothingIsExcusedInVain(t *testing.T) {
	var first []string
	for _, name := range documents(t) {
		for _, b := range blocks(name, read(t, name)) {
			first = append(first, b.firstLine())
		}
	}
	for name := range notRunHere {
		if !slices.Contains(documents(t), name) {
			t.Errorf("there is no document %q any more: take it off the list", name)
		}
	}
	for line := range notRun {
		if !slices.Contains(first, line) {
			t.Errorf("no block begins with %q any more: take it off the list", line)
		}
	}
}

// pages are the pages about what all operations share, without docs/seller/states.md, which has only tables.
var pages = []string{
	"start", "api", "authentication", "requests", "changes", "errors", "lists", "limits", "idempotency", "images", "versioning",
	"webhooks", "webhook-events", "webhook-security", "webhook-retries", "webhook-deliveries", "webhook-recovery", "event-feed",
	"sandbox", "sandbox-calls", "sandbox-buyers", "sandbox-images", "sandbox-reset",
}

// TestEveryPageHasARequest demands a request on each page, so that a reader can try its rules. TestCommands runs the requests.
func TestEveryPageHasARequest(t *testing.T) {
	for _, page := range pages {
		name := "docs/seller/" + page + ".md"
		if !slices.ContainsFunc(runnable(name, read(t, name)), func(b block) bool { return strings.Contains(b.text, "curl ") }) {
			t.Errorf("%s has no request that runs", name)
		}
	}
}

// Limits in lines: README is read in five minutes, and a page is a few screens.
const (
	maxREADME = 120
	maxPage   = 110
)

func TestREADMEAndPagesAreShort(t *testing.T) {
	if lines := strings.Count(read(t, "README.md"), "\n"); lines > maxREADME {
		t.Errorf("README.md has %d lines, more than %d", lines, maxREADME)
	}
	for _, page := range pages {
		text := read(t, "docs/seller/"+page+".md")
		if lines := strings.Count(text, "\n") - strings.Count(text, "<!-- tabs: "); lines > maxPage {
			t.Errorf("docs/seller/%s.md has %d lines, more than %d", page, lines, maxPage)
		}
	}
}

// maxWords is how many words a page for operators or developers may have: about four screens. maxMeasured is how many the pages about what
// was measured have together.
const (
	maxWords    = 1300
	maxMeasured = 5000
)

// TestPagesForOperatorsAndDevelopersAreShort counts the words of each page whose name begins with one of the subjects. The rows that a
// command wrote count only for all pages about what was measured.
func TestPagesForOperatorsAndDevelopersAreShort(t *testing.T) {
	measured := 0
	for subject, pages := range map[string]int{"operating": 2, "architecture": 2, "recipes": 2, "scaling": 1, "performance": 1, "reliability": 1} {
		found := 0
		for _, name := range documents(t) {
			if !strings.HasPrefix(filepath.Base(name), subject) {
				continue
			}
			found++
			text := read(t, name)
			if words := len(strings.Fields(figures.ReplaceAllString(text, ""))); words > maxWords {
				t.Errorf("%s has %d words, more than %d: make two pages of it", name, words, maxWords)
			}
			if pages == 1 {
				measured += len(strings.Fields(text))
			}
		}
		if found < pages || pages == 1 && found > 1 {
			t.Errorf("there are %d pages about %s", found, subject)
		}
	}
	if measured > maxMeasured {
		t.Errorf("the pages about what was measured have %d words, more than %d", measured, maxMeasured)
	}
}

// documents are the README and what is in docs and its folders, seen from the module's root.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md"}
	for _, folder := range []string{"docs", "docs/*"} {
		found, err := filepath.Glob(filepath.Join(root, folder, "*.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			names = append(names, strings.TrimPrefix(path, root+"/"))
		}
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
