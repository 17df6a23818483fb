package scan

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sellerd/translate"
	"sellerd/translate/guide"
)

// Options say what is scanned.
type Options struct {
	Paths    []string // files and folders. Mandatory.
	Hosts    []string // of the service, besides that of the old interface
	BaseURL  string   // of the service, without a trailing slash, for commands and links. Mandatory.
	Progress Progress // nil for none
}

// Progress gets the number of files that are to be read, and then a call for each that was read. Its calls come one after another.
type Progress interface {
	Begin(files int)
	Done()
}

// Confidence says how sure a finding is.
type Confidence string

// The confidences: the address and the method are known; one of them follows from the code around; one of them is a guess.
const (
	Certain  Confidence = "certain"
	Likely   Confidence = "likely"
	Possible Confidence = "possible"
)

// Finding is a place that makes a call of /rest.
type Finding struct {
	File       string     `json:"file" doc:"as the paths of the scan name it, with slashes"`
	Line       int        `json:"line" doc:"from 1"`
	Column     int        `json:"column" doc:"in characters, from 1"`
	Call       string     `json:"call" doc:"its id in the migration guide"`
	Method     string     `json:"method"`
	Path       string     `json:"path" doc:"its pattern"`
	Confidence Confidence `json:"confidence"`
	Fields     []string   `json:"fields" doc:"the fields of the call that are sent, as far as they are written there"`
	V1         *Endpoint  `json:"v1" doc:"the operation that takes the fields, null when there is none"`
	Curl       string     `json:"curl" doc:"the request of /v1 as the guide shows it"`
	Notes      []string   `json:"notes"`
	GuideURL   string     `json:"guide_url"`
	Count      int        `json:"count" doc:"like places of the line, or of a record"`
}

// Endpoint is a method and a path.
type Endpoint struct {
	Method string `json:"method"`
	Path   string `json:"path"`
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

	// Partial are files that were not read to their ends: records that end in the middle, and files that take too long to
	// understand. They count as skipped. What was found before is among the findings.
	Partial []string `json:"partial,omitempty" doc:"the skipped files that were read in part, in order; absent when there are none"`
}

// Run scans. Its error is about a path that cannot be read, or that of the context.
func Run(ctx context.Context, table *translate.Table, options Options) (*Report, error) {
	s := &scanner{table: table, options: options, matcher: newMatcher(table, options.Hosts)}
	s.world = &world{
		scan: s, names: map[spot][]farName{}, funcs: map[spot][]farFunction{}, senders: map[spot][]*sender{}, evidence: map[string]bool{}, hot: map[string]bool{},
		clients: map[string]baseKind{},
	}
	defer context.AfterFunc(ctx, func() { s.stop.Store(true) })()
	if err := s.walk(ctx); err != nil {
		return nil, err
	}
	if err := s.read(ctx); err != nil {
		return nil, err
	}
	if err := s.search(ctx); err != nil {
		return nil, err
	}
	return s.report(), nil
}

// report makes the report of what was found.
func (s *scanner) report() *Report {
	page := guide.New(s.table, s.options.BaseURL)
	r := &Report{Version: 1, Findings: s.findings, Summary: Summary{Calls: map[string]int{}, Files: s.files, Skipped: s.skipped, Partial: s.partial}, guide: page}
	for _, f := range s.sources {
		if !f.budget.whole() {
			r.Summary.Files--
			r.Summary.Skipped++
			r.Summary.Partial = append(r.Summary.Partial, f.path)
		}
	}
	slices.Sort(r.Summary.Partial)
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
	for i := range r.Findings {
		s.complete(&r.Findings[i], page)
		r.Summary.Calls[r.Findings[i].Call] += r.Findings[i].Count
	}
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		if c := strings.Compare(a.File, b.File); c != 0 {
			return c
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		if a.Column != b.Column {
			return a.Column - b.Column
		}
		return strings.Compare(a.Call, b.Call)
	})
	return r
}

// complete adds what the tables and the guide say of a call.
func (s *scanner) complete(f *Finding, page *guide.Page) {
	plan := s.table.Lookup(f.Call)
	f.Path, f.GuideURL = plan.Pattern, page.BaseURL+translate.GuidePath+"#"+plan.ID
	if f.Method == "" {
		f.Method = plan.Method
	}
	if o := plan.Target.Operation(); o != nil {
		f.V1 = &Endpoint{o.Method, o.Pattern}
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
	if f.Fields == nil {
		f.Fields = []string{}
	}
	if f.Notes == nil {
		f.Notes = []string{}
	}
}
