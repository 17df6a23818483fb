package reference

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made is the reference of the document in the repository.
func made(t *testing.T) *Reference {
	t.Helper()
	document, err := os.ReadFile("../../v1/openapi/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	made, err := New(document)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// eachField calls do for each field of an operation, with the full path of the field.
func eachField(o *Operation, do func(path string, f *Field)) {
	var walk func(path string, fields []Field)
	walk = func(path string, fields []Field) {
		for i := range fields {
			at := path + "." + fields[i].Name
			do(at, &fields[i])
			walk(at, fields[i].Fields)
		}
	}
	for _, place := range o.Parameters {
		walk(o.ID+"?"+place.Name, place.Fields)
	}
	if o.Body != nil {
		walk(o.ID+" body", o.Body.Fields)
	}
	for _, a := range o.Answers {
		walk(o.ID+" "+a.Status, a.Fields)
	}
	walk(o.ID+" error", o.ErrorFields)
	walk(o.ID+" header", o.Headers)
}

// TestEveryFieldSaysWhatItIs wants a sentence for each member, parameter and header, and more than its name.
func TestEveryFieldSaysWhatItIs(t *testing.T) {
	said := func(text string) string {
		return strings.NewReplacer("_", " ", "the ", "", ".", "").Replace(strings.ToLower(text))
	}
	made(t).Each(func(o *Operation) {
		eachField(o, func(path string, f *Field) {
			switch {
			case !strings.Contains(f.Text, " "):
				t.Errorf("%s says %q", path, f.Text)
			case said(f.Text) == said(f.Name):
				t.Errorf("%s repeats its name: %q", path, f.Text)
			case !strings.HasSuffix(strings.TrimRight(f.Text, "`)"), "."):
				t.Errorf("%s is no sentence: %q", path, f.Text)
			}
		})
	})
}

// TestEverySentenceIsShown finds sentences about what the document no longer has.
func TestEverySentenceIsShown(t *testing.T) {
	var shown []string
	made(t).Each(func(o *Operation) {
		eachField(o, func(_ string, f *Field) {
			shown = append(shown, f.Text)
			for _, v := range f.Values {
				shown = append(shown, v.Text)
			}
		})
	})
	var idle []string
	for about, sentence := range texts() {
		if !slices.ContainsFunc(shown, func(text string) bool { return strings.HasPrefix(text, sentence) }) {
			idle = append(idle, about)
		}
	}
	slices.Sort(idle)
	if diff := cmp.Diff([]string(nil), idle); diff != "" {
		t.Errorf("these are never shown (-want +got):\n%s", diff)
	}
}
