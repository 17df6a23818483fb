package sheet

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/xuri/excelize/v2"

	"sellerd/internal/base/pattern"
)

// This file says how the formats of a workbook show numbers, and which of them are dates.

// format is how a style shows a number.
type format struct {
	date bool
	code string // shows a whole number digit by digit, as 00000 or "SHELF-"0000; otherwise empty

	decimals int // how many it shows, as 0.00 does; 0 if another format

	currency string // the letters and signs beside the number, empty for none
}

// number is a number as the spreadsheet shows it: of 15 digits, and a date where the style says so.
func (w *workbook) number(n float64, f format) Cell {
	if f.date {
		if at, err := excelize.ExcelDateToTime(n, w.from1904); err == nil && n < 1 {
			return Cell{Text: at.Format("15:04"), Kind: Date}
		} else if err == nil && at.Year() <= 9999 && n < 3_000_000 {
			w.dates = true
			return Cell{Text: at.Format(time.RFC3339), Kind: Date}
		}
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 14, 64), 64)
	text := strconv.FormatFloat(short, 'f', -1, 64)
	shown := ""
	switch {
	case f.code != "" && !strings.ContainsAny(text, ".-"):
		shown = digits(text, f.code)
	case f.decimals > 0:
		if _, decimals, found := strings.Cut(text, "."); found {
			shown = text + strings.Repeat("0", max(0, f.decimals-len(decimals)))
		}
	}
	if strings.TrimLeft(shown, "0") == strings.TrimLeft(text, "0") || shown == "" { // zeros before the number belong to it
		text, shown = cmp.Or(shown, text), ""
	}
	return Cell{Text: text, Kind: Number, Shown: shown, Currency: f.currency}
}

// written is a date that the cell has as a text, as in strict workbooks.
func (w *workbook) written(text string) Cell {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", "15:04:05", "15:04:05Z07:00"} {
		at, err := time.Parse(layout, text)
		switch {
		case err != nil:
		case at.Year() < 1900: // a time without a day
			return Cell{Text: at.Format("15:04"), Kind: Date}
		default:
			w.dates = true
			return Cell{Text: at.UTC().Format(time.RFC3339), Kind: Date}
		}
	}
	return Cell{Text: text, Kind: Date}
}

var (
	besides = pattern.Late(`"[^"]*"|[\\_*].|\[[^\]]*\]`)             // texts, blanks, colours and currencies in a format
	places  = pattern.Late(`^(?:"[^"]*"|\\[!-~ ]|[-+ /:()]|[0#])+$`) // a format of digits and texts alone
	fixed   = pattern.Late(`^[#0]*0\.(0+)$`)                         // a format with so many decimals
	// languages are those of a format, and colours: [$-407], [Red].
	languages = pattern.Late(`\[(?:\$-[^\]]*|[A-Za-z]+[0-9]*)\]`)
	// place is a part of a format: a text, a blank, what is in brackets, the words of a number, or a character.
	place = pattern.Late(`"[^"]*"|[\\_*].|\[[^\]]*\]|General|E[-+]|.`)
)

// digits puts the digits of a whole number in the places of a format, from the last to the first, which takes all that are left.
func digits(number, code string) string {
	parts := place().FindAllString(code, -1)
	first := slices.IndexFunc(parts, func(part string) bool { return part == "0" || part == "#" })
	for i, part := range slices.Backward(parts) {
		cut := max(len(number)-1, 0)
		switch {
		case part != "0" && part != "#":
			parts[i] = strings.TrimPrefix(strings.Trim(part, `"`), `\`)
		case i == first && number != "":
			parts[i] = number
		case number != "":
			parts[i], number = number[cut:], number[:cut]
		default:
			parts[i] = strings.Trim(part, "#")
		}
	}
	return strings.Join(parts, "")
}

var (
	// localSign is the currency of a format with the language that it belongs to: [$£-809].
	localSign = pattern.Late(`\[\$([^\]-]+)(?:-([0-9A-Fa-f]+))?\]`)
	// dollars are those of languages: English of the United States, of Canada and of Australia, and French of Canada.
	dollars = map[string]string{"409": "USD", "1009": "CAD", "C09": "AUD", "C0C": "CAD"}
)

// thousands are the commas of a format after its last digit or before its point: each shows a thousandth of the number.
var thousands = pattern.Late(`[0#?](,+)(?:[^0#?,]|$)`)

// currencyOf is what a format shows beside a number, if letters or currencies are in it, or the unit that it shows it in. The first section
// is that of amounts above 0.
func currencyOf(code string) string {
	code, _, _ = strings.Cut(code, ";")
	var shown strings.Builder
	for _, part := range place().FindAllString(code, -1) {
		switch m := localSign().FindStringSubmatch(part); {
		case m != nil && m[1] == "$":
			shown.WriteString(cmp.Or(dollars[strings.ToUpper(m[2])], m[1]))
		case m != nil:
			shown.WriteString(m[1])
		case len(part) > 1 && strings.ContainsAny(part[:1], `"\`) || !strings.ContainsAny(part[:1], "0123456789#?.,/_*()-+@:[GE"):
			shown.WriteString(strings.TrimPrefix(strings.Trim(part, `"`), `\`))
		default:
			shown.WriteByte(' ')
		}
	}
	if m := thousands().FindStringSubmatch(besides().ReplaceAllString(code, "")); m != nil {
		shown.WriteString(map[bool]string{true: " thousands", false: " millions"}[m[1] == ","])
	}
	text := strings.Join(strings.Fields(shown.String()), " ")
	if !strings.ContainsFunc(text, func(r rune) bool { return r == '%' || unicode.In(r, unicode.L, unicode.N, unicode.Sc) }) {
		return ""
	}
	return text
}

func (w *workbook) format(style int) format {
	f, known := w.formats[style]
	styles := w.file.Styles
	if known || styles.CellXfs == nil || style < 0 || style >= len(styles.CellXfs.Xf) || styles.CellXfs.Xf[style].NumFmtID == nil {
		return f // a style that is not there shows a number as it is
	}
	n := *styles.CellXfs.Xf[style].NumFmtID
	f.date = n >= 14 && n <= 22 || n >= 27 && n <= 36 || n >= 45 && n <= 47 || n >= 50 && n <= 58
	switch n { // the formats that every workbook has
	case 2: // 0.00
		f.decimals = 2
	case 9, 10: // 0%, 0.00%
		f.currency = "%"
	}
	if styles.NumFmts != nil {
		for _, custom := range styles.NumFmts.NumFmt {
			if code := custom.FormatCode; custom.NumFmtID == n {
				f.date = strings.ContainsAny(strings.ToLower(besides().ReplaceAllString(code, "")), "dmyhs")
				first, _, _ := strings.Cut(languages().ReplaceAllString(code, ""), ";")
				f.currency = currencyOf(code)
				if m := fixed().FindStringSubmatch(first); m != nil {
					f.decimals = len(m[1])
				}
				if places().MatchString(first) && strings.ContainsAny(besides().ReplaceAllString(first, ""), "0#") {
					f.code = first
				}
			}
		}
	}
	w.formats[style] = f
	return f
}
