package guide

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"sellerd/internal/base/pattern"
	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

// This file reads the texts of the guide, which are Markdown with words to fill in. They are no template of Go's: programs that show the guide to
// sellers would be ten megabytes larger with that package.

//go:embed texts.md
var textsSource string

// fillIn replaces the words in braces. {error CODE} is a code of errors that there is.
func fillIn(text string, words map[string]any) string {
	return inBraces().ReplaceAllStringFunc(text, func(found string) string {
		name := strings.Trim(found, "{}")
		if code, ok := strings.CutPrefix(name, "error "); ok {
			return string(refusalWords(v1.Code(code)).Code)
		}
		word, ok := words[name]
		if !ok {
			panic("guide: the texts ask for " + found)
		}
		return fmt.Sprint(word)
	})
}

var inBraces = pattern.Late(`\{\{[A-Za-z_ ]+\}\}`)

// passage is an entry of a section: paragraphs, and commands with the paragraphs that introduce them.
type passage struct {
	title string
	text  []string
	setup []Setup
}

// texts are the passages of the guide by their sections. The first of a section has what stands before its entries.
type texts map[string][]passage

// newTexts fills in what the texts say of a service.
func newTexts(base string) texts {
	_, host, _ := strings.Cut(base, "://")
	host, _, _ = strings.Cut(host, "/")
	filled := fillIn(textsSource, map[string]any{
		"Base": base, "Host": host, "Zone": translate.LegacyZone, "Calendar": CalendarPath,
		"Deprecated": day(translate.Deprecated), "Sunset": day(translate.Sunset), "UsageDays": v1.LegacyUsageDays,
		"SessionMinutes": translate.SessionMinutes, "RepeatHours": translate.RepeatHours,
		"DefaultWindow": translate.DefaultWindow, "MaxWindow": translate.MaxWindow, "DefaultPage": v1.DefaultPageSize, "MaxPage": v1.MaxPageSize,
		"SetAct": command.SetAct, "KeyHeader": command.KeyHeader,
		"DrillHeader": translate.DrillHeader, "DrillsPath": v1.CreateLegacyDrill.Pattern,
		"NamesInBills": placesNote(placesOf(v1.BrowseBills.Operation, translate.SoldNames)),
	})
	all := texts{}
	for section := range strings.SplitSeq(filled, "\n# ") {
		name, rest, _ := strings.Cut(section, "\n")
		for entry := range strings.SplitSeq(rest, "\n## ") {
			all[name] = append(all[name], newPassage(entry))
		}
	}
	return all
}

// newPassage reads an entry. Its first line is the title, which is empty before the first entry.
func newPassage(entry string) (p passage) {
	title, rest, _ := strings.Cut(entry, "\n")
	p.title = title
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimLeft(rest, "\n") {
		var text string
		if commands, ok := strings.CutPrefix(rest, "```sh\n"); ok {
			last := len(p.text) - 1
			text, rest, _ = strings.Cut(commands, "\n```")
			p.text, p.setup = p.text[:last], append(p.setup, Setup{p.text[last], text})
			continue
		}
		text, rest, _ = strings.Cut(rest, "\n\n")
		p.text = append(p.text, strings.ReplaceAll(text, "\n", " "))
	}
	return p
}

// note returns a text around the tables.
func (t texts) note(name string) string {
	for _, p := range t["notes"] {
		if p.title == name {
			return p.text[0]
		}
	}
	panic("guide: there is no note " + name)
}

// timeline returns the dates of the end.
func (t texts) timeline() (moments []Moment) {
	for _, p := range t["timeline"][1:] {
		moments = append(moments, Moment{p.title, p.text[0]})
	}
	return moments
}

// differences returns what the guide says once for all calls. TestWhatTheGuideSaysOfAllCallsIsSo checks the part that can be executed.
func (t texts) differences() (all []Difference) {
	for _, p := range t["differences"][1:] {
		all = append(all, Difference{p.title, p.text[0], p.text[1]})
	}
	return all
}

// phases returns the order in which to move.
func (t texts) phases() (all []Phase) {
	for _, id := range []translate.Phase{
		translate.PhaseKeys, translate.PhaseReading, translate.PhaseListing, translate.PhaseSales, translate.PhaseNotifications, translate.PhaseOff,
	} {
		p := t[string(id)][1]
		all = append(all, Phase{ID: id, Title: p.title, Short: p.text[0], Text: p.text[1:], Setup: p.setup})
	}
	return all
}

// day formats a date for readers.
func day(t time.Time) string { return t.Format("2 January 2006") }
