package v1

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file writes JSON: a plan is made once per Go type and then followed without allocating. bind.go reads JSON by
// the same plans, so that a type's names and forms are decided in one place, its struct tags:
//
//	json:"name"            the member's name
//	json:"name,omitempty"  left out when empty (only errors do that; every other field is always present)
//	alone:"true"           a bare string stands for an object with this member alone
//	validate:"max=100"     of a list: what lies more than one entry beyond is not even read

// Raw is JSON text that is stored and printed as it is; T documents what it holds.
type Raw[T any] struct{ Text string }

// RawOf renders a value once.
func RawOf[T any](v T) Raw[T] { return Raw[T]{string(EncodeJSON(nil, &v))} }

// Value reads the text back.
func (r Raw[T]) Value() (v T, err error) {
	if r.Text == "" {
		return v, nil
	}
	if problems := bindJSON([]byte(r.Text), &v); problems != nil {
		return v, fmt.Errorf("stored JSON: %v", problems)
	}
	return v, nil
}

func (r Raw[T]) jsonText() string { return r.Text }

func (r *Raw[T]) setJSONText(s string) { r.Text = s }

func (*Raw[T]) holds() reflect.Type { return reflect.TypeFor[T]() }

type rawText interface {
	jsonText() string
	setJSONText(string)
	holds() reflect.Type // what the text is the JSON of
}

type optional interface{ Optional() }

// EncodeJSON appends the JSON form of what v points to.
func EncodeJSON(b []byte, v any) []byte {
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Pointer {
		pointer := reflect.New(value.Type())
		pointer.Elem().Set(value)
		value = pointer
	}
	return planOf(value.Type().Elem()).encode(b, value.Elem())
}

type form int

const (
	formOther form = iota
	formString
	formBool
	formInt
	formFloat
	formText // encoding.TextAppender and encoding.TextUnmarshaler
	formRaw
	formOpt
	formSlice
	formStruct
	formPatch
)

// plan is how one Go type looks in JSON.
type plan struct {
	typ    reflect.Type
	form   form
	fields []fieldPlan
	byName map[string]int
	alone  int   // field that a bare string fills, -1 for none
	elem   *plan // of Opt and slices and patches
	empty  string
}

type fieldPlan struct {
	name      string
	quoted    string // `"name":`
	index     []int
	omitEmpty bool
	most      int // entries of a list worth reading, 0 for all
	plan      *plan
}

var plans sync.Map // reflect.Type → *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, makePlan(t))
	return p.(*plan)
}

var (
	appenderType    = reflect.TypeFor[encoding.TextAppender]()
	unmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawType         = reflect.TypeFor[rawText]()
	optionalType    = reflect.TypeFor[optional]()
	patchType       = reflect.TypeFor[patch]()
)

func makePlan(t reflect.Type) *plan {
	p := &plan{typ: t, alone: -1, empty: "null"}
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(rawType):
		p.form, p.empty = formRaw, "[]"
	case pointer.Implements(appenderType) && pointer.Implements(unmarshalerType):
		p.form = formText
	case t.Implements(optionalType):
		p.form, p.elem = formOpt, planOf(t.Field(0).Type)
	case pointer.Implements(patchType):
		p.form, p.elem = formPatch, planOf(t.Field(0).Type)
	case t.Kind() == reflect.String:
		p.form = formString
	case t.Kind() == reflect.Bool:
		p.form = formBool
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		p.form = formInt
	case t.Kind() == reflect.Float64:
		p.form = formFloat
	case t.Kind() == reflect.Slice:
		p.form, p.elem = formSlice, planOf(t.Elem())
	case t.Kind() == reflect.Struct:
		p.form, p.byName = formStruct, map[string]int{}
		p.addFields(t, nil)
	}
	return p
}

func (p *plan) addFields(t reflect.Type, prefix []int) {
	for i := range t.NumField() {
		field := t.Field(i)
		index := append(prefix[:len(prefix):len(prefix)], i)
		if field.Anonymous && field.Tag.Get("json") == "" {
			p.addFields(field.Type, index)
			continue
		}
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" || !field.IsExported() {
			continue
		}
		if field.Tag.Get("alone") == "true" {
			p.alone = len(p.fields)
		}
		p.byName[name] = len(p.fields)
		p.fields = append(p.fields, fieldPlan{
			name: name, quoted: strconv.Quote(name) + ":", index: index,
			omitEmpty: options == "omitempty", most: mostEntries(field), plan: planOf(field.Type),
		})
	}
}

// mostEntries is one more than a list may have by its validate tag: enough to see that there are too many, and a
// bound on the memory that a body of 700,000 empty objects can take.
func mostEntries(field reflect.StructField) int {
	if field.Type.Kind() != reflect.Slice {
		return 0
	}
	for rule := range strings.SplitSeq(field.Tag.Get("validate"), ",") {
		name, limit, _ := strings.Cut(rule, "=")
		if n, err := strconv.Atoi(limit); err == nil && (name == "max" || name == "images") {
			return n + 1
		}
	}
	return 0
}

func (f *fieldPlan) of(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	return v.FieldByIndex(f.index)
}

func (p *plan) encode(b []byte, v reflect.Value) []byte {
	switch p.form {
	case formString:
		return appendString(b, v.String())
	case formBool:
		return strconv.AppendBool(b, v.Bool())
	case formInt:
		return strconv.AppendInt(b, v.Int(), 10)
	case formFloat:
		return appendFloat(b, v.Float())
	case formText:
		b = append(b, '"')
		b, _ = v.Addr().Interface().(encoding.TextAppender).AppendText(b)
		return append(b, '"')
	case formRaw:
		if text := v.Addr().Interface().(rawText).jsonText(); text != "" {
			return append(b, text...)
		}
		return append(b, p.empty...)
	case formOpt:
		if !v.Field(1).Bool() {
			return append(b, "null"...)
		}
		return p.elem.encode(b, v.Field(0))
	case formSlice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = p.elem.encode(b, v.Index(i))
		}
		return append(b, ']')
	case formStruct:
		return p.encodeStruct(b, v)
	default:
		text, err := json.Marshal(v.Interface(), json.Deterministic(true))
		if err != nil {
			return append(b, "null"...)
		}
		return append(b, text...)
	}
}

func (p *plan) encodeStruct(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	first := true
	for i := range p.fields {
		f := &p.fields[i]
		value := f.of(v)
		if f.omitEmpty && value.IsZero() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = f.plan.encode(append(b, f.quoted...), value)
	}
	return append(b, '}')
}

// encodeMembers renders an object of some of v's members, in the order given.
func encodeMembers(v any, members []string) []byte {
	value := reflect.ValueOf(v).Elem()
	p := planOf(value.Type())
	b := []byte{'{'}
	for i, member := range members {
		if i > 0 {
			b = append(b, ',')
		}
		f := &p.fields[p.byName[member]]
		b = f.plan.encode(append(b, f.quoted...), f.of(value))
	}
	return append(b, '}')
}

// appendString quotes a string. Text that is not UTF-8 cannot come in over HTTP; should some appear, it is repaired.
func appendString(b []byte, s string) []byte {
	quoted, err := jsontext.AppendQuote(b, s)
	if err != nil {
		quoted, _ = jsontext.AppendQuote(b, strings.ToValidUTF8(s, "\ufffd"))
	}
	return quoted
}

func appendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
