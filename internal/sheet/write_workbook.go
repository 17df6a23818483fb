package sheet

import (
	"archive/zip"
	"bufio"
	"cmp"
	"embed"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"sellerd/internal/base/pattern"
)

// This file writes workbooks (ECMA-376) with one sheet, row by row. excelize reads them. Writing with it would make the program of sellers ten
// megabytes larger, because one of its modules looks methods up by name.

// bookWriter writes the sheet into the archive that a workbook is.
type bookWriter struct {
	archive *zip.Writer
	sheet   *bufio.Writer // an error stays
	columns []Column
	letters []string // of the columns
	rows    int      // with the header
}

// Limits of a workbook.
const (
	maxRows    = 1 << 20
	maxLetters = 32767 // of a cell, as UTF-16 has them
)

// The styles of cells, by their places in cellXfs.
const (
	plain = iota
	bold
	asText
	asDate
	asAmount
)

// bookFiles are all parts of a workbook but its sheet, without their first lines. Ends of lines are for readers. %s is the name of the sheet.
//
//go:embed all:workbook
var bookFiles embed.FS

// bookParts are their names, in their order in the archive.
var bookParts = []string{"[Content_Types].xml", "_rels/.rels", "xl/_rels/workbook.xml.rels", "xl/workbook.xml", "xl/styles.xml"}

const spreadsheet = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`

// newBookWriter begins a workbook with a header that stays in view.
func newBookWriter(out io.Writer, name string, columns []Column) (*bookWriter, error) {
	w := &bookWriter{archive: zip.NewWriter(out), columns: columns}
	for _, part := range bookParts {
		text, err := bookFiles.ReadFile("workbook/" + part)
		if err != nil {
			return nil, err
		}
		file, err := w.archive.Create(part)
		if err == nil {
			_, err = io.WriteString(file, xml.Header+strings.Replace(strings.ReplaceAll(string(text), "\n", ""), "%s", inXML(name), 1))
		}
		if err != nil {
			return nil, err
		}
	}
	file, err := w.archive.Create("xl/worksheets/sheet1.xml")
	if err != nil {
		return nil, err
	}
	w.sheet = bufio.NewWriterSize(file, 1<<16)
	w.put(xml.Header, `<worksheet `, spreadsheet, `><sheetViews><sheetView tabSelected="1" workbookViewId="0">`,
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>`)
	for i, column := range columns {
		w.letters = append(w.letters, Position(i))
		at, width := strconv.Itoa(i+1), cmp.Or(column.Width, float64(len(column.Name))+3)
		w.put(`<col min="`, at, `" max="`, at, `" width="`, strconv.FormatFloat(width, 'f', -1, 64), `" customWidth="1"/>`)
	}
	w.put(`</cols><sheetData>`)
	w.begin()
	for i, column := range columns {
		w.cell(i, bold, column.Name)
	}
	return w, w.put(`</row>`)
}

// put writes texts.
func (w *bookWriter) put(texts ...string) error {
	var err error
	for _, text := range texts {
		_, err = w.sheet.WriteString(text)
	}
	return err
}

// begin begins a row.
func (w *bookWriter) begin() {
	w.rows++
	w.put(`<row r="`, strconv.Itoa(w.rows), `">`)
}

// row writes a row. With back, texts are marked that this package refuses.
func (w *bookWriter) row(cells []string, back bool) error {
	if w.rows == maxRows {
		return fmt.Errorf("a sheet of a workbook has at most %d rows: take a shorter period, or --format csv", maxRows)
	}
	w.begin()
	for i, text := range cells {
		var err error
		switch column := w.columns[i]; {
		case text == "":
		case column.Kind == Number:
			style := plain
			if column.Money {
				style = asAmount
			}
			err = w.number(i, style, text)
		case column.Kind == Date:
			err = w.date(i, text)
		default:
			if back {
				text = mark(text, false)
			}
			if len(text) > maxLetters && len(utf16.Encode([]rune(text))) > maxLetters {
				err = fmt.Errorf("the text has more than the %d characters that a cell of a workbook holds: use --format csv", maxLetters)
			}
			w.cell(i, asText, text)
		}
		if err != nil {
			return fmt.Errorf("row %d, column %s: %w", w.rows, w.columns[i].Name, err)
		}
	}
	return w.put(`</row>`)
}

// cell writes a text.
func (w *bookWriter) cell(i, style int, text string) {
	w.put(`<c r="`, w.letters[i], strconv.Itoa(w.rows), `" s="`, strconv.Itoa(style), `" t="inlineStr"><is><t xml:space="preserve">`, inXML(text), `</t></is></c>`)
}

// number writes a decimal number as it stands.
func (w *bookWriter) number(i, style int, text string) error {
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return err
	}
	return w.put(`<c r="`, w.letters[i], strconv.Itoa(w.rows), `" s="`, strconv.Itoa(style), `"><v>`, text, `</v></c>`)
}

// dayZero is the day 0 of workbooks. They know no zones, so a date is shown as it stands.
var dayZero = time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)

// date writes an instant as the number of days since dayZero.
func (w *bookWriter) date(i int, text string) error {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return err
	}
	_, offset := at.Zone()
	seconds := at.Unix() + int64(offset) - dayZero.Unix()
	return w.number(i, asDate, strconv.FormatFloat(float64(seconds)/(24*60*60), 'f', -1, 64))
}

// finish ends the sheet and the archive.
func (w *bookWriter) finish() error {
	w.put(`</sheetData></worksheet>`)
	return errors.Join(w.sheet.Flush(), w.archive.Close())
}

// inXML is a text as XML has it. Workbooks write characters that XML cannot have as _x0001_, so a text that looks so is written with the
// number of its first underscore.
func inXML(text string) string {
	text = looksEscaped().ReplaceAllString(text, "_x005F$0")
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a builder takes everything
	return b.String()
}

var looksEscaped = pattern.Late(`_x[0-9A-Fa-f]{4}_`)
