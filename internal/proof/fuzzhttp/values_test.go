package fuzzhttp_test

import (
	"encoding/json"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"sellerd/internal/proof/servertest"
)

// This file makes values that are as a schema says, and changes them so that they are not.

// generator makes the parts of one request. Both services get what the same seed makes; only ids differ.
type generator struct {
	*rand.Rand
	d     *document
	pool  *pool
	world int
	now   time.Time
}

func one[T any](g *generator, values []T) T { return values[g.IntN(len(values))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

// value is a value of a schema. name is the member that it is for.
func (g *generator) value(name string, schema map[string]any, depth int) any {
	rule := maps.Clone(g.d.resolve(schema))
	for key, value := range schema {
		rule[key] = value // beside a reference
	}
	if constant, ok := rule["const"]; ok {
		return constant
	}
	if values, ok := rule["enum"].([]any); ok {
		return one(g, values)
	}
	if choices, ok := rule["oneOf"].([]any); ok {
		if g.chance(80) {
			return g.value(name, choices[0].(map[string]any), depth)
		}
		return g.value(name, one(g, choices).(map[string]any), depth)
	}
	kind, _ := rule["type"].(string)
	if kinds, ok := rule["type"].([]any); ok {
		if kind = kinds[0].(string); g.chance(10) {
			kind = "null"
		}
	}
	switch kind {
	case "object":
		return g.object(rule, depth)
	case "array":
		return g.array(name, rule, depth)
	case "integer":
		return g.integer(rule)
	case "boolean":
		return g.chance(50)
	case "string":
		return g.text(name, rule)
	}
	return nil
}

func (g *generator) object(schema map[string]any, depth int) map[string]any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	often := one(g, []int{5, 20, 60})
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || g.chance(often) && depth < 5 {
			object[name] = g.value(name, properties[name].(map[string]any), depth+1)
		}
	}
	return object
}

func (g *generator) array(name string, schema map[string]any, depth int) []any {
	least, most := bound(schema, "minItems", 0), bound(schema, "maxItems", 3)
	list := []any{}
	for range max(least, min(most, g.IntN(4))) {
		list = append(list, g.value(name, schema["items"].(map[string]any), depth+1))
	}
	return list
}

func bound(schema map[string]any, name string, otherwise int) int {
	if number, ok := schema[name].(json.Number); ok {
		n, _ := strconv.Atoi(number.String())
		return n
	}
	return otherwise
}

func (g *generator) integer(schema map[string]any) any {
	least, most := bound(schema, "minimum", 0), bound(schema, "maximum", math.MaxInt32)
	switch g.IntN(4) {
	case 0:
		return least
	case 1:
		return most
	}
	return least + g.IntN(min(most-least, 50)+1)
}

// letters are what texts are made of: all lengths of UTF-8, and what other languages treat as special.
var letters = []string{"a", "Z", "7", " ", "é", "ß", "日", "🎁", "'", "\"", "\\", "%", "_", "&", ";", "é", "--", "$1", "\u200d"}

func (g *generator) text(name string, schema map[string]any) any {
	if id := g.pool.value(g, name); id != "" && g.chance(70) {
		return id
	}
	if known := g.d.known[name]; len(known) > 0 && g.chance(85) {
		if text, ok := one(g, known).(string); ok {
			return text
		}
	}
	switch schema["format"] {
	case "date-time":
		return g.now.Add(time.Duration(g.IntN(200)-40) * time.Hour / 2).Format(time.RFC3339)
	case "email":
		return "a" + strconv.Itoa(g.IntN(100)) + "@example.com"
	case "uri":
		return "https://hooks.example.com/" + strconv.Itoa(g.IntN(100))
	}
	if pattern, ok := schema["pattern"].(string); ok {
		return g.pattern(pattern)
	}
	least, most := max(bound(schema, "minLength", 0), 1), bound(schema, "maxLength", 40)
	length := least + g.IntN(min(most-least, 30)+1)
	if g.chance(5) && most <= 10000 {
		length = most
	}
	var b strings.Builder
	for range length {
		b.WriteString(one(g, letters[:18]))
	}
	return string([]rune("x" + b.String())[:length])
}

// pattern makes texts of the few patterns that the documents have.
func (g *generator) pattern(pattern string) string {
	number := strconv.Itoa(g.IntN(100000))
	switch {
	case strings.Contains(pattern, "[A-Z]{2}"):
		return one(g, []string{"BE", "FR", "DE", "US", "QQ"})
	case strings.Contains(pattern, ":[0-5][0-9]") && !strings.Contains(pattern, "{4}"):
		return one(g, []string{"00:00", "23:59", "19:30"})
	case strings.Contains(pattern, "{4}"):
		return g.now.Add(time.Duration(g.IntN(200)) * time.Hour).Format("2006-01-02 15:04:05")
	case strings.Contains(pattern, "_[0-9a-z]+"):
		prefix, _, _ := strings.Cut(strings.TrimPrefix(pattern, "^"), "[")
		return prefix + "0" + number
	case strings.Contains(pattern, `\.`):
		return number + "." + strconv.Itoa(10+g.IntN(90))
	}
	return number
}

// strange are values that few programs expect.
var strange = []any{
	nil, true, "", " ", "\x00", "a\x00b", "\ufeff", "\u202e", strings.Repeat("a", 70000), "<script>", "NaN", "-1", -1, 0, 1.5,
	json.Number("1e400"), json.Number("99999999999999999999999"), math.MaxInt64, json.Number("-0"), json.Number("1E2"),
	[]any{},
	[]any{[]any{[]any{}}},
	map[string]any{},
	map[string]any{"\x00": 1},
	"2026-02-30T00:00:00Z", "0000-00-00", "' OR 1=1 --",
	"9223372036854775808", "-9223372036854775808", "٣", "１２", "http://127.0.0.1/", "javascript:alert(1)", "file:///etc/passwd",
}

// mutate changes one place of a value.
func (g *generator) mutate(value any) any {
	switch v := value.(type) {
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		switch n := g.IntN(10); {
		case n == 0:
			return one(g, strange)
		case n == 1 || len(names) == 0:
			changed := maps.Clone(v)
			changed[one(g, []string{"unknown", "", "\x00", "id", "__proto__", strings.Repeat("n", 300)})] = one(g, strange)
			return changed
		case n == 2:
			changed := maps.Clone(v)
			delete(changed, one(g, names))
			return changed
		default:
			changed, name := maps.Clone(v), one(g, names)
			changed[name] = g.mutate(v[name])
			return changed
		}
	case []any:
		switch n := g.IntN(4); {
		case n == 0 || len(v) == 0:
			return one(g, strange)
		case n == 1 && len(v) < 20:
			return slices.Repeat(v, 100)
		default:
			changed, i := slices.Clone(v), g.IntN(len(v))
			changed[i] = g.mutate(v[i])
			return changed
		}
	case string:
		if g.chance(20) {
			return strings.Repeat(v+"x", 5000/(len(v)+1))
		}
	}
	return one(g, strange)
}

// body is a body as an operation's schema says.
func (g *generator) body(o *operation) any {
	var body any
	if len(o.examples) > 0 && g.chance(65) {
		body = one(g, o.examples)
		if object, ok := body.(map[string]any); ok && g.chance(40) {
			body = g.blend(o, object)
		}
	} else {
		body = g.value("", o.body, 0)
	}
	return g.withIDs("", body)
}

// blend takes some members of an example from a generated body.
func (g *generator) blend(o *operation, example map[string]any) map[string]any {
	changed := maps.Clone(example)
	if other, ok := g.value("", o.body, 0).(map[string]any); ok {
		for _, name := range slices.Sorted(maps.Keys(other)) {
			if g.chance(30) {
				changed[name] = other[name]
			}
		}
	}
	return changed
}

// withIDs replaces the ids of an example by those of this seller's objects.
func (g *generator) withIDs(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		changed := map[string]any{}
		for _, member := range slices.Sorted(maps.Keys(v)) {
			changed[member] = g.withIDs(member, v[member])
		}
		return changed
	case []any:
		changed := make([]any, len(v))
		for i := range v {
			changed[i] = g.withIDs(name, v[i])
		}
		return changed
	case string:
		if id := g.pool.value(g, name); id != "" && g.chance(80) {
			return id
		}
	}
	return value
}

// fits says whether a body is as the document says.
func (o *operation) fits(body string) bool {
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	var value any
	return decoder.Decode(&value) == nil && servertest.FitsSchema(o.bodyPlace, value)
}
