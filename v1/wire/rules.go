package wire

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"sellerd/v1/refusal"
)

// This file makes the rules of a tag into functions, once per type.

// check is one rule about values of a type.
type check struct {
	holds   func(v reflect.Value) bool
	code    refusal.Code
	message string
}

// report adds what is wrong with a value that breaks the rule.
func (c *check) report(path string, problems *refusal.Problems) {
	problems.Add(c.code, path, "%s", c.message)
}

// textChecks are the rules about text without a parameter.
var textChecks = map[string]func(string) bool{
	"plaintext": func(s string) bool { return strings.IndexByte(s, '<') < 0 || !markup.MatchString(s) },
	"oneline":   func(s string) bool { return isPlainASCII(s) || strings.IndexFunc(s, misleads) < 0 },
	"notblank":  func(s string) bool { return strings.IndexFunc(s, shows) >= 0 },
	"clock":     ClockTime.MatchString,
	"email":     isEmail,

	"iso3166_1_alpha2": IsCountry,
}

// isPlainASCII says whether a text has only printable characters of ASCII.
func isPlainASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// checksOf are the rules of a tag for values of a type. A rule that does not exist for the type is a mistake in the program.
func checksOf(t reflect.Type, rules string) []check {
	var checks []check
	for rule := range strings.SplitSeq(rules, ",") {
		name, parameter, _ := strings.Cut(rule, "=")
		holds := checkOf(t, name, parameter)
		if holds == nil {
			panic(fmt.Sprintf("wire: there is no rule %q for %s", rule, t))
		}
		checks = append(checks, ruleOf(t, name).check(holds, parameter))
	}
	return checks
}

// ruleOf is the error of a rule for values of a type.
func ruleOf(t reflect.Type, name string) RuleCode {
	if rule, ok := AnyRules[name]; ok {
		return rule
	}
	switch t.Kind() {
	case reflect.String:
		return StringRules[name]
	case reflect.Slice:
		return ListRules[name]
	default:
		return NumberRules[name]
	}
}

// ofOne are the messages that read otherwise for a parameter of 1.
var ofOne = map[string]string{
	StringRules["min"].message: "must not be empty",
	ListRules["min"].message:   "must have at least 1 entry",
}

func (r RuleCode) check(holds func(reflect.Value) bool, parameter string) check {
	message := r.message
	if parameter == "1" {
		message = cmp.Or(ofOne[message], message)
	}
	if strings.Contains(message, "%s") {
		message = fmt.Sprintf(message, strings.ReplaceAll(parameter, " ", ", "))
	}
	return check{holds, r.Code, message}
}

// checkOf is one rule, nil if there is none of this name for the type.
func checkOf(t reflect.Type, name, parameter string) func(v reflect.Value) bool {
	text, number := t.Kind() == reflect.String, t.Kind() == reflect.Int
	switch name {
	case "required":
		return func(v reflect.Value) bool { return !v.IsZero() }
	case "min", "max", "images":
		limit, err := strconv.ParseFloat(parameter, 64)
		size := sizeOf(t)
		switch {
		case err != nil || size == nil:
			return nil
		case name == "min":
			return func(v reflect.Value) bool { return size(v) >= limit }
		default:
			return func(v reflect.Value) bool { return size(v) <= limit }
		}
	case "oneof":
		choices := strings.Fields(parameter)
		switch {
		case text:
			return func(v reflect.Value) bool { return slices.Contains(choices, v.String()) }
		case number:
			return oneOfNumbers(choices)
		}
	default:
		if holds := textChecks[name]; holds != nil && text {
			return func(v reflect.Value) bool { return holds(v.String()) }
		}
	}
	return nil
}

// sizeOf is what the rules min and max compare: the number, the characters or the entries. It is nil for other types.
func sizeOf(t reflect.Type) func(reflect.Value) float64 {
	switch t.Kind() {
	case reflect.Int:
		return func(v reflect.Value) float64 { return float64(v.Int()) }
	case reflect.Float64:
		return reflect.Value.Float
	case reflect.String:
		return func(v reflect.Value) float64 { return float64(utf8.RuneCountInString(v.String())) }
	case reflect.Slice:
		return func(v reflect.Value) float64 { return float64(v.Len()) }
	default:
		return nil
	}
}

func oneOfNumbers(choices []string) func(v reflect.Value) bool {
	numbers := make([]int64, len(choices))
	for i, choice := range choices {
		n, err := strconv.ParseInt(choice, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != choice {
			return nil
		}
		numbers[i] = n
	}
	return func(v reflect.Value) bool { return slices.Contains(numbers, v.Int()) }
}
