package markup

import (
	"slices"
	"strings"
)

// This file finds the signs < that people write as text: "9<x<14", "<anna@example.com>". A browser reads a tag from each < before a
// letter on, and drops what it does not know, or all the rest if no > follows. Here, only a whole tag of an element of HTML is one.

// elements are the names of HTML, with those of old pages. What follows <xmp> and <plaintext> is text to a browser, and so are these here.
var elements = setOf(`
	a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big blink blockquote body br button canvas
	caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset figcaption figure font
	footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins isindex kbd keygen label legend
	li link listing main map mark marquee math menu menuitem meta meter multicol nav nextid nobr noembed noframes noscript object ol
	optgroup option output p param picture portal pre progress q rb rbc rp rt rtc ruby s samp script search section select slot
	small source spacer span strike strong style sub summary sup svg table tbody td template textarea tfoot th thead time title tr track
	tt u ul var video wbr`)

// prefixes are those of elements that word processors and XML add, such as <o:p>, without digits at their end.
var prefixes = setOf("a m ns o p pic st svg u v w wp x xml xsl")

// alone are the attributes that are written without a value. Other words behind a name are text: "<title unknown>".
var alone = setOf(`
	allowfullscreen alt async autofocus autoplay border checked class compact contenteditable controls declare default defer disabled
	download draggable formnovalidate hidden href id inert ismap itemscope loop multiple muted name nohref nomodule noresize noshade
	novalidate nowrap open playsinline readonly required reversed selected src style title`)

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

const (
	blanks = " \t\n\f\r"

	// patience is how often in all a text is looked through in vain. Only a text that is made for it needs more; of such a text,
	// the rest stays as it is.
	patience = 16
)

// escapeText writes as &lt; what begins no tag.
func escapeText(text string) string {
	var out strings.Builder
	kept, vain := 0, 0
	foreign := "" // svg or math, whose elements have other names
	for at := strings.IndexByte(text, '<'); at >= 0 && vain <= patience*len(text); {
		name, length, whole := readTag(text[at:], foreign != "")
		if whole {
			switch {
			case name == "svg" || name == "math":
				foreign = name
			case foreign != "" && name == "/"+foreign:
				foreign = ""
			}
		} else {
			vain += length
			out.WriteString(text[kept:at])
			out.WriteString("&lt;")
			kept, length = at+1, 1
		}
		next := strings.IndexByte(text[at+length:], '<')
		if next < 0 {
			break
		}
		at += length + next
	}
	if kept == 0 {
		return text
	}
	out.WriteString(text[kept:])
	return out.String()
}

// readTag reads a tag, a comment or the like. It returns how much it has read, even if there is none. In the name of an end tag, it
// leaves the slash.
func readTag(text string, foreign bool) (name string, length int, whole bool) {
	rest := text[1:]
	switch {
	case strings.HasPrefix(rest, "!--"):
		return readUntil(text, "-->", len("<!"))
	case hasWord(rest, "!doctype"), strings.HasPrefix(rest, "!["), hasWord(rest, "?xml"), hasWord(rest, "?php"), strings.HasPrefix(rest, "/>"):
		return readUntil(text, ">", 1)
	case strings.HasPrefix(rest, "?"):
		end := strings.IndexAny(rest, "<>")
		return "", 1 + max(end, 0) + 1, end > 1 && rest[end] == '>' && rest[end-1] == '?'
	}
	slash := ""
	if closing, ok := strings.CutPrefix(rest, "/"); ok {
		slash, rest = "/", strings.TrimLeft(closing, blanks)
	}
	name = rest
	if end := strings.IndexAny(rest[:min(len(rest), longestName)], blanks+"/><"); end >= 0 {
		name = rest[:end]
	} else {
		return "", longestName, false
	}
	attributes := len(text) - len(rest) + len(name)
	name = strings.ToLower(name)
	if !isElement(name, foreign) {
		return "", attributes, false
	}
	length, whole = readAttributes(text[attributes:])
	return slash + name, attributes + length, whole
}

const longestName = 40

func readUntil(text, end string, from int) (name string, length int, whole bool) {
	i := strings.Index(text[from:], end)
	if i < 0 {
		return "", len(text), false
	}
	return "", from + i + len(end), true
}

// hasWord says whether a text begins with a word, in letters of either case.
func hasWord(text, word string) bool {
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word)
}

func isElement(name string, foreign bool) bool {
	prefix, local, prefixed := strings.Cut(name, ":")
	if prefixed {
		return local != "" && isName(local) && prefixes[strings.TrimRight(prefix, "0123456789")]
	}
	return elements[name] || foreign && name != "" && isName(name) && name != "xmp" && name != "plaintext"
}

// isName says whether a text is a letter, and letters, digits and marks of names.
func isName(text string) bool {
	return 'a' <= text[0] && text[0] <= 'z' && strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""
}

// readAttributes reads what stands behind a name up to the > that ends the tag.
func readAttributes(text string) (length int, whole bool) {
	var (
		words  []string
		values bool
	)
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '>':
			return i + 1, values || !slices.ContainsFunc(words, func(word string) bool { return !standsAlone(word) })
		case c == '<':
			return i, false
		case c == '/' || strings.IndexByte(blanks, c) >= 0:
			i++
		case c == '=':
			values = true
			i = len(text) - len(strings.TrimLeft(text[i+1:], blanks))
			if i == len(text) || text[i] != '"' && text[i] != '\'' {
				i += wordLength(text[i:], blanks+"<>")
				continue
			}
			end := strings.IndexByte(text[i+1:], text[i])
			if end < 0 {
				return len(text), false
			}
			i += 1 + end + 1
		default:
			n := wordLength(text[i:], blanks+"<>=/")
			if words = append(words, text[i:i+n]); len(words) > len(alone) {
				return i, false
			}
			i += n
		}
	}
	return len(text), false
}

func wordLength(text, ends string) int {
	if end := strings.IndexAny(text, ends); end >= 0 {
		return end
	}
	return len(text)
}

// standsAlone says whether an attribute may be written without a value. Those that run scripts may.
func standsAlone(word string) bool {
	word = strings.ToLower(word)
	return alone[word] || len(word) >= len("onload") && strings.HasPrefix(word, "on")
}
