package importing

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"sellerd/internal/base/near"
	"sellerd/internal/base/pattern"
	"sellerd/internal/sheet"
)

// column is a column that a file may have.
type column struct {
	name string
	take func(c *cell) any // the member's value as the API takes it; nil of a column that is not a member of the item
}

// listColumns are the columns of a file of listings, in the order of the reference. What the service alone can know is left to it: its
// errors name the field.
var listColumns = []column{
	{"title", (*cell).line},
	{"subtitle", (*cell).line},
	{"description", (*cell).text},
	{"personal_reference", (*cell).reference},
	{"category_id", (*cell).id},
	{"sale_type", (*cell).saleType},
	{"price", (*cell).money},
	{"currency", nil},
	{"starting_price", (*cell).money},
	{"reserve_price", (*cell).money},
	{"bid_increment", (*cell).money},
	{"quantity", (*cell).whole},
	{"duration_days", (*cell).whole},
	{"renewals", (*cell).whole},
	{"weight_grams", (*cell).whole},
	{"shipping_model_id", (*cell).id},
	{"images", (*cell).pictures},
	{"options", (*cell).options},
	{"site", (*cell).word},
	{"preferred_end_day", (*cell).day},
	{"preferred_end_time", (*cell).clock},
	{"starts_at", (*cell).instant},
	{"ends_at", (*cell).instant},
}

// updateColumns are those of a file of changes: those that name an item, the one that closes it, and those of listings that can change.
var updateColumns = append([]column{{"reference", nil}, {"personal_reference", nil}, {"item_id", nil}, {"close", nil}},
	slices.DeleteFunc(slices.Clone(listColumns), func(c column) bool {
		return slices.Contains([]string{"personal_reference", "sale_type", "starts_at"}, c.name)
	})...)

// ListColumns and UpdateColumns are the names of the columns of the two kinds of files.
func ListColumns() []string { return namesOf(listColumns) }

// UpdateColumns are the names of the columns of a file of changes.
func UpdateColumns() []string { return namesOf(updateColumns) }

func namesOf(columns []column) []string {
	names := make([]string, len(columns))
	for i, column := range columns {
		names[i] = column.name
	}
	return names
}

// plain is a name as it is compared: without case, blanks, hyphens and underscores.
func plain(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, norm.NFC.String(name))
}

// findColumns says for each column of the header which of the known ones it is, "" for one to ignore. Several columns of pictures are images,
// images+, images++, in the order of inOrder.
func findColumns(header []string, row int, o Options) (columns, ignored []string, err error) {
	known := namesOf(listColumns)
	if o.Update {
		known = namesOf(updateColumns)
	}
	renamed, err := renames(header, o.Columns)
	if err != nil {
		return nil, nil, err
	}
	columns = make([]string, len(header))
	prices := pricesWithCurrency(header, known, renamed, o.IgnoreUnknown)
	var unknown []string
	var pictures []int // the columns that together are images
	var lists bool     // the file has the type of sale, which no change has
	for i, name := range header {
		looked := plain(cmp.Or(renamed[plain(name)], name))
		if looked == "reference" && !o.Update {
			looked = "personalreference"
		} else if pictureName().MatchString(looked) {
			looked = "images"
		}
		lists = lists || looked == plain("sale_type")
		at := slices.IndexFunc(known, func(k string) bool { return plain(k) == looked })
		if at < 0 {
			at = slices.Index(known, prices[i])
		}
		switch {
		case at < 0 && o.IgnoreUnknown && renamed[plain(name)] == "":
			ignored = append(ignored, name)
		case at < 0:
			unknown = append(unknown, strconv.Quote(cmp.Or(renamed[plain(name)], name))+nearest(looked, known))
		case known[at] == "images":
			pictures = append(pictures, i)
		case slices.Contains(columns[:i], known[at]):
			return nil, nil, fmt.Errorf("row %d: there are two columns %q: take one away", row, known[at])
		default:
			columns[i] = known[at]
		}
	}
	for n, i := range inOrder(pictures, header) {
		columns[i] = "images" + strings.Repeat("+", n)
	}
	if o.Update && lists && slices.Contains(columns, "quantity") {
		return nil, nil, fmt.Errorf("row %d: these are the columns of a file that lists items. Its quantities are pieces to list, "+
			"which are no totals of listed items: to change what is listed, write the file with `sellerd export items --for-update`, "+
			"or take the column quantity away. If they are totals, with the pieces that are sold, take the column sale type away", row)
	}
	if len(unknown) > 0 {
		return nil, nil, fmt.Errorf("row %d: there is no column %s. The columns are %s. Rename them, say what a column is with "+
			"--column \"NAME=price\", or leave out all that are not known with --ignore-unknown-columns", row, strings.Join(unknown, ", "), strings.Join(known, ", "))
	}
	if slices.Contains(columns, "reference") && slices.Contains(columns, "personal_reference") {
		return nil, nil, fmt.Errorf("row %d: reference and personal_reference are the same column: take one away", row)
	}
	return columns, ignored, nil
}

// renames are the names that the user gives to columns, by their own names as plain has them.
func renames(header, pairs []string) (map[string]string, error) {
	renamed := map[string]string{}
	for _, pair := range pairs {
		from, to, found := strings.Cut(pair, "=")
		if !found {
			return nil, fmt.Errorf("--column must be like \"Variant Price=price\", not %q", pair)
		}
		if !slices.ContainsFunc(header, func(h string) bool { return plain(h) == plain(from) }) {
			return nil, fmt.Errorf("--column names %q, and the file has no such column", from)
		}
		renamed[plain(from)] = to
	}
	return renamed, nil
}

// inOrder puts the columns with a number in their names into the order of the numbers, in the places that they have together. The others
// stay where they are in the file.
func inOrder(columns []int, header []string) []int {
	number := func(column int) int {
		n, _ := strconv.Atoi(anyNumber().FindString(header[column]))
		return n
	}
	unnumbered := func(column int) bool { return !anyNumber().MatchString(header[column]) }
	numbered := slices.DeleteFunc(slices.Clone(columns), unnumbered)
	slices.SortStableFunc(numbered, func(a, b int) int { return cmp.Compare(number(a), number(b)) })
	for i, column := range columns {
		if !unnumbered(column) {
			columns[i], numbered = numbered[0], numbered[1:]
		}
	}
	return columns
}

// pricesWithCurrency are the columns of amounts, by their positions, that are named with a currency: Price (EUR). If unknown columns may be
// ignored, those are ignored that stand beside another column of the same amount.
func pricesWithCurrency(header, known []string, renamed map[string]string, ignore bool) map[int]string {
	named, found := map[string]int{}, map[int]string{}
	for i, name := range header {
		bare, sign := withoutCurrency(name)
		at := slices.IndexFunc(known, func(k string) bool { return isMoney(k) && plain(k) == plain(bare) })
		switch {
		case renamed[plain(name)] != "":
			named[plain(renamed[plain(name)])]++
		case sign == "" || at < 0:
			named[plain(name)]++
		default:
			named[plain(known[at])]++
			found[i] = known[at]
		}
	}
	for i, column := range found {
		if ignore && named[plain(column)] > 1 {
			delete(found, i)
		}
	}
	return found
}

// isMoney says whether a column has amounts.
func isMoney(column string) bool {
	return slices.Contains([]string{"price", "starting_price", "reserve_price", "bid_increment"}, column)
}

// missing is an error if a column is not there that every file needs.
func missing(columns []string, o Options) error {
	needed := []string{"title", "category_id", "sale_type", "price or starting_price"}
	if o.Update {
		needed = []string{"reference or personal_reference or item_id"}
	}
	needed = slices.DeleteFunc(needed, func(names string) bool {
		return slices.ContainsFunc(strings.Split(names, " or "), func(name string) bool { return slices.Contains(columns, name) })
	})
	if len(needed) == 0 {
		return nil
	}
	return fmt.Errorf("there is no column %s. The first row must name the columns. If one of them has another name in the file, say so with --column \"NAME=title\"", strings.Join(needed, ", "))
}

// nearest suggests a known column for a name.
func nearest(name string, known []string) string {
	bare := plain(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(name)))
	best, least := "", 3
	for _, k := range known {
		d := near.Distance(bare, plain(k))
		if len(plain(k)) > 3 && strings.HasSuffix(bare, plain(k)) {
			d = 1
		}
		if d < least && 3*d <= len(bare)+1 {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return " (is it " + best + "?)"
}

// cell is a value on its way into a member of an item.
type cell struct {
	sheet.Cell
	currency *string // of its row
	decimal  string  // "comma", "point" or ""
	commas   *string // an amount of the file whose decimal comma is certain
	before   any     // what columns before it have given the same member
	wrong    func(code, message string)
	asHTML   func(message string) // the text is wrong, unless the item has it
}

func (c *cell) text() any {
	if c.Kind == sheet.Date {
		c.wrong("invalid_value", "The spreadsheet has made a date of the value. Format the column as text, and type the value again.")
	}
	return c.Text
}

// line is a text that is shown as it is, and not as HTML.
func (c *cell) line() any {
	var advice []string
	codes := sheet.Entities(c.Text)
	codes = codes[:min(len(codes), 3)]
	for _, code := range codes {
		letter := html.UnescapeString(code)
		if sheet.Trim(letter) == "" {
			letter = "a blank"
		}
		advice = append(advice, sheet.Visible(letter)+" in place of "+code)
	}
	if codes != nil {
		c.asHTML(fmt.Sprintf("The text is written as HTML, and buyers would see %s. Write %s.", strings.Join(codes, " "), strings.Join(advice, ", ")))
	}
	return c.text()
}

var (
	shortened = pattern.Late(`^[0-9](?:[.,][0-9]+)?[eE]\+[0-9]+$`)
	wholeID   = pattern.Late(`^([0-9]+)[.,]0+$`)
)

// notTyped refuses what the spreadsheet has made of a number or a reference: a date, or a number whose last digits are lost.
func (c *cell) notTyped() bool {
	lost := c.Kind == sheet.Text && shortened().MatchString(c.Text)
	if lost {
		c.wrong("invalid_value", "The spreadsheet has shortened a long number. Format the column as text, and type the number again.")
	} else {
		c.text()
	}
	return lost || c.Kind == sheet.Date
}

func (c *cell) reference() any {
	c.notTyped()
	return c.Text
}

func (c *cell) id() any {
	c.notTyped()
	return wholeID().ReplaceAllString(c.Text, "$1")
}

// word is a value of a list of the API, which are in small letters with underscores.
func (c *cell) word() any { return asWord(c.Text) }

func (c *cell) saleType() any {
	if plain(c.Text) == "fixedprice" {
		return "fixed_price"
	}
	return c.word()
}

func asWord(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return unicode.IsSpace(r) || r == '-' || r == '_' }), "_")
}

func (c *cell) day() any {
	day := strings.ToLower(c.Text)
	if slices.Contains([]string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}, day) {
		return day[:3]
	}
	return day
}

func (c *cell) instant() any {
	text := strings.ToUpper(c.Text) // the API takes t and z as well
	if _, err := time.Parse(time.RFC3339, text); err != nil {
		c.wrong("invalid_value", "The date is not certain. Write year, month, day and time in UTC like 2026-12-31T20:00:00Z, or make it a date in a workbook.")
	}
	return text
}

func (c *cell) clock() any {
	for _, layout := range []string{"15:04", "15:04:05", "3:04 PM", "3:04:05 PM"} { // as spreadsheets write times to CSV files
		if at, err := time.Parse(layout, strings.ToUpper(c.Text)); err == nil && at.Second() == 0 {
			return at.Format("15:04")
		}
	}
	c.wrong("invalid_value", "This is no time of the day. Write hour and minute like 20:00.")
	return c.Text
}

// optionNames are the options that an item may have.
var optionNames = []string{
	"bold_title", "colored_border", "highlight", "keep_on_renewal", "last_minute_bidding", "private_bidding", "subtitle", "top_category", "top_listing", "top_main",
}

// options are names between commas, semicolons, bars or blanks. A name may have blanks itself.
func (c *cell) options() any {
	options := map[string]any{}
	for _, part := range strings.FieldsFunc(c.Text, func(r rune) bool { return strings.ContainsRune(",;|\n", r) }) {
		for words := strings.Fields(part); len(words) > 0; {
			n := len(words)
			at := -1
			for ; n > 0 && at < 0; n-- {
				at = slices.IndexFunc(optionNames, func(name string) bool { return plain(name) == plain(strings.Join(words[:n], "")) })
			}
			if at < 0 {
				name := strings.Join(words, " ")
				c.wrong("unknown_field", fmt.Sprintf("There is no option %q%s. The options are %s.", short(name), nearest(plain(name), optionNames), strings.Join(optionNames, ", ")))
				break
			}
			options[optionNames[at]] = true
			words = words[n+1:]
		}
	}
	return options
}

// cell is a value on its way into a member of a row's item.
func (r *reading) cell(row *Row, name string, value sheet.Cell) *cell {
	return &cell{Cell: value, decimal: r.Decimal, commas: &r.commas, wrong: func(code, message string) {
		row.wrong(Problem{Code: code, Field: name, Message: message})
	}, asHTML: func(message string) {
		if p := (Problem{Code: "invalid_value", Field: name, Message: message}); r.Update {
			row.asHTML = append(row.asHTML, p)
		} else {
			row.wrong(p)
		}
	}}
}

// members are the members of an item that a row's cells give.
func (r *reading) members(columns []column, cells func(name string) sheet.Cell, row *Row) map[string]any {
	item := map[string]any{}
	currency := strings.ToUpper(cells("currency").Text)
	if code, ok := signs[currency]; ok && code != "" {
		currency = code
	}
	for more := "images+"; slices.Contains(row.names.columns, more); more += "+" {
		columns = append(slices.Clip(columns), column{more, (*cell).pictures})
	}
	var amounts []map[string]any
	for _, column := range columns {
		value := cells(column.name)
		if column.take == nil || value.Text == "" {
			continue
		}
		c := r.cell(row, column.name, value)
		member := strings.TrimRight(column.name, "+")
		c.currency, c.before = &currency, item[member]
		item[member] = column.take(c)
		if at := slices.Index(row.names.columns, column.name); isMoney(column.name) && at >= 0 {
			_, sign := withoutCurrency(row.names.header[at])
			c.shownIn("name of the column", sign) // after the cell's own, which says which dollars they are
		}
		if money, ok := item[column.name].(map[string]any); ok && money["amount"] != nil {
			amounts = append(amounts, money)
		}
	}
	for _, money := range amounts {
		if currency != "" {
			money["currency"] = currency
		}
	}
	return item
}

// change is a row as a change of an item.
func (r *reading) change(cells func(name string) sheet.Cell, row *Row) map[string]any {
	change := map[string]any{}
	if row.Reference != "" {
		change["personal_reference"] = r.cell(row, "reference", referenceOf(cells)).reference()
	}
	if id := cells("item_id"); id.Text != "" {
		change["item_id"] = r.cell(row, "item_id", id).id()
	}
	switch why := asWord(cells("close").Text); why {
	case "", "no", "n", "false", "0", "non", "nein", "nee", "falsch", "faux", "falso", "onwaar":
		change["patch"] = r.members(updateColumns, cells, row)
	case "yes", "y", "true", "1", "x", "oui", "ja", "j", "o", "si", "sí", "sì",
		"wahr", "vrai", "vero", "verdadero", "waar": // spreadsheets write true in their language
		change["close"] = map[string]any{}
	default:
		change["close"] = map[string]any{"reason": why}
	}
	return change
}

// encode is JSON with sorted members: the same bytes for the same values.
func encode(value any) json.RawMessage {
	text, err := json.Marshal(value) // maps, lists, texts and numbers alone
	if err != nil {
		panic(err)
	}
	return text
}
