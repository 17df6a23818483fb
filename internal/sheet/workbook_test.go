package sheet

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// pack makes an archive of parts.
func pack(t *testing.T, parts map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for name, text := range parts {
		part, err := archive.Create(name)
		if err == nil {
			_, err = part.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// names are the namespaces of the parts of workbooks.
const names = ` xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"`

func relationships(all string) string {
	return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + all + `</Relationships>`
}

// book is a workbook with the rows of its first sheet; other parts may replace those that every workbook has.
func book(t *testing.T, rows string, others ...string) string {
	t.Helper()
	parts := map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"_rels/.rels":         relationships(`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/>`),
		"xl/workbook.xml": `<?xml version="1.0"?><workbook` + names + `><workbookPr/><sheets><sheet name="Notes" sheetId="3" state="hidden" r:id="rId9"/>` +
			`<sheet name="Stock" sheetId="1" r:id="rId1"/><sheet name="Old" sheetId="2" r:id="rId2"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels": relationships(`<Relationship Id="rId1" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Target="/xl/worksheets/sheet2.xml"/>` +
			`<Relationship Id="rId9" Target="worksheets/sheet3.xml"/>`),
		"xl/sharedStrings.xml": `<sst` + names + `><si><t>title</t></si><si><r><t>pri</t></r><r><t xml:space="preserve">ce </t></r><rPh><t>hint</t></rPh></si><si><t>C&#233;r&#232;s &lt;20c&gt;_x000D_&#10;x</t></si></sst>`,
		"xl/styles.xml": `<styleSheet` + names + `><numFmts><numFmt numFmtId="164" formatCode="00000"/><numFmt numFmtId="165" formatCode="[$-407]dd/mm/yyyy\ hh:mm"/>` +
			`<numFmt numFmtId="166" formatCode="#,##0.00\ &quot;dollars&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>` +
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/><xf numFmtId="14"/><xf numFmtId="20"/></cellXfs></styleSheet>`,
		"xl/worksheets/sheet1.xml": `<worksheet` + names + `><sheetData>` + rows + `</sheetData></worksheet>`,
		"xl/worksheets/sheet2.xml": `<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c></x:row><x:row><x:c><x:v>1</x:v></x:c></x:row></x:sheetData></x:worksheet>`,
	}
	for i := 0; i < len(others); i += 2 {
		parts[others[i]] = others[i+1]
	}
	return pack(t, parts)
}

const (
	top     = `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="str"><v>x</v></c></row>`
	stock   = "(read from the sheet \"Stock\"; --sheet names another: \"Notes\", \"Old\")\n"
	asUTC   = "(times of the workbook are taken as UTC)\n"
	columns = "title|price|x\n"

	damaged  = "error: the workbook is damaged: save it again"
	unstored = "The cell has a formula whose value is not stored. Open the workbook in a spreadsheet, save it, and try again.\n"
)

func TestRowsOfAWorkbook(t *testing.T) {
	for _, test := range []struct{ name, rows, want string }{
		{"shared strings", `<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2"><v>12.5</v></c></row>`, stock + columns + "2/2 Cérès <20c>⏎x|12.5|\n"},
		{"a float as Excel stores it", `<row r="3"><c r="B3"><v>19.989999999999998</v></c><c r="C3"><v>1.0E-2</v></c></row>`, stock + columns + "3/3 |19.99|0.01\n"},
		{"the value of a formula", `<row r="2"><c r="B2"><f>1+2</f><v>3</v></c><c r="C2" t="str"><f>A1</f><v>text</v></c></row>`, stock + columns + "2/2 |3|text\n"},
		{"zeros that a format shows", `<row r="2"><c r="A2" s="1"><v>123</v></c></row>`, stock + columns + "2/2 00123||\n"},
		{"money that a format shows", `<row r="2"><c r="B2" s="3"><v>1234.5</v></c></row>`, stock + columns + "2/2 |1234.5|\n"},
		{
			"dates and times", `<row r="2"><c r="A2" s="2"><v>46381.75</v></c><c r="B2" s="4"><v>46381</v></c><c r="C2" s="5"><v>0.8125</v></c></row>`,
			stock + asUTC + columns + "2/2 2026-12-25T18:00:00Z|2026-12-25T00:00:00Z|19:30\n",
		},
		{
			"a picture by a formula", `<row r="2"><c r="B2"><v>3</v></c><c r="C2" t="str"><f>IFERROR(__xludf.DUMMYFUNCTION("IMAGE(""http://x/1.jpg"")"),"")</f><v></v></c></row>`,
			stock + columns + "2/2 |3|\nproblem 2/2 x \"\": The cell shows a picture by a formula. Write the picture's address itself, a text that begins with https://.\n",
		},
		{"true and false", `<row r="2"><c r="A2" t="b"><v>1</v></c><c r="B2" t="b"><v>0</v></c></row>`, stock + columns + "2/2 true|false|\n"},
		{"a long number that is whole", `<row r="2"><c r="A2"><v>4012345678901</v></c><c r="B2"><v>4.012345678901E12</v></c></row>`, stock + columns + "2/2 4012345678901|4012345678901|\n"},
		{"empty rows and cells", `<row r="3"><c r="A3" s="1"/></row><row r="9"><c r="C9" t="inlineStr"><is><t> y </t></is></c></row>`, stock + columns + "9/9 ||y\n"},
		{"rows without their numbers", `<row><c t="inlineStr"><is><t>y</t></is></c><c><v>2</v></c></row>`, stock + columns + "2/2 y|2|\n"},
		{
			"a formula that failed", `<row r="2"><c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c></row>`,
			stock + columns + "2/2 #DIV/0!||\nproblem 2/2 title \"#DIV/0!\": A formula in the cell has failed. Repair it.\n",
		},
		{
			"a formula without its value", `<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>1+2</f></c></row>`,
			stock + columns + "2/2 1||\nproblem 2/2 price \"\": " + unstored,
		},
		{
			"a number that lost digits", `<row r="2"><c r="A2"><v>1.2345678901234567E+19</v></c></row>`,
			stock + columns + "2/2 12345678901234600000||\nproblem 2/2 title \"1.2345678901234567E+19\": The spreadsheet keeps 15 digits of a number, and this one has more. " +
				"Format the column as text, and type the value again.\n",
		},
		{
			"a value beside the columns", `<row r="2"><c r="A2"><v>1</v></c><c r="E2"><v>7</v></c></row>`,
			stock + columns + "2/2 1||\nproblem 2/2  \"7\": Column E has no name in row 1, and there is a value in it. Name the column, or empty it.\n",
		},
		{
			"formulas as programs write them that do not calculate",
			`<row r="2"><c r="A2"><v>1</v></c><c r="B2"><f>1+2</f><v></v></c></row><row r="3"><c r="B3" t="str"><f>1+2</f></c></row>`,
			stock + columns + "2/2 1||\nproblem 2/2 price \"\": " + unstored + "problem 3/3 price \"\": " + unstored,
		},
		{"a formula whose value is an empty text", `<row r="2"><c r="A2"><v>1</v></c><c r="B2" t="str"><f>""</f><v></v></c></row>`, stock + columns + "2/2 1||\n"},
		{"escapes in a text that is not shared", `<row r="2"><c r="A2" t="str"><v>a_x000d_&#10;b_x0041_</v></c></row>`, stock + columns + "2/2 a⏎bA||\n"},
		{"an escape that is escaped", `<row r="2"><c r="A2" t="inlineStr"><is><t>a_x005F_x0041_</t></is></c></row>`, stock + columns + "2/2 a_x0041_||\n"},
		{"digits that are text", `<row r="2"><c r="A2" s="4" t="str"><v>0012</v></c></row>`, stock + columns + "2/2 0012||\n"},
		{"a style that is not there", `<row r="2"><c r="A2" s="99"><v>12</v></c></row>`, stock + columns + "2/2 12||\n"},
		{"a date before March of 1900", `<row r="2"><c r="A2" s="4"><v>1</v></c></row>`, stock + asUTC + columns + "2/2 1900-01-01T00:00:00Z||\n"},
		{"an empty cell in the last row", `<row r="2"><c r="A2"><v>12</v></c></row><row r="1048576"><c r="A1048576" s="1"/></row>`, stock + columns + "2/2 12||\n"},
		{"rows that are not in order", `<row r="3"><c r="A3"><v>1</v></c></row><row r="2"><c r="A2"><v>2</v></c></row>`, damaged},
		{"cells that are not in order", `<row r="2"><c r="B2"><v>1</v></c><c r="A2"><v>2</v></c></row>`, damaged},
		{"a cell of another row", `<row r="2"><c r="A3"><v>1</v></c></row>`, damaged},
		{"an end in the middle", `<row r="2"><c r="A2"><v>1</v></c></row></sheetDat>`, damaged},
		{"a string that is not there", `<row r="2"><c r="A2" t="s"><v>99</v></c></row>`, damaged},
	} {
		if diff := cmp.Diff(test.want, said(book(t, top+test.rows), Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestSheetsOfAWorkbook(t *testing.T) {
	file := book(t, top)
	if diff := cmp.Diff("(read from the sheet \"Old\"; --sheet names another: \"Notes\", \"Stock\")\na\n2/2 1\n", said(file, Options{Sheet: "old"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	table, err := Read([]byte(file), Options{Sheet: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"Old", "Notes", "Stock"}, append([]string{table.Sheet}, table.OtherSheets...)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(`error: the workbook has no sheet "New": it has "Notes", "Stock", "Old"`, said(file, Options{Sheet: "New"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("error: a text file has no sheets: leave --sheet out", said("a\n1\n", Options{Sheet: "New"})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStylesOfColumnsAndMergedCells reads cells that have no style though their column has one, cells that are one, and a hidden row.
func TestStylesOfColumnsAndMergedCells(t *testing.T) {
	file := book(t, "", "xl/worksheets/sheet1.xml", `<worksheet`+names+`><cols><col min="1" max="3" style="4"/></cols><sheetData>`+top+
		`<row r="2"><c r="A2"><v>12</v></c><c r="B2" s="4"><v>46381</v></c></row><row r="3" hidden="1"><c r="A3" t="b"><v>1</v></c><c r="B3" s="4"/></row>`+
		`</sheetData><mergeCells><mergeCell ref="A3:C3"/><mergeCell ref="C2:C3"/></mergeCells></worksheet>`)
	const hidden, merged = "(hidden rows are read, too: 1)\n", "(cells that are merged over several rows: 1; only the first row of each has the value)\n"
	if diff := cmp.Diff(stock+asUTC+hidden+merged+columns+"2/2 12|2026-12-25T00:00:00Z|\n3/3 true||\n", said(file, Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDigitsAsAFormatShowsThem formats the same number in many ways.
func TestDigitsAsAFormatShowsThem(t *testing.T) {
	for code, want := range map[string]string{
		`[$-407]00000`:                       "00042",
		`[Blue]&quot;A&quot;000;@`:           "42 shown as A042",
		`[&lt;100]000;0`:                     "42",
		`00000`:                              "00042",
		`&quot;SHELF-&quot;0000`:             "42 shown as SHELF-0042",
		`\A\-000`:                            "42 shown as A-042",
		`000-000`:                            "42 shown as 000-042",
		`#0/0`:                               "42 shown as 4/2",
		`#-##-##`:                            "42 shown as --42",
		`0&quot; pcs&quot;`:                  "42 shown as 42 pcs",
		`&quot;A&quot;000;-&quot;A&quot;000`: "42 shown as A042",
		`0`:                                  "42",
		`0.00`:                               "42",
		`#,##0\ &quot;€&quot;`:               "42",
		`&quot;none&quot;`:                   "42",
		`General&quot;x&quot;`:               "42",
		`0%`:                                 "42",
		`&quot;20&quot;00`:                   "42 shown as 2042",
		`0&quot;0&quot;`:                     "42 shown as 420",
	} {
		file := formatted(t, "42", code)
		if diff := cmp.Diff(stock+columns+"2/2 "+want+"||\n", said(file, Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", code, diff)
		}
	}
	for number, want := range map[string]string{"12345": "12345 shown as A12345", "0": "0 shown as A000", "-3": "-3", "1.5": "1.5"} {
		file := formatted(t, number, "&quot;A&quot;000")
		if diff := cmp.Diff(stock+columns+"2/2 "+want+"||\n", said(file, Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", number, diff)
		}
	}
}

// formatted is a workbook with a number in a format.
func formatted(t *testing.T, number, code string) string {
	t.Helper()
	return book(t, top+`<row r="2"><c r="A2" s="1"><v>`+number+`</v></c></row>`, "xl/styles.xml", `<styleSheet`+names+`>`+
		`<numFmts><numFmt numFmtId="164" formatCode="`+code+`"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>`)
}

// TestDatesThatAreTexts has dates as strict workbooks and some programs write them.
func TestDatesThatAreTexts(t *testing.T) {
	for value, want := range map[string]string{
		"2026-12-25T18:00:00":           "2026-12-25T18:00:00Z",
		"2026-12-25T18:00:00.000":       "2026-12-25T18:00:00Z",
		"2026-12-25T18:00:00.000Z":      "2026-12-25T18:00:00Z",
		"2026-12-25T18:00:00.000+01:00": "2026-12-25T17:00:00Z",
		"2026-12-25T18:00":              "2026-12-25T18:00:00Z",
		"2026-12-25":                    "2026-12-25T00:00:00Z",
	} {
		file := book(t, top+`<row r="2"><c r="A2" t="d" s="4"><v>`+value+`</v></c></row>`)
		if diff := cmp.Diff(stock+asUTC+columns+"2/2 "+want+"||\n", said(file, Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
	for value, want := range map[string]string{
		"18:00:00": "18:00", "1899-12-31T18:00:00": "18:00", "18:00:00Z": "18:00", "next week": "next week",
	} {
		file := book(t, top+`<row r="2"><c r="A2" t="d" s="4"><v>`+value+`</v></c></row>`)
		if diff := cmp.Diff(stock+columns+"2/2 "+want+"||\n", said(file, Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

func TestDatesSince1904(t *testing.T) {
	file := book(t, top+`<row r="2"><c r="A2" s="4"><v>44919</v></c></row>`,
		"xl/workbook.xml", `<workbook`+names+`><workbookPr date1904="1"/><sheets><sheet name="S" r:id="rId1"/></sheets></workbook>`)
	if diff := cmp.Diff(asUTC+columns+"2/2 2026-12-25T00:00:00Z||\n", said(file, Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestArchivesOfOtherKindsAreNamed(t *testing.T) {
	for part, want := range map[string]string{
		"xl/workbook.bin":    "the file is a binary workbook (.xlsb)",
		"word/document.xml":  "the file is a document of Word",
		"Index/Document.iwa": "the file is a document of Numbers",
		"listings.csv":       "the file is a ZIP archive and no workbook: unpack it first",
	} {
		if got := said(pack(t, map[string]string{part: "x"}), Options{}); !strings.HasPrefix(got, "error: "+want) {
			t.Errorf("%s: %s", part, got)
		}
	}
	if got := said(pack(t, map[string]string{"content.xml": "x", "mimetype": "application/vnd.oasis.opendocument.spreadsheet"}), Options{}); !strings.HasPrefix(got,
		"error: the file is an OpenDocument file (.ods)") {
		t.Error(got)
	}
	if got := said(book(t, top)[:900], Options{}); !strings.HasPrefix(got, "error: the file is a ZIP archive or a workbook, and it is not complete") {
		t.Error(got)
	}
}

// TestAWorkbookThatUnpacksToTooMuch reads a small file that unpacks to more than may be read.
func TestAWorkbookThatUnpacksToTooMuch(t *testing.T) {
	file := book(t, top, "xl/sharedStrings.xml", "<sst"+names+">"+strings.Repeat(" ", maxUnpacked+1)+"</sst>")
	if len(file) > 1<<20 {
		t.Fatalf("the file has %d bytes", len(file))
	}
	const tooMuch = "error: the workbook unpacks to more than 128 MB: delete the empty rows below the data, save the sheet as CSV, or split it"
	if diff := cmp.Diff(tooMuch, said(file, Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	const pasted = "(pictures pasted into the workbook are not read: 1; upload them to a web server, and write their addresses into the column images)\n"
	pictures := book(t, top+`<row r="2"><c r="A2"><v>1</v></c></row>`, "xl/media/image1.png", strings.Repeat(" ", maxUnpacked+1))
	if diff := cmp.Diff(stock+pasted+columns+"2/2 1||\n", said(pictures, Options{})); diff != "" {
		t.Errorf("pictures (-want +got):\n%s", diff)
	}
	var wide strings.Builder
	for row := range 400 {
		fmt.Fprintf(&wide, `<row r="%d"><c r="XFD%[1]d"><v>1</v></c></row>`, row+1)
	}
	if diff := cmp.Diff("error: the sheet has more than 5000000 cells: split it", said(book(t, wide.String()), Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPercentFormatsThatEveryWorkbookHas have a number and no code in the file.
func TestPercentFormatsThatEveryWorkbookHas(t *testing.T) {
	for id, want := range map[string]string{"9": "%", "10": "%", "2": "", "4": ""} {
		table, err := Read([]byte(book(t, top+`<row r="2"><c r="A2" s="1"><v>0.125</v></c></row>`, "xl/styles.xml",
			`<styleSheet`+names+`><cellXfs><xf numFmtId="0"/><xf numFmtId="`+id+`"/></cellXfs></styleSheet>`)), Options{})
		if err != nil || table.Rows[0].Cells[0].Currency != want {
			t.Errorf("format %s: %v %+v, want %q", id, err, table, want)
		}
	}
}

func TestCurrenciesOfFormats(t *testing.T) {
	want := map[string]string{
		`[$£-809]#,##0.00`: "£", `[$CHF-807] #,##0.00`: "CHF", `[$$-409]#,##0.00`: "USD", `[$$-1009]#,##0.00`: "CAD", `[$$-540A]#,##0.00`: "$",
		`"$"#,##0.00`: "$", `_("$"* #,##0.00_);_("€"* (#,##0.00)`: "$", `#,##0.00\ "€"`: "€", `#,##0.00 [$€-407];[Red]-#,##0.00 [$€-407]`: "€",
		`\£0.00`: "£", `"Fr. "#,##0.00`: "Fr.", `[$zł-415]0.00`: "zł", `0.00" pcs"`: "pcs", `"No. "0`: "No.",
		`#,##0.00\ "kr"`: "kr", `"R$"\ 0.00`: "R$", `\F\t0`: "Ft", `[$$-409]0.00 "CAD"`: "USD CAD", `0.00 "€"" / St."`: "€ / St.", `General" Fr."`: "Fr.", `0%`: "%", `0"00"`: "00",
		`0.00,`: "thousands", `#,##0,`: "thousands", `#,##0,,`: "millions", `0,.0\ "€"`: "€ thousands", `#,##0.00,_€;0`: "thousands",

		`0.00`: "", `#,##0.00`: "", `[Red]0.00`: "", `[$-407]0.00`: "", `[<100]0.00`: "", `General`: "", `0.00E+00`: "", `0",-"`: "", `# ?/?`: "",
		`_-* #,##0.00\ _€_-;\-* #,##0.00\ _€_-`: "", `#,##0.00 _F`: "", // as wide as the sign, which is not shown
	}
	got := map[string]string{}
	for code := range want {
		got[code] = currencyOf(code)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("currencies (-want +got):\n%s", diff)
	}
}
