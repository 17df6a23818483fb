package conformance

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file records answers as patterns: a kept value becomes $name, and a value that differs in every replay $KIND. Parts
// of an earlier record stay if they still match, so that an edit by hand survives the next recording.

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
	before, _ := parseJSON(old) // there may be none
	var b bytes.Buffer
	encoder := jsontext.NewEncoder(&b, jsontext.WithIndent("  "), jsontext.EscapeForHTML(false))
	decoder := jsontext.NewDecoder(strings.NewReader(body))
	if err := recordValue(decoder, encoder, "", before, vars); err != nil {
		return body
	}
	return strings.TrimSpace(b.String())
}

// recordValue records a value of a member. What before has of an earlier record stays if it still fits.
func recordValue(d *jsontext.Decoder, e *jsontext.Encoder, member string, before any, vars map[string]string) error {
	if before == anyValue {
		if err := d.SkipValue(); err != nil {
			return err
		}
		return e.WriteToken(jsontext.String(anyValue))
	}
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '"':
		text := token.String()
		if stillFits(before, text, vars) {
			return e.WriteToken(jsontext.String(before.(string)))
		}
		if holder, _ := before.(map[string]any); member == "request_body" && strings.HasPrefix(text, "{") {
			return recordJSONIn(text, e, holder[jsonIn], vars)
		}
		return e.WriteToken(jsontext.String(pattern(member, text, vars)))
	case '0':
		if stillFits(before, json.Number(token.String()), vars) {
			return e.WriteToken(jsontext.String(before.(string)))
		}
	case 'n':
		if stillFits(before, nil, vars) {
			return e.WriteToken(jsontext.String(before.(string)))
		}
	case '{':
		object, _ := before.(map[string]any)
		return recordObject(d, e, object, vars)
	case '[':
		list, _ := before.([]any)
		if slices.Contains(list, any(others)) {
			return recordSome(d, e, member, list, vars)
		}
		return recordList(d, e, member, list, vars)
	}
	return e.WriteToken(token)
}

// recordObject records an object, whose beginning is read.
func recordObject(d *jsontext.Decoder, e *jsontext.Encoder, before map[string]any, vars map[string]string) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		text := name.String()
		if err := e.WriteToken(jsontext.String(text)); err != nil {
			return err
		}
		if err := recordValue(d, e, text, before[text], vars); err != nil {
			return err
		}
	}
	return copyToken(d, e)
}

// recordList records a list, whose beginning is read.
func recordList(d *jsontext.Decoder, e *jsontext.Encoder, member string, before []any, vars map[string]string) error {
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for i := 0; d.PeekKind() != ']'; i++ {
		var element any
		if i < len(before) {
			element = before[i]
		}
		if err := recordValue(d, e, member, element, vars); err != nil {
			return err
		}
	}
	return copyToken(d, e)
}

// copyToken copies the next token.
func copyToken(d *jsontext.Decoder, e *jsontext.Encoder) error {
	token, err := d.ReadToken()
	if err != nil {
		return err
	}
	return e.WriteToken(token)
}

// stillFits says whether a value still matches its earlier record, as a text.
func stillFits(before, now any, vars map[string]string) bool {
	text, ok := before.(string)
	return ok && len(differences("", text, now, maps.Clone(vars))) == 0
}

// recordJSONIn records the JSON that a text holds.
func recordJSONIn(text string, e *jsontext.Encoder, before any, vars map[string]string) error {
	if err := e.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	if err := e.WriteToken(jsontext.String(jsonIn)); err != nil {
		return err
	}
	if err := recordValue(jsontext.NewDecoder(strings.NewReader(text)), e, "", before, vars); err != nil {
		return err
	}
	return e.WriteToken(jsontext.EndObject)
}

// recordSome records the elements of a list that an earlier record does not leave to $OTHERS, or all elements if the
// earlier record no longer matches.
func recordSome(d *jsontext.Decoder, e *jsontext.Encoder, member string, before []any, vars map[string]string) error {
	var texts []string
	var values []any
	for d.PeekKind() != ']' {
		text, err := d.ReadValue()
		if err != nil {
			return err
		}
		value, err := parseJSON(string(text))
		if err != nil {
			return err
		}
		texts, values = append(texts, string(text)), append(values, value)
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	places, found := align(before, values, maps.Clone(vars))
	if !found {
		before = make([]any, len(values))
		places = make([]int, len(values))
		for i := range places {
			places[i] = i
		}
	}
	if err := e.WriteToken(jsontext.BeginArray); err != nil {
		return err
	}
	for i, place := range places {
		if place < 0 {
			if err := e.WriteToken(jsontext.String(others)); err != nil {
				return err
			}
			continue
		}
		if err := recordValue(jsontext.NewDecoder(strings.NewReader(texts[place])), e, member, before[i], vars); err != nil {
			return err
		}
	}
	return e.WriteToken(jsontext.EndArray)
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
