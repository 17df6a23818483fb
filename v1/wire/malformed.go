package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1/refusal"
)

// This file says what is wrong with a body that is not JSON, in the words of the mistakes that people and programs make.

// malformed is the refusal of a body in which the library met a syntax error.
func malformed(err error, body []byte) error {
	var syntax *jsontext.SyntacticError
	switch {
	case len(body) == 0 || errors.Is(err, io.EOF):
		return refusal.Newf(refusal.MalformedJSON, "", "The body is empty.")
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return refusal.Newf(refusal.MalformedJSON, "", "The body names %q twice.", Printable(syntax.JSONPointer.LastToken()))
	case errors.As(err, &syntax):
		return refusal.Newf(refusal.MalformedJSON, "", "The body is not valid JSON at byte %d%s.", syntax.ByteOffset, found(body, int(syntax.ByteOffset), err))
	default:
		return refusal.Newf(refusal.MalformedJSON, "", "The body is not valid JSON.")
	}
}

// beginnings are what a body begins with that is something else, or not only JSON.
var beginnings = []struct{ with, message string }{
	{"\xef\xbb\xbf", "it begins with a byte order mark, which JSON does not have: save or send the text without it"},
	{"\xff\xfe", "it is in UTF-16: send it in UTF-8"},
	{"\xfe\xff", "it is in UTF-16: send it in UTF-8"},
	{"\x1f\x8b", "it is compressed: send it uncompressed"},
	{"<", "it is XML or HTML"},
	{"--", "it is a form in parts: send JSON"},
	{"@", "it begins with @, as if a tool should have read a file: check the command"},
}

// mistakes are texts that JSON does not have, or not outside of quotes.
var mistakes = []struct{ text, message string }{
	{"'", `there is a single quote ('), and JSON wants double quotes (")`},
	{"`", "there is a backquote (`), and JSON wants double quotes (\")"},
	{"“", `there is a typographic quote (“), and JSON wants straight double quotes (")`},
	{"”", `there is a typographic quote (”), and JSON wants straight double quotes (")`},
	{"„", `there is a typographic quote („), and JSON wants straight double quotes (")`},
	{"‟", `there is a typographic quote (‟), and JSON wants straight double quotes (")`},
	{"‘", `there is a typographic quote (‘), and JSON wants straight double quotes (")`},
	{"’", `there is a typographic quote (’), and JSON wants straight double quotes (")`},
	{"‚", `there is a typographic quote (‚), and JSON wants straight double quotes (")`},
	{"«", `there is a typographic quote («), and JSON wants straight double quotes (")`},
	{"»", `there is a typographic quote (»), and JSON wants straight double quotes (")`},
	{"″", `there is a double prime (″), and JSON wants straight double quotes (")`},
	{"//", "there is a comment, and JSON has none"},
	{"/*", "there is a comment, and JSON has none"},
	{"#", "there is a comment, and JSON has none"},
	{"\\\"", `there is a quote with a backslash outside of a text: the body was quoted once too often`},
	{"\u00a0", "there is a no-break space outside of a text"},
	{"\ufeff", "there is a byte order mark, which JSON does not have"},
	{";", "there is a semicolon, and JSON wants commas"},
	{"=", "there is an equals sign, and JSON wants a colon between a name and its value"},
	{"(", "there is a round bracket, and JSON has none"},
	{"...", "there are three dots, as if something were left out"},
	{"…", "there are three dots, as if something were left out"},
}

// words are values of other languages, in small letters, with those of JSON.
var words = map[string]string{
	"nan": "a text in quotes or null", "infinity": "a text in quotes or null", "inf": "a text in quotes or null",
	"true": "true", "false": "false", "null": "null", "none": "null", "nil": "null", "undefined": "null",
}

// found says what stands at the position of a syntax error, empty if it is nothing that has a name.
func found(body []byte, at int, err error) string {
	for _, b := range beginnings {
		if bytes.HasPrefix(body, []byte(b.with)) {
			return ": " + b.message
		}
	}
	if bytes.IndexByte(body[:min(len(body), 4)], 0) >= 0 {
		return ": it is in UTF-16 or UTF-32: send it in UTF-8"
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return ", where it ends: a bracket or a quote is not closed"
	}
	if first, ok := firstValue(body); ok && first <= at {
		return ": there is more behind the value"
	}
	rest := string(body[at:])
	for _, m := range mistakes {
		if strings.HasPrefix(rest, m.text) {
			return ": " + m.message
		}
	}
	return foundThere(body, at, rest)
}

// firstValue is the end of the first value of a body, if that is well-formed.
func firstValue(body []byte) (end int, ok bool) {
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	err := decoder.SkipValue()
	return int(decoder.InputOffset()), err == nil
}

// foundThere is found for what depends on what stands before the position.
func foundThere(body []byte, at int, rest string) string {
	if rest == "" {
		return ""
	}
	before := bytes.TrimRight(body[:at], " \t\r\n")
	switch first, _ := utf8.DecodeRuneInString(rest); {
	case first == ',':
		if next := strings.TrimLeft(rest[1:], " \t\r\n"); next != "" && (next[0] == '}' || next[0] == ']') {
			return ": there is a comma before " + next[:1] + ", and JSON has none after the last value"
		}
		return ": there is a comma without a value before it"
	case first >= '0' && first <= '9' && len(before) == at && strings.HasSuffix(string(before), "0"), first == '+', first == '.':
		return ": there is a number that JSON does not have, such as 01, +1 or .5: write amounts as texts in quotes"
	case strings.ContainsRune(`"{[0123456789`, first) && len(before) > 0 && strings.IndexByte("{[,:", before[len(before)-1]) < 0:
		return ": a comma or a colon is missing before it"
	case first == utf8.RuneError:
		return ": the text is not UTF-8"
	case first < ' ':
		return ": there is a control character such as a line break, which a text has as \\n or \\u0000 with its number"
	case strings.HasPrefix(rest, `\u`):
		return `: there is a \u without the four digits of a character, or with half of one`
	case first == '\\':
		return ": there is a backslash that JSON does not know: write it as \\\\"
	case first == '-' || unicode.IsLetter(first):
		return foundWord(body, at)
	}
	return ""
}

// foundWord is found for a word without quotes.
func foundWord(body []byte, at int) string {
	inWord := func(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-' }
	from, to := at, at
	for from > 0 && inWord(body[from-1]) {
		from--
	}
	for to < len(body) && inWord(body[to]) {
		to++
	}
	word := string(body[from:to])
	if known, ok := words[strings.ToLower(strings.TrimPrefix(word, "-"))]; ok && word != known {
		return ": there is " + word + ", and JSON wants " + known
	}
	if next := bytes.TrimLeft(body[to:], " \t"); from == 0 && bytes.HasPrefix(next, []byte("=")) {
		return ": it looks like a form: send JSON"
	}
	return ": there is text without quotes, and JSON wants texts and names in double quotes (\")"
}
