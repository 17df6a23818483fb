package conformance

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
)

// This file is about mistakes in sealed sections. The sealed section stays as it is. A later release corrects it in public,
// and its own section of the same title is the promise from then on.

// CorrectionsFile lists, in the folder of a release, its corrections of earlier releases.
const CorrectionsFile = "corrections.json"

// Correction is one mistake of an earlier release: the sections that have it, and the evidence. The package gate rejects a
// correction that lacks one of them.
type Correction struct {
	Release    string   `json:"release"`                 // the release with the mistake
	Transcript string   `json:"transcript,omitzero"`     // in that release's folder, without .txt: rest/item
	Sections   []string `json:"sections,omitempty"`      // titles in the transcript
	For        []string `json:"operations,omitempty"`    // of a transcript that many operations follow: the operations with the mistake
	Document   []string `json:"rest_document,omitempty"` // differences of the OpenAPI document of /rest, as the gate prints them
	Mistake    string   `json:"mistake"`                 // what was wrong, and what is right
	Evidence   string   `json:"evidence"`                // the public documentation, with an address
	Entry      string   `json:"entry"`                   // the version whose entry in the change log describes it

	By string `json:"-"` // the release whose folder lists it, empty for the coming one
}

// file is the transcript's path.
func (c *Correction) file() string { return path.Join("released", c.Release, c.Transcript+".txt") }

// Legacy says whether the correction is about /rest.
func (c *Correction) Legacy() bool {
	return c.Transcript == "" || strings.HasPrefix(c.Transcript, "rest/")
}

// Covers says whether the correction supersedes a section of a transcript that is replayed for an operation.
func (c *Correction) Covers(t *Transcript, operation, title string) bool {
	return c.file() == t.File && slices.Contains(c.Sections, title) && (len(c.For) == 0 || slices.Contains(c.For, operation))
}

// Corrected is the correction of a section, nil if the section is still promised.
func (s *Suite) Corrected(t *Transcript, operation, title string) *Correction {
	for i := range s.Corrections {
		if s.Corrections[i].Covers(t, operation, title) {
			return &s.Corrections[i]
		}
	}
	return nil
}

// Of finds the corrected transcript, nil if there is none.
func (s *Suite) Of(c *Correction) *Transcript { return s.transcript(c.file()) }

// Successor is the right section in the release that corrects, of the same title: in the transcript of the same name, or in
// the operation's own. It is nil if there is none.
func (s *Suite) Successor(c *Correction, operation, title string) *Section {
	folder := "next"
	if c.By != "" {
		folder = path.Join("released", c.By)
	}
	for _, name := range []string{c.Transcript, path.Join(path.Dir(c.Transcript), operation)} {
		if t := s.transcript(path.Join(folder, name+".txt")); t != nil && t.Section(title) != nil {
			return t.Section(title)
		}
	}
	return nil
}

func (s *Suite) transcript(file string) *Transcript {
	i := slices.IndexFunc(s.Transcripts, func(t *Transcript) bool { return t.File == file })
	if i < 0 {
		return nil
	}
	return s.Transcripts[i]
}

// Section finds a section by its title, nil when there is none.
func (t *Transcript) Section(title string) *Section {
	i := slices.IndexFunc(t.Sections, func(s Section) bool { return s.Title == title })
	if i < 0 {
		return nil
	}
	return &t.Sections[i]
}

// readCorrections reads the corrections in a release's folder, or in next.
func readCorrections(files fs.FS, name string) ([]Correction, error) {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, err
	}
	var list []Correction
	if err := json.Unmarshal(text, &list, json.RejectUnknownMembers(true)); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	parts := strings.Split(name, "/")
	for i := range list {
		if parts[0] == "released" {
			list[i].By = parts[1]
		}
	}
	return list, nil
}

// Later says whether a release, the coming one when it is empty, came after another one.
func Later(by, version string) bool { return compareVersions(by, version) > 0 }

// byCorrector puts the corrections of older releases first, as they stand in their files.
func byCorrector(a, b Correction) int { return compareVersions(a.By, b.By) }
