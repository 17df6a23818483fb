package site

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// ids are the places of a page that an address can name.
func ids(doc *Doc) []string {
	var found []string
	for _, match := range regexp.MustCompile(`<[a-z0-9]+ id="([^"]+)"`).FindAllStringSubmatch(string(doc.HTML), -1) {
		found = append(found, match[1])
	}
	return found
}

// TestPublishedAnchorsStay expects every place that testdata/anchors.txt names. Those are the sections of the pages as release 1.5.0
// published them. The list only grows.
func TestPublishedAnchorsStay(t *testing.T) {
	list, err := os.ReadFile("testdata/anchors.txt")
	if err != nil {
		t.Fatal(err)
	}
	published := strings.Fields(string(list))
	if len(published) < 120 {
		t.Errorf("the list has only %d anchors", len(published))
	}
	s := New(Options{BaseURL: testURL})
	for _, address := range published {
		path, anchor, _ := strings.Cut(address, "#")
		doc, ok := s.Doc(strings.TrimPrefix(path, "/docs/"))
		if !ok || !slices.Contains(ids(doc), anchor) {
			t.Errorf("%s leads nowhere", address)
		}
	}
}

// TestMovedSectionsLeadOn expects each moved section's anchor once on its old page, in an entry with a link to the new place, and the
// new place.
func TestMovedSectionsLeadOn(t *testing.T) {
	s := New(Options{Demo: true, BaseURL: testURL})
	for from, target := range moved() {
		page, anchor, isSection := strings.Cut(from, "#")
		if !isSection {
			continue // a removed page
		}
		old, ok := s.Doc(page)
		if !ok {
			t.Errorf("there is no page %s", page)
			continue
		}
		_, after, _ := strings.Cut(string(old.HTML), ` id="`+anchor+`"`)
		if link, _, _ := strings.Cut(after, "</a>"); strings.Count(link, "<a ") > 1 || !strings.Contains(link, `href="`+docPath(target)+`"`) {
			t.Errorf("%s does not lead to %s", from, target)
		}
		name, place, _ := strings.Cut(target, "#")
		if doc, ok := s.Doc(name); !ok || place != "" && !slices.Contains(ids(doc), place) {
			t.Errorf("%s leads to %s, which is not there", from, target)
		}
		all := ids(old)
		slices.Sort(all)
		if once := slices.Compact(slices.Clone(all)); len(once) != len(all) {
			t.Errorf("%s has an anchor twice: %v", page, all)
		}
	}
}
