package sheet

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"
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

// Writer writes rows, one after another. A workbook reaches its destination at the end: until then its rows are in a temporary file.
type Writer struct {
	form    Form
	columns []Column
	rows    int // with the header
	out     io.Writer

	text   *bufio.Writer // of a CSV file
	book   *excelize.File
	stream *excelize.StreamWriter
	styles [3]int // of texts, of dates, and of amounts
	cells  []any  // of a row
}

// Limits of a workbook.
const (
	maxRows    = 1 << 20
	maxLetters = 32767 // of a cell, as UTF-16 has them
)

// NewWriter writes the names of the columns. The caller calls Close in every case.
func NewWriter(out io.Writer, form Form, columns []Column) (*Writer, error) {
	w := &Writer{form: form, columns: columns, out: out, cells: make([]any, len(columns))}
	if form.Workbook {
		return w, w.begin()
	}
	w.text = bufio.NewWriterSize(out, 1<<16)
	w.rows = 1
	_, err := w.text.WriteString("\ufeff") // by which Excel knows UTF-8
	for i, column := range columns {
		err = cmp.Or(err, w.write(i, column.Name))
	}
	return w, err
}

// begin makes a workbook with a header that stays in view.
func (w *Writer) begin() (err error) {
	w.book = excelize.NewFile()
	w.form.Sheet = cmp.Or(w.form.Sheet, "Sheet1")
	if err = w.book.SetSheetName("Sheet1", w.form.Sheet); err != nil {
		return err
	}
	if w.stream, err = w.book.NewStreamWriter(w.form.Sheet); err != nil {
		return err
	}
	date, money := "yyyy-mm-dd hh:mm:ss", "0.00"
	bold, _ := w.book.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}) // fails for formats that do not exist
	w.styles[Text], _ = w.book.NewStyle(&excelize.Style{NumFmt: 49})
	w.styles[Date], _ = w.book.NewStyle(&excelize.Style{CustomNumFmt: &date})
	w.styles[Number], _ = w.book.NewStyle(&excelize.Style{CustomNumFmt: &money})
	for i, column := range w.columns {
		width := cmp.Or(column.Width, float64(len(column.Name))+3)
		if err = w.stream.SetColWidth(i+1, i+1, width); err != nil {
			return err
		}
		w.cells[i] = excelize.Cell{StyleID: bold, Value: column.Name}
	}
	header := &excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}
	if err = w.stream.SetPanes(header); err != nil {
		return err
	}
	w.rows = 1
	return w.stream.SetRow("A1", w.cells)
}

// Row writes a row, which has a cell for each column.
func (w *Writer) Row(cells []string) (err error) {
	w.rows++
	if !w.form.Workbook {
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
	if w.rows > maxRows {
		return fmt.Errorf("a sheet of a workbook has at most %d rows: take a shorter period, or --format csv", maxRows)
	}
	for i, cell := range cells {
		if w.cells[i], err = w.typed(w.columns[i], cell); err != nil {
			return fmt.Errorf("row %d, column %s: %w", w.rows, w.columns[i].Name, err)
		}
	}
	return w.stream.SetRow("A"+strconv.Itoa(w.rows), w.cells)
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

// typed is a cell of a workbook.
func (w *Writer) typed(column Column, text string) (any, error) {
	switch {
	case text == "":
		return nil, nil
	case column.Kind == Number:
		n, err := strconv.ParseFloat(text, 64)
		if column.Money {
			return excelize.Cell{StyleID: w.styles[Number], Value: n}, err
		}
		return n, err
	case column.Kind == Date:
		at, err := time.Parse(time.RFC3339, text)
		shown := time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), at.Second(), 0, time.UTC) // workbooks know no zones
		return excelize.Cell{StyleID: w.styles[Date], Value: shown}, err
	case w.form.Back:
		text = mark(text, false)
	}
	if len(text) > maxLetters && len(utf16.Encode([]rune(text))) > maxLetters {
		return nil, fmt.Errorf("the text has more than the %d characters that a cell of a workbook holds: use --format csv", maxLetters)
	}
	return excelize.Cell{StyleID: w.styles[Text], Value: text}, nil
}

// Finish writes what is left. Without it, the file is not whole.
func (w *Writer) Finish() error {
	if !w.form.Workbook {
		return w.text.Flush()
	}
	if err := w.stream.Flush(); err != nil {
		return err
	}
	return w.book.Write(w.out)
}

// Close removes the temporary file of a workbook.
func (w *Writer) Close() error {
	if w.book == nil {
		return nil
	}
	return w.book.Close()
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
