package wire

import (
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"sellerd/v1/refusal"
)

// ruled is an object with every kind of rule.
type ruled struct {
	Title    Opt[string]  `json:"title" validate:"min=1,max=12,notblank,oneline,plaintext"`
	Name     string       `json:"name" validate:"required,min=2,max=4"`
	Choice   Opt[string]  `json:"choice" validate:"omitnil,oneof=a bc co.uk"`
	Clock    Opt[string]  `json:"clock" validate:"omitnil,clock"`
	Country  Opt[string]  `json:"country" validate:"omitnil,iso3166_1_alpha2"`
	Mail     Opt[string]  `json:"mail" validate:"omitnil,email,max=20"`
	Count    Opt[int]     `json:"count" validate:"omitnil,min=1,max=50"`
	Part     Opt[float64] `json:"part" validate:"omitnil,min=0,max=100"`
	Days     Opt[int]     `json:"days" validate:"omitnil,oneof=7 10 -3"`
	Total    int          `json:"total" validate:"required"`
	Pictures []string     `json:"pictures" validate:"images=2"`
	Entries  []int        `json:"entries" validate:"min=1,max=3"`
	Price    Opt[Money]   `json:"price" validate:"omitnil"`
}

// TestEachRule breaks one rule at a time, and two at once, of which the first is reported.
func TestEachRule(t *testing.T) {
	right := func() ruled {
		return ruled{
			Title: Some("Stamp"), Name: "abc", Choice: Some("co.uk"), Clock: Some("20:30"), Country: Some("FR"), Mail: Some("x@example.com"),
			Count: Some(50), Days: Some(-3), Total: 1, Pictures: make([]string, 2), Entries: make([]int, 3),
		}
	}
	for name, test := range map[string]struct {
		change func(*ruled)
		want   string
	}{
		"nothing":              {func(*ruled) {}, ""},
		"an empty text":        {func(in *ruled) { in.Title = Some("") }, "too_short title: must not be empty"},
		"a long text":          {func(in *ruled) { in.Title = Some("ééééééééééééé") }, "too_long title: must have at most 12 characters"},
		"blanks":               {func(in *ruled) { in.Title = Some("\u00a0 \u200b") }, "too_short title: must not be blank"},
		"a line end":           {func(in *ruled) { in.Title = Some("a\nb") }, "invalid_value title: must be a single line without control characters"},
		"a bidi override":      {func(in *ruled) { in.Title = Some("a\u202eb") }, "invalid_value title: must be a single line without control characters"},
		"markup":               {func(in *ruled) { in.Title = Some("a<b") }, "html_not_allowed title: must be plain text without markup"},
		"less than":            {func(in *ruled) { in.Title = Some("a < b") }, ""},
		"two rules":            {func(in *ruled) { in.Title = Some("<b>\n<b>\n<b>\n<b>\n") }, "too_long title: must have at most 12 characters"},
		"no name":              {func(in *ruled) { in.Name = "" }, "missing_field name: is required"},
		"another choice":       {func(in *ruled) { in.Choice = Some("b") }, "invalid_value choice: must be one of: a, bc, co.uk"},
		"no choice":            {func(in *ruled) { in.Choice = Opt[string]{} }, ""},
		"24 hours":             {func(in *ruled) { in.Clock = Some("24:00") }, "invalid_value clock: must be a time of day such as 20:30"},
		"a country in letters": {func(in *ruled) { in.Country = Some("fr") }, "invalid_value country: must be an ISO 3166-1 code such as FR"},
		"no country":           {func(in *ruled) { in.Country = Some("EU") }, "invalid_value country: must be an ISO 3166-1 code such as FR"},
		"no address":           {func(in *ruled) { in.Mail = Some("example.com") }, "invalid_value mail: must be an email address"},
		"a long address":       {func(in *ruled) { in.Mail = Some("somebody@example.invalid") }, "too_long mail: must have at most 20 characters"},
		"few":                  {func(in *ruled) { in.Count = Some(0) }, "out_of_range count: must be at least 1"},
		"many":                 {func(in *ruled) { in.Count = Some(51) }, "out_of_range count: must be at most 50"},
		"a part":               {func(in *ruled) { in.Part = Some(99.5) }, ""},
		"more than all":        {func(in *ruled) { in.Part = Some(100.5) }, "out_of_range part: must be at most 100"},
		"another number":       {func(in *ruled) { in.Days = Some(3) }, "invalid_value days: must be one of: 7, 10, -3"},
		"no total":             {func(in *ruled) { in.Total = 0 }, "missing_field total: is required"},
		"many pictures":        {func(in *ruled) { in.Pictures = make([]string, 3) }, "too_many_images pictures: must have at most 2 images"},
		"no entries":           {func(in *ruled) { in.Entries = nil }, "too_short entries: must have at least 1 entry"},
		"many entries":         {func(in *ruled) { in.Entries = make([]int, 4) }, "too_long entries: must have at most 3 entries"},
	} {
		t.Run(name, func(t *testing.T) {
			in := right()
			test.change(&in)
			var problems refusal.Problems
			CheckRules(&in, "", &problems)
			got := ""
			for _, problem := range problems.Entries() {
				got += string(problem.Code) + " " + problem.Field + ": " + problem.Message
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAddressesOfMail(t *testing.T) {
	want := map[string]bool{
		"x@example.com": true, "first.last+tag@sub.example.co.uk": true, "o'neill@example.fr": true, "üser@exämple.de": true, "a_b-c@xn--exmple-cua.com": true,
		"1@2.com": true, "x@example.xn--p1ai": true, "x@उदाहरण.भारत": true, "x@example.рф": true,
		`"john doe"@example.com`: true, `"john.doe"@example.com`: true,

		"": false, "x": false, "x@": false, "@example.com": false, "x@localhost": false, "x@example..com": false, "x@-example.com": false, "x@example.com.": false,
		"x y@example.com": false, "X <x@example.com>": false, "x@example.com, y@example.com": false, "x@exa_mple.com": false, "x@[192.0.2.1]": false,
		"x@192.0.2.1": false, ".x@example.com": false, "x@example.com\n": false, " x@example.com": false, "x@example.com (X)": false, `"a" "b"@example.com`: false, `"\"@example.com`: false,
	}
	got := map[string]bool{}
	for text := range want {
		got[text] = isEmail(text)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("addresses (-want +got):\n%s", diff)
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
