package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// importReport is the outcome of an import.
type importReport struct {
	Summary importSummary `json:"summary"`
	Rows    []*importRow  `json:"rows"`

	to target
}

// importSummary counts rows. Accepted ones are later published or rejected, so they count twice.
type importSummary struct {
	Rows      int `json:"rows"`
	Accepted  int `json:"accepted"`
	Refused   int `json:"refused"` // at once
	Published int `json:"published"`
	Warned    int `json:"published_with_warnings"`
	Rejected  int `json:"rejected"` // at publication
	Pending   int `json:"pending"`  // accepted, and not yet final
	Replayed  int `json:"replayed"` // accepted by an earlier import
	Unsent    int `json:"unsent"`
	Unknown   int `json:"unknown"` // sent without an answer
	Changed   int `json:"changed"` // with --update
	Valid     int `json:"valid"`   // would be changed, with --dry-run
}

func (im *importer) report() importReport {
	report := importReport{Rows: im.rows, to: im.to}
	s := &report.Summary
	s.Rows = len(im.rows)
	for _, row := range im.rows {
		*map[string]*int{
			rowUnsent: &s.Unsent, rowUnknown: &s.Unknown, rowRefused: &s.Refused,
			rowAccepted: &s.Pending, rowPublished: &s.Published, rowRejected: &s.Rejected, rowChanged: &s.Changed, rowValid: &s.Valid,
		}[row.Outcome]++
		if row.Outcome == rowPublished && len(row.Problems) > 0 {
			s.Warned++
		}
		if row.Replayed {
			s.Replayed++
		}
	}
	s.Accepted = s.Published + s.Rejected + s.Pending
	return report
}

// unknown is an error if a row has no known outcome. Rows whose publication the user did not wait for do not count.
func (r importReport) unknown(waited bool) error {
	n := r.Summary.Unknown + r.Summary.Unsent
	if waited {
		n += r.Summary.Pending
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d rows have no outcome", n)
}

// print writes the problems and the summary for people.
func (r importReport) print(out io.Writer, took time.Duration) {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	heading := "line\tpersonal_reference\toutcome\tcode\tfield\tmessage\n"
	for _, row := range r.Rows {
		for _, problem := range row.Problems {
			fmt.Fprint(table, heading)
			fmt.Fprintln(table, strings.Join(append([]string{strconv.Itoa(row.Line), row.Reference, row.Outcome}, problem.cells()...), "\t"))
			heading = ""
		}
	}
	if heading == "" {
		fmt.Fprintln(table)
	}
	_ = table.Flush() // standard output is gone, so there is no place for the error

	s := r.Summary
	fmt.Fprintf(out, "%d rows in %s\n", s.Rows, took.Round(100*time.Millisecond))
	lines := []reportLine{
		{"accepted", s.Accepted, true, ""},
		{"  published", s.Published, true, ""},
		{"    with warnings", s.Warned, false, ""},
		{"  rejected later", s.Rejected, true, ""},
		{"  not yet final", s.Pending, false, ""},
		{"  replayed", s.Replayed, true, "accepted by an earlier import, and not listed again"},
	}
	switch r.to.keys {
	case changing.keys:
		lines = []reportLine{
			{"changed", s.Changed, true, ""},
			{"  replayed", s.Replayed, true, "changed by an earlier import, and not changed again"},
		}
	case rehearsing.keys:
		lines = []reportLine{{"would be changed", s.Valid, true, ""}}
	}
	lines = append(lines,
		reportLine{"refused at once", s.Refused, true, ""},
		reportLine{"not sent", s.Unsent, false, ""},
		reportLine{"outcome unknown", s.Unknown, false, ""})
	for _, line := range lines {
		if line.always || line.count > 0 {
			fmt.Fprintln(out, strings.TrimRight(fmt.Sprintf("  %-20s %7d  %s", line.label, line.count, line.more), " "))
		}
	}
}

// reportLine is a number of the report. It is shown if it is not 0, or always.
type reportLine struct {
	label  string
	count  int
	always bool
	more   string
}

// cells are a problem's columns, on one line each.
func (e apiError) cells() []string {
	return []string{e.Code, e.Field, strings.Join(strings.Fields(e.Message), " ")}
}

// checkReport fails, before anything is sent, if the report cannot be written. An empty path means no report.
func checkReport(path string) error {
	if path == "" {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return wrong("--report names the folder %s: name a file in it", path)
	}
	folder := filepath.Dir(path)
	temporary, err := os.CreateTemp(folder, "."+filepath.Base(path)+"-*")
	if err != nil {
		var reason *fs.PathError
		if errors.As(err, &reason) {
			err = reason.Err
		}
		return wrong("--report %s cannot be written: %s: %v", path, folder, err)
	}
	return errors.Join(temporary.Close(), os.Remove(temporary.Name()))
}

// write stores the report.
func (r importReport) write(path string) error {
	var text bytes.Buffer
	var err error
	if filepath.Ext(path) == ".json" {
		encoder := json.NewEncoder(&text)
		encoder.SetIndent("", "  ")
		err = encoder.Encode(r)
	} else {
		err = r.writeCSV(&text)
	}
	if err == nil {
		err = replaceFile(path, text.Bytes())
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// writeCSV writes a line for each row, and one for each further problem of a row.
func (r importReport) writeCSV(out io.Writer) error {
	writer := csv.NewWriter(out)
	records := [][]string{{"line", "personal_reference", "outcome", "replayed", "item_id", "code", "field", "message"}}
	for _, row := range r.Rows {
		first := []string{strconv.Itoa(row.Line), row.Reference, row.Outcome, strconv.FormatBool(row.Replayed), row.ItemID}
		for _, problem := range row.Problems {
			records = append(records, append(first[:len(first):len(first)], problem.cells()...))
		}
		if len(row.Problems) == 0 {
			records = append(records, append(first, "", "", ""))
		}
	}
	return writer.WriteAll(records)
}
