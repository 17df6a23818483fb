package scan

import (
	"net/url"
	"slices"
	"strings"
	"unicode"

	"sellerd/translate"
)

// This file compares the segments of a path with those of the tables.

// segment is a part of a path.
type segment struct {
	text string
	at   int
}

// segmentsOf splits a path at its slashes. Empty parts are left out, but for one at the end.
func segmentsOf(path string) (segments []segment) {
	from := 0
	for i := 0; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if i > from || i == len(path) && len(segments) > 0 {
			segments = append(segments, segment{path[from:i], from})
		}
		from = i + 1
	}
	return segments
}

// withoutBase removes the parts at the beginning that only a running program knows.
func (m *matcher) withoutBase(segments []segment, found *matched) []segment {
	for len(segments) > 0 {
		first := segments[0]
		size := holeAt(first.text)
		if size == 0 {
			break
		}
		if size < len(first.text) { // the host ends with a slash: {base}item/4711
			segments[0] = segment{first.text[size:], first.at + size}
			break
		}
		segments = segments[1:]
	}
	return segments
}

// holeAt returns the size of the hole or the placeholder at the beginning of a part, 0 for none.
func holeAt(text string) int {
	n := 0
	for n < len(text) && text[n] == mark {
		n++
	}
	if n > 0 {
		return n
	}
	switch {
	case strings.HasPrefix(text, "{{"):
		if end := strings.Index(text, "}}"); end > 0 {
			return end + 2
		}
	case strings.HasPrefix(text, "{"):
		if end := strings.IndexByte(text, '}'); end > 0 {
			return end + 1
		}
	case strings.HasPrefix(text, "${"):
		if end := strings.IndexByte(text, '}'); end > 0 {
			return end + 1
		}
	case text != "" && text[0] == '%':
		if size, _, _ := placeholder(text); size > 0 {
			return size
		}
	}
	return 0
}

// underRoot returns the parts after rest, or all when there is no such part.
func (m *matcher) underRoot(segments []segment, found *matched) []segment {
	for i := range segments {
		if segments[i].text == translate.Root && i+1 < len(segments) {
			found.root = true
			return segments[i+1:]
		}
	}
	return segments
}

// compare finds the patterns of a path.
func (m *matcher) compare(segments []segment, found *matched) bool {
	if !m.first[segments[0].text] {
		return false
	}
	if last := segments[len(segments)-1]; last.text == "" {
		found.open = true
		if len(segments) == 1 {
			return false
		}
	}
	best := ""
	var loose, looser []*translate.Plan // a hole stands for a literal part; and a literal text for a part with any text
	for i := range m.routes {
		r := &m.routes[i]
		if len(r.parts) != len(segments) {
			continue
		}
		score, guesses, filled := "", 0, 0
		for j, part := range r.parts {
			text := segments[j].text
			switch {
			case strings.HasPrefix(part, "{"):
				if !fits(part, text) {
					score = "-"
				} else {
					score += "a"
					if !isWholeHole(text) {
						filled++
					}
				}
			case part == text:
				score += "b"
			case j > 0 && isWholeHole(text):
				guesses++
				score += "b"
			default:
				score = "-"
			}
			if strings.HasPrefix(score, "-") {
				break
			}
		}
		switch {
		case strings.HasPrefix(score, "-"):
		case guesses > 0 && filled > 0:
			looser = append(looser, r.plans...)
		case guesses > 0:
			loose = append(loose, r.plans...)
			if best == "" {
				found.level = max(found.level, r.level)
			}
		case score > best:
			best, found.plans, found.level = score, r.plans, r.level
		}
	}
	if len(loose) == 0 {
		loose = looser
	}
	if len(loose) > 4 {
		loose = likelyOf(loose, found.holes)
	}
	if best == "" && len(loose) > 0 && len(loose) <= 8 && !found.open {
		found.plans, found.several = loose, true
		return true
	}
	return best != ""
}

// likelyOf returns the calls that the names of the holes in a path speak for, nil for none.
func likelyOf(plans []*translate.Plan, holes []string) (likely []*translate.Plan) {
	for _, plan := range plans {
		parts := strings.Split(strings.TrimPrefix(plan.Pattern, "/"+translate.Root+"/"), "/")
		speaks := len(parts) == len(holes)
		for i := 0; speaks && i < len(parts); i++ {
			_, form := translate.FormFields(parts[i])
			switch isType := containsAny(holes[i], "type", "kind", "sale", "format", "mode", "auction", "sort", "channel"); {
			case form || strings.Contains(parts[i], "_type"):
				speaks = isType
			case strings.HasPrefix(parts[i], "{"):
				speaks = !isType && containsAny(holes[i], "id", "item", "nr", "num", "no", "ref", "lot")
			}
		}
		if speaks && len(parts) > 2 {
			likely = append(likely, plan)
		}
	}
	return likely
}

// containsAny says whether a text contains one of some words.
func containsAny(text string, words ...string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// isWholeHole says whether a part is a hole and nothing else.
func isWholeHole(text string) bool { return text != "" && holeAt(text) == len(text) }

// fits says whether a text can be the part of a path that a pattern names.
func fits(part, text string) bool {
	if text == "" || isWholeHole(text) {
		return true
	}
	if strings.HasPrefix(text, ":") && nameBytes(text[1:]) == len(text)-1 || strings.HasPrefix(text, "<") || strings.HasPrefix(text, "$") || strings.HasPrefix(text, "@") {
		return true
	}
	switch name := strings.Trim(part, "{}"); {
	case name == "sale_type":
		_, ok := translate.FormFields(text)
		return ok
	case strings.HasPrefix(name, "id_"):
		if u, err := url.PathUnescape(text); err == nil {
			text = u
		}
		holes := strings.IndexByte(text, mark) >= 0
		for _, r := range text {
			if !unicode.IsDigit(r) && r != mark {
				return isUpperName(text) && !holes
			}
		}
		return true
	default:
		return !strings.HasSuffix(text, ".php") && !strings.HasSuffix(text, ".html")
	}
}

// isUpperName says whether a text stands for a number: ITEM_ID, XXX.
func isUpperName(text string) bool {
	for i := range len(text) {
		if c := text[i]; c != '_' && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return len(text) > 1
}
