package reference

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/language"
)

// languageMatcher has the Languages in their order.
var languageMatcher = language.NewMatcher([]language.Tag{
	language.English, language.French, language.German, language.Italian,
	language.Spanish, language.Dutch,
})

// longestLanguages is the longest Accept-Language that is read, in bytes: a longer one is not worth the time.
const longestLanguages = 1000

// languageRange is an element of Accept-Language: a range of languages, * for all, or one of them with a weight. A weight has at most
// three decimals (RFC 9110, section 12.4.2). Some programs send the names of locales, such as fr_FR.
var languageRange = regexp.MustCompile(`^([A-Za-z0-9*_-]+)(?:[ \t]*;[ \t]*[qQ]=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?$`)

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
	for element := range strings.SplitSeq(header, ",") {
		if element = strings.Trim(element, " \t"); element == "" {
			continue
		}
		parts := languageRange.FindStringSubmatch(element)
		if parts == nil {
			return nil
		}
		weight, _ := strconv.ParseFloat(cmp.Or(parts[2], "1"), 64) // the expression lets only numbers pass
		if weight > 0 {
			all = append(all, weighted{parts[1], weight})
		}
	}
	slices.SortStableFunc(all, func(a, b weighted) int { return cmp.Compare(b.weight, a.weight) })
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	return names
}
