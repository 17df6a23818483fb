package sheet

import (
	"bufio"
	"cmp"
	"io"
	"strings"
)

// Column is a column of a file that is written. Its cells are texts; numbers, which are decimal with a point; or dates, which are instants of
// RFC 3339, with the offset of the zone in which they are shown.
type Column struct {
	Name  string
	Kind  Kind
	Money bool    // two decimals
	Width float64 // in a workbook, in characters; 0 for the width of the name
}

// Form is the form of a file that is written.
type Form struct {
	Workbook  bool
	Sheet     string // the name of the sheet of a workbook
	Separator byte   // of a CSV file
	Decimal   byte   // of a CSV file: what stands before decimals
	Back      bool   // the file is made to be read by this package again, so texts that it would refuse in a workbook are marked there, too
}

// Writer writes rows, one after another.
type Writer struct {
	form    Form
	columns []Column
	text    *bufio.Writer // of a CSV file
	book    *bookWriter
}

// NewWriter writes the names of the columns.
func NewWriter(out io.Writer, form Form, columns []Column) (*Writer, error) {
	w := &Writer{form: form, columns: columns}
	if form.Workbook {
		var err error
		w.book, err = newBookWriter(out, cmp.Or(form.Sheet, "Sheet1"), columns)
		return w, err
	}
	w.text = bufio.NewWriterSize(out, 1<<16)
	_, err := w.text.WriteString("\ufeff") // by which Excel knows UTF-8
	for i, column := range columns {
		err = cmp.Or(err, w.write(i, column.Name))
	}
	return w, err
}

// Row writes a row, which has a cell for each column.
func (w *Writer) Row(cells []string) (err error) {
	if w.form.Workbook {
		return w.book.row(cells, w.form.Back)
	}
	for i, cell := range cells {
		if cell != "" {
			switch column := w.columns[i]; {
			case column.Kind == Text:
				cell = mark(cell, true)
			case column.Kind == Number && w.form.Decimal != 0:
				cell = strings.Replace(cell, ".", string(w.form.Decimal), 1)
			}
		}
		err = cmp.Or(err, w.write(i, cell))
	}
	return err
}

// write writes a cell of a CSV file, and what comes after it.
func (w *Writer) write(i int, cell string) error {
	if strings.ContainsAny(cell, string(w.form.Separator)+"\"\r\n") || Trim(cell) != cell {
		cell = `"` + strings.ReplaceAll(cell, `"`, `""`) + `"`
	}
	end := "\r\n"
	if i < len(w.columns)-1 {
		end = string(w.form.Separator)
	}
	_, _ = w.text.WriteString(cell) // an error stays
	_, err := w.text.WriteString(end)
	return err
}

// Finish writes what is left. Without it, the file is not whole.
func (w *Writer) Finish() error {
	if w.form.Workbook {
		return w.book.finish()
	}
	return w.text.Flush()
}

// mark puts an apostrophe before a text that a spreadsheet would take for a formula when it opens the file, or that this package refuses as a
// failed one, or that begins as if it were marked. Readers take it away again.
func mark(text string, opened bool) string {
	if opened && strings.ContainsAny(text[:1], "=+-@\t\r") || failed().MatchString(Trim(text)) || unmarked(text) != text {
		return "'" + text
	}
	return text
}

// unmarked is a text without the mark, if it has one.
func unmarked(text string) string {
	rest, found := strings.CutPrefix(text, "'")
	if found && rest != "" && (mark(rest, true) != rest) {
		return rest
	}
	return text
}
