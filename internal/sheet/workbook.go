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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxUnpacked is what a workbook may have after unpacking, in bytes. A small file can unpack to more than a machine has.
const maxUnpacked = 128 << 20

// workbook is an Excel workbook (ECMA-376, SpreadsheetML), as far as the values of its cells need it.
type workbook struct {
	files   map[string]*zip.File
	left    uint64 // bytes that may still be unpacked
	strings []string
	formats []format // by style
	from    time.Time
	raw     *rawTable
	cells   int
	dates   bool
}

// format is how a style shows a number.
type format struct {
	date  bool
	zeros int // the number is shown with at least so many digits, as 00123
}

// readWorkbook reads a sheet of a workbook.
func readWorkbook(data []byte, name string) (*rawTable, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New("the file is a ZIP archive or a workbook, and it is not complete: copy or save it again")
	}
	w := &workbook{files: map[string]*zip.File{}, left: maxUnpacked, raw: &rawTable{padded: true}, from: time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)}
	for _, file := range archive.File {
		w.files[strings.ToLower(strings.TrimPrefix(strings.ReplaceAll(file.Name, `\`, "/"), "/"))] = file
	}
	if what := w.foreign(); what != "" {
		return nil, errors.New(what)
	}
	target, err := w.find(name)
	if err == nil {
		err = w.readStrings()
	}
	if err == nil {
		err = w.readStyles()
	}
	if err == nil {
		err = w.readSheet(target)
	}
	if err != nil {
		return nil, err
	}
	if w.dates {
		w.raw.notes = append(w.raw.notes, "times of the workbook are taken as UTC")
	}
	return w.raw, nil
}

// foreign says what an archive is that is no workbook.
func (w *workbook) foreign() string {
	const asked = ": open it in its program, and save it as an Excel workbook (.xlsx) or as CSV"
	switch {
	case w.files["xl/workbook.xml"] != nil:
		return ""
	case w.files["xl/workbook.bin"] != nil:
		return "the file is a binary workbook (.xlsb)" + asked
	case w.files["content.xml"] != nil && w.files["mimetype"] != nil:
		return "the file is an OpenDocument file (.ods), as LibreOffice saves it" + asked
	case w.files["index/document.iwa"] != nil || w.files["index.zip"] != nil:
		return "the file is a document of Numbers" + asked
	case w.files["word/document.xml"] != nil:
		return "the file is a document of Word" + asked
	}
	return "the file is a ZIP archive and no workbook: unpack it first"
}

// decode gives each start of an element of a part to a function. A part that is missing has none.
func (w *workbook) decode(part string, each func(d *xml.Decoder, start xml.StartElement) error) error {
	file := w.files[strings.ToLower(part)]
	if file == nil {
		return nil
	}
	if file.UncompressedSize64 > w.left { // which the package zip holds the archive to
		return fmt.Errorf("the workbook unpacks to more than %d MB: split it", maxUnpacked>>20)
	}
	w.left -= file.UncompressedSize64
	in, err := file.Open()
	if err != nil {
		return fmt.Errorf("the workbook is damaged (%s): save it again", part)
	}
	defer in.Close()
	decoder := xml.NewDecoder(in)
	decoder.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := decoder.RawToken()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the workbook is damaged (%s): save it again", part)
		}
		if start, ok := token.(xml.StartElement); ok {
			if err := each(decoder, start); err != nil {
				return err
			}
		}
	}
}

func attribute(start xml.StartElement, name string) string {
	for _, a := range start.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// find is the part with the sheet of a name, or with the first sheet that is not hidden.
func (w *workbook) find(name string) (string, error) {
	targets := map[string]string{}
	err := w.decode("xl/_rels/workbook.xml.rels", func(_ *xml.Decoder, start xml.StartElement) error {
		if start.Name.Local == "Relationship" {
			targets[attribute(start, "Id")] = attribute(start, "Target")
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	var names []string
	chosen, first, id := "", "", ""
	err = w.decode("xl/workbook.xml", func(_ *xml.Decoder, start xml.StartElement) error {
		switch start.Name.Local {
		case "workbookPr":
			if on := attribute(start, "date1904"); on == "1" || on == "true" {
				w.from = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
			}
		case "sheet":
			this := attribute(start, "name")
			names = append(names, this)
			target := ""
			for _, a := range start.Attr {
				if a.Name.Local == "id" { // r:id; the other is sheetId
					target = a.Value
				}
			}
			if hidden := attribute(start, "state") != "" && attribute(start, "state") != "visible"; first == "" && !hidden {
				first = this
				if name == "" {
					chosen, id = this, target
				}
			}
			if name != "" && strings.EqualFold(Trim(this), Trim(name)) {
				chosen, id = this, target
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	if id == "" {
		return "", fmt.Errorf("the workbook has no sheet %q: it has %s", name, strings.Join(quoted(names), ", "))
	}
	if len(names) > 1 {
		others := slices.DeleteFunc(names, func(n string) bool { return n == chosen })
		w.raw.notes = append(w.raw.notes, fmt.Sprintf("read from the sheet %q; --sheet names another: %s", chosen, strings.Join(quoted(others), ", ")))
	}
	target := targets[id]
	if strings.HasPrefix(target, "/") {
		return strings.TrimPrefix(target, "/"), nil
	}
	return path.Join("xl", target), nil
}

func quoted(names []string) (all []string) {
	for _, name := range names {
		all = append(all, strconv.Quote(name))
	}
	return all
}

// text reads the text within an element: that of its t elements, or of itself. Phonetic hints (rPh) are left out.
func textOf(d *xml.Decoder, name string) (string, error) {
	var b strings.Builder
	depth, hints := 0, 0
	for {
		token, err := d.RawToken()
		if err != nil {
			return "", errors.New("the workbook is damaged: save it again")
		}
		switch token := token.(type) {
		case xml.StartElement:
			depth++
			if token.Name.Local == "rPh" {
				hints++
			}
		case xml.EndElement:
			if depth == 0 && token.Name.Local == name {
				return unescape(b.String()), nil
			}
			depth--
			if token.Name.Local == "rPh" {
				hints--
			}
		case xml.CharData:
			if hints == 0 {
				b.Write(token)
			}
		}
	}
}

var escaped = regexp.MustCompile(`_x[0-9A-Fa-f]{4}_`)

// unescape reads characters that XML cannot have, such as _x000D_, and gives lines one kind of end.
func unescape(text string) string {
	if strings.Contains(text, "_x") {
		text = escaped.ReplaceAllStringFunc(text, func(code string) string {
			n, _ := strconv.ParseUint(code[2:6], 16, 16)
			return string(rune(n))
		})
	}
	return strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
}

func (w *workbook) readStrings() error {
	return w.decode("xl/sharedStrings.xml", func(d *xml.Decoder, start xml.StartElement) error {
		if start.Name.Local != "si" {
			return nil
		}
		text, err := textOf(d, "si")
		w.strings = append(w.strings, text)
		return err
	})
}

var (
	shown     = regexp.MustCompile(`"[^"]*"|\\.|\[[^\]]*\]|_.`) // texts, colours and currencies in a format
	onlyZeros = regexp.MustCompile(`^0{2,15}$`)
)

func (w *workbook) readStyles() error {
	custom, inCells := map[string]string{}, false
	return w.decode("xl/styles.xml", func(_ *xml.Decoder, start xml.StartElement) error {
		switch start.Name.Local {
		case "numFmt":
			custom[attribute(start, "numFmtId")] = attribute(start, "formatCode")
		case "cellStyleXfs", "cellXfs", "cellStyles", "dxfs":
			inCells = start.Name.Local == "cellXfs"
		case "xf":
			if !inCells {
				return nil
			}
			id := attribute(start, "numFmtId")
			n, _ := strconv.Atoi(id)
			f := format{date: n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58}
			if code, ok := custom[id]; ok {
				f.date = strings.ContainsAny(strings.ToLower(shown.ReplaceAllString(code, "")), "dmyhs")
				if onlyZeros.MatchString(code) {
					f.zeros = len(code)
				}
			}
			w.formats = append(w.formats, f)
		}
		return nil
	})
}

// readSheet reads the cells.
func (w *workbook) readSheet(part string) error {
	if w.files[strings.ToLower(part)] == nil {
		return fmt.Errorf("the workbook is damaged (%s is missing): save it again", part)
	}
	row := Row{}
	return w.decode(part, func(d *xml.Decoder, start xml.StartElement) error {
		switch start.Name.Local {
		case "row":
			number, err := strconv.Atoi(attribute(start, "r"))
			if err != nil {
				number = row.Number + 1
			}
			row = Row{Number: number, Line: number}
			w.raw.rows = append(w.raw.rows, row)
		case "c":
			if len(w.raw.rows) == 0 {
				return errors.New("the workbook is damaged: save it again")
			}
			return w.readCell(d, start, &w.raw.rows[len(w.raw.rows)-1])
		}
		return nil
	})
}

// readCell reads a cell into its row.
func (w *workbook) readCell(d *xml.Decoder, start xml.StartElement, row *Row) error {
	column := len(row.Cells)
	if at := strings.TrimRight(attribute(start, "r"), "0123456789"); at != "" {
		column = 0
		for _, letter := range []byte(strings.ToUpper(at)) {
			column = min(column*26+int(letter-'A')+1, 1<<20)
		}
		column--
	}
	value, formula, set := "", false, false
	for done := false; !done; {
		token, err := d.RawToken()
		if err != nil {
			return errors.New("the workbook is damaged: save it again")
		}
		switch token := token.(type) {
		case xml.StartElement:
			text, err := textOf(d, token.Name.Local)
			if err != nil {
				return err
			}
			switch token.Name.Local {
			case "v", "is":
				value, set = text, true
			case "f":
				formula = true
			}
		case xml.EndElement:
			done = true
		}
	}
	problem := func(message string) {
		w.raw.problems = append(w.raw.problems, Problem{
			Row: row.Number, Line: row.Line, Column: Position(column), Value: excerpt(value), Code: "invalid_value", Message: message,
		})
	}
	if !set && formula {
		problem("The cell has a formula whose value is not stored. Open the workbook in a spreadsheet, save it, and try again.")
	}
	if value == "" {
		return nil
	}
	if column > 16383 {
		return errors.New("the workbook is damaged: save it again")
	}
	if w.cells += max(column+1-len(row.Cells), 0); w.cells > maxCells {
		return fmt.Errorf("the sheet has more than %d cells: split it", maxCells)
	}
	for len(row.Cells) <= column {
		row.Cells = append(row.Cells, Cell{})
	}
	cell := &row.Cells[column]
	cell.Text = value
	switch attribute(start, "t") {
	case "s":
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n >= len(w.strings) {
			return errors.New("the workbook is damaged: save it again")
		}
		cell.Text = w.strings[n]
		w.raw.check(*row, column, cell.Text)
	case "str", "inlineStr":
		w.raw.check(*row, column, value)
	case "b":
		cell.Text = map[string]string{"0": "false"}[value]
		if value != "0" {
			cell.Text = "true"
		}
	case "e":
		problem("A formula in the cell has failed. Repair it.")
	case "d":
		cell.Kind = Date
	default:
		style, _ := strconv.Atoi(attribute(start, "s"))
		f := format{}
		if style >= 0 && style < len(w.formats) {
			f = w.formats[style]
		}
		var ok bool
		if *cell, ok = w.number(value, f); !ok {
			problem("The spreadsheet keeps 15 digits of a number, and this one has more. Format the column as text, and type the value again.")
		}
	}
	return nil
}

// number is a number as the spreadsheet shows it: of 15 digits, and a date where the style says so.
func (w *workbook) number(value string, f format) (Cell, bool) {
	n, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(n, 0) || math.IsNaN(n) {
		return Cell{Text: value}, true
	}
	if f.date && n >= 0 && n < 3_000_000 {
		w.dates = w.dates || n >= 1
		at := w.from.Add(time.Duration(math.Round(n*86400)) * time.Second)
		if n < 1 {
			return Cell{Text: at.Format("15:04"), Kind: Date}, true
		}
		return Cell{Text: at.Format(time.RFC3339), Kind: Date}, true
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 14, 64), 64)
	text := strconv.FormatFloat(short, 'f', -1, 64)
	if f.zeros > len(text) && !strings.ContainsAny(text, ".-") {
		text = strings.Repeat("0", f.zeros-len(text)) + text
	}
	return Cell{Text: text, Kind: Number}, math.Abs(n) < 1e15
}
