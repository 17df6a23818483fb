package docstest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// reliability is the page with rows that `make figures` prints.
const reliability = "docs/operator/reliability.md"

// printed names the file with the rows of a run. `make figures` sets it, and the page gets its rows from there.
var printed = flag.String("figures", "", "write the rows of this file into "+reliability)

// figures finds the table of a page. Its first line names the figures that the table has; "missed" are all that did not reach their aim.
var figures = regexp.MustCompile(`(?s)(<!-- figures: ([^>]*) -->\n)(.*?)(<!-- end of the figures -->)`)

// TestTheFiguresAreThoseOfARun writes the rows of a run into the page, or expects the page to have nothing else than chosen rows.
func TestTheFiguresAreThoseOfARun(t *testing.T) {
	page := read(t, reliability)
	found := figures.FindStringSubmatch(page)
	if found == nil {
		t.Fatalf("%s has no table of figures", reliability)
	}
	rows, day := found[3], regexp.MustCompile(`on (.*)\.`).FindStringSubmatch(found[3])
	if *printed != "" {
		run, err := os.ReadFile(*printed)
		if err != nil {
			t.Fatal(err)
		}
		rows, day = string(run), []string{"", time.Now().Format("2 January 2006")}
	}
	if day == nil {
		t.Fatal("the table does not say when it was written")
	}
	want := figures.ReplaceAllLiteralString(page, found[1]+figuresTable(rows, day[1], strings.Fields(found[2]))+found[4])
	if *printed != "" {
		if err := os.WriteFile(filepath.Join(root, reliability), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, read(t, reliability)); diff != "" {
		t.Errorf("the table is not one that make figures writes (-want +got):\n%s", diff)
	}
}

// figuresTable is the table with the chosen ones of the rows of a run, or of the page. An aim stands beside what was measured, because a page
// has no room for a column of its own.
func figuresTable(rows, day string, chosen []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`make figures` wrote this table on %s.\n\n| Figure | Measured, and its aim | Result | Reached |\n|---|---|---|---|\n", day)
	for row := range strings.Lines(rows) {
		cells := strings.Split(row, " | ")
		if len(cells) == 5 {
			cells = append([]string{cells[0], cells[1] + "; aim: " + cells[2]}, cells[3:]...)
		}
		if len(cells) != 4 || cells[0] == "| Figure" {
			continue
		}
		missed := strings.HasPrefix(cells[3], "**no**")
		if slices.Contains(chosen, strings.TrimPrefix(cells[0], "| ")) || missed && slices.Contains(chosen, "missed") {
			b.WriteString(strings.Join(cells, " | "))
		}
	}
	return b.String()
}

func TestFiguresTable(t *testing.T) {
	const run = "| Figure | Measured | Aim | Result | Reached |\n|---|---|---|---|---|\n" +
		"| R1 | a | 0 | 0 | yes |\n| R2 | b | 0 | 0 | yes |\n| R10 | c | 0 | 1 | **no** |\n"
	const want = "`make figures` wrote this table on 1 May 2027.\n\n| Figure | Measured, and its aim | Result | Reached |\n|---|---|---|---|\n" +
		"| R1 | a; aim: 0 | 0 | yes |\n| R10 | c; aim: 0 | 1 | **no** |\n"
	for from, rows := range map[string]string{"a run": run, "the page": want} {
		if diff := cmp.Diff(want, figuresTable(rows, "1 May 2027", []string{"R1", "missed"})); diff != "" {
			t.Errorf("from %s (-want +got):\n%s", from, diff)
		}
	}
}
