package sheet

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"sellerd/internal/base/pattern"
)

// maxUnpacked is what a workbook may have after unpacking, in bytes, without its pictures. A small file can unpack to more than a
// machine has.
const maxUnpacked = 128 << 20

var errDamaged = errors.New("the workbook is damaged: save it again")

// workbook is an Excel workbook, of which one sheet is read.
type workbook struct {
	file     *excelize.File
	sheet    int            // by its place
	from1904 bool           // days count from 1904
	formats  map[int]format // by style
	raw      *Raw
	cells    int
	dates    bool // the sheet has days
	hidden   int  // rows with values
	merged   int  // cells that are one over several rows
}

// line is a row of the sheet without its values.
type line struct {
	Number int    `xml:"r,attr"`
	Hidden bool   `xml:"hidden,attr"`
	Cells  []form `xml:"c"`
}

// form is what makes a date or a text of a cell's value. The library's stream of rows has nothing but values. To say more of a cell, it
// builds the sheet with all cells in memory, takes a cell without a style for one with that of its column, and a value that is not stored
// for an empty text.
type form struct {
	At      string  `xml:"r,attr"`
	Kind    string  `xml:"t,attr"`
	Style   int     `xml:"s,attr"`
	Formula *string `xml:"f"`
	Value   *string `xml:"v"`
}

// readWorkbook reads a sheet of a workbook.
func readWorkbook(data []byte, name string) (*Raw, error) {
	pictures, err := checkArchive(data)
	if err != nil {
		return nil, err
	}
	// Where both limits are alike, the library keeps everything in memory, and writes no temporary files.
	file, err := excelize.OpenReader(bytes.NewReader(data),
		excelize.Options{RawCellValue: true, UnzipSizeLimit: maxUnpacked + maxFile, UnzipXMLSizeLimit: maxUnpacked + maxFile})
	if err != nil {
		return nil, errDamaged
	}
	defer file.Close()
	w := &workbook{file: file, formats: map[int]format{}, raw: &Raw{padded: true}}
	properties, err := file.GetWorkbookProps()
	if err != nil {
		return nil, errDamaged
	}
	w.from1904 = properties.Date1904 != nil && *properties.Date1904
	if err := w.choose(name); err != nil {
		return nil, err
	}
	if err := w.read(); err != nil {
		return nil, err
	}
	if w.dates {
		w.raw.notes = append(w.raw.notes, "times of the workbook are taken as UTC")
	}
	if w.hidden > 0 {
		w.raw.notes = append(w.raw.notes, fmt.Sprintf("hidden rows are read, too: %d", w.hidden))
	}
	if w.merged > 0 {
		w.raw.notes = append(w.raw.notes, fmt.Sprintf("cells that are merged over several rows: %d; only the first row of each has the value", w.merged))
	}
	if pictures > 0 {
		w.raw.notes = append(w.raw.notes, fmt.Sprintf("pictures pasted into the workbook are not read: %d; upload them to a web server, "+
			"and write their addresses into the column images", pictures))
	}
	return w.raw, nil
}

// checkArchive counts the pictures of a workbook. It refuses an archive that is none, or that unpacks to too much.
func checkArchive(data []byte) (pictures int, err error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return 0, errors.New("the file is a ZIP archive or a workbook, and it is not complete: copy or save it again")
	}
	files, size := map[string]bool{}, uint64(0)
	for _, file := range archive.File {
		name := strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(file.Name, `\`, "/"), "/"))
		files[name] = true
		if strings.HasPrefix(name, "xl/media/") && path.Ext(name) != "" {
			pictures++
		} else {
			size += min(file.UncompressedSize64, maxUnpacked+1) // which the package zip holds the archive to
		}
	}
	const asked = ": open it in its program, and save it as an Excel workbook (.xlsx) or as CSV"
	switch {
	case files["xl/workbook.bin"]:
		return 0, errors.New("the file is a binary workbook (.xlsb)" + asked)
	case files["content.xml"] && files["mimetype"]:
		return 0, errors.New("the file is an OpenDocument file (.ods), as LibreOffice saves it" + asked)
	case files["index/document.iwa"] || files["index.zip"]:
		return 0, errors.New("the file is a document of Numbers" + asked)
	case files["word/document.xml"]:
		return 0, errors.New("the file is a document of Word" + asked)
	case !files["xl/workbook.xml"]:
		return 0, errors.New("the file is a ZIP archive and no workbook: unpack it first")
	case size > maxUnpacked:
		return 0, fmt.Errorf("the workbook unpacks to more than %d MB: delete the empty rows below the data, save the sheet as CSV, "+
			"or split it", maxUnpacked>>20)
	}
	return pictures, nil
}

// choose takes the sheet of a name, or the first that is not hidden.
func (w *workbook) choose(name string) error {
	var names []string
	w.sheet = -1
	for i, sheet := range w.file.WorkBook.Sheets.Sheet {
		names = append(names, sheet.Name)
		fits := sheet.State == "" || sheet.State == "visible"
		if name != "" {
			fits = strings.EqualFold(Trim(sheet.Name), Trim(name))
		}
		if fits && w.sheet < 0 {
			w.sheet = i
		}
	}
	if w.sheet < 0 && name == "" {
		return errDamaged
	}
	if w.sheet < 0 {
		return fmt.Errorf("the workbook has no sheet %q: it has %s", name, quoted(names))
	}
	if len(names) > 1 {
		others := slices.Delete(slices.Clone(names), w.sheet, w.sheet+1)
		w.raw.sheet, w.raw.others = names[w.sheet], others
		w.raw.notes = append(w.raw.notes, fmt.Sprintf("read from the sheet %q; --sheet names another: %s", names[w.sheet], quoted(others)))
	}
	return nil
}

// Names are the sheets of a workbook, none of another file.
func Names(data []byte) (names []string) {
	if _, err := checkArchive(data); err != nil || !isWorkbook(data) {
		return nil
	}
	file, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: maxUnpacked + maxFile, UnzipXMLSizeLimit: maxUnpacked + maxFile})
	if err != nil {
		return nil
	}
	defer file.Close()
	return file.GetSheetList()
}

func quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return strings.Join(all, ", ")
}

// part is the part of the archive that has the sheet.
func (w *workbook) part() []byte {
	var relationships struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	_ = w.decoder(w.content("xl/_rels/workbook.xml.rels")).Decode(&relationships) // which the library has read before
	for _, r := range relationships.All {
		if r.ID == w.file.WorkBook.Sheets.Sheet[w.sheet].ID {
			if !path.IsAbs(r.Target) {
				r.Target = path.Join("/xl", r.Target)
			}
			return w.content(strings.TrimPrefix(path.Clean(r.Target), "/"))
		}
	}
	return nil
}

func (w *workbook) content(part string) []byte {
	value, _ := w.file.Pkg.Load(part)
	content, _ := value.([]byte)
	return content
}

func (w *workbook) decoder(content []byte) *xml.Decoder {
	d := xml.NewDecoder(bytes.NewReader(content))
	d.CharsetReader = w.file.CharsetReader
	return d
}

// read reads the rows, hidden ones too: their values from the library, and their forms beside. Of merged cells the first has the value.
func (w *workbook) read() error {
	rows, err := w.file.Rows(w.file.GetSheetName(w.sheet))
	if err != nil {
		return errDamaged
	}
	defer rows.Close()
	part := w.part()
	if part == nil {
		return errDamaged
	}
	decoder := w.decoder(part)
	number := 0
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return errDamaged
		}
		start, ok := token.(xml.StartElement)
		if ok && start.Name.Local == "mergeCell" && mergesRows(start) {
			w.merged++
		}
		if !ok || start.Name.Local != "row" {
			continue
		}
		var l line
		if decoder.DecodeElement(&l, &start) != nil {
			return errDamaged
		}
		if l.Number == 0 {
			l.Number = number + 1
		}
		if l.Number <= number {
			return errDamaged
		}
		for ; number < l.Number; number++ {
			if !rows.Next() {
				return errDamaged
			}
		}
		values, err := rows.Columns()
		if err != nil {
			return errDamaged
		}
		if w.cells += len(values); w.cells > maxCells {
			return fmt.Errorf("the sheet has more than %d cells: split it", maxCells)
		}
		if l.Hidden && strings.Join(values, "") != "" {
			w.hidden++
		}
		row, err := w.row(l, values)
		if err != nil {
			return err
		}
		w.raw.rows = append(w.raw.rows, row)
	}
}

// mergesRows says whether merged cells are of several rows.
func mergesRows(merged xml.StartElement) bool {
	for _, attribute := range merged.Attr {
		if from, to, _ := strings.Cut(attribute.Value, ":"); attribute.Name.Local == "ref" {
			_, first, err := excelize.CellNameToCoordinates(from)
			_, last, _ := excelize.CellNameToCoordinates(to)
			return err == nil && last > first
		}
	}
	return false
}

// row gives values their forms.
func (w *workbook) row(l line, values []string) (Row, error) {
	row := Row{Number: l.Number, Line: l.Number, Cells: make([]Cell, len(values))}
	column := 0 // from 1
	for _, f := range l.Cells {
		last, number, err := column, l.Number, error(nil)
		if column++; f.At != "" {
			column, number, err = excelize.CellNameToCoordinates(f.At)
		}
		if err != nil || column <= last || number != l.Number {
			return Row{}, errDamaged
		}
		if f.Kind == "s" && f.Value != nil && *f.Value != "" {
			if n, err := strconv.Atoi(strings.TrimSpace(*f.Value)); err != nil || n < 0 || n >= len(w.file.SharedStrings.SI) {
				return Row{}, errDamaged
			}
		}
		if column <= len(values) {
			row.Cells[column-1] = w.cell(row, column-1, f, values[column-1])
		}
	}
	return row, nil
}

// picture is a formula whose value is a picture, which a spreadsheet stores as an empty text.
var picture = pattern.Late(`(?i)\bIMAGE\s*\(`)

// escaped are characters that XML cannot have.
var escaped = pattern.Late(`_x[0-9A-Fa-f]{4}_`)

func (w *workbook) cell(row Row, column int, f form, value string) Cell {
	problem := func(message string) { w.raw.wrong(row, column, value, message) }
	if value == "" {
		switch {
		case f.Formula != nil && picture().MatchString(*f.Formula):
			problem("The cell shows a picture by a formula. Write the picture's address itself, a text that begins with https://.")
		case f.Formula != nil && (f.Value == nil || f.Kind != "str"): // with a value of that kind, it is an empty text
			problem("The cell has a formula whose value is not stored. Open the workbook in a spreadsheet, save it, and try again.")
		}
		return Cell{}
	}
	switch f.Kind {
	case "str":
		value = escaped().ReplaceAllStringFunc(value, func(code string) string { // which the library does in other texts
			n, _ := strconv.ParseUint(code[2:6], 16, 16)
			return string(rune(n))
		})
		fallthrough
	case "s", "inlineStr":
		value = strings.ReplaceAll(strings.ReplaceAll(value, "\r\n", "\n"), "\r", "\n")
		w.raw.check(row, column, value)
	case "b":
		value = strconv.FormatBool(value != "0")
	case "e":
		problem("A formula in the cell has failed. Repair it.")
	case "d":
		return w.written(value)
	default:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
			break
		}
		if math.Abs(n) >= 1e15 {
			problem("The spreadsheet keeps 15 digits of a number, and this one has more. Format the column as text, and type the value again.")
		}
		return w.number(n, w.format(f.Style))
	}
	return Cell{Text: value}
}
