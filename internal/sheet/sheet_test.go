package sheet

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// said is a table in short: its notes, header, rows and problems, or the error.
func said(data string, o Options) string {
	table, err := Read([]byte(data), o)
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, note := range table.Notes {
		fmt.Fprintf(&b, "(%s)\n", note)
	}
	fmt.Fprintln(&b, strings.Join(table.Header, "|"))
	for _, row := range table.Rows {
		var cells []string
		for _, cell := range row.Cells {
			text := cell.Text
			if cell.Shown != "" {
				text += " shown as " + cell.Shown
			}
			cells = append(cells, text)
		}
		fmt.Fprintf(&b, "%d/%d %s\n", row.Number, row.Line, strings.ReplaceAll(strings.Join(cells, "|"), "\n", "⏎"))
	}
	for _, p := range table.Problems {
		fmt.Fprintf(&b, "problem %d/%d %s %q: %s\n", p.Row, p.Line, p.Column, p.Value, p.Message)
	}
	return b.String()
}

const semicolons = "(columns separated by semicolons; --separator names another)\n"

func TestRowsOfAText(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"commas", "a,b\n1,2\n", "a|b\n2/2 1|2\n"},
		{"semicolons, and commas in values", "a;b\n1,5;2\n", semicolons + "a|b\n2/2 1,5|2\n"},
		{"semicolons, and commas in the header", "\"a, b\";b\n1;2\n", semicolons + "a, b|b\n2/2 1|2\n"},
		{"tabs", "a\tb\n1 \"x\" 12\"\t2\n", "(columns separated by tabs; --separator names another)\na|b\n2/2 1 \"x\" 12\"|2\n"},
		{"bars", "a|b\n1|2\n", "(columns separated by vertical bars; --separator names another)\na|b\n2/2 1|2\n"},
		{"a line that names the separator", "sep=;\r\na;b\r\n1;2\r\n", semicolons + "a|b\n2/3 1|2\n"},
		{"a byte order mark and a line that names the separator", "\ufeffSEP=;\ra;b\r1;2\r", semicolons + "a|b\n2/3 1|2\n"},
		{"a line in quotes that names the separator", "\"sep=;\"\r\na;b\r\n1;2\r\n", semicolons + "a|b\n2/3 1|2\n"},
		{"lines in quotes as a whole", "\"a,\"\"b\"\"\"\n\"1,\"\"2,5\"\"\"\n", "a|b\n2/2 1|2,5\n"},
		{"an empty text that is kept", "a,b\n=\"\",1\n", "a|b\n2/2 |1\n"},
		{"a header that two separators fit", "a;b,c\n1;2,x,y\n3;4,5,6\n", semicolons + "a|b,c\n2/2 1|2,x,y\n3/3 3|4,5,6\n"},
		{"a separator that nothing decides", "a;b,c\n1;2,3\n", "error: what separates the columns is not certain: name it, for example --separator ';'"},
		{"lines that end in CR", "a,b\r1,2\r3,4\r", "a|b\n2/2 1|2\n3/3 3|4\n"},
		{"lines that end in all ways", "a,b\r\n1,2\n3,4\r5,6", "a|b\n2/2 1|2\n3/3 3|4\n4/4 5|6\n"},
		{"a cell of several lines", "a,b\n\"1\r\n2\r3\",4\n5,6\n", "a|b\n2/2 1⏎2⏎3|4\n3/5 5|6\n"},
		{"empty rows", "\n\na,b\n,\n1,2\n \u00a0, \n\n3,4\n", "a|b\n5/5 1|2\n8/8 3|4\n"},
		{"empty columns", "a,,b,\n1,,2,\n", "a|b\n2/2 1|2\n"},
		{"a separator at the end of each row", "a,b\n1,2,\n3,4,\n", "a|b\n2/2 1|2\n3/3 3|4\n"},
		{
			"a separator too many in a row", "a,b,c\n1,2,3\n4,50,,\n", "a|b|c\n2/2 1|2|3\nproblem 3/3  \"50\": The row goes on after the last column of the header, which has 3. " +
				"A cell with a separator in it must be in double quotes.\n",
		},
		{"separators in an empty row", "a,b\n1,2\n,,,\n", "a|b\n2/2 1|2\n"},
		{
			"a value in a column without a name", "a,,b\n1,x,2\n", "a|b\n2/2 1|2\nproblem 2/2  \"x\": Column B has no name in row 1, and there is a value in it. " +
				"Name the column, or empty it.\n",
		},
		{
			"a row that is too long", "a,b\n1,2,3\n", "a|b\nproblem 2/2  \"3\": The row goes on after the last column of the header, which has 2. " +
				"A cell with a separator in it must be in double quotes.\n",
		},
		{
			"a row that is too short", "a,b,c\n1,2\n",
			"a|b|c\nproblem 2/2  \"2\": The row ends after 2 of 3 columns. Is there a line break in a cell that is not in double quotes? " +
				"If only empty cells are missing, write their separators, or save the file as a workbook.\n",
		},
		{"blanks of all kinds around values", "\u200b a ,\tb\n\u00a0\u202f1\u3000,\ufeff2\u200b\n", "a|b\n2/2 1|2\n"},
		{"quotes in an open cell", "a,b\n12\" map,6' 2\"\n", "a|b\n2/2 12\" map|6' 2\"\n"},
		{"quotes in a cell in quotes", "a,b\n\"1 \"\"x\"\" 2\",\"\"\"\"\n", "a|b\n2/2 1 \"x\" 2|\"\n"},
		{"quotes that are not doubled", "a,b\n\"1 \"x\" 2\",3\n", "a|b\n2/2 1 \"x\" 2|3\n"},
		{"blanks before a quote and after it", "a, b\n1, \"2, 3\" \n", "a|b\n2/2 1|2, 3\n"},
		{
			"a quote that moves cells", "a,b\n\"he said \"hi\", and left\",3\n",
			`error: row 2 (line 2 of the file): a double quote within a cell in double quotes must be written twice: ""`,
		},
		{
			"a quote that is never closed", "a,b\n\"1,2\n3,4\n",
			"error: row 2 (line 2 of the file): a double quote opens column A and is never closed: close it, or write it twice if it is part of the text",
		},
		{
			"a quote that another closes, rows later", "a,b,c\n\"1,2,3\n4,5,6\n12\",8,9\n",
			"error: row 2 (line 2 of the file): a double quote opens column A and is closed only in line 4, with whole rows between: close it, or write it twice if it is part of the text",
		},
		{
			"a quote that another opens, rows later", "a,b,c\n\"1,2,3\n4,5,6\n\"7\",8,9\n",
			"error: row 2 (line 2 of the file): a double quote opens column A and is closed only in line 4, with whole rows between: close it, or write it twice if it is part of the text",
		},
		{"a line with as many commas as the header", "a,b,c\n1,2,\"3,4,5\nx\"\n", "a|b|c\n2/2 1|2|3,4,5⏎x\n"},
		{"such a line among others", "a,b,c\n1,2,\"x\n3,4,5\ny\"\n6,7,8\n", "a|b|c\n2/2 1|2|x⏎3,4,5⏎y\n3/5 6|7|8\n"},
		{
			"such a line, and another row that is too short", "a,b,c\n1,2,\"3,4,5\nx\"\n6,7\n",
			"error: row 2 (line 2 of the file): a double quote opens column C and is closed only in line 3, with whole rows between: close it, or write it twice if it is part of the text",
		},
		{
			"a quote in the last column that one of another row closes", "a,b,c\n1,2,\"3\n4,5,6\n7,8,9\"\n",
			"error: row 2 (line 2 of the file): a double quote opens column C and is closed only in line 4, with whole rows between: close it, or write it twice if it is part of the text",
		},
		{"a description with commas in several lines", "a,b,c\n\"One, two,\nthree, four, five\",2,3\n", "a|b|c\n2/2 One, two,⏎three, four, five|2|3\n"},
		{
			"quotes after a backslash", "a,b\n\"A \\\"quoted\\\" t\",\"d\"\n",
			`error: row 2 (line 2 of the file): column A has \" in it: a double quote must be written twice, "", and not after a backslash. Save the file as an Excel workbook or as CSV anew`,
		},
		{"a backslash in a file that doubles quotes", "a,b\n\"C:\\\",\"5\\\"\" disc\"\n", "a|b\n2/2 C:\\|5\\\" disc\n"},
		{"an apostrophe before a formula", "a,b\n'=1+1,'+2\n'#N/A,''-3\n", "a|b\n2/2 =1+1|+2\n3/3 #N/A|'-3\n"},
		{"an apostrophe before a letter or a number", "a,b\n't Hof,'50s\n", "a|b\n2/2 't Hof|'50s\n"},
		{"a formula that keeps zeros", "a,b\n=\"00123\",\"=\"\"00456\"\"\"\n", "a|b\n2/2 00123|00456\n"},
		{"what looks like a comment", "a,b\n# x,2\n", "a|b\n2/2 # x|2\n"},
		{"the end of old editors", "a,b\r\n1,2\r\n\x1a", "a|b\n2/2 1|2\n"},
		{"zeros at the end", "a,b\n1,2\n\x00\x00\x00", "a|b\n2/2 1|2\n"},
		{
			"control characters", "a,b\n1\x0b,d\x00e\n", "a|b\n2/2 1|d\x00e\nproblem 2/2 a \"1\": There is an invisible control character (U+000B) in the cell. Type the text again.\n" +
				"problem 2/2 b \"d�e\": There is an invisible control character (U+0000) in the cell. Type the text again.\n",
		},
		{
			"a letter that was lost before", "a,b\nC\ufffdr\ufffds,2\n", "a|b\n2/2 C\ufffdr\ufffds|2\nproblem 2/2 a \"C\ufffdr\ufffds\": A letter was lost when the file was saved, " +
				"and � stands in its place. Save the original again, as CSV UTF-8 or as a workbook.\n",
		},
		{
			"letters that were mangled before", "a,b\nCÃ©rÃ¨s,Ã\n", "a|b\n2/2 CÃ©rÃ¨s|Ã\nproblem 2/2 a \"CÃ©rÃ¨s\": Letters were mangled when the file was saved: é became Ã©. " +
				"Save the original again, as CSV UTF-8 or as a workbook.\n",
		},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "error: the file is UTF-32: save it as CSV UTF-8 or as an Excel workbook"},
		{"nothing", "", "error: the file is empty: its first row must name the columns, as `sellerd import sample 1` shows"},
		{"empty rows alone", "\n;;\n", "error: the file is empty: its first row must name the columns, as `sellerd import sample 1` shows"},
		{"rows above the header alone", "a,b\n1,2\n", "error: row 9 and those below it are empty: --header-row says which row names the columns"},
		{"a header alone", "a,b\n", "error: the file has a header and no rows"},
	} {
		o := Options{}
		if test.name == "rows above the header alone" {
			o.HeaderRow = 9
		}
		got := said(test.file, o)
		if test.name == "control characters" { // \v is a blank at the end of a cell, and is refused all the same
			got = strings.ReplaceAll(got, "\x0b", "")
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestFailedFormulasAreRefused has what spreadsheets of several languages write where a formula failed.
func TestFailedFormulasAreRefused(t *testing.T) {
	for _, cell := range []string{
		"#NAME?", "#N/A", "#WERT!", "#REF!", "#VALUE!", "#DIV/0!", "#BEZUG!", "#NV", "########", "###", "Err:502", "=A1", "=SUM(A1:A3)", "=-A1", " #VALEUR! ", "#¡REF!", "#¿NOMBRE?", "#ЗНАЧ!",
		"=HYPERLINK(\"\"https://a.test\"\")", "#NULL!", "#SPILL!", "Fehler:508",
	} {
		got := said("a,b\n1,\""+cell+"\"\n", Options{})
		if !strings.Contains(got, "problem 2/2 b ") || !strings.Contains(got, "The cell has a formula, or what a spreadsheet shows") {
			t.Errorf("%q: %s", cell, got)
		}
	}
	for _, cell := range []string{"#1", "#A12", "# rare", "N/A", "=", "= 5", "== title ==", "Michel:512", "5=5", "#FDC", "Error!"} {
		if got := said("a,b\n1,\""+cell+"\"\n", Options{}); strings.Contains(got, "problem") {
			t.Errorf("%q: %s", cell, got)
		}
	}
}

func TestAWorkbookHasNoEncoding(t *testing.T) {
	for _, o := range []Options{{Encoding: "utf-8"}, {Separator: ";"}} {
		if got := said("PK\x03\x04", o); got != "error: a workbook has no encoding and no separator: leave --encoding and --separator out" {
			t.Error(got)
		}
	}
}

// Programs and people have many names for the same encodings.
func TestNamesOfEncodings(t *testing.T) {
	for encoding, names := range map[string][]string{
		"utf-8":        {"UTF8", "utf-8-sig", "UTF-8-BOM", "utf-8 with bom"},
		"windows-1252": {"ANSI", "cp1252", "CP-1252", "win-1252", "windows1252", "1252"},
		"ISO-8859-1":   {"Latin-1", "latin1", "8859-1"},
		"ISO-8859-15":  {"iso8859-15", "8859-15", "ISO_8859-15"},
		"IBM850":       {"cp850", "OEM 850", "850", "DOS-850"},
		"utf-16le":     {"UTF16LE", "utf-16-le", "UTF-16 LE"},
		"macintosh":    {"Mac", "Mac Roman", "x-mac-roman"},
	} {
		want, err := lookUp(encoding)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if got, err := lookUp(name); err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s is %v %v, want %v", name, got, err, want)
			}
		}
	}
	if _, err := lookUp("Western European"); err == nil {
		t.Error("a name of no encoding is taken")
	}
}

func TestASeparatorThatIsNamed(t *testing.T) {
	for name, want := range map[string]string{
		";":    semicolons + "a|b,c\n2/2 1|2,3\n",
		",":    "a;b|c\n2/2 1;2|3\n",
		"tab":  "(columns separated by tabs; --separator names another)\na;b,c\n2/2 1;2,3\n",
		"Pipe": "(columns separated by vertical bars; --separator names another)\na;b,c\n2/2 1;2,3\n",
		";;":   `error: --separator must be one character or tab, not ";;"`,
		"\"":   `error: --separator must be one character or tab, not "\""`,
	} {
		if diff := cmp.Diff(want, said("a;b,c\n1;2,3\n", Options{Separator: name})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", name, diff)
		}
	}
}

// in is a text in an encoding.
func in(t *testing.T, name, text string) string {
	t.Helper()
	encoding, err := lookUp(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := encoding.NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEncodingsThatTheFileShows(t *testing.T) {
	const text, rows = "a,b\nCérès 20c,€\n", "a|b\n2/2 Cérès 20c|€\n"
	for name, file := range map[string]string{
		"UTF-8": text, "UTF-8 with its mark": "\ufeff" + text,
	} {
		if diff := cmp.Diff(rows, said(file, Options{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	little, big := utf16Bytes(text, true), utf16Bytes(text, false)
	for name, file := range map[string]string{
		"little": little, "big": big, "little with its mark": "\xff\xfe" + little, "big with its mark": "\xfe\xff" + big, "with zeros at the end": "\xff\xfe" + little + "\x00\x00",
	} {
		if diff := cmp.Diff("(read as UTF-16)\n"+rows, said(file, Options{})); diff != "" {
			t.Errorf("UTF-16 %s (-want +got):\n%s", name, diff)
		}
	}
	if got := said("\ufeffa,b\nC\xe9r\xe8s,2\n", Options{}); !strings.HasPrefix(got, "error: line 2 is not UTF-8, though the file begins as UTF-8 does") {
		t.Errorf("it says %s", got)
	}
}

func utf16Bytes(text string, little bool) string {
	var out []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		if little {
			out = binary.LittleEndian.AppendUint16(out, unit)
		} else {
			out = binary.BigEndian.AppendUint16(out, unit)
		}
	}
	return string(out)
}

// TestWesternTextsAreRead reads texts as Excel saves them in western Europe.
func TestWesternTextsAreRead(t *testing.T) {
	for language, text := range map[string]string{
		"French":     "Timbre Cérès 20c, état : très bon, siècle, tête-bêche, naïf, où, à côté, l’art français, créée, œuvre, cœur, N° 5, 12,50 €, « oui », aujourd’hui, jusqu’à",
		"German":     "Österreich Briefstück geprüft, Größe 10 × 12, Maß, weiß, König, § 5, Übersee",
		"Spanish":    "España 1850, año, colección, ¿qué?, ¡sí!, Málaga, María, corazón",
		"Italian":    "Città, perché, più, così, caffè, dell’arte",
		"Dutch":      "geïllustreerd, foto’s, coördinatie, één, Brontë",
		"English":    "don’t – “quoted” £5 café, Anna’s, they’re, 20 cm²",
		"Portuguese": "Correcções, São Tomé, coleção, selo não",
	} {
		want := "(read as windows-1252, for example"
		if got := said("title;b\n"+in(t, "windows-1252", text)+";1\n", Options{}); !strings.HasPrefix(got, want) || !strings.Contains(got, "2/2 "+text+"|1\n") {
			t.Errorf("%s: %s", language, got)
		}
	}
}

// TestOtherEncodingsAreAskedAbout has texts that windows-1252 would show with wrong letters.
func TestOtherEncodingsAreAskedAbout(t *testing.T) {
	for name, texts := range map[string][]string{
		"macintosh": {"Timbre Cérès 20c", "à côté", "María", "España", "Größe", "Perú", "colección", "« oui »", "garçon", "N° 5"},
		"IBM850":    {"Cérès", "voilà", "Größe", "weiß", "Straße", "España", "Málaga", "María", "Österreich", "für", "façade", "tête"},
		"IBM437":    {"Cérès", "Größe", "España"},
		"windows-1250": {
			"Księga", "się", "Łódź", "Świętokrzyskie", "złoty", "Česká známka", "český", "poštovní úřad", "bélyeg űr", "Sibiu, casă", "casă", "bănci", "Română", "hajó kő", "Gdańsk", "Dvořák", "źródło",
		},
		"windows-1251": {"Марка СССР", "мир"},
		"ISO-8859-15":  {"12 €", "cœur"},
		"windows-1253": {"Ελλάδα"},
		"windows-1254": {"Türkiye posta pulu ığş", "İstanbul"},
		"windows-1257": {"Rīga", "vēstule", "žąsis"},
		"KOI8-R":       {"Марка"},
		"shift_jis":    {"日本切手"},
		"gbk":          {"邮票"},
	} {
		for _, text := range texts {
			file := "title;b\n" + in(t, name, text) + ";1\n"
			if got := said(file, Options{}); !strings.HasPrefix(got, "error: the file is not UTF-8, and its encoding is not certain. Which of these lines is right?") {
				t.Errorf("%s %q is taken for something else: %s", name, text, got)
			}
			if got := said(file, Options{Encoding: name}); got != semicolons+"title|b\n2/2 "+text+"|1\n" {
				t.Errorf("%s %q: %s", name, text, got)
			}
		}
	}
}

// TestEncodingsInOneFile has files in which rows were pasted that came from another.
func TestEncodingsInOneFile(t *testing.T) {
	rows := strings.Repeat("Café;état\n", 30)
	for _, test := range []struct{ file, want string }{
		{"a;b\n" + rows + in(t, "windows-1252", "Été à Nîmes;1\n") + rows, "line 2 is UTF-8, and line 32 is not: \"Été à Nîmes;1\". Type the letters beyond A to Z in such lines again (1), and save"},
		{"a;b\r\n1;2\r\n" + in(t, "windows-1250", "Łódź;1\r\n") + "Łódź;1\r\n", "line 4 is UTF-8, and line 3 is not: \"£ódŸ;1\". "},
		{"a;b\rÉté;2\r" + in(t, "macintosh", "Été;1\rÉté;2\r"), "line 2 is UTF-8, and line 3 is not: \"ƒtŽ;1\". Type the letters beyond A to Z in such lines again (2)"},
		{"a;b\nÉté;2\n\x81;1\n", "line 2 is UTF-8, and line 3 is not: \"�;1\". "},
	} {
		if got := said(test.file, Options{}); !strings.HasPrefix(got, "error: lines of the file are in different encodings: "+test.want) {
			t.Errorf("%q: %s", test.want, got)
		}
	}
	gbk := strings.Repeat(in(t, "gbk", "邮票;1\n"), 30) + in(t, "gbk", "联通;1\n") // the last line happens to be UTF-8
	if got := said("a;b\n"+gbk, Options{}); !strings.HasPrefix(got, "error: the file is not UTF-8, and its encoding is not certain.") {
		t.Errorf("a line that is UTF-8 by accident: %s", got)
	}
}

func TestAQuestionShowsALineInEachEncoding(t *testing.T) {
	want := `error: the file is not UTF-8, and its encoding is not certain. Which of these lines is right? Run the command again with what stands before it
  --encoding macintosh     Timbre Cérès à côté;y
  --encoding IBM850        Timbre CÄrÅs ê cÖtÄ;y
  --encoding windows-1251  Timbre CЋrЏs € c™tЋ;y
If none is, save the file as "CSV UTF-8" or as an Excel workbook, or name its encoding with --encoding`
	if diff := cmp.Diff(want, said(in(t, "macintosh", "title;x\nTimbre Cérès à côté;y\n"), Options{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnEncodingThatIsNamed(t *testing.T) {
	for _, test := range []struct{ name, file, want string }{
		{"latin1", "a,b\nC\xe9r\xe8s,2\n", "a|b\n2/2 Cérès|2\n"},
		{"cp850", "a,b\nC\x82r\x8as,2\n", "a|b\n2/2 Cérès|2\n"},
		{"MacRoman", "a,b\nC\x8er\x8fs,2\n", "a|b\n2/2 Cérès|2\n"},
		{"utf-16", "\xff\xfe" + utf16Bytes("a,b\n1,é\n", true), "a|b\n2/2 1|é\n"},
		{"utf-8", "a,b\nC\xe9,2\n", "error: line 2 is not UTF-8: name another --encoding"},
		{"windows-1252", "a,b\nC\x81,2\n", "error: line 2 has bytes that do not exist in the encoding windows-1252: name another --encoding"},
		{
			"klingon", "a\n1\n",
			"error: --encoding klingon is not known: names are for example utf-8, windows-1252, ISO-8859-15, macintosh, IBM850, windows-1250, windows-1251, windows-1254",
		},
	} {
		if diff := cmp.Diff(test.want, said(test.file, Options{Encoding: test.name})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestFilesOfOtherKindsAreNamed(t *testing.T) {
	for file, want := range map[string]string{
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":                        "the file is a workbook of Excel 97 to 2003 (.xls), whatever its name",
		"\xd0\xcf\x11\xe0" + utf16Bytes("EncryptedPackage", true): "the workbook is protected by a password",
		"%PDF-1.7":                        "the file is a PDF, which has no rows",
		"<html><table>":                   "the file is a web page or XML, whatever its name",
		"\ufeff\n<?xml version=\"1.0\"?>": "the file is a web page or XML, whatever its name",
		`{"items": []}`:                   "the file is JSON",
		"PK\x03\x04\x14\x00\x06\x00\x08":  "the file is a ZIP archive or a workbook, and it is not complete",
		"\x1f\x8b\x08":                    "the file is compressed (gzip)",
		"\x89PNG\r\n":                     "the file is a picture",
	} {
		if got := said(file, Options{}); !strings.HasPrefix(got, "error: "+want) {
			t.Errorf("%q: %s", file[:min(len(file), 12)], got)
		}
	}
}

func TestPositions(t *testing.T) {
	for i, want := range map[int]string{0: "A", 25: "Z", 26: "AA", 701: "ZZ", 702: "AAA"} {
		if got := Position(i); got != want {
			t.Errorf("%d is %s, not %s", i, got, want)
		}
	}
}

// FuzzRead looks for texts that make the reader fail.
func FuzzRead(f *testing.F) {
	for _, seed := range []string{"a,b\n1,2\n", "sep=;\na;b\r\"1\"\"\";\n", "\xff\xfea\x00", "a\tb\r\n\"x\ny\"\t\\\"", "PK\x03\x04"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read(data, Options{})
		if err != nil {
			return
		}
		for _, row := range table.Rows {
			if len(row.Cells) != len(table.Header) {
				t.Errorf("row %d has %d cells for %d columns", row.Number, len(row.Cells), len(table.Header))
			}
		}
	})
}
