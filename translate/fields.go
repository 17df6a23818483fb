package translate

import (
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Fields are the fields of a legacy request, nested as PHP nests them: items[0][title], images[].
type Fields []Field

// Field is one of them: a text, or parts.
type Field struct {
	Name    string
	Text    string
	Parts   Fields
	Repeats bool // it came before with something else, which is lost
}

// Pair is a field as it is sent, before its brackets are understood.
type Pair struct{ Name, Text string }

// Bounds of a request.
const (
	maxPairs = 100_000
	maxDepth = 4
)

// Reasons why fields cannot be read.
var (
	ErrTooManyFields = errors.New("the request has too many fields")
	ErrNesting       = errors.New("a field's brackets cannot be understood")
	ErrEncoding      = errors.New("a field is not encoded as application/x-www-form-urlencoded")
)

// ParseForm reads application/x-www-form-urlencoded text in the order it is written, which url.Values does not keep.
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

// NewFields understands the brackets of names. A field that comes twice counts as it came last, as in PHP, but for a
// list's entries, which add up.
func NewFields(pairs []Pair) (Fields, error) {
	if len(pairs) > maxPairs {
		return nil, ErrTooManyFields
	}
	var (
		b    fieldTree
		path []string
		err  error
	)
	for _, pair := range pairs {
		if path, err = appendBracketPath(path[:0], pair.Name); err != nil {
			return nil, err
		}
		b.add(path, pair.Text)
	}
	return b.fields(), nil
}

// appendBracketPath splits items[0][title] into its steps; an empty step appends.
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

// fieldTree gathers fields while their order and their names both matter.
type fieldTree struct {
	order []string
	nodes map[string]*fieldNode
	inner bool // inside brackets, where no name means the next number
	next  int
}

type fieldNode struct {
	text    string
	inner   fieldTree
	repeats bool
}

func (t *fieldTree) add(path []string, text string) {
	name := path[0]
	if name == "" && t.inner {
		name = strconv.Itoa(t.next)
	}
	if n, err := strconv.Atoi(name); err == nil && n >= t.next && n < maxPairs {
		t.next = n + 1
	}
	node := t.nodes[name]
	if node == nil {
		if t.nodes == nil {
			t.nodes = map[string]*fieldNode{}
		}
		node = &fieldNode{inner: fieldTree{inner: true}}
		t.nodes[name] = node
		t.order = append(t.order, name)
	}
	if len(path) == 1 {
		node.repeats = node.repeats || node.text != "" && node.text != text || len(node.inner.order) > 0
		node.text, node.inner = text, fieldTree{inner: true}
		return
	}
	node.repeats = node.repeats || node.text != ""
	node.text = ""
	node.inner.add(path[1:], text)
}

func (t *fieldTree) fields() Fields {
	fields := make(Fields, 0, len(t.order))
	for _, name := range t.order {
		node := t.nodes[name]
		field := Field{Name: name, Text: node.text, Repeats: node.repeats}
		if len(node.inner.order) > 0 {
			field.Parts = node.inner.fields()
		}
		fields = append(fields, field)
	}
	return fields
}

// Lookup finds a field by name.
func (f Fields) Lookup(name string) (Field, bool) {
	for i := range f {
		if f[i].Name == name {
			return f[i], true
		}
	}
	return Field{}, false
}

// Text is a field's text, "" without one.
func (f Fields) Text(name string) string {
	field, _ := f.Lookup(name)
	return field.Text
}

func (f Fields) list(name string) []string {
	field, _ := f.Lookup(name)
	return field.List()
}

// Without is the fields without those named.
func (f Fields) Without(names ...string) Fields {
	return slices.DeleteFunc(slices.Clone(f), func(field Field) bool { return slices.Contains(names, field.Name) })
}

// List is the texts of a field that may come once or as a list.
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

// nests says whether the parts of a field have parts themselves, which only the entries of a bulk do.
func (f Field) nests() bool {
	return slices.ContainsFunc(f.Parts, func(part Field) bool { return part.Parts != nil })
}
