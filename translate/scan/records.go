package scan

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"sellerd/translate"
	"sellerd/translate/capture"
)

// This file finds calls in records of requests: what package capture reads is compared with the tables.

// recordKind returns the kind of a record, capture.Unknown for a file that is none.
func recordKind(kind fileKind, name string, head []byte) capture.Kind {
	switch extension := strings.ToLower(filepath.Ext(name)); {
	case kind == kindLog:
		return capture.Lines
	case kind == kindHTTP:
		return capture.HTTP
	case kind != kindJSON:
		return capture.Unknown
	case extension == ".har":
		return capture.HAR
	case extension == ".jsonl" || extension == ".ndjson":
		return capture.Lines
	}
	switch found := capture.Sniff(head); found {
	case capture.HAR, capture.Postman:
		return found
	case capture.Lines:
		if _, rest, ok := bytes.Cut(bytes.TrimSpace(head), []byte("\n")); !ok || bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) {
			return found
		}
	}
	return capture.Unknown
}

// maxLike is the number of findings of a record from which on those of the same call are counted and not listed.
const maxLike = 20_000

// recorder collects the findings of a record.
type recorder struct {
	scan     *scanner
	name     string
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

// readRecords reads a record piece by piece. read is false when it is none after all, or ends in the middle.
func (s *scanner) readRecords(kind capture.Kind, entry *entryFile, r io.Reader) (read bool) {
	rec := &recorder{scan: s, name: redacted(entry.name), waiting: map[string][]Finding{}, ours: map[string]bool{}, like: map[string]int{}}
	err := capture.Read(kind, transform.NewReader(r, unicode.BOMOverride(transform.Nop)), rec.add)
	if err == nil && rec.lost {
		err = errTooMany
	}
	for base, findings := range rec.waiting {
		if rec.ours[base] {
			for i := range findings {
				rec.list(&findings[i])
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.findings = append(s.findings, rec.findings...)
	if err != nil {
		s.partial = append(s.partial, rec.name)
	}
	return err == nil
}

// add adds the finding of a request, if it is a call.
func (rec *recorder) add(r capture.Request) {
	s := rec.scan
	f := Finding{File: rec.name, Line: r.Line, Column: r.Column, Confidence: Certain, Count: 1}
	if r.Call != "" {
		if plan := s.table.Lookup(r.Call); plan != nil {
			f.Call, f.Fields = plan.ID, inOrder(plan, r.Fields)
			rec.list(&f)
		}
		return
	}
	address := strings.Map(func(c rune) rune {
		if c == mark {
			return ' '
		}
		return c
	}, r.Address())
	m, ok := s.matcher.match(value{{text: address, file: &source{}}})
	if !ok || m.open {
		return
	}
	method := r.Method
	if method == "HEAD" {
		method = "GET"
	}
	fields := slices.Clone(m.fields)
	pairs, err := translate.ParseForm(r.Body)
	if err == nil && !strings.HasPrefix(r.Body, "{") && !strings.HasPrefix(r.Body, "<") {
		for _, pair := range pairs {
			name, _, _ := strings.Cut(pair.Name, "[")
			fields = append(fields, name)
		}
	}
	given, err := translate.NewFields(pairs)
	if err != nil {
		given = nil
	}
	var plan *translate.Plan
	for _, p := range m.plans {
		if p.Method == method && (p.Match == (translate.Match{}) && plan == nil || p.Match != (translate.Match{}) && p.Match.Takes(given)) {
			plan = p
		}
	}
	if plan == nil {
		return
	}
	f.Call, f.Fields = plan.ID, inOrder(plan, fields)
	base, _, _ := strings.Cut(address, "/"+strings.TrimPrefix(strings.SplitN(plan.Pattern, "/", 3)[2], ""))
	if i := strings.Index(address, "}}"); i > 0 {
		base = address[:i]
	}
	switch {
	case m.base == baseOurs:
	case m.base == baseHole && strings.Contains(m.host, "{") || m.base == baseHole && m.host == "":
		f.Confidence = Likely
		if m.root || m.level > 1 {
			rec.ours[base] = true
			break
		}
		rec.wait(base, &f)
		return
	case m.base == baseHole && m.root, r.Bare && m.root:
		f.Confidence = Likely
		f.Notes = append(f.Notes, "The record does not name the host.")
	case r.Bare && m.level == 3:
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
		for i := range waiting[:min(len(waiting), maxFew)] {
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
