package guide

import (
	"cmp"
	"slices"
	"strings"

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

// ignoredWords say nothing about a call, in a question such as "how to close an item". The script of the index has them from its form.
const ignoredWords = "a an and by can do for from how i in is it my of on or the to what when where with"

// plural is a word in the plural. Its singular is a part of it, which is what a search looks for.
var plural = pattern.Late(`^([a-z]{2,}?)(ies|[^s]s)$`)

// Matches says whether the section about a call has all words of a question, in any case of letters. A word may be a part of a longer one,
// or its plural.
func (c *Call) Matches(question string) bool {
	has, ignored := c.SearchWords(), strings.Fields(ignoredWords)
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(question)), func(word string) bool {
		if found := plural().FindStringSubmatch(word); found != nil {
			word = found[1] + strings.TrimSuffix(strings.TrimSuffix(found[2], "ies"), "s")
		}
		return !slices.Contains(ignored, word) && !strings.Contains(has, word)
	})
}
