package translate

import (
	_ "embed"
	"strconv"
	"strings"
)

// This file reads the samples of calls from a text, whose beginning says how it is written.

//go:embed samples.txt
var samplesText string

// samplesOf returns the samples of a section.
func samplesOf(section string, arguments ...string) (samples []Sample) {
	_, text, _ := strings.Cut(samplesText, "\n# "+section+"\n")
	text, _, _ = strings.Cut(text, "\n# ")
	_, text, _ = strings.Cut(filled(strings.ReplaceAll(text, "\n  ", ""), arguments), "\n## ")
	for block := range strings.SplitSeq(text, "\n## ") {
		if other, ok := strings.CutPrefix(block, "= "); ok {
			words := strings.Fields(other)
			samples = append(samples, samplesOf(words[0], words[1:]...)...)
			continue
		}
		sample, each := newSample(block)
		for _, entry := range each {
			one, _ := newSample(filled(block, strings.Fields(entry)))
			samples = append(samples, one)
		}
		if each == nil {
			samples = append(samples, sample)
		}
	}
	return samples
}

// filled puts arguments into their places. A line whose argument is not given is left out.
func filled(text string, arguments []string) string {
	if arguments == nil {
		return text
	}
	for i, argument := range arguments {
		text = strings.ReplaceAll(text, "$"+strconv.Itoa(i+1), argument)
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "$") {
			b.WriteString(line)
		}
	}
	return b.String()
}

// newSample reads a sample. A sample that stands for several has entries.
func newSample(block string) (s Sample, entries []string) {
	name, lines, _ := strings.Cut(block, "\n")
	s.Name = name
	for line := range strings.SplitSeq(lines, "\n") {
		switch kind, text, _ := strings.Cut(line, " "); kind {
		case "each":
			entries = append(entries, strings.Split(text, ", ")...)
		case "path":
			part, value, _ := strings.Cut(text, "=")
			s.Path = map[string]string{part: value}
		case "form":
			s.Form = text
		case "v1":
			s.V1 = append(s.V1, text)
		case "note":
			s.Note = append(s.Note, text)
		}
	}
	return s, entries
}
