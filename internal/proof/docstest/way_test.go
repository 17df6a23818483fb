package docstest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheWayOfAFieldIsAsThePageSays looks for each name of the table in the files of its row.
func TestTheWayOfAFieldIsAsThePageSays(t *testing.T) {
	inTicks, rows := regexp.MustCompile("`([^`]+)`"), 0
	for line := range strings.Lines(read(t, "docs/developer/architecture-request.md")) {
		cells := strings.Split(strings.Trim(line, "|\n "), "|")
		if len(cells) != 3 || !strings.Contains(cells[1], ".go`") {
			continue
		}
		rows++
		var code strings.Builder
		folder, files := "", inTicks.FindAllStringSubmatch(cells[1], -1)
		if last := files[len(files)-1][1]; !strings.HasSuffix(last, ".go") { // files of a folder
			folder, files = last, files[:len(files)-1]
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(root, folder, file[1]))
			if err != nil {
				t.Fatal(err)
			}
			code.Write(text)
		}
		for _, name := range inTicks.FindAllStringSubmatch(cells[2], -1) {
			bare := name[1][strings.LastIndexByte(name[1], '.')+1:]
			if !regexp.MustCompile(`(?m)^(?:func (?:\([^)]*\) )?|type )` + bare + `\b`).MatchString(code.String()) {
				t.Errorf("%s is not declared in %s", name[1], strings.TrimSpace(cells[1]))
			}
		}
	}
	if rows == 0 {
		t.Error("the page has no such table")
	}
}
