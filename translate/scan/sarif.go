package scan

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"strings"
)

// This file prints a report as SARIF 2.1.0, the format in which build servers and editors show findings in source
// (OASIS, Static Analysis Results Interchange Format, 2020).

// object is one of JSON. Its members are printed in the order of their names.
type object = map[string]any

// levels are how SARIF names what a reader should do about a finding.
var levels = map[Confidence]string{Certain: "warning", Likely: "warning", Possible: "note"}

// sarif prints the report.
func (r *Report) sarif(w io.Writer) error {
	text := func(text string) object { return object{"text": text} }
	rules, notes, results, order := []object{}, []object{}, []object{}, map[string]int{}
	for _, name := range r.Summary.Partial {
		at := object{"physicalLocation": object{"artifactLocation": object{"uri": fileURI(name)}}}
		notes = append(notes, object{"level": "warning", "message": text("It was not read, or not to its end."), "locations": []object{at}})
	}
	for _, section := range r.guide.Calls {
		if r.Summary.Calls[section.ID] > 0 {
			order[section.ID] = len(rules)
			help := strings.TrimSpace(section.How() + ": " + strings.ReplaceAll(section.Successors(), "`", ""))
			rules = append(rules, object{
				"id": section.ID, "shortDescription": text(section.Title + "."), "help": text(help), "helpUri": link(r.guide, section.ID),
			})
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		message := fmt.Sprintf("%s %s ends with /rest. In /v1: %s.", f.Method, f.Path, f.successor())
		at := object{"artifactLocation": object{"uri": fileURI(f.File)}, "region": object{"startLine": f.Line, "startColumn": f.Column}}
		results = append(results, object{
			"ruleId": f.Call, "ruleIndex": order[f.Call], "level": levels[f.Confidence], "occurrenceCount": f.Count,
			"message":    text(strings.Join(append([]string{message}, f.Notes...), " ")),
			"locations":  []object{{"physicalLocation": at}},
			"properties": object{"confidence": f.Confidence, "fields": f.Fields, "curl": f.Curl},
		})
	}
	return writeJSON(w, object{
		"$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", "version": "2.1.0",
		"runs": []object{{
			"tool":        object{"driver": object{"name": "sellerd scan", "informationUri": r.guide.BaseURL + "/docs/scan", "rules": rules}},
			"invocations": []object{{"executionSuccessful": true, "toolExecutionNotifications": notes}},
			"columnKind":  "unicodeCodePoints", "results": results,
		}},
	})
}

// fileURI returns the name of a file as a reference (RFC 3986). An absolute name becomes an address of the scheme file.
func fileURI(name string) string {
	if drive := len(name) > 2 && name[1] == ':' && (name[2] == '\\' || name[2] == '/'); drive { // of Windows: C:\shop\a.php
		name = "/" + strings.ReplaceAll(name, `\`, "/")
	} else if filepath.Separator == '\\' {
		name = filepath.ToSlash(name)
	}
	u := url.URL{Path: name}
	if strings.HasPrefix(name, "/") {
		u.Scheme = "file"
	}
	return u.String()
}
