package translate

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Law is what a converter promises about converting a text there and back.
type Law string

// The laws of converters.
const (
	// Isomorphic converters lose nothing: there and back is the same, from either side.
	Isomorphic Law = "isomorphic"
	// Canonical converters read several spellings and write one. A text of /v1 is the same after the way to /rest and back.
	Canonical Law = "canonical"
	// Narrowing converters lose what their Doc says on the way to /rest. Converting the result again loses nothing more.
	Narrowing Law = "narrowing"
	// OneWay converters convert only in the direction that their rows use.
	OneWay Law = "one-way"
)

// Converter converts the text of a legacy value to the text of a /v1 value, and back. A text is what stands between quotes or
// tags; the type of the /v1 field decides whether it becomes a string, a number or a boolean.
type Converter struct {
	Name    string
	Law     Law
	Doc     string
	Example [2]string   // legacy, /v1
	Pairs   [][2]string // of enumerations, all of them: legacy, /v1

	// The migration guide prints Anchor and Becomes, the OpenAPI document Reads and Writes. Both describe an enumeration by its
	// Pairs.

	// Anchor is the place in the guide that explains the converter.
	Anchor string `contract:"no"`
	// Becomes is how a value changes on its way to /v1, in Markdown. It is empty for enumerations.
	Becomes string `contract:"no"`
	// Reads is the form of the texts that ToV1 reads. It is empty when that is what the field of /v1 accepts.
	Reads Form `contract:"no"`
	// Writes is a regular expression of what AppendLegacy writes, empty when that is what /v1 has.
	Writes string `contract:"no"`

	// ToV1 converts a legacy text. Its error says what is valid, and follows the name of the field in a message.
	ToV1 func(text string) (string, error)
	// AppendLegacy appends the legacy text of a /v1 text.
	AppendLegacy func(b []byte, v1 []byte) []byte
	// Narrow says whether a text loses something on its way to /v1, beyond what the law allows.
	Narrow func(text string) bool

	verbatim bool // AppendLegacy changes nothing, see the function of this name
}

// Form is a form of legacy texts: a pattern, words, a length, or whole numbers.
type Form struct {
	Pattern string   // a regular expression of the whole text
	Words   []string // all there are
	Length  int      // the most characters
	Whole   bool     // whole numbers from 0 on
	Max     int      // the largest whole number, 0 for no limit
}

// Converters is all converters, in the order in which the guide explains them.
var Converters = []*Converter{
	Money, Integer, Identifier, Boolean, LocalTime, Hour, Markup, Reference, Score, SettingNumber, Activity,
	Countries, Days, Closed, CloseReasons, LanguageLetters, LanguageNames, TypeEvents, SettingTypes, TypeSamples, PathNumbers, PathNames, EncodedURL, RatingURL,
}

// verbatim makes a converter that writes the text of /v1 unchanged. Encoding a page does not call it.
func verbatim(c Converter) *Converter {
	c.verbatim = true
	c.AppendLegacy = func(b, v1 []byte) []byte { return append(b, v1...) }
	return &c
}

// valueError is the reason why a legacy text is not valid.
type valueError string

func (e valueError) Error() string { return string(e) }

// enumeration makes a converter of pairs (legacy, /v1), and derives its law. When two legacy words have the same meaning, the
// converter writes the first.
func enumeration(name, doc string, pairs ...[2]string) *Converter {
	toV1, toLegacy := map[string]string{}, map[string]string{}
	law := Isomorphic
	legacy := make([]string, len(pairs))
	for i, pair := range pairs {
		legacy[i] = pair[0]
		if _, twice := toV1[pair[0]]; twice {
			panic("enumeration " + name + ": " + pair[0] + " stands there twice")
		}
		toV1[pair[0]] = pair[1]
		if _, taken := toLegacy[pair[1]]; taken {
			law = Canonical
		} else {
			toLegacy[pair[1]] = pair[0]
		}
	}
	return &Converter{
		Name: name, Law: law, Doc: doc, Example: pairs[0], Pairs: pairs,
		Anchor: "values-" + strings.NewReplacer("'", "", " ", "-").Replace(name),
		ToV1: func(text string) (string, error) {
			if v, ok := toV1[text]; ok {
				return v, nil
			}
			return "", valueError("must be one of: " + strings.Join(legacy, ", "))
		},
		AppendLegacy: func(b, v1 []byte) []byte {
			if v, ok := toLegacy[string(v1)]; ok {
				return append(b, v...)
			}
			return append(b, v1...)
		},
	}
}

// The converters of plain values.
var (
	// Money is an amount with a decimal point. It is never a float: more than two decimals are rounded as they are written.
	Money = verbatim(Converter{
		Name: "decimal money", Law: Canonical, Example: [2]string{"12.5", "12.50"},
		Doc: "An amount with a decimal point; a comma, an exponent or a sign is refused. More than two decimals, as programs with floats send them, are " +
			"rounded to cents, half a cent up: 19.989999999999998 is 19.99. /v1 takes at most two. Answers have two decimals.",
		Anchor: "value-money", Becomes: "the same amount with two decimals, as a string: `\"12.50\"`",
		Reads: Form{Pattern: `[0-9]{1,15}(\.[0-9]{1,30})?`}, Writes: `-?[0-9]+\.[0-9]{2}`,
		ToV1: decimal,
		Narrow: func(text string) bool {
			_, cents, _ := strings.Cut(text, ".")
			return len(strings.TrimRight(cents, "0")) > 2
		},
	})
	// Integer is a whole number.
	Integer = verbatim(Converter{
		Name: "whole number", Law: Canonical, Example: [2]string{"007", "7"},
		Doc:    "A whole number without sign, at most 18 digits; leading zeros do not count.",
		Anchor: "value-whole-number", Becomes: "number: `7`", Reads: Form{Whole: true}, Writes: wholePattern,
		ToV1: integer,
	})
	// Identifier is the marketplace's decimal number, the same on both sides.
	Identifier = verbatim(Converter{
		Name: "number of an object", Law: Canonical, Example: [2]string{"4711", "4711"},
		Doc:    "The marketplace's number of an item, a sale or a category: the same on both sides, a string in JSON. A category's may be negative.",
		Anchor: "value-id", Becomes: "the same digits, as a string", Reads: Form{Pattern: wholePattern}, Writes: wholePattern,
		ToV1: identifier,
	})
	// Boolean reads 1 and true, 0 and false. It reads an empty text as false, because PHP sends false so. It writes 1 and 0.
	Boolean = &Converter{
		Name: "boolean", Law: Canonical, Example: [2]string{"1", "true"},
		Doc:    "1 and 0 on /rest, where true and false are understood and nothing at all is false; true and false in /v1.",
		Anchor: "value-boolean", Becomes: "`1` → `true`, `0` → `false`",
		Reads: Form{Words: []string{"1", "0", "true", "false", ""}}, Writes: switchPattern,
		ToV1: func(text string) (string, error) {
			switch strings.ToLower(text) {
			case "1", "true":
				return "true", nil
			case "0", "false", "":
				return "false", nil
			}
			return "", valueError("must be 1 or 0")
		},
		AppendLegacy: func(b, v1 []byte) []byte {
			if string(v1) == "true" {
				return append(b, '1')
			}
			return append(b, '0')
		},
	}
	// Reference is a personal reference, which has at most 20 characters on /rest.
	Reference = verbatim(Converter{
		Name: "personal reference", Law: Isomorphic, Example: [2]string{"FR-1849-20c", "FR-1849-20c"},
		Doc:    "At most 20 characters on /rest, 64 in /v1. Answers have all of a longer one.",
		Anchor: "value-reference", Becomes: "the same text", Reads: Form{Length: MaxReference},
		ToV1: func(text string) (string, error) {
			if n := len([]rune(text)); n > MaxReference {
				return "", valueError("has " + strconv.Itoa(n) + " characters, the most is " + strconv.Itoa(MaxReference))
			}
			return text, nil
		},
	})
	// Score is a rating from 0 to 100. /v1 has five steps of it.
	Score = verbatim(Converter{
		Name: "score", Law: Canonical, Example: [2]string{"100", "100"},
		Doc:    "A whole number from 0 to 100. /v1 has the steps 0, 25, 50, 75 and 100: the nearest is taken, the better one when two are as near.",
		Anchor: "value-score", Becomes: "the nearest of 0, 25, 50, 75 and 100", Reads: Form{Whole: true, Max: 100}, Writes: `[0-9]+`,
		ToV1:   nearestScore,
		Narrow: func(text string) bool { n, err := strconv.Atoi(text); return err == nil && n%25 != 0 },
	})
)

// Patterns of texts that several converters read or write.
const (
	wholePattern  = `-?[0-9]+`
	switchPattern = `[01]`
	localPattern  = `[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}`
)

// MaxReference is the largest number of characters of a personal reference on /rest.
const MaxReference = 20

// maxDecimals is more than any program writes of a float.
const maxDecimals = 30

// decimal reads an amount: digits, and optionally a point with more of them. It rounds half a cent up, by the digits that are
// written.
func decimal(text string) (string, error) {
	whole, part, point := strings.Cut(text, ".")
	if !digits(whole) || point && !digits(part) || len(whole) > 15 || len(part) > maxDecimals {
		return "", valueError("must be an amount such as 12.50")
	}
	part += "000"
	cents, _ := strconv.ParseInt(whole+part[:2], 10, 64) // at most 17 digits
	if part[2] >= '5' {
		cents++
	}
	return fmt.Sprintf("%d.%02d", cents/100, cents%100), nil
}

func digits(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return r < '0' || r > '9' })
}

func integer(text string) (string, error) {
	if !digits(text) || len(text) > 18 {
		return "", valueError("must be a whole number")
	}
	if text = strings.TrimLeft(text, "0"); text == "" {
		text = "0"
	}
	return text, nil
}

func identifier(text string) (string, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || !digits(strings.TrimPrefix(text, "-")) {
		return "", valueError("must be a number")
	}
	return strconv.FormatInt(n, 10), nil
}

var scores = []int{0, 25, 50, 75, 100}

func nearestScore(text string) (string, error) {
	n, err := strconv.Atoi(text)
	if err != nil || !digits(text) || n > 100 {
		return "", valueError("must be a whole number from 0 to 100")
	}
	return strconv.Itoa(slices.MinFunc(scores, func(a, b int) int {
		return cmp.Or(cmp.Compare(abs(a-n), abs(b-n)), cmp.Compare(b, a))
	})), nil
}

func abs(n int) int { return max(n, -n) }

// The converters of addresses in notifications. These are encoded as if they were a part of another address.
var (
	// EncodedURL is an address whose reserved and unsafe characters are escaped (RFC 1738, section 2.2).
	EncodedURL = &Converter{
		Name: "encoded address", Law: OneWay, Example: [2]string{"https%3A%2F%2Fwww.example.com%2Fitem%2F4711", "https://www.example.com/item/4711"},
		Doc:    "An address with all of its reserved and unsafe characters escaped, as RFC 1738 has it: decode it once.",
		Anchor: "value-encoded", Becomes: "decoded: `https%3A%2F%2F…` → `https://…`", AppendLegacy: appendEncoded,
	}
	// RatingURL is the part of an item's page where its buyer is rated.
	RatingURL = &Converter{
		Name: "address of the rating", Law: OneWay, Example: [2]string{"https%3A%2F%2Fwww.example.com%2Fitem%2F4711%23rating", "https://www.example.com/item/4711"},
		Doc:    "The item's address with #rating behind it, encoded as its address is.",
		Anchor: "value-rating", Becomes: "the address of the item, decoded and without `#rating`",
		AppendLegacy: func(b, v1 []byte) []byte { return append(appendEncoded(b, v1), "%23rating"...) },
	}
)

// appendEncoded escapes every character of an address but letters, digits and -_.
func appendEncoded(b, address []byte) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range address {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-_.", c) >= 0 {
			b = append(b, c)
		} else {
			b = append(b, '%', hex[c>>4], hex[c&15])
		}
	}
	return b
}

// The converters of lists.
var (
	// PathNumbers is the path to a category, as numbers.
	PathNumbers = joined(",", "value-numbers", "list in place of a text with commas")
	// PathNames is the path to a category, as names.
	PathNames = joined(" > ", "value-names", "list in place of a text with ` > `")
)

// joined makes a converter that writes the texts of a list with a separator between them.
func joined(separator, anchor, becomes string) *Converter {
	return &Converter{
		Name: fmt.Sprintf("list joined by %q", separator), Law: OneWay, Example: [2]string{"1" + separator + "2", "1" + ListSeparator + "2"},
		Doc: "A list in one text.", Anchor: anchor, Becomes: becomes,
		AppendLegacy: func(b, v1 []byte) []byte {
			return append(b, strings.ReplaceAll(string(v1), ListSeparator, separator)...)
		},
	}
}

// ListSeparator separates the texts of a list before a converter reads them. No value contains it.
const ListSeparator = "\x1f"

// Markup is HTML, which /v1 sanitises and echoes. Answers of /rest have the quotes of a text as entities, as they always had.
var Markup = &Converter{
	Name: "HTML text", Law: Canonical, Example: [2]string{"<b>Mint</b>, &#34;never&#34; hinged", `<b>Mint</b>, "never" hinged`},
	Doc: "HTML on both sides; /v1 removes what its allow-list does not hold and shows what it kept. Quotes in a text may be sent as they are; answers have " +
		"them as &#34; and &#39;. In XML it is escaped, as every text is.",
	Anchor: "value-html", Becomes: "the same HTML, without what `/v1` does not allow",
	ToV1:         func(text string) (string, error) { return readQuotes(text), nil },
	AppendLegacy: appendQuotes,
}

// readQuotes reads the entities that appendQuotes writes. In an attribute, that of the double quote stays.
func readQuotes(html string) string {
	html = strings.ReplaceAll(html, "&#39;", "'")
	if !strings.Contains(html, "&#34;") {
		return html
	}
	var b strings.Builder
	for html != "" {
		text, tag := html, ""
		if start := strings.IndexByte(html, '<'); start >= 0 {
			text, tag = html[:start], html[start:]
			if end := strings.IndexByte(tag, '>'); end >= 0 {
				tag = tag[:end+1]
			}
		}
		b.WriteString(strings.ReplaceAll(text, "&#34;", `"`))
		b.WriteString(tag)
		html = html[len(text)+len(tag):]
	}
	return b.String()
}

// appendQuotes appends HTML with its quotes as entities. The double quotes around attributes stay.
func appendQuotes(b, html []byte) []byte {
	tag := false
	for _, c := range html {
		switch {
		case c == '\'':
			b = append(b, "&#39;"...)
		case c == '"' && !tag:
			b = append(b, "&#34;"...)
		default:
			tag = c == '<' || tag && c != '>'
			b = append(b, c)
		}
	}
	return b
}
