package importing

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"sellerd/internal/sheet"
)

// fits says whether a value or the beginning of a refusal is the wanted one.
func fits(got, want string) bool {
	return got == want || strings.HasPrefix(want, "refused: ") && strings.HasPrefix(got, want)
}

// one reads a file with one row, and returns the row as it would be sent, or its first problem.
func one(t *testing.T, column, value string, o Options) string {
	t.Helper()
	var file bytes.Buffer
	writer := csv.NewWriter(&file)
	cells := [][]string{{"title", "category_id", "sale_type", "starting_price"}, {"A", "1", "auction", ""}}
	if at := slices.Index(cells[0], column); at >= 0 {
		cells[1][at] = value
	} else {
		cells[0], cells[1] = append(cells[0], column), append(cells[1], value)
	}
	if err := writer.WriteAll(cells); err != nil {
		t.Fatal(err)
	}
	read, err := Read(file.Bytes(), o)
	if err != nil {
		t.Fatal(err)
	}
	if problems := read.Rows[0].Problems; problems != nil {
		return "refused: " + problems[0].Message
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(read.Rows[0].item, &members); err != nil {
		t.Fatal(err)
	}
	return string(members[column])
}

func TestAmounts(t *testing.T) {
	const asked, shortened = "refused: Is the comma or point in an amount", "refused: The spreadsheet has shortened"
	const none, decimals = "refused: This is no amount.", "refused: An amount has two decimals at most."
	for _, test := range []struct{ cell, want string }{
		{"12.50", "12.50"},
		{"12,50", "12.50"},
		{"12,5", "12.50"},
		{"1,0", "1.00"},
		{"12", "12.00"},
		{"007,5", "7.50"},
		{"0,123", none},
		{"12,50 €", "12.50 EUR"},
		{"€12.50", "12.50 EUR"},
		{"€ 12,50", "12.50 EUR"},
		{"12,50 EUR", "12.50 EUR"},
		{"eur 12,50", "12.50 EUR"},
		{"CHF 1'234.50", "1234.50 CHF"},
		{"£1,234.50", "1234.50 GBP"},
		{"1 234,50", "1234.50"},
		{"1\u00a0234,50", "1234.50"},
		{"1\u202f234,50\u00a0€", "1234.50 EUR"},
		{"1'234.50", "1234.50"},
		{"1’234,5", "1234.50"},
		{"1.100,00", "1100.00"},
		{"1,100.00", "1100.00"},
		{"1.234.567", "1234567.00"},
		{"1,234,567.89", "1234567.89"},
		{"1.234", asked},
		{"1,234", asked},
		{"12.345", asked},
		{"12,500 €", asked},
		{"1.25E+01", shortened},
		{"1,25E+01", shortened},
		{"$12.50", "refused: Dollars of which country?"},
		{"US $12.50", "12.50 USD"},
		{"$12.50 CAD", "12.50 CAD"},
		{"AUD $12.50", "12.50 AUD"},
		{"12,50 $ US", "12.50 USD"},
		{"EUR 12.50 €", "12.50 EUR"},
		{"12,50 Eur.", "12.50 EUR"},
		{"12,50 € each", none},
		{"\u200e12.50\u202c", "12.50"},
		{"12.5000", "12.50"},
		{"12,500000 €", "12.50 EUR"},
		{"1234.500", "1234.50"},
		{"0,500", "0.50"},
		{"1 234,5000", "1234.50"},
		{"1.234,500", "1234.50"},
		{"12.3400", "12.34"},
		{"12.3456", none},
		{"12.0001", none},
		{"1234.567", none},
		{"1 23,50", none},
		{"1.23.4", none},
		{"1,23,456.00", none},
		{"1.234,567", none},
		{"-5", none},
		{"5.", none},
		{".5", none},
		{".50", "0.50"},
		{",50", "0.50"},
		{"€ ,50", none},
		{"free", none},
		{"12,50,", none},
		{"１２,50", none},
		{"12 €50", none},
		{"12,50 apples", none},
		{"12.50-15.00", none},
		{"25/12/2026", none},
		{"12,-", none},
		{"(3,00)", none},
		{"-3,00", none},
		{"1 2,50", none},
		{"1,2,3", none},
	} {
		got := one(t, "price", test.cell, Options{})
		var money struct{ Amount, Currency string }
		if json.Unmarshal([]byte(got), &money) == nil {
			got = strings.TrimSpace(money.Amount + " " + money.Currency)
		}
		if !fits(got, test.want) {
			t.Errorf("%q is %s, not %s", test.cell, got, test.want)
		}
	}
}

func TestANotationThatIsNamedDecides(t *testing.T) {
	for _, test := range []struct{ cell, notation, want string }{
		{"1.234", "comma", `{"amount":"1234.00"}`},
		{"1,234", "point", `{"amount":"1234.00"}`},
		{"1,234", "comma", "refused: An amount has two decimals at most."},
		{"12,50", "point", `{"amount":"12.50"}`},
		{"12.50", "comma", `{"amount":"12.50"}`},
	} {
		if got := one(t, "price", test.cell, Options{Decimal: test.notation}); !fits(got, test.want) {
			t.Errorf("%s with %s is %s, not %s", test.cell, test.notation, got, test.want)
		}
	}
}

func TestWholeNumbers(t *testing.T) {
	const none = "refused: This is no whole number."
	for cell, want := range map[string]string{
		"2": "2", "+2": "2", "02": "2", "1,0": "1", "1.0": "1", "1,00": "1", "3.0000": "3", "3.5000": none, "2 000": "2000", "2\u00a0000": "2000", "2'000": "2000", "1.234.567": "1234567",
		"a dozen": none, "1,5": none, "-1": none, "3.5": none, "5 pcs": none, "=5": "refused: The cell has a formula", "abc": none, "2.000": "refused: Is the comma or point in a number", "2,000": "refused: Is the comma or point in a number",
		"1E+03": "refused: The spreadsheet has shortened a lo",
	} {
		if got := one(t, "quantity", cell, Options{}); !fits(got, want) {
			t.Errorf("%q is %s, not %s", cell, got, want)
		}
	}
}

func TestAnAmountAndItsCurrencyAgree(t *testing.T) {
	const head, row, rest = "title,category_id,sale_type,", "A,1,x,", `,"sale_type":"x","title":"A"}`
	for _, test := range []struct{ file, want string }{
		{head + "price,currency\n" + row + "12.50,eur\n", `{"category_id":"1","price":{"amount":"12.50","currency":"EUR"}` + rest},
		{head + "price,currency\n" + row + "12.50 €,€\n", `{"category_id":"1","price":{"amount":"12.50","currency":"EUR"}` + rest},
		{head + "price,currency\n" + row + "$12.50,usd\n", `{"category_id":"1","price":{"amount":"12.50","currency":"USD"}` + rest},
		{head + "price,currency\n" + row + "$12.50,CAD\n", `{"category_id":"1","price":{"amount":"12.50","currency":"CAD"}` + rest},
		{head + "price,currency\n" + row + "12.50 €,USD\n", "The amount, or the name of its column, and the column currency name two currencies. Name one of them alone."},
		{head + "price,currency\n" + row + "$12.50,EUR\n", "Dollars of which country? Name the currency in the column currency: USD, CAD or AUD."},
		{head + "starting_price,reserve_price\n" + row + "1.50 €,£9.00\n", "The amount, or the name of its column, and the column currency name two currencies. Name one of them alone."},
	} {
		read, err := Read([]byte(test.file), Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := string(read.Rows[0].item)
		if problems := read.Rows[0].Problems; problems != nil {
			got = problems[0].Message
		}
		if got != test.want {
			t.Errorf("%q is %s, not %s", test.file, got, test.want)
		}
	}
}

func TestPictures(t *testing.T) {
	const a, b = "https://a.test/1.jpg", "https://a.test/2.jpg"
	const separator = "refused: The list of addresses begins or en"
	const another = `refused: Does another address begin at "https://a.test/2.jpg"? Write two`
	const around = "https://web.archive.org/web/2020/"
	both := `["` + a + `","` + b + `"]`
	for cell, want := range map[string]string{
		a + " " + b: both, a + "  \n" + b: both, a + ", " + b: both, a + "," + b: both, a + ";" + b: both, a + "; " + b: both, a + "|" + b: both,
		a + " | " + b: both, a + " , " + b: both, a + ",\n" + b: both, a + ";HTTPS://a.test/2.jpg": `["` + a + `","HTTPS://a.test/2.jpg"]`,
		`["` + a + `","` + b + `"]`: both, `["` + a + `", "` + b + `"]`: both, "'" + a + "'": `["` + a + `"]`, `"` + a + `" "` + b + `"`: both, "<" + a + ">": `["` + a + `"]`,
		`["https://a.test/1|2", "` + a + `,2.jpg"]`: `["https://a.test/1|2","` + a + `,2.jpg"]`, a + " | " + a: `["` + a + `"]`,
		a + "#" + b: both, a + "?" + b: both, a + "+" + b: both, a + "::" + b: both, a + "、" + b: both, a + b: both, a + "=" + b: both, a + "/" + b: both,
		around + a: `["` + around + a + `"]`, "https://cdn.test/?url=" + a: `["https://cdn.test/?url=` + a + `"]`, around + a + "~" + b: `["` + around + a + `","` + b + `"]`,
		"https://cdn.test/?url=https%3A%2F%2Fa.test%2F1.jpg": `["https://cdn.test/?url=https%3A%2F%2Fa.test%2F1.jpg"]`, `["` + a + "#" + b + `"]`: `["` + a + "#" + b + `"]`,
		a + "?v=2#" + b: another, "https://a.test/1#" + b: another, "https://a.test/1" + b: another, a + "and" + b: another,
		a + " " + a:                                          `["` + a + `"]`,
		"https://a.test/w_300,h_200/1.jpg":                   `["https://a.test/w_300,h_200/1.jpg"]`,
		"https://a.test/1.jpg;v=2":                           `["https://a.test/1.jpg;v=2"]`,
		"https://a.test/stamp%2001.png?a=1,2;b":              `["https://a.test/stamp%2001.png?a=1,2;b"]`,
		"https://a.test/w_300,h_200/1.jpg, https://a.test/2": `["https://a.test/w_300,h_200/1.jpg","https://a.test/2"]`,
		"https://a.test/1.jpg https://a.test/file":           `["https://a.test/1.jpg","https://a.test/file"]`,
		"ftp://a.test/1.jpg":                                 `["ftp://a.test/1.jpg"]`, // left to the service
		"Picture 1":                                          `refused: "Picture" is no address. Of a text wi`,
		"nonsense":                                           `refused: "nonsense" is no address. Of a text w`,
		"-":                                                  `refused: "-" is no address. Of a text with a l`,
		a + " front":                                         `refused: "front" is no address. Of a text with`,
		a + ",":                                              `["` + a + `"]`, // nothing follows
		a + ";":                                              `["` + a + `"]`,
		a + " |":                                             `["` + a + `"]`,
		a + "; " + b + ";":                                   both,
		a + " / " + b:                                        both,
		a + ",,":                                             separator,
		";":                                                  separator,
		"n/a":                                                `refused: "n/a" is no address. Of a text with`,
		"/":                                                  `refused: "/" is no address. Of a text with a`,
		"front.jpg / back.jpg":                               "refused: The picture is a file on this comp",
		"," + a:                                              separator,
		a + ",," + b:                                         separator,
		a + ", , " + b:                                       both,
		`["` + a + `,"]`:                                     separator,
		`["` + a + `"`:                                       "refused: The cell begins as a JSON list, an",
		a + ",2.jpg":                                         "refused: Is this one address or two? Write ",
		"https://a.test/1.jpg;2.jpg":                         "refused: Is this one address or two? Write ",
		"https://a.test/1|2":                                 "refused: Is this one address or two? Write ",
		"www.a.test/1.jpg":                                   "refused: The address does not begin with htt",
		"a.test/1.jpg":                                       "refused: The address does not begin with htt",
		a + ",www.a.test/2.jpg":                              "refused: The address does not begin with htt",
		"//cdn.a.test/files/1.jpg":                           "refused: The address does not begin with htt",
		"https:/a.test/1.jpg":                                "refused: The address does not begin with htt",
		"https//a.test/1.jpg":                                "refused: The address does not begin with htt",
		"https:a.test/1.jpg":                                 "refused: The address does not begin with htt",
		"//nas/cards/front.jpg":                              "refused: The picture is a file on this comp",
		"https://a.test/stamp 01.png":                        "refused: There is a blank in an address, bet",
		`["https://a.test/stamp 01.png"]`:                    "refused: There is a blank in an address. Wri",
		"https://a.test/my stamps/front.jpg":                 "refused: There is a blank in an address, bet",
		"<img src='" + a + "'>":                              "refused: The cell has HTML or quotes in it. ",
		"front.jpg":                                          "refused: The picture is a file on this comp",
		a + " back.JPEG":                                     "refused: The picture is a file on this comp",
		`C:\cards\front.jpg`:                                 "refused: The picture is a file on this comp",
		"/home/anna/front":                                   "refused: The picture is a file on this comp",
		"./front.tif":                                        "refused: The picture is a file on this comp",
		"~/front.png":                                        "refused: The picture is a file on this comp",
		"pictures/front.webp":                                "refused: The picture is a file on this comp",
		"file:///home/anna/front.jpg":                        "refused: The picture is a file on this comp",
	} {
		if got := one(t, "images", cell, Options{}); !fits(got, want) {
			t.Errorf("%q is %s, not %s", cell, got, want)
		}
	}
}

func TestWordsOfTheAPI(t *testing.T) {
	for _, test := range []struct{ column, cell, want string }{
		{"options", "bold_title highlight", `{"bold_title":true,"highlight":true}`},
		{"options", "Bold_Title, HIGHLIGHT", `{"bold_title":true,"highlight":true}`},
		{"options", "Bold Title", `{"bold_title":true}`},
		{"options", "BOLD TITLE highlight; Top Main|last minute bidding", `{"bold_title":true,"highlight":true,"last_minute_bidding":true,"top_main":true}`},
		{"options", "boldtitle\ntop-listing", `{"bold_title":true,"top_listing":true}`},
		{"options", "bold_titel", `refused: There is no option "bold_titel" (is it bold_title?). The options are bold_title, colored_border, `},
		{"options", "fett", `refused: There is no option "fett". The options are bold_title, colored_border, `},
		{"ends_at", "2026-12-31T20:00:00Z", `"2026-12-31T20:00:00Z"`},
		{"ends_at", "2026-12-31T20:00:00+01:00", `"2026-12-31T20:00:00+01:00"`},
		{"ends_at", "31/12/2026 20:00", "refused: The date is not certain. Write year, month, day and time in UTC like 2026-12-31T20:00:00Z"},
		{"starts_at", "12.01.2027", "refused: The date is not certain."},
		{"starts_at", "2027-01-12 20:00", "refused: The date is not certain."},
		{"preferred_end_time", "20:00", `"20:00"`},
		{"preferred_end_time", "9:05", `"09:05"`},
		{"preferred_end_time", "20:00:00", `"20:00"`},
		{"preferred_end_time", "8:30:00 pm", `"20:30"`},
		{"preferred_end_time", "20:00:30", "refused: This is no time of the day."},
		{"ends_at", "2026-12-31t20:00:00z", `"2026-12-31T20:00:00Z"`},
		{"preferred_end_time", "8 pm", "refused: This is no time of the day. Write hour and minute like 20:00."},
		{"options", "bold-title;highlight|top_main", `{"bold_title":true,"highlight":true,"top_main":true}`},
		{"sale_type", "Fixed Price", `"fixed_price"`},
		{"sale_type", "FixedPrice", `"fixed_price"`},
		{"site", " FR ", `"fr"`},
		{"preferred_end_day", "Sunday", `"sun"`},
		{"preferred_end_day", "Sun", `"sun"`},
		{"category_id", "1010101.0", `"1010101"`},
		{"category_id", "1.01E+06", "refused: The spreadsheet has shortened a lo"},
		{"personal_reference", "4.01E+12", "refused: The spreadsheet has shortened a lo"},
		{"personal_reference", `="00123"`, `"00123"`},
		{"personal_reference", "\u202a\u200e\u00a0\u200bR-1\t \u202c", `"R-1"`},
		{"title", "Ceres &amp; Napoleon", `refused: The text is written as HTML, and buyers would see &amp;. Write & in place of &amp;.`},
		{
			"title", "Caf&eacute; &#39;A&#x27;",
			"refused: The text is written as HTML, and buyers would see &eacute; &#39; &#x27;. " +
				"Write é in place of &eacute;, ' in place of &#39;, ' in place of &#x27;.",
		},
		{
			"title", "\"A\" &quot;B&quot; " + strings.Repeat("&amp; &lt; &gt; and more than an excerpt has ", 2),
			"refused: The text is written as HTML, and buyers would see &quot; &amp; &lt;. " +
				"Write \" in place of &quot;, & in place of &amp;, < in place of &lt;.",
		},
		{"subtitle", "5&nbsp;c", "refused: The text is written as HTML, and buyers would see &nbsp;. Write a blank in place of &nbsp;."},
		{"title", "AT&T, R&D; S&copycat; &lt", "\"AT\\u0026T, R\\u0026D; S\\u0026copycat; \\u0026lt\""},
		{"description", "Ceres &amp; Napoleon", "\"Ceres \\u0026amp; Napoleon\""},
		{"description", " a  b\u00a0c ", "\"a  b\u00a0c\""},
	} {
		if got := one(t, test.column, test.cell, Options{}); !fits(got, test.want) {
			t.Errorf("%s %q is %s, not %s", test.column, test.cell, got, test.want)
		}
	}
}

// TestReferencesOfAWorkbookAreAsItShowsThem has numbers with a format, which belongs to a reference and not to an id.
func TestReferencesOfAWorkbookAreAsItShowsThem(t *testing.T) {
	file := excelize.NewFile()
	defer file.Close()
	for i, row := range [][]any{
		{"reference", "title", "category_id", "sale_type", "price"},
		{42, "A", 7, "fixed_price", 3},
		{12.1, "B", 7, "fixed_price", 3},
		{12.25, "C", 7, "fixed_price", 3},
	} {
		if err := file.SetSheetRow("Sheet1", "A"+strconv.Itoa(i+1), &row); err != nil {
			t.Fatal(err)
		}
	}
	code, decimals := `"SHELF-"0000`, `0.000;-0.000`
	for at, of := range map[string]*excelize.Style{"2": {CustomNumFmt: &code}, "3": {NumFmt: 2}, "4": {CustomNumFmt: &decimals}} {
		style, err := file.NewStyle(of)
		if err == nil {
			err = file.SetCellStyle("Sheet1", "A"+at, "D"+at, style)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := file.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	for _, update := range []bool{false, true} {
		read, err := Read(data.Bytes(), Options{Update: update, IgnoreUnknown: update})
		if err != nil {
			t.Fatal(err)
		}
		for i, reference := range []string{"SHELF-0042", "12.10", "12.250"} {
			row := read.Rows[i]
			if want := `"personal_reference":"` + reference + `"`; row.Reference != reference || !strings.Contains(string(row.item), want) {
				t.Errorf("the reference is %s in %s", row.Reference, row.item)
			}
			if want := `"price":{"amount":"3.00"}`; row.Problems != nil || !strings.Contains(string(row.item), want) {
				t.Errorf("the price in %s: %v", row.item, row.Problems)
			}
		}
	}
}

// TestTrueAndFalseOfSpreadsheets has what spreadsheets in several languages write in a column of marks.
func TestTrueAndFalseOfSpreadsheets(t *testing.T) {
	for words, want := range map[string]string{
		"TRUE WAHR VRAI VERO VERDADERO WAAR x sì": `{"close":{},"personal_reference":"R"}`,
		"FALSE FALSCH FAUX FALSO ONWAAR no":       `{"patch":{},"personal_reference":"R"}`,
	} {
		for _, word := range strings.Fields(words) {
			read, err := Read([]byte("reference,close\nR,"+word+"\n"), Options{Update: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := string(read.Rows[0].item); got != want {
				t.Errorf("%s is %s", word, got)
			}
		}
	}
}

// TestAmountsAreInTheCurrencyThatTheWorkbookShows has numbers whose format has a sign: the seller sees £12.50.
func TestAmountsAreInTheCurrencyThatTheWorkbookShows(t *testing.T) {
	for name, test := range map[string]struct{ shown, column, want, refused string }{
		"złoty":                         {"zł", "", "", "invalid_value"},
		"cents beside euros":            {"ct", "EUR", "EUR", "invalid_value"},
		"euros and other words":         {"€ / St.", "", "", "invalid_value"},
		"francs of old":                 {"Fr.", "", "CHF", ""},
		"pounds":                        {"£", "", "GBP", ""},
		"pounds beside euros":           {"£", "EUR", "EUR", "conflicting_fields"},
		"francs":                        {"CHF", "CHF", "CHF", ""},
		"dollars of a country":          {"USD", "", "USD", ""},
		"dollars of no country":         {"$", "", "", "invalid_value"},
		"dollars that the column names": {"$", "CAD", "CAD", ""},
		"nothing":                       {"", "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			currency, refused := test.column, ""
			c := cell{
				Cell:     sheet.Cell{Text: "12.5", Kind: sheet.Number, Currency: test.shown},
				currency: &currency, wrong: func(code, _ string) { refused = code },
			}
			if diff := cmp.Diff(any(map[string]any{"amount": "12.50"}), c.money()); diff != "" {
				t.Errorf("amount (-want +got):\n%s", diff)
			}
			if currency != test.want || refused != test.refused {
				t.Errorf("currency %q, refused with %q; want %q and %q", currency, refused, test.want, test.refused)
			}
		})
	}
}
