// Package languages shows the pages of the site in other languages than English. Pages are made in English. A page in another language is
// made of the finished English page: each text is looked up among the phrases of the folder texts, and what is around the texts, such as
// ids and code, stays. So a template or a page of docs is written once, and old anchors arrive in every language.
package languages

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"sellerd/internal/base/pattern"
	"sellerd/internal/base/phrases"
	"sellerd/v1/refusal"
)

// Language is a language in which the site has pages.
type Language struct {
	Code    string // as in RFC 5646
	Name    string // in itself
	Endings string // letters at the end of a word by which its forms differ
}

// English is the language in which all pages are made. It decides.
var English = Language{Code: "en", Name: "English"}

// Others are the other languages, in the order of the switch.
var Others = []Language{
	{"fr", "Français", "erxs"}, {"de", "Deutsch", "enrs"}, {"it", "Italiano", "aeios"}, {"es", "Español", "aeors"}, {"nl", "Nederlands", "ens"},
}

// Named is the language with a code. ok is false for English and for unknown codes.
func Named(code string) (l Language, ok bool) {
	i := slices.IndexFunc(Others, func(l Language) bool { return l.Code == code })
	if i < 0 {
		return English, false
	}
	return Others[i], true
}

// inAll are the pages that exist in every language. An entry that ends in a slash stands for all pages below it.
var inAll = []string{
	"/", "/docs/start", "/errors", "/errors/", "/search", "/migration", "/migration/",
	"/docs/keys", "/docs/authentication", "/docs/errors", "/docs/webhooks", "/docs/webhook-events", "/docs/webhook-receiver", "/docs/webhook-security",
	"/docs/signatures", "/docs/webhook-retries", "/docs/webhook-deliveries", "/docs/webhook-recovery", "/docs/event-feed", "/account",
}

// Has says whether the page at an English path exists in the other languages. Files, such as a page in Markdown, exist in English alone.
func Has(page string) bool {
	return path.Ext(page) == "" && slices.ContainsFunc(inAll, func(entry string) bool {
		return page == entry || len(entry) > 1 && strings.HasSuffix(entry, "/") && strings.HasPrefix(page, entry) && page != entry
	})
}

// Path is where the page at an English path is in the language.
func (l Language) Path(page string) string {
	if l == English {
		return page
	}
	return "/" + l.Code + page
}

//go:embed texts/*.txt
var files embed.FS

// book has the phrases of all pages, and scripts those of scripts. They are read for the first page in another language.
var (
	book = sync.OnceValue(func() *phrases.Book {
		return mustRead(func(name string) bool { return name != namesFile && name != scriptsFile })
	})
	scripts = sync.OnceValue(func() *phrases.Book { return mustRead(func(name string) bool { return name == scriptsFile }) })
)

// namesFile has the texts that are the same in all languages, one a line. scriptsFile has those of scripts.
const (
	namesFile   = "texts/names.txt"
	scriptsFile = "texts/scripts.txt"
)

// mustRead reads some of the files.
func mustRead(wanted func(name string) bool) *phrases.Book {
	texts := map[string]string{}
	found, _ := fs.Glob(files, "texts/*.txt") // the pattern is well formed
	for _, name := range found {
		if wanted(name) {
			text, _ := files.ReadFile(name) // which is there
			texts[name] = string(text)
		}
	}
	all, err := phrases.Read(texts)
	if err != nil {
		panic(fmt.Sprintf("read the texts of the pages: %v", err)) // a mistake in the program
	}
	for _, p := range all.All() {
		for code := range p.In {
			p.In[code] = set(code, p.In[code])
		}
	}
	return all
}

// names are the texts that are the same in all languages.
var names = sync.OnceValue(func() map[string]bool {
	text, _ := files.ReadFile(namesFile)
	all := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "# ") {
			all[line] = true
		}
	}
	return all
})

// Say is an English text in the language: of the pages, or a message of an error. ok is false if there is no translation; then it is the
// English text.
func (l Language) Say(english string) (text string, ok bool) {
	if l == English || names()[english] {
		return english, true
	}
	if text, ok := book().Say(l.Code, english); ok {
		return text, true
	}
	message := refusal.Errors{{Message: english}}
	said, spoken := message.In(l.Code)
	return set(spoken, said[0].Message), spoken == l.Code
}

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

// narrow is the space that French has before signs of two parts, within its quotation marks and in numbers. No line breaks at it.
const narrow = "\u202f"

// setting replaces ordinary spaces in a French text by these. The texts are written with ordinary spaces.
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
