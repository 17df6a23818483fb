package importing

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/internal/base/pattern"
	"sellerd/internal/sheet"
)

// Report is what became of the rows.
type Report struct {
	Summary Summary  `json:"summary"`
	Notes   []string `json:"notes,omitempty"`
	Rows    []*Row   `json:"rows"`

	update, dry bool
	separator   rune // of a CSV file
}

// Summary counts rows. Accepted ones are later published or rejected, so they count twice.
type Summary struct {
	Rows      int `json:"rows"`
	Accepted  int `json:"accepted"`
	Refused   int `json:"refused"` // at once
	Published int `json:"published"`
	Warned    int `json:"published_with_warnings"`
	Rejected  int `json:"rejected"` // at publication
	Pending   int `json:"pending"`  // accepted, and not yet final
	Replayed  int `json:"replayed"` // accepted by an earlier import
	Known     int `json:"known"`    // not sent, because there is an item with the reference
	Unsent    int `json:"unsent"`
	Unknown   int `json:"unknown"` // sent without an answer
	Changed   int `json:"changed"` // with --update
	Lacking   int `json:"changed_with_warnings"`
	Same      int `json:"same"`  // with --update: there was nothing to change
	Valid     int `json:"valid"` // would be listed or changed, with --dry-run
}

// Report sums up the rows.
func (im *Importer) Report() Report {
	r := Report{Rows: im.File.Rows, Notes: append(slices.Clone(im.File.Notes), im.notes...), separator: ','}
	r.update, r.dry = im.File.Options.Update, im.DryRun
	if of := rune(im.File.Separator); of == ';' || of == '\t' { // as the spreadsheet that wrote the file opens it
		r.separator = of
	}
	s := &r.Summary
	s.Rows = len(r.Rows)
	for _, row := range r.Rows {
		if row.Outcome != Changed && row.Outcome != Valid {
			row.Amounts = "" // the item keeps its own, or it is not known
		}
		*map[string]*int{
			Unsent: &s.Unsent, Unknown: &s.Unknown, Refused: &s.Refused, Accepted: &s.Pending, Published: &s.Published, Rejected: &s.Rejected,
			Known: &s.Known, Changed: &s.Changed, Same: &s.Same, Valid: &s.Valid,
		}[row.Outcome]++
		if row.Outcome == Published && len(row.Problems) > 0 {
			s.Warned++
		}
		if row.Outcome == Changed && len(row.Problems) > 0 {
			s.Lacking++
		}
		if row.Replayed {
			s.Replayed++
		}
	}
	s.Accepted = s.Published + s.Rejected + s.Pending
	return r
}

// NoOutcome is an error if a row has no known outcome. Rows whose publication the user did not wait for do not count.
func (r Report) NoOutcome(waited bool) error {
	n := r.Summary.Unknown + r.Summary.Unsent
	if waited && !r.dry {
		n += r.Summary.Pending
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%s no outcome", Have(n))
}

// Have is the beginning of a sentence about a number of rows.
func Have(n int) string { return Count(n) + map[bool]string{true: " has", false: " have"}[n == 1] }

// Count is a number of rows.
func Count(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// What the screen shows at most: the report has everything. Each kind of problem that is shown has a row, also after ten.
const (
	shownRows    = 10
	shownPerKind = 3
	shownKinds   = 20
)

// reportColumns are the names of the columns of a report.
var reportColumns = []string{"row", "line", "personal_reference", "outcome", "replayed", "item_id", "code", "field", "value", "message"}

// amountsColumn is the last one of a report about changes.
const amountsColumn = "amounts"

// kind is what similar problems have in common: all but the numbers in their messages.
type kind struct{ outcome, code, field, message string }

var anyNumber = pattern.Late(`[0-9]+`)

// alike are the problems of one kind.
type alike struct {
	first Problem
	said  string
	last  *Row
	rows  int
	lines []string // of the rows, each with what is different in it
}

// Print writes the problems and the summary for people. Each kind of problem is there once, the most frequent first, with some of its rows.
func (r Report) Print(out io.Writer, took time.Duration) {
	kinds, byKind := []*alike(nil), map[kind]*alike{}
	for _, row := range r.Rows {
		for _, p := range row.Problems {
			k := kind{row.Outcome, p.Code, p.Field, anyNumber().ReplaceAllString(p.Message, "")}
			if byKind[k] == nil {
				byKind[k] = &alike{first: p, said: row.Outcome + ": " + p.String()}
				kinds = append(kinds, byKind[k])
			}
			byKind[k].add(row, p)
		}
	}
	slices.SortStableFunc(kinds, func(a, b *alike) int { return cmp.Compare(b.rows, a.rows) })
	printProblems(out, kinds)
	r.printSummary(out, took)
}

// add adds a problem of a row. Its message is repeated if it has other numbers than the first one: the number of another item, for example.
func (a *alike) add(row *Row, p Problem) {
	line := strings.TrimSpace(fmt.Sprintf("row %d %s", row.Row, short(row.Reference)))
	if p.Value != "" && p.Value != row.Reference {
		line += ": " + sheet.Excerpt(p.Value, 60)
	}
	if p.Message != a.first.Message {
		line += ": " + p.cells()[3]
	}
	if n := len(a.lines); n == 0 || a.lines[n-1] != line {
		a.lines = append(a.lines, line)
	}
	if a.last != row {
		a.last, a.rows = row, a.rows+1
	}
}

func printProblems(out io.Writer, kinds []*alike) {
	left, whole := shownRows, len(kinds) <= shownKinds
	for _, k := range kinds[:min(len(kinds), shownKinds)] {
		fmt.Fprintf(out, "%s %s\n", Count(k.rows), k.said)
		shown := min(len(k.lines), shownPerKind, max(left, 1))
		for _, line := range k.lines[:shown] {
			fmt.Fprintf(out, "  %s\n", line)
		}
		left -= shown
		whole = whole && shown == len(k.lines)
	}
	if n := len(kinds) - shownKinds; n > 0 {
		fmt.Fprintf(out, "and %d other kinds of problems\n", n)
	}
	if !whole {
		fmt.Fprintln(out, "With --report FILE.csv, every row and problem is in a file that a spreadsheet opens.")
	}
	if len(kinds) > 0 {
		fmt.Fprintln(out)
	}
}

// String is a problem in one line: title: is required (missing_field).
func (p Problem) String() string {
	cells := p.cells()
	text := strings.TrimPrefix(cells[1]+": ", ": ") + cells[3]
	if p.Code != "" {
		text += " (" + p.Code + ")"
	}
	return text
}

func (r Report) printSummary(out io.Writer, took time.Duration) {
	s := r.Summary
	fmt.Fprintf(out, "%s in %s\n", Count(s.Rows), took.Round(100*time.Millisecond))
	lines := []reportLine{
		{"accepted", s.Accepted, true, ""},
		{"  published", s.Published, true, ""},
		{"    with warnings", s.Warned, false, ""},
		{"  rejected later", s.Rejected, true, ""},
		{"  not yet final", s.Pending, false, ""},
		{"  replayed", s.Replayed, true, "accepted by an earlier import, and not listed again"},
		{"already listed", s.Known, false, "an item has the reference: not listed again"},
	}
	switch {
	case r.update && r.dry:
		lines = []reportLine{{"would be changed", s.Valid, true, ""}, {"same", s.Same, true, "nothing to change"}}
	case r.update:
		lines = []reportLine{
			{"changed", s.Changed, true, ""}, {"  with warnings", s.Lacking, false, ""}, {"same", s.Same, true, "nothing to change"},
		}
	case r.dry:
		lines = []reportLine{{"would be accepted", s.Valid, true, ""}, {"listed before", s.Accepted, true, "by an earlier import: not listed again"}, lines[6]}
	}
	lines = append(lines, reportLine{"refused at once", s.Refused, true, ""}, reportLine{"not sent", s.Unsent, false, ""}, reportLine{"outcome unknown", s.Unknown, false, ""})
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
func (p Problem) cells() []string {
	return []string{p.Code, sheet.Visible(p.Field), p.Value, sheet.Visible(strings.Join(strings.Fields(p.Message), " "))}
}

// Write stores the report by a function that replaces files: as JSON if the name ends in .json, else as CSV.
func (r Report) Write(path string, replaceFile func(path string, data []byte) error) error {
	var text bytes.Buffer
	var err error
	if strings.EqualFold(filepath.Ext(path), ".json") {
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

// IsReport says whether a file that begins like this is a report.
func IsReport(start string) bool {
	line, _, _ := strings.Cut(start, "\n") // earlier versions had fewer columns
	line = strings.NewReplacer(";", ",", "\t", ",").Replace(line)
	return strings.HasPrefix(start, "{\n  \"summary\": {") || strings.Contains(line, strings.Join(reportColumns[1:8], ","))
}

// writeCSV writes a line for each row, and one for each further problem of a row. The byte order mark tells Excel that it is UTF-8, and an
// apostrophe keeps it from taking a text for a formula.
func (r Report) writeCSV(out io.Writer) error {
	if _, err := io.WriteString(out, "\ufeff"); err != nil {
		return err
	}
	writer := csv.NewWriter(out)
	writer.Comma = r.separator
	records := [][]string{slices.Clone(reportColumns)}
	if r.update {
		records[0] = append(records[0], amountsColumn)
	}
	for _, row := range r.Rows {
		first := []string{strconv.Itoa(row.Row), strconv.Itoa(row.Line), sheet.Visible(row.Reference), row.Outcome, strconv.FormatBool(row.Replayed), row.ItemID}
		problems := row.Problems
		if len(problems) == 0 {
			problems = []Problem{{}}
		}
		for _, problem := range problems {
			record := slices.Concat(first, problem.cells())
			if r.update {
				record = append(record, row.Amounts)
			}
			records = append(records, record)
		}
	}
	for _, record := range records {
		for i, cell := range record {
			if cell != "" && strings.ContainsAny(cell[:1], "=+-@") {
				record[i] = "'" + cell
			}
		}
	}
	return writer.WriteAll(records)
}
