package wire

import (
	"net/mail"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"sellerd/v1/refusal"
)

// Rules about a single field are in its validate tag and are checked here, for every stack. A field of type Opt is required
// unless its tag begins with omitnil. Rules about several fields are in their resource's file.

// RuleCode is the error code and message of a broken rule of a tag. %s is the rule's parameter.
type RuleCode struct {
	Code    refusal.Code
	message string
}

var (
	StringRules = map[string]RuleCode{
		"min": {refusal.TooShort, "must have at least %s characters"},
		"max": {refusal.TooLong, "must have at most %s characters"},
	}
	NumberRules = map[string]RuleCode{
		"min": {refusal.OutOfRange, "must be at least %s"},
		"max": {refusal.OutOfRange, "must be at most %s"},
	}
	ListRules = map[string]RuleCode{
		"min": {refusal.TooShort, "must have at least %s entries"},
		"max": {refusal.TooLong, "must have at most %s entries"},
	}
	AnyRules = map[string]RuleCode{
		"required":  {refusal.MissingField, "is required"},
		"oneof":     {refusal.InvalidValue, "must be one of: %s"},
		"plaintext": {refusal.HTMLNotAllowed, "must be plain text without markup"},
		"oneline":   {refusal.InvalidValue, "must be a single line without control characters"},
		"notblank":  {refusal.TooShort, "must not be blank"},
		"clock":     {refusal.InvalidValue, "must be a time of day such as 20:30"},
		"images":    {refusal.TooManyImages, "must have at most %s images"},
		"email":     {refusal.InvalidValue, "must be an email address"},

		"iso3166_1_alpha2": {refusal.InvalidValue, "must be an ISO 3166-1 code such as FR"},
	}
)

var (
	markup    = regexp.MustCompile(`<[A-Za-z/!?]`)
	ClockTime = regexp.MustCompile(`^([01][0-9]|2[0-3]):[0-5][0-9]$`)
)

// misleads says whether a character breaks a line, or changes the direction of the text around it so that it looks like
// another text.
func misleads(r rune) bool {
	switch {
	case r < ' ', r >= '\u007f' && r <= '\u009f': // control characters
		return true
	default: // the separators of lines and paragraphs, and what embeds, overrides or isolates a direction
		return r >= '\u2028' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
	}
}

// shows says whether a character is visible.
func shows(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) }

// readRules reads the rules of the field's tag.
func (f *Field) readRules(tag string) {
	value, optional := f.Plan, f.Plan.Form == FormOpt
	f.ruled, f.required = true, true
	if optional {
		value = value.Elem
		if rest, omit := strings.CutPrefix(tag, "omitnil"); omit {
			f.required, tag = false, strings.TrimPrefix(rest, ",")
		}
		tag = strings.TrimPrefix(strings.TrimPrefix(tag, "required"), ",")
	}
	if value.Form != FormStruct && tag != "" {
		f.checks = checksOf(value.Type, tag)
	}
}

// CheckRules adds every broken rule of v's tags to the problems, with paths below prefix.
func CheckRules(v any, prefix string, problems *refusal.Problems) {
	value := reflect.ValueOf(v).Elem()
	var deep [4]string // enough for most inputs, so that nothing is allocated for one without a problem
	PlanOf(value.Type()).check(value, append(deep[:0], prefix), problems)
}

// pathOf is the path of a field of the object at a place: the prefix of all paths, and the names of the fields that lead to it.
func pathOf(at []string, field string) string {
	return at[0] + strings.Join(append(at[1:], field), ".")
}

// check checks the rules of the members of an object, but not of those that it has by embedding: who embeds an input checks it by itself.
func (p *Plan) check(v reflect.Value, at []string, problems *refusal.Problems) {
	for i := range p.Fields {
		f := &p.Fields[i]
		if !f.ruled || len(f.Index) > 1 {
			continue
		}
		value, plan := f.Of(v), f.Plan
		if plan.Form == FormOpt {
			if !value.Field(1).Bool() {
				if f.required {
					problems.Add(refusal.MissingField, pathOf(at, f.Name), "is required")
				}
				continue
			}
			value, plan = value.Field(0), plan.Elem
		}
		if plan.Form == FormStruct {
			plan.check(value, append(at, f.Name), problems)
			continue
		}
		for i := range f.checks {
			if !f.checks[i].holds(value) {
				f.checks[i].report(pathOf(at, f.Name), problems)
				break
			}
		}
	}
}

// countries are the codes of ISO 3166-1 alpha-2 in order, with XK, which the customs of the European Union use for Kosovo.
var countries = strings.Fields(`
AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ CA CC CD
CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR GA GB GD GE GF
GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP KE KG KH KI KM KN
KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ NA
NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW SA SB SC SD SE SG SH SI
SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ UA UG UM US UY UZ VA VC VE VG VI
VN VU WF WS XK YE YT ZA ZM ZW
`)

// IsCountry says whether a text is an ISO 3166-1 alpha-2 code.
func IsCountry(code string) bool {
	_, found := slices.BinarySearch(countries, code)
	return found
}

// quoted is a part before the @ between quotation marks.
var quoted = regexp.MustCompile(`^"[^"\\[:cntrl:]]+"$`)

// isEmail says whether a text is an address (RFC 5322, addr-spec) at a domain with a dot, as a mail server on the internet has one.
func isEmail(text string) bool {
	address, err := mail.ParseAddress(text)
	if err != nil {
		return false
	}
	at := strings.LastIndexByte(text, '@')
	if address.Address != text && !quoted.MatchString(text[:at]) { // with a name or brackets
		return false
	}
	labels := strings.Split(text[at+1:], ".")
	if len(labels) < 2 {
		return false
	}
	for _, label := range labels {
		if !isLabel(label) {
			return false
		}
	}
	last := []rune(labels[len(labels)-1])
	return !unicode.IsDigit(last[0]) && !unicode.IsDigit(last[len(last)-1]) // a top-level domain such as com, or xn--p1ai
}

// isLabel says whether a text is one part of a domain (RFC 5890): letters with their marks, digits, and hyphens between them.
func isLabel(text string) bool {
	for _, r := range text {
		if r != '-' && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
			return false
		}
	}
	return text != "" && text[0] != '-' && text[len(text)-1] != '-'
}
