package scan

import (
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file prints a report as SARIF 2.1.0, the format in which build servers and editors show findings in source
// (OASIS, Static Analysis Results Interchange Format, 2020).

type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications"`
	}
	sarifNotification struct {
		Level     string              `json:"level"`
		Message   sarifText           `json:"message"`
		Locations []sarifFileLocation `json:"locations"`
	}
	sarifFileLocation struct {
		Physical sarifFile `json:"physicalLocation"`
	}
	sarifFile struct {
		Artifact sarifArtifact `json:"artifactLocation"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		URI   string      `json:"informationUri"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID      string    `json:"id"`
		Short   sarifText `json:"shortDescription"`
		Help    sarifText `json:"help"`
		HelpURI string    `json:"helpUri"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		Rule        string          `json:"ruleId"`
		RuleIndex   int             `json:"ruleIndex"`
		Level       string          `json:"level"`
		Message     sarifText       `json:"message"`
		Locations   []sarifLocation `json:"locations"`
		Occurrences int             `json:"occurrenceCount"`
		Properties  sarifProperties `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Line   int `json:"startLine"`
		Column int `json:"startColumn"`
	}
	sarifProperties struct {
		Confidence Confidence `json:"confidence"`
		Fields     []string   `json:"fields"`
		Curl       string     `json:"curl"`
	}
)

// levels are how SARIF names what a reader should do about a finding.
var levels = map[Confidence]string{Certain: "warning", Likely: "warning", Possible: "note"}

// sarif prints the report.
func (r *Report) sarif(w io.Writer) error {
	run := sarifRun{
		Tool:        sarifTool{sarifDriver{Name: "sellerd scan", URI: r.guide.BaseURL + "/docs/scan", Rules: []sarifRule{}}},
		Invocations: []sarifInvocation{{Successful: true, Notifications: []sarifNotification{}}},
		ColumnKind:  "unicodeCodePoints", Results: []sarifResult{},
	}
	for _, name := range r.Summary.Partial {
		run.Invocations[0].Notifications = append(run.Invocations[0].Notifications, sarifNotification{
			Level: "warning", Message: sarifText{"The file was not read to its end."}, Locations: []sarifFileLocation{{sarifFile{sarifArtifact{fileURI(name)}}}},
		})
	}
	for _, section := range r.guide.Calls {
		if r.Summary.Calls[section.ID] > 0 {
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{
				ID: section.ID, Short: sarifText{section.Title + "."}, Help: sarifText{strings.TrimSpace(section.How() + ": " + strings.ReplaceAll(section.Successors(), "`", ""))},
				HelpURI: link(r.guide, section.ID),
			})
		}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		message := fmt.Sprintf("%s %s ends with /rest. In /v1: %s.", f.Method, f.Path, f.successor())
		if len(f.Notes) > 0 {
			message += " " + strings.Join(f.Notes, " ")
		}
		run.Results = append(run.Results, sarifResult{
			Rule:      f.Call,
			RuleIndex: slices.IndexFunc(run.Tool.Driver.Rules, func(rule sarifRule) bool { return rule.ID == f.Call }),
			Level:     levels[f.Confidence], Message: sarifText{message}, Occurrences: f.Count,
			Locations:  []sarifLocation{{sarifPhysical{sarifArtifact{fileURI(f.File)}, sarifRegion{f.Line, f.Column}}}},
			Properties: sarifProperties{f.Confidence, f.Fields, f.Curl},
		})
	}
	log := sarifLog{Schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
	if err := json.MarshalWrite(w, log, jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return write(w, "\n")
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
	if text := u.String(); u.Scheme == "" {
		return text
	}
	return "file://" + u.EscapedPath()
}
