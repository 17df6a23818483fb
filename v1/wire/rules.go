package wire

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file checks values that keep their rules, which nearly all do, without the library: the rules of a tag are made into
// functions once per type. If one does not hold, the library reports what is wrong.

// check says whether a value keeps one rule.
type check func(v reflect.Value) bool

// textChecks are the rules about text without a parameter, which the library learns from here.
var textChecks = map[string]func(string) bool{
	"plaintext": func(s string) bool { return strings.IndexByte(s, '<') < 0 || !markup.MatchString(s) },
	"oneline":   func(s string) bool { return isPlainASCII(s) || strings.IndexFunc(s, misleads) < 0 },
	"notblank":  func(s string) bool { return strings.IndexFunc(s, shows) >= 0 },
	"clock":     ClockTime.MatchString,
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

// checksOf are the rules of a tag for values of a type. It reports false if one of them is left to the library.
func checksOf(t reflect.Type, rules string) (checks []check, all bool) {
	for rule := range strings.SplitSeq(rules, ",") {
		name, parameter, _ := strings.Cut(rule, "=")
		made := checkOf(t, name, parameter)
		if made == nil {
			return nil, false
		}
		checks = append(checks, made)
	}
	return checks, true
}

// checkOf is one rule, nil if it is left to the library.
func checkOf(t reflect.Type, name, parameter string) check {
	text, number := t.Kind() == reflect.String, t.Kind() == reflect.Int
	switch name {
	case "required":
		if text || t.Kind() == reflect.Int64 || number {
			return func(v reflect.Value) bool { return !v.IsZero() }
		}
	case "min", "max", "images":
		limit, err := strconv.ParseInt(parameter, 10, 64)
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
		case strings.Contains(parameter, "'"):
			return nil
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
func sizeOf(t reflect.Type) func(reflect.Value) int64 {
	switch t.Kind() {
	case reflect.Int:
		return reflect.Value.Int
	case reflect.String:
		return func(v reflect.Value) int64 { return int64(utf8.RuneCountInString(v.String())) }
	case reflect.Slice:
		return func(v reflect.Value) int64 { return int64(v.Len()) }
	default:
		return nil
	}
}

func oneOfNumbers(choices []string) check {
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

// holds says whether a field is certain to keep its rules. If not, the library knows.
func (f *ruleField) holds(value reflect.Value) bool {
	if !f.checked {
		return f.rules == ""
	}
	for _, holds := range f.checks {
		if !holds(value) {
			return false
		}
	}
	return true
}
