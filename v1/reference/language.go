package reference

import (
	"cmp"
	"slices"

	"golang.org/x/text/language"

	"sellerd/internal/base/each"
	"sellerd/internal/base/weigh"
)

// languageMatcher has the Languages in their order.
var languageMatcher = language.NewMatcher([]language.Tag{
	language.English, language.French, language.German, language.Italian,
	language.Spanish, language.Dutch,
})

// longestLanguages is the longest Accept-Language that is read, in bytes: a longer one is not worth the time.
const longestLanguages = 1000

// PreferredLanguage is the one of Languages that suits an Accept-Language header best (RFC 9110, section 12.5.4). It is the
// first of them for a header that is empty, cannot be read, or names none of them.
func PreferredLanguage(header string) string {
	if header == "" || len(header) > longestLanguages {
		return Languages[0]
	}
	var wanted []language.Tag
	for _, name := range languageRanges(header) {
		if name == "*" { // any language will do, the first of ours as well
			break
		}
		tags, _, err := language.ParseAcceptLanguage(name)
		if err == nil { // of a language that exists
			wanted = append(wanted, tags...)
		}
	}
	_, i, confidence := languageMatcher.Match(wanted...)
	if confidence == language.No {
		return Languages[0]
	}
	return Languages[i]
}

// languageRanges are the ranges of Accept-Language without their weights, the most wanted first. A header with a malformed element has
// none.
func languageRanges(header string) []string {
	type weighted struct {
		name   string
		weight float64
	}
	var all []weighted
	for name, weight := range weigh.List(header) {
		if weight < 0 {
			return nil
		}
		if weight > 0 {
			all = append(all, weighted{name, weight})
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	return each.Of(all, func(w weighted) string { return w.name })
}
