package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// importRow is a row of the file: its item and its outcome.
type importRow struct {
	Line      int             `json:"line"` // where the row begins in the file, counted from 1
	Reference string          `json:"personal_reference,omitempty"`
	Outcome   string          `json:"outcome"`
	ItemID    string          `json:"item_id,omitempty"`
	Problems  []apiError      `json:"problems,omitempty"` // errors, or warnings of a published row
	Replayed  bool            `json:"replayed,omitempty"` // it was accepted in an earlier import
	item      json.RawMessage // as the API takes it, the same bytes for the same cells
}

// importColumn is a column of a file.
type importColumn struct {
	name  string
	value func(cell, currency string) any // nil of a column that is not a member of the item
}

// importColumns are the columns a file may have, in the order of the reference, and how a cell becomes JSON. Cells are not
// checked here: the service checks them, and its errors name the field.
var importColumns = []importColumn{
	{"title", asText},
	{"subtitle", asText},
	{"description", asText},
	{"personal_reference", asText},
	{"category_id", asText},
	{"sale_type", asText},
	{"price", asMoney},
	{"currency", nil},
	{"starting_price", asMoney},
	{"reserve_price", asMoney},
	{"bid_increment", asMoney},
	{"quantity", asNumber},
	{"duration_days", asNumber},
	{"renewals", asNumber},
	{"weight_grams", asNumber},
	{"shipping_model_id", asText},
	{"images", asWords},
	{"options", asFlags},
	{"site", asText},
	{"preferred_end_day", asText},
	{"preferred_end_time", asText},
	{"starts_at", asText},
	{"ends_at", asText},
}

func columnNames() []string { return columnNamesOf(importColumns) }

func columnNamesOf(columns []importColumn) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	return names
}

// members are the members of an item that a row's cells give.
func members(columns []importColumn, cells func(column string) string) map[string]any {
	item, currency := map[string]any{}, cells("currency")
	for _, column := range columns {
		if cell := cells(column.name); column.value != nil && strings.TrimSpace(cell) != "" {
			item[column.name] = column.value(cell, strings.TrimSpace(currency))
		}
	}
	return item
}

// itemOf is a row as an item to list.
func itemOf(cells func(column string) string) any { return members(importColumns, cells) }

func asText(cell, _ string) any { return cell }

// asNumber leaves a cell that is not a whole number as text, which the service rejects.
func asNumber(cell, _ string) any {
	n, err := strconv.Atoi(strings.TrimSpace(cell))
	if err != nil {
		return cell
	}
	return n
}

func asMoney(cell, currency string) any {
	money := map[string]any{"amount": strings.TrimSpace(cell)}
	if currency != "" {
		money["currency"] = currency
	}
	return money
}

func asWords(cell, _ string) any { return strings.Fields(cell) }

func asFlags(cell, _ string) any {
	flags := map[string]any{}
	for _, name := range strings.Fields(cell) {
		flags[name] = true
	}
	return flags
}

// readRows reads a whole file, so that a mistake in its form is reported before anything is sent.
func readRows(file io.Reader, to target) ([]*importRow, error) {
	text, err := io.ReadAll(file)
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // spreadsheets often begin with a byte order mark
	if err := checkUTF8(text); err != nil {
		return nil, err
	}
	reader := csv.NewReader(bytes.NewReader(text))
	reader.Comma = separator(text)
	header, err := reader.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: its first row must name the columns, as `sellerd import sample 1` shows")
	}
	if err != nil {
		return nil, err
	}
	columns, err := findColumns(header, columnNamesOf(to.columns))
	if err != nil {
		return nil, err
	}
	var rows []*importRow
	for {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if errors.Is(err, csv.ErrFieldCount) {
			line, _ := reader.FieldPos(0)
			return nil, fmt.Errorf("line %d has %d cells, and the first row names %d columns: a cell that holds %q must be in double quotes", line, len(cells),
				len(header), reader.Comma)
		}
		if err != nil {
			return nil, err // names the line
		}
		line, _ := reader.FieldPos(0)
		row, err := newRow(line, to, columns, cells)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errors.New("the file has a header and no rows")
	}
	return rows, nil
}

func checkUTF8(text []byte) error {
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, len(text)+1)
	for line := 1; scanner.Scan(); line++ {
		if !utf8.Valid(scanner.Bytes()) {
			return fmt.Errorf("line %d is not UTF-8: save the file as UTF-8", line)
		}
	}
	return scanner.Err()
}

// separator is that of the header; spreadsheets choose it by country.
func separator(text []byte) rune {
	header, _, _ := bytes.Cut(text, []byte("\n"))
	best := ','
	for _, candidate := range ";\t" {
		if bytes.Count(header, []byte(string(candidate))) > bytes.Count(header, []byte(string(best))) {
			best = candidate
		}
	}
	return best
}

// findColumns says for each column of the file which of the known ones it is.
func findColumns(header, known []string) ([]string, error) {
	columns := make([]string, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		switch {
		case !slices.Contains(known, name):
			return nil, fmt.Errorf("line 1: there is no column %q. The columns are %s", name, strings.Join(known, ", "))
		case slices.Contains(columns[:i], name):
			return nil, fmt.Errorf("line 1: there are two columns %q", name)
		}
		columns[i] = name
	}
	return columns, nil
}

func newRow(line int, to target, columns, cells []string) (*importRow, error) {
	row := &importRow{Line: line, Outcome: rowUnsent}
	cell := func(name string) string {
		if i := slices.Index(columns, name); i >= 0 {
			return cells[i]
		}
		return ""
	}
	row.Reference = referenceOf(cell)
	if file := localFile(cell("images")); file != "" {
		return nil, fmt.Errorf("line %d: %q in the column images is a file on this computer, which the service cannot reach: upload your pictures to a web server, and "+
			"give their addresses, such as https://www.example.com/%s", line, file, path.Base(strings.ReplaceAll(file, `\`, "/")))
	}
	var err error
	if row.item, err = json.Marshal(to.entry(cell)); err != nil { // sorts the members
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	if len(row.item)+len(`{"changes":[]}`) > maxBatchBytes {
		return nil, fmt.Errorf("line %d: the row has %d bytes, more than a request may", line, len(row.item))
	}
	return row, nil
}

// pictureFile is a name as picture files have.
var pictureFile = regexp.MustCompile(`(?i)^[^/]+\.(jpe?g|png|gif|webp|heic|tiff?|bmp)$`)

// localFile is the first word of a cell that names a file instead of an address, "" if there is no such word. Every other mistake in an
// address is left to the service.
func localFile(images string) string {
	for _, word := range strings.Fields(images) {
		switch {
		case strings.Contains(word, "://") && !strings.HasPrefix(strings.ToLower(word), "file:"):
		case strings.HasPrefix(strings.ToLower(word), "file:"), strings.ContainsRune(word, '\\'), strings.HasPrefix(word, "/"), strings.HasPrefix(word, "."),
			strings.HasPrefix(word, "~"), pictureFile.MatchString(word):
			return word
		case strings.Contains(word, "/") && !strings.Contains(strings.SplitN(word, "/", 2)[0], "."):
			return word // the first part of an address has a dot, that of a folder rarely
		}
	}
	return ""
}
