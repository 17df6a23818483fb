package changelog

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"
)

// markdown gives headings no ids: a page shows several texts, and their headings repeat.
var markdown = goldmark.New()

// Markup is a text in Markdown. In the files it is a list of lines, so that a change of it can be reviewed.
type Markup string

// MarshalJSONTo implements json.MarshalerTo.
func (m Markup) MarshalJSONTo(out *jsontext.Encoder) error {
	lines := strings.Split(string(m), "\n")
	if m == "" {
		lines = []string{}
	}
	return json.MarshalEncode(out, lines)
}

// UnmarshalJSONFrom implements json.UnmarshalerFrom.
func (m *Markup) UnmarshalJSONFrom(in *jsontext.Decoder) error {
	var lines []string
	err := json.UnmarshalDecode(in, &lines)
	*m = Markup(strings.Join(lines, "\n"))
	return err
}

func (m Markup) trimmed() string { return strings.TrimSpace(string(m)) }

// HTML renders the text. Links to this service's own pages (/docs/legacy) begin with baseURL: feeds are read elsewhere.
func (m Markup) HTML(baseURL string) string {
	source := []byte(m)
	document := markdown.Parser().Parse(text.NewReader(source))
	_ = ast.Walk(document, func(node ast.Node, entering bool) (ast.WalkStatus, error) { // our function never fails
		if link, ok := node.(*ast.Link); ok && entering && bytes.HasPrefix(link.Destination, []byte("/")) {
			link.Destination = append([]byte(baseURL), link.Destination...)
		}
		return ast.WalkContinue, nil
	})
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, source, document); err != nil {
		panic(fmt.Sprintf("render %q: %v", m, err)) // writing to memory cannot fail
	}
	return out.String()
}

// summary is the first paragraph, without markup.
func (m Markup) summary() string {
	source := []byte(m)
	var out strings.Builder
	_ = ast.Walk(markdown.Parser().Parse(text.NewReader(source)).FirstChild(), func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if words, ok := node.(*ast.Text); ok && entering {
			out.Write(words.Segment.Value(source))
			if words.SoftLineBreak() {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// Markdown is the change log of the releases that are out, with the reminders that are due, newest first.
func Markdown(releases []Release, due []Reminder) string {
	var b strings.Builder
	b.WriteString("# Change log\n\nThe changes for programs that call the seller API, newest first. Faults that are not corrected yet are listed as " +
		"[known issues](" + IssuesPath + ".md).\n")
	remind := func(after string) { // of what was due since a day
		for len(due) > 0 && due[len(due)-1].At.Format(time.DateOnly) > after {
			r := due[len(due)-1]
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n%s\n", r.Title(), r.At.Format(time.DateOnly), r.Text().trimmed())
			due = due[:len(due)-1]
		}
	}
	for _, r := range releases {
		if r.Released() {
			remind(r.Day())
			facts := strings.Join(append([]string{r.Day()}, r.Terms()...), " · ")
			fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\n%s\n", r.Version, r.Title, facts, r.Text.trimmed())
		}
	}
	remind("")
	return b.String()
}

// IssuesMarkdown is the list of known issues.
func IssuesMarkdown(issues []Issue) string {
	var open, corrected strings.Builder
	for _, i := range issues {
		b, until := &open, ""
		if !i.Open() {
			b, until = &corrected, " · corrected on "+i.Until
		}
		affects := strings.Join(i.Affects, ", /")
		fmt.Fprintf(b, "\n### %s\n\nsince %s%s · affects /%s\n\n%s\n", i.Title, i.Since, until, affects, i.Text.trimmed())
		if i.Workaround != "" {
			fmt.Fprintf(b, "\n#### %s\n\n%s\n", WorkaroundHeading, i.Workaround.trimmed())
		}
	}
	text := "# Known issues\n\nThe faults of the service that are known to affect programs, and what you can do until they are corrected.\n"
	if open.Len() == 0 {
		open.WriteString("\nNo issue is known to affect programs.\n")
	} else {
		text += "\n## Not corrected yet\n"
	}
	if text += open.String(); corrected.Len() > 0 {
		text += "\n## Corrected\n" + corrected.String()
	}
	return text
}
