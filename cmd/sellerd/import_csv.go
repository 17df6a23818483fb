package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// importColumns are the columns a file may have, in the order of the reference, and how a cell becomes JSON. Cells are not
// checked here: the service checks them, and its errors name the field.
var importColumns = []struct {
	name  string
	value func(cell, currency string) any
}{
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

func columnNames() []string {
	names := make([]string, len(importColumns))
	for i, column := range importColumns {
		names[i] = column.name
	}
	return names
}

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
func readRows(file io.Reader) ([]*importRow, error) {
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
	columns, err := findColumns(header)
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
		row, err := newRow(line, columns, cells)
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

// findColumns says for each column of the file which of importColumns it is.
func findColumns(header []string) ([]int, error) {
	columns := make([]int, len(header))
	for i, name := range header {
		name = strings.TrimSpace(name)
		at := slices.Index(columnNames(), name)
		switch {
		case at < 0:
			return nil, fmt.Errorf("line 1: there is no column %q. The columns are %s", name, strings.Join(columnNames(), ", "))
		case slices.Contains(columns[:i], at):
			return nil, fmt.Errorf("line 1: there are two columns %q", name)
		}
		columns[i] = at
	}
	return columns, nil
}

func newRow(line int, columns []int, cells []string) (*importRow, error) {
	row := &importRow{Line: line, Outcome: rowUnsent}
	cell := func(name string) string {
		for i, at := range columns {
			if importColumns[at].name == name {
				return strings.TrimSpace(cells[i])
			}
		}
		return ""
	}
	item, currency := map[string]any{}, cell("currency")
	for i, at := range columns {
		column := importColumns[at]
		if column.value != nil && strings.TrimSpace(cells[i]) != "" {
			item[column.name] = column.value(cells[i], currency)
		}
	}
	row.Reference = cell("personal_reference")
	var err error
	if row.item, err = json.Marshal(item); err != nil { // sorts the members
		return nil, fmt.Errorf("line %d: %w", line, err)
	}
	if len(row.item)+len(`{"items":[]}`) > maxBatchBytes {
		return nil, fmt.Errorf("line %d: the row has %d bytes, more than a request may", line, len(row.item))
	}
	return row, nil
}
