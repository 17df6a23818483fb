package conformance

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"sellerd/internal/base/openjson"
)

// This file records answers as patterns: a kept value becomes $name, and a value that differs in every replay $KIND. Parts
// of an earlier record stay if they still match, so that an edit by hand survives the next recording.

// Got is the answer of a section as it is recorded, nil if it was not replayed.
func (r *Result) Got() *Answer {
	if r.answer == nil {
		return nil
	}
	return r.answer.record(r.due, r.vars)
}

// record makes the pattern of an answer.
func (a *answer) record(old *Answer, vars map[string]string) *Answer {
	if old == nil {
		old = &Answer{}
	}
	out := &Answer{Status: a.status}
	before := map[string][]string{}
	for _, h := range old.Headers {
		before[h.Name] = append(before[h.Name], h.Value)
	}
	for _, name := range watchedWith(old) {
		for i, value := range a.header.Values(name) {
			pattern := headerPattern(name, value, vars)
			if i < len(before[name]) && match(before[name][i], value, maps.Clone(vars)) {
				pattern = before[name][i]
			}
			out.Headers = append(out.Headers, Header{name, pattern})
		}
	}
	switch {
	case a.body == "":
	case old.Body != "" && len(a.bodyDifferences(old.Body, maps.Clone(vars))) == 0:
		out.Body = old.Body
	case a.isJSON():
		out.Body = recordJSON(a.body, old.Body, vars)
	default:
		out.Body = recordXML(a.body, old.Body, vars)
	}
	return out
}

func headerPattern(name, value string, vars map[string]string) string {
	switch {
	case name == "ETag":
		return "$ETAG"
	case strings.HasPrefix(name, "X-"), name == "Retry-After":
		return "$NUMBER"
	case isQuota(name):
		return digits.ReplaceAllString(value, "$$NUMBER")
	default:
		return pattern("", value, vars)
	}
}

var digits = regexp.MustCompile(`\d+`)

func recordJSON(body, old string, vars map[string]string) string {
	value, err := openjson.Parse([]byte(body))
	if err != nil {
		return body
	}
	before, _ := parseJSON(old) // there may be none
	return strings.TrimSpace(string(openjson.Print(recorded("", value, before, vars))))
}

// recorded is the pattern of a value of a member. What before has of an earlier record stays if it still fits.
func recorded(member string, value, before any, vars map[string]string) any {
	if before == anyValue {
		return before
	}
	switch v := value.(type) {
	case openjson.Object:
		object, _ := before.(map[string]any)
		for i, m := range v {
			v[i].Value = recorded(m.Name, m.Value, object[m.Name], vars)
		}
	case []any:
		list, _ := before.([]any)
		if slices.Contains(list, any(others)) {
			return recordedSome(member, v, list, vars)
		}
		for i := range v {
			v[i] = recorded(member, v[i], elementAt(list, i), vars)
		}
	case string:
		if stillFits(before, v, vars) {
			return before
		}
		if holder, _ := before.(map[string]any); member == "request_body" && strings.HasPrefix(v, "{") {
			if inner, err := openjson.Parse([]byte(v)); err == nil {
				return openjson.Of(jsonIn, recorded("", inner, holder[jsonIn], vars))
			}
		}
		return pattern(member, v, vars)
	case jsontext.Value:
		if stillFits(before, json.Number(v), vars) {
			return before
		}
	case nil:
		if stillFits(before, nil, vars) {
			return before
		}
	}
	return value
}

// stillFits says whether a value still matches its earlier record, as a text.
func stillFits(before, now any, vars map[string]string) bool {
	text, ok := before.(string)
	return ok && len(differences("", text, now, maps.Clone(vars))) == 0
}

// recordedSome are the elements of a list that an earlier record does not leave to $OTHERS, or all elements if the earlier record no
// longer matches.
func recordedSome(member string, list, before []any, vars map[string]string) []any {
	values, _ := parseJSON(string(openjson.Append(nil, list))) // which has just been read
	places, found := align(before, values.([]any), 0, maps.Clone(vars))
	if !found {
		before, places = nil, nil
		for i := range list {
			places = append(places, i)
		}
	}
	out := make([]any, len(places))
	for i, place := range places {
		if out[i] = any(others); place >= 0 {
			out[i] = recorded(member, list[place], elementAt(before, i), vars)
		}
	}
	return out
}

func recordXML(body, old string, vars map[string]string) string {
	text, err := indentXML(body)
	if err != nil {
		return body
	}
	lines, before := strings.Split(text, "\n"), strings.Split(old, "\n")
	for i, line := range lines {
		if len(before) == len(lines) && match(before[i], line, maps.Clone(vars)) {
			lines[i] = before[i]
			continue
		}
		open, rest, ok := strings.Cut(line, ">")
		value, end, closed := strings.Cut(rest, "</")
		if ok && closed {
			lines[i] = open + ">" + pattern(strings.TrimLeft(open, " <"), value, vars) + "</" + end
		}
	}
	return strings.Join(lines, "\n")
}

// The forms of texts that differ in every replay.
var (
	wholeTime = regexp.MustCompile(`\A` + kinds["TIME"] + `\z`)
	localDate = regexp.MustCompile(`\A` + kinds["LOCAL"] + `\z`)
	prefixed  = regexp.MustCompile(`\b(sub|bat|trk|wh|evt|dlv)_[0-9a-zA-Z]+\b`)
	secretKey = regexp.MustCompile(`\A` + kinds["SECRET"] + `\z`)
	keyHint   = regexp.MustCompile(`\A` + kinds["HINT"] + `\z`)
	number    = regexp.MustCompile(`\A\d+\z`)
	ofBill    = regexp.MustCompile(`\A\d{4}-\d{5,}\z`) // a bill's number: the year and its place

	siteOfItem = regexp.MustCompile(`\A` + kinds["SITE"] + `/item/`) // the marketplace's own pages
)

// numbered are the members with numbers that each service assigns itself.
var numbered = map[string]bool{
	"account_id": true, "item_id": true, "sale_id": true, "bill_id": true, "buyer_id": true, "shipping_model_id": true,
	"id_item": true, "id_user": true, "id_notification": true,
}

// pattern makes a pattern of a text.
func pattern(member, text string, vars map[string]string) string {
	names := slices.SortedFunc(maps.Keys(vars), func(a, b string) int {
		return cmp.Or(len(vars[b])-len(vars[a]), strings.Compare(a, b))
	})
	for _, name := range names {
		if vars[name] == text && len(text) > 2 && name != "play" {
			return "$" + name
		}
	}
	switch {
	case member == "etag":
		return "$ETAG"
	case member == "message": // for people; it may change
		return "$ANY"
	case member == "next_cursor":
		return "$CURSOR"
	case member == "Notification_Datetime":
		return "$BRUSSELS"
	case wholeTime.MatchString(text):
		return "$TIME"
	case localDate.MatchString(text):
		return "$LOCAL"
	case secretKey.MatchString(text):
		return "$SECRET"
	case keyHint.MatchString(text):
		return "$HINT"
	case numbered[member] && number.MatchString(text):
		return "$ID"
	case member == "number" && ofBill.MatchString(text):
		return "$NUMBER-$NUMBER"
	case member == "token":
		return "$TOKEN"
	}
	text = strings.ReplaceAll(text, "$", "$$")
	text = siteOfItem.ReplaceAllString(text, "$$SITE/item/")
	if base := vars["BASE"]; base != "" { // a service may be reached by several addresses
		text = strings.ReplaceAll(text, base, "$SITE")
	}
	for _, name := range names {
		value := vars[name]
		if (len(value) > 4 || name == "nonce") && name != "play" && name != "BASE" && strings.Contains(text, value) {
			text = regexp.MustCompile(fmt.Sprintf(`(^|[^0-9A-Za-z])%s($|[^0-9A-Za-z])`, regexp.QuoteMeta(value))).ReplaceAllString(text, "${1}$$"+name+"${2}")
		}
	}
	return prefixed.ReplaceAllString(text, "$$ID")
}
