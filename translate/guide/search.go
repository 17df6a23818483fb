package guide

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"sellerd/internal/base/pattern"
)

// This file is the search over the calls. A script of the index does the same while the reader types.

// SearchWords returns the words by which a reader may search for the section: paths, names and values on both sides, codes, the
// texts of /rest that programs compare, and notes.
func (c *Call) SearchWords() string { return c.search }

func (c *Call) searchWords() string {
	words := []string{c.ID, c.Title, c.Legacy.Method, c.Legacy.Path}
	for _, step := range c.V1 {
		words = append(words, step.Method, step.Path)
	}
	for _, rows := range [][]Field{c.Fields, c.Elements} {
		for i := range rows {
			words = append(words, rows[i].Legacy, cmp.Or(rows[i].Path, rows[i].V1))
		}
	}
	for i := range c.Values {
		words = append(words, c.Values[i].Name)
		for _, pair := range c.Values[i].Pairs {
			words = append(words, pair.Legacy, pair.V1)
		}
	}
	for i := range c.Refusals {
		words = append(words, string(c.Refusals[i].Code), c.Refusals[i].Says)
	}
	for _, note := range c.Notes {
		words = append(words, strings.ReplaceAll(note, "`", ""))
	}
	seen := map[string]bool{}
	var once []string
	for _, word := range strings.Fields(strings.ToLower(strings.Join(words, " "))) {
		if !seen[word] {
			seen[word] = true
			once = append(once, word)
		}
	}
	return strings.Join(once, " ")
}

// in is the search in the language of readers, whose words find a call as well: those of its title and its notes.
func (c *Call) in(say func(english string) string) *Call {
	found := *c
	found.search += " " + withoutAccents(say(c.Title))
	for _, note := range c.Notes {
		found.search += " " + withoutAccents(strings.ReplaceAll(say(note), "`", ""))
	}
	return &found
}

// withoutAccents is a text in small letters, as readers type them. The script of the index does the same with a question.
func withoutAccents(text string) string {
	return accents().Replace(strings.ToLower(text))
}

// accents are letters with an accent and those without. They are made for the first search: programs that search nothing have none.
var accents = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer("à", "a", "á", "a", "â", "a", "ä", "a", "ç", "c", "è", "e", "é", "e", "ê", "e", "ë", "e", "ì", "i", "í", "i", "î", "i",
		"ï", "i", "ñ", "n", "ò", "o", "ó", "o", "ô", "o", "ö", "o", "ù", "u", "ú", "u", "û", "u", "ü", "u")
})

// IgnoredWords say nothing about a call, in a question such as "how to close an item". The script of the index has them from its form.
const IgnoredWords = "a an and by can do for from how i in is it my of on or the to what when where with"

// plural is a word in the plural. Its singular is a part of it, which is what a search looks for.
var plural = pattern.Late(`^([a-z]{2,}?)(ies|[^s]s)$`)

// Matches says whether the section about a call has all words of a question, in any case of letters. A word may be a part of a longer one,
// or its plural. Words that say nothing are ignored.
func (c *Call) Matches(question, ignoredWords string) bool {
	has, ignored := c.SearchWords(), strings.Fields(ignoredWords)
	return !slices.ContainsFunc(strings.Fields(withoutAccents(question)), func(word string) bool {
		if found := plural().FindStringSubmatch(word); found != nil {
			word = found[1] + strings.TrimSuffix(strings.TrimSuffix(found[2], "ies"), "s")
		}
		return !slices.Contains(ignored, word) && !strings.Contains(has, word)
	})
}
