package wire

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalizer writes the canonical form of well-formed JSON (RFC 8785). It does the ordinary cases itself, in one pass, and
// leaves to the JSON library: numbers other than short whole ones, and the whole text if a member has a name that is not
// plain ASCII, because the order of such names is that of UTF-16.
type canonicalizer struct {
	scanner
	out     []byte
	members []member // of the objects around the current value
	sorted  []byte   // the members of an object in their order
	scratch []byte   // a string without its escapes
	other   bool     // the text is left to the library
}

// member is where an object's member stands in the output.
type member struct {
	name     string
	from, to int
}

var canonicalizers = sync.Pool{New: func() any { return new(canonicalizer) }}

// Canonical calls use with the canonical form of a body (RFC 8785), which is valid until use returns. The body must be
// well-formed if known says so; otherwise it is checked, and the error is the one of BindInto.
func Canonical(body []byte, known bool, use func(canonical []byte)) error {
	c := canonicalizers.Get().(*canonicalizer)
	defer func() {
		const kept, keptMembers = 1 << 20, 1 << 12 // more than nearly all bodies need
		clear(c.members[:cap(c.members)])          // their names are parts of the body
		*c = canonicalizer{out: c.out[:0], members: c.members[:0], sorted: c.sorted[:0], scratch: c.scratch[:0]}
		if max(cap(c.out), cap(c.sorted), cap(c.scratch)) <= kept && cap(c.members) <= keptMembers {
			canonicalizers.Put(c)
		}
	}()
	c.text = string(body)
	if !known {
		if err := checkText(body, c.text); err != nil {
			return err
		}
	}
	if c.write(); !c.other {
		use(c.out)
		return nil
	}
	canonical := jsontext.Value(append(c.out[:0], body...))
	if err := canonical.Canonicalize(); err != nil {
		return malformed(err, body)
	}
	use(canonical)
	return nil
}

// write appends one value.
func (c *canonicalizer) write() {
	switch c.peek() {
	case '{':
		c.object()
	case '[':
		c.at++
		c.out = append(c.out, '[')
		for first := true; c.peek() != ']' && !c.other; first = false {
			if !first {
				c.out = append(c.out, ',')
			}
			c.write()
		}
		c.at++
		c.out = append(c.out, ']')
	default:
		c.scalar(c.token())
	}
}

// scalar appends a string, a number or a word.
func (c *canonicalizer) scalar(token string) {
	const exact = 15 // digits of numbers that a float64 has exactly
	switch first := token[0]; {
	case first == '"' && strings.IndexByte(token, '\\') >= 0:
		c.scratch, _ = jsontext.AppendUnquote(c.scratch[:0], token)
		c.out, _ = jsontext.AppendQuote(c.out, c.scratch)
	case (first == '-' || isDigits(token[:1])) && (len(token) > exact || !isDigits(token)):
		value := jsontext.Value(token)
		c.other = value.Canonicalize() != nil
		c.out = append(c.out, value...)
	default:
		c.out = append(c.out, token...)
	}
}

// object appends an object with its members in the order of their names.
func (c *canonicalizer) object() {
	c.at++
	c.out = append(c.out, '{')
	outer, inOrder := len(c.members), true
	for c.peek() != '}' && !c.other {
		if len(c.members) > outer {
			c.out = append(c.out, ',')
		}
		name, from := c.token(), len(c.out)
		if !isPlainASCII(name) || strings.IndexByte(name, '\\') >= 0 {
			c.other = true
			return
		}
		c.out = append(append(c.out, name...), ':')
		name = name[1 : len(name)-1]
		inOrder = inOrder && (len(c.members) == outer || c.members[len(c.members)-1].name < name)
		c.members = append(c.members, member{name: name, from: from})
		at := len(c.members) - 1
		c.write()
		c.members[at].to = len(c.out)
	}
	c.at++
	if members := c.members[outer:]; !inOrder && !c.other {
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.name, b.name) })
		c.sorted = c.sorted[:0]
		for i, m := range members {
			if i > 0 {
				c.sorted = append(c.sorted, ',')
			}
			c.sorted = append(c.sorted, c.out[m.from:m.to]...)
		}
		copy(c.out[len(c.out)-len(c.sorted):], c.sorted)
	}
	c.members = c.members[:outer]
	c.out = append(c.out, '}')
}
