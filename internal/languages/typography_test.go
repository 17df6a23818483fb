package languages

import (
	"regexp"
	"testing"
)

func TestFrenchIsSetAsPrintersDo(t *testing.T) {
	for text, want := range map[string]string{
		"Une clé : la vôtre ; « oui » ?":              "Une clé\u202f: la vôtre\u202f; «\u202foui\u202f»\u202f?",
		"`a ? b : c` et ${x ? 1 : 2} !":               "`a ? b : c` et ${x ? 1 : 2}\u202f!",
		"[ici](/docs/a ?b) :":                         "[ici](/docs/a ?b)\u202f:",
		"https://x.test:8443 à 12:30 reste tel quel.": "https://x.test:8443 à 12:30 reste tel quel.",
	} {
		if got := set("fr", text); got != want {
			t.Errorf("%q is set as %q, want %q", text, got, want)
		}
	}
	if got := set("de", "so : nicht"); got != "so : nicht" {
		t.Errorf("German is set as %q", got)
	}
}

// TestFrenchTextsLackNoSpace looks for signs of two parts that follow a letter at once.
func TestFrenchTextsLackNoSpace(t *testing.T) {
	quoted := regexp.MustCompile(`"[^"]*"|«[^»]*»`) // what programs compare, in English
	lacking := regexp.MustCompile(`[\pL)»][;!?»]|[\pL)»]:(\s|$)|[ \x{00a0}][:;!?»]`)
	for _, p := range append(book().All(), scripts().All()...) {
		said := quoted.ReplaceAllString(untouched().ReplaceAllString(p.In["fr"], "x"), "x")
		if found := lacking.FindString(said); found != "" {
			t.Errorf("%q is in French %q: look at %q", p.English, p.In["fr"], found)
		}
	}
}
