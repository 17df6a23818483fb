package translate

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"sellerd/v1"
)

// This file reads the words and the samples of calls from a text, whose beginning says how it is written.

//go:embed calls.txt
var callsText string

// numbers are those that the words have.
var numbers = strings.NewReplacer("{hours}", strconv.Itoa(RepeatHours), "{minutes}", strconv.Itoa(SessionMinutes), "{page}", strconv.Itoa(v1.DefaultPageSize))

// read adds the words and the samples of a call.
func (c *Call) read() {
	for section := range strings.SplitSeq(callsText, "\n# ") {
		ids, text, _ := strings.Cut(section, "\n")
		if !slices.Contains(strings.Split(ids, ", "), c.ID) {
			continue
		}
		text, _, _ = strings.Cut(text, "\n## ")
		for paragraph := range strings.SplitSeq(strings.ReplaceAll(text, "\nform: ", "\n\nform: "), "\n\n") {
			kind, words, _ := strings.Cut(strings.TrimSpace(paragraph), ": ")
			c.addWords(kind, words)
		}
	}
	c.Samples = samplesOf(c.ID)
}

func (c *Call) addWords(kind, words string) {
	text := numbers.Replace(strings.ReplaceAll(words, "\n ", ""))
	switch example := &c.Guide.Example; kind {
	case "why":
		c.Target.Why = text
	case "instead":
		c.Target.Instead = text
	case "note":
		c.Notes = append(c.Notes, text)
	case "answer":
		c.Guide.Answer = text
	case "guide":
		c.Guide.Note = text
	case "command":
		example.V1 = words
	case "path":
		name, value, _ := strings.Cut(text, "=")
		example.Path = map[string]string{name: value}
	case "form":
		for field := range strings.SplitSeq(text, "&") {
			name, value, _ := strings.Cut(field, "=")
			example.Form = append(example.Form, Pair{name, value})
		}
	}
}

// samplesOf returns the samples of a section.
func samplesOf(section string, arguments ...string) (samples []Sample) {
	_, text, _ := strings.Cut(callsText, "\n# "+section+"\n")
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
