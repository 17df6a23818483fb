// Package sheet reads the rows of a file that a spreadsheet, a shop or a person has written: CSV with any separator, in any encoding, or
// an Excel workbook. It also writes such files. It knows nothing of the meaning of columns. What it had to find out about the file is said in
// notes. It never guesses where a wrong guess would change a letter or move a cell: then it returns an error with a question, or a problem of
// the row.
//
//   - sheet.go tells kinds of files apart, and cleans what all of them have: empty rows, columns without a name, blanks around values.
//   - encoding.go makes letters of bytes.
//   - csv.go makes cells of letters.
//   - workbook.go makes cells of an Excel workbook, which github.com/xuri/excelize/v2 reads.
//   - write.go writes rows as either.
package sheet

import (
	"bytes"
	"errors"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode"

	"sellerd/internal/base/pattern"
)

// Options are what the user says about a file. Empty ones are found out.
type Options struct {
	Encoding  string // an IANA name, such as windows-1252
	Separator string // one character, or tab
	Sheet     string // a sheet of a workbook, by default the first
	HeaderRow int    // the row that names the columns, by default the first that is not empty
}

// Check is an error if an option can be right for no file.
func (o Options) Check() error {
	if _, err := Separator(o.Separator); err != nil {
		return err
	}
	if o.Encoding == "" {
		return nil
	}
	_, err := lookUp(o.Encoding)
	return err
}

// Table is what a file has.
type Table struct {
	Notes     []string // what was found out about the file, for the user
	Header    []string // the names of the columns; those without a name are left out
	Rows      []Row    // those that are not empty
	HeaderRow int      // its number
	Problems  []Problem
	Separator byte // of a text

	Sheet       string   // that was read of a workbook with several
	OtherSheets []string // of the workbook
}

// Row is a row of the file. It has a cell for each column of the header.
type Row struct {
	Number int // as spreadsheets count: the header is usually 1, and empty rows count too
	Line   int // of the text, where the row begins; in a workbook the same as Number
	Cells  []Cell
}

// Kind is what a spreadsheet knows of a cell.
type Kind int

// The kinds of cells. Those of a text file are texts.
const (
	Text   Kind = iota
	Number      // Text is decimal, with a point
	Date        // Text is an RFC 3339 instant in UTC, or HH:MM for a time without a day
)

// Cell is a value without blanks around it.
type Cell struct {
	Text string
	Kind Kind
	Raw  string // with the blanks, if there are any

	// Shown is how a workbook shows a number, if its format adds other characters than zeros before it: SHELF-0042 for 42, 12.10 for 12.1.
	Shown string

	// Currency is the text with which a workbook shows a number: £, CHF. It may be any text of the format, such as pcs.
	Currency string
}

// Problem is what is wrong with a cell or a row. Problems with the same code, column and message are of one kind.
type Problem struct {
	Row, Line int
	Column    string // empty if the row as a whole is wrong
	Value     string // an excerpt
	Code      string // as the API has it
	Message   string // what is wrong, and what to do
	Short     *Row   // the row, with empty cells at its end, if it is wrong only in that it ends too early
}

const (
	maxFile  = 256 << 20 // bytes
	maxCells = 5_000_000
)

// Read reads a whole file.
func Read(data []byte, o Options) (*Table, error) {
	raw, err := Open(data, o)
	if err != nil {
		return nil, err
	}
	return raw.Table(o.HeaderRow)
}

// Open reads the rows of a file. Those of a workbook do not depend on the row that names the columns; of a text it shows the separator.
func Open(data []byte, o Options) (*Raw, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("the file has %d MB, more than the %d that can be read: split it", len(data)>>20, maxFile>>20)
	}
	if what := foreign(data); what != "" {
		return nil, errors.New(what)
	}
	switch {
	case isWorkbook(data) && (o.Encoding != "" || o.Separator != ""):
		return nil, errors.New("a workbook has no encoding and no separator: leave --encoding and --separator out")
	case isWorkbook(data):
		return readWorkbook(data, o.Sheet)
	case o.Sheet != "":
		return nil, errors.New("a text file has no sheets: leave --sheet out")
	}
	return readText(data, o)
}

func isWorkbook(data []byte) bool { return bytes.HasPrefix(data, []byte("PK\x03\x04")) }

// Raw is a file's rows before the cleaning.
type Raw struct {
	notes    []string
	sheet    string   // of a workbook with several
	others   []string // its other sheets
	rows     []Row
	problems []Problem // their columns are positions, as letters
	padded   bool      // rows end with their last value, as in workbooks

	separator byte // of a text
	unended   int  // the number of the row at the end of a text that no line end follows, 0 if there is none
}

// wrong adds what is wrong with a cell.
func (raw *Raw) wrong(row Row, column int, value, message string) {
	raw.problems = append(raw.problems, Problem{
		Row: row.Number, Line: row.Line, Column: Position(column), Value: Visible(excerpt(value)), Code: "invalid_value", Message: message,
	})
}

// foreign says what a file is that is neither a text nor a workbook of today.
func foreign(data []byte) string {
	const asked = ": open it in a spreadsheet, and save it as an Excel workbook (.xlsx) or as CSV"
	start := bytes.TrimLeft(bytes.TrimPrefix(data[:min(len(data), 1024)], []byte("\ufeff")), " \t\r\n")
	switch {
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")) && bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k")):
		return "the workbook is protected by a password: save it without one"
	case bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0")):
		return "the file is a workbook of Excel 97 to 2003 (.xls), whatever its name" + asked
	}
	for _, kind := range []struct{ start, what string }{
		{"%PDF", "a PDF, which has no rows"},
		{"<", "a web page or XML, whatever its name"},
		{`{\rtf`, "a text document (RTF)"},
		{"[{", "JSON"},
		{`{"`, "JSON"},
		{"\x1f\x8b", "compressed (gzip)"},
		{"Rar!", "a RAR archive"},
		{"7z\xbc\xaf", "a 7-Zip archive"},
		{"\x89PNG", "a picture"},
		{"\xff\xd8\xff", "a picture"},
		{"PK\x05\x06", "an empty ZIP archive"},
	} {
		if bytes.HasPrefix(start, []byte(kind.start)) {
			return "the file is " + kind.what + asked
		}
	}
	return ""
}

// blank says which characters are cut from both ends of a value: what no one can see.
func blank(r rune) bool {
	// Windows adds marks of the direction to what is copied from its dialogs.
	return unicode.IsSpace(r) || r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u2060' && r <= '\u2069' ||
		r == '\u061c' || r == '\ufeff' || r == '\u00ad'
}

// Trim cuts blanks of all kinds, and characters without a width, from both ends of a text.
func Trim(text string) string { return strings.TrimFunc(text, blank) }

// Position is the name of a column in spreadsheets: A for 0, AA for 26.
func Position(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

// Visible is a text as it is shown: without characters that steer a terminal.
func Visible(text string) string {
	return strings.Map(func(r rune) rune {
		if control(r) {
			return '�'
		}
		return r
	}, text)
}

// Entities are the parts of a text, each once, that stand for another letter where it is read as HTML, such as &amp;.
func Entities(text string) (codes []string) {
	for _, code := range entity().FindAllString(text, -1) {
		letter := html.UnescapeString(code)
		if letter != code && !strings.HasSuffix(letter, ";") && !slices.Contains(codes, code) {
			codes = append(codes, code)
		}
	}
	return codes
}

var entity = pattern.Late(`&(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#[xX][0-9A-Fa-f]+);`)

// IsText says whether the rows are those of a text, and not of a workbook.
func (raw *Raw) IsText() bool { return !raw.padded }

// Table finds the header, and takes the rows below it that have a value.
func (raw *Raw) Table(headerRow int) (*Table, error) {
	t := &Table{Notes: raw.notes, Separator: raw.separator, Sheet: raw.sheet, OtherSheets: raw.others}
	var named []int          // the positions of the columns with a name
	width, exact := 0, false // a row has as many cells as the header, so that another one with more is wrong
	for n, row := range raw.rows {
		last := -1
		for i := range row.Cells {
			cell := &row.Cells[i]
			if text := Trim(cell.Text); text != cell.Text {
				cell.Raw, cell.Text = cell.Text, text
			}
			cell.Text = unmarked(cell.Text)
			if cell.Text != "" {
				last = i
			}
		}
		switch {
		case last < 0 || row.Number < headerRow: // an empty row, or a title
		case named == nil:
			width, t.HeaderRow = len(row.Cells), row.Number
			exact = slices.ContainsFunc(raw.rows[n+1:], func(r Row) bool {
				return len(r.Cells) == width && slices.ContainsFunc(r.Cells, func(c Cell) bool { return Trim(c.Text) != "" })
			})
			for i, cell := range row.Cells {
				if cell.Text != "" {
					named, t.Header = append(named, i), append(t.Header, cell.Text)
				}
			}
		default:
			t.take(raw, row, named, width, last, exact)
		}
	}
	switch {
	case named == nil && headerRow > 1 && len(raw.rows) > 0:
		return nil, fmt.Errorf("row %d and those below it are empty: --header-row says which row names the columns", headerRow)
	case named == nil && raw.padded:
		return nil, errors.New("the sheet is empty: its first row must name the columns, as `sellerd import sample 1` shows")
	case named == nil:
		return nil, errors.New("the file is empty: its first row must name the columns, as `sellerd import sample 1` shows")
	}
	for _, problem := range raw.problems {
		if problem.Row < headerRow {
			continue
		}
		for n, i := range named {
			if problem.Column == Position(i) {
				problem.Column = t.Header[n]
			}
		}
		t.Problems = append(t.Problems, problem)
	}
	if len(t.Rows) == 0 && len(t.Problems) == 0 {
		return nil, errors.New("the file has a header and no rows")
	}
	return t, nil
}

// take takes a row, or adds what is wrong with its form.
func (t *Table) take(raw *Raw, row Row, named []int, width, last int, exact bool) {
	wrong := func(cell Cell, format string, args ...any) {
		t.Problems = append(t.Problems, Problem{
			Row: row.Number, Line: row.Line, Value: cell.Text, Code: "invalid_value", Message: fmt.Sprintf(format, args...),
		})
	}
	short := !raw.padded && len(row.Cells) < width
	switch {
	case short:
		wrong(row.Cells[last], "The row ends after %d of %d columns. Is there a line break in a cell that is not in double quotes? "+
			"If only empty cells are missing, write their separators, or save the file as a workbook.", len(row.Cells), width)
	case !raw.padded && (last >= width || exact && len(row.Cells) > width):
		wrong(row.Cells[last], "The row goes on after the last column of the header, which has %d. "+
			"A cell with a separator in it must be in double quotes.", width)
		return
	}
	found := len(t.Problems)
	clean := Row{Number: row.Number, Line: row.Line, Cells: make([]Cell, len(named))}
	for i, cell := range row.Cells {
		if next, isNamed := slices.BinarySearch(named, i); isNamed {
			clean.Cells[next] = cell
		} else if cell.Text != "" {
			wrong(cell, "Column %s has no name in row %d, and there is a value in it. Name the column, or empty it.", Position(i), t.HeaderRow)
		}
	}
	switch {
	case !short:
		t.Rows = append(t.Rows, clean)
	case len(t.Problems) == found && row.Number != raw.unended: // which may be cut off in the middle of a value
		t.Problems[found-1].Short = &clean
	}
}
