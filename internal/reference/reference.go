// Package reference makes what the pages of the API reference show, from the OpenAPI document of the service: each operation and each event
// with all members, answers and error codes, samples of code in five languages, and sentences for what the document does not explain.
package reference

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/openjson"
)

// Path is the page that lists all operations. The page of each is below it.
const Path = "/docs"

// pagesPath is before the paths of the pages.
const pagesPath = Path + "/reference/"

// EventsTag is the tag of the events, which are not operations.
const EventsTag = "Events"

// Reference is everything that the pages show.
type Reference struct {
	Groups []Group
	byPath map[string]*Operation
}

// Group is the operations of a tag, or the events.
type Group struct {
	Tag, Text  string
	Operations []*Operation
}

// Anchor is the place of the group in the list. The page before this one had the same, and so have the lines of operations.
func (g *Group) Anchor() string { return "tag/" + slug(g.Tag) }

// Operation is an operation, or an event, which the service sends to the webhooks of sellers.
type Operation struct {
	ID, Tag, Method, Path string // the id of an event is its name, and it has no path
	Summary, Text         string
	Since, Permission     string
	TestKeys              bool // it takes test keys only
	Keyed                 bool // it takes an Idempotency-Key
	Parameters            []Place
	Body                  *Body
	Answers               []Answer
	Headers               []Field // of answers
	ErrorFields           []Field
	Samples               []Sample
	Next                  []*Operation // that take ids from the answer
}

// Place is where parameters stand: "path", "query" or "header".
type Place struct {
	Name   string
	Fields []Field
}

// Body is the body of a request.
type Body struct {
	MediaTypes []string
	Required   bool
	Limit      string // in bytes, as a text; empty for none
	Fields     []Field
	Examples   []Example
}

// Answer is what comes with a status.
type Answer struct {
	Status, Text, Since string
	Fields              []Field // of the data of a success
	SameAs              string  // the status whose answer has the same members
	Codes               []Code  // of an error
	Examples            []Example
}

// Success says whether the request was followed.
func (a *Answer) Success() bool { return strings.HasPrefix(a.Status, "2") || a.Status == "304" }

// Usual is the answer of most requests that are followed, if the document shows one.
func (o *Operation) Usual() *Answer {
	for i := range o.Answers {
		if a := &o.Answers[i]; a.Success() && len(a.Examples) > 0 {
			return a
		}
	}
	return nil
}

// Code is an error code with its meaning.
type Code struct{ Name, Text string }

// Example is an example in JSON.
type Example struct{ Title, JSON string }

// mostLines is how many lines of an example are shown without being asked for.
const mostLines = 30

// Short says whether the example is.
func (e Example) Short() bool { return strings.Count(e.JSON, "\n") < mostLines }

// Address is the path of the page.
func (o *Operation) Address() string { return pagesPath + slug(o.Tag) + "/" + o.ID }

// FirstSentence is the first sentence of the text, or what the event is about.
func (o *Operation) FirstSentence() string {
	if o.IsEvent() {
		return o.Summary
	}
	first, _, more := strings.Cut(o.Text, ". ")
	if more {
		first += "."
	}
	return first
}

// Anchor is the place of an operation in the list of all.
func (o *Operation) Anchor() string { return "tag/" + slug(o.Tag) + "/" + o.ID }

// IsEvent says whether it is an event.
func (o *Operation) IsEvent() bool { return o.Path == "" }

// Name is what a menu calls it: its heading, or the name of the event.
func (o *Operation) Name() string {
	if o.IsEvent() {
		return o.ID
	}
	return o.Summary
}

// Title is the method and the path, or the name of the event.
func (o *Operation) Title() string {
	if o.IsEvent() {
		return o.ID
	}
	return o.Method + " " + o.Path
}

func slug(tag string) string { return strings.ReplaceAll(strings.ToLower(tag), " ", "-") }

// At is the operation whose page is at a path, nil for none.
func (r *Reference) At(path string) *Operation { return r.byPath[path] }

// Each calls a function with all operations and events, in the order of the pages.
func (r *Reference) Each(do func(*Operation)) {
	for _, group := range r.Groups {
		for _, o := range group.Operations {
			do(o)
		}
	}
}

// New reads an OpenAPI document. It fails if an example is missing from which a sample of code is made.
func New(openAPI []byte) (*Reference, error) {
	parsed, err := openjson.Parse(openAPI)
	if err != nil {
		return nil, err
	}
	document, _ := parsed.(openjson.Object)
	paths := object(document.Get("paths"))
	d := description{document: document, ids: exampleIDs(paths)}
	servers := list(document.Get("servers"))
	if len(servers) == 0 {
		return nil, fmt.Errorf("the document names no server")
	}
	d.baseURL = strings.TrimSuffix(text(object(servers[0]), "url"), "/")
	reference := &Reference{byPath: map[string]*Operation{}}
	for _, tag := range list(document.Get("tags")) {
		reference.Groups = append(reference.Groups, Group{Tag: text(object(tag), "name"), Text: text(object(tag), "description")})
	}
	described := map[string]openjson.Object{}
	for _, path := range paths {
		for _, method := range object(path.Value) {
			from := object(method.Value)
			o, err := d.operation(strings.ToUpper(method.Name), path.Name, from)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", text(from, "operationId"), err)
			}
			described[o.ID] = from
			reference.add(o)
		}
	}
	reference.Groups = append(reference.Groups, Group{Tag: EventsTag, Text: "What the service sends to your webhooks, and what the feed of events has."})
	for _, event := range object(document.Get("webhooks")) {
		reference.add(d.event(event.Name, object(at(event.Value, "post"))))
	}
	reference.link(described)
	return reference, nil
}

// add puts an operation into the group of its tag.
func (r *Reference) add(o *Operation) {
	i := slices.IndexFunc(r.Groups, func(g Group) bool { return g.Tag == o.Tag })
	if i < 0 {
		i = len(r.Groups)
		r.Groups = append(r.Groups, Group{Tag: o.Tag})
	}
	r.Groups[i].Operations = append(r.Groups[i].Operations, o)
	r.byPath[o.Address()] = o
}

// link finds the operations to which the answers of others lead.
func (r *Reference) link(described map[string]openjson.Object) {
	byID := map[string]*Operation{}
	r.Each(func(o *Operation) { byID[o.ID] = o })
	r.Each(func(o *Operation) {
		for _, response := range object(described[o.ID].Get("responses")) {
			for _, link := range object(object(response.Value).Get("links")) {
				next := byID[text(object(link.Value), "operationId")]
				if next != nil && next != o && !slices.Contains(o.Next, next) {
					o.Next = append(o.Next, next)
				}
			}
		}
	})
}

// operation is an operation of the document.
func (d *description) operation(method, path string, from openjson.Object) (*Operation, error) {
	o := &Operation{
		ID: text(from, "operationId"), Method: method, Path: path, Summary: text(from, "summary"), Text: text(from, "description"),
		Since: text(from, "x-since"), Permission: text(from, "x-permission"), TestKeys: from.Get("x-test-keys-only") == true,
	}
	if tags := list(from.Get("tags")); len(tags) > 0 {
		o.Tag, _ = tags[0].(string)
	}
	sample, err := d.request(method, path, from)
	if err != nil {
		return nil, err
	}
	o.Keyed = sample.Keyed
	if o.Samples, err = samplesOf(sample); err != nil {
		return nil, err
	}
	d.describe(o, from)
	return o, nil
}

// event is an event that webhooks get.
func (d *description) event(name string, from openjson.Object) *Operation {
	o := &Operation{ID: name, Tag: EventsTag, Method: "POST", Summary: text(from, "summary"), Text: text(from, "description"), Since: text(from, "x-since")}
	d.describe(o, from)
	return o
}

// describe fills in what an operation takes and answers.
func (d *description) describe(o *Operation, from openjson.Object) {
	o.Parameters = d.places(o, from.Get("parameters"))
	if body := object(from.Get("requestBody")); len(body) > 0 {
		o.Body = &Body{Required: body.Get("required") == true, Limit: size(body.Get("x-body-limit"))}
		for i, content := range object(body.Get("content")) {
			o.Body.MediaTypes = append(o.Body.MediaTypes, content.Name)
			if i == 0 {
				o.Body.Fields = d.members(object(at(content.Value, "schema")), "", nil)
				o.Body.Examples = examples(content.Value)
			}
		}
	}
	with := map[string][]string{}  // the statuses of the answers with a header
	schemas := map[string]string{} // the status of the answer with a schema
	for _, response := range object(from.Get("responses")) {
		described := d.resolve(response.Value)
		a := Answer{Status: response.Name, Text: text(described, "description"), Since: text(described, "x-since")}
		for _, header := range object(described.Get("headers")) {
			if with[header.Name] == nil {
				o.Headers = append(o.Headers, d.header(header))
			}
			with[header.Name] = append(with[header.Name], response.Name)
		}
		content := at(described, "content", "application/json")
		a.Examples = examples(content)
		schema := object(at(content, "schema"))
		switch data := object(at(schema, "properties", "data")); {
		case a.Success():
			if name := text(data, "$ref"); name != "" && schemas[name] != "" {
				a.SameAs = schemas[name]
			} else {
				schemas[name] = a.Status
				a.Fields = d.members(data, "", nil)
			}
		case len(schema) > 0:
			a.Codes = d.codes(at(schema, "properties", "errors", "items"))
			if o.ErrorFields == nil {
				o.ErrorFields = d.members(object(at(d.document, "components", "schemas", "Error")), "Error", nil)
			}
		}
		o.Answers = append(o.Answers, a)
	}
	for i := range o.Headers {
		if statuses := with[o.Headers[i].Name]; len(statuses) < min(len(o.Answers), mostStatuses+1) {
			o.Headers[i].Limits = append(o.Headers[i].Limits, "with "+strings.Join(statuses, ", "))
		}
	}
}

// mostStatuses is how many statuses are listed beside a header. One that more answers have is usual.
const mostStatuses = 3

// header is a header of answers.
func (d *description) header(header openjson.Member) Field {
	described := d.resolve(header.Value)
	f := d.field(header.Name, object(described.Get("schema")), nil)
	f.Text, f.Since, f.Nullable = sentence(text(described, "description")), text(described, "x-since"), false
	return f
}

// places are the parameters by where they stand.
func (d *description) places(o *Operation, listed any) []Place {
	places := []Place{{Name: "path"}, {Name: "query"}, {Name: "header"}}
	for _, one := range list(listed) {
		parameter := d.resolve(one)
		name, in := text(parameter, "name"), text(parameter, "in")
		f := d.field(name, object(parameter.Get("schema")), nil)
		if own := text(parameter, "description"); own != "" {
			f.Text = own
		}
		f.Text = ofParameter(o, name, in, f.Text)
		if in == "query" && strings.HasPrefix(f.Type, "array") {
			f.Limits = append(f.Limits, "with commas between them")
		}
		f.Required, f.Since = parameter.Get("required") == true, text(parameter, "x-since")
		for i := range places {
			if places[i].Name == in {
				places[i].Fields = append(places[i].Fields, f)
			}
		}
	}
	return slices.DeleteFunc(places, func(p Place) bool { return len(p.Fields) == 0 })
}

// codes are the error codes that a schema allows, with the meanings of the catalogue.
func (d *description) codes(schema any) (codes []Code) {
	for _, part := range list(at(schema, "allOf")) {
		allowed := list(at(part, "properties", "code", "enum"))
		if only := at(part, "properties", "code", "const"); only != nil {
			allowed = []any{only}
		}
		for _, code := range allowed {
			name, _ := code.(string)
			meaning, _ := at(d.document, "components", "schemas", "Code", "x-enum-descriptions", name).(string)
			codes = append(codes, Code{name, meaning})
		}
	}
	return codes
}

// examples are the examples of a body.
func examples(content any) (all []Example) {
	for _, example := range object(at(content, "examples")) {
		all = append(all, Example{text(object(example.Value), "summary"), indented(at(example.Value, "value"))})
	}
	return all
}

// size is a number of bytes in words, empty without one.
func size(value any) string {
	bytes, err := strconv.Atoi(number(value))
	switch {
	case err != nil:
		return ""
	case bytes%(1<<20) == 0:
		return strconv.Itoa(bytes>>20) + " MiB"
	}
	return strconv.Itoa(bytes>>10) + " KiB"
}

// text is a member that is a string, empty without one.
func text(object openjson.Object, name string) string {
	value, _ := object.Get(name).(string)
	return value
}

// object is a value that is an object, nil if it is none.
func object(value any) openjson.Object {
	found, _ := value.(openjson.Object)
	return found
}

// list is a value that is a list, nil if it is none.
func list(value any) []any {
	found, _ := value.([]any)
	return found
}

// at follows the names of members into an object.
func at(value any, names ...string) any {
	for _, name := range names {
		value = object(value).Get(name)
	}
	return value
}

// number is a number as a text, empty without one.
func number(value any) string {
	if value == nil {
		return ""
	}
	return string(openjson.Append(nil, value))
}
