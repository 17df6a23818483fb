package server

import (
	"strings"

	"sellerd/internal/base/pattern"
)

// This file reads the header Forwarded (RFC 7239, section 4): elements with commas between them, each of pairs with
// semicolons between them, each of a name and a token or a text in quotes.

// forwardedPair is name=value with what follows it. The value is a token, or a text in quotes, in which a backslash takes the next
// character as it is. Tokens may hold more characters than the RFC allows: an address with its port is accepted without quotes.
var (
	forwardedPair   = pattern.Late(`^[ \t]*([^= \t",;]+)=(?:([^= \t",;]+)|"((?s:[^"\\]|\\.)*)")[ \t]*([,;]|$)`)
	forwardedEscape = pattern.Late(`(?s)\\(.)`)
)

// elementsOf are the hops of Forwarded. A line is read up to its first mistake, which counts as a hop without an address:
// after an open quote, for example, the elements that a trusted proxy appended cannot be recognised.
func elementsOf(lines []string) (hops []hop) {
	const between = " \t," // commas alone are empty elements
	for _, line := range lines {
		for line = strings.TrimLeft(line, between); line != ""; line = strings.TrimLeft(line, between) {
			var element hop
			element, line = readElement(line)
			hops = keepLast(hops, element)
		}
	}
	return hops
}

// readElement reads one element and returns what follows it, nothing after a mistake. A name that counts stands once.
func readElement(text string) (element hop, rest string) {
	for more := true; more; {
		pair := forwardedPair().FindStringSubmatch(text)
		if pair == nil {
			return hop{}, ""
		}
		text, more = text[len(pair[0]):], pair[4] == ";"
		if place := element.place(pair[1]); place != nil {
			if *place != "" {
				return hop{}, ""
			}
			*place = pair[2] + forwardedEscape().ReplaceAllString(pair[3], "$1")
		}
	}
	return element, text
}

// place is the field of the hop for a name, nil for names that are ignored.
func (h *hop) place(name string) *string {
	switch {
	case strings.EqualFold(name, "for"):
		return &h.node
	case strings.EqualFold(name, "proto"):
		return &h.proto
	}
	return nil
}
