package wire

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1/refusal"
)

// A body is read in two steps. First the JSON library says whether it is well-formed: one value in UTF-8, with the members of
// each object named once. Then bind.go reads it by the library's decoder, which meets no errors any more.

// checkText is nil if a body is well-formed JSON that does not nest too deep. text is the body as a string.
func checkText(body []byte, text string) error {
	if deeperThan(text, maxDepth) {
		return refusal.Newf(refusal.MalformedJSON, "", "The body nests deeper than %d levels.", maxDepth)
	}
	if jsontext.Value(body).IsValid() {
		return nil
	}
	// The reason is found token by token, whose errors have the positions that callers know.
	tokens := jsontext.NewDecoder(bytes.NewBuffer(body))
	err := tokens.SkipValue()
	if err == nil {
		if _, err = tokens.ReadToken(); err == nil {
			return refusal.Newf(refusal.MalformedJSON, "", "The body holds more than one JSON value.")
		}
	}
	return malformed(err, body)
}

// deeperThan counts brackets outside strings, in one pass, before any other code reads the text.
func deeperThan(text string, limit int) bool {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = stringEnd(text, i) - 1
		case '{', '[':
			if depth++; depth > limit {
				return true
			}
		case '}', ']':
			depth--
		}
	}
	return false
}

// stringEnd is the position behind the string that begins at a position of a text: the end of the text if it is not closed.
func stringEnd(text string, from int) int {
	for at := from + 1; at < len(text); {
		quote := strings.IndexByte(text[at:], '"')
		if quote < 0 {
			return len(text)
		}
		escape := strings.IndexByte(text[at:at+quote], '\\')
		if escape < 0 {
			return at + quote + 1
		}
		at += escape + 2
	}
	return len(text)
}
