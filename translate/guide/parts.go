package guide

import (
	"slices"

	"sellerd/translate"
)

// This file divides the guide into pages: an index, and a page for each call, each step, and each topic. A page's address is
// that of the index with the section's anchor behind it, as /migration/item-create. Links to the anchors in the index, which
// older releases printed and answers of /rest still contain, lead to an entry there that links to the page.

// PrintPath is where the service shows the whole guide on one page, and CalendarPath where it has the days of the end.
const (
	PrintPath    = translate.GuidePath + "/print"
	CalendarPath = translate.GuidePath + ".ics"
)

// Part is a page of the guide.
type Part struct {
	ID    string // its anchor in the whole guide, and the last part of its address
	Title string
	About string // of a topic: in a few words, as Markdown
	Call  *Call  // nil for a step or a topic
	Phase *Phase // the step, also that of a call, nil for a topic
}

// Path is the address of the page.
func (p *Part) Path() string { return address(p.ID) }

// IsTopic says whether the page is about many calls.
func (p *Part) IsTopic() bool { return p.Phase == nil }

// The topics that a reader needs before the calls, and those that follow them.
var (
	topicsBefore = []Part{
		{ID: "begin", Title: "Before you begin", About: "the variables of all commands"},
		{ID: "differences", Title: "What is different everywhere", About: "keys, JSON, refusals, paging, limits"},
		{ID: "values", Title: "How values are written", About: "money, dates, numbers, and every enumeration"},
		{ID: "latin-1", Title: "Programs in Latin-1 or Windows-1252", About: "what to send when your texts are not UTF-8"},
	}
	topicsAfter = []Part{
		{ID: "notifications", Title: "What each notification becomes", About: "each type with its event and its members"},
		{ID: "errors", Title: "Errors", About: "the texts that old programs compare, and their codes"},
		{ID: "gone", Title: "What has no successor", About: "calls and fields that end with `/rest`, and what to do"},
		{ID: "new", Title: "What is new in `/v1`", About: "what no call of `/rest` leads to"},
	}
)

// Before returns the topics before the calls.
func (g *Page) Before() []Part { return topicsBefore }

// After returns the topics after the calls.
func (g *Page) After() []Part { return topicsAfter }

// Parts returns all pages of the guide without the index, in the order in which a reader goes through them.
func (g *Page) Parts() []Part {
	parts := slices.Clone(topicsBefore)
	for i := range g.Phases {
		phase := &g.Phases[i]
		parts = append(parts, Part{ID: string(phase.ID), Title: phase.Title, Phase: phase})
		for _, id := range phase.Calls {
			call := g.Call(id)
			parts = append(parts, Part{ID: id, Title: call.Title, Call: call, Phase: phase})
		}
	}
	return append(parts, topicsAfter...)
}

// Enumerations returns every enumeration once, in the order of the calls.
func (g *Page) Enumerations() (tables []ValueTable) {
	for _, call := range g.Calls {
		tables = append(tables, call.Values...)
	}
	return tables
}

// AllValues returns every enumeration of the call.
func (c *Call) AllValues() []ValueTable { return c.allValues }

// address returns the path of the page of a section.
func address(id string) string { return translate.GuidePath + "/" + id }

// addresses returns the path of every anchor of the whole guide, with a fragment for what is within a page.
func (g *Page) addresses() map[string]string {
	at := map[string]string{}
	for _, id := range []string{"top", "sunset", "index", "usage"} {
		at[id] = translate.GuidePath + "#" + id
	}
	for _, part := range g.Parts() {
		at[part.ID] = part.Path()
	}
	within := func(page, id string) { at[id] = address(page) + "#" + id }
	for i := range g.Conversions {
		within("values", g.Conversions[i].ID)
	}
	for _, table := range g.Enumerations() {
		within("values", table.ID)
	}
	for i := range g.Notifications {
		within("notifications", g.Notifications[i].Type)
	}
	return at
}

// Address returns the path of an anchor of the whole guide, with a fragment for what is within a page.
func (g *Page) Address(anchor string) string {
	if path, ok := g.places[anchor]; ok {
		return path
	}
	panic("guide: there is no anchor " + anchor)
}
