package translate

import "strings"

// Markup is HTML, which /v1 sanitises and echoes. Answers of /rest have the quotes of a text as entities, as they always had.
var Markup = &Converter{
	Name: "HTML text", Law: Canonical, Example: [2]string{"<b>Mint</b>, &#34;never&#34; hinged", `<b>Mint</b>, "never" hinged`},
	Doc: "HTML on both sides; /v1 removes what its allow-list does not hold and shows what it kept. Quotes in a text may be sent as they are; answers have " +
		"them as &#34; and &#39;. In XML it is escaped, as every text is.",
	Anchor: "value-html", Becomes: "the same HTML, without what `/v1` does not allow",
	ToV1:         func(text string) (string, error) { return readQuotes(text), nil },
	AppendLegacy: appendQuotes,
}

// readQuotes reads the entities that appendQuotes writes. In an attribute, that of the double quote stays.
func readQuotes(html string) string {
	html = strings.ReplaceAll(html, "&#39;", "'")
	if !strings.Contains(html, "&#34;") {
		return html
	}
	var b strings.Builder
	for html != "" {
		text, tag := html, ""
		if start := strings.IndexByte(html, '<'); start >= 0 {
			text, tag = html[:start], html[start:]
			if end := strings.IndexByte(tag, '>'); end >= 0 {
				tag = tag[:end+1]
			}
		}
		b.WriteString(strings.ReplaceAll(text, "&#34;", `"`))
		b.WriteString(tag)
		html = html[len(text)+len(tag):]
	}
	return b.String()
}

// appendQuotes appends HTML with its quotes as entities. The double quotes around attributes stay.
func appendQuotes(b, html []byte) []byte {
	tag := false
	for _, c := range html {
		switch {
		case c == '\'':
			b = append(b, "&#39;"...)
		case c == '"' && !tag:
			b = append(b, "&#34;"...)
		default:
			tag = c == '<' || tag && c != '>'
			b = append(b, c)
		}
	}
	return b
}
