package wire

import (
	"encoding"
	"errors"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"

	"sellerd/v1/refusal"
)

// This file reads JSON strictly (docs/seller/requests.md, Requests): malformed text, duplicate members and bad UTF-8 end the reading
// with malformed_json; unknown members and values of the wrong type are all collected with their paths.

// maxDepth is how deep a body may nest.
const maxDepth = 32

// place is the position in the body; it is only printed for a problem.
type place []step

// step is a member's name, or the index of a list's entry.
type step struct {
	name  string
	index int
}

func (p place) String() string {
	var b strings.Builder
	for i, step := range p {
		switch {
		case step.name == "":
			b.WriteString("[" + strconv.Itoa(step.index) + "]")
		case i == 0:
			b.WriteString(step.name)
		default:
			b.WriteString("." + step.name)
		}
	}
	return b.String()
}

type binder struct {
	scanner
	problems *refusal.Problems   // those of the list entry that is being read, else those of the body
	around   *refusal.Problems   // of the body
	spare    []*refusal.Problems // of list entries that had none
	present  *[]string           // paths named, when a patch is read
	patch    int                 // the steps of the path that lead to that patch
	most     int                 // how many entries of the current member are read, 0 for all
	enough   bool                // the body has the maximum number of problems, and is not read further
	path     place               // of the current value
	scratch  []byte              // of the current text
}

var binders = sync.Pool{New: func() any { return new(binder) }}

// BindJSON reads a body into the value that v points to. It returns nil, or all errors of the body.
func BindJSON(body []byte, v any) error {
	var problems refusal.Problems
	if err := BindInto(body, v, &problems); err != nil {
		return err
	}
	return problems.Err()
}

// BindInto is BindJSON for a caller that collects further problems. Its error is malformed_json alone, or all problems of a
// body that was not read to its end because it has too many. The texts in v share the memory of one copy of the body.
func BindInto(body []byte, v any, problems *refusal.Problems) error {
	text := string(body)
	if err := checkText(body, text); err != nil {
		return err
	}
	b := binders.Get().(*binder)
	defer func() {
		*b = binder{spare: b.spare, path: b.path[:0], scratch: b.scratch}
		if cap(b.scratch) <= 1<<16 {
			binders.Put(b)
		}
	}()
	b.text, b.problems, b.around = text, problems, problems
	target := reflect.ValueOf(v).Elem()
	b.read(PlanOf(target.Type()), target)
	if b.enough {
		return problems.Err()
	}
	return nil
}

var formNames = map[Form]string{
	FormString: "a string", FormText: "a string", FormBool: "a boolean", FormInt: "a whole number", FormFloat: "a number",
	FormSlice: "an array", FormStruct: "an object",
}

// read reads one JSON value. What is wrong with it goes to the problems.
func (b *binder) read(p *Plan, v reflect.Value) {
	kind := b.peek()
	switch p.Form {
	case FormOpt:
		if kind == 'n' {
			v.SetZero()
			b.skipNamed()
			return
		}
		v.Field(1).SetBool(true)
		b.read(p.Elem, v.Field(0))
		return
	case FormPatch:
		present, patchAt := b.present, b.patch
		b.present, b.patch = v.Addr().Interface().(patch).named(), len(b.path)
		b.read(p.Elem, v.Field(0))
		b.present, b.patch = present, patchAt
		return
	case FormRaw:
		raw := b.value()
		b.name()
		v.Addr().Interface().(RawText).SetJSONText(raw)
		return
	case FormOther:
		b.other(v)
		return
	}
	switch {
	case kind == 'n' && len(b.path) > 0:
		v.SetZero() // null is the same as absent, except in a patch, which names it
		b.skipNamed()
	case kind == '"' && (p.Form == FormString || p.Form == FormText):
		b.string(p, v)
	case kind == '"' && p.Form == FormStruct && p.alone >= 0:
		b.member(&p.Fields[p.alone], v)
	case (kind == 't' || kind == 'f') && p.Form == FormBool:
		v.SetBool(b.token() == "true")
		b.name()
	case kind == '0' && (p.Form == FormInt || p.Form == FormFloat):
		b.number(p, v)
	case kind == '[' && p.Form == FormSlice:
		b.array(p, v)
	case kind == '{' && p.Form == FormStruct:
		b.object(p, v)
	default:
		b.skip(refusal.InvalidType, "must be %s", formNames[p.Form])
	}
}

// name notes that a patch names the current value, by its path inside the patch.
func (b *binder) name() {
	if b.present != nil && len(b.path) > b.patch {
		*b.present = append(*b.present, b.path[b.patch:].String())
	}
}

func (b *binder) skipNamed() {
	b.name()
	b.value()
}

func (b *binder) skip(code refusal.Code, format string, args ...any) {
	b.value()
	b.problems.Add(code, b.path.String(), format, args...)
	b.name()
}

func (b *binder) unquoted(token string) (text string) {
	text, b.scratch = unquote(token, b.scratch)
	return text
}

func (b *binder) string(p *Plan, v reflect.Value) {
	s := b.unquoted(b.token())
	b.name()
	if strings.IndexByte(s, 0) >= 0 {
		b.problems.Add(refusal.InvalidValue, b.path.String(), "must not hold the character U+0000")
		return
	}
	if p.Form == FormString {
		v.SetString(s)
		return
	}
	b.scratch = append(b.scratch[:0], s...)
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText(b.scratch); err != nil {
		code, message := codeOf(err)
		b.problems.Add(code, b.path.String(), "%s", message)
	}
}

func (b *binder) number(p *Plan, v reflect.Value) {
	text := b.token()
	b.name()
	if p.Form == FormFloat {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil {
			b.problems.Add(refusal.OutOfRange, b.path.String(), "is too large a number")
			return
		}
		v.SetFloat(f)
		return
	}
	n, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		b.problems.Add(refusal.OutOfRange, b.path.String(), "is too large a number")
	case err != nil:
		b.problems.Add(refusal.InvalidType, b.path.String(), "must be a whole number without decimals or exponent")
	default:
		v.SetInt(n)
	}
}

// other reads a value without a plan, such as the details of an error.
func (b *binder) other(v reflect.Value) {
	raw := b.value()
	b.name()
	if err := json.Unmarshal([]byte(raw), v.Addr().Interface()); err != nil {
		b.problems.Add(refusal.InvalidType, b.path.String(), "does not have the type that the reference shows")
	}
}

func (b *binder) array(p *Plan, v reflect.Value) {
	from := b.at
	b.token()
	present, most := b.present, b.most
	b.present = nil // an array replaces as a whole
	v.Set(reflect.MakeSlice(p.Type, 0, 4))
	for i := 0; b.peek() != ']' && !b.enough; i++ {
		if most > 0 && i >= most {
			b.value()
			continue
		}
		if i == v.Cap() {
			more := i
			if most > 0 && b.problems == b.around { // the one long list of the body
				more = min(b.likelyMore(from, i), most-i)
			}
			v.Grow(more)
		}
		v.SetLen(i + 1)
		v.Index(i).SetZero()
		b.path = append(b.path, step{index: i})
		b.element(p.Elem, v.Index(i))
		b.path = b.path[:len(b.path)-1]
	}
	b.present = present
	b.name()
	b.token()
}

// likelyMore is how many entries an array still has, if they are as long as the first ones and end the body.
func (b *binder) likelyMore(from, entries int) int {
	return (len(b.text)-b.at)*entries/(b.at-from) + 1
}

// element reads an entry of an array, which has a limit of problems of its own.
func (b *binder) element(p *Plan, v reflect.Value) {
	before, own := b.problems, b.entryProblems()
	b.problems = own
	if b.peek() == 'n' {
		b.skip(refusal.InvalidType, "must not be null")
	} else {
		b.read(p, v)
	}
	before.Join(*own)
	b.problems = before
	if own.Err() == nil {
		b.spare = append(b.spare, own)
	}
}

func (b *binder) entryProblems() *refusal.Problems {
	if last := len(b.spare) - 1; last >= 0 {
		own := b.spare[last]
		b.spare = b.spare[:last]
		return own
	}
	return new(refusal.EntryProblems())
}

func (b *binder) object(p *Plan, v reflect.Value) {
	b.token()
	for b.peek() != '}' && !b.enough {
		name := b.unquoted(b.token())
		if i, known := p.byName[name]; known {
			b.member(&p.Fields[i], v)
			continue
		}
		b.value()
		switch {
		case !b.problems.Full(): // not by skip: a patch must not name a member that its object does not have
			unknown := append(b.path[:len(b.path):len(b.path)], step{name: Printable(name)})
			b.problems.Add(refusal.UnknownField, unknown.String(), "is not a member of this object")
		case b.problems == b.around:
			b.enough = true
		}
	}
	b.token()
}

// member reads the value of one of an object's members.
func (b *binder) member(f *Field, v reflect.Value) {
	b.most = f.most
	b.path = append(b.path, step{name: f.Name})
	b.read(f.Plan, f.Of(v))
	b.path = b.path[:len(b.path)-1]
}

// Printable makes a member name from a request safe to print: at most 64 characters, without control characters.
func Printable(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '\ufffd'
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 64 {
		return string(runes[:64])
	}
	return name
}
