package reference

import (
	"slices"
	"strings"
	"unicode"
)

// maxWordBytes is how much of a word is indexed and compared.
const maxWordBytes = 40

// Words are the distinct search words of some texts: runs of letters and digits in lower case and without accents, of at most 40
// bytes.
func Words(texts ...string) []string {
	var out []string
	for _, text := range texts {
		for _, word := range strings.FieldsFunc(Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			if len(word) > maxWordBytes {
				word = strings.ToValidUTF8(word[:maxWordBytes], "")
			}
			if !slices.Contains(out, word) {
				out = append(out, word)
			}
		}
	}
	return out
}
