package guide

import (
	"cmp"
	"slices"
	"strings"
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

// Matches says whether the section about a call has all words of a question, in any case of letters. A word may be a part of
// a longer one.
func (c *Call) Matches(question string) bool {
	has := c.SearchWords()
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(question)), func(word string) bool { return !strings.Contains(has, word) })
}
