package wire

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
)

// This file writes JSON: a plan is made once per Go type and then followed without allocating. bind.go reads JSON by
// the same plans, so that a type's names and forms are decided in one place, its struct tags:
//
//	json:"name"            the member's name
//	json:"name,omitempty"  left out when empty (only errors do that; every other field is always present)
//	alone:"true"           a bare string stands for an object with this member alone
//	personal:"true"        hidden from callers who may not read personal data (personal.go)
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
	if problems := BindJSON([]byte(r.Text), &v); problems != nil {
		return v, fmt.Errorf("stored JSON: %v", problems)
	}
	return v, nil
}

func (r Raw[T]) jsonText() string { return r.Text }

// SetJSONText stores text that is JSON already.
func (r *Raw[T]) SetJSONText(s string) { r.Text = s }

// Holds is the type that the text is the JSON of.
func (*Raw[T]) Holds() reflect.Type { return reflect.TypeFor[T]() }

// RawText is a Raw of any type.
type RawText interface {
	jsonText() string
	SetJSONText(string)
	Holds() reflect.Type // what the text is the JSON of
}

// optional is a value that can be missing: an Opt, or a type that looks like one.
type optional interface{ Optional() }

// EncodeJSON appends the JSON form of what v points to.
func EncodeJSON(b []byte, v any) []byte {
	value := reflect.ValueOf(v)
	if value.Kind() != reflect.Pointer {
		pointer := reflect.New(value.Type())
		pointer.Elem().Set(value)
		value = pointer
	}
	return PlanOf(value.Type().Elem()).Encode(b, value.Elem())
}

// Form is the JSON form of a type.
type Form int

const (
	FormOther Form = iota
	FormString
	FormBool
	FormInt
	FormFloat
	FormText // encoding.TextAppender and encoding.TextUnmarshaler
	FormRaw
	FormOpt
	FormSlice
	FormStruct
	FormPatch
)

// Plan is how one Go type looks in JSON.
type Plan struct {
	Type   reflect.Type
	Form   Form
	Fields []Field
	byName map[string]int
	alone  int      // field that a bare string fills, -1 for none
	Elem   *Plan    // of Opt and slices and patches
	append appender // of a type that has one

	hides    bool // it has personal members
	personal bool // it has, or what it holds has
}

// Field is a member of an object.
type Field struct {
	Name      string
	quoted    string // `"name":`
	Index     []int
	omitEmpty bool
	personal  bool // hidden from callers who may not read personal data
	most      int  // entries of a list worth reading, 0 for all
	Plan      *Plan
}

var plans sync.Map // reflect.Type → *plan

// PlanOf is the plan of a type, made once.
func PlanOf(t reflect.Type) *Plan {
	if p, ok := plans.Load(t); ok {
		return p.(*Plan)
	}
	p, _ := plans.LoadOrStore(t, makePlan(t))
	return p.(*Plan)
}

var (
	appenderType    = reflect.TypeFor[encoding.TextAppender]()
	unmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	rawType         = reflect.TypeFor[RawText]()
	OptionalType    = reflect.TypeFor[optional]()
	patchType       = reflect.TypeFor[patch]()
)

func makePlan(t reflect.Type) *Plan {
	p := &Plan{Type: t, alone: -1, append: appenders[t]}
	pointer := reflect.PointerTo(t)
	switch {
	case pointer.Implements(rawType):
		p.Form = FormRaw
	case pointer.Implements(appenderType) && pointer.Implements(unmarshalerType):
		p.Form = FormText
	case t.Implements(OptionalType):
		p.Form, p.Elem = FormOpt, PlanOf(t.Field(0).Type)
	case pointer.Implements(patchType):
		p.Form, p.Elem = FormPatch, PlanOf(t.Field(0).Type)
	case t.Kind() == reflect.String:
		p.Form = FormString
	case t.Kind() == reflect.Bool:
		p.Form = FormBool
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Int64:
		p.Form = FormInt
	case t.Kind() == reflect.Float64:
		p.Form = FormFloat
	case t.Kind() == reflect.Slice:
		p.Form, p.Elem = FormSlice, PlanOf(t.Elem())
	case t.Kind() == reflect.Struct:
		p.Form, p.byName = FormStruct, map[string]int{}
		p.addFields(t, nil)
	}
	p.personal = p.holdsPersonal()
	return p
}

func (p *Plan) addFields(t reflect.Type, prefix []int) {
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
			p.alone = len(p.Fields)
		}
		personal := field.Tag.Get("personal") == "true"
		p.hides = p.hides || personal
		p.byName[name] = len(p.Fields)
		p.Fields = append(p.Fields, Field{
			Name: name, quoted: string(append(AppendString(nil, name), ':')), Index: index,
			omitEmpty: options == "omitempty", personal: personal, most: mostEntries(field), Plan: PlanOf(field.Type),
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

// Of is the member of an object v.
func (f *Field) Of(v reflect.Value) reflect.Value {
	if len(f.Index) == 1 {
		return v.Field(f.Index[0])
	}
	return v.FieldByIndex(f.Index)
}

// Encode appends the JSON form of a value, which can be addressed.
func (p *Plan) Encode(b []byte, v reflect.Value) []byte {
	if p.append != nil {
		return p.append(b, v)
	}
	return p.encodeForm(b, v)
}

// encodeForm is Encode for every type.
func (p *Plan) encodeForm(b []byte, v reflect.Value) []byte {
	switch p.Form {
	case FormString:
		return AppendString(b, v.String())
	case FormBool:
		return strconv.AppendBool(b, v.Bool())
	case FormInt:
		return strconv.AppendInt(b, v.Int(), 10)
	case FormFloat:
		return AppendFloat(b, v.Float())
	case FormText:
		b = append(b, '"')
		b, _ = v.Addr().Interface().(encoding.TextAppender).AppendText(b)
		return append(b, '"')
	case FormRaw:
		return AppendRaw(b, v.Addr().Interface().(RawText).jsonText())
	case FormOpt:
		if !v.Field(1).Bool() {
			return append(b, "null"...)
		}
		return p.Elem.Encode(b, v.Field(0))
	case FormSlice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = p.Elem.Encode(b, v.Index(i))
		}
		return append(b, ']')
	case FormStruct:
		return p.encodeStruct(b, v)
	default:
		text, err := json.Marshal(v.Interface(), json.Deterministic(true))
		if err != nil {
			return append(b, "null"...)
		}
		return append(b, text...)
	}
}

func (p *Plan) encodeStruct(b []byte, v reflect.Value) []byte {
	b = append(b, '{')
	first := true
	for i := range p.Fields {
		f := &p.Fields[i]
		value := f.Of(v)
		if f.omitEmpty && value.IsZero() {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		b = f.Plan.Encode(append(b, f.quoted...), value)
	}
	return append(b, '}')
}

// EncodeMembers renders an object of some of v's members, in the order given.
func EncodeMembers(v any, members []string) []byte {
	value := reflect.ValueOf(v).Elem()
	p := PlanOf(value.Type())
	b := []byte{'{'}
	for i, member := range members {
		if i > 0 {
			b = append(b, ',')
		}
		f := &p.Fields[p.byName[member]]
		b = f.Plan.Encode(append(b, f.quoted...), f.Of(value))
	}
	return append(b, '}')
}

// AppendFloat appends the JSON form of a number, null if there is none.
func AppendFloat(b []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, f, 'f', -1, 64)
}
