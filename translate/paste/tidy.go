package paste

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"sellerd/internal/base/pattern"
)

// This file removes what people copy together with a request: fences of code, prompts, and the quotes and dashes of word
// processors.

const (
	commandNames = `(?:sudo|time|env|curl|wget|https?|xhs?|iwr|irm|[Ii]nvoke-\w+)(?:\.exe)?`
	cronTime     = `(?:[*\d][*\d/,-]*[ \t]+){5}`
	folderPrompt = `(?:PS )?[A-Za-z]:\\[^>\n]*>|PS(?: [^>\n]*)?>`
	hostPrompt   = `(?:\([\w.-]+\) )?\[?[\w.-]+@[\w.-]+[^\n$#%]*[$#%](?: |$)`
)

var (
	fence        = pattern.Late("(?ms)^[ \t]*(?:```|~~~)[^\n]*\n(.*?)\n?[ \t]*(?:```|~~~)[ \t]*$")
	quotedLines  = pattern.Late(`^(?:> ?.*(?:\n|$))+$`)
	quotation    = pattern.Late(`(?m)^> ?`)
	promptOfLine = pattern.Late(`(?m)^[ \t]*(?:` + folderPrompt + `|` + cronTime + `|` + hostPrompt + `|(?:[$%>❯➜λ]+[ \t]+)+|~?[ \t]*[»❯➜][ \t]+|#[ \t]+(?:(` + commandNames + `)[ \t]))`)
	joinedPrompt = pattern.Late("([\\\\^`][ \t]*\n)[ \t]*(?:>>?|More\\?)[ \t]")
	output       = pattern.Late(`(?m)^(?:<[?A-Z]|\{|HTTP/\d|[*] )`)
	tags         = pattern.Late(`(?i)</?(?:pre|code|span|p|br|div|kbd)\b[^>]*>`)
	spaces       = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u202f", " ", "\u2028", "\n", "\u200b", "", "\u2060", "", "\ufeff", "")
)

// tidy returns a paste without its surroundings.
func tidy(text string) string {
	text = strings.TrimSpace(spaces.Replace(text))
	if found := fence().FindAllStringSubmatch(text, -1); found != nil {
		text = ""
		for _, code := range found {
			text += code[1] + "\n"
		}
	}
	if strings.HasPrefix(text, "<") && tags().MatchString(text) {
		text = strings.TrimSpace(html.UnescapeString(tags().ReplaceAllString(text, "")))
	}
	if strings.Contains(text, "\n") && quotedLines().MatchString(text) {
		text = quotation().ReplaceAllString(text, "")
	}
	if inside := strings.Trim(text, "`"+roundDouble); !strings.ContainsAny(inside, "`"+roundDouble) {
		text = inside
	}
	text = joinedPrompt().ReplaceAllString(text, "$1")
	if at := promptOfLine().FindStringIndex(text); at != nil && at[0] == 0 {
		text = withoutOutput(text)
	}
	text = promptOfLine().ReplaceAllString(text, "$1 ")
	return strings.TrimSpace(straighten(text))
}

// withoutOutput returns a command without what it printed: from a line on that begins as answers do, outside of quotes.
func withoutOutput(text string) string {
	for _, at := range output().FindAllStringIndex(text, -1) {
		if before := text[:at[0]]; strings.Count(before, "'")%2 == 0 && strings.Count(before, `"`)%2 == 0 {
			return before
		}
	}
	return text
}

// The quotes of word processors, by the quote that was typed.
const (
	roundDouble = "“”„‟«»″"
	roundSingle = "‘’‚‛′"
)

// straighten replaces the quotes and dashes that word processors write in place of those that were typed. Inside of other quotes
// they are a part of the text.
func straighten(text string) string {
	if !strings.ContainsAny(text, roundDouble+roundSingle+"–—") {
		return text
	}
	var b strings.Builder
	closing := "" // the quotes that close the one that is open
	begins := "\n"
	for i, r := range text {
		after := text[i+utf8.RuneLen(r):]
		next, _ := utf8.DecodeRuneInString(after)
		opens := strings.Trim(begins, "=(:,[{@") == "" || strings.TrimSpace(begins) == ""
		switch {
		case closing != "":
			if strings.ContainsRune(closing, r) && begins != `\` && (len(closing) == 1 || !unicode.IsLetter(next)) {
				r = rune(closing[len(closing)-1])
				closing = ""
			}
		case r == '"' || r == '\'':
			closing = string(r)
		case opens && strings.ContainsRune(roundDouble, r):
			r, closing = '"', roundDouble+`"`
		case opens && strings.ContainsRune(roundSingle, r):
			r, closing = '\'', roundSingle+`'`
		case (r == '–' || r == '—') && (strings.TrimSpace(begins) == "" || begins == "-"):
			name := after[:len(after)-len(strings.TrimLeftFunc(after, unicode.IsLetter))]
			if begins != "-" && !strings.HasPrefix(after, "-") && len(name) > 1 && name[0] >= 'a' { // not a short option, and no parameter of PowerShell
				b.WriteByte('-')
			}
			r = '-'
		}
		b.WriteRune(r)
		begins = string(r)
	}
	return b.String()
}
