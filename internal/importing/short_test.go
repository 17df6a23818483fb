package importing

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRowsThatEndEarly has rows without the separators of their last, empty cells, and rows that a line break has cut in two.
func TestRowsThatEndEarly(t *testing.T) {
	const head = "title,category_id,sale_type,price,description,quantity,images\n"
	const whole, short = "A,1,fixed_price,1.50,,2,\n", "B,1,auction,2.50\n"
	for _, test := range []struct {
		name, file string
		update     bool
		wrong      []int // rows
		taken      int   // rows that end early
	}{
		{"the last cells of some rows are empty", head + whole + short + short + whole + short, false, nil, 3},
		{"a column that every row needs is missing", head + whole + "B,1,auction\n" + short, false, []int{3}, 1},
		{"the row before one that is wrong", head + whole + short + "B,,auction,1.50,,,\n", false, []int{3}, 0},
		{"the first row ends early", head + short + whole, false, []int{2}, 0},
		{"a description in two lines", head + whole + "A,1,fixed_price,1.50,One\nand two,2,\n" + whole, false, []int{3, 4}, 0},
		{
			"a description in four lines, one of them empty", head + whole + "A,1,fixed_price,1.50,One\ntwo\n\nand four,2,\n" + short,
			false,
			[]int{3, 4, 6},
			1,
		},
		{
			"a rest as long as a row", head + whole + "A,1,fixed_price,1.50,One\nand two, three, four, 5.00, five,2,\n" + whole,
			false,
			[]int{3},
			0,
		},
		{"a title in two lines", head + whole + "A\nand B,1,fixed_price,1.50,,2,\n", false, []int{3}, 0},
		{
			"all rows without one of the columns",
			"title,category_id,sale_type,price,currency,subtitle,description,images\n" +
				strings.Repeat("A,1,fixed_price,1.50,EUR,Nice stamp,https://a.test/1.jpg\n", 2),
			false,
			[]int{2, 3},
			0,
		},
		{"an address in another column", head + whole + "B,1,fixed_price,1.50,https://a.test/1.jpg\n", false, []int{3}, 0},
		{"a decimal comma without quotes", head + whole + "B,1,fixed_price,12,50\n" + "B,1,fixed_price,12,5 €\n", false, []int{3, 4}, 0},
		{
			"a comma between thousands without quotes", head + whole + "B,1,fixed_price,1,500.00\n" + "B,1,fixed_price,€1,500\n",
			false,
			[]int{3, 4},
			0,
		},
		{"an amount before a number, and semicolons", strings.ReplaceAll(head+whole+"B,1,fixed_price,12,50\n", ",", ";"), false, nil, 1},
		{"a file that was cut off", head + whole + short + "B,1,fixed_price,15", false, []int{4}, 1},
		{"a file that was cut off after a line", head + whole + short + whole + "B,1,fixed_price,15\r", false, nil, 2},
		{"a row in a file of changes", "reference,price,close\nA,1.50,\nB,2.50\n", true, []int{3}, 0},
	} {
		read, err := Read([]byte(test.file), Options{Update: test.update})
		if err != nil {
			t.Fatal(err)
		}
		var wrong []int
		for _, row := range read.Rows {
			if row.Outcome == Refused {
				wrong = append(wrong, row.Row)
			}
		}
		note := ""
		if test.taken > 0 {
			note = fmt.Sprintf("rows that end before the last column: %d; the cells that are not there are taken as empty", test.taken)
		}
		got := slices.DeleteFunc(read.Notes, func(note string) bool { return strings.HasPrefix(note, "columns separated by") })
		if diff := cmp.Diff(test.wrong, wrong) + cmp.Diff(note, strings.Join(got, "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}
