package mcp

import (
	"slices"
	"strings"

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

// shorter are descriptions in fewer words.
var shorter = map[string]string{
	"next_cursor of the page before, or latest for events from now on":       "next_cursor, or latest",
	"required for fixed_price, forbidden for auction":                        "fixed_price only, required",
	"required for auction, forbidden for fixed_price":                        "auction only, required",
	"decimal string, 0.01 to 999999.99":                                      "12.50",
	"decimal string, 0.00 to 999999.99":                                      "12.50",
	"HH:MM in the account's time zone":                                       "HH:MM",
	"required when the shipping model charges by weight":                     "if shipping is charged by weight",
	"legacy_xml is for programs that read the notifications of /rest":        "legacy_xml: as on /rest",
	"active also revives a disabled webhook and sends what was held":         "",
	"the end moves on to this day":                                           "",
	"accept cancels the sale at once":                                        "",
	"as it stands on the label":                                              "as on the label",
	"60 seconds to 90 days ahead":                                            "",
	"1 minute to 24 hours after from, and not after the end of /rest":        "",
	"the third part of a key, or key_prefix of GET /v1/account/legacy-usage": "key_prefix of getLegacyUsage",
}

// said is what the list of tools says of a description: its first part, unless that is about a default or a limit, or says no more than the
// name.
func said(about string) string {
	about, _, _ = strings.Cut(about, ";")
	for _, begins := range []string{"default", "null is ", "absent or null is ", "at most ", "the body of "} {
		if strings.HasPrefix(about, begins) {
			return ""
		}
	}
	if slices.Contains(plain, about) {
		return ""
	}
	if short, ok := shorter[about]; ok {
		return short
	}
	return about
}

// plain are descriptions that say no more than the name.
var plain = []string{
	"plain text", "your own name for the item", "a selectable category", "one of your shipping models", "ISO 4217 code", "not blank", "without markup", "a single line",
	"cannot change", "https on a public host", "https addresses, as strings or objects", "https address on a public host", "the item to change",
	"how often an unsold item goes on", "the beginning, inclusive", "the end, exclusive", "default now", "active sales on the bill", "added to those the bill has",
	"required without id", "national site shown on beside .net", "of the item", "one value", "names, item.* and the like, or *", "with all its descendants",
	"bills with a sale of the item, active or cancelled", "cancelled sales lead to their bill as well", "of items, sales, bills and submissions",
	"selectable categories without children", "the children of this category", "pass the same with after", "part of the name, whatever its case and accents",
	"how many seconds to hold the answer while there is no event", "next_cursor of the page before", "of a known buyer", "where purchases go that say nothing else",
	"one personal_reference as it is, even with a comma", "an id", "change nothing, and answer what would happen", "true makes a new secret",
	"change the item only if this is its ETag, as with If-Match", "must fit the service's number_pattern", "see GET /v1/delivery-services",
	"of current_price, inclusive", "words, or beginnings of words, of title and reference",
	"the item to change, if exactly one of your scheduled, open, unsold and closed items has it", "needed of a new buyer unless the address has one",
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
