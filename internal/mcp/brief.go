package mcp

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"sellerd/internal/base/openjson"
)

// This file makes the schemas of the list of tools, which every agent reads in whole, short: they have the names, the types, the values and
// what is required, and each object once. The tool guide describes an operation in full.

// eachSchema copies a schema. change gets every schema in it, inner ones first, and returns its replacement.
func eachSchema(schema openjson.Object, change func(openjson.Object) openjson.Object) openjson.Object {
	return object(openjson.EachSchema(openjson.Of("schema", schema), change).Get("schema"))
}

// brief is a schema without the limits of texts and numbers, which the service names when a value exceeds one, and with short descriptions.
// null is left out: the instructions say that it clears a member.
func brief(schema openjson.Object) openjson.Object { return eachSchema(schema, briefly) }

// briefly is brief for a schema whose inner ones are brief.
func briefly(schema openjson.Object) (out openjson.Object) {
	for _, m := range schema {
		switch m.Name {
		case "pattern", "minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "default", "x-default", "additionalProperties", "format":
			continue
		case "description":
			about, _ := m.Value.(string)
			if about = said(about); about == "" {
				continue
			}
			m.Value = about
		case "type":
			if types := list(m.Value); len(types) == 2 && types[1] == "null" {
				m.Value = types[0]
			}
		case "properties":
			if names := flags(object(m.Value)); names != nil {
				out.Set("description", "booleans: "+strings.Join(names, ", "))
				continue
			}
		case "items":
			m.Value = object(m.Value).Without("description")
		case "oneOf": // an object or null; a text, or an object that has it as a member
			about := out.Get("description")
			out = slices.Concat(object(list(m.Value)[0]).Without("description"), out)
			if about != nil {
				out.Set("description", about)
			}
			continue
		}
		out.Set(m.Name, m.Value)
	}
	return out
}

// flags are the names of members that are all true or false and of which there is no more to say, nil if there are others.
func flags(members openjson.Object) (names []string) {
	for _, m := range members {
		if textOf(object(m.Value)) != `{"type":"boolean"}` || object(m.Value).Get("description") != nil {
			return nil
		}
		names = append(names, m.Name)
	}
	return names
}

//go:embed brief.txt
var briefFile string

// shorter are descriptions in fewer words, and in none if they say no more than the name.
var shorter = sync.OnceValue(func() map[string]string {
	words := map[string]string{}
	for line := range strings.Lines(briefFile) {
		about, short, _ := strings.Cut(strings.TrimSpace(line), " = ")
		words[about] = short
	}
	return words
})

// said is what the list of tools says of a description: its first part, unless that is about a default or a limit, or says no more than the
// name.
func said(about string) string {
	about, _, _ = strings.Cut(about, ";")
	for _, begins := range []string{"default", "null is ", "absent or null is ", "at most ", "the body of "} {
		if strings.HasPrefix(about, begins) {
			return ""
		}
	}
	if short, ok := shorter()[about]; ok {
		return short
	}
	return about
}

// bodies is the schema of the argument body: the members of all bodies of the tool, but for those that are as in new items. The names of
// the operations say which are whose.
func (t *tool) bodies(shown places) openjson.Object {
	var members openjson.Object
	asInItems := false
	for _, o := range t.operations {
		if text := textOf(brief(o.body)); o.body != nil && shown[text] == "" {
			shown[text] = "the body of " + o.id
		}
	}
	for _, o := range t.operations {
		for _, m := range object(brief(o.body).Get("properties")) {
			if o.tag() == tagItems && shown[m.Name+" of "+createItems] == textOf(object(m.Value)) {
				asInItems = true
			} else if members.Get(m.Name) == nil {
				members.Set(m.Name, shown.named(object(m.Value), m.Name+" of "+t.name))
			}
		}
	}
	schema := openjson.Of("type", "object")
	if asInItems {
		schema.Set("description", "other members as in "+createItems)
	}
	schema.Set("properties", members)
	return schema
}

// places says in words where a schema is shown, by its text.
type places map[string]string

// leastNamed is the length of a schema from which on it is named when it occurs again, in bytes.
const leastNamed = 60

// textOf is the text of a schema without its descriptions and without what is required, which differ where the values are the same.
func textOf(schema openjson.Object) string {
	return string(openjson.Append(nil, eachSchema(schema, func(s openjson.Object) openjson.Object {
		return s.Without("description").Without("required")
	})))
}

// once is a schema in which parts that are shown already are named. name is what the schema is called when it occurs again.
func (p places) once(schema openjson.Object, name string) openjson.Object {
	out := slices.Clone(schema)
	for i, m := range out {
		switch m.Name {
		case "properties":
			properties := slices.Clone(object(m.Value))
			for j, property := range properties {
				if name == createItems {
					p[property.Name+" of "+name] = textOf(object(property.Value))
				}
				properties[j].Value = p.named(object(property.Value), property.Name+" of "+name)
			}
			out[i].Value = properties
		case "items":
			out[i].Value = p.named(object(m.Value), name)
		}
	}
	return out
}

// named is a part of a schema, or only its type and the name of the place that shows it.
func (p places) named(schema openjson.Object, name string) openjson.Object {
	text := textOf(schema)
	member, _, _ := strings.Cut(name, " of ")
	if about, _ := schema.Get("description").(string); about != "" {
		if told := member + ": " + about; p[told] != "" { // of the same member elsewhere
			schema = schema.Without("description")
		} else {
			p[told] = name
		}
	}
	place, isShown := p[text]
	if values := valuesOf(schema); values != nil {
		place, isShown = p.enumeration(values, name)
	} else if !isShown && len(text) >= leastNamed {
		p[text] = "as " + name
	}
	if !isShown {
		return p.once(schema, name)
	}
	out := openjson.Of("type", schema.Get("type"))
	if schema.Get("type") == "array" {
		out.Set("items", openjson.Of("type", object(schema.Get("items")).Get("type")))
	}
	if about, _ := schema.Get("description").(string); about != "" {
		place = about + "; " + place
	}
	if _, of, _ := strings.Cut(name, " of "); strings.HasSuffix(place, " of "+of) { // within the same object
		place = strings.TrimSuffix(place, " of "+of)
	}
	out.Set("description", place)
	return out
}

// valuesOf are the values that a schema allows, nil if they are few or not listed.
func valuesOf(schema openjson.Object) []any {
	values := list(schema.Get("enum"))
	if len(openjson.Append(nil, values)) < leastNamed {
		return nil
	}
	return values
}

// enumeration says where values are shown: all of them, or all but a few, which are named.
func (p places) enumeration(values []any, name string) (place string, isShown bool) {
	text := string(openjson.Append(nil, values))
	if place, isShown = p[text]; isShown {
		return place, true
	}
	p[text] = "as " + name
	var most string
	left := values
	for shown, place := range p {
		others, err := openjson.Parse([]byte(shown))
		if _, isList := others.([]any); err != nil || !isList || shown == text {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(values), func(value any) bool { return slices.Contains(list(others), value) })
		if len(rest) < len(left) && len(list(others))+len(rest) == len(values) {
			most, left = place, rest
		}
	}
	if most == "" {
		return "", false
	}
	for _, value := range left {
		word, _ := value.(string)
		most += ", " + word
	}
	return most, true
}
