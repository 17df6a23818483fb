package translate

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sellerd/v1"
)

// Printed is a request of /v1 that a decoded request means.
type Printed struct {
	Step    *Step
	Address string   // path and query; what is not known yet stands there as {name}
	Headers []string // Name: value
	Key     string   // the Idempotency-Key of a POST, which ends with {act}; "" of other methods
	Body    string   // JSON, "" without one
}

// Print writes what a decoded request means in /v1, a line each: method, path and query of an operation, its headers but
// for the Idempotency-Key, and its body. Calls without an operation print nothing.
func (p *Plan) Print(r *Request) []string {
	var lines []string
	for _, printed := range p.Requests(r) {
		lines = append(lines, printed.Step.Operation.Method+" "+printed.Address)
		lines = append(lines, printed.Headers...)
		if printed.Body != "" {
			lines = append(lines, printed.Body)
		}
	}
	return lines
}

// Requests are the requests of /v1 that a decoded request means. A composed call is all of its steps; what a step
// learns from the one before stands there as {name}. A bulk is as many batches as it takes. Lists have the limit of the
// window that was asked for, as far as /v1 goes.
func (p *Plan) Requests(r *Request) []Printed {
	var requests []Printed
	for i := range p.Target.Steps {
		step := &p.Target.Steps[i]
		switch {
		case !step.Main:
			requests = append(requests, Printed{Step: step, Address: step.address(r, nil, step.Asks(r.Given))})
		case p.Each != "":
			first := 0
			for chunk := range slices.Chunk(r.Entries, v1.MaxBatch) {
				requests = append(requests, Printed{Step: step, Address: step.address(r, r.Path, ""), Key: p.batchKey(step, r, first, len(chunk)), Body: p.batch(chunk)})
				first += len(chunk)
			}
		default:
			requests = append(requests, Printed{step, step.address(r, r.Path, p.query(r)), p.headers(r), step.key(r, r.Given), p.body(r, step)})
		}
	}
	return requests
}

// Asks is the query of a step that is not the main one, with the fields that were given.
func (s *Step) Asks(given Fields) string { return fillNames(s.Query, given) }

// address is the path and the query of a step.
func (s *Step) address(r *Request, known map[string]string, query string) string {
	path := fillPath(s.Operation.Pattern, known)
	for name, from := range s.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", "{"+from+"}")
	}
	if query != "" {
		path += "?" + query
	}
	return fillNames(path, r.Given)
}

// fillPath is a pattern with its {parts} filled in.
func fillPath(pattern string, parts map[string]string) string {
	for name, text := range parts {
		pattern = strings.ReplaceAll(pattern, "{"+name+"}", url.PathEscape(text))
	}
	return pattern
}

// fillNames replaces the {names} of fields that were given.
func fillNames(text string, given Fields) string {
	for _, field := range given {
		if field.Text != "" {
			text = strings.ReplaceAll(text, "{"+field.Name+"}", url.QueryEscape(field.Text))
		}
	}
	return text
}

// query is the main operation's, in the order of the rows, its alternatives joined by commas.
func (p *Plan) query(r *Request) string {
	var b strings.Builder
	add := func(name string, values ...string) {
		for i, value := range values {
			switch {
			case i > 0:
				b.WriteByte(',')
			case b.Len() > 0:
				b.WriteString("&" + name + "=")
			default:
				b.WriteString(name + "=")
			}
			b.WriteString(url.QueryEscape(value))
		}
	}
	var done []string
	for i := range p.in {
		if row := &p.in[i]; row.where == '?' && !slices.Contains(done, row.path[0]) {
			done = append(done, row.path[0])
			add(row.path[0], r.Query[row.path[0]]...)
		}
	}
	if p.Paged {
		_, count, descending, _ := p.Window(r.Given)
		if descending {
			add("sort", p.sort)
		}
		add("limit", strconv.Itoa(min(count, v1.MaxPageSize)))
	}
	return b.String()
}

func (p *Plan) headers(r *Request) (lines []string) {
	for i := range p.in {
		row := &p.in[i]
		line := ""
		if row.where == '@' && r.Header[row.path[0]] != "" {
			line = row.path[0] + ": " + r.Header[row.path[0]]
		}
		if line != "" && !slices.Contains(lines, line) { // a field may have two names
			lines = append(lines, line)
		}
	}
	return lines
}

// body is the main operation's. An empty one is left out where there need not be any.
func (p *Plan) body(r *Request, step *Step) string {
	switch {
	case step.Body != "":
		return step.Body
	case string(r.Body) == "{}" && p.optionalBody():
		return ""
	default:
		return string(r.Body)
	}
}

func (p *Plan) optionalBody() bool {
	for i := range p.main.In.NumField() {
		if p.main.In.Field(i).Tag.Get("body") == "optional" {
			return true
		}
	}
	return false
}

// batch is the body of a batch of entries.
func (p *Plan) batch(entries [][]byte) string {
	texts := make([]string, len(entries))
	for i, entry := range entries {
		texts[i] = string(entry)
	}
	return `{"` + p.Each + `":[` + strings.Join(texts, ",") + "]}"
}

// nameSteps notes the fields that steps before the main one ask by: an error about item_id is about id_item.
func (p *Plan) nameSteps() {
	for i := range p.Target.Steps {
		for pair := range strings.SplitSeq(p.Target.Steps[i].Query, "&") {
			name, field, _ := strings.Cut(pair, "=")
			if field = strings.Trim(field, "{}"); name != "" && strings.Contains(p.Pattern, "{"+field+"}") {
				p.legacy[name] = field
			}
		}
	}
}
