package translate

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sellerd/internal/base/pattern"
)

// Fields are the fields of a legacy request. They nest as in PHP: items[0][title], images[].
type Fields []Field

// Field is a field with a text or with parts.
type Field struct {
	Name    string
	Text    string
	Parts   Fields
	Repeats bool // it was sent more than once, with values that are lost
}

// Pair is a field as it was sent. The brackets of its name are not parsed yet.
type Pair struct{ Name, Text string }

// Limits of a request.
const (
	maxPairs = 100_000
	maxDepth = 4
)

// Errors of forms.
var (
	ErrTooManyFields = errors.New("the request has too many fields")
	ErrNesting       = errors.New("a field's brackets cannot be understood")
	ErrEncoding      = errors.New("a field is not encoded as application/x-www-form-urlencoded")
)

// ParseForm parses application/x-www-form-urlencoded text and keeps the order of the fields, which url.Values does not. The
// error is ErrTooManyFields or ErrEncoding.
func ParseForm(text string) ([]Pair, error) {
	var pairs []Pair
	for part := range strings.SplitSeq(text, "&") {
		if part == "" {
			continue
		}
		if len(pairs) == maxPairs {
			return nil, ErrTooManyFields
		}
		name, value, _ := strings.Cut(part, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return nil, ErrEncoding
		}
		pairs = append(pairs, Pair{name, value})
	}
	return pairs, nil
}

// NewFields parses the brackets of names. Of a field that was sent several times the last value counts, as in PHP; entries of
// lists add up. The error is ErrTooManyFields or ErrNesting.
func NewFields(pairs []Pair) (Fields, error) {
	if len(pairs) > maxPairs {
		return nil, ErrTooManyFields
	}
	var (
		root fieldTree
		path []string
		err  error
	)
	for _, pair := range pairs {
		if path, err = appendBracketPath(path[:0], pair.Name); err != nil {
			return nil, err
		}
		root.at(path[0]).set(path[1:], pair.Text)
	}
	return root.fields(), nil
}

// appendBracketPath splits items[0][title] into its steps. An empty step appends to a list.
func appendBracketPath(path []string, name string) ([]string, error) {
	open := strings.IndexByte(name, '[')
	if open <= 0 {
		return append(path, name), nil
	}
	path = append(path, name[:open])
	for rest := name[open:]; rest != ""; {
		end := strings.IndexByte(rest, ']')
		if rest[0] != '[' || end < 0 || len(path) == maxDepth {
			return nil, ErrNesting
		}
		path = append(path, rest[1:end])
		rest = rest[end+1:]
	}
	return path, nil
}

// fieldTree is a field, or all fields, with its parts in their order and by their names.
type fieldTree struct {
	text    string
	repeats bool
	order   []string
	parts   map[string]*fieldTree
	next    int // the number that an empty name inside brackets stands for
}

// at returns a part, and adds it when it is missing.
func (t *fieldTree) at(name string) *fieldTree {
	if n, err := strconv.Atoi(name); err == nil && n >= t.next && n < maxPairs {
		t.next = n + 1
	}
	part := t.parts[name]
	if part == nil {
		if t.parts == nil {
			t.parts = map[string]*fieldTree{}
		}
		part = &fieldTree{}
		t.parts[name] = part
		t.order = append(t.order, name)
	}
	return part
}

// set sets the text at a path inside brackets.
func (t *fieldTree) set(path []string, text string) {
	if len(path) == 0 {
		*t = fieldTree{text: text, repeats: t.repeats || t.text != "" && t.text != text || len(t.order) > 0}
		return
	}
	t.text, t.repeats = "", t.repeats || t.text != ""
	name := path[0]
	if name == "" {
		name = strconv.Itoa(t.next)
	}
	t.at(name).set(path[1:], text)
}

func (t *fieldTree) fields() Fields {
	fields := make(Fields, 0, len(t.order))
	for _, name := range t.order {
		part := t.parts[name]
		field := Field{Name: name, Text: part.text, Repeats: part.repeats}
		if len(part.order) > 0 {
			field.Parts = part.fields()
		}
		fields = append(fields, field)
	}
	return fields
}

// Lookup returns a field by its name.
func (f Fields) Lookup(name string) (Field, bool) {
	for i := range f {
		if f[i].Name == name {
			return f[i], true
		}
	}
	return Field{}, false
}

// Text returns the text of a field, "" when there is none.
func (f Fields) Text(name string) string {
	field, _ := f.Lookup(name)
	return field.Text
}

func (f Fields) list(name string) []string {
	field, _ := f.Lookup(name)
	return field.List()
}

// Without returns the fields but those with the given names.
func (f Fields) Without(names ...string) Fields {
	return slices.DeleteFunc(slices.Clone(f), func(field Field) bool { return slices.Contains(names, field.Name) })
}

// List returns the texts of a field that may be sent once or as a list.
func (f Field) List() []string {
	if f.Parts == nil {
		if f.Text == "" {
			return nil
		}
		return []string{f.Text}
	}
	texts := make([]string, 0, len(f.Parts))
	for _, part := range f.Parts {
		if part.Text != "" {
			texts = append(texts, part.Text)
		}
	}
	return texts
}

// nests says whether parts of a field have parts themselves. Only the entries of a bulk may.
func (f Field) nests() bool {
	return slices.ContainsFunc(f.Parts, func(part Field) bool { return part.Parts != nil })
}

// zero matches what programs send for an optional number or date that they do not have. PHP's http_build_query writes false as
// 0, and a database of that time has 0000-00-00 for no date.
var zero = pattern.Late(`^(?i:0+([.,]0*)?|[.,]0+|0000-00-00([ T]00:00(:00)?)?|false|null)$`)

// IsZero says whether a text says that there is no value.
func IsZero(text string) bool { return zero().MatchString(text) }

// ZeroWords says what a zero means, for the guide. It is empty when a zero is a value, or when the row says what it means.
func (r *Row) ZeroWords() string {
	switch {
	case r.Zero == "" || r.Caution.Of != nil || strings.HasPrefix(r.Doc, "0 "):
		return ""
	case r.Zero == Always:
		return "0 counts as not sent"
	default:
		return "0 counts as not sent when " + r.Zero + " is given"
	}
}

// sent returns the fields without those whose zero says that they were not sent (see Row.Zero).
func (p *Plan) sent(given Fields) Fields {
	absent := func(field Field) bool {
		return field.Parts == nil && IsZero(field.Text) && slices.ContainsFunc(p.in, func(row inRow) bool {
			return row.Legacy == field.Name && (row.Zero == Always || row.Zero != "" && len(given.list(row.Zero)) > 0)
		})
	}
	if !slices.ContainsFunc(given, absent) {
		return given
	}
	return slices.DeleteFunc(slices.Clone(given), absent)
}
