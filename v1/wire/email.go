package wire

import (
	"net/mail"
	"regexp"
	"strings"
	"unicode"
)

// quoted is a part before the @ between quotation marks.
var quoted = regexp.MustCompile(`^"[^"\\[:cntrl:]]+"$`)

// isEmail says whether a text is an address (RFC 5322, addr-spec) at a domain with a dot, as a mail server on the internet has one.
func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	if err != nil {
		return false
	}
	at := strings.LastIndexByte(text, '@')
	if address.Address != text && !quoted.MatchString(text[:at]) { // with a name or brackets
		return false
	}
	labels := strings.Split(text[at+1:], ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if !isLabel(label) {
			return false
		}
	}
	last := []rune(labels[len(labels)-1])
	return !unicode.IsDigit(last[0]) && !unicode.IsDigit(last[len(last)-1]) // a top-level domain such as com, or xn--p1ai
}

// isLabel says whether a text is one part of a domain (RFC 5890): letters with their marks, digits, and hyphens between them.
func isLabel(text string) bool {
	for _, r := range text {
		if r != '-' && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return false
		}
	}
	return text != "" && text[0] != '-' && text[len(text)-1] != '-'
}
