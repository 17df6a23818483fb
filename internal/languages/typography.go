package languages

import (
	"strings"

	"sellerd/internal/base/pattern"
)

// narrow is the space that French has before signs of two parts, within its quotation marks and in numbers. No line breaks at it.
const narrow = "\u202f"

// setting puts these spaces into a French text in the place of others. Whoever writes the texts types ordinary ones.
var setting = strings.NewReplacer(
	" :", narrow+":", " ;", narrow+";", " !", narrow+"!", " ?", narrow+"?", " »", narrow+"»", "« ", "«"+narrow,
	"\u00a0:", narrow+":", "\u00a0;", narrow+";", "\u00a0!", narrow+"!", "\u00a0?", narrow+"?", "\u00a0»", narrow+"»", "«\u00a0", "«"+narrow,
)

// set is a text as printers of its language set it. Code and the expressions of scripts stay as they are.
func set(code, text string) string {
	if code != "fr" {
		return text
	}
	var b strings.Builder
	from := 0
	for _, at := range untouched().FindAllStringIndex(text, -1) {
		b.WriteString(setting.Replace(text[from:at[0]]))
		b.WriteString(text[at[0]:at[1]])
		from = at[1]
	}
	b.WriteString(setting.Replace(text[from:]))
	return b.String()
}

// untouched are the parts of a text that are not set: code, the destinations of links, and the expressions of scripts.
var untouched = pattern.Late("`[^`]*`|\\]\\([^)]*\\)|\\$\\{[^}]*\\}")
