package server

import "strings"

// This file reads the header Forwarded (RFC 7239, section 4): elements with commas between them, each of pairs with
// semicolons between them, each of a name and a token or a text in quotes.

// elementsOf are the hops of Forwarded. A line is read up to its first mistake, which counts as a hop without an address:
// after an open quote, for example, the elements that a trusted proxy appended cannot be recognised.
func elementsOf(lines []string) (hops []hop) {
	for _, line := range lines {
		for line = skipSpace(line); line != ""; line = skipSpace(line) {
			if line[0] == ',' { // an empty element
				line = line[1:]
				continue
			}
			element, rest, ok := readElement(line)
			if !ok {
				hops = keepLast(hops, hop{})
				break
			}
			hops = keepLast(hops, element)
			line = rest
		}
	}
	return hops
}

// readElement reads one element and returns what follows it: nothing, or a comma and more. A name that counts stands once.
func readElement(text string) (element hop, rest string, ok bool) {
	for rest = text; ; rest = rest[1:] {
		var name, value string
		if name, value, rest, ok = readPair(skipSpace(rest)); !ok {
			return hop{}, "", false
		}
		rest = skipSpace(rest)
		switch place := element.place(name); {
		case place != nil && *place != "":
			return hop{}, "", false
		case place != nil:
			*place = value
		}
		switch {
		case rest == "" || rest[0] == ',':
			return element, rest, true
		case rest[0] != ';':
			return hop{}, "", false
		}
	}
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

// readPair reads name=value. The value is a token, or a text in quotes, in which a backslash takes the next byte as it is.
// Tokens may hold more characters than the RFC allows: an address with its port is accepted without quotes.
func readPair(text string) (name, value, rest string, ok bool) {
	name, rest, ok = strings.Cut(text, "=")
	if !ok || name == "" || strings.ContainsAny(name, " \t\",;") {
		return "", "", "", false
	}
	if !strings.HasPrefix(rest, `"`) {
		end := strings.IndexAny(rest, " \t\",;=")
		if end < 0 {
			end = len(rest)
		}
		return name, rest[:end], rest[end:], end > 0
	}
	var b strings.Builder
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '"':
			return name, b.String(), rest[i+1:], true
		case '\\':
			if i++; i == len(rest) {
				return "", "", "", false
			}
		}
		b.WriteByte(rest[i])
	}
	return "", "", "", false
}

func skipSpace(text string) string { return strings.TrimLeft(text, " \t") }
