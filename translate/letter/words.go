package letter

import (
	"embed"
	"regexp"
	"strings"
	"sync"
	"text/template"
	"time"
	"unicode/utf8"

	"sellerd/internal/base/phrases"
)

// Languages are the languages of letters. The first is that of sellers who have none of them.
var Languages = []string{"en", "fr", "de", "it", "es", "nl"}

//go:embed texts/*.tmpl
var textFiles embed.FS

// texts are the letters by language. A file has the templates subject and body.
var texts = sync.OnceValues(func() (map[string]*template.Template, error) {
	all := map[string]*template.Template{}
	for _, language := range Languages {
		read, err := template.New("").Funcs(template.FuncMap{"day": func(t time.Time) string { return phrases.Day(language, t) }}).
			Option("missingkey=error").ParseFS(textFiles, "texts/"+language+".tmpl")
		if err != nil {
			return nil, err
		}
		all[language] = read
	}
	return all, nil
})

// fill fills in one of the templates of a language.
func fill(language, name string, c *content) (string, error) {
	all, err := texts()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := all[language].ExecuteTemplate(&b, name, c); err != nil {
		return "", err
	}
	if name == "subject" {
		return strings.TrimSpace(b.String()), nil
	}
	return wrapped(b.String()), nil
}

// width is how many characters a line has at most. Addresses and other long words are not divided.
const width = 72

// lead is what begins a line of its own: a blank, a dash, or a number. What follows it in further lines is indented.
var lead = regexp.MustCompile(`^( *- | *\d+\. | +)`)

// wrapped makes paragraphs of a text: blank lines divide it, and in between a line goes on the one before unless it has a lead.
func wrapped(text string) string {
	var out strings.Builder
	var line string
	end := func() {
		out.WriteString(filled(line))
		line = ""
	}
	for next := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		next = strings.TrimRight(next, " ")
		switch {
		case next == "":
			end()
			if !strings.HasSuffix(out.String(), "\n\n") {
				out.WriteString("\n")
			}
		case line == "" || lead.MatchString(next):
			end()
			line = next
		default:
			line += " " + next
		}
	}
	end()
	return out.String()
}

// filled breaks a line at its blanks. It is empty for an empty one.
func filled(line string) string {
	if line == "" {
		return ""
	}
	begin := lead.FindString(line)
	words := strings.FieldsFunc(line[len(begin):], func(r rune) bool { return r == ' ' }) // other blanks, as before a colon in French, stay
	return onLines(words, begin, strings.Repeat(" ", len(begin)), "\n", width)
}

// onLines puts words on lines of at most so many characters. The first line begins otherwise than those that follow.
func onLines(words []string, begin, indent, end string, most int) string {
	var out strings.Builder
	line := begin
	for i, word := range words {
		switch {
		case i == 0:
		case utf8.RuneCountInString(line+" "+word) > most:
			out.WriteString(line + end)
			line = indent
		default:
			line += " "
		}
		line += word
	}
	return out.String() + line + end
}
