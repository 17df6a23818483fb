package guide

import (
	"fmt"
	"strings"

	"sellerd/translate"
)

// Markdown returns the guide as a text, for readers of files and for tools. Links to other pages are absolute.
func (g *Page) Markdown() []byte {
	w := &markdownWriter{base: g.BaseURL}
	w.anchor("top")
	w.line("# %s: the migration guide", g.Title)
	w.paragraphs(g.Opening)
	g.markdownDates(w)
	g.markdownIndex(w)
	g.markdownBefore(w)
	for i := range g.Phases {
		phase := &g.Phases[i]
		w.anchor(string(phase.ID))
		w.line("## %s", phase.Title)
		w.paragraphs(phase.Text)
		w.setups(phase.Setup)
		for _, id := range phase.Calls {
			g.markdownCall(w, g.Call(id))
		}
	}
	g.markdownAfter(w)
	return []byte(w.String())
}

// markdownDates writes the dates of the end.
func (g *Page) markdownDates(w *markdownWriter) {
	w.anchor("sunset")
	w.line("## What happens when")
	w.table([]string{"When", "What"}, len(g.Timeline), func(i int) []string { return []string{g.Timeline[i].When, g.Timeline[i].What} })
	w.line("What stays:")
	w.list(g.Stays)
}

// markdownBefore writes the parts before the calls: the variables of the commands, and the differences of all calls.
func (g *Page) markdownBefore(w *markdownWriter) {
	w.anchor("begin")
	w.line("## Before you begin")
	w.setups(g.Begin)
	w.line(pairsNote)
	w.anchor("differences")
	w.line("## What is different everywhere")
	w.table([]string{"", "`/rest`", "`/v1`"}, len(g.Differences), func(i int) []string {
		return []string{g.Differences[i].Topic, g.Differences[i].Legacy, g.Differences[i].V1}
	})
	w.anchor("values")
	w.line("### How values are written")
	w.line(valuesNote)
	w.table([]string{"Kind of value", "`/rest`", "`/v1`", "Rule"}, len(g.Conversions), func(i int) []string {
		c := &g.Conversions[i]
		return []string{fmt.Sprintf(`<a id="%s"></a>%s`, c.ID, c.Name), c.Legacy, c.V1, c.About}
	})
}

func (g *Page) markdownIndex(w *markdownWriter) {
	w.anchor("index")
	w.line("## The steps, and all calls")
	for i := range g.Phases {
		w.item("[%s](#%s). %s", g.Phases[i].Title, g.Phases[i].ID, g.Phases[i].Short)
	}
	w.line("")
	w.table([]string{"Call", "`/rest`", "`/v1`", "How"}, len(g.Calls), func(i int) []string {
		c := g.Calls[i]
		return []string{fmt.Sprintf("[%s](#%s)", c.Title, c.ID), code(c.Legacy.Method + " " + c.Legacy.Path), c.Successors(), c.How()}
	})
}

func (g *Page) markdownCall(w *markdownWriter, c *Call) {
	w.anchor(c.ID)
	w.line("### %s", c.Title)
	w.line("%s → %s", code(c.Legacy.Method+" "+c.Legacy.Path), c.Successors())
	if c.Why != "" {
		w.line("%s %s", c.Why, c.Instead)
	}
	w.commands("Before", c.Example.Legacy)
	w.commands("Now", c.Example.V1)
	w.list(c.Notes)
	switch {
	case c.FieldsAs != "":
		w.line("%s", g.FieldsNote(c))
	case len(c.Fields) > 0:
		w.line("%s", g.FieldsNote(c))
		w.table([]string{"Field", "In `/v1`", "Value in `/v1`", "Default", "Notes"}, len(c.Fields), func(i int) []string { return c.Fields[i].cells(true) })
	}
	if c.Acknowledges || c.ElementsAs != "" || c.Kind == translate.Local {
		w.line("%s", g.ElementsNote(c))
	} else if len(c.Elements) > 0 {
		w.line("%s", g.ElementsNote(c))
		w.table([]string{"Element", "In `/v1`", "Value in `/v1`", "Notes"}, len(c.Elements), func(i int) []string { return c.Elements[i].cells(false) })
	}
	for i := range c.Values {
		table := &c.Values[i]
		w.anchor(table.ID)
		w.line("**Values: %s.** %s", table.Name, table.About)
		w.table([]string{"`/rest`", "`/v1`"}, len(table.Pairs), func(i int) []string { return []string{code(table.Pairs[i].Legacy), code(table.Pairs[i].V1)} })
	}
	if len(c.Refusals) > 0 {
		w.line("**Refusals**, beside [those of every call](#errors).")
		w.refusals(c.Refusals)
	}
	if len(c.More) > 0 {
		w.line("**More requests.**")
		for i := range c.More {
			c.More[i].markdown(w, c)
		}
		w.line("")
	}
}

// markdown writes a sample on one line, or with its fields on lines of their own when they are many.
func (s *MoreSample) markdown(w *markdownWriter, c *Call) {
	notes := s.NoteWords()
	if notes != "" {
		notes = " (" + notes + ")"
	}
	if len(s.Form) > longForm {
		indented := func(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }
		w.item("%s%s:\n\n  ```\n%s\n  ```\n\n  is\n\n  ```\n%s\n  ```\n", s.Name, notes, indented(s.Request(c)), indented(s.Meaning()))
		return
	}
	text := s.Name + ": " + code(c.Legacy.Method+" "+s.Path)
	if s.Form != "" {
		text += " with " + code(s.Form)
	}
	parts := make([]string, len(s.V1))
	for i, part := range s.V1 {
		parts[i] = code(part)
	}
	w.item("%s → %s%s", text, strings.Join(parts, " "), notes)
}

// markdownAfter writes the parts after the calls.
func (g *Page) markdownAfter(w *markdownWriter) {
	w.anchor("notifications")
	w.line("## What each notification becomes")
	w.line(notificationsNote)
	for i := range g.Notifications {
		e := &g.Notifications[i]
		w.anchor(e.Type)
		w.line("**%s → %s:** %s.", code(e.Type), code(e.Event), e.When)
		if e.Words != "" {
			w.line("%s", e.Words)
		}
		w.table([]string{"Element", "In the event", "Value", "Notes"}, len(e.Fields), func(i int) []string { return e.Fields[i].cells(false) })
	}
	w.line("These events have no notification:")
	for i := range g.NewEvents {
		w.item("%s: %s", code(g.NewEvents[i].Event), g.NewEvents[i].When)
	}
	w.line("")
	w.anchor("errors")
	w.line("## Errors")
	w.line(errorsNote)
	w.line("Texts that old programs compare, and the codes to compare in their place:")
	w.table([]string{"`errorMsg`", "`code`", "Status", "When"}, len(g.Refusals.Texts), func(i int) []string {
		r := &g.Refusals.Texts[i]
		return []string{r.Says, r.link(), fmt.Sprint(r.Status), r.When}
	})
	w.line("What every call may be refused with:")
	w.refusals(g.Refusals.Every)
	w.line("Codes that you only meet in `/v1`, which is stricter and can do more:")
	w.refusals(g.Refusals.OnlyV1)
	w.anchor("gone")
	w.line("## What has no successor")
	w.table([]string{"What", "Why", "In place of it"}, len(g.Gone), func(i int) []string {
		gone := &g.Gone[i]
		return []string{fmt.Sprintf("%s ([section](#%s))", gone.What, gone.Call), gone.Why, gone.Instead}
	})
	w.anchor("new")
	w.line("## What is new in `/v1`")
	w.line(newNote)
	for i := range g.New {
		group := &g.New[i]
		w.line("**%s**", group.Title)
		w.table([]string{"Operation", "What it does"}, len(group.Operations), func(i int) []string {
			o := &group.Operations[i]
			return []string{code(o.Method + " " + o.Path), o.Does}
		})
	}
}

// markdownWriter writes paragraphs.
type markdownWriter struct {
	strings.Builder
	base string
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

func (r *Refusal) link() string {
	return fmt.Sprintf("[`%s`](/errors/%s)", r.Code, r.Code)
}

// MeaningWords returns the meaning of a code, with the text of /rest that programs compare.
func (r *Refusal) MeaningWords() string {
	if r.Says == "" {
		return r.Meaning
	}
	return strings.TrimSpace(fmt.Sprintf("%s On `/rest`: \"%s\" %s", r.Meaning, r.Says, r.When))
}
