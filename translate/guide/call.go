package guide

import (
	"net/url"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/translate/command"
	"sellerd/v1"
)

// This file makes the section about a call. What an earlier section shows already is linked and not repeated.

// alreadyShown is what earlier sections show: for each content the id of the call.
type alreadyShown struct {
	fields, elements map[string]string
	values           map[*translate.Converter]string
	samples          map[string]bool
}

func newCall(p *translate.Plan, g *Page, phase *Phase, seen *alreadyShown) *Call {
	c := &Call{
		ID: p.ID, URL: g.BaseURL + address(p.ID), Title: p.Title, Phase: phase.ID, Kind: p.Target.Kind, Legacy: Endpoint{p.Method, p.Pattern},
		Why: marked(p.Target.Why), Instead: marked(p.Target.Instead), Example: commandPair(p, g.BaseURL), Each: p.Each, Element: p.Element,
	}
	for _, note := range p.Notes {
		c.Notes = append(c.Notes, marked(note))
	}
	if note := placesNote(p.Names); note != "" {
		c.Notes = append(c.Notes, note)
	}
	if p.ListOf != "" {
		c.Notes = append(c.Notes, marked(translate.WholeListNote))
	}
	if note := p.Guide.Note; note != "" {
		c.Notes = append(c.Notes, note)
	}
	if strings.Contains(c.Example.V1, "$ACT") { // readers come to a call without having read how to begin
		c.Notes = append(c.Notes, g.texts.note("act"))
	}
	for i := range p.Target.Steps {
		step := &p.Target.Steps[i]
		c.V1 = append(c.V1, Step{step.Operation.Method, step.Operation.Pattern, step.Purpose})
		if step.Main {
			c.main = c.V1[i]
		}
	}
	c.Fields = requestRows(p)
	setPaths(p.Call, c.Fields)
	if len(c.Fields) > 3 {
		c.FieldsAs = sameAs(seen.fields, c.Fields, p.ID)
	}
	c.Acknowledges, c.answer = p.Acknowledges(), p.Guide.Answer
	if result, _ := p.Target.ResultType(); result != nil {
		for i := range p.Out {
			c.Elements = append(c.Elements, answerRow(p.Call, &p.Out[i], result))
		}
		c.Objects = objectsOf(p.Call)
	}
	if len(c.Elements) > 3 {
		c.ElementsAs = sameAs(seen.elements, c.Elements, p.ID)
	}
	rows := slices.Concat(p.In, p.Out)
	c.Values, c.allValues = valueTables(rows, seen.values, p.ID), valueTables(rows, map[*translate.Converter]string{}, p.ID)
	c.Refusals = callRefusals(p.Call)
	c.More = moreSamples(p, seen.samples)
	return c
}

// requestRows returns the fields of a request: first those of the path, then those of the tables, then those of paging.
func requestRows(p *translate.Plan) (rows []Field) {
	for _, name := range translate.PathParts(p.Pattern) {
		if !slices.ContainsFunc(p.In, func(row translate.Row) bool { return row.Legacy == name }) {
			rows = append(rows, pathRow(p.Call, name))
		}
	}
	if p.TakesKey {
		rows = append(rows, Field{Legacy: "apikey", V1: "@X-Api-Key", Required: true, Value: "the same text", Words: "with every request"})
	}
	if field := p.Match.Field; field != "" {
		rows = append(rows, Field{Legacy: field, Required: true, Loss: string(translate.Dropped), Words: "any type that begins with `" + p.Match.Prefix + "`"})
	}
	for i := range p.In {
		row := requestRow(p.Call, &p.In[i])
		if last := len(rows) - 1; last >= 0 && p.In[i].Const != "" && p.In[i].When == "" && rows[last].Legacy == "" && rows[last].V1 == row.V1 {
			rows[last].Words += " or `" + p.In[i].Const + "`"
			continue
		}
		rows = append(rows, row)
	}
	if p.Paged {
		rows = append(rows, pagingRows(p)...)
	}
	return rows
}

// sameAs returns the id of the call that shows the same rows already, "" when this call is the first.
func sameAs(shown map[string]string, rows []Field, id string) string {
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.Join([]string{row.Legacy, row.V1, row.Value, row.Default, row.Words}, "\x00") + "\n")
	}
	if other, ok := shown[b.String()]; ok {
		return other
	}
	shown[b.String()] = id
	return ""
}

// longForm is the length in bytes from which on a form is an example of all fields.
const longForm = 300

// moreSamples returns the samples that show more than the tables. It leaves out samples of a single value, which the tables of
// values show, and samples that another section shows.
func moreSamples(p *translate.Plan, seen map[string]bool) (more []MoreSample) {
	if p.Target.Operation() == nil || len(p.Samples) == 1 {
		return nil
	}
	for i := range p.Samples {
		sample := &p.Samples[i]
		pairs, err := translate.ParseForm(sample.Form)
		if err != nil {
			panic("guide: the sample " + sample.Name + " of " + p.ID + " is no form")
		}
		key := sample.Name + "\x00" + sample.Form
		if len(sample.Form) > longForm {
			key = "long" // one is enough
		}
		ofOneValue := slices.ContainsFunc(pairs, func(pair translate.Pair) bool {
			return pair.Text != "" && (sample.Name == pair.Text || strings.HasSuffix(sample.Name, " "+pair.Text))
		})
		if ofOneValue || seen[key] {
			continue
		}
		seen[key] = true // once for calls with the same fields
		path := p.Pattern
		for name, text := range sample.Path {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
		}
		more = append(more, MoreSample{marked(sample.Name), path, sample.Form, sampleLines(p, sample, pairs), sample.Note})
	}
	return more
}

// sampleLines returns what a sample means: the lines of its requests, each POST with an Idempotency-Key, or the refusal.
func sampleLines(p *translate.Plan, sample *translate.Sample, pairs []translate.Pair) []string {
	fields, err := translate.NewFields(pairs)
	if err != nil {
		return sample.V1
	}
	means, refused := p.Decode(sample.Path, fields)
	if refused != nil {
		return sample.V1
	}
	var lines []string
	for _, r := range command.Requests(p, means) {
		var key []string
		if r.Key != "" {
			key = []string{command.KeyHeader + ": " + strings.ReplaceAll(r.Key, command.ActPart, "$ACT")}
		}
		lines = append(lines, r.Lines(key...)...)
	}
	return lines
}

// callRefusals returns the codes of a call, without those of every call.
func callRefusals(call *translate.Call) (refusals []Refusal) {
	codes := slices.Concat(call.Codes(), call.EntryCodes())
	switch call.Target.Kind {
	case translate.Absent: // the section has the reason
		return []Refusal{{
			Code: v1.InvalidValue, Status: v1.Errors{{Code: v1.InvalidValue}}.Status(), Meaning: "This call is not there any more.",
			Says: call.Target.Why + " " + call.Target.Instead, Remedy: marked(call.Target.Instead),
		}}
	case translate.Local: // it has no field that could be invalid
		codes = call.Refuses
	}
	general := translate.GeneralCodes()
	for _, info := range v1.ErrorCatalogue {
		if slices.Contains(codes, info.Code) && !slices.Contains(general, info.Code) {
			refusals = append(refusals, refusalWords(info.Code))
		}
	}
	return refusals
}
