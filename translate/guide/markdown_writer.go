package guide

import (
	"fmt"
	"strings"
)

// markdownWriter writes paragraphs.
type markdownWriter struct {
	strings.Builder
	base  string
	raise int // by how many levels headings are higher than in the whole guide
}

// heading writes a heading of a level of the whole guide, from 1 on.
func (w *markdownWriter) heading(level int, title string) {
	w.line("%s %s", strings.Repeat("#", max(level-w.raise, 1)), title)
}

// absolute makes the links of a text to pages of the service absolute.
func (w *markdownWriter) absolute(text string) string {
	return strings.ReplaceAll(text, "](/", "]("+w.base+"/")
}

func (w *markdownWriter) line(format string, values ...any) {
	text := format
	if len(values) > 0 {
		text = fmt.Sprintf(format, values...)
	}
	w.WriteString(w.absolute(text) + "\n")
	if text != "" {
		w.WriteString("\n")
	}
}

func (w *markdownWriter) item(format string, values ...any) {
	w.WriteString("- " + w.absolute(fmt.Sprintf(format, values...)) + "\n")
}

func (w *markdownWriter) anchor(id string) { w.WriteString(`<a id="` + id + `"></a>` + "\n\n") }

func (w *markdownWriter) paragraphs(texts []string) {
	for _, text := range texts {
		w.line("%s", text)
	}
}

func (w *markdownWriter) list(texts []string) {
	for _, text := range texts {
		w.item("%s", text)
	}
	if len(texts) > 0 {
		w.line("")
	}
}

func (w *markdownWriter) setups(setups []Setup) {
	for _, setup := range setups {
		w.line("%s", setup.Text)
		w.WriteString("```sh\n" + setup.Commands + "\n```\n\n")
	}
}

func (w *markdownWriter) commands(title, text string) {
	w.WriteString(title + ":\n\n```sh\n" + text + "\n```\n\n")
}

func (w *markdownWriter) refusals(refusals []Refusal) {
	w.table([]string{"`code`", "Status", "Meaning", "What to do"}, len(refusals), func(i int) []string {
		r := &refusals[i]
		return []string{r.link(), fmt.Sprint(r.Status), r.MeaningWords(), r.Remedy}
	})
}

func (w *markdownWriter) fields(table fieldTable) {
	w.table(table.Head, len(table.Rows), func(i int) []string { return table.Rows[i] })
}

// table writes a table, nothing when there are no rows.
func (w *markdownWriter) table(head []string, rows int, cells func(i int) []string) {
	if rows == 0 {
		return
	}
	w.row(head)
	w.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for i := range rows {
		w.row(cells(i))
	}
	w.WriteString("\n")
}

func (w *markdownWriter) row(cells []string) {
	for _, cell := range cells {
		w.WriteString("| " + strings.ReplaceAll(w.absolute(cell), "|", `\|`) + " ")
	}
	w.WriteString("|\n")
}
