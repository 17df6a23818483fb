package wire

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1/refusal"
)

// A body is read in two steps. First the JSON library says whether it is well-formed: one value in UTF-8, with the members of
// each object named once. Then a scanner finds its tokens. It can be simple and fast, because it is only used on text that is
// well-formed: it finds where tokens end and checks nothing.

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

// scanner finds the tokens of well-formed JSON.
type scanner struct {
	text string
	at   int
}

// peek goes to the next token and returns its first byte, '0' for a number, and 0 at the end. Colons and commas are no tokens.
func (s *scanner) peek() byte {
	for ; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case ' ', '\n', '\r', '\t', ',', ':':
		case '-', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			return '0'
		default:
			return c
		}
	}
	return 0
}

// token reads a token: a bracket, or a value that is neither an object nor an array.
func (s *scanner) token() string {
	kind, from := s.peek(), s.at
	switch kind {
	case '{', '}', '[', ']':
		s.at++
	case '"':
		s.at = stringEnd(s.text, from)
	default:
		for s.at < len(s.text) && strings.IndexByte(" \n\r\t,:}]", s.text[s.at]) < 0 {
			s.at++
		}
	}
	return s.text[from:s.at]
}

// value reads a value as it is spelled.
func (s *scanner) value() string {
	s.peek()
	from := s.at
	for depth := 0; ; {
		switch s.token()[0] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth == 0 {
			return s.text[from:s.at]
		}
	}
}

// unquote is the text of a string token, which shares the memory of the token if there is nothing to unescape. The buffer is
// for the other case, and is returned for the next one.
func unquote(token string, buffer []byte) (string, []byte) {
	if strings.IndexByte(token, '\\') < 0 {
		return token[1 : len(token)-1], buffer
	}
	buffer, _ = jsontext.AppendUnquote(buffer[:0], token)
	return string(buffer), buffer
}
