package guide

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/translate/command"
)

// This file has the texts around the tables, which the page and the Markdown share.

// Note returns a text that stands before tables. Templates call it.
func (g *Page) Note(name string) string { return g.texts.note(name) }

// inList joins texts to a list in a sentence.
func inList(texts []string) string {
	last := len(texts) - 1
	if last < 1 {
		return strings.Join(texts, "")
	}
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// code returns a text as a code span. The texts of the guide contain no grave accents.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// LegacyCode returns the request of a call, as a text.
func (c *Call) LegacyCode() string { return code(c.Legacy.Method + " " + c.Legacy.Path) }

// Successors returns the operations behind a call, as a text.
func (c *Call) Successors() string {
	if len(c.V1) == 0 {
		return "no request"
	}
	parts := make([]string, len(c.V1))
	for i, step := range c.V1 {
		parts[i] = code(step.Method + " " + step.Path)
	}
	return strings.Join(parts, ", then ")
}

// How describes how many requests replace a call.
func (c *Call) How() string {
	switch {
	case c.Kind == translate.Absent:
		return "refused, for good"
	case c.Kind == translate.Local:
		return "not needed any more"
	case len(c.V1) > 1:
		return fmt.Sprintf("%d requests", len(c.V1))
	default:
		return "one request"
	}
}

// FieldsNote returns the text before the fields of a request.
func (g *Page) FieldsNote(c *Call) string {
	if c.FieldsAs != "" {
		of := "The fields"
		if c.Each != "" {
			of = fmt.Sprintf("The fields of each entry, `%s[0][…]` and so on,", c.Each)
		}
		return fmt.Sprintf("%s are those of [%s](#%s).", of, g.Call(c.FieldsAs).Title, c.FieldsAs)
	}
	return strings.TrimSpace("**Request.** " + c.RequestPlaces())
}

// RequestPlaces describes how the table of a request names places in /v1, "" when all of its places are described there.
func (c *Call) RequestPlaces() string {
	if len(c.V1) == 0 {
		return ""
	}
	main := code(c.main.Method + " " + c.main.Path)
	described := map[byte]string{}
	var parts []string
	for i := range c.Fields {
		for _, path := range strings.Fields(c.Fields[i].Path) {
			kind, words := byte('m'), "a member of the JSON body of "+main
			switch path[0] {
			case '{', '@':
				continue
			case '?':
				kind, words = '?', "a parameter of the query"
			}
			if described[kind] == "" {
				described[kind] = words
				parts = append(parts, code(path)+" is "+words)
			}
		}
	}
	switch {
	case parts == nil:
		return ""
	case c.Each != "":
		return fmt.Sprintf("The fields are those of each entry: `%s[0][…]`, `%s[1][…]` and so on. In `/v1`, %s.", c.Each, c.Each, inList(parts))
	default:
		return "In `/v1`, " + inList(parts) + "."
	}
}

// ObjectsWords describes where the objects stand with which the paths of an answer's table begin, "" when there are none.
func (c *Call) ObjectsWords() string {
	if len(c.Objects) == 0 {
		return ""
	}
	parts := make([]string, len(c.Objects))
	for i, object := range c.Objects {
		parts[i] = code(object.Name) + " for " + object.Is
	}
	return "In `/v1`, " + strings.Replace(inList(parts), " for ", " stands for ", 1) + "."
}

// ElementsNote returns the text before the elements of an answer in the whole guide.
func (g *Page) ElementsNote(c *Call) string {
	if c.ElementsAs != "" && !c.Acknowledges {
		return fmt.Sprintf("**Answer.** Each `%s` has the elements of [%s](#%s), from the same members.", c.Element, g.Call(c.ElementsAs).Title, c.ElementsAs)
	}
	return "**Answer.** " + c.AnswerWords()
}

// AnswerWords describes an answer: all of it, or what its table shows.
func (c *Call) AnswerWords() string {
	switch {
	case c.Kind == translate.Local:
		names := make([]string, len(c.Elements))
		for i := range c.Elements {
			names[i] = code(c.Elements[i].Legacy)
		}
		text := strings.Join(names, ", ")
		if c.Element != "" {
			text += " of each `" + c.Element + "`"
		}
		return text + ". Nothing in `/v1` has to be read in its place."
	case c.Acknowledges:
		return "`/rest` only acknowledges: `status` is true, and `data` is one sentence for all calls. `/v1` returns the object itself, in `data`: " +
			c.answer + "."
	default:
		return strings.TrimSpace(fmt.Sprintf("The elements of each `%s`. %s", c.Element, c.ObjectsWords()))
	}
}

// fieldTable is a table of fields: the headings of its columns and its rows, as Markdown.
type fieldTable struct {
	Head []string
	Rows [][]string
}

// tableOf describes fields, or elements of an answer. Columns in which no row has anything are left out.
func tableOf(head []string, fields []Field) fieldTable {
	table := fieldTable{Head: head}
	for i := range fields {
		table.Rows = append(table.Rows, fields[i].cells())
	}
	for column := len(head) - 1; column > 0; column-- {
		if slices.ContainsFunc(table.Rows, func(row []string) bool { return row[column] != "" }) {
			continue
		}
		table.Head = slices.Delete(table.Head, column, column+1)
		for i, row := range table.Rows {
			table.Rows[i] = slices.Delete(row, column, column+1)
		}
	}
	return table
}

// RequestTable describes the fields of a call's request. Templates call it.
func (c *Call) RequestTable() fieldTable {
	return tableOf([]string{"Field", "In `/v1`", "Value in `/v1`", "Notes"}, c.Fields)
}

// AnswerTable describes the elements of a call's answer. Templates call it.
func (c *Call) AnswerTable() fieldTable {
	return tableOf([]string{"Element", "In `/v1`", "Value in `/v1`", "Notes"}, c.Elements)
}

// Table describes the elements of a notification. Templates call it.
func (e *Event) Table() fieldTable {
	return tableOf([]string{"Element", "In the event", "Value", "Notes"}, e.Fields)
}

// cells returns the columns of a row.
func (f *Field) cells() []string {
	name, words := code(f.Legacy), f.Words
	switch {
	case f.Legacy == "":
		name = "(new)"
	case f.Required:
		name += " (required)"
	case f.Default != "":
		name += " (default " + code(f.Default) + ")"
	}
	if f.Loss != "" {
		words = strings.TrimSuffix(changeWords[f.Loss]+": "+words, ": ")
	}
	return []string{name, f.place(), f.Value, words}
}

// place describes where a field or an element is in /v1.
func (f *Field) place() string {
	paths := strings.Fields(cmp.Or(f.Path, f.V1))
	for i, path := range paths {
		switch path[0] {
		case '@':
			paths[i] = "header " + code(path[1:])
		case '{':
			paths[i] = code(path) + " in the path"
		default:
			paths[i] = code(path)
		}
	}
	place := strings.Join(paths, ", ")
	switch {
	case place == "":
		return "nothing"
	case strings.HasPrefix(f.Path, "data.") && f.Of != "":
		return place + " of " + f.Of
	case f.Also != nil:
		return place + "; as it was sold, `" + strings.Join(f.Also, "` and `") + "`"
	default:
		return place
	}
}

// changeWords are the words for losses and notes.
var changeWords = map[string]string{
	string(translate.Dropped): "lost", string(translate.Synthesised): "added", string(translate.Narrowed): "narrowed",
	string(translate.NoteDefaulted): "by default", string(translate.NoteUnknown): "unknown",
}

// NoteWords describes how the fields of a sample change.
func (s *MoreSample) NoteWords() string {
	words := make([]string, len(s.Notes))
	for i, note := range s.Notes {
		field, kind, _ := strings.Cut(note, " ")
		words[i] = code(field) + " " + changeWords[kind]
	}
	return strings.Join(words, ", ")
}

// Request returns a sample as it is sent: the request line, and a line for each field.
func (s *MoreSample) Request(c *Call) string {
	lines := []string{c.Legacy.Method + " " + s.Path}
	if s.Form != "" {
		lines = append(lines, strings.Split(s.Form, "&")...)
	}
	return strings.Join(lines, "\n")
}

// Meaning returns the meaning of a sample in /v1, with formatted bodies.
func (s *MoreSample) Meaning() string {
	lines := make([]string, len(s.V1))
	for i, line := range s.V1 {
		if lines[i] = line; strings.HasPrefix(line, "{") {
			lines[i] = command.Readable(line)
		}
	}
	return strings.Join(lines, "\n")
}
