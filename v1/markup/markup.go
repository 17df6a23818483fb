// Package markup makes the HTML of descriptions safe. What may stay is an allow-list of a library; this package adds a way
// to the same result for simple texts, which most descriptions are.
package markup

import (
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
)

// policy is the allow-list of HTML in descriptions: text, lists, tables, links and pictures, but no scripts, forms or styles.
// Links have rel attributes so that they pass on neither reputation nor the reader's address.
var policy = func() *bluemonday.Policy {
	p := bluemonday.UGCPolicy()
	p.RequireNoReferrerOnLinks(true)
	p.RequireNoFollowOnLinks(true)
	p.AllowElements("font", "center", "u", "small", "big")
	return p
}()

// Sanitize removes everything that is not on the allow-list, and returns the rest in the spelling of the library.
func Sanitize(text string) string {
	if safe, simple := sanitizeSimple(text); simple {
		return safe
	}
	return policy.Sanitize(text)
}

// sanitizeSimple is Sanitize for text whose tags are all simple: in small letters, without attributes, on the allow-list.
// Such tags stay, in any order, and what is between them becomes text. It reports whether the text was of that kind. The
// library takes ten times as long; a test compares the two.
func sanitizeSimple(text string) (safe string, simple bool) {
	var (
		out  strings.Builder
		kept int // how much of the text out has. As long as nothing changes, out is empty
	)
	replace := func(from, to int, with string) {
		if text[from:to] != with {
			if out.Len() == 0 {
				out.Grow(len(text) + len(text)/8)
			}
			out.WriteString(text[kept:from])
			out.WriteString(with)
			kept = to
		}
	}
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '<'); i >= 0 {
			end = at + i
		}
		if i := strings.IndexAny(text[at:end], "&<>'\"\r\x00"); i >= 0 {
			if strings.ContainsAny(text[at+i:end], "\r\x00") {
				return "", false
			}
			replace(at+i, end, html.EscapeString(html.UnescapeString(text[at+i:end])))
		}
		if end == len(text) {
			break
		}
		tag, length := simpleTag(text[end:])
		if length == 0 {
			return "", false
		}
		at = end + length
		replace(end, at, tag)
	}
	if kept == 0 {
		return text, true
	}
	out.WriteString(text[kept:])
	return out.String(), true
}

// simpleTag is the simple tag with which a text begins, as the library spells it, and its length in the text. The length is
// 0 if there is none.
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
