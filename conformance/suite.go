package conformance

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Suite is all transcripts and corrections.
type Suite struct {
	Transcripts []*Transcript // by release, next last, and by name
	Stages      map[string]*Transcript
	Corrections []Correction // the sections that are no longer promised, the oldest release's first

	sealed map[string]bool // folders that must not change
}

// LoadFrom reads the transcripts of file systems that together have the folders released and next.
func LoadFrom(systems ...fs.FS) (*Suite, error) {
	s := &Suite{Stages: map[string]*Transcript{}, sealed: map[string]bool{}}
	for _, files := range systems {
		if err := s.read(files); err != nil {
			return nil, fmt.Errorf("conformance: %w", err)
		}
	}
	slices.SortFunc(s.Transcripts, byRelease)
	slices.SortStableFunc(s.Corrections, byCorrector)
	return s, nil
}

// read adds the files of a file system.
func (s *Suite) read(files fs.FS) error {
	return fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if path.Base(name) == SealFile {
			s.sealed[path.Dir(name)] = true
			return nil
		}
		if err == nil && path.Base(name) == CorrectionsFile {
			list, err := readCorrections(files, name)
			s.Corrections = append(s.Corrections, list...)
			return err
		}
		if err != nil || entry.IsDir() || path.Ext(name) != ".txt" {
			return err
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		t, err := Parse(name, string(text))
		if err != nil {
			return err
		}
		if _, stage, ok := strings.Cut(name, "/stages/"); ok {
			stage = strings.TrimSuffix(stage, ".txt")
			if before := s.Stages[stage]; before != nil {
				return fmt.Errorf("%s and %s are of the same name", before.File, name)
			}
			s.Stages[stage] = t
			return nil
		}
		s.Transcripts = append(s.Transcripts, t)
		return nil
	})
}

// byRelease puts older releases first and next behind them, and else goes by name.
func byRelease(a, b *Transcript) int {
	return cmp.Or(compareVersions(a.release(), b.release()), strings.Compare(a.File, b.File))
}

// release is the version that a transcript belongs to, empty for the coming one.
func (t *Transcript) release() string {
	parts := strings.Split(t.File, "/")
	if parts[0] == "released" && len(parts) > 2 {
		return parts[1]
	}
	return ""
}

// own is an operation's own first transcript.
func (s *Suite) own(operation string, legacy bool) *Transcript {
	for _, t := range s.Transcripts {
		if t.Operation() == operation && t.Legacy() == legacy {
			return t
		}
	}
	return nil
}

// Replays are the transcripts with the operations for which each is replayed.
func (s *Suite) Replays() []Replay {
	var all []Replay
	for _, t := range s.Transcripts {
		if name := t.Operation(); name != "" {
			all = append(all, Replay{t, name})
		}
		for _, name := range t.For {
			all = append(all, Replay{t, name})
		}
	}
	return all
}

// Replay is a transcript and the operation that has to follow it.
type Replay struct {
	Transcript *Transcript
	Operation  string
}

// Sealed says whether a transcript must stay as it is.
func (s *Suite) Sealed(t *Transcript) bool {
	for folder := path.Dir(t.File); folder != "."; folder = path.Dir(folder) {
		if s.sealed[folder] {
			return true
		}
	}
	return false
}
