package scan

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"sellerd/translate/guide"
)

// This file prints a report for people: what each file calls, and then the order of work of the guide.

// text prints the report.
func (r *Report) text(w io.Writer) error {
	var b strings.Builder
	var sure, possible []*Finding
	for i := range r.Findings {
		if f := &r.Findings[i]; f.Confidence == Possible {
			possible = append(possible, f)
		} else {
			sure = append(sure, f)
		}
	}
	list(&b, sure)
	if len(possible) > 0 {
		if len(sure) > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("Possible: look at these, some may be calls of another service, or none.\n\n")
		list(&b, possible)
	}
	switch {
	case r.Summary.Files == 0:
		fmt.Fprintf(&b, "No file was read, %d skipped: that says nothing of /rest.\n", r.Summary.Skipped)
	case len(r.Findings) == 0:
		fmt.Fprintf(&b, "Nothing calls /rest. %s\n", r.counted())
	default:
		places := 0
		for _, n := range r.Summary.Calls {
			places += n
		}
		fmt.Fprintf(&b, "\n%s of %s. %s\n", count(places, "place", "places"), count(len(r.Summary.Calls), "call", "calls"), r.counted())
		r.orderOfWork(&b)
	}
	return write(w, b.String())
}

// list prints findings by their files.
func list(b *strings.Builder, findings []*Finding) {
	for i, f := range findings {
		if i == 0 || f.File != findings[i-1].File {
			if i > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(Printable(f.File) + "\n")
		}
		times := ""
		if f.Count > 1 {
			times = fmt.Sprintf(" (%d times)", f.Count)
		}
		fmt.Fprintf(b, "  %d:%d  %s %s  (%s, %s)%s\n", f.Line, f.Column, f.Method, f.Path, f.Call, f.Confidence, times)
		fmt.Fprintf(b, "      in /v1: %s\n", f.successor())
		if len(f.Fields) > 0 {
			b.WriteString("      fields: " + strings.Join(f.Fields, ", ") + "\n")
		}
		for _, note := range f.Notes {
			b.WriteString("      " + note + "\n")
		}
	}
}

func write(w io.Writer, text string) error {
	_, err := io.WriteString(w, text)
	return err
}

// counted says how many files were read.
func (r *Report) counted() string {
	return fmt.Sprintf("%s read, %d skipped.", count(r.Summary.Files, "file was", "files were"), r.Summary.Skipped)
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// successor says what takes the place of a call.
func (f *Finding) successor() string {
	if f.V1 == nil {
		return "nothing to call"
	}
	return f.V1.Method + " " + f.V1.Path
}

// orderOfWork prints the phases of the guide with the calls that were found.
func (r *Report) orderOfWork(b *strings.Builder) {
	b.WriteString("\nThe order of work:\n")
	for i := range r.guide.Phases {
		phase := &r.guide.Phases[i]
		calls := slices.DeleteFunc(slices.Clone(phase.Calls), func(id string) bool { return r.Summary.Calls[id] == 0 })
		if len(calls) == 0 && i < len(r.guide.Phases)-1 {
			continue
		}
		fmt.Fprintf(b, "\n%s. %s\n", phase.Title, strings.ReplaceAll(phase.Short, "`", ""))
		for _, id := range calls {
			section := r.guide.Call(id)
			fmt.Fprintf(b, "  %s, %s: %s\n", section.Title, count(r.Summary.Calls[id], "place", "places"), link(r.guide, id))
		}
	}
	fmt.Fprintf(b, "\nThen scan again: nothing should be left. What your account still calls is at GET /v1/account/legacy-usage.\n")
}

func link(page *guide.Page, id string) string { return page.BaseURL + "/migration#" + id }

// Printable returns a text without control characters of a terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
