package mcp

import (
	"net/url"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
	"sellerd/translate/paste"
)

// translator is the tool that translates an old call.
func (s *Server) translator() *tool {
	about := "Says what a request of the old /rest is in /v1, and which tool does it with which arguments. Nothing is sent."
	texts := [][2]string{{"request", "a curl command, URL, log line, HAR, Postman or HTTP"}, {argBody, "its form, if it is not in the request"}}
	t := makeOffline("translate", about, texts, func(args *arguments) (string, error) {
		out, err := paste.Translate(s.table, paste.Input{Request: args.text("request"), Body: args.text(argBody), BaseURL: s.config.BaseURL})
		if err != nil {
			return "", err
		}
		return string(openjson.Append(nil, s.translated(out))), nil
	})
	t.required = []string{"request"}
	return t
}

// translated is a translation for the agent: what to send, and which tool sends it.
func (s *Server) translated(from *paste.Translation) openjson.Object {
	out := openjson.Of("call", from.Call, "title", from.Title, "guide", "the tool guide with section "+from.Call+" has all about this call")
	if from.Why.Set {
		out.Set("nothing_to_call", from.Why.V)
		out.Set("instead", from.Instead.V)
	}
	var steps []any
	for _, step := range from.Steps {
		steps = append(steps, s.translatedStep(step))
	}
	out.Set("steps", steps)
	var notes []any
	for _, note := range from.Notes {
		notes = append(notes, openjson.Of("field", note.Field, "kind", string(note.Kind), "text", note.Text))
	}
	out.Set("notes", notes)
	return out
}

func (s *Server) translatedStep(step paste.V1Step) openjson.Object {
	out := openjson.Of("purpose", step.Purpose, "method", step.Method, "path", step.Path)
	out.Set("query", step.Query)
	var headers openjson.Object
	for _, header := range step.Headers {
		headers.Set(header.Name, header.Value)
	}
	out.Set("headers", headers)
	if step.Body.Set {
		out.Set("body", jsontext.Value(step.Body.V.Text))
	}
	o, path := s.operationAt(step.Method, step.Path)
	if o == nil || o.tool == "" {
		return out
	}
	out.Set("tool", o.tool)
	out.Set("arguments", o.argumentsOf(step, path))
	return out
}

// operationAt is the operation at a path, with the values of the parts of the path by name. A value that a step before finds is
// {name}.
func (s *Server) operationAt(method, path string) (*operation, map[string]string) {
	parts := strings.Split(path, "/")
	for _, o := range s.operations {
		pattern := strings.Split(o.Pattern, "/")
		if o.Method != method || len(pattern) != len(parts) {
			continue
		}
		values := map[string]string{}
		matches := true
		for i, part := range pattern {
			if name, isValue := strings.CutPrefix(part, "{"); isValue {
				value, err := url.PathUnescape(parts[i])
				values[strings.TrimSuffix(name, "}")] = value
				matches = matches && err == nil
			} else {
				matches = matches && part == parts[i]
			}
		}
		if matches {
			return o, values
		}
	}
	return nil, nil
}

// argumentsOf are the arguments with which the operation's tool sends a step.
func (o *operation) argumentsOf(step paste.V1Step, path map[string]string) openjson.Object {
	var body any
	if step.Body.Set {
		if parsed, err := openjson.Parse([]byte(step.Body.V.Text)); err == nil {
			body = parsed
		}
	}
	if o.tool == createItems {
		if items := list(object(body).Get("items")); items != nil {
			return openjson.Of(argItems, items)
		}
		return openjson.Of(argItems, []any{body})
	}
	out := openjson.Of(argOperation, o.id)
	query, _ := url.ParseQuery(step.Query) // of the translator
	for _, p := range o.parameters {
		if p.inPath {
			out.Set(p.name, path[p.name])
		} else if values := query[p.name]; values != nil {
			out.Set(p.name, p.argument(values))
		}
	}
	for _, header := range step.Headers {
		switch header.Name {
		case "If-Match":
			out.Set(argIfMatch, header.Value)
		case "Accept-Language":
			out.Set(argLanguage, header.Value)
		}
	}
	if body != nil {
		out.Set(argBody, body)
	}
	return out
}

// argument is the argument for a parameter with these values.
func (p *parameter) argument(values []string) any {
	switch p.schema.Get("type") {
	case "array":
		var all []any
		for _, value := range values {
			for one := range strings.SplitSeq(value, ",") {
				all = append(all, one)
			}
		}
		return all
	case "integer", "boolean":
		if value := jsontext.Value(values[0]); value.IsValid() {
			return value
		}
	}
	return values[0]
}
