package wire

import (
	"bytes"
	"encoding"
	"errors"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"sellerd/v1/refusal"
)

// This file reads JSON strictly (docs/api.md, Requests): malformed text, duplicate members and bad UTF-8 end the reading
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
	source   bytes.Buffer
	dec      *jsontext.Decoder
	problems *refusal.Problems // those of the list entry that is being read, else those of the body
	around   *refusal.Problems // of the body
	present  *[]string         // paths named, when a patch is read
	most     int               // how many entries of the current member are read, 0 for all
	path     place             // of the current value
}

var binders = sync.Pool{New: func() any { return &binder{dec: jsontext.NewDecoder(&bytes.Buffer{})} }}

// BindJSON reads a body into the value that v points to. It returns nil, or all errors of the body.
func BindJSON(body []byte, v any) error {
	var problems refusal.Problems
	if err := BindInto(body, v, &problems); err != nil {
		return err
	}
	return problems.Err()
}

// errEnough ends the reading of a body that has the maximum number of problems.
var errEnough = errors.New("enough problems")

// BindInto is BindJSON for a caller that collects further problems. Its error is malformed_json alone, or all problems of a
// body that was not read to its end because it has too many.
func BindInto(body []byte, v any, problems *refusal.Problems) error {
	if deeperThan(body, maxDepth) {
		return refusal.Newf(refusal.MalformedJSON, "", "The body nests deeper than %d levels.", maxDepth)
	}
	b := binders.Get().(*binder)
	defer func() {
		b.problems, b.around, b.present, b.most, b.path = nil, nil, nil, 0, b.path[:0]
		if b.source.Cap() <= 1<<16 {
			binders.Put(b)
		}
	}()
	b.source.Reset()
	b.source.Write(body)
	b.dec.Reset(&b.source)
	b.problems, b.around = problems, problems

	target := reflect.ValueOf(v).Elem()
	err := b.value(PlanOf(target.Type()), target)
	if errors.Is(err, errEnough) {
		return problems.Err()
	}
	if err == nil {
		if _, err = b.dec.ReadToken(); err == nil {
			return refusal.Newf(refusal.MalformedJSON, "", "The body holds more than one JSON value.")
		}
	}
	if errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && b.dec.StackDepth() == 0 && b.dec.InputOffset() > 0 {
		return nil
	}
	return Malformed(err, len(body))
}

// Malformed is the refusal of a body of size bytes in which the reader met a syntax error.
func Malformed(err error, size int) error {
	var syntax *jsontext.SyntacticError
	switch {
	case size == 0 || errors.Is(err, io.EOF):
		return refusal.Newf(refusal.MalformedJSON, "", "The body is empty.")
	case errors.Is(err, jsontext.ErrDuplicateName) && errors.As(err, &syntax):
		return refusal.Newf(refusal.MalformedJSON, "", "The body names %s twice.", strconv.Quote(syntax.JSONPointer.LastToken()))
	case errors.As(err, &syntax):
		return refusal.Newf(refusal.MalformedJSON, "", "The body is not valid JSON at byte %d.", syntax.ByteOffset)
	default:
		return refusal.Newf(refusal.MalformedJSON, "", "The body is not valid JSON.")
	}
}

// deeperThan counts brackets outside strings, in one pass, before any other code reads the body.
func deeperThan(body []byte, limit int) bool {
	depth, quoted := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

var formNames = map[Form]string{
	FormString: "a string", FormText: "a string", FormBool: "a boolean", FormInt: "a whole number", FormFloat: "a number",
	FormSlice: "an array", FormStruct: "an object",
}

// value reads one JSON value. The error it returns is a syntax error; everything else goes to the problems.
func (b *binder) value(p *Plan, v reflect.Value) error {
	kind := b.dec.PeekKind()
	switch p.Form {
	case FormOpt:
		if kind == 'n' {
			v.SetZero()
			return b.skipNamed()
		}
		v.Field(1).SetBool(true)
		return b.value(p.Elem, v.Field(0))
	case FormPatch:
		b.present = v.Addr().Interface().(patch).named()
		return b.value(p.Elem, v.Field(0))
	case FormRaw:
		return b.raw(v)
	case FormOther:
		return b.other(v)
	}
	if kind == 'n' && len(b.path) > 0 {
		v.SetZero() // null is the same as absent, except in a patch, which names it
		return b.skipNamed()
	}
	switch {
	case kind == '"' && (p.Form == FormString || p.Form == FormText):
		return b.text(p, v)
	case kind == '"' && p.Form == FormStruct && p.alone >= 0:
		f := &p.Fields[p.alone]
		return b.member(f, v)
	case (kind == 't' || kind == 'f') && p.Form == FormBool:
		token, err := b.dec.ReadToken()
		if err == nil {
			v.SetBool(token.Bool())
			b.name()
		}
		return err
	case kind == '0' && (p.Form == FormInt || p.Form == FormFloat):
		return b.number(p, v)
	case kind == '[' && p.Form == FormSlice:
		return b.array(p, v)
	case kind == '{' && p.Form == FormStruct:
		return b.object(p, v)
	default:
		return b.skip(refusal.InvalidType, "must be %s", formNames[p.Form])
	}
}

func (b *binder) name() {
	if b.present != nil && len(b.path) > 0 {
		*b.present = append(*b.present, b.path.String())
	}
}

func (b *binder) skipNamed() error {
	b.name()
	return b.dec.SkipValue()
}

func (b *binder) skip(code refusal.Code, format string, args ...any) error {
	if err := b.dec.SkipValue(); err != nil {
		return err
	}
	b.problems.Add(code, b.path.String(), format, args...)
	b.name()
	return nil
}

func (b *binder) text(p *Plan, v reflect.Value) error {
	token, err := b.dec.ReadToken()
	if err != nil {
		return err
	}
	s := token.String()
	b.name()
	if strings.IndexByte(s, 0) >= 0 {
		b.problems.Add(refusal.InvalidValue, b.path.String(), "must not hold the character U+0000")
		return nil
	}
	if p.Form == FormString {
		v.SetString(s)
		return nil
	}
	if err := v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(s)); err != nil {
		code, message := codeOf(err)
		b.problems.Add(code, b.path.String(), "%s", message)
	}
	return nil
}

func (b *binder) number(p *Plan, v reflect.Value) error {
	raw, err := b.dec.ReadValue()
	if err != nil {
		return err
	}
	b.name()
	if p.Form == FormFloat {
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			b.problems.Add(refusal.OutOfRange, b.path.String(), "is too large a number")
			return nil
		}
		v.SetFloat(f)
		return nil
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		b.problems.Add(refusal.OutOfRange, b.path.String(), "is too large a number")
	case err != nil:
		b.problems.Add(refusal.InvalidType, b.path.String(), "must be a whole number without decimals or exponent")
	default:
		v.SetInt(n)
	}
	return nil
}

func (b *binder) raw(v reflect.Value) error {
	raw, err := b.dec.ReadValue()
	if err != nil {
		return err
	}
	b.name()
	v.Addr().Interface().(RawText).SetJSONText(string(raw))
	return nil
}

// other reads a value without a plan, such as the details of an error.
func (b *binder) other(v reflect.Value) error {
	raw, err := b.dec.ReadValue()
	if err != nil {
		return err
	}
	b.name()
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		b.problems.Add(refusal.InvalidType, b.path.String(), "does not have the type that the reference shows")
	}
	return nil
}

func (b *binder) array(p *Plan, v reflect.Value) error {
	if _, err := b.dec.ReadToken(); err != nil {
		return err
	}
	present, most := b.present, b.most
	b.present = nil // an array replaces as a whole
	v.Set(reflect.MakeSlice(p.Type, 0, 4))
	for i := 0; b.dec.PeekKind() != ']'; i++ {
		if most > 0 && i >= most {
			if err := b.dec.SkipValue(); err != nil {
				return err
			}
			continue
		}
		v.Grow(i + 1 - v.Len())
		v.SetLen(i + 1)
		v.Index(i).SetZero()
		b.path = append(b.path, step{index: i})
		if err := b.element(p.Elem, v.Index(i)); err != nil {
			return err
		}
		b.path = b.path[:len(b.path)-1]
	}
	b.present = present
	b.name()
	_, err := b.dec.ReadToken()
	return err
}

// element reads an entry of an array, which has a limit of problems of its own.
func (b *binder) element(p *Plan, v reflect.Value) error {
	before, own := b.problems, refusal.EntryProblems()
	b.problems = &own
	var err error
	if b.dec.PeekKind() == 'n' {
		err = b.skip(refusal.InvalidType, "must not be null")
	} else {
		err = b.value(p, v)
	}
	before.Join(own)
	b.problems = before
	return err
}

func (b *binder) object(p *Plan, v reflect.Value) error {
	if _, err := b.dec.ReadToken(); err != nil {
		return err
	}
	for b.dec.PeekKind() != '}' {
		raw, err := b.dec.ReadValue()
		if err != nil {
			return err
		}
		f, name := p.member(raw)
		if f != nil {
			if err := b.member(f, v); err != nil {
				return err
			}
			continue
		}
		if err := b.dec.SkipValue(); err != nil {
			return err
		}
		switch {
		case !b.problems.Full(): // not by skip: a patch must not name a member that its object does not have
			unknown := append(b.path[:len(b.path):len(b.path)], step{name: Printable(name)})
			b.problems.Add(refusal.UnknownField, unknown.String(), "is not a member of this object")
		case b.problems == b.around:
			return errEnough
		}
	}
	_, err := b.dec.ReadToken()
	return err
}

// member finds the field that a quoted name means; without one it returns the name.
func (p *Plan) member(quoted jsontext.Value) (*Field, string) {
	if i, known := p.byName[string(quoted[1:len(quoted)-1])]; known { // compared without unescaping, because none of our names needs an escape
		return &p.Fields[i], ""
	}
	name, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return nil, string(quoted)
	}
	if i, known := p.byName[string(name)]; known {
		return &p.Fields[i], ""
	}
	return nil, string(name)
}

// member reads the value of one of an object's members.
func (b *binder) member(f *Field, v reflect.Value) error {
	b.most = f.most
	b.path = append(b.path, step{name: f.Name})
	err := b.value(f.Plan, f.Of(v))
	b.path = b.path[:len(b.path)-1]
	return err
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
