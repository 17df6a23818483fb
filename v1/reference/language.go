package reference

import "golang.org/x/text/language"

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
	wanted, _, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return Languages[0]
	}
	_, i, confidence := languageMatcher.Match(wanted...)
	if confidence == language.No {
		return Languages[0]
	}
	return Languages[i]
}
