package languages

import "sellerd/internal/base/pattern"

// ScriptQuery asks for a script in the language that follows.
const ScriptQuery = "?lang="

// literal finds the texts of a script: what stands in quotes, without line breaks and escapes.
var literal = pattern.Late("'[^'\\n\\\\]*'|`[^`\\n\\\\]*`")

// Script is a script whose texts for readers are in the language: the literals that are phrases of scripts as a whole. What they have in
// ${…} stays.
func (l Language) Script(source []byte) []byte {
	return literal().ReplaceAllFunc(source, func(quoted []byte) []byte {
		if text, ok := scripts().Say(l.Code, string(quoted[1:len(quoted)-1])); ok {
			return []byte("`" + text + "`")
		}
		return quoted
	})
}
