// Package importing lists the rows of a file, or changes listed items by them. It is a client of the API like any other.
//
//   - importing.go makes each row of a file an item or a change, and finds the mistakes that the file itself shows.
//   - short.go takes rows that end before the last column.
//   - columns.go, amounts.go and pictures.go read cells.
//   - known.go tells rows that were listed before from new ones; state.go remembers what was sent.
//   - requests.go puts rows into requests, and gives them the errors of the answers.
//   - listing.go sends the items in batches and waits for their publication.
//   - update.go compares the rows with the items, and sends what differs.
//   - report.go says what became of the rows.
package importing

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"sellerd/internal/apiclient"
	"sellerd/internal/sheet"
)

// Options are what the user says about a file and about what to do with it.
type Options struct {
	sheet.Options
	Decimal         string   // "comma" or "point": what an unclear amount has, "" to ask
	Columns         []string // other names of columns, each as NAME=COLUMN
	IgnoreUnknown   bool     // leave out columns that are not known
	Update          bool     // change items instead of listing them
	AllowDuplicates bool     // list rows although another row or item has their reference
	OtherPieces     bool     // list rows that are like listed ones, or that have no reference while listed ones are gone
	Run             string   // a name for listing the same rows once more
}

// The outcomes of a row.
const (
	Unsent    = "unsent"    // certainly not listed or changed
	Unknown   = "unknown"   // sent, and no answer came
	Refused   = "refused"   // at once
	Accepted  = "accepted"  // and not yet published
	Published = "published" // there is an item
	Rejected  = "rejected"  // at publication
	Known     = "known"     // an item with this reference was listed before, so the row was not sent
	Changed   = "changed"   // the item is
	Same      = "same"      // the item already is as the row says
	Valid     = "valid"     // it would have been accepted or changed
)

// Problem is what is wrong with a row, found here or by the service. Problems with the same code, field and message are of one kind.
type Problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
	Value   string `json:"value,omitempty"` // an excerpt of the cell, where the file shows the mistake
}

// Row is a row of the file and its outcome.
type Row struct {
	Row       int       `json:"row"`  // as spreadsheets count
	Line      int       `json:"line"` // of the text, where the row begins
	Reference string    `json:"personal_reference,omitempty"`
	Outcome   string    `json:"outcome"`
	ItemID    string    `json:"item_id,omitempty"`
	Problems  []Problem `json:"problems,omitempty"` // errors, or warnings of a row that is published, changed or the same
	Replayed  bool      `json:"replayed,omitempty"` // it was accepted in an earlier import
	Amounts   string    `json:"amounts,omitempty"`  // of an item that the row has changed, or would, before and after

	names *names // of the file
	cells []sheet.Cell
	raw   string          // the reference with the blanks around it
	item  json.RawMessage // or the change, as the API takes it
	id    string          // the row's identity: its content, and which of several equal rows it is

	asHTML  []Problem // of texts of a change that are wrong unless the item has them
	several []item    // that its reference may mean
	sold    int       // pieces of the item that a row changes
	pending bool      // the item is as the row says, and its pictures are not fetched yet
}

// spellings are the reference in the forms that look the same: as it is, with the blanks around it, and with each accent in one character
// with its letter or of its own.
func (r *Row) spellings() []string {
	names := []string{r.Reference}
	for _, name := range []string{r.raw, norm.NFC.String(r.Reference), norm.NFD.String(r.Reference)} {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// names are the columns as the file names them, and what each is.
type names struct{ header, columns []string }

// wrong refuses a row. The problem names the column of the file and the value of its cell. A problem that several entries of a cell share
// is reported once.
func (r *Row) wrong(p Problem) {
	r.Outcome = Refused
	if p = r.placed(p); !slices.Contains(r.Problems, p) {
		r.Problems = append(r.Problems, p)
	}
}

// placed is a problem with the column and the cell of the file that its field comes from.
func (r *Row) placed(p Problem) Problem {
	field := inRequest().ReplaceAllString(p.Field, "")
	name, member, _ := strings.Cut(field, ".")
	name, index, _ := strings.Cut(name, "[")
	looked := []string{name}
	switch n, address, column := r.picture(index); {
	case name == "images" && address != "":
		looked, p.Value, p.Message = []string{column}, sheet.Visible(address), fmt.Sprintf("Picture %d: %s", n, p.Message)
	case member == "currency":
		looked = []string{"currency", name}
	case name == "reason":
		looked = []string{"close"}
	case name == "reference" || name == "personal_reference":
		looked = []string{"reference", "personal_reference"}
	}
	p.Field = looked[0]
	if r.names == nil {
		return p
	}
	for _, name := range looked {
		if i := slices.Index(r.names.columns, name); i >= 0 && name != "" {
			p.Field, p.Value = r.names.header[i], cmp.Or(p.Value, short(r.cells[i].Text))
			return p
		}
	}
	if member == "currency" {
		p.Field = name
	}
	return p
}

// File is a file that was read.
type File struct {
	Notes   []string // what was found out about the file, for the user
	Rows    []*Row
	Options Options

	NoCurrency bool // there is no such column
	AsHTML     int  // rows with texts that are written as HTML, and are not those of the items: nothing was sent
	Separator  byte // of a text

	Sheet       string   // that was read of a workbook with several
	OtherSheets []string // of the workbook
}

// reading is a file on its way into rows.
type reading struct {
	Options
	commas string // an amount with a decimal comma, if the file has one
}

// Read reads a file. Its error is about the file as a whole; what is wrong with single rows is in the rows.
func Read(data []byte, o Options) (*File, error) {
	table, columns, ignored, err := open(data, o)
	if err != nil {
		return nil, elsewhere(data, o, err)
	}
	file := &File{Notes: table.Notes, Options: o, Separator: table.Separator, Sheet: table.Sheet, OtherSheets: table.OtherSheets}
	file.NoCurrency = !o.Update && !slices.Contains(columns, "currency")
	if len(ignored) > 0 {
		file.Notes = append(file.Notes, "columns that are left out: "+strings.Join(ignored, ", "))
	}
	r := &reading{Options: o}
	if !o.Update { // what a line break has cut off from a change could name another item
		file.takeShort(table, columns)
	}
	byNumber := map[int]*Row{}
	for _, row := range table.Rows {
		made := r.row(row, &names{table.Header, columns})
		byNumber[row.Number] = made
		file.Rows = append(file.Rows, made)
	}
	for _, p := range table.Problems {
		if slices.Contains(ignored, p.Column) { // what is left out cannot be wrong
			continue
		}
		row := byNumber[p.Row]
		if row == nil {
			row = &Row{Row: p.Row, Line: p.Line}
			byNumber[p.Row] = row
			file.Rows = append(file.Rows, row)
		}
		row.Problems = slices.DeleteFunc(row.Problems, func(other Problem) bool { return other.Field == p.Column }) // this one is the cause
		row.Outcome, row.Problems = Refused, append(row.Problems, Problem{Code: p.Code, Field: p.Column, Value: short(p.Value), Message: p.Message})
	}
	slices.SortStableFunc(file.Rows, func(a, b *Row) int { return a.Row - b.Row })
	if r.commas != "" && o.Decimal == "" {
		for _, row := range file.Rows {
			for i, p := range row.Problems {
				if strings.HasPrefix(p.Message, "Is the comma or point") {
					row.Problems[i].Message = p.Message + " Another amount in the file, " + r.commas + ", has a decimal comma."
				}
			}
		}
	}
	file.checkReferences()
	file.identify()
	return file, nil
}

// elsewhere adds to an error where the names of the columns are, if the file has them in another row or sheet than those that were read.
func elsewhere(data []byte, o Options, err error) error {
	sheets := []string{o.Sheet}
	if o.Sheet == "" && len(data) < 4<<20 { // each look reads a sheet
		names := sheet.Names(data)
		sheets = append(sheets, names[:min(len(names), 10)]...)
	}
	rows := []int{0, 2, 3, 4, 5, 6} // 0 is the first row with a value
	if len(data) < 4<<20 {
		rows = append(rows, 7, 8, 9, 10, 11, 12)
	}
	if o.HeaderRow > 0 {
		rows = []int{o.HeaderRow}
	}
	for _, o.Sheet = range sheets {
		var raw *sheet.Raw
		for _, o.HeaderRow = range rows {
			if raw == nil || raw.IsText() {
				var wrong error
				if raw, wrong = sheet.Open(data, o.Options); wrong != nil {
					continue
				}
			}
			table, _, _, wrong := name(raw, o)
			switch {
			case wrong != nil:
			case o.Sheet == sheets[0]:
				return fmt.Errorf("%w. Or is row %d the one that names the columns? Then run the command again with --header-row %[2]d", err, table.HeaderRow)
			case o.HeaderRow == 0:
				return fmt.Errorf("%w. Or are the rows in the sheet %q? Then run the command again with --sheet %[2]q", err, o.Sheet)
			default:
				return fmt.Errorf("%w. Or are the rows in the sheet %q, and does row %d name the columns? Then run the command again with --sheet %[2]q --header-row %[3]d",
					err, o.Sheet, table.HeaderRow)
			}
		}
	}
	return err
}

// open reads the rows, and finds out what the columns are.
func open(data []byte, o Options) (table *sheet.Table, columns, ignored []string, err error) {
	raw, err := sheet.Open(data, o.Options)
	if err != nil {
		return nil, nil, nil, err
	}
	return name(raw, o)
}

// name finds out what the columns of rows are.
func name(raw *sheet.Raw, o Options) (table *sheet.Table, columns, ignored []string, err error) {
	if table, err = raw.Table(o.HeaderRow); err != nil {
		return nil, nil, nil, err
	}
	if columns, ignored, err = findColumns(table.Header, table.HeaderRow, o); err != nil {
		return nil, nil, nil, err
	}
	return table, columns, ignored, missing(columns, o)
}

// asShown are the columns whose numbers mean what the spreadsheet shows, with the letters of their format.
var asShown = []string{"title", "subtitle", "description", "personal_reference", "reference"}

// row makes a row an item or a change.
func (r *reading) row(from sheet.Row, n *names) *Row {
	cells := func(name string) sheet.Cell {
		i := slices.Index(n.columns, name)
		if i < 0 {
			return sheet.Cell{}
		}
		cell := from.Cells[i]
		if cell.Shown != "" && slices.Contains(asShown, name) {
			cell.Text = cell.Shown
		}
		return cell
	}
	row := &Row{Row: from.Number, Line: from.Line, Outcome: Unsent, names: n, cells: from.Cells}
	reference := referenceOf(cells)
	row.Reference, row.raw = reference.Text, cmp.Or(reference.Raw, reference.Text)
	if r.Update {
		row.item = encode(r.change(cells, row))
	} else {
		row.item = encode(r.members(listColumns, cells, row))
	}
	if !r.Update && row.hasOnly("images") {
		row.wrong(Problem{
			Code: "missing_field", Field: "images",
			Message: "The row has pictures and nothing else. Put them into the cell of the row that they belong to, with blanks between the addresses, " +
				"and take this row away.",
		})
	}
	if len(row.item)+len(`{"changes":[]}`) > maxBytes {
		row.wrong(Problem{Code: "too_long", Message: "The row is larger than a request may be. Shorten the description."})
	}
	return row
}

// hasOnly says whether a column, or several of its kind, are the only ones of a row with a value, beside its reference.
func (r *Row) hasOnly(name string) (has bool) {
	for i, cell := range r.cells {
		switch column := strings.TrimRight(r.names.columns[i], "+"); {
		case cell.Text == "" || column == "" || column == "personal_reference" || column == "reference":
		case column != name:
			return false
		default:
			has = true
		}
	}
	return has
}

// referenceOf is the cell with the reference of a row.
func referenceOf(cells func(name string) sheet.Cell) sheet.Cell {
	if reference := cells("reference"); reference.Text != "" {
		return reference
	}
	return cells("personal_reference")
}

// checkReferences finds rows that name the same item: by its id, if they have it, as several items may have a reference.
func (f *File) checkReferences() {
	first := map[string]*Row{}
	for _, row := range f.Rows {
		name := "reference " + norm.NFC.String(row.Reference)
		var change struct {
			ItemID string `json:"item_id"` // of a change
		}
		if _ = json.Unmarshal(row.item, &change); change.ItemID != "" {
			name = "item " + change.ItemID
		}
		switch other := first[name]; {
		case name == "reference ":
		case other == nil:
			first[name] = row
		case f.Options.Update:
			row.wrong(Problem{Code: "conflicting_fields", Field: "reference", Message: fmt.Sprintf("Row %d changes the same item. Keep one of them.", other.Row)})
		case !f.Options.AllowDuplicates:
			row.wrong(Problem{
				Code: "conflicting_fields", Field: "personal_reference",
				Message: fmt.Sprintf("Row %d has the same reference, and --update could not tell their items apart. Give each row its own reference, or list them as they are "+
					"with --allow-duplicates.", other.Row),
			})
		}
	}
}

// identify gives each row its identity.
func (f *File) identify() {
	seen := map[string]int{}
	for _, row := range f.Rows {
		sum := sha256.Sum256(row.item)
		text := fmt.Sprintf("%x", sum[:16])
		seen[text]++
		row.id = text + "-" + strconv.Itoa(seen[text])
	}
}

// Wrong is the number of rows with mistakes that the file shows.
func (f *File) Wrong() (n int) {
	for _, row := range f.Rows {
		if row.Outcome == Refused {
			n++
		}
	}
	return n
}

// short is an excerpt of a value on one line.
func short(text string) string { return sheet.Visible(sheet.Excerpt(text, 40)) }

// Progress is shown to the user.
type Progress interface {
	Begin(phase string, total int)
	Add(n int)
}

// Importer sends the rows of a file.
type Importer struct {
	Client   *apiclient.Client
	Progress Progress
	File     *File
	Name     string // of the file, which it keeps when it is corrected
	Ending   string // of its name, such as .csv
	State    string // the path of the file that remembers what was sent; for listings
	DryRun   bool   // change nothing
	Wait     bool   // for the publication

	Note func(text string) // shows a note at once, and before rows are sent if it is about them; nil to have it in the report alone

	// Reached is told about each step after which a program may end at any time; its error ends the import there. Tests use it.
	Reached func(step string) error

	notes []string
}

func (im *Importer) reached(step string) error {
	if im.Reached == nil {
		return nil
	}
	return im.Reached(step)
}

// Run sends the rows. Its error says why it stopped early.
func (im *Importer) Run(ctx context.Context) error {
	if im.File.Options.Update {
		return im.update(ctx)
	}
	return im.list(ctx)
}

// note is about what the user should know beside the outcomes of the rows.
func (im *Importer) note(text string) {
	im.notes = append(im.notes, text)
	if im.Note != nil {
		im.Note(text)
	}
}
