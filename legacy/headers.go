package legacy

import (
	"net/http"
	"strconv"

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
	if to, ok := x.legacy.SuccessorAt(x.path); ok {
		known := x.legacy.links
		h["Link"] = append(known[:len(known):len(known)], "<"+x.handler.BaseURL+to+`>; rel="successor-version"`)
	}
}
