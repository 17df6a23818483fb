package site

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"sellerd/internal/base/pattern"
)

// drawnMove is the line of a move in a picture, and moveInTable a row of a table of moves.
var (
	drawnMove   = pattern.Late(`data-move="([^"]+)"`)
	moveInTable = pattern.Late("(?m)^\\| `(\\w+)` \\| `(\\w+)` \\|")
)

// TestThePicturesShowTheMovesOfTheTables compares what is drawn with the tables, which are written from those of the program.
func TestThePicturesShowTheMovesOfTheTables(t *testing.T) {
	_, source := readDoc("states")
	doc, ok := New(Options{}).Doc("states")
	if !ok {
		t.Fatal("there is no page of states")
	}
	sections := strings.Split(source, "\n## ")[1:]
	pictures := strings.Split(string(doc.HTML), "<svg")[1:]
	if len(pictures) != len(sections) {
		t.Fatalf("%d pictures for %d tables", len(pictures), len(sections))
	}
	for i, section := range sections {
		name, _, _ := strings.Cut(section, "\n")
		var want, got []string
		for _, row := range moveInTable().FindAllStringSubmatch(section, -1) {
			want = append(want, row[1]+" "+row[2])
		}
		picture, _, _ := strings.Cut(pictures[i], "</svg>")
		for _, move := range drawnMove().FindAllStringSubmatch(picture, -1) {
			got = append(got, move[1])
		}
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(slices.Compact(want), got); diff != "" {
			t.Errorf("%s (-table +picture):\n%s", name, diff)
		}
		if !strings.Contains(picture, ">"+name+": states and moves</title>") {
			t.Errorf("the picture of %s has no title", name)
		}
	}
}

// TestStatesDoNotLieOnEachOther reads where the states of the pictures are.
func TestStatesDoNotLieOnEachOther(t *testing.T) {
	doc, _ := New(Options{}).Doc("states")
	root, err := html.Parse(strings.NewReader(string(doc.HTML)))
	if err != nil {
		t.Fatal(err)
	}
	type box struct{ x, y, width, height int }
	pictures := 0
	for svg := range root.Descendants() {
		if svg.Data != "svg" {
			continue
		}
		pictures++
		var seen []box
		for node := range svg.Descendants() {
			if node.Data != "rect" {
				continue
			}
			var b box
			for _, a := range node.Attr {
				if to := map[string]*int{"x": &b.x, "y": &b.y, "width": &b.width, "height": &b.height}[a.Key]; to != nil {
					if _, err := fmt.Sscan(a.Val, to); err != nil {
						t.Fatal(err)
					}
				}
			}
			if b.x < 0 || b.x+b.width > pictureWidth {
				t.Errorf("%v is outside of its picture", b)
			}
			for _, other := range seen {
				if b.y == other.y && b.x < other.x+other.width && other.x < b.x+b.width {
					t.Errorf("%v lies on %v", b, other)
				}
			}
			seen = append(seen, b)
		}
	}
	if pictures == 0 {
		t.Error("there are no pictures")
	}
}
