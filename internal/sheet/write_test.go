package sheet

import (
	"archive/zip"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// written is a file of some columns and rows.
func written(t *testing.T, form Form, columns []Column, rows ...[]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := NewWriter(&out, form, columns)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Row(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var anyColumns = []Column{{Name: "text"}, {Name: "amount", Kind: Number, Money: true}, {Name: "at", Kind: Date}, {Name: "other"}}

func TestARowOfATextFile(t *testing.T) {
	row := []string{"=1+1; \"x\"\nb", "1234.50", "2026-03-29T14:00:00.5+02:00", "a,b"}
	for _, test := range []struct {
		form Form
		want string
	}{
		{Form{Separator: ';', Decimal: ','}, "\ufefftext;amount;at;other\r\n\"'=1+1; \"\"x\"\"\nb\";1234,50;2026-03-29T14:00:00.5+02:00;a,b\r\n"},
		{Form{Separator: ','}, "\ufefftext,amount,at,other\r\n\"'=1+1; \"\"x\"\"\nb\",1234.50,2026-03-29T14:00:00.5+02:00,\"a,b\"\r\n"},
	} {
		if diff := cmp.Diff(test.want, string(written(t, test.form, anyColumns, row))); diff != "" {
			t.Error(diff)
		}
	}
}

// TestWhatAWorkbookHas reads the parts of a workbook as a spreadsheet does.
func TestWhatAWorkbookHas(t *testing.T) {
	file := written(t, Form{Workbook: true, Sheet: "bills"}, anyColumns, []string{"=1+1", "1234.50", "2026-03-29T14:00:00.5+02:00", ""})
	archive, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	sheet, err := archive.Open("xl/worksheets/sheet1.xml")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(sheet)
	if err != nil {
		t.Fatal(err)
	}
	for what, want := range map[string]string{
		"the header stays in view": `<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>`,
		"columns have a width":     `<col min="1" max="1" width="7"`,
		"a text is a text":         `t="inlineStr"><is><t xml:space="preserve">=1+1</t></is></c>`,
		"an amount is a number":    `<v>1234.50</v>`,
		"a date is a day's number": `<v>46110.583333333336</v>`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s: there is no %s in\n%s", what, want, text)
		}
	}
	if strings.Contains(string(text), "<f>") {
		t.Error("there is a formula")
	}
}

// TestWhatIsWrittenIsRead writes texts of one to three parts, and reads them again.
func TestWhatIsWrittenIsRead(t *testing.T) {
	parts := []string{
		"=", "+", "-", "@", "'", "\"", "\\", ";", ",", "\t", "|", "\n", " ", "a", "0", "7", "#N/A", "#REF!", "Err:502", "é", "ß", "Ж", "日本", "🐦‍🔥", "_x0041_", "_x005F_",
		"&", "<b>", "]]>", "1,50", "00123", "12345678901234567890", "1.5E+12", "TRUE", "sep=;",
	}
	columns := make([]Column, 12) // so many that no text looks as if it held a row
	for i := range columns {
		columns[i].Name = Position(i)
	}
	var rows [][]string
	for i, a := range parts {
		for _, b := range parts {
			row := make([]string, len(columns))
			row[0], row[3], row[11] = "x", Trim(a+b), Trim(a+parts[(i*7+len(rows))%len(parts)]+b) // blanks at the ends are cut
			rows = append(rows, row)
		}
	}
	for name, form := range map[string]Form{
		"semicolons": {Separator: ';', Decimal: ',', Back: true}, "commas": {Separator: ',', Back: true}, "tabs": {Separator: '\t', Back: true},
		"bars": {Separator: '|', Back: true}, "a workbook": {Workbook: true, Back: true},
	} {
		table, err := Read(written(t, form, columns, rows...), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var got [][]string
		for _, row := range table.Rows {
			var cells []string
			for _, cell := range row.Cells {
				cells = append(cells, cell.Text)
			}
			got = append(got, cells)
		}
		if diff := cmp.Diff(rows, got); diff != "" || len(table.Problems) > 0 {
			t.Errorf("%s: %v\n(-want +got):\n%s", name, table.Problems, diff)
		}
	}
}

func TestATextThatACellCannotHold(t *testing.T) {
	w, err := NewWriter(io.Discard, Form{Workbook: true}, []Column{{Name: "description"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Row([]string{strings.Repeat("🐦", maxLetters/2)}); err != nil {
		t.Errorf("%d letters: %v", maxLetters-1, err)
	}
	err = w.Row([]string{strings.Repeat("🐦", maxLetters/2+1)})
	want := "row 3, column description: the text has more than the 32767 characters that a cell of a workbook holds: use --format csv"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
