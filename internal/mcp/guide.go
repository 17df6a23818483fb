package mcp

import (
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/internal/base/pattern"
	"sellerd/translate/guide"
	"sellerd/v1"
)

// section is a part of the migration guide that begins with a heading.
type section struct{ id, title, text string }

// sectionStart matches the anchor of a heading in the guide's Markdown. Other anchors are inside a section.
var sectionStart = pattern.Late(`(?m)^<a id="([^"]+)"></a>\n\n#+ (.+)\n`)

// sectionsOf takes the guide apart.
func sectionsOf(page *guide.Page) []section {
	text := string(page.Markdown())
	starts := sectionStart().FindAllStringSubmatchIndex(text, -1)
	sections := make([]section, len(starts))
	for i, at := range starts {
		end := len(text)
		if i+1 < len(starts) {
			end = starts[i+1][0]
		}
		_, body, _ := strings.Cut(text[at[0]:end], "\n\n") // without the anchor
		sections[i] = section{id: text[at[2]:at[3]], title: text[at[4]:at[5]], text: body}
	}
	return sections
}

// guideTool is the tool that reads the migration guide, and the reference of operations.
func (s *Server) guideTool() *tool {
	about := "Reads the guide from /rest to /v1: the table of old calls, a section, those with some words, or all about an operation of /v1."
	texts := [][2]string{
		{"section", "such as item-create, begin, differences, values, notifications, errors, gone, new"},
		{"search", "words"},
		{argOperation, "such as submitItem"},
	}
	return makeOffline("guide", about, texts, func(args *arguments) (string, error) {
		wanted, words, operation := args.text("section"), args.text("search"), args.text(argOperation)
		sections := s.guide()
		switch {
		case operation != "":
			o := s.operation(operation)
			if o == nil {
				return "", s.unknownOperation()
			}
			return s.reference(o), nil
		case words != "":
			return found(sections, words), nil
		case wanted == "":
			wanted = "index"
		}
		i := slices.IndexFunc(sections, func(one section) bool { return one.id == wanted })
		if i < 0 {
			return "", argumentProblem(v1.InvalidParameter, "section", "There is no such section. There are "+idsOf(sections)+".")
		}
		text := sections[i].text
		if wanted == "index" {
			text += "\nSections: " + idsOf(sections) + ".\n"
		}
		return text, nil
	})
}

func idsOf(sections []section) string {
	ids := make([]string, len(sections))
	for i, one := range sections {
		ids[i] = one.id
	}
	return strings.Join(ids, ", ")
}

// unknownOperation is the error about an operation that the table does not have.
func (s *Server) unknownOperation() error {
	var names []string
	for _, o := range s.operations {
		names = append(names, o.id)
	}
	return argumentProblem(v1.InvalidParameter, argOperation, "There is no such operation. There are "+strings.Join(names, ", ")+".")
}

// mostFound is how many sections a search lists.
const mostFound = 20

// found lists the sections in which all words occur: first those that have them in their titles.
func found(sections []section, words string) string {
	wanted := strings.Fields(strings.ToLower(words))
	var inTitle, inText []string
	for _, one := range sections {
		name := fmt.Sprintf("- %s (section %s): ", one.title, one.id)
		switch {
		case hasAll(one.id+" "+one.title, wanted):
			inTitle = append(inTitle, name+lineWith(one.text, nil))
		case hasAll(one.text, wanted):
			inText = append(inText, name+lineWith(one.text, wanted))
		}
	}
	all := append(inTitle, inText...)
	if len(all) == 0 {
		return "No section has all of these words. Without arguments, the tool lists all calls.\n"
	}
	out := strings.Join(all[:min(len(all), mostFound)], "\n") + "\n"
	if more := len(all) - mostFound; more > 0 {
		out += fmt.Sprintf("%d more sections have them: add a word.\n", more)
	}
	return out
}

func hasAll(text string, words []string) bool {
	text = strings.ToLower(text)
	return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, word) })
}

// lineWith is the line below the heading of a section that has most of the words, shortened: the first one if there are no words.
func lineWith(text string, words []string) string {
	best, most := "", -1
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		has, lower := 0, strings.ToLower(line)
		for _, word := range words {
			if strings.Contains(lower, word) {
				has++
			}
		}
		if has > most {
			best, most = line, has
		}
	}
	return beginningOf(best, 200)
}

// reference describes an operation in full.
func (s *Server) reference(o *operation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s %s\n\n%s", o.id, o.Method, o.Pattern, o.Doc)
	if o.TestOnly {
		b.WriteString(" It works with test keys only.")
	}
	if o.tool != "" {
		fmt.Fprintf(&b, " The tool %s calls it.", o.tool)
	}
	if o.Needs != 0 {
		fmt.Fprintf(&b, " The key needs the permission %s.", o.Needs)
	}
	fmt.Fprintf(&b, "\n\nReference: %s/docs\n", s.config.BaseURL)
	title := ""
	for _, p := range o.parameters {
		in := "In the query"
		if p.inPath {
			in = "In the path"
		}
		if in != title {
			title = in
			fmt.Fprintf(&b, "\n%s:\n\n", title)
		}
		schema := p.schema.Without("description") // a copy: calls run at the same time
		schema.Set("description", p.about)
		fmt.Fprintf(&b, "- `%s`: `%s`\n", p.name, openjson.Append(nil, schema))
	}
	if o.body != nil {
		need := "required"
		if !o.bodyRequired {
			need = "optional"
		}
		fmt.Fprintf(&b, "\nBody (%s), as a JSON Schema:\n\n```json\n%s```\n", need, openjson.Print(o.body))
	}
	b.WriteString("\nErrors, which the tool errors explains:")
	for _, code := range o.Codes() {
		fmt.Fprintf(&b, " %s", code)
	}
	return b.String() + "\n"
}
