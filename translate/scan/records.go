package scan

import (
	"bytes"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
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
		bridge := bytes.Contains(head, []byte(`"call":`)) && bytes.Contains(head, []byte(`"at":`))
		if several && bytes.HasPrefix(bytes.TrimSpace(rest), []byte("{")) || !several && bridge {
			return found
		}
	}
	return capture.Unknown
}

// maxLike is the number of findings of a file from which on those of the same call are counted and not listed.
const maxLike = 20_000

// listing are the places of a file.
type listing struct {
	found []place
	last  map[string]int // the last place of a call
}

// add adds a place. Of like places of a line there is one, and of very many in a file as well.
func (l *listing) add(p *place) {
	if i, ok := l.last[p.Call]; ok && (l.found[i].Line == p.Line && l.found[i].base == p.base || len(l.found) >= maxLike) {
		l.found[i].Count++
		l.found[i].Confidence = surer(l.found[i].Confidence, p.Confidence)
		return
	}
	if l.last == nil {
		l.last = map[string]int{}
	}
	l.last[p.Call] = len(l.found)
	l.found = append(l.found, *p)
}

// recorder collects the findings of a record.
type recorder struct {
	listing
	scan    *scanner
	program string          // its folder
	ours    map[string]bool // what stands before paths that no other interface has
	lost    bool            // an address was too long
}

// maxBase is how long the text before a path may be, in bytes.
const maxBase = 4 << 10

// readRecords reads a record piece by piece. whole is false when it ends in the middle. Of addresses whose host only a running program
// knows, those are found whose base has other paths of the service, or is a variable beside a program that knows the service.
func (s *scanner) readRecords(from *record, program string) (found []place, whole bool) {
	rec := &recorder{scan: s, program: program, ours: map[string]bool{"": true}}
	err := capture.Read(from.kind, from, rec.request)
	theirs := func(p place) bool { return !rec.ours[p.base] && !(s.world.any && strings.Contains(p.base, "{{")) }
	return slices.DeleteFunc(rec.found, theirs), err == nil && !rec.lost
}

// request adds the finding of a request, if it is a call.
func (rec *recorder) request(r capture.Request) {
	s := rec.scan
	p := place{Finding: Finding{Line: r.Line, Column: r.Column, Confidence: Certain, Count: 1}}
	if r.Call != "" {
		if plan := s.table.Lookup(r.Call); plan != nil {
			p.Call, p.Fields = plan.ID, inOrder(plan, r.Fields)
			rec.add(&p)
		}
		return
	}
	address := rec.address(r)
	found := s.matcher.find(address)
	if len(found) == 0 || found[0].open || !found[0].whole {
		return
	}
	if found[0].base == baseHole && found[0].at-found[0].before > maxBase {
		rec.lost = true
		return
	}
	m := &found[0]
	plan, fields := planOf(m, r, address)
	if plan == nil {
		return
	}
	p.Call, p.Fields = plan.ID, inOrder(plan, fields)
	switch base := address[m.before:m.at]; {
	case m.base == baseOurs:
	case m.base == baseHole:
		p.Confidence, p.base = Likely, base
		rec.ours[base] = rec.ours[base] || m.route.level > 1 || strings.Contains(base, "/"+translate.Root)
	case m.base == baseRest && (r.Bare || strings.Contains(base, "{")), r.Bare && m.route.level == 3:
		p.Confidence = map[bool]Confidence{true: Likely, false: Possible}[m.base == baseRest]
		p.Notes = append(p.Notes, "The record does not name the host.")
	default:
		return
	}
	rec.add(&p)
}

// variable is a name in an address that a record does not know.
var variable = pattern.Late(`(\w+://)?\{\{([^{}]*)\}\}`)

// address returns the address of a request with the variables that settings have.
func (rec *recorder) address(r capture.Request) string {
	return variable().ReplaceAllStringFunc(strings.ReplaceAll(r.Address(), string(hole), " "), func(found string) string {
		parts := variable().FindStringSubmatch(found)
		for _, program := range []string{rec.program, ""} {
			if c := rec.scan.world.consts[program+"/"+simple(strings.TrimSpace(parts[2]))]; c.text != "" && !c.many {
				return parts[1] + strings.TrimPrefix(c.text, parts[1])
			}
		}
		return strings.ReplaceAll(found, " ", "")
	})
}

// planOf returns the call of a request to a path, and the fields that are sent.
func planOf(m *match, r capture.Request, address string) (plan *translate.Plan, fields []string) {
	_, query, _ := strings.Cut(address, "?")
	pairs, _ := translate.ParseForm(query)
	if body, err := translate.ParseForm(r.Body); err == nil && !strings.HasPrefix(r.Body, "{") && !strings.HasPrefix(r.Body, "<") {
		pairs = append(pairs, body...)
	}
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair.Name, "[")
		fields = append(fields, name)
	}
	given, _ := translate.NewFields(pairs) // none when their names cannot be read
	for _, p := range m.plans() {
		always := p.Match == (translate.Match{})
		if p.Method == strings.Replace(r.Method, "HEAD", "GET", 1) && (always && plan == nil || !always && p.Match.Takes(given)) {
			plan = p
		}
	}
	return plan, fields
}
