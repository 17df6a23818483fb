package site

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Words are how the words of a language are read. Those of English need no values.
type Words struct {
	Endings string   // letters at the end of a word by which its forms differ
	Ignored []string // words that say nothing
}

// shortest is how many letters of a word are no ending.
const shortest = 3

// names are the words of a text without their accents. A name such as item_has_bids, item.sold or closeItem is one word.
func names(text string) (names []string) {
	text = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	for _, name := range strings.FieldsFunc(text, func(r rune) bool { return !joins(r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if name = strings.Trim(name, "."); name != "" { // the end of a sentence
			names = append(names, name)
		}
	}
	return names
}

// WordsOfAddress are the words of an address, but not those that say nothing about a page.
func WordsOfAddress(path string) string {
	words := strings.FieldsFunc(path, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return strings.Join(slices.DeleteFunc(words, func(word string) bool {
		return slices.Contains([]string{"docs", "html", "md", "php", "index"}, word)
	}), " ")
}

// joins says whether a letter joins the parts of a name.
func joins(r rune) bool { return r == '_' || r == '.' }

// partsOf are the parts of a name in small letters. A capital letter after a small one begins a part.
func partsOf(name string) []string {
	var b strings.Builder
	small := false
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		small = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), joins)
}

// stems are the words of a text in small letters and in the singular. A name is there as a whole and as its parts.
func (w *Words) stems(text string) (stems []string) {
	for _, name := range names(text) {
		parts := partsOf(name)
		if len(parts) > 1 {
			for _, part := range parts {
				stems = append(stems, w.stem(part))
			}
		}
		stems = append(stems, w.stem(strings.ToLower(name)))
	}
	return stems
}

// stem is a word without what its forms differ in.
func (w *Words) stem(word string) string {
	if w.Endings == "" {
		return Stem(word)
	}
	begins := min(shortest, len(word))
	return word[:begins] + strings.TrimRight(word[begins:], w.Endings)
}

// Stem is a word without the ending of a plural in English, as far as its letters tell.
func Stem(word string) string {
	n := len(word)
	switch {
	case n > 4 && strings.HasSuffix(word, "ies"):
		return word[:n-3] + "y"
	case n > 4 && (strings.HasSuffix(word, "sses") || strings.HasSuffix(word, "xes") || strings.HasSuffix(word, "ches") || strings.HasSuffix(word, "shes")):
		return word[:n-2]
	case n > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		return word[:n-1]
	}
	return word
}

// meaningful are the words of a question, without those that say nothing, unless it has no others.
func (w *Words) meaningful(words []string) []string {
	kept := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return slices.Contains(StopWords, word) || slices.Contains(w.Ignored, word) })
	if len(kept) == 0 {
		return words
	}
	return kept
}

// nameKey is the same for names that have the same words.
func (w *Words) nameKey(name string) string {
	key := w.meaningful(w.stems(name))
	slices.Sort(key)
	return strings.Join(slices.Compact(key), " ")
}

// StopWords are in so many sentences that they say nothing about what is looked for.
var StopWords = strings.Fields("a about after an and any are as at be by can cannot did do does for from get have how i if in is it its just me my not of on or our please " +
	"something the their there this to use want was we what when where which who why will with without yet you your")

// alsoMeant has words that people use for what the pages call otherwise.
var alsoMeant = map[string][]string{
	"picture": {"image"}, "photo": {"image"}, "all": {"browse"},
	"relist": {"restart"}, "resell": {"restart"},
	"delete": {"close", "remove"}, "remove": {"close", "delete"}, "withdraw": {"close"}, "end": {"close"}, "unlist": {"close"},
	"listing": {"item"}, "product": {"item"}, "update": {"change"}, "stock": {"quantity"}, "failed": {"fail"}, "example": {"client"},
	"refused": {"rejected"}, "declined": {"rejected"},
	"order": {"sale"}, "customer": {"buyer"}, "parcel": {"tracking"}, "invoice": {"bill"},
}

//go:embed names.txt
var namesFile string

// otherNames are names by which people look for a page, beside its title: those of other services, and names of products. The
// keys are those of docs' files, operations' ids, errors' codes, and the paths of other pages.
var otherNames = sync.OnceValue(func() map[string]string {
	others := map[string]string{}
	for line := range strings.Lines(namesFile) {
		key, names, _ := strings.Cut(strings.TrimSpace(line), ": ")
		others[key] = names
	}
	return others
})

// OtherNames are the names by which people look for a page, beside its title. Its key is that of the table.
func OtherNames(key string) []string { return strings.Split(otherNames()[key], ", ") }
