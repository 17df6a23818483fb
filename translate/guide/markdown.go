package guide

import (
	"fmt"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
)

// This file writes the guide in Markdown: the whole of it, and each of its pages.

// Markdown returns the guide as a text, for readers of files and for tools. Links to other pages are absolute.
func (g *Page) Markdown() []byte {
	w := &markdownWriter{}
	w.anchor("top")
	w.heading(1, g.Title+": the migration guide")
	w.paragraphs(g.Opening)
	g.markdownDates(w)
	g.markdownIndex(w)
	for _, topic := range g.Before() {
		g.markdownTopic(w, topic)
	}
	for i := range g.Phases {
		g.markdownPhase(w, &g.Phases[i])
		for _, id := range g.Phases[i].Calls {
			g.markdownCall(w, g.Call(id))
		}
	}
	for _, topic := range g.After() {
		g.markdownTopic(w, topic)
	}
	return g.absolute(w.String())
}

// absolute makes the links of a text to pages of the service absolute.
func (g *Page) absolute(text string) []byte {
	return []byte(strings.ReplaceAll(text, "](/", "]("+g.BaseURL+"/"))
}

// PartMarkdown returns a page of the guide as a text. Its links to other pages of the guide lead to their texts.
func (g *Page) PartMarkdown(part Part) []byte {
	w := &markdownWriter{raise: 1}
	switch {
	case part.Call != nil:
		w.raise = 2
		call := *part.Call
		call.FieldsAs, call.ElementsAs, call.Values = "", "", call.allValues
		g.markdownCall(w, &call)
	case part.Phase != nil:
		g.markdownPhase(w, part.Phase)
		for _, id := range part.Phase.Calls {
			w.item("[%s](#%s)", g.Call(id).Title, id)
		}
	default:
		g.markdownTopic(w, part)
	}
	if part.ID == "values" {
		g.markdownEnumerations(w, g.Enumerations())
	}
	return g.absolute(g.relinked(w.String(), markdownPlace(), ownIDs(w.String()), func(path string) string {
		page, place, _ := strings.Cut(path, "#")
		return "](" + strings.TrimSuffix(page+".md#"+place, "#") + ")"
	}))
}

var markdownPlace = pattern.Late(`\]\(#([^)]+)\)`)

// markdownDates writes the dates of the end.
func (g *Page) markdownDates(w *markdownWriter) {
	w.anchor("sunset")
	w.heading(2, "What happens when")
	writeTable(w, []string{"When", "What"}, g.Timeline, func(m *Moment) []string { return []string{m.When, m.What} })
	w.line("What stays:")
	w.list(g.Stays)
}

// markdownTopic writes a topic.
func (g *Page) markdownTopic(w *markdownWriter, topic Part) {
	w.anchor(topic.ID)
	w.heading(2, topic.Title)
	switch topic.ID {
	case "begin":
		w.setups(g.Begin)
		w.line("%s", g.Note("pairs"))
	case "differences":
		writeTable(w, []string{"", "`/rest`", "`/v1`"}, g.Differences, func(d *Difference) []string { return []string{d.Topic, d.Legacy, d.V1} })
	case "values":
		w.line("%s", g.Note("values"))
		writeTable(w, []string{"Kind of value", "`/rest`", "`/v1`", "Rule"}, g.Conversions, func(c *Conversion) []string {
			return []string{fmt.Sprintf(`<a id="%s"></a>%s`, c.ID, c.Name), c.Legacy, c.V1, c.About}
		})
	case "latin-1":
		w.paragraphs(g.Latin1.Text)
		w.setups(g.Latin1.Setup)
	case "notifications":
		g.markdownNotifications(w)
	case "errors":
		g.markdownErrors(w)
	case "gone":
		writeTable(w, []string{"What", "Why", "In place of it"}, g.Gone, func(gone *Gone) []string {
			return []string{fmt.Sprintf("%s ([section](#%s))", gone.What, gone.Call), gone.Why, gone.Instead}
		})
	case "new":
		g.markdownNew(w)
	default:
		panic("guide: no Markdown for the topic " + topic.ID)
	}
}

// markdownPhase writes a step without its calls.
func (g *Page) markdownPhase(w *markdownWriter, phase *Phase) {
	w.anchor(string(phase.ID))
	w.heading(2, phase.Title)
	w.paragraphs(phase.Text)
	w.setups(phase.Setup)
}

func (g *Page) markdownIndex(w *markdownWriter) {
	w.anchor("index")
	w.heading(2, "The steps, and all calls")
	for i := range g.Phases {
		w.item("[%s](#%s). %s", g.Phases[i].Title, g.Phases[i].ID, g.Phases[i].Short)
	}
	w.line("")
	writeTable(w, []string{"Call", "`/rest`", "`/v1`", "How"}, g.Calls, func(c **Call) []string {
		return []string{fmt.Sprintf("[%s](#%s)", (*c).Title, (*c).ID), (*c).LegacyCode(), (*c).Successors(), (*c).How()}
	})
}

func (g *Page) markdownCall(w *markdownWriter, c *Call) {
	w.anchor(c.ID)
	w.heading(3, c.Title)
	w.line("%s → %s", c.LegacyCode(), c.Successors())
	if c.Why != "" {
		w.line("%s %s", c.Why, c.Instead)
	}
	w.commands("Before:", c.Example.Legacy)
	w.commands("Now:", c.Example.V1)
	w.list(c.Notes)
	switch {
	case c.FieldsAs != "":
		w.line("%s", g.FieldsNote(c))
	case len(c.Fields) > 0:
		w.line("%s", g.FieldsNote(c))
		w.fields(c.RequestTable())
	}
	if c.Acknowledges || c.ElementsAs != "" || c.Kind == translate.Local {
		w.line("%s", g.ElementsNote(c))
	} else if len(c.Elements) > 0 {
		w.line("%s", g.ElementsNote(c))
		w.fields(c.AnswerTable())
	}
	g.markdownEnumerations(w, c.Values)
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

// markdownEnumerations writes tables of values.
func (g *Page) markdownEnumerations(w *markdownWriter, tables []ValueTable) {
	for i := range tables {
		table := &tables[i]
		w.anchor(table.ID)
		w.line("**Values: %s.** %s", table.Name, table.About)
		writeTable(w, []string{"`/rest`", "`/v1`"}, table.Pairs, func(pair *Value) []string { return []string{code(pair.Legacy), code(pair.V1)} })
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

func (g *Page) markdownNotifications(w *markdownWriter) {
	w.line("%s", g.Note("notifications"))
	for i := range g.Notifications {
		e := &g.Notifications[i]
		w.anchor(e.Type)
		w.line("**%s → %s:** %s.", code(e.Type), code(e.Event), e.When)
		if e.Words != "" {
			w.line("%s", e.Words)
		}
		w.fields(e.Table())
	}
	w.line("These events have no notification:")
	for i := range g.NewEvents {
		w.item("%s: %s", code(g.NewEvents[i].Event), g.NewEvents[i].When)
	}
	w.line("")
}

func (g *Page) markdownErrors(w *markdownWriter) {
	w.line("%s", g.Note("errors"))
	w.line("Texts that old programs compare, and the codes to compare in their place:")
	writeTable(w, []string{"`errorMsg`", "`code`", "Status", "When"}, g.Refusals.Texts, func(r *Refusal) []string {
		return []string{r.Says, r.link(), fmt.Sprint(r.Status), r.When}
	})
	w.line("What every call may be refused with:")
	w.refusals(g.Refusals.Every)
	w.line("Codes that you only meet in `/v1`, which is stricter and can do more:")
	w.refusals(g.Refusals.OnlyV1)
}

func (g *Page) markdownNew(w *markdownWriter) {
	w.line("%s", g.Note("new"))
	for i := range g.New {
		group := &g.New[i]
		w.line("**%s**", group.Title)
		writeTable(w, []string{"Operation", "What it does"}, group.Operations, func(o *NewOperation) []string {
			return []string{code(o.Method + " " + o.Path), o.Does}
		})
	}
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
