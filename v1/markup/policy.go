package markup

import (
	"regexp"

	"github.com/microcosm-cc/bluemonday"
)

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
