package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
	"sellerd/internal/base/pattern"
)

// This file makes the arguments of the tools that call operations: the parameters of all their operations under their own names, the
// body, and what the tool does with the headers.

// rawJSON is JSON for the SDK.
type rawJSON = json.RawMessage

// Names of arguments that are not parameters of operations.
const (
	argOperation  = "operation"
	argBody       = "body"
	argIfMatch    = "if_match"
	argKey        = "idempotency_key"
	argLanguage   = "language"
	argOffset     = "offset"
	argShowSecret = "show_secret"
)

// addCallArguments gives a tool the arguments of its operations. Objects that are shown already are named.
func (t *tool) addCallArguments(shown places) {
	var lines []string
	for _, o := range t.operations {
		if line := t.signature(o); line != "" {
			lines = append(lines, line)
		}
	}
	t.argument(argOperation, strings.Join(lines, "\n"), oneOfSchema(t.operationIDs()))
	t.required = []string{argOperation}
	for _, o := range t.operations {
		for _, p := range o.parameters {
			if t.properties.Get(p.name) == nil {
				t.properties.Set(p.name, shown.named(t.merged(p.name), p.name+" of "+t.name))
			}
		}
	}
	some := func(does func(*operation) bool) bool { return slices.ContainsFunc(t.operations, does) }
	if some(func(o *operation) bool { return o.body != nil }) {
		t.properties.Set(argBody, t.bodies(shown))
	}
	// The instructions of the server say what these mean, once for all tools.
	if some(func(o *operation) bool { return o.Conditional() }) {
		t.properties.Set(argIfMatch, textSchema())
	}
	if some(func(o *operation) bool { return o.Method == http.MethodPost }) {
		t.properties.Set(argKey, textSchema())
	}
	if some((*operation).reads) {
		t.properties.Set(argLanguage, textSchema())
		t.properties.Set(argOffset, numberSchema())
	}
	if some((*operation).makesSecret) {
		t.argument(argShowSecret, "hidden otherwise; needed to rotate", flagSchema())
	}
}

// signature is what the list of tools says of an operation: its name, the parameters that not all operations of the tool take, and the
// members of its body. An id in its path goes without saying, and so does an operation of which there is no more to say.
func (t *tool) signature(o *operation) string {
	var names []string
	for _, p := range o.parameters {
		if len(t.uses(p.name)) < len(t.operations) && (p.name != "id" || !p.inPath) {
			names = append(names, p.name)
		}
	}
	if members := object(o.body.Get("properties")); len(members) > manyMembers {
		names = append(names, "body: as "+createItems)
	} else if members != nil {
		required := list(o.body.Get("required"))
		var of []string
		for _, m := range members {
			if slices.Contains(required, any(m.Name)) {
				m.Name += "*"
			}
			of = append(of, m.Name)
		}
		names = append(names, "body: "+strings.Join(of, " "))
	}
	if names == nil {
		return ""
	}
	// created_from, created_to: most times come in pairs.
	return o.id + " (" + timePair().ReplaceAllString(strings.Join(names, ", "), "$1/_to") + ")"
}

var timePair = pattern.Late(`(\w+_from), \w+_to\b`)

// manyMembers is how many members a body has at most that are listed by name: only that of an item has more.
const manyMembers = 12

// makesSecret says that an answer of the operation has a secret: of a webhook that is made, or that gets a new one.
func (o *operation) makesSecret() bool { return o.AnswersSecret || !o.repeats() }

// rotates says that a request ends a secret and makes another one.
func (o *operation) rotates(body []byte) bool {
	asked, _ := openjson.Parse(body)
	rotate, _ := object(asked).Get("rotate_secret").(bool)
	return rotate && !o.repeats()
}

// use is how an operation takes a parameter.
type use struct {
	operation string
	parameter
}

// uses are the ways in which the operations of a tool take a parameter.
func (t *tool) uses(name string) (all []use) {
	for _, o := range t.operations {
		for _, p := range o.parameters {
			if p.name == name {
				all = append(all, use{o.id, p})
			}
		}
	}
	return all
}

// merged is the schema of an argument that several operations may take. If they take different values, it allows the types of all,
// and says in words which are whose. Which operations take it stands at their names.
func (t *tool) merged(name string) openjson.Object {
	uses := t.uses(name)
	var texts, types, abouts, values []string
	for _, u := range uses {
		texts = append(texts, textOf(u.schema))
		kind, _ := u.schema.Get("type").(string)
		types = append(types, kind)
		values = append(values, valuesInWords(u.schema))
		if about := said(u.about); about != "" && !strings.HasSuffix(name, "_from") && !strings.HasSuffix(name, "_to") { // the tool says what these mean
			abouts = append(abouts, about)
		}
	}
	words := distinct(abouts)
	schema := uses[0].schema
	if len(distinct(texts)) > 1 {
		schema = openjson.Of("type", openjson.Array(distinct(types)))
		if kinds := list(schema.Get("type")); len(kinds) == 1 {
			schema.Set("type", kinds[0])
		}
		if slices.Contains(types, "array") {
			schema.Set("items", textSchema())
		}
		same := distinct(values)
		usual := slices.MaxFunc(same, func(a, b string) int { return count(values, a) - count(values, b) })
		if len(same) < len(values) && usual != "an id" && usual != "string" {
			words = append(words, usual)
		}
		for i, u := range uses {
			if (len(same) == len(values) || values[i] != usual) && len(same) > 1 {
				words = append(words, u.operation+": "+values[i])
			}
		}
	}
	schema = brief(schema).Without("description")
	if len(words) > 0 {
		schema.Set("description", strings.Join(words, "; "))
	}
	return schema
}

// count is how often a list has a text.
func count(texts []string, text string) (n int) {
	for _, other := range texts {
		if other == text {
			n++
		}
	}
	return n
}

// valuesInWords says which values a schema allows.
func valuesInWords(schema openjson.Object) string {
	switch kind, _ := schema.Get("type").(string); {
	case kind == "array":
		return valuesInWords(object(schema.Get("items")))
	case schema.Get("enum") != nil:
		var values []string
		for _, value := range list(schema.Get("enum")) {
			text, _ := value.(string)
			values = append(values, text)
		}
		return strings.Join(values, ", ")
	case schema.Get("maximum") != nil:
		return "up to " + string(openjson.Append(nil, schema.Get("maximum")))
	case kind == "string" && schema.Get("pattern") != nil:
		return "an id"
	default:
		return kind
	}
}

// distinct is a list without repetitions, in its order.
func distinct(texts []string) []string {
	var out []string
	for _, text := range texts {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}
