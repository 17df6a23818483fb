package command

import (
	"bytes"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sellerd/translate"
	"sellerd/v1"
)

// Request is a request of /v1, ready to be printed.
type Request struct {
	Step    *translate.Step
	Address string   // path and query; a value that is not known yet is {name}
	Headers []string // Name: value
	Key     string   // of a POST: the Idempotency-Key, which ends with {act}
	Body    string   // JSON, "" without one
}

// Lines returns a request as lines: its method, path and query, its headers without the Idempotency-Key, further headers, and its body.
func (r *Request) Lines(further ...string) []string {
	lines := slices.Concat([]string{r.Step.Operation.Method + " " + r.Address}, r.Headers, further)
	if r.Body != "" {
		lines = append(lines, r.Body)
	}
	return lines
}

// Requests returns the requests of /v1 that a decoded request means. A composed call has a request for each step; values that
// the step before finds are {name}. A bulk has as many batches as its entries need. Lists have the limit of the requested
// window, up to the maximum of /v1.
func Requests(p *translate.Plan, r *translate.Request) []Request {
	var requests []Request
	for i := range p.Target.Steps {
		step := &p.Target.Steps[i]
		switch {
		case !step.Main:
			requests = append(requests, Request{Step: step, Address: stepAddress(step, r, nil, step.Asks(r.Given))})
		case p.Each != "":
			first := 0
			for chunk := range slices.Chunk(r.Entries, v1.MaxBatch) {
				requests = append(requests, Request{
					Step: step, Address: stepAddress(step, r, r.Path, ""), Key: batchKey(p, step, r, first, len(chunk)), Body: `{"` + p.Each + `":[` + string(bytes.Join(chunk, []byte(","))) + "]}",
				})
				first += len(chunk)
			}
		default:
			requests = append(requests, Request{
				Step: step, Address: stepAddress(step, r, r.Path, requestQuery(p, r)), Headers: requestHeaders(p, r),
				Key: stepKey(step, r, r.Given), Body: requestBody(p, r, step),
			})
		}
	}
	return requests
}

// stepAddress returns the path and the query of a step.
func stepAddress(s *translate.Step, r *translate.Request, known map[string]string, query string) string {
	path := translate.FillPath(s.Operation.Pattern, known)
	for name, from := range s.Path {
		path = strings.ReplaceAll(path, "{"+name+"}", "{"+from+"}")
	}
	if query != "" {
		path += "?" + query
	}
	return translate.FillNames(path, r.Given)
}

// requestQuery returns the query of the main operation, in the order of the rows. Commas separate alternatives.
func requestQuery(p *translate.Plan, r *translate.Request) string {
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
	for i := range p.In {
		if name, ok := p.In[i].Parameter(); ok && !slices.Contains(done, name) {
			done = append(done, name)
			add(name, r.Query[name]...)
		}
	}
	if p.Paged {
		_, count, descending, _ := p.Window(r.Given)
		if descending {
			add("sort", p.NewestFirst())
		}
		add("limit", strconv.Itoa(min(count, v1.MaxPageSize)))
	}
	return b.String()
}

func requestHeaders(p *translate.Plan, r *translate.Request) (lines []string) {
	for i := range p.In {
		name, ok := p.In[i].Header()
		if line := name + ": " + r.Header[name]; ok && r.Header[name] != "" && !slices.Contains(lines, line) { // a field may have two names
			lines = append(lines, line)
		}
	}
	return lines
}

// requestBody returns the body of the main operation. An empty body is omitted where it is optional.
func requestBody(p *translate.Plan, r *translate.Request, step *translate.Step) string {
	switch {
	case step.Body != "":
		return step.Body
	case string(r.Body) == "{}" && optionalBody(p.Target.Operation()):
		return ""
	default:
		return string(r.Body)
	}
}

func optionalBody(o *v1.Operation) bool {
	for i := range o.In.NumField() {
		if o.In.Field(i).Tag.Get("body") == "optional" {
			return true
		}
	}
	return false
}
