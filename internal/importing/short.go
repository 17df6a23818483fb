package importing

import (
	"fmt"
	"slices"
	"strings"

	"sellerd/internal/base/pattern"
	"sellerd/internal/sheet"
)

// This file takes rows that end before the last column, as long as they cannot be parts of other rows.

// takeShort takes rows of listings that end too early. Excel leaves out the last separators where the last cells of 16 rows are empty.
// The header and the rows below it are such a group, so the first row has all its cells: if it ends early, nothing is taken. A row is
// taken only if it has what every listing needs, and the row after it, too: a row that a line break has cut in two goes on in the next
// line, which then has no category and no sale type.
func (f *File) takeShort(table *sheet.Table, columns []string) {
	rows := slices.Clone(table.Rows)
	short := map[int]bool{}
	for _, p := range table.Problems {
		if p.Short != nil {
			rows, short[p.Row] = append(rows, *p.Short), true
		}
	}
	slices.SortStableFunc(rows, func(a, b sheet.Row) int { return a.Number - b.Number })
	if len(short) == 0 || short[rows[0].Number] {
		return
	}
	table.Rows = nil
	taken := map[int]bool{}
	for i, row := range rows {
		if short[row.Number] {
			if !isListing(row, columns) || isMoved(row, columns, table.Separator) || i+1 < len(rows) && !isListing(rows[i+1], columns) {
				continue
			}
			taken[row.Number] = true
		}
		table.Rows = append(table.Rows, row)
	}
	table.Problems = slices.DeleteFunc(table.Problems, func(p sheet.Problem) bool { return p.Short != nil && taken[p.Row] })
	if len(taken) > 0 {
		f.Notes = append(f.Notes,
			fmt.Sprintf("rows that end before the last column: %d; the cells that are not there are taken as empty", len(taken)))
	}
}

// isListing says whether a row has what every listing needs.
func isListing(row sheet.Row, columns []string) bool {
	has := map[string]string{}
	for i, name := range columns {
		has[name] = row.Cells[i].Text
	}
	return has["title"] != "" && digitsOnly().MatchString(has["category_id"]) && has["price"]+has["starting_price"] != "" &&
		slices.Contains([]string{"fixedprice", "auction"}, plain(has["sale_type"]))
}

// isMoved says whether the cells of a row may stand in other columns than their own: an amount goes on in the next cell, as 12,50 and
// 1,500.00 do without quotes, or an address stands where no picture belongs.
func isMoved(row sheet.Row, columns []string, separator byte) bool {
	for i, cell := range row.Cells {
		if columns[i] != "" && !strings.HasPrefix(columns[i], "images") && beginsAddress().MatchString(cell.Text) {
			return true
		}
		if separator == ',' && isMoney(columns[i]) && i+1 < len(row.Cells) && beforeComma().MatchString(cell.Text) &&
			afterComma().MatchString(row.Cells[i+1].Text) {
			return true
		}
	}
	return false
}

var (
	beginsAddress = pattern.Late(`^(?i:https?://|www\.)\S+$`)
	beforeComma   = pattern.Late(`^[^0-9]*[0-9]+$`)
	afterComma    = pattern.Late(`^[0-9]{1,3}(?:\.[0-9]+)?[^0-9]*$`)
)
