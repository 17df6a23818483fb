package letter_test

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"sellerd/translate"
	"sellerd/translate/letter"
	"sellerd/v1"
)

var update = flag.Bool("update", false, "write the letters in testdata anew")

const baseURL = "https://api.example.com"

// before is a moment before the end, and after one behind it.
var (
	before = translate.Sunset.AddDate(0, 0, -180)
	after  = translate.Sunset.AddDate(0, 0, 20)
)

func newWriter(t *testing.T, now time.Time) *letter.Writer {
	t.Helper()
	table, err := translate.New()
	if err != nil {
		t.Fatal(err)
	}
	return letter.NewWriter(table, baseURL, now)
}

func at(day string) v1.Time {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return v1.TimeOf(t)
}

// active is a seller with two keys, one of them of the old interface, and with fields of every kind.
func active(language string) *v1.LegacySeller {
	s := &v1.LegacySeller{Language: language, State: v1.LegacyActive, LastUsedAt: at("2027-04-01")}
	s.Account.ID, s.Account.Nickname, s.Account.Email = 5001, "Zoë", "zoe@example.com"
	key := v1.LegacyLeft{LastUsedAt: at("2027-04-01"), State: v1.LegacyActive, Calls: []v1.LegacyLeftCall{
		{Call: "item-bulk", Count: 41, LastUsedAt: at("2027-04-01"), LossyFields: []string{"items[0][colour]", "items[0][fixed_price]", "items[1][colour]"}},
		{Call: "item-create", Count: 1, LastUsedAt: at("2027-03-11"), LossyFields: []string{"colour", "fixed_price"}},
		{Call: "item", LastUsedAt: at("2026-12-24"), LossyFields: []string{}},
	}}
	key.Key.Prefix, key.Key.Mode = "dk_live_7fK2pQ9xLm3A", "live"
	old := v1.LegacyLeft{LastUsedAt: at("2027-03-31"), State: v1.LegacyActive, Calls: []v1.LegacyLeftCall{
		{Call: "login", Count: 2, LastUsedAt: at("2027-03-31"), LossyFields: []string{}},
	}}
	old.Key.Prefix, old.Key.Mode = "legacy_0a0b0c0d0e0f", "test"
	s.Keys = []v1.LegacyLeft{key, old}
	return s
}

// silent is a seller who has not called for long.
func silent(language string) *v1.LegacySeller {
	s := active(language)
	s.State, s.LastUsedAt = v1.LegacySilent, at("2026-12-01")
	s.Keys = s.Keys[:1]
	s.Keys[0].State, s.Keys[0].LastUsedAt = v1.LegacySilent, at("2026-12-01")
	s.Keys[0].Calls = []v1.LegacyLeftCall{{Call: "item", LastUsedAt: at("2026-12-01"), LossyFields: []string{}}}
	return s
}

// TestLettersLookLikeThis compares whole letters, which are read in review.
func TestLettersLookLikeThis(t *testing.T) {
	for _, language := range letter.Languages {
		for name, c := range map[string]struct {
			seller *v1.LegacySeller
			now    time.Time
		}{
			"active": {active(language), before}, "silent": {silent(language), before}, "over": {active(language), after}, "silent_over": {silent(language), after},
		} {
			t.Run(language+" "+name, func(t *testing.T) {
				l, err := newWriter(t, c.now).Letter(c.seller)
				if err != nil {
					t.Fatal(err)
				}
				got := l.Subject + "\n\n" + l.Body
				golden := filepath.Join("testdata", language+"_"+name+".txt")
				if *update {
					if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(golden)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("(-golden +made), go test ./translate/letter -update writes it anew:\n%s", diff)
				}
			})
		}
	}
}

// facts are what a letter says in any language: addresses, requests, fields, keys and numbers.
var facts = regexp.MustCompile(`https://\S+|(?:GET|POST|PUT|PATCH|DELETE) /[^\s:\x{a0}]+|legacy_\w+|dk_\w+|/rest|/v1|\b\d+\b|[a-z_]+(?:\[\]\[?[a-z_.]*\]?)+\w*|X-Api-Key|Legacy-Drill: sunset`)

// TestTheLettersSayTheSameInEveryLanguage compares the facts. The links to the guide lead to it in the language of the letter.
func TestTheLettersSayTheSameInEveryLanguage(t *testing.T) {
	for name, seller := range map[string]func(string) *v1.LegacySeller{"active": active, "silent": silent} {
		for _, now := range []time.Time{before, after} {
			said := map[string][]string{}
			for _, language := range letter.Languages {
				l, err := newWriter(t, now).Letter(seller(language))
				if err != nil {
					t.Fatal(err)
				}
				body := strings.ReplaceAll(strings.Join(strings.Fields(l.Body), " "), "’", "'")
				if language != "en" {
					if strings.Contains(body, baseURL+translate.GuidePath+"/") {
						t.Errorf("in %s it leads to the English guide", language)
					}
					body = strings.ReplaceAll(body, baseURL+"/"+language+translate.GuidePath, baseURL+translate.GuidePath)
				}
				found := facts.FindAllString(body, -1)
				slices.Sort(found)
				said[language] = found
			}
			for _, language := range letter.Languages[1:] {
				if diff := cmp.Diff(unique(said["en"]), unique(said[language])); diff != "" {
					t.Errorf("%s at %s (-en +%s):\n%s", name, now, language, diff)
				}
			}
		}
	}
}

func unique(sorted []string) []string { return slices.Compact(slices.Clone(sorted)) }

func TestLinesAreShortButForAddresses(t *testing.T) {
	for _, language := range letter.Languages {
		l, err := newWriter(t, before).Letter(active(language))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.SplitSeq(l.Body, "\n") {
			if utf8.RuneCountInString(line) > 72 && !strings.Contains(line, "https://") && strings.Contains(strings.TrimSpace(line), " ") {
				t.Errorf("%s: %q", language, line)
			}
			if strings.HasSuffix(line, " ") || strings.Contains(line, "<no value>") {
				t.Errorf("%s: %q", language, line)
			}
		}
		if strings.Contains(l.Body, "\n\n\n") {
			t.Errorf("%s has two blank lines together", language)
		}
	}
}

func TestASellerOfAnotherLanguageIsWrittenToInEnglish(t *testing.T) {
	l, err := newWriter(t, before).Letter(active("pt"))
	if err != nil || l.Language != "en" || !strings.HasPrefix(l.Body, "Hello Zoë,") {
		t.Errorf("%v, in %s: %.40s", err, l.Language, l.Body)
	}
}

func TestACallThatThisReleaseDoesNotKnowIsNamed(t *testing.T) {
	seller := silent("en")
	seller.Keys[0].Calls[0].Call = "item-teleport"
	seller.Keys[0].Calls[0].LossyFields = []string{"", "[]", "where"}
	l, err := newWriter(t, before).Letter(seller)
	if err != nil || !strings.Contains(l.Body, "- item-teleport:") {
		t.Errorf("%v\n%s", err, l.Body)
	}
}

func TestFieldsThatAreNoNamesAreLeftOut(t *testing.T) {
	seller := silent("en")
	seller.Keys[0].Calls[0].LossyFields = []string{"", "[]", "images[3]", "images[4]"}
	seller.Keys[0].Calls[0].Call = "item-create"
	l, err := newWriter(t, before).Letter(seller)
	if err != nil || strings.Count(l.Body, "  - ") != 1 || !strings.Contains(l.Body, "  - images: becomes images") {
		t.Errorf("%v\n%s", err, l.Body)
	}
}

func TestWrapped(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("word ", 15))
	got := letter.Wrapped("One\ntwo.\n\n\n- " + long + "\n  " + long + "\n1. a\n   https://example.com/" + strings.Repeat("x", 80) + "\n")
	cut, rest := strings.TrimSpace(strings.Repeat("word ", 14)), "word"
	want := "One two.\n\n- " + cut + "\n  " + rest + "\n  " + cut + "\n  " + rest + "\n1. a\n   https://example.com/" + strings.Repeat("x", 80) + "\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
