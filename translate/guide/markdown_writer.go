package guide

import (
	"fmt"
	"strings"
)

// markdownWriter writes paragraphs.
type markdownWriter struct {
	strings.Builder
	raise int // by how many levels headings are higher than in the whole guide
}

// heading writes a heading of a level of the whole guide, from 1 on.
func (w *markdownWriter) heading(level int, title string) {
	w.line("%s %s", strings.Repeat("#", max(level-w.raise, 1)), title)
}

// line writes a paragraph. An empty one ends a list.
func (w *markdownWriter) line(format string, values ...any) {
	fmt.Fprintf(w, format+"\n", values...)
	if format != "" {
		w.WriteString("\n")
	}
}

func (w *markdownWriter) item(format string, values ...any) {
	fmt.Fprintf(w, "- "+format+"\n", values...)
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
		w.commands(setup.Text, setup.Commands)
	}
}

func (w *markdownWriter) commands(title, text string) { w.line("%s\n\n```sh\n%s\n```", title, text) }

func (w *markdownWriter) refusals(refusals []Refusal) {
	writeTable(w, []string{"`code`", "Status", "Meaning", "What to do"}, refusals, func(r *Refusal) []string {
		return []string{r.link(), fmt.Sprint(r.Status), r.MeaningWords(), r.Remedy}
	})
}

func (w *markdownWriter) fields(table fieldTable) {
	writeTable(w, table.Head, table.Rows, func(row *[]string) []string { return *row })
}

// writeTable writes a table, nothing when there are no rows.
func writeTable[Row any](w *markdownWriter, head []string, rows []Row, cells func(*Row) []string) {
	if len(rows) == 0 {
		return
	}
	w.row(head)
	w.WriteString("|" + strings.Repeat("---|", len(head)) + "\n")
	for i := range rows {
		w.row(cells(&rows[i]))
	}
	w.WriteString("\n")
}

func (w *markdownWriter) row(cells []string) {
	for _, cell := range cells {
		w.WriteString("| " + strings.ReplaceAll(cell, "|", `\|`) + " ")
	}
	w.WriteString("|\n")
}
