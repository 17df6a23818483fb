package legacy

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sellerd/translate"
)

// This file sets the headers that every answer under /rest has, also an error. They give the date of the end (RFC 9745,
// RFC 8594), unless the interface has none here, and link to what follows it (RFC 8288).

// These values are shared by all answers. They are never changed in place.
var (
	headerDeprecation = []string{"@" + strconv.FormatInt(translate.Deprecated.Unix(), 10)}
	headerSunset      = []string{translate.Sunset.Format(http.TimeFormat)}
	headerXML         = []string{translate.ContentType}
	headerNoStore     = []string{"no-store"}
	headerNoSniff     = []string{"nosniff"}
	headerScheduled   = []string{"scheduled"} // in the header of drills
)

// guide is the URL of a call's section in the migration guide, or of the whole guide if the id is empty.
func guide(baseURL, id string) string {
	if id == "" {
		return baseURL + translate.GuidePath
	}
	return baseURL + translate.GuidePath + "#" + id
}

// links is the Link header of a call, or of an answer without a call if the id is empty.
func links(c Config, id string) []string {
	all := []string{"<" + guide(c.BaseURL, id) + `>; rel="deprecation"; type="text/html"`}
	if !c.Endless {
		all = append(all, "<"+guide(c.BaseURL, "sunset")+`>; rel="sunset"; type="text/html"`)
	}
	return all
}

// setHeaders sets the headers that every answer has. It runs before anything that could fail, so that errors have them, too.
func (x *exchange) setHeaders() {
	h := x.w.Header()
	if !x.handler.Endless {
		h["Deprecation"], h["Sunset"] = headerDeprecation, headerSunset
	}
	h["Cache-Control"], h["Content-Type"], h["X-Content-Type-Options"] = headerNoStore, headerXML, headerNoSniff
	h["Link"] = x.handler.links
	if x.legacy == nil {
		return
	}
	h["Link"] = x.legacy.links
	if to, ok := x.legacy.successorAt(x.path); ok {
		known := x.legacy.links
		h["Link"] = append(known[:len(known):len(known)], "<"+x.handler.BaseURL+to+`>; rel="successor-version"`)
	}
}

// pathPart is a piece of an operation's path: a fixed text, or a field of the legacy path.
type pathPart struct {
	text    string
	legacy  string
	convert *translate.Converter
}

// successorOf splits the pattern of a plan's operation into its parts.
func successorOf(plan *translate.Plan) ([]pathPart, error) {
	var parts []pathPart
	for rest := plan.Target.Operation().Pattern; rest != ""; {
		text, after, more := strings.Cut(rest, "{")
		parts = append(parts, pathPart{text: text})
		if !more {
			break
		}
		name, after, _ := strings.Cut(after, "}")
		row := rowTo(plan, "{"+name+"}")
		if row == nil {
			return nil, fmt.Errorf("no row leads to {%s}, so its successor has no address", name)
		}
		parts = append(parts, pathPart{legacy: row.Legacy, convert: row.Convert})
		rest = after
	}
	return parts, nil
}

func rowTo(plan *translate.Plan, to string) *translate.Row {
	for i := range plan.In {
		if plan.In[i].V1 == to {
			return &plan.In[i]
		}
	}
	return nil
}

// successorAt is the path of the /v1 resource that a request reads. It is false if the call or the request has none.
func (c *legacyCall) successorAt(path map[string]string) (string, bool) {
	if c.successor == nil {
		return "", false
	}
	var b strings.Builder
	for i := range c.successor {
		part := &c.successor[i]
		text := part.text
		if part.convert != nil {
			var err error
			if text, err = part.convert.ToV1(path[part.legacy]); err != nil {
				return "", false
			}
		}
		b.WriteString(text)
	}
	return b.String(), true
}
