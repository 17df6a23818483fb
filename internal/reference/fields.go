package reference

import (
	"cmp"
	"slices"
	"strings"

	"sellerd/internal/base/openjson"
)

// Field is a member of an object, a parameter or a header.
type Field struct {
	Name     string
	Type     string   // "string", "array of objects"
	Limits   []string // "1 to 120 characters"
	Required bool
	Nullable bool
	Default  string // in JSON
	Example  string // in JSON
	Since    string
	Text     string // a sentence that says what it is
	Values   []Value
	Fields   []Field // the members of an object, or of each object of a list
}

// Value is one of the values that a field may have.
type Value struct{ Name, Text, Since string }

// Members is a title for the members of the field.
func (f *Field) Members() string {
	if strings.HasPrefix(f.Type, "array") {
		return "Members of each of " + f.Name
	}
	return "Members of " + f.Name
}

// members are the members of an object. The schema has a name if it is a component; seen are the components around it.
func (d *description) members(schema openjson.Object, name string, seen []string) (fields []Field) {
	if ref := text(schema, "$ref"); ref != "" {
		name, schema = component(ref), d.resolve(schema)
	}
	if name != "" && slices.Contains(seen, name) {
		return nil
	}
	seen = append(slices.Clone(seen), name)
	required := list(schema.Get("required"))
	for _, member := range object(schema.Get("properties")) {
		f := d.field(member.Name, object(member.Value), seen)
		f.Text = ofMember(name, member.Name, f.Text)
		f.Required = slices.Contains(required, any(member.Name))
		fields = append(fields, f)
	}
	return fields
}

// codeSchema is the component of error codes, which have pages of their own.
const codeSchema = "Code"

// field is a field with a schema.
func (d *description) field(name string, schema openjson.Object, seen []string) Field {
	f := Field{Name: name, Since: text(schema, "x-since"), Text: text(schema, "description")}
	f.Default, f.Example = cmp.Or(number(schema.Get("default")), number(schema.Get("x-default"))), firstExample(schema)
	shape, of := d.shape(&f, schema)
	f.Type, f.Limits = typeOf(shape), limits(shape)
	element := shape
	if items := object(shape.Get("items")); len(items) > 0 {
		element, of = d.resolve(items), component(text(items, "$ref"))
		f.Type = "array of " + plural(typeOf(element))
	}
	f.Text = cmp.Or(f.Text, text(shape, "description"))
	for _, alternative := range list(element.Get("oneOf")) { // a text, or an object
		if form := d.resolve(alternative); len(object(form.Get("properties"))) > 0 {
			f.Type, element = strings.Replace(f.Type, plural("object"), "strings or objects", 1), form
		}
	}
	if of != codeSchema {
		f.Values = values(of, element)
	}
	f.Fields = d.members(element, of, seen)
	return f
}

// shape is the schema that says what a field is, behind references and beside null, and its name as a component.
func (d *description) shape(f *Field, schema openjson.Object) (shape openjson.Object, name string) {
	alternatives := list(schema.Get("oneOf"))
	for _, alternative := range alternatives {
		if text(object(alternative), "type") == "null" {
			f.Nullable = true
		} else if len(alternatives) == 2 {
			schema = object(alternative)
		}
	}
	name = component(text(schema, "$ref"))
	shape = d.resolve(schema)
	f.Nullable = f.Nullable || slices.Contains(list(shape.Get("type")), any("null"))
	return shape, name
}

// component is the name of the component that a reference leads to.
func component(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// typeOf is the type of a schema, without null.
func typeOf(schema openjson.Object) string {
	switch kind := schema.Get("type").(type) {
	case string:
		return kind
	case []any:
		for _, one := range kind {
			if one != "null" {
				return one.(string)
			}
		}
	}
	return "object"
}

func plural(kind string) string { return kind + "s" }

// firstExample is the first example of a schema, in JSON.
func firstExample(schema openjson.Object) string {
	if all := list(schema.Get("examples")); len(all) > 0 {
		return number(all[0])
	}
	return ""
}

// ofRequests are limits of whole bodies and headers, in bytes, which say nothing about one text.
var ofRequests = []string{"2097152", "24576"}

// limits say in words what a value may be.
func limits(schema openjson.Object) (limits []string) {
	between := func(least, most any, unit string) {
		from, to := number(least), number(most)
		if slices.Contains(ofRequests, to) {
			to = ""
		}
		switch {
		case from != "" && to != "":
			limits = append(limits, from+" to "+to+unit)
		case from != "":
			limits = append(limits, "at least "+from+unit)
		case to != "":
			limits = append(limits, "at most "+to+unit)
		}
	}
	format, pattern := text(schema, "format"), text(schema, "pattern")
	if words := cmp.Or(formats[format], patterns[pattern]); words != "" {
		return append(limits, words)
	} else if prefix, rest, found := strings.Cut(strings.TrimPrefix(pattern, "^"), "_"); found && rest == "[0-9a-z]+$" {
		return append(limits, "begins with "+prefix+"_")
	} else if pattern != "" {
		limits = append(limits, "matches "+pattern)
	}
	between(schema.Get("minLength"), schema.Get("maxLength"), " characters")
	between(schema.Get("minimum"), schema.Get("maximum"), "")
	between(schema.Get("minItems"), schema.Get("maxItems"), " elements")
	return limits
}

// formats and patterns are the forms of texts, in words.
var (
	formats = map[string]string{
		"date-time": "a time such as 2026-11-21T12:00:00Z", "date": "a day such as 2026-11-21", "uri": "an address", "email": "an e-mail address",
		"uri-reference": "an address",
	}
	patterns = map[string]string{
		`^-?(0|[1-9][0-9]*)$`:             "a number in a text",
		`^[0-9]+$`:                        "digits",
		`^v1,`:                            "begins with v1,",
		`^[A-Z]{2}$`:                      "two capitals",
		`^[0-9]+(\.[0-9]{1,2})?$`:         "a decimal number in a text",
		`^([01][0-9]|2[0-3]):[0-5][0-9]$`: "a time of day such as 20:30",
	}
)

// values are the values of an enum, or of a constant, with their meanings.
func values(name string, schema openjson.Object) (all []Value) {
	if only := schema.Get("const"); only != nil {
		return []Value{{Name: plain(only)}}
	}
	for _, value := range list(schema.Get("enum")) {
		shown := plain(value)
		meaning, _ := at(schema, "x-enum-descriptions", shown).(string)
		since, _ := at(schema, "x-enum-since", shown).(string)
		all = append(all, Value{shown, cmp.Or(meaning, ofValue(name, shown)), since})
	}
	return all
}

// plain is a value without the quotes of JSON.
func plain(value any) string {
	if words, isText := value.(string); isText {
		return words
	}
	return number(value)
}
