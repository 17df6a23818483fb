package languages

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sellerd/internal/base/phrases"
)

// columns are the languages of the glossary's table, after English.
var columns = []string{"fr", "de", "it", "es", "nl"}

// term is a row of the glossary.
type term struct {
	english *regexp.Regexp
	in      map[string][]string // the beginnings of the words in each language, one of which a translation has
	word    string
}

// ambiguous are terms that are also words of everyday English, or parts of names: put on sale, store at once, Retry-After.
var ambiguous = []string{"answer", "member", "retry", "sale", "search", "store", "sunset", "limit", "reference", "status", "code", "operation"}

// named are names of headers and requests in the texts of errors, which are not marked as code there.
var named = regexp.MustCompile(`[A-Z][a-zA-Z]*(-[A-Z][A-Za-z]*)+|(GET|POST|PATCH|DELETE) /\S+|#\w+`)

// otherwise are texts that say a term in other words, because it is a verb there, or the value of a field.
var otherwise = map[string][]string{
	"answer":    {"`idParent` 0"},
	"auction":   {"`sale_type` in the path is", "`sale_type` in the path"},
	"bid":       {"The elements are those of both kinds", "Bids on one of your auctions", "The elements are those"},
	"delivery":  {"Every setting is a webhook", "Every setting is", "The reference and the OpenAPI"},
	"drill":     {"Lists your drills"},
	"member":    {"Pictures:"},
	"rating":    {"The item's address"},
	"reference": {"Reads of one object"},
	"request":   {"Cancels one of your sales", "Cancels one"},
	"seller":    {"Paste a request of the [old interface]", "Programs can send", "The old host"},
	"status":    {"A cancelled sale"},
}

// TestTranslationsHaveTheWordsOfTheGlossary looks for the beginnings of the words only, because languages inflect them.
func TestTranslationsHaveTheWordsOfTheGlossary(t *testing.T) {
	terms := glossary(t)
	for _, p := range book().All() {
		said := named.ReplaceAllString(notProse().ReplaceAllString(p.English, ""), "")
		for _, term := range terms {
			if !term.english.MatchString(said) || excepted(term.word, p) {
				continue
			}
			for language, text := range p.In {
				if !containsAny(strings.ToLower(text), term.in[language]) {
					t.Errorf("%q is in %s %q: %s is not there as %v", p.English, language, text, term.word, term.in[language])
				}
			}
			said = term.english.ReplaceAllString(said, "") // tracking number is not tracking
		}
	}
}

func excepted(word string, p *phrases.Phrase) bool {
	return slices.ContainsFunc(otherwise[word], func(beginning string) bool { return strings.HasPrefix(p.English, beginning) })
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// glossary reads the table, long terms first.
func glossary(t *testing.T) (terms []term) {
	t.Helper()
	page, err := os.ReadFile("../../docs/developer/glossary.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]term{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 1+len(columns) || slices.Contains(ambiguous, strings.TrimSpace(cells[0])) || strings.HasPrefix(cells[0], "---") || strings.Contains(cells[0], "English") {
			continue
		}
		word := strings.TrimSpace(cells[0])
		row := term{word: word, in: map[string][]string{}, english: regexp.MustCompile(`(?i)\b` + strings.TrimSuffix(word, "y") + `(s|es|y|ies)?\b`)}
		for i, language := range columns {
			for either := range strings.SplitSeq(cells[1+i], "/") {
				row.in[language] = append(row.in[language], stem(strings.ToLower(strings.TrimSpace(either))))
			}
		}
		rows[word] = row
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b term) int {
		if n := len(b.word) - len(a.word); n != 0 {
			return n
		}
		return strings.Compare(a.word, b.word)
	})
}

// stem is the beginning of the first word that inflection leaves: at least four letters of it, and all but the last two.
func stem(word string) string {
	first, _, _ := strings.Cut(word, " ")
	letters := []rune(first)
	return string(letters[:min(len(letters), max(min(4, len(letters)), len(letters)-2))])
}

// TestTranslationsAreWhole compares each translation with its English text: code, links, dates and values are in both. A translation may also
// mark a name as code that is a word in English, such as limit.
func TestTranslationsAreWhole(t *testing.T) {
	kept := regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)|\\{date\\}|</?[a-z]+>|\\$\\{[^}]*\\}")
	placeholder := regexp.MustCompile(`%(\[\d\])?[sdqvt]`)
	for _, book := range []*phrases.Book{book(), scripts()} {
		for _, p := range book.All() {
			for language, text := range p.In {
				want, got := kept.FindAllString(p.English, -1), kept.FindAllString(text, -1)
				for i := range want {
					want[i] = placeholder.ReplaceAllString(want[i], "%s")
				}
				for i := range got {
					got[i] = placeholder.ReplaceAllString(got[i], "%s")
				}
				got = slices.DeleteFunc(got, func(part string) bool { return part[0] == '`' && !slices.Contains(want, part) })
				slices.Sort(want)
				if missing := slices.DeleteFunc(slices.Compact(want), func(part string) bool { return slices.Contains(got, part) }); len(missing) > 0 {
					t.Errorf("%q is in %s %q: it lacks %q", p.English, language, text, missing)
				}
				if len(placeholder.FindAllString(text, -1)) != len(p.Verbs) {
					t.Errorf("%q is in %s %q: it has other values", p.English, language, text)
				}
				if _, known := Named(language); !known {
					t.Errorf("%q is in %q, which is no language of the site", p.English, language)
				}
			}
		}
	}
}
