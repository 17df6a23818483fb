package importing

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sellerd/internal/base/pattern"
	"sellerd/internal/sheet"
)

// signs are the currencies that stand before or after an amount, with their codes; $ has several.
var signs = map[string]string{
	"€": "EUR", "EUR": "EUR", "EUR.": "EUR", "EURO": "EUR", "EUROS": "EUR",
	"£": "GBP", "GBP": "GBP",
	"$": "", "USD": "USD", "US$": "USD", "$US": "USD",
	"CAD": "CAD", "C$": "CAD", "CA$": "CAD", "$CA": "CAD",
	"AUD": "AUD", "A$": "AUD", "AU$": "AUD",
	"CHF": "CHF", "FR.": "CHF", "SFR.": "CHF",
}

const blanks = `[ \x{a0}\x{202f}\x{2009}]`

var (
	amountParts = pattern.Late(`^([^0-9]*?)` + blanks + `*([0-9][0-9.,'’ \x{a0}\x{202f}\x{2009}]*?)` + blanks +
		`*([^0-9., \x{a0}\x{202f}\x{2009}'’][^0-9]*)?$`)
	digitsOnly  = pattern.Late(`^[0-9]+$`)
	withBlanks  = pattern.Late(`^[0-9]{1,3}(?:(?:` + blanks + `[0-9]{3})+|(?:['’][0-9]{3})+)(?:[.,][0-9]{1,2}0*)?$`)
	decimalOnly = pattern.Late(`^(?:[0-9]+[.,](?:[0-9]{1,2}|[0-9]{2}0{2,})|(?:0[0-9]*|[0-9]{4,})[.,][0-9]{2}0)$`) // databases write 12.5000
	pointGroups = pattern.Late(`^[1-9][0-9]{0,2}(?:(?:\.[0-9]{3})+,[0-9]{1,2}0*|(?:\.[0-9]{3}){2,})$`)
	commaGroups = pattern.Late(`^[1-9][0-9]{0,2}(?:(?:,[0-9]{3})+\.[0-9]{1,2}0*|(?:,[0-9]{3}){2,})$`)
	unclear     = pattern.Late(`^[1-9][0-9]{0,2}[.,][0-9]{3}$`)
	centsOnly   = pattern.Late(`^[.,][0-9]{2}$`) // as some programs write less than one
	grouping    = pattern.Late(blanks + `|['’]`)
)

// readNumber reads a number in the notation of any country. It is "" if the text is no such number, and unsure if its one comma or point
// may separate thousands or decimals, and no notation is named.
func readNumber(text, notation string) (number string, unsure bool) {
	switch {
	case digitsOnly().MatchString(text):
		number = text
	case withBlanks().MatchString(text), decimalOnly().MatchString(text):
		number = strings.ReplaceAll(grouping().ReplaceAllString(text, ""), ",", ".")
	case pointGroups().MatchString(text):
		number = strings.ReplaceAll(strings.ReplaceAll(text, ".", ""), ",", ".")
	case commaGroups().MatchString(text):
		number = strings.ReplaceAll(text, ",", "")
	case unclear().MatchString(text):
		decimal := map[string]string{"comma": ",", "point": "."}[notation]
		if decimal == "" {
			return "", true
		}
		if !strings.Contains(text, decimal) {
			number = strings.NewReplacer(".", "", ",", "").Replace(text)
		} else {
			number = strings.ReplaceAll(text, ",", ".") // three decimals, which the service refuses for an amount
		}
	default:
		return "", false
	}
	whole, decimals, _ := strings.Cut(number, ".")
	whole = strings.TrimLeft(whole, "0")
	if whole == "" {
		whole = "0"
	}
	if decimals == "" {
		return whole, false
	}
	return whole + "." + decimals, false
}

const (
	noAmount = "This is no amount. Write digits with a point or a comma before the decimals, such as 12.50, and nothing else but the currency."
	noNumber = "This is no whole number. Write digits alone, such as 3."
)

// money is an amount.
func (c *cell) money() any {
	if c.notTyped() {
		return nil
	}
	if c.Kind == sheet.Number {
		c.shownIn("workbook", c.Currency)
		return c.amount(c.Text)
	}
	if centsOnly().MatchString(c.Text) {
		c.Text = "0" + c.Text
	}
	parts := amountParts().FindStringSubmatch(c.Text)
	if parts == nil {
		return c.amount("")
	}
	codes, known := signsOf(parts[1], parts[3])
	if !known {
		return c.amount("")
	}
	for _, code := range codes {
		c.in(code)
	}
	number, unsure := readNumber(parts[2], c.decimal)
	switch {
	case unsure:
		c.wrong("invalid_value", c.ask("an amount", parts[2]))
		return nil
	case strings.Contains(parts[2], ",") && (decimalOnly().MatchString(parts[2]) || pointGroups().MatchString(parts[2])):
		*c.commas = c.Text
	}
	return c.amount(number)
}

// signsOf are the currencies of the texts before and after an amount, known if they are nothing else. Dollars of any country come last:
// US $12 and $12 CAD name the country.
func signsOf(texts ...string) (codes []string, known bool) {
	for _, text := range texts {
		words := strings.FieldsFunc(strings.ToUpper(text), unicode.IsSpace)
		if _, known := signs[strings.Join(words, "")]; known { // US $
			words = []string{strings.Join(words, "")}
		}
		for _, word := range words {
			code, known := signs[word]
			if !known {
				return nil, false
			}
			codes = append(codes, code)
		}
	}
	slices.SortStableFunc(codes, func(a, b string) int { return strings.Compare(b, a) })
	return codes, true
}

const (
	codes = `EUR|EUROS?|GBP|USD|CAD|AUD|CHF|\pL{1,3}\$|cents?|cts?|centimes?|pence|` + // and those that are refused
		`kr|SEK|NOK|DKK|ISK|zł|zl|PLN|Kč|CZK|Ft|HUF|lei|RON|BGN|RSD|RUB|UAH|TRY|TL|JPY|yen|CNY|RMB|INR|Rs|NZD|HKD|SGD|TWD|KRW|THB|MXN|BRL|ZAR|ILS|AED`
	symbols = `\$(?:US|CA)\b|(?:US|CA?|AU?)?\$|\p{Sc}`
)

// priced are the forms of a column's name with a currency: Price (EUR), Price in GBP, £ price. The last is not the name of a known column.
var priced = []func() *regexp.Regexp{
	pattern.Late(`(?i)^(?P<name>.*?)(?:\bin\b[^\pL\pN]*)?(?:[^\pL\pN](?P<code>` + codes + `)|(?P<symbol>` + symbols + `))[^\pL\pN\p{Sc}]*$`),
	pattern.Late(`(?i)^[^\pL\pN\p{Sc}]*(?:(?P<code>` + codes + `)[^\pL\pN]|(?P<symbol>` + symbols + `))(?P<name>.+)$`),
	pattern.Late(`(?i)^(?P<name>.*(?:[^\pL\pN](?P<code>` + codes + `)[^\pL\pN]|(?P<symbol>` + symbols + `)).*)$`),
}

// joined is where a code follows a word in small letters: PriceUSD.
var joined = pattern.Late(`(\p{Ll})(\p{Lu}{2,3})$`)

// withoutCurrency is a column's name without the currency that it names, and its sign or code, "" if it names none. A line break in the name
// is a blank.
func withoutCurrency(name string) (bare, sign string) {
	name = joined().ReplaceAllString(strings.Join(strings.Fields(name), " "), "$1 $2")
	for _, late := range priced {
		form := late()
		if m := form.FindStringSubmatch(name); m != nil {
			part := func(of string) string { return m[form.SubexpIndex(of)] }
			return part("name"), strings.ToUpper(part("code") + part("symbol"))
		}
	}
	return name, ""
}

// shownIn notes the currency in which the workbook or the name of the column shows an amount.
func (c *cell) shownIn(where, text string) {
	codes, known := signsOf(text)
	if !known {
		c.wrong("invalid_value", "The "+where+" shows the amount in "+text+", which is none of EUR, GBP, USD, CAD, AUD and CHF.")
	}
	for _, code := range codes {
		c.in(code)
	}
}

// in notes the currency in which an amount is written, empty for dollars of any country.
func (c *cell) in(code string) {
	switch {
	case code == "" && !strings.HasSuffix(*c.currency, "D"):
		c.wrong("invalid_value", "Dollars of which country? Name the currency in the column currency: USD, CAD or AUD.")
	case code != "" && *c.currency == "":
		*c.currency = code
	case code != "" && *c.currency != code:
		c.wrong("conflicting_fields", "The amount, or the name of its column, and the column currency name two currencies. Name one of them alone.")
	}
}

// ask is the question about a number whose one comma or point is unclear.
func (c *cell) ask(what, example string) string {
	return fmt.Sprintf("Is the comma or point in %s such as %s a decimal one? Run the command again with --decimal comma if decimals follow a comma in this file "+
		"(then 1.234 is one thousand), or with --decimal point if they follow a point (then 1,234 is one thousand).", what, example)
}

// amount is money in the form that it has in an item. The currency comes later.
func (c *cell) amount(number string) any {
	whole, decimals, _ := strings.Cut(number, ".")
	for len(decimals) > 2 && decimals[len(decimals)-1] == '0' {
		decimals = decimals[:len(decimals)-1]
	}
	switch {
	case !digitsOnly().MatchString(whole) || decimals != "" && !digitsOnly().MatchString(decimals):
		c.wrong("invalid_value", noAmount)
	case len(decimals) > 2:
		c.wrong("invalid_value", "An amount has two decimals at most. Write it like 12.50.")
	}
	return map[string]any{"amount": whole + "." + (decimals + "00")[:2]}
}

// whole is a whole number.
func (c *cell) whole() any {
	if c.notTyped() {
		return nil
	}
	text, unsure := strings.TrimPrefix(c.Text, "+"), false
	if c.Kind == sheet.Text {
		if text, unsure = readNumber(text, c.decimal); unsure {
			c.wrong("invalid_value", c.ask("a number", c.Text))
			return nil
		}
	}
	whole, decimals, _ := strings.Cut(text, ".")
	n, err := strconv.Atoi(whole)
	if err != nil || n < 0 || strings.Trim(decimals, "0") != "" {
		c.wrong("invalid_value", noNumber)
	}
	return n
}
