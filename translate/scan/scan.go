package scan

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/translate"
	"sellerd/translate/guide"
)

// Options say what is scanned.
type Options struct {
	Paths    []string   // files and folders. Mandatory.
	Hosts    []string   // of the service, besides that of the old interface
	BaseURL  string     // of the service, without a trailing slash, for commands and links. Mandatory.
	Only     Confidence // the least confidence of a finding; "" for Possible
	Progress Progress   // nil for none
}

// Progress gets the number of files that are to be read, and then a call for each that was read. Its calls come one after another.
type Progress interface {
	Begin(files int)
	Done()
}

// Confidence says how sure a finding is.
type Confidence string

type plan = translate.Plan

// The confidences: the address and the method are known; one of them follows from the code around; one of them is a guess.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// Finding is a place that makes a call of /rest.
type Finding struct {
	File       string          `json:"file" doc:"as the paths of the scan name it, with slashes"`
	Line       int             `json:"line" doc:"from 1"`
	Column     int             `json:"column" doc:"in characters, from 1"`
	Call       string          `json:"call" doc:"its id in the migration guide"`
	Method     string          `json:"method"`
	Path       string          `json:"path" doc:"its pattern"`
	Confidence Confidence      `json:"confidence"`
	Fields     []string        `json:"fields" doc:"the fields of the call that are sent, as far as they are written there"`
	V1         *guide.Endpoint `json:"v1" doc:"the operation that takes the fields, null when there is none"`
	Curl       string          `json:"curl" doc:"the request of /v1 as the guide shows it"`
	Notes      []string        `json:"notes"`
	GuideURL   string          `json:"guide_url"`
	Count      int             `json:"count" doc:"like places of the line, or of a file with very many"`
}

// Report is the result of a scan.
type Report struct {
	Version  int       `json:"version"`
	Findings []Finding `json:"findings" doc:"in the order of files and lines"`
	Summary  Summary   `json:"summary"`

	guide *guide.Page
}

// Summary counts.
type Summary struct {
	Calls   map[string]int `json:"calls" doc:"places by the id of their call"`
	Files   int            `json:"files" doc:"that were read"`
	Skipped int            `json:"skipped" doc:"files and folders that were not"`

	// Partial are files that were not read to their ends: records that end in the middle or have too much, and files that the
	// scan cannot read because of a mistake of its own. What was found before is among the findings. Files and folders that the
	// system does not let the scan read are among them, and programs by their names that are no text. All count as skipped.
	Partial []string `json:"partial,omitempty" doc:"the skipped files and folders that were read in part or cannot be read, in order; absent when there are none"`
}

// Run scans. Its error is about a path that cannot be read, or that of the context.
func Run(ctx context.Context, table *translate.Table, options Options) (*Report, error) {
	s := newScanner(table, options)
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	if options.Progress != nil {
		options.Progress.Begin(len(s.entries))
	}
	s.each(ctx, s.learnFile)
	s.each(ctx, s.searchFile)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.report(), nil
}

func newScanner(table *translate.Table, options Options) *scanner {
	return &scanner{
		table: table, options: options, matcher: newMatcher(table, options.Hosts),
		world: &world{consts: map[string]constant{}, knows: map[string]bool{}, paths: map[string]bool{}, used: map[string]map[string]bool{}},
	}
}

// report makes the report of what was found.
func (s *scanner) report() *Report {
	page := guide.New(s.table, s.options.BaseURL)
	r := &Report{Version: 1, Summary: Summary{Calls: map[string]int{}, Files: s.files, Skipped: s.skipped, Partial: s.partial}, guide: page}
	slices.Sort(r.Summary.Partial)
	r.Findings = make([]Finding, 0, len(s.findings))
	for _, f := range s.findings {
		calls, used := []string{f.Call}, s.world.used[f.name]
		if used != nil && !f.sure {
			calls = s.named(&f)
		}
		if used != nil {
			f.Confidence = Possible // the path of a constant: the calls are where the constant is used
		}
		for _, call := range calls {
			f.Call = call
			r.Findings = append(r.Findings, f.Finding)
		}
	}
	if s.options.Only != "" {
		r.Findings = slices.DeleteFunc(r.Findings, func(f Finding) bool { return surer(s.options.Only, f.Confidence) != f.Confidence })
	}
	order := func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, strings.Compare(a.Call, b.Call))
	}
	slices.SortStableFunc(r.Findings, order)
	r.Findings = slices.CompactFunc(r.Findings, func(a, b Finding) bool { return order(a, b) == 0 })
	for i := range r.Findings {
		s.complete(&r.Findings[i], page)
		r.Summary.Calls[r.Findings[i].Call] += r.Findings[i].Count
	}
	return r
}

// named returns the calls that are made with the path of a constant: those whose paths begin like that of its place, or else that one.
func (s *scanner) named(f *place) (calls []string) {
	begin, _, _ := strings.Cut(s.table.Lookup(f.Call).Pattern, "{")
	for call, sure := range s.world.used[f.name] {
		if sure && strings.HasPrefix(s.table.Lookup(call).Pattern, begin) {
			calls = append(calls, call)
		}
	}
	if len(calls) == 0 {
		return []string{f.Call}
	}
	return calls
}

// inOrder returns fields once each, in the order of the tables.
func inOrder(plan *plan, fields []string) []string {
	return slices.DeleteFunc(slices.Clone(plan.FieldNames()), func(name string) bool { return !slices.Contains(fields, name) })
}

// complete adds what the tables and the guide say of a call.
func (s *scanner) complete(f *Finding, page *guide.Page) {
	plan := s.table.Lookup(f.Call)
	f.Path, f.GuideURL = plan.Pattern, page.BaseURL+translate.GuidePath+"#"+plan.ID
	if f.Method == "" {
		f.Method = plan.Method
	}
	if o := plan.Target.Operation(); o != nil {
		f.V1 = &guide.Endpoint{Method: o.Method, Path: o.Pattern}
	}
	if section := page.Call(plan.ID); section != nil {
		f.Curl = section.Example.V1
	}
	if plan.Target.Why != "" {
		f.Notes = append(f.Notes, strings.TrimSpace(plan.Target.Why+" "+plan.Target.Instead))
	}
	for i := range plan.Call.In {
		row := &plan.Call.In[i]
		if row.Loss.Kind != translate.None && row.Legacy != "" && slices.Contains(f.Fields, row.Legacy) {
			f.Notes = append(f.Notes, fmt.Sprintf("%s is %s: %s", row.Legacy, row.Loss.Kind, row.Loss.Why))
		}
	}
	f.Fields, f.Notes = append([]string{}, f.Fields...), append([]string{}, f.Notes...) // and not null
}

// Write prints a report in a format: text, json or sarif.
func (r *Report) Write(w io.Writer, format string) error {
	switch format {
	case "json":
		return writeJSON(w, r)
	case "sarif":
		return r.sarif(w)
	default:
		return r.text(w)
	}
}

func writeJSON(w io.Writer, value any) error {
	if err := json.MarshalWrite(w, value, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return write(w, "\n")
}

// Text returns the calls of one text whose language is known: the certain and the likely ones, with their lines, methods and fields.
func Text(table *translate.Table, kind, text string) (found []Finding) {
	s := newScanner(table, Options{})
	s.single = true
	s.learn(kind, "text", text)
	places, uses := s.search(kind, "text", text)
	for _, p := range places {
		if p.Confidence != Possible && !slices.ContainsFunc(uses, func(u use) bool { return u.name == p.name }) {
			found = append(found, p.Finding)
		}
	}
	return found
}
