package site

import (
	"regexp"

	"sellerd/internal/base/pattern"
)

// The colours of code. A page shows what is a comment, a text or a name; it compiles nothing. So one pattern for each language is enough, and
// costs some kilobytes, where a library with a grammar for each costs more than a megabyte of the program.

// token is a piece of code with the class of its colour, which is empty for plain code.
type token struct{ class, text string }

// The patterns of the languages. Each alternative has the class of its colour as its name; the first that matches counts.
const (
	quoted   = `"(?:[^"\\]|\\.)*"`
	single   = `'(?:[^'\\]|\\.)*'`
	numbers  = `|\b(?P<number>\d+(?:\.\d+)?)\b`
	calls    = `|\b(?P<call>[A-Za-z_]\w*)\(`
	cComment = `(?P<comment>(?m://.*$)|(?s:/\*.*?\*/))`
)

// grammars are the patterns, by the language. pattern.Late compiles each when it is first used.
var grammars = map[string]func() *regexp.Regexp{
	"sh": pattern.Late(`(?s)(?:^|\s)(?P<comment>#[^\n]*)|(?P<text>'[^']*'|"(?:[^"\\]|\\.)*")|(?P<variable>\$\{[^}]*\}|\$[\w?@#!$]+|\b[A-Z_][A-Z_0-9]*=)` +
		`|\s(?P<option>--?[A-Za-z][\w-]*)` +
		`|\b(?P<keyword>for|in|do|done|if|then|else|fi|while|until|break|case|esac|export|set)\b`),
	"powershell": pattern.Late(`(?P<comment>(?m:#.*$))|(?P<text>"[^"]*"|'[^']*')|(?P<variable>\$\w+)|\s(?P<option>-[A-Za-z]+)`),
	"php": pattern.Late(cComment + `|(?P<comment>(?m:#.*$))|(?s:(?P<text>` + quoted + `|` + single + `))|(?P<variable>\$\w+)` +
		`|\b(?P<keyword>abstract|array|as|break|case|catch|class|const|continue|declare|do|echo|else|elseif|exit|false|finally|fn|for|foreach|function` +
		`|global|if|instanceof|match|namespace|new|null|or|and|private|protected|public|readonly|require|require_once|return|static|string|int|bool` +
		`|switch|throw|true|try|use|void|while|yield)\b` + numbers + calls),
	"js": pattern.Late(cComment + "|(?s:(?P<text>" + quoted + "|" + single + "|`(?:[^`\\\\]|\\\\.)*`))" +
		`|\b(?P<keyword>async|await|break|case|catch|class|const|continue|default|do|else|export|extends|false|finally|for|from|function|if|import|in` +
		`|instanceof|let|new|null|of|return|static|switch|this|throw|true|try|typeof|undefined|while|yield)\b` + numbers + calls),
	"python": pattern.Late(`(?P<comment>(?m:#.*$))|(?s:(?P<text>\b[rbf]{0,2}(?:"""(?:.*?)"""|` + quoted + `|` + single + `)|"""(?:.*?)"""|` + quoted + `|` + single + `))` +
		`|\b(?P<keyword>and|as|assert|async|await|break|class|continue|def|del|elif|else|except|False|finally|for|from|global|if|import|in|is|lambda` +
		`|None|not|or|pass|raise|return|True|try|while|with|yield)\b` + numbers + calls),
	"go": pattern.Late(cComment + "|(?P<text>" + quoted + "|" + single + "|`[^`]*`)" +
		`|\b(?P<keyword>break|case|chan|const|continue|default|defer|else|error|false|for|func|go|if|import|interface|map|nil|package|range|return` +
		`|select|string|struct|switch|true|type|var|any|bool|byte|int)\b` + numbers + calls),
	"json": pattern.Late(`(?P<variable>` + quoted + `)\s*:|(?P<text>` + quoted + `)|\b(?P<keyword>true|false|null)\b` + numbers),
	"xml":  pattern.Late(`(?s)(?P<comment><!--.*?-->)|(?P<keyword></?[\w:]+|/?>)|(?P<variable>[\w:]+)=|(?P<text>"[^"]*")`),
	"sql":  pattern.Late(`(?i)(?P<comment>(?m:--.*$))|(?P<text>'[^']*')|\b(?P<keyword>select|from|where|and|or|not|in|join|on|order|by|group|limit|insert|into|values|update|set|delete|as|with)\b` + numbers),
}

// colours are the pieces of code, which together are the source.
func colours(language, source string) (tokens []token) {
	grammar, ok := grammars[language]
	if !ok {
		return []token{{"", source}}
	}
	from := 0
	for _, match := range grammar().FindAllStringSubmatchIndex(source, -1) {
		for group, name := range grammar().SubexpNames() {
			if group == 0 || match[2*group] < 0 {
				continue
			}
			tokens = append(tokens, token{"", source[from:match[2*group]]}, token{name, source[match[2*group]:match[2*group+1]]})
			from = match[2*group+1]
		}
	}
	return append(tokens, token{"", source[from:]})
}
