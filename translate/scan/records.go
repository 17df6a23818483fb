package scan

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sellerd/translate"
	"sellerd/translate/capture"
)

// This file finds calls in records of requests: what package capture reads is compared with the tables.

// record is a file with records of requests.
type record struct {
	kind capture.Kind
	io.Reader
	io.Closer
}

// recordKind returns the kind of a record, capture.Unknown for a file that is none.
func recordKind(kind, name string, head []byte) capture.Kind {
	switch extension := strings.ToLower(filepath.Ext(name)); {
	case kind == "lines":
		return capture.Lines
	case kind == "http":
		return capture.HTTP
	case kind != "json":
		return capture.Unknown
	case extension == ".har":
		return capture.HAR
	}
	switch found := capture.Sniff(head); found {
	case capture.HAR, capture.Postman:
		return found
	case capture.Lines:
		_, rest, several := bytes.Cut(bytes.TrimSpace(head), []byte("\n")) // one object is settings, unless the bridge recorded it
		if several && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) || !several && bytes.Contains(head, []byte(`"call":`)) && bytes.Contains(head, []byte(`"at":`)) {
			return found
		}
	}
	return capture.Unknown
}

// maxLike is the number of findings of a file from which on those of the same call are counted and not listed.
const maxLike = 20_000

// recorder collects the findings of a record.
type recorder struct {
	scan     *scanner
	program  string // its folder
	findings []Finding
	waiting  map[string][]Finding // of addresses whose host only a running program knows, by the text before the path
	ours     map[string]bool
	like     map[string]int
	held     int  // how many findings wait
	lost     bool // a finding is neither listed nor counted
}

// maxBase is how long the text before a path may be, in bytes.
const maxBase = 4 << 10

// errTooMany is about a record with very many addresses whose host only a running program knows.
var errTooMany = errors.New("it has too many addresses without a host")

// readRecords reads a record piece by piece. whole is false when it ends in the middle.
func (s *scanner) readRecords(from *record, program string) (found []Finding, whole bool) {
	rec := &recorder{scan: s, program: program, waiting: map[string][]Finding{}, ours: map[string]bool{}, like: map[string]int{}}
	err := capture.Read(from.kind, transform.NewReader(from, unicode.BOMOverride(transform.Nop)), rec.add)
	if err == nil && rec.lost {
		err = errTooMany
	}
	for base, findings := range rec.waiting {
		if rec.ours[base] || s.world.any && strings.Contains(base, "{{") {
			for i := range findings {
				rec.list(&findings[i])
			}
		}
	}
	return rec.findings, err == nil
}

// add adds the finding of a request, if it is a call.
func (rec *recorder) add(r capture.Request) {
	s := rec.scan
	f := Finding{Line: r.Line, Column: r.Column, Confidence: Certain, Count: 1}
	if r.Call != "" {
		if plan := s.table.Lookup(r.Call); plan != nil {
			f.Call, f.Fields = plan.ID, inOrder(plan, r.Fields)
			rec.list(&f)
		}
		return
	}
	address := strings.ReplaceAll(r.Address(), string(hole), " ")
	address = variable.ReplaceAllStringFunc(address, func(name string) string {
		for _, program := range []string{rec.program, ""} {
			if c, ok := s.world.consts[program+"/"+simple(strings.Trim(name, "{} "))]; ok && !c.many {
				return strings.TrimPrefix(c.text, schemeBefore(address, name))
			}
		}
		return strings.ReplaceAll(name, " ", "")
	})
	found := s.matcher.find(address)
	if len(found) == 0 || found[0].open || !found[0].whole {
		return
	}
	m := found[0]
	method := r.Method
	if method == "HEAD" {
		method = "GET"
	}
	_, query, _ := strings.Cut(address, "?")
	pairs, err := translate.ParseForm(query)
	var fields []string
	if body, bodyErr := translate.ParseForm(r.Body); bodyErr == nil && !strings.HasPrefix(r.Body, "{") && !strings.HasPrefix(r.Body, "<") {
		pairs = append(pairs, body...)
	}
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair.Name, "[")
		fields = append(fields, name)
	}
	_ = err
	given, err := translate.NewFields(pairs)
	if err != nil {
		given = nil
	}
	var plan *translate.Plan
	for _, p := range m.plans() {
		if p.Method == method && (p.Match == (translate.Match{}) && plan == nil || p.Match != (translate.Match{}) && p.Match.Takes(given)) {
			plan = p
		}
	}
	if plan == nil {
		return
	}
	f.Call, f.Fields = plan.ID, inOrder(plan, fields)
	base := address[m.before:m.at]
	switch {
	case m.base == baseOurs:
	case m.base == baseHole:
		f.Confidence = Likely
		if m.route.level < 2 && !strings.Contains(base, "/"+translate.Root) {
			rec.wait(base, &f)
			return
		}
		rec.ours[base] = true
	case m.base == baseRest && r.Bare || m.base == baseRest && strings.Contains(base, "{"):
		f.Confidence = Likely
		f.Notes = append(f.Notes, "The record does not name the host.")
	case r.Bare && m.route.level == 3:
		f.Confidence = Possible
		f.Notes = append(f.Notes, "The record does not name the host.")
	default:
		return
	}
	rec.list(&f)
}

// wait keeps a finding until the record is read. Of very many, those of the same call and the same base count as one.
func (rec *recorder) wait(base string, f *Finding) {
	if len(base) > maxBase {
		rec.lost = true
		return
	}
	waiting := rec.waiting[base]
	if rec.held >= maxLike {
		for i := range waiting[:min(len(waiting), 20)] {
			if waiting[i].Call == f.Call {
				waiting[i].Count++
				return
			}
		}
		if rec.held >= 2*maxLike {
			rec.lost = true // the record has ever new addresses without a host
			return
		}
	}
	rec.held++
	rec.waiting[base] = append(waiting, *f)
}

// list adds a finding. Of very many, those of the same call count as one.
func (rec *recorder) list(f *Finding) {
	if len(rec.findings) >= maxLike {
		if i, ok := rec.like[f.Call]; ok {
			rec.findings[i].Count += f.Count
			return
		}
	}
	rec.like[f.Call] = len(rec.findings)
	rec.findings = append(rec.findings, *f)
}

// variable is a name in an address that a record does not know.
var variable = regexp.MustCompile(`\{\{[^{}]*\}\}`)

// schemeBefore returns the scheme that stands before a variable already.
func schemeBefore(address, name string) string {
	if i := strings.Index(address, name); i >= 3 && address[i-3:i] == "://" {
		return address[:i]
	}
	return ""
}
