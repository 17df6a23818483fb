package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file finds the limits that a document names, and makes values at them and beyond.

// spot is a place of a request for which the document names how much it takes at most: so many characters, or entries.
type spot struct {
	operation string // PATCH /v1/items/{id}
	in        string // header, path, query, body, form
	steps     []any  // names of members and indexes, down to the place
	schema    map[string]any
	items     map[string]any // the schema of a list's entries
	most      int
	list      bool
	room      int // bytes of the body, 0 where there is none
}

func (s spot) String() string { return fmt.Sprintf("%s, %s in the %s", s.operation, s.field(), s.in) }

// field is how errors call the place: images[0].url.
func (s spot) field() string {
	var b strings.Builder
	for i, step := range s.steps {
		switch name := step.(type) {
		case int:
			b.WriteString("[" + strconv.Itoa(name) + "]")
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(name)
		}
	}
	return b.String()
}

// formName is how a form calls it: items[0][title].
func (s spot) formName() string {
	name := s.steps[0].(string)
	for _, step := range s.steps[1:] {
		name += fmt.Sprintf("[%v]", step)
	}
	return strings.Replace(strings.Replace(name, "[images[]]", "[images][]", 1), "[][0]", "[]", 1)
}

// body is a body that has nothing else than a value in this place.
func (s spot) body(value any) any {
	for _, step := range slices.Backward(s.steps) {
		if name, ok := step.(string); ok {
			value = map[string]any{name: value}
		} else {
			value = []any{value}
		}
	}
	return value
}

// document is an OpenAPI document to walk through.
type document struct{ content map[string]any }

func (d document) resolve(value any) map[string]any {
	o, _ := value.(map[string]any)
	reference, ok := o["$ref"].(string)
	if !ok {
		return o
	}
	o = d.content
	for part := range strings.SplitSeq(strings.TrimPrefix(reference, "#/"), "/") {
		o = o[part].(map[string]any)
	}
	return o
}

// spots are all places of requests that have limits. silent are those of texts and lists that have none.
func spots(t *testing.T, text []byte) (all []spot, silent []string) {
	t.Helper()
	var d document
	if err := json.Unmarshal(text, &d.content); err != nil {
		t.Fatal(err)
	}
	for path, item := range d.content["paths"].(map[string]any) {
		for method, value := range item.(map[string]any) {
			operation := value.(map[string]any)
			found := func(s spot) {
				s.operation = strings.ToUpper(method) + " " + path
				all = append(all, s)
			}
			missing := func(s spot) { silent = append(silent, s.String()) }
			parameters, _ := operation["parameters"].([]any)
			for _, one := range parameters {
				p := d.resolve(one)
				d.walk(spot{operation: path, in: p["in"].(string), steps: []any{p["name"]}}, p["schema"], found, missing)
			}
			body := d.resolve(operation["requestBody"])
			content, _ := body["content"].(map[string]any)
			for media, in := range map[string]string{"application/json": "body", "application/x-www-form-urlencoded": "form"} {
				schema, ok := content[media].(map[string]any)
				room, _ := body["x-body-limit"].(float64)
				if ok {
					d.walk(spot{operation: path, in: in, room: int(room)}, schema["schema"], found, missing)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b spot) int { // what deletes comes last
		return cmp.Or(strings.Count(a.operation, "DELETE ")-strings.Count(b.operation, "DELETE "), strings.Compare(a.String(), b.String()))
	})
	return all, silent
}

func (d document) walk(s spot, value any, found, silent func(spot)) {
	s.schema = d.resolve(value)
	if s.schema["const"] != nil || s.schema["enum"] != nil {
		return
	}
	limit := func(name string) {
		if most, ok := s.schema[name].(float64); ok {
			s.most = int(most)
			found(s)
		} else {
			silent(s)
		}
	}
	switch s.kind() {
	case "string":
		limit("maxLength")
	case "array":
		s.list, s.items = true, d.resolve(s.schema["items"])
		limit("maxItems")
		inner := s
		inner.list = false
		inner.steps = append(slices.Clone(s.steps), 0)
		inner.schema = nil
		d.walk(inner, s.schema["items"], found, silent)
	}
	properties, _ := s.schema["properties"].(map[string]any)
	for name, member := range properties {
		inner := s
		inner.steps = append(slices.Clone(s.steps), name)
		d.walk(inner, member, found, silent)
	}
	choices, _ := s.schema["oneOf"].([]any)
	for _, choice := range choices {
		d.walk(s, choice, found, silent)
	}
}

// kind is the type of the place's values, null aside.
func (s spot) kind() string {
	types, _ := s.schema["type"].([]any)
	for _, name := range types {
		if name != "null" {
			return name.(string)
		}
	}
	name, _ := s.schema["type"].(string)
	return name
}

// text is a value of n characters that is as right as one so long can be.
func (s spot) text(n int) string {
	padded := func(before, pad, after string) string {
		return before + strings.Repeat(pad, max(n-len(before)-len(after), 0)) + after
	}
	pattern, _ := s.schema["pattern"].(string)
	name, _ := s.steps[len(s.steps)-1].(string)
	switch {
	case name == "If-Match", name == "If-None-Match", name == "if_match":
		return padded(`"`, "a", `"`)
	case strings.HasPrefix(pattern, "^-?(0|"): // the longest whole number of 64 bits
		return padded("-9223372036854775808", "0", "")
	case strings.Contains(pattern, "_[0-9a-z]+"):
		return padded(strings.Trim(strings.TrimSuffix(pattern, "[0-9a-z]+$"), "^")+"1y2p0ij32e8e7", "0", "")
	case strings.HasSuffix(pattern, `(\.[0-9]{1,30})?$`): // of /rest, which rounds
		return padded("123456789012345.", "6", "")
	case strings.HasPrefix(pattern, "^[0-9]{1,15}"):
		return padded("", "9", ".99")
	case strings.HasPrefix(pattern, "^[0-9]+(") || strings.HasPrefix(pattern, "^-?[0-9]+$"):
		return padded("", "0", "1")
	case strings.HasPrefix(pattern, "^[0-9]{4}-"):
		return padded("2027-01-02 03:04:05", "0", "")
	case strings.Contains(pattern, "2[0-3]"):
		return padded("20:30", "0", "")
	case pattern == "^[A-Z]{2}$":
		return padded("BE", "E", "")
	case s.schema["format"] == "date-time":
		return padded("2027-01-02T03:04:05.", "0", "Z")
	case s.schema["format"] == "email":
		return padded("a@"+strings.Repeat("example.", 28), "e", ".com")
	case name == "url", name == "destination", s.schema["format"] == "uri", len(s.steps) > 1 && s.steps[len(s.steps)-2] == "images":
		return padded("https://example.com/", "x", "")
	case name == "description" && n > 10_000: // more than its text may have without tags
		return padded("<!--", "a", "-->")
	default:
		return strings.Repeat("a", n)
	}
}

// entries is a list of n values.
func (s spot) entries(n int) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = strconv.Itoa(i + 1)
		switch name := s.steps[len(s.steps)-1]; {
		case s.items["enum"] != nil:
			values := s.items["enum"].([]any)
			list[i] = values[i%len(values)]
		case strings.HasSuffix(name.(string), "_id") && !strings.HasPrefix(fmt.Sprint(s.items["pattern"]), "^-?") && s.items["pattern"] != nil:
			list[i] = spot{steps: s.steps, schema: s.items}.text(0)
		case name == "items":
			list[i] = map[string]any{}
		case strings.HasPrefix(name.(string), "images"):
			list[i] = "https://example.com/" + url.PathEscape(strconv.Itoa(i))
		}
	}
	return list
}
