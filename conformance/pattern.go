package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A pattern is a text in which $NAME stands for a part that may differ. A name in capitals is a kind of text, listed in
// kinds. A name in small letters is a kept value: at its first place it keeps the text found there, later it stands for
// this text. $$ is a dollar. "null or $TIME" also matches null, "$OTHERS" in a list or alone in a line of XML matches any
// elements or none, and {"$JSON": …} matches a text with such JSON. The errors of an answer are compared whatever their
// order. A header or a line of XML whose pattern also fits nothing may be missing.

// The special values in patterns of JSON.
const (
	orNull  = "null or "
	others  = "$OTHERS"
	jsonIn  = "$JSON"
	aNumber = "$NUMBER" // in JSON a number, not a text that looks like one
)

// inAnyOrder is the member whose elements have no promised order.
const inAnyOrder = "errors"

// kinds are the patterns of texts that differ in every replay.
var kinds = map[string]string{
	"TIME":    `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`,
	"LOCAL":   `\d{4}-\d\d-\d\d \d\d:\d\d:\d\d`, // a date of /rest
	"DATE":    `\d{4}-\d\d-\d\d`,
	"ID":      `[a-z]+_[0-9a-zA-Z]+|\d+`,
	"NUMBER":  `\d+`,
	"SECONDS": `\d+`, // since 1970, in a text
	"AMOUNT":  `\d+\.\d\d`,
	"SITE":    `https?://[^/"]+`,
	"ETAG":    `"[^"]+"`,
	"CURSOR":  `[A-Za-z0-9_=.-]+`,
	"SECRET":  `whsec_[A-Za-z0-9+/=_-]+`,
	"HINT":    `whsec_…[A-Za-z0-9+/=_-]{4}`, // the end of a secret
	"TOKEN":   `[A-Za-z0-9_-]+`,
	"ANY":     `(?s).+`,
	"TEXT":    `(?s).*`, // which may be empty

	// Of answers of /rest, whatever the call.
	"BRUSSELS":    `\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00`,
	"METHODS":     `[A-Z]+(, [A-Z]+)*`,
	"BUDGET":      `(\d+)?`, // of the store, which calls that list items show
	"SUCCESSOR":   `(<[^<>]+/v1/[^<>]+>; rel="successor-version")?`,
	"REPLACEMENT": `(\s*<replacement>[A-Z]+ /v1/[^<>]+</replacement>)?`,
}

// optional says whether a line of an answer may be missing: its pattern also matches an empty text.
func optional(pattern string, vars map[string]string) bool {
	pattern = strings.TrimSpace(pattern)
	return pattern != "" && match(pattern, "", vars)
}

// anyValue stands for any JSON value, also null or an object: only its presence is promised.
const anyValue = "$VALUE"

// keptValue matches the texts that a name in small letters can keep.
const keptValue = `[^/"<>\s&?]+`

var (
	tokens  = regexp.MustCompile(`\$(\$|[A-Z]+|[a-z][a-z0-9_]*)`)
	numbers = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
)

// match compares a text with a pattern, and keeps the values of new names.
func match(pattern, text string, vars map[string]string) bool {
	if !strings.Contains(pattern, "$") {
		return pattern == text
	}
	var expression strings.Builder
	expression.WriteString(`\A`)
	var names []string
	place := 0
	for _, at := range tokens.FindAllStringIndex(pattern, -1) {
		expression.WriteString(regexp.QuoteMeta(pattern[place:at[0]]))
		place = at[1]
		name := pattern[at[0]+1 : at[1]]
		value, known := vars[name]
		switch {
		case name == "$":
			expression.WriteString(`\$`)
		case known:
			expression.WriteString(regexp.QuoteMeta(value))
		case kinds[name] != "":
			expression.WriteString("(?:" + kinds[name] + ")")
		case name != strings.ToLower(name):
			return false
		default:
			expression.WriteString("(" + "?P<" + name + ">" + keptValue + ")")
			names = append(names, name)
		}
	}
	expression.WriteString(regexp.QuoteMeta(pattern[place:]) + `\z`)
	compiled, err := regexp.Compile(expression.String())
	if err != nil {
		return false
	}
	found := compiled.FindStringSubmatch(text)
	for _, name := range names {
		if found != nil {
			vars[name] = found[compiled.SubexpIndex(name)]
		}
	}
	return found != nil
}

// differences compares a JSON value with the expected one. An object may have further members: later releases add some.
func differences(place string, want, got any, vars map[string]string) []string {
	switch want := want.(type) {
	case map[string]any:
		return objectDifferences(place, want, got, vars)
	case []any:
		return listDifferences(place, want, got, vars)
	case string:
		if rest, ok := strings.CutPrefix(want, orNull); ok {
			if got == nil {
				return nil
			}
			want = rest
		}
		if want == anyValue {
			return nil
		}
		switch got := got.(type) {
		case string:
			if want != aNumber && match(want, got, vars) {
				return nil
			}
		case json.Number:
			if want == aNumber && numbers.MatchString(got.String()) {
				return nil
			}
		}
		return []string{fmt.Sprintf("%s: want %s, got %s", place, printed(want), printed(got))}
	}
	if want == got {
		return nil
	}
	return []string{fmt.Sprintf("%s: want %s, got %s", place, printed(want), printed(got))}
}

// objectDifferences is differences from an object.
func objectDifferences(place string, want map[string]any, got any, vars map[string]string) []string {
	if inner, ok := want[jsonIn]; ok {
		text, _ := got.(string)
		value, err := parseJSON(text)
		if err != nil {
			return []string{fmt.Sprintf("%s: want a text that holds JSON, got %s", place, printed(got))}
		}
		return differences(place, inner, value, vars)
	}
	object, ok := got.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: want an object, got %s", place, printed(got))}
	}
	var all []string
	for _, name := range slices.Sorted(maps.Keys(want)) {
		member, has := object[name]
		if !has {
			all = append(all, fmt.Sprintf("%s.%s is missing", place, name))
			continue
		}
		due, isList := want[name].([]any)
		found, areSome := member.([]any)
		if name == inAnyOrder && isList && areSome {
			if !unordered(due, found, vars) {
				all = append(all, fmt.Sprintf("%s.%s: want in any order %s, got %s", place, name, printed(due), printed(member)))
			}
			continue
		}
		all = append(all, differences(place+"."+name, want[name], member, vars)...)
	}
	return all
}

// listDifferences is differences from a list.
func listDifferences(place string, want []any, got any, vars map[string]string) []string {
	list, ok := got.([]any)
	if ok && slices.Contains(want, any(others)) {
		if _, found := align(want, list, 0, vars); !found {
			return []string{fmt.Sprintf("%s: want a list like %s, got %s", place, printed(want), printed(got))}
		}
		return nil
	}
	if !ok || len(list) != len(want) {
		return []string{fmt.Sprintf("%s: want a list of %d, got %s", place, len(want), printed(got))}
	}
	var all []string
	for i := range want {
		all = append(all, differences(fmt.Sprintf("%s[%d]", place, i), want[i], list[i], vars)...)
	}
	return all
}

// align finds for each element of a pattern its place in a list, from one place on. It is -1 for $OTHERS.
func align(want, got []any, from int, vars map[string]string) (places []int, found bool) {
	if len(want) == 0 {
		return nil, from == len(got)
	}
	if want[0] != others {
		tried := maps.Clone(vars)
		if from == len(got) || len(differences("", want[0], got[from], tried)) > 0 {
			return nil, false
		}
		rest, found := align(want[1:], got, from+1, tried)
		if found {
			maps.Copy(vars, tried)
		}
		return append([]int{from}, rest...), found
	}
	for ; from <= len(got); from++ {
		if rest, found := align(want[1:], got, from, vars); found {
			return append([]int{-1}, rest...), true
		}
	}
	return nil, false
}

// unordered says whether each element of a pattern matches a different element of a list, and no element is left, except
// for $OTHERS.
func unordered(want, got []any, vars map[string]string) bool {
	i := slices.IndexFunc(want, func(element any) bool { return element != others })
	if i < 0 {
		return len(want) > 0 || len(got) == 0
	}
	for j := range got {
		tried := maps.Clone(vars)
		if len(differences("", want[i], got[j], tried)) > 0 {
			continue
		}
		if unordered(without(want, i), without(got, j), tried) {
			maps.Copy(vars, tried)
			return true
		}
	}
	return false
}

// without is a list less its nth element.
func without(list []any, n int) []any { return slices.Delete(slices.Clone(list), n, n+1) }

func printed(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// parseJSON reads JSON so that numbers keep their spelling.
func parseJSON(text string) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("something follows the JSON value")
	}
	return value, nil
}
