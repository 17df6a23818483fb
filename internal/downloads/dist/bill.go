package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/downloads"
)

// bill is a list of modules in CycloneDX 1.6. It says what the linker wrote into the program, which `go version -m` prints, and of each
// module its licence, as NOTICE has it. It has no random serial number, so that two builds have the same.
type bill struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Licences   []licence  `json:"licenses,omitempty"`
	PURL       string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type licence struct {
	Expression string `json:"expression"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// bill lists the modules of a program.
func (r *release) bill(a downloads.Archive, program []byte) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("what the program was built from: %w", err)
	}
	b := bill{Format: "CycloneDX", SpecVersion: "1.6", Version: 1, Metadata: metadata{r.at.Format(time.RFC3339), component{
		Type: "application", Ref: a.Stem(), Name: a.Program, Version: r.version, Hashes: []hash{{"SHA-256", sum(program)}},
		Properties: []property{{"commit", r.commit}, {"path", info.Path}},
	}}}
	for _, setting := range info.Settings {
		b.Metadata.Component.Properties = append(b.Metadata.Component.Properties, property{"build " + setting.Key, setting.Value})
	}
	library := func(path, version, sum, terms string) {
		c := component{Type: "library", Name: path, Version: version, PURL: "pkg:golang/" + path + "@" + version, Licences: []licence{{terms}}}
		if c.Ref = c.PURL; sum != "" {
			c.Properties = []property{{"go.sum", sum}}
		}
		b.Components = append(b.Components, c)
	}
	library("std", strings.TrimPrefix(info.GoVersion, "go"), "", "BSD-3-Clause")
	for _, m := range info.Deps {
		if m.Replace != nil {
			return nil, fmt.Errorf("%s is replaced by %s: a release is built from published modules", m.Path, m.Replace.Path)
		}
		terms, err := r.licence(m)
		if err != nil {
			return nil, err
		}
		library(m.Path, m.Version, m.Sum, terms)
	}
	text, err := json.Marshal(b, jsontext.WithIndent("  "))
	return append(text, '\n'), err
}

// licence is the licence of a module.
func (r *release) licence(m *debug.Module) (string, error) {
	terms, known := r.licences[m.Path+" "+m.Version]
	if !known {
		return "", fmt.Errorf("NOTICE does not name %s %s: make generate", m.Path, m.Version)
	}
	return terms, nil
}

// licencesIn reads NOTICE: a line for each module, with its path, its version and, after two blanks, its licence.
func licencesIn(notice string) map[string]string {
	found := map[string]string{}
	for line := range strings.Lines(notice) {
		if module, terms, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
			found[module] = terms
		}
	}
	return found
}
