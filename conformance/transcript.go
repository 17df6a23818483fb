package conformance

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// Transcript is the promise of an operation of one stack, in sections that are replayed in order.
type Transcript struct {
	File     string   // where it stands: released/1.0.0/GetItem.txt
	For      []string // the operations that have to follow it; empty for the one it is named after
	Given    []string // stages that are played first
	Finally  []string // stages that are played at the end, to remove objects that would disturb the next replay
	Sections []Section
}

// Section is one exchange.
type Section struct {
	Title   string
	Given   []string // stages that are played before it
	While   []string // conditions that are possible only beside the service: see Beside
	Request string   // a curl command; one that begins with "curl ..." changes the usual request
	Until   string   // path=value that the answer's body must have; the request is repeated till then
	Keep    []Keep
	After   []string // curl commands that remove the section's objects when the transcript is over
	Answer  *Answer  // nil when it is not recorded yet, and in stages
}

// Keep gives a name to a value of the answer.
type Keep struct{ Name, Path string }

// Answer is the expected answer.
type Answer struct {
	Status  int
	Headers []Header // in the order of watchedHeaders
	Body    string   // as pattern
}

// Header is one line of the answer's headers.
type Header struct{ Name, Value string }

// Operation is the name of the operation, or the id of the call, that the transcript is about, empty for one that many follow.
func (t *Transcript) Operation() string {
	if len(t.For) > 0 {
		return ""
	}
	name := t.File[strings.LastIndexByte(t.File, '/')+1:]
	return strings.TrimSuffix(name, ".txt")
}

// Legacy says whether the transcript is about calls of /rest.
func (t *Transcript) Legacy() bool { return strings.Contains(t.File, "/rest/") }

// Parse reads a transcript.
func Parse(file, text string) (*Transcript, error) {
	t := &Transcript{File: file}
	p := parser{lines: bufio.NewScanner(strings.NewReader(text)), transcript: t}
	p.lines.Buffer(nil, 1<<20)
	for p.lines.Scan() {
		p.number++
		if err := p.line(p.lines.Text()); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, p.number, err)
		}
	}
	if err := p.lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p.endSection()
	if len(t.Sections) == 0 {
		return nil, fmt.Errorf("%s has no section", file)
	}
	for _, s := range t.Sections {
		if s.Request == "" {
			return nil, fmt.Errorf("%s: the section %q has no request", file, s.Title)
		}
	}
	return t, nil
}

type parser struct {
	lines      *bufio.Scanner
	number     int
	transcript *Transcript
	section    *Section
	part       part
	body       []string
}

// part is where in a section the parser is.
type part int

const (
	inPreamble part = iota
	inRequest
	inHeaders
	inBody
)

func (p *parser) line(line string) error {
	if title, ok := strings.CutPrefix(line, "# "); ok {
		p.endSection()
		p.section, p.part = &Section{Title: title}, inPreamble
		return nil
	}
	switch p.part {
	case inPreamble:
		return p.preamble(line)
	case inRequest:
		p.section.Request += "\n" + line
		if !strings.HasSuffix(line, `\`) && complete(p.section.Request) {
			p.part = inPreamble
		}
	case inHeaders:
		if line == "" {
			p.part = inBody
			return nil
		}
		name, value, ok := strings.Cut(line, ": ")
		if !ok {
			return fmt.Errorf("%q is no header", line)
		}
		p.section.Answer.Headers = append(p.section.Answer.Headers, Header{name, value})
	case inBody:
		p.body = append(p.body, line)
	}
	return nil
}

// preamble reads what stands before a request, and between it and its answer.
func (p *parser) preamble(line string) error {
	if line == "" {
		return nil
	}
	word, rest, _ := strings.Cut(line, " ")
	if list := p.lists()[word]; list != nil {
		*list = append(*list, rest)
		return nil
	}
	s := p.section
	if s == nil {
		if word != "For:" {
			return fmt.Errorf("%q stands before the first section", line)
		}
		p.transcript.For = append(p.transcript.For, strings.Fields(strings.ReplaceAll(rest, ",", " "))...)
		return nil
	}
	switch word {
	case "Until:":
		s.Until = rest
	case "Keep:":
		name, path, ok := strings.Cut(rest, " = ")
		if !ok {
			return fmt.Errorf("Keep: name = path, not %q", rest)
		}
		s.Keep = append(s.Keep, Keep{name, path})
	case "curl", "head":
		if s.Request != "" {
			return fmt.Errorf("a second request in the section %q", s.Title)
		}
		s.Request = line
		if strings.HasSuffix(line, `\`) || !complete(line) {
			p.part = inRequest
		}
	case "HTTP":
		status, err := strconv.Atoi(rest)
		if err != nil {
			return fmt.Errorf("%q is no status", rest)
		}
		s.Answer, p.part = &Answer{Status: status}, inHeaders
	default:
		return fmt.Errorf("cannot read %q", line)
	}
	return nil
}

// lists are the lists that grow with each line that begins with a word.
func (p *parser) lists() map[string]*[]string {
	if s := p.section; s != nil {
		return map[string]*[]string{"Given:": &s.Given, "While:": &s.While, "Afterwards:": &s.After}
	}
	return map[string]*[]string{"Given:": &p.transcript.Given, "Finally:": &p.transcript.Finally}
}

// complete says whether a command's quotes are closed.
func complete(command string) bool {
	_, err := fields(pipe.ReplaceAllString(command, ""), func(string) string { return "x" })
	return err == nil
}

func (p *parser) endSection() {
	if p.section == nil {
		return
	}
	if p.section.Answer != nil {
		p.section.Answer.Body = strings.TrimRight(strings.Join(p.body, "\n"), "\n")
	}
	p.transcript.Sections = append(p.transcript.Sections, *p.section)
	p.section, p.body = nil, nil
}

// printEach prints a line for each entry of a list.
func printEach(b *strings.Builder, word string, entries []string) {
	for _, entry := range entries {
		b.WriteString(word + " " + entry + "\n")
	}
}

func (s *Section) print(b *strings.Builder) {
	fmt.Fprintf(b, "# %s\n", s.Title)
	printEach(b, "Given:", s.Given)
	printEach(b, "While:", s.While)
	fmt.Fprintf(b, "%s\n", s.Request)
	if s.Until != "" {
		fmt.Fprintf(b, "Until: %s\n", s.Until)
	}
	for _, k := range s.Keep {
		fmt.Fprintf(b, "Keep: %s = %s\n", k.Name, k.Path)
	}
	printEach(b, "Afterwards:", s.After)
	if s.Answer == nil {
		return
	}
	fmt.Fprintf(b, "\nHTTP %d\n", s.Answer.Status)
	for _, h := range s.Answer.Headers {
		fmt.Fprintf(b, "%s: %s\n", h.Name, h.Value)
	}
	if s.Answer.Body != "" {
		fmt.Fprintf(b, "\n%s\n", s.Answer.Body)
	}
}
