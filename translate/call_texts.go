package translate

import (
	_ "embed"
	"strconv"
	"strings"

	"sellerd/v1"
)

// This file reads the words and the samples of calls from a text, whose beginning says how it is written.

//go:embed calls.txt
var callsText string

// numbers are those that the words have.
var numbers = strings.NewReplacer("{hours}", strconv.Itoa(RepeatHours), "{minutes}", strconv.Itoa(SessionMinutes), "{page}", strconv.Itoa(v1.DefaultPageSize))

// sections are the sections of the text, by the calls that they are about.
var sections = func() map[string][]string {
	all := map[string][]string{}
	for section := range strings.SplitSeq(callsText, "\n# ") {
		ids, text, _ := strings.Cut(section, "\n")
		for id := range strings.SplitSeq(ids, ", ") {
			all[id] = append(all[id], text)
		}
	}
	return all
}()

// read adds the words and the samples of a call.
func (c *Call) read() {
	for _, section := range sections[c.ID] {
		words, samples, _ := strings.Cut(section, "\n## ")
		for paragraph := range strings.SplitSeq(strings.ReplaceAll(words, "\nform: ", "\n\nform: "), "\n\n") {
			kind, text, _ := strings.Cut(strings.TrimSpace(paragraph), ": ")
			c.addWords(kind, text)
		}
		c.Samples = append(c.Samples, newSamples(strings.ReplaceAll(samples, "\n  ", ""))...)
	}
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

// newSamples reads the samples of a section.
func newSamples(text string) (samples []Sample) {
	for block := range strings.SplitSeq(text, "\n## ") {
		if other, ok := strings.CutPrefix(block, "= "); ok {
			words := strings.Fields(other)
			_, shared, _ := strings.Cut(sections[words[0]][0], "\n## ")
			samples = append(samples, newSamples(filled(shared, words[1:]))...)
			continue
		}
		sample, each := newSample(block)
		for _, entry := range each {
			one, _ := newSample(filled(block, strings.Fields(entry)))
			samples = append(samples, one)
		}
		if each == nil && text != "" {
			samples = append(samples, sample)
		}
	}
	return samples
}

// filled puts arguments into their places. A line whose argument is not given is left out.
func filled(text string, arguments []string) string {
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
