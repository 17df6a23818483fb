package translate

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sellerd/v1"
)

// Request is the meaning of a legacy request in /v1: the path, query, headers and body of the main operation.
type Request struct {
	Operation *v1.Operation // nil when the call has none
	Path      map[string]string
	Query     url.Values
	Header    map[string]string
	Body      []byte   // JSON, nil for none
	Entries   [][]byte // of a bulk: the entries of the body's list, to be sent 100 at a time
	Given     Fields   // the fields of the request without credentials, path first, for the steps of composed calls
	Notes     []Note
	Cautions  []Note // of values that /rest takes as they are and /v1 does not, for whoever sends the request to /v1
	Reference string // the personal reference of the request, which acknowledgements repeat
}

// IsCredential says whether a field holds the key or the token of the caller. Such a field never reaches /v1.
func IsCredential(name string) bool { return name == "token" || name == "apikey" }

// Decode translates a request to /v1. It needs no server and stores nothing. Values that are not valid become the errors that
// /rest answers with, and fields that the call does not have become notes. An empty field counts as not sent, but an empty
// boolean is false: PHP sends both so.
func (p *Plan) Decode(path map[string]string, fields Fields) (*Request, v1.Errors) {
	r := &Request{Operation: p.main, Path: map[string]string{}, Query: url.Values{}, Header: map[string]string{}}
	d := decoder{plan: p, request: r, body: &node{}, noted: map[Note]bool{}}
	r.Given = d.given(path, fields)
	if p.Target.Kind == Absent {
		d.refuse(v1.InvalidValue, p.Match.Field, p.Target.Why+" "+p.Target.Instead)
		return r, d.problems
	}
	d.repeated(r.Given, "")
	if p.Each != "" {
		d.entries(r.Given)
		return r, d.problems
	}
	d.cautions(r.Given, "")
	d.rows(p.sent(r.Given), "")
	d.unknown(r.Given, "", p.knows)
	if p.Paged {
		d.window(r.Given)
	}
	switch {
	case d.body.parts != nil:
		r.Body = d.body.append(nil)
	case p.main != nil && p.main.HasBody():
		r.Body = []byte("{}")
	}
	r.Reference = r.Given.Text("personal_reference")
	return r, d.problems
}

// given returns the fields of the path and of the form. A part of the path wins over a field of the same name.
func (d *decoder) given(path map[string]string, fields Fields) Fields {
	given := make(Fields, 0, len(fields)+len(path))
	for _, name := range slices.Sorted(maps.Keys(path)) {
		given = append(given, Field{Name: name, Text: path[name]})
	}
	for _, field := range fields {
		if IsCredential(field.Name) {
			continue
		}
		if text, inPath := path[field.Name]; !inPath {
			given = append(given, field)
		} else if field.Text != text {
			d.note(field.Name, NoteDropped, "The address says it already: "+text+" counts.")
		}
	}
	return given
}

// MaxBulk is the largest number of entries of a bulk.
const MaxBulk = 1000

// entries decodes a bulk. The rows apply to each entry.
func (d *decoder) entries(given Fields) {
	each := d.plan.Each
	list, _ := given.Lookup(each)
	d.unknown(given.Without(each), "", func(string) bool { return false })
	if list.Text != "" {
		d.refuse(v1.InvalidType, each, "must be a list: "+each+"[0][title] and so on")
		return
	}
	switch {
	case len(list.Parts) == 0:
		d.refuse(v1.BatchEmpty, each, "The request has no "+each+".")
		return
	case len(list.Parts) > MaxBulk:
		d.refuse(v1.BatchTooLarge, each, "The request has more than "+strconv.Itoa(MaxBulk)+" "+each+".")
		return
	}
	for i, entry := range list.Parts {
		d.body, d.index = &node{}, v1.IndexAt(i)
		prefix := within(each, entry.Name)
		if entry.Text != "" {
			d.refuse(v1.InvalidType, prefix, "must have fields: "+within(prefix, "title")+" and so on")
			d.request.Entries = append(d.request.Entries, nil) // so that the others keep their index
			continue
		}
		d.cautions(entry.Parts, prefix)
		d.rows(d.plan.sent(entry.Parts), prefix)
		d.unknown(entry.Parts, prefix, d.plan.knows)
		d.request.Entries = append(d.request.Entries, d.body.append(nil))
	}
}

// decoder decodes one request by the rows of a plan.
type decoder struct {
	plan     *Plan
	request  *Request
	body     *node
	index    v1.Index // of a bulk's entry
	problems v1.Errors
	noted    map[Note]bool
}

func (d *decoder) rows(given Fields, prefix string) {
	for i := range d.plan.in {
		row := &d.plan.in[i]
		switch {
		case row.When != "" && len(given.list(row.When)) == 0:
		case row.Legacy == "":
			d.constant(row)
		default:
			d.row(row, given, prefix)
		}
	}
}

// constant sets a value that requests do not have, unless the place is set already.
func (d *decoder) constant(row *inRow) {
	if d.put(row.place, row.Const, true) && row.Loss.Kind != None {
		d.note(row.V1, NoteSynthesised, row.Loss.Why)
	}
}

func (d *decoder) row(row *inRow, given Fields, prefix string) {
	name := within(prefix, row.Legacy)
	field, sent := given.Lookup(row.Legacy)
	texts := field.List()
	if sent && len(texts) == 0 && row.Convert == Boolean {
		texts = []string{""}
	}
	switch {
	case row.Unless != "" && len(texts) > 0 && len(given.list(row.Unless)) > 0:
		d.note(name, NoteDropped, within(prefix, row.Unless)+" says it already.")
	case field.nests():
		d.refuse(v1.InvalidType, name, "has too many brackets")
	case len(texts) == 0 && row.Required:
		d.refuse(v1.MissingField, name, "is required")
	case len(texts) == 0 && row.Default != "":
		d.byDefault(row, name)
	case len(texts) == 0:
	case row.V1 == "":
		d.note(name, NoteDropped, row.Loss.Why)
	case len(texts) > 1 && !row.list:
		d.refuse(v1.InvalidType, name, "must be one value")
	default:
		for i, text := range texts {
			if len(texts) > 1 {
				d.text(row, within(name, strconv.Itoa(i)), text)
			} else {
				d.text(row, name, text)
			}
		}
	}
}

// byDefault sets the default of a field that was not sent.
func (d *decoder) byDefault(row *inRow, name string) {
	if row.Beside && d.putBeside(row, row.Default) || !row.Beside && d.put(row.place, row.Default, true) {
		d.note(name, NoteDefaulted, row.Default+" is taken without it")
	}
}

// text converts one text and sets the place of its row.
func (d *decoder) text(row *inRow, name, text string) {
	if held := d.plan.hold(text, row.bare); held != "" {
		if row.Convert != nil && !row.Convert.verbatim {
			d.note(name, NoteNarrowed, "/v1 writes this value in another way: put that in the place of "+text)
		}
		text = held
	} else if row.Convert != nil {
		converted, err := row.Convert.ToV1(text)
		switch {
		case err != nil && row.missing != "":
			info, _ := v1.LookupError(row.missing)
			d.refuse(row.missing, "", info.Meaning)
			return
		case err != nil:
			d.refuse(v1.InvalidValue, name, err.Error())
			return
		case row.Convert.Narrow != nil && row.Convert.Narrow(text):
			d.note(name, NoteNarrowed, text+" became "+converted+": "+row.Loss.Why)
		}
		text = converted
	}
	if row.where == '?' && row.list && row.Convert != nil && row.Convert.Pairs != nil { // one legacy word may mean several words of /v1
		for word := range strings.SplitSeq(text, ",") {
			d.put(row.place, word, false)
		}
		return
	}
	if !row.Beside {
		d.put(row.place, text, false)
		return
	}
	if !d.putBeside(row, text) && !d.refused() {
		d.note(name, NoteDropped, "Nothing came with it that it could belong to.")
	}
}

func within(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "[" + name + "]"
}

// put sets the value of a place. With unlessSet it keeps a value that is there already, and returns false.
func (d *decoder) put(at place, text string, unlessSet bool) bool {
	switch at.where {
	case '{':
		d.request.Path[at.path[0]] = text
	case '?':
		d.request.Query.Add(at.path[0], text)
	case '@':
		d.request.Header[at.path[0]] = text
	default:
		n := d.body.at(at.path)
		switch {
		case unlessSet && n.literal != nil:
			return false
		case at.list:
			n.list = true
			n.parts = append(n.parts, &node{literal: literal(text, at.bare)})
		default:
			n.literal = literal(text, at.bare)
		}
	}
	return true
}

// putBeside sets a value beside each sibling that is set already. It returns false when there is none.
func (d *decoder) putBeside(row *inRow, text string) (put bool) {
	for _, at := range row.beside {
		if sibling := d.body.find(at.path[:len(at.path)-1]); sibling != nil {
			put = d.put(at, text, false)
		}
	}
	return put
}

// Holding returns a plan that reads no text that the caller does not know yet, such as a variable of a shell. What held returns for it stands
// in its place of /v1, which is bare if it is no string of JSON. For every other text held returns "".
func (p *Plan) Holding(held func(text string, bare bool) string) *Plan {
	holding := *p
	holding.held = held
	return &holding
}

// hold is what stands in the place of a text that is not known yet, "" for every other one.
func (p *Plan) hold(text string, bare bool) string {
	if p.held == nil || text == "" {
		return ""
	}
	return p.held(text, bare)
}

// Taking returns a plan that takes some fields as they are, whether their values are valid or not, and that requires none of them. So a
// translation can show where a faulty value would be in /v1.
func (p *Plan) Taking(fields []string) *Plan {
	taking := *p
	taking.in = slices.Clone(p.in)
	for i := range taking.in {
		if slices.Contains(fields, taking.in[i].Legacy) {
			row := *taking.in[i].Row
			row.Convert, row.Required, row.Caution = nil, false, Caution{}
			taking.in[i].Row = &row
		}
	}
	return &taking
}

// knows says whether the call has a field with a name.
func (p *Plan) knows(name string) bool {
	return name != "" && slices.ContainsFunc(p.in, func(row inRow) bool { return row.Legacy == name }) ||
		p.Paged && slices.Contains(pagingFields, name) || strings.Contains(p.Pattern, "{"+name+"}")
}

func (d *decoder) refuse(code v1.Code, field, message string) {
	d.problems = append(d.problems, v1.Error{Code: code, Field: field, Message: message, Index: d.index})
}

// refused says whether a value of this element was refused already: what stands beside it is not to blame.
func (d *decoder) refused() bool {
	return slices.ContainsFunc(d.problems, func(p v1.Error) bool { return p.Index == d.index })
}

// FieldNames returns the names of the fields that requests of the call may have, in the order of the rows: first those of the
// rows, then those of paging. Credentials are none of them.
func (p *Plan) FieldNames() []string {
	var names []string
	for i := range p.in {
		if name := p.in[i].Legacy; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if p.Paged {
		names = append(names, pagingFields...)
	}
	return names
}
