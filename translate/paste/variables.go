package paste

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/command"
)

// The largest numbers of variables: of a command, and of a program.
const (
	maxVariables        = 100
	maxProgramVariables = 1000
)

// variables are the shell variables of a paste, whose values are not known. In the pasted command each is replaced by a mark of
// letters and digits, which no encoding on the way to /v1 changes. In printed commands the variable replaces the mark again.
type variables struct {
	prefix string   // of marks
	number string   // of marks that have to be numbers
	names  []string // as commands print them
	given  []string // the same as the paste has them
	most   int
	marks  *regexp.Regexp
	alone  *regexp.Regexp   // marks that are numbers of JSON
	beyond bool             // there are too many of them
	notes  []translate.Note // about the paste as such
	about  *pasted          // the request of a program that notes are about, nil for the paste as such
}

// newVariables chooses marks that do not occur in a text.
func newVariables(text string) *variables {
	v := &variables{prefix: "zq", number: "90909090909", most: maxVariables}
	for i := 0; i < maxVariables && strings.Contains(text, v.prefix); i++ {
		v.prefix = "z" + strconv.Itoa(i) + "q"
	}
	for i := 0; i < maxVariables && strings.Contains(text, v.number); i++ {
		v.number = strconv.Itoa(90909090908 - i)
	}
	v.marks = regexp.MustCompile(v.prefix + `(\d{1,3})z|` + v.number + `(\d\d\d)`)
	v.alone = regexp.MustCompile(`([:,\[])(` + v.number + `\d\d\d)`)
	return v
}

// outputOfCommand is the variable for the output of a command inside the command.
const outputOfCommand = "(…)"

// note remembers a note about the paste.
func (v *variables) note(field, text string) {
	n := translate.Note{Field: v.clean(field), Kind: translate.NoteUnknown, Text: text}
	notes := &v.notes
	if v.about != nil {
		notes = &v.about.notes
	}
	if !slices.Contains(*notes, n) && len(*notes) < maxReported {
		*notes = append(*notes, n)
	}
}

// reserved are the variables that every command may have: the key and the act. Windows takes no notice of the case.
var reserved = pattern.Late(`(?i)^(?:key|act)$`)

// clean returns a text without keys. Of a long word that may be one its beginning stays.
func (v *variables) clean(text string) string {
	text = keyForm().ReplaceAllString(v.restore(text), removed)
	return longWord().ReplaceAllStringFunc(text, func(word string) string {
		if ofWords().MatchString(word) {
			return word
		}
		return word[:minSecret]
	})
}

// printed returns the first of some names that neither commands nor another variable have, without a key.
func (v *variables) printed(names []string) string {
	for i := 0; ; i++ {
		name := noWord().ReplaceAllString(strings.Trim(v.clean(names[i%len(names)]), "[]"), "_")
		if i >= len(names) {
			name += "_" + strconv.Itoa(i/len(names)+1)
		}
		if !reserved().MatchString(name) && !slices.Contains(v.names, name) {
			return name
		}
	}
}

// mark returns the mark of a variable.
func (v *variables) mark(name string) string { return v.markOf(name, name) }

// markOf returns the mark of what is written so in the paste, and printed with one of some names.
func (v *variables) markOf(written string, names ...string) string {
	i := slices.Index(v.given, written)
	if i < 0 {
		if i = len(v.names); i == v.most {
			v.beyond = true
			return ""
		}
		if written != outputOfCommand {
			names[0] = v.printed(slices.Compact(names))
		}
		v.names, v.given = append(v.names, names[0]), append(v.given, written)
	}
	return v.prefix + strconv.Itoa(i) + "z"
}

// In a value braces are a variable of Postman and of editors. In a part of an address manuals write one as {id}, <id> and :id, too.
var (
	braces = pattern.Late(`\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}`)
	ofPart = pattern.Late(`^(?:\{+|<|:)\s*([A-Za-z_][A-Za-z0-9_]*)\s*[}>]*$`)
)

// filledIn returns a text with marks in the place of what a tool or a reader fills in.
func (v *variables) filledIn(text string, form func() *regexp.Regexp) string {
	return form().ReplaceAllStringFunc(text, func(found string) string { return v.mark(form().FindStringSubmatch(found)[1]) })
}

// numbered returns a text that is a single mark as a mark that is a number, such as the number of an item.
func (v *variables) numbered(text string) string {
	if found := v.marks.FindStringSubmatch(text); found != nil && found[0] == text && found[1] != "" {
		i, _ := strconv.Atoi(found[1])
		return v.number + strconv.Itoa(1000 + i)[1:]
	}
	return text
}

// held returns a text with variables as it stands in /v1, "" for one without: no value of a variable is wrong.
func (v *variables) held(text string, bare bool) string {
	switch {
	case v.in(text) == nil:
		return ""
	case bare:
		return v.numbered(text)
	}
	return text
}

// numbersOnly removes the marks of variables that may be any text from a key, because a header cannot contain every text.
func (v *variables) numbersOnly(key string) string {
	return command.CleanKey(v.marks.ReplaceAllStringFunc(key, func(mark string) string {
		if strings.HasPrefix(mark, v.number) {
			return mark
		}
		return ""
	}))
}

// split splits a text at its marks. Every second part is the name of a variable.
func (v *variables) split(text string) []string {
	parts := []string{""}
	from := 0
	for _, at := range v.marks.FindAllStringSubmatchIndex(text, -1) {
		if i, _ := strconv.Atoi(text[max(at[2], at[4]):max(at[3], at[5])]); i < len(v.names) {
			parts[len(parts)-1] += text[from:at[0]]
			parts = append(parts, v.names[i], "")
			from = at[1]
		}
	}
	parts[len(parts)-1] += text[from:]
	return parts
}

// restore replaces marks by their variables.
func (v *variables) restore(text string) string {
	parts := v.split(text)
	for i := 1; i < len(parts); i += 2 {
		parts[i] = "$" + parts[i]
	}
	return strings.Join(parts, "")
}

// restoreJSON is restore for JSON: a variable in the place of a number becomes a text.
func (v *variables) restoreJSON(text string) string {
	return v.restore(v.alone.ReplaceAllString(text, `$1"$2"`))
}

// in returns the variables in a text, in order.
func (v *variables) in(text string) (names []string) {
	parts := v.split(text)
	for i := 1; i < len(parts); i += 2 {
		names = append(names, "$"+parts[i])
	}
	return names
}
