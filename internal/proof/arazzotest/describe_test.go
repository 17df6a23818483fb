package arazzotest

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sellerd/internal/base/openjson"
	"sellerd/v1"
	"sellerd/v1/openapi"
)

// documentPath is the Arazzo document of all walks, from the module's root.
const documentPath = "docs/examples/requests.arazzo.json"

// documentedAt is where the documents say that the service is: where `make run` serves. The service replaces it by its own
// address when it serves the file.
const documentedAt = "http://localhost:8080"

// walk is a walk that was recorded.
type walk struct {
	id, summary, description string

	printed string            // the commands: what they spell out stays as it is
	inputs  map[string]string // values that the reader brings, by the names of their inputs
	base    string            // where the commands found the service
	kept    []exchange
}

// step is an exchange on its way into the document.
type step struct {
	exchange
	id        string
	operation *v1.Operation
	path      map[string]string // its parameters
	answered  []answered
	refers    bool              // to an earlier answer
	outputs   map[string]string // JSON pointers that later steps need, by name
}

// answered is a text in an answer.
type answered struct{ pointer, name, text string }

// origin is the place of an earlier answer in which a text stood first.
type origin struct {
	step *step
	answered
}

// description makes the workflow of a walk.
type description struct {
	walk
	steps   []*step
	origins map[string]origin
}

// document is the Arazzo document of workflows.
func document(workflows []any) []byte {
	return openjson.Print(openjson.Of(
		"arazzo", "1.0.1",
		"info", openjson.Of("title", "Sequences of requests", "version", v1.Release, "description", "The requests that the documents show in a row."),
		"sourceDescriptions", []any{openjson.Of("name", "v1", "url", documentedAt+"/openapi.json", "type", "openapi")},
		"workflows", workflows,
	))
}

// describe returns the walk as a workflow of an Arazzo document. Requests hold values that the commands spell out, and values that earlier
// answers gave: the second kind becomes an output of the earlier step. A value of neither kind is an error.
func describe(t *testing.T, w walk) openjson.Object {
	t.Helper()
	d := &description{walk: w, origins: map[string]origin{}}
	seen := map[string]int{}
	for _, e := range w.kept {
		s := &step{exchange: e, outputs: map[string]string{}}
		s.operation, s.path = operationOf(t, e)
		name := openapi.OperationID(s.operation)
		if seen[name]++; seen[name] > 1 {
			name += "-" + strconv.Itoa(seen[name])
		}
		s.id = name
		if len(e.answer) > 0 {
			value, err := openjson.Parse(e.answer)
			if err != nil {
				t.Fatalf("%s %s: %v", e.method, e.url, err)
			}
			s.answered = texts(value, "", "")
		}
		d.steps = append(d.steps, s)
	}
	var requests []openjson.Object
	for _, s := range d.steps { // first all requests, which tell what is needed of the answers
		requests = append(requests, d.request(t, s))
		for _, a := range s.answered {
			if _, known := d.origins[a.text]; !known && flows(a.name) {
				d.origins[a.text] = origin{s, a}
			}
		}
	}
	var steps []any
	for i, s := range d.steps {
		steps = append(steps, d.finish(requests[i], s))
	}
	return openjson.Of(
		"workflowId", w.id,
		"summary", w.summary,
		"description", w.description,
		"inputs", d.schemaOfInputs(),
		"parameters", []any{openjson.Of("name", "X-Api-Key", "in", "header", "value", "$inputs.key")},
		"steps", steps,
	)
}

func operationOf(t *testing.T, e exchange) (*v1.Operation, map[string]string) {
	t.Helper()
	var best *v1.Operation
	var path map[string]string
	segments := strings.Split(e.url.Path, "/")
	for _, o := range v1.Operations {
		pattern := strings.Split(o.Pattern, "/")
		if o.Method != e.method || len(pattern) != len(segments) {
			continue
		}
		found := map[string]string{}
		fits := true
		for i := range pattern {
			if name, ok := strings.CutPrefix(pattern[i], "{"); ok {
				found[strings.TrimSuffix(name, "}")] = segments[i]
			} else if pattern[i] != segments[i] {
				fits = false
			}
		}
		if fits && (best == nil || len(found) < len(path)) {
			best, path = o, found
		}
	}
	if best == nil {
		t.Fatalf("no operation is %s %s", e.method, e.url)
	}
	return best, path
}

// texts are the texts in a value with their JSON pointers.
func texts(value any, pointer, name string) (found []answered) {
	switch v := value.(type) {
	case string:
		found = append(found, answered{pointer, name, v})
	case openjson.Object:
		for _, m := range v {
			found = append(found, texts(m.Value, pointer+"/"+m.Name, m.Name)...)
		}
	case []any:
		for i := range v {
			found = append(found, texts(v[i], pointer+"/"+strconv.Itoa(i), name)...)
		}
	}
	return found
}

// flows says whether commands take values of a member's name from an answer to a later request.
func flows(name string) bool {
	return name == "id" || name == "personal_reference" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_at")
}

// request describes what a step sends.
func (d *description) request(t *testing.T, s *step) openjson.Object {
	t.Helper()
	out := openjson.Of("stepId", s.id, "description", cmp.Or(s.chapter, s.operation.Doc), "operationId", openapi.OperationID(s.operation))
	var parameters []any
	add := func(in, name, value string) {
		parameters = append(parameters, openjson.Of("name", name, "in", in, "value", d.value(t, s, value)))
	}
	for _, name := range slices.Sorted(maps.Keys(s.path)) {
		add("path", name, s.path[name])
	}
	query, err := url.ParseQuery(s.url.RawQuery)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		add("query", name, query.Get(name))
	}
	for _, name := range []string{"Accept-Language", "Idempotency-Key", "If-Match"} {
		if value := s.header.Get(name); value != "" {
			add("header", name, value)
		}
	}
	out.Set("parameters", parameters)
	sent, media := s.body, s.header.Get("Content-Type")
	if len(sent) == 0 && s.operation.HasBody() { // without a payload, Redocly sends the example of the OpenAPI document
		sent, media = []byte("{}"), "application/json"
	}
	if len(sent) > 0 {
		body, err := openjson.Parse(sent)
		if err != nil {
			t.Fatalf("%s %s: %v", s.method, s.url, err)
		}
		out.Set("requestBody", openjson.Of("contentType", media, "payload", d.payload(t, s, body)))
	}
	return out
}

func (d *description) payload(t *testing.T, s *step, value any) any {
	t.Helper()
	switch v := value.(type) {
	case string:
		return d.value(t, s, v)
	case openjson.Object:
		var out openjson.Object
		for _, m := range v {
			out = append(out, openjson.Member{Name: m.Name, Value: d.payload(t, s, m.Value)})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = d.payload(t, s, v[i])
		}
		return out
	default:
		return v
	}
}

// value writes a text of a request with the expressions for what it took from inputs and earlier answers.
func (d *description) value(t *testing.T, s *step, text string) string {
	t.Helper()
	text = strings.ReplaceAll(text, d.base, documentedAt)
	if strings.Contains(d.printed, text) {
		return text
	}
	expressions := map[string]string{}
	for name, value := range d.inputs {
		if value != "" {
			expressions[value] = "$inputs." + name
		}
	}
	for value := range d.origins {
		if len(value) >= shortest && strings.Contains(text, value) && !strings.Contains(d.printed, value) {
			expressions[value] = ""
		}
	}
	known := slices.SortedFunc(maps.Keys(expressions), func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	var pairs []string
	for _, value := range known {
		if strings.Contains(text, value) && expressions[value] == "" {
			expressions[value], s.refers = d.output(d.origins[value]), true
		}
		pairs = append(pairs, value, "{"+expressions[value]+"}")
		if text == value {
			return expressions[value]
		}
	}
	written := strings.NewReplacer(pairs...).Replace(text)
	if rest := inBraces.ReplaceAllString(written, ""); written == text || strings.ContainsFunc(rest, isDigit) && !strings.Contains(d.printed, strings.Trim(rest, "-")) {
		t.Errorf("%s %s: neither the commands nor an earlier answer have %q", s.method, s.url, text)
	}
	return written
}

// shortest is the length of the shortest id.
const shortest = 4

var inBraces = regexp.MustCompile(`\{[^}]*\}`)

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

// output makes the place of an answer an output of its step, and returns the expression for it.
func (d *description) output(from origin) string {
	name := strings.ReplaceAll(strings.TrimPrefix(from.pointer, "/data/"), "/", "_")
	from.step.outputs[name] = from.pointer
	return "$steps." + from.step.id + ".outputs." + name
}

// published is where an item is awaited.
const published = "/v1/item-submissions/{id}"

// finish adds what a step expects and returns.
func (d *description) finish(out openjson.Object, s *step) openjson.Object {
	criteria := []any{openjson.Of("condition", fmt.Sprintf("$statusCode == %d", s.status))}
	listed := 0 // entries from the list's beginning: those behind an unknown one depend on what else the seller has
	for _, a := range s.answered {
		if a.pointer == "/data/status" && s.status != http.StatusAccepted {
			criteria = append(criteria, openjson.Of("condition", "$response.body#"+a.pointer+" == '"+a.text+"'"))
		}
		from, known := d.origins[a.text]
		if !known || a.name != "id" || from.step == s {
			continue
		}
		entry, isEntry := strings.CutPrefix(a.pointer, "/data/results/")
		if isEntry && (entry != strconv.Itoa(listed)+"/id" || !s.asksFor(from)) {
			continue
		}
		if name := outputName(from); name != "" {
			listed++
			criteria = append(criteria, openjson.Of("condition", "$response.body#"+a.pointer+" == $steps."+from.step.id+".outputs."+name))
		}
	}
	out.Set("successCriteria", criteria)
	if s.operation.Pattern == published {
		out.Set("onFailure", []any{openjson.Of("name", "wait", "type", "retry", "retryAfter", 1, "retryLimit", 10)})
	}
	var outputs openjson.Object
	for _, name := range slices.Sorted(maps.Keys(s.outputs)) {
		outputs.Set(name, "$response.body#"+s.outputs[name])
	}
	out.Set("outputs", outputs)
	return out
}

// asksFor says whether a list has an object whatever else the seller has: the request names an object of an earlier answer,
// or wants the newest first, and the walk made the object.
func (s *step) asksFor(from origin) bool {
	return s.refers || strings.HasSuffix(s.url.Query().Get("sort"), "_desc") && from.step.method == http.MethodPost
}

// outputName is the output that some request needs of a place, empty if none does.
func outputName(from origin) string {
	for name, pointer := range from.step.outputs {
		if pointer == from.pointer {
			return name
		}
	}
	return ""
}

func (d *description) schemaOfInputs() openjson.Object {
	about := map[string]string{
		"key": "A test key of yours.",
		"act": "A text of your own for this run. The same text repeats the run without doing anything twice.",
	}
	var properties openjson.Object
	var required []any
	for _, name := range slices.Sorted(maps.Keys(d.inputs)) {
		schema := openjson.Of("type", "string", "description", about[name])
		if name == "key" {
			schema.Set("format", "password")
		}
		properties.Set(name, schema)
		required = append(required, name)
	}
	return openjson.Of("type", "object", "required", required, "properties", properties)
}
