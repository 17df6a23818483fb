package wire

import (
	"net/mail"
	"strings"
	"unicode"
)

// isEmail says whether a text is an address (RFC 5322, addr-spec) at a domain with a dot, as a mail server on the internet has one.
func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	if err != nil || address.Address != text { // with a name or brackets
		return false
	}
	labels := strings.Split(text[strings.LastIndexByte(text, '@')+1:], ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if !isLabel(label) {
			return false
		}
	}
	return strings.IndexFunc(labels[len(labels)-1], unicode.IsDigit) < 0
}

// isLabel says whether a text is one part of a domain (RFC 5890): letters, digits, and hyphens between them.
func isLabel(text string) bool {
	for _, r := range text {
		if r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return text != "" && text[0] != '-' && text[len(text)-1] != '-'
}
