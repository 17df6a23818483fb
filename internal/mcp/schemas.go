package mcp

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"sellerd/internal/openjson"
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

const (
	aboutIfMatch = "an etag of an earlier answer: the call is refused if the object has changed since"
	aboutKey     = "a new text does the same once more; by default the same call is done once"
	aboutOffset  = "where to go on in an answer that was too long, as it says"
)

// addCallArguments gives a tool the arguments of its operations.
func (t *tool) addCallArguments() {
	var lines []string
	for _, o := range t.operations {
		lines = append(lines, o.id+": "+o.Doc)
	}
	t.argument(argOperation, strings.Join(lines, "\n"), oneOfSchema(t.operationIDs()))
	t.required = []string{argOperation}
	for _, o := range t.operations {
		for _, p := range slices.Concat(o.path, o.query) {
			if t.properties.Get(p.name) == nil {
				t.properties.Set(p.name, t.merged(p.name))
			}
		}
	}
	some := func(does func(*operation) bool) bool { return slices.ContainsFunc(t.operations, does) }
	if some(func(o *operation) bool { return o.body != nil }) {
		t.properties.Set(argBody, t.bodies())
	}
	if some(func(o *operation) bool { return o.Conditional() }) {
		t.argument(argIfMatch, aboutIfMatch, textSchema())
	}
	if some(func(o *operation) bool { return o.Method == http.MethodPost }) {
		t.argument(argKey, aboutKey, textSchema())
	}
	if some((*operation).reads) {
		t.argument(argLanguage, "of names: en, fr, de, it, es or nl", textSchema())
		t.argument(argOffset, aboutOffset, numberSchema())
	}
	if some((*operation).makesSecret) {
		t.argument(argShowSecret, "shows the new secret of a webhook, which is hidden otherwise", flagSchema())
	}
}

// makesSecret says that an answer of the operation has a secret: of a webhook that is made, or that gets a new one.
func (o *operation) makesSecret() bool { return o.AnswersSecret || !o.repeats() }

// use is how an operation takes a parameter.
type use struct {
	operation string
	parameter
}

// uses are the ways in which the operations of a tool take a parameter.
func (t *tool) uses(name string) (all []use) {
	for _, o := range t.operations {
		for _, parameters := range [][]parameter{o.path, o.query} {
			if p := parameterOf(parameters, name); p != nil {
				all = append(all, use{o.id, *p})
			}
		}
	}
	return all
}

// merged is the schema of an argument that several operations may take. If they take different values, it allows the types of all,
// and says in words which are whose.
func (t *tool) merged(name string) openjson.Object {
	uses := t.uses(name)
	var texts, types, abouts []string
	for _, u := range uses {
		texts = append(texts, string(openjson.Append(nil, u.schema)))
		kind, _ := u.schema.Get("type").(string)
		types = append(types, kind)
		if u.about != "" {
			abouts = append(abouts, u.about)
		}
	}
	abouts = distinct(abouts)
	if len(distinct(texts)) == 1 {
		schema := uses[0].schema.Without("description")
		schema.Set("description", strings.Join(append(abouts, t.takers(uses)...), "; "))
		return schema
	}
	schema := openjson.Of("type", openjson.Array(distinct(types)))
	if kinds := list(schema.Get("type")); len(kinds) == 1 {
		schema.Set("type", kinds[0])
	}
	if slices.Contains(types, "array") {
		schema.Set("items", textSchema())
	}
	var values []string
	for _, u := range uses {
		values = append(values, valuesInWords(u.schema))
	}
	words := abouts
	if same := distinct(values); len(same) == 1 {
		words = append(append(words, same...), t.takers(uses)...)
	} else {
		for i, u := range uses {
			words = append(words, u.operation+": "+values[i])
		}
	}
	schema.Set("description", strings.Join(words, "; "))
	return schema
}

// takers names the operations that take an argument, unless all do.
func (t *tool) takers(uses []use) []string {
	if len(uses) == len(t.operations) {
		return nil
	}
	var names []string
	for _, u := range uses {
		names = append(names, u.operation)
	}
	return []string{"for " + strings.Join(names, ", ")}
}

// valuesInWords says which values a schema allows.
func valuesInWords(schema openjson.Object) string {
	switch kind, _ := schema.Get("type").(string); {
	case kind == "array":
		return "any of " + valuesInWords(object(schema.Get("items")))
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

// bodies is the schema of the argument body. An object that occurs again is shown once, and named in other places.
func (t *tool) bodies() openjson.Object {
	var choices []any
	shown := places{}
	for _, o := range t.operations {
		if o.body != nil {
			shown[textOf(o.body)] = "the body of " + o.id
		}
	}
	for _, o := range t.operations {
		if o.body == nil {
			continue
		}
		choice := openjson.Of("title", o.id)
		for _, m := range shown.once(o.body, o.id) {
			choice.Set(m.Name, m.Value)
		}
		choices = append(choices, choice)
	}
	if len(choices) == 1 {
		return object(choices[0])
	}
	return openjson.Of("description", "the body of the operation that the title of its schema names", "anyOf", choices)
}

// places says in words where an object is shown, by the text of its schema.
type places map[string]string

// leastNamed is the length of a schema from which on it is named when it occurs again, in bytes.
const leastNamed = 120

// textOf is the text of a schema without what says where it stands.
func textOf(schema openjson.Object) string {
	return string(openjson.Append(nil, schema.Without("description").Without("examples").Without("default")))
}

// once is a schema in which objects that are shown already are named. name is what the schema is called when it occurs again.
func (p places) once(schema openjson.Object, name string) openjson.Object {
	out := slices.Clone(schema)
	for i, m := range out {
		switch m.Name {
		case "properties":
			properties := slices.Clone(object(m.Value))
			for j, property := range properties {
				properties[j].Value = p.named(object(property.Value), property.Name+" of "+name)
			}
			out[i].Value = properties
		case "items":
			out[i].Value = p.named(object(m.Value), "an entry of "+name)
		case "oneOf":
			choices := slices.Clone(list(m.Value))
			for j, choice := range choices {
				choices[j] = p.named(object(choice), name)
			}
			out[i].Value = choices
		}
	}
	return out
}

// named is a part of a schema, or only the name of the place that shows it.
func (p places) named(schema openjson.Object, name string) openjson.Object {
	if schema.Get("type") != "object" {
		return p.once(schema, name)
	}
	text := textOf(schema)
	place, isShown := p[text]
	if !isShown {
		if len(text) >= leastNamed {
			p[text] = "as " + name
		}
		return p.once(schema, name)
	}
	out := openjson.Of("type", "object", "description", place)
	if about, _ := schema.Get("description").(string); about != "" {
		out.Set("description", about+"; "+place)
	}
	return out
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
