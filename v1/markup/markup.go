// Package markup makes the HTML of descriptions safe. What may stay is an allow-list of a library. The package itself
// balances the elements, and does without the library for simple texts, which most descriptions are.
package markup

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

const (
	// MaxText is how many characters of text a description may have. See Check.
	MaxText = 10_000
	// MaxLength is how many characters it may have in all, with tags. Sanitize makes a text at most 12 times as long: that much is
	// a character of four bytes in the address of a link. So whatever has at most MaxText characters, tags included, is accepted.
	MaxLength = 12 * MaxText
)

// Sanitize removes every tag that is not on the allow-list, and balances the rest: each element is closed, inside the element
// in which it was opened, and nothing is closed that was not opened. A < that begins no tag stays as text. What it returns, it
// returns unchanged when it gets it again.
func Sanitize(text string) string {
	if safe, simple := balance(text, simpleTag); simple {
		return safe
	}
	safe, _ := balance(policy.Sanitize(escapeText(text)), libraryTag)
	return safe
}

// Same says whether two descriptions differ at most in how their quotes are written. Earlier releases kept them as entities, and /rest
// shows them so.
func Same(a, b string) bool { return a == b || quotes.Replace(a) == quotes.Replace(b) }

var quotes = strings.NewReplacer("&#39;", "'", "&#34;", `"`)

// Check says what is too long about a description: its text, or all of it. Zero is neither, else it is the limit. Text is
// what remains without tags, and an entity such as &amp; is one character of it. So a description fits again as it is read,
// however much longer the tags and entities have made it.
func Check(text string) (limit int) {
	if len(text) <= MaxText || utf8.RuneCountInString(text) <= MaxText {
		return 0
	}
	safe := Sanitize(text)
	switch {
	case max(utf8.RuneCountInString(text), utf8.RuneCountInString(safe)) > MaxLength:
		return MaxLength
	case textLength(safe) > MaxText:
		return MaxText
	default:
		return 0
	}
}

// textLength is the number of characters between the tags of a sanitised text.
func textLength(safe string) (n int) {
	for safe != "" {
		text, rest, _ := strings.Cut(safe, "<")
		n += utf8.RuneCountInString(html.UnescapeString(text))
		_, safe, _ = strings.Cut(rest, ">")
	}
	return n
}

// simpleTag reads the tag with which a text begins if it is simple: in small letters, without attributes, on the allow-list
// without any. It returns the tag as the library spells it, and its length in the text, which is 0 for all other tags.
func simpleTag(text string) (tag string, length int) {
	const longest = len("</blockquote>")
	end := strings.IndexByte(text[:min(len(text), longest)], '>')
	if end < 0 {
		return "", 0
	}
	tag = text[:end+1]
	name, closing := strings.CutPrefix(text[1:end], "/")
	if empty, cut := strings.CutSuffix(name, "/"); cut && !closing {
		name = strings.TrimSuffix(empty, " ")
		if name != empty {
			tag = "<" + name + "/>"
		}
	}
	if !staysAlone(name) {
		return "", 0
	}
	return tag, end + 1
}

// staysAlone says whether an element is on the allow-list without attributes, and what it holds is read as ordinary HTML.
// The list is shorter than the library's: it has what people write by hand.
func staysAlone(element string) bool {
	switch element {
	case "p", "br", "hr", "div", "b", "i", "u", "s", "em", "strong", "small", "center", "sub", "sup", "strike",
		"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "blockquote", "pre", "code",
		"table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td":
		return true
	default:
		return false
	}
}

// libraryTag reads the tag with which a text of the library begins. In its attributes, the library escapes what could end them.
func libraryTag(text string) (tag string, length int) {
	length = strings.IndexByte(text, '>') + 1
	return strings.ReplaceAll(text[:length], "&#39;", "'"), length
}

// policy is the allow-list of HTML in descriptions: text, lists, tables, links and pictures, but no scripts, forms or styles.
// It is that of the library for what users write, with the elements of old pages, and without image maps and the attributes
// id and name: these would name parts of the page that shows the description. Links have rel attributes so that they pass on neither
// reputation nor the reader's address.
var policy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowStandardURLs()
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)

	p.AllowAttrs("dir").Matching(bluemonday.Direction).Globally()
	p.AllowAttrs("lang").Matching(regexp.MustCompile(`[a-zA-Z]{2,20}`)).Globally()
	p.AllowAttrs("title").Matching(bluemonday.Paragraph).Globally()

	p.AllowElements("article", "aside", "figure", "section", "summary", "h1", "h2", "h3", "h4", "h5", "h6", "hgroup", "br", "div", "hr", "p",
		"span", "wbr")
	p.AllowElements("abbr", "acronym", "cite", "code", "dfn", "em", "figcaption", "mark", "s", "samp", "strong", "sub", "sup", "var",
		"b", "i", "pre", "small", "strike", "tt", "u", "bdi", "bdo", "rp", "rt", "ruby", "font", "center", "big")
	p.AllowAttrs("open").Matching(regexp.MustCompile(`(?i)^(|open)$`)).OnElements("details")
	p.AllowAttrs("cite").OnElements("blockquote", "q")
	p.AllowAttrs("cite").Matching(bluemonday.Paragraph).OnElements("del", "ins")
	p.AllowAttrs("datetime").Matching(bluemonday.ISO8601).OnElements("time", "del", "ins")
	p.AllowAttrs("href").OnElements("a")
	p.AllowAttrs("value", "min", "max", "low", "high", "optimum").Matching(bluemonday.Number).OnElements("meter")
	p.AllowAttrs("value", "max").Matching(bluemonday.Number).OnElements("progress")
	p.AllowLists()
	p.AllowTables()
	p.AllowImages()
	return p
}()
