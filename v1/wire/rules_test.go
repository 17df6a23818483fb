package wire

import (
	"reflect"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/refusal"
)

// ruled is an object with every kind of rule.
type ruled struct {
	Title    Opt[string] `json:"title" validate:"min=1,max=12,notblank,oneline,plaintext"`
	Name     string      `json:"name" validate:"required,min=2,max=4"`
	Choice   Opt[string] `json:"choice" validate:"omitnil,oneof=a bc co.uk"`
	Quoted   Opt[string] `json:"quoted" validate:"omitnil,oneof='a b' c"`
	Clock    Opt[string] `json:"clock" validate:"omitnil,clock"`
	Country  Opt[string] `json:"country" validate:"omitnil,iso3166_1_alpha2"`
	Mail     Opt[string] `json:"mail" validate:"omitnil,email,max=20"`
	Count    Opt[int]    `json:"count" validate:"omitnil,min=1,max=50"`
	Days     Opt[int]    `json:"days" validate:"omitnil,oneof=7 10 -3"`
	Total    int         `json:"total" validate:"required"`
	Pictures []string    `json:"pictures" validate:"images=2"`
	Entries  []int       `json:"entries" validate:"min=1,max=3"`
	Price    Opt[Money]  `json:"price" validate:"omitnil"`
}

func TestRulesThatTheLibraryIsNotAskedAbout(t *testing.T) {
	want := map[string]bool{
		"title": true, "name": true, "choice": true, "quoted": false, "clock": true, "country": false, "mail": false,
		"count": true, "days": true, "total": true, "pictures": true, "entries": true,
	}
	got := map[string]bool{}
	for _, f := range ruleFieldsOf(reflect.TypeFor[ruled]()) {
		if f.rules != "" {
			got[f.name] = f.checked
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields whose rules are all functions (-want +got):\n%s", diff)
	}
}

// FuzzRules compares the verdict of the functions with the library's.
func FuzzRules(f *testing.F) {
	for _, seed := range []string{
		"", " ", "a", "bc", "a b", "co.uk", "FR", "fr", "23:59", "24:00", "x@example.com", "<b", "a<b", "a < b", "</", "<!", "é", "ééééééééééé", "éééééééééééé",
		"éééééééééééééé", "a\nb", "\t", "\u00a0", "\u200b", "\u200e", "\u202e", "\u2028", "\u2066", "\u061c", "\x7f", "\u0085", "\xff", "\xff\xff\xff", "🙂🙂🙂🙂🙂🙂", "'a b'", "abcdefghijklm",
	} {
		for _, n := range []int{0, 1, 3, -3, 7, 50, 51} {
			f.Add(seed, n, uint8(n))
		}
	}
	f.Fuzz(func(t *testing.T, text string, n int, entries uint8) {
		in := ruled{
			Title: Some(text), Name: text, Choice: Some(text), Quoted: Some(text), Clock: Some(text), Country: Some(text), Mail: Some(text),
			Count: Some(n), Days: Some(n), Total: n, Pictures: make([]string, entries%8), Price: Some(Money{Amount(n), Currency(text)}),
		}
		if entries < 128 {
			in.Entries = make([]int, entries%6)
		}
		value := reflect.ValueOf(&in).Elem()
		compareWithLibrary(t, ruleFieldsOf(value.Type()), value)
	})
}

// compareWithLibrary asks the library about each field whose rules are functions.
func compareWithLibrary(t *testing.T, fields []ruleField, v reflect.Value) {
	t.Helper()
	for i := range fields {
		f := &fields[i]
		value := v.Field(f.index)
		if f.optional {
			value = value.Field(0)
		}
		switch {
		case f.inner != nil:
			compareWithLibrary(t, f.inner, value)
		case f.checked:
			if broken := brokenRules(value.Interface(), f.rules); f.holds(value) != (broken == nil) {
				t.Fatalf("%s: %v keeps its rules: %t, the library says that it breaks %v", f.name, value, f.holds(value), broken)
			}
		}
	}
}

// TestCharactersThatMislead compares the ranges with the properties of Unicode. Of the characters that control directions,
// the three marks stand for a letter of a direction and change no text around them.
func TestCharactersThatMislead(t *testing.T) {
	for r := range rune(unicode.MaxRune + 1) {
		mark := r == '\u200e' || r == '\u200f' || r == '\u061c'
		want := unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) && !mark
		if misleads(r) != want {
			t.Errorf("%U misleads: %t, want %t", r, !want, want)
		}
	}
}

func TestMissingFieldsBreakTheirRules(t *testing.T) {
	var problems refusal.Problems
	CheckRules(&ruled{}, "", &problems)
	var got []string
	for _, problem := range problems.Entries() {
		got = append(got, string(problem.Code)+" "+problem.Field)
	}
	if diff := cmp.Diff([]string{"missing_field title", "missing_field name", "missing_field total", "too_short entries"}, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}
